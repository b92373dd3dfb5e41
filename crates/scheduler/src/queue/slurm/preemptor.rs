//! A job that is next and finds no room asks others to go.

use std::collections::BTreeMap;

use switchyard_model::{JobId, JobSpec, NodeId, Placement, Resources, SimTime};

use crate::cluster::Pending;
use crate::pass::Pass;
use crate::plan::Preemption;
use crate::preempt::{Candidate, Claim, Rights, select};
use crate::ranking::Key;
use crate::watch::Changes;

/// What has to be remembered about preemption from pass to pass.
#[derive(Clone, Debug, Default)]
pub(super) struct Preemptor {
    /// How the running jobs ranked when they started.
    values: BTreeMap<JobId, u64>,
    /// When a waiting job last asked others to go.
    asked: BTreeMap<JobId, SimTime>,
    /// The running jobs that were asked to go, and until when they may take to do so.
    leaving: BTreeMap<JobId, SimTime>,
}

/// A running job, or one that this pass starts.
struct Live<'a> {
    spec: &'a JobSpec,
    start: SimTime,
    submitted: SimTime,
    placement: &'a Placement,
}

impl Preemptor {
    pub(super) fn note_changes(&mut self, changes: &Changes) {
        for job in &changes.ended {
            self.values.remove(job);
            self.leaving.remove(job);
        }
        for job in changes.started.iter().chain(&changes.withdrawn) {
            self.asked.remove(job);
        }
    }

    /// A job starts.
    pub(super) fn note_start(&mut self, key: Key) {
        self.values.insert(key.job, key.value());
    }

    /// Asks those to go who hold what `job` needs, if it has a right over them. `cap` is what it may use of each node, if that is
    /// limited.
    pub(super) fn make_room(
        &mut self,
        pass: &mut Pass<'_>,
        job: &Pending,
        key: Key,
        cap: Option<&[Resources]>,
    ) {
        let Some(rules) = &pass.policy.preempt else { return };
        // What it asked for may still be under way.
        if self.asked.get(&job.spec.id).is_some_and(|asked| pass.now.since(*asked) < rules.repeat_after) {
            return;
        }
        let rights = Rights { rules, site: pass.cluster.site() };
        let candidates = self.candidates(pass, rights, job, key);
        let places: Vec<Candidate<'_>> = candidates
            .iter()
            .map(|live| Candidate { job: live.spec.id, placement: live.placement })
            .collect();
        let free = usable(pass, job, cap);
        let idle: Option<Vec<Resources>> = job
            .is_exclusive()
            .then(|| pass.cluster.fleet().nodes().iter().map(|node| node.capacity).collect());
        let victims = select(&job.request.shape, &free, idle.as_deref(), &places, rules).unwrap_or_default();
        let mut asked = Vec::new();
        for live in victims.iter().filter_map(|victim| candidates.iter().find(|live| live.spec.id == *victim))
        {
            let victim = live.spec.id;
            if self.leaving.get(&victim).is_some_and(|until| pass.now < *until) {
                continue;
            }
            let grace = rights.grace(live.spec);
            self.leaving.insert(victim, pass.now + grace + rules.repeat_after);
            asked.push(Preemption { victim, by: job.spec.id, mode: rights.mode(live.spec), grace });
        }
        if !victims.is_empty() {
            self.asked.insert(job.spec.id, pass.now);
        }
        drop((places, candidates));
        pass.preemptions.extend(asked);
    }

    /// Who may have to go, in the order in which they do.
    fn candidates<'a>(
        &self,
        pass: &'a Pass<'_>,
        rights: Rights<'_>,
        job: &Pending,
        key: Key,
    ) -> Vec<Live<'a>> {
        let running = pass.cluster.running().map(|running| Live {
            spec: &running.spec,
            start: running.start,
            submitted: running.submitted,
            placement: &running.placement,
        });
        let started = pass.starts.iter().map(|(job, start)| Live {
            spec: &job.spec,
            start: pass.now,
            submitted: job.submitted,
            placement: &start.placement,
        });
        let by = Claim { spec: &job.spec, value: key.value() };
        let may_go = |live: &Live<'_>| {
            let value = self.values.get(&live.spec.id).copied().unwrap_or(u64::MAX);
            rights.has_right(by, Claim { spec: live.spec, value })
                && rights.is_exposed(live.spec, live.start, pass.now)
        };
        let mut candidates: Vec<Live<'a>> = running.chain(started).filter(may_go).collect();
        candidates.sort_by_key(|live| {
            (rights.order(live.spec, live.start, live.placement), live.spec.id, live.submitted)
        });
        candidates
    }
}

/// What the job may use of each node now; `None` where it may use nothing whoever goes.
fn usable(pass: &Pass<'_>, job: &Pending, cap: Option<&[Resources]>) -> Vec<Option<Resources>> {
    let open =
        |node: usize| cap.is_none_or(|cap| cap.get(node).is_some_and(|cap| *cap != Resources::default()));
    let usable = |(node, state): (NodeId, &crate::NodeState)| {
        (open(node.index()) && pass.room.is_open_to(job, node)).then_some(state.free)
    };
    (0..).map(NodeId).zip(pass.room.nodes()).map(usable).collect()
}
