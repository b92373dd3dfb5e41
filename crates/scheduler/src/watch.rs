//! What happened to the queue since the last pass.

use std::collections::BTreeMap;

use switchyard_model::{JobId, SimTime};

use crate::Cluster;
use crate::cluster::{Bookmark, Change};
use crate::order::Ranker;
use crate::ranking::{Entry, Key, Ranking};
use crate::room::Room;

/// What the scheduler knows of a live job.
#[derive(Clone, Copy, Debug)]
enum Known {
    Pending(Key),
    Running,
}

/// What changed since the last pass.
#[derive(Clone, Debug, Default)]
pub(crate) struct Changes {
    /// There was no last pass, or it was on another cluster: everything is new.
    pub(crate) anew: bool,
    /// Came into the queue, in order of their keys.
    pub(crate) arrived: Vec<Key>,
    /// Left the queue to run.
    pub(crate) started: Vec<JobId>,
    /// Ran and no longer does.
    pub(crate) ended: Vec<JobId>,
    /// Left the queue without running.
    pub(crate) withdrawn: Vec<JobId>,
    /// Nodes went out of service or came back, or the expected end of a running job moved.
    pub(crate) service: bool,
    /// The order of those who were there before is no longer what it was.
    pub(crate) reordered: bool,
    /// Someone who was held back may be eligible now: a moment has come, or a job has started for which others wait.
    pub(crate) released: bool,
}

impl Changes {
    /// Whether all that happened is that `planned` jobs started and others arrived.
    pub(crate) fn only_arrivals(&self, planned: &[JobId]) -> bool {
        let calm = !self.anew && !self.service && !self.reordered && !self.released;
        calm && self.ended.is_empty() && self.withdrawn.is_empty() && self.started == planned
    }
}

/// The queue as it was at the last pass, brought up to date from what the cluster says has changed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watch {
    bookmark: Option<Bookmark>,
    known: BTreeMap<JobId, Known>,
    ranking: Ranking,
    /// The moment of the last pass.
    looked: SimTime,
}

impl Watch {
    /// The queue in order.
    pub(crate) const fn ranking(&self) -> &Ranking {
        &self.ranking
    }

    /// Forgets everything: the next pass looks at all there is.
    pub(crate) fn forget(&mut self) {
        *self = Watch::default();
    }

    /// Reads what happened, tells `ranker`, and brings queue and `room` up to date.
    pub(crate) fn sync(
        &mut self,
        cluster: &Cluster,
        ranker: &mut Ranker,
        room: &mut Room,
        now: SimTime,
    ) -> Changes {
        let mut changes = Changes::default();
        let mut touched: Vec<JobId> = Vec::new();
        match self.bookmark.as_ref().and_then(|bookmark| cluster.changes_since(bookmark)) {
            Some(read) => {
                for change in read {
                    match change {
                        Change::Job(job) => touched.push(job),
                        Change::Node(node) => room.refresh(cluster, node),
                        Change::Service(node) => {
                            changes.service = true;
                            room.refresh(cluster, node);
                        }
                    }
                }
                room.begin(cluster, now);
            }
            None => {
                *self = Watch::default();
                ranker.forget();
                room.rebuild(cluster, now);
                changes.anew = true;
                touched.extend(cluster.running().map(|job| job.spec.id));
                touched.extend(cluster.pending().map(|job| job.spec.id));
            }
        }
        self.bookmark = Some(cluster.bookmark());
        room.jobs_changed(cluster, &touched);
        let came = cluster.next_opening(self.looked).is_some_and(|opening| opening <= now);
        self.looked = now;
        self.jobs_changed(touched, cluster, ranker, now, &mut changes);
        changes.released = came || changes.started.iter().any(|&job| cluster.is_awaited(job));
        changes.reordered = ranker.begin_pass(cluster, now);
        if changes.reordered {
            self.rank_all(cluster, ranker, now);
        }
        changes
    }

    fn jobs_changed(
        &mut self,
        touched: Vec<JobId>,
        cluster: &Cluster,
        ranker: &mut Ranker,
        now: SimTime,
        changes: &mut Changes,
    ) {
        // Each job once, with the place of its first change.
        let mut touched: Vec<(JobId, usize)> = touched.into_iter().zip(0..).collect();
        touched.sort_unstable();
        touched.dedup_by_key(|(job, _)| *job);
        let capacity = cluster.capacity();
        let mut arrived = Vec::new();
        for &(job, _) in &touched {
            let running = cluster.running_job(job);
            match self.known.remove(&job) {
                Some(Known::Pending(key)) => {
                    self.ranking.remove(key);
                    match (running, cluster.pending_job(job)) {
                        (Some(_), _) => changes.started.push(job),
                        // Or it started and came back, or left and was submitted again.
                        (None, _) => changes.withdrawn.push(job),
                    }
                }
                Some(Known::Running) if running.is_some() => {
                    changes.service = true;
                    self.known.insert(job, Known::Running);
                    continue;
                }
                Some(Known::Running) => changes.ended.push(job),
                None if running.is_some() => changes.started.push(job),
                None => {}
            }
            if let Some(running) = running {
                ranker.started(running);
                self.known.insert(job, Known::Running);
            } else if cluster.pending_job(job).is_some() {
                arrived.push(job);
            }
        }
        // In the order in which it happened: an earlier start may be what a later one was charged against.
        let place = |job: &JobId| {
            touched
                .binary_search_by_key(job, |(job, _)| *job)
                .ok()
                .and_then(|at| touched.get(at))
                .map(|(_, place)| *place)
        };
        changes.started.sort_by_cached_key(place);
        changes.ended.sort_by_cached_key(place);
        ranker.settle(cluster, now);
        for &job in &changes.ended {
            ranker.ended(job, now);
        }
        for pending in arrived.into_iter().filter_map(|job| cluster.pending_job(job)) {
            let key = Key::new(ranker.arrived(cluster, pending, now), pending);
            self.known.insert(pending.spec.id, Known::Pending(key));
            self.ranking.insert(Entry::new(key, pending, &capacity));
            changes.arrived.push(key);
        }
        changes.arrived.sort_unstable();
    }

    fn rank_all(&mut self, cluster: &Cluster, ranker: &mut Ranker, now: SimTime) {
        let capacity = cluster.capacity();
        let mut entries = Vec::with_capacity(self.ranking.len());
        for job in cluster.pending() {
            let key = Key::new(ranker.rank(cluster, job, now), job);
            self.known.insert(job.spec.id, Known::Pending(key));
            entries.push(Entry::new(key, job, &capacity));
        }
        self.ranking = Ranking::of(entries);
    }
}
