//! The ends to come, as far as time limits tell.

use switchyard_model::{JobId, Placement, Resources, SimTime};

use crate::consumables::LicenceNeed;
use crate::{Cluster, Pending, Running};

/// A job that is going to end, as far as its time limit tells.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Release<'a> {
    /// When: start plus limit, or now if that has passed.
    pub(crate) at: SimTime,
    /// Who.
    pub(crate) job: JobId,
    /// What becomes free, where.
    pub(crate) placement: &'a Placement,
    /// The sum of what becomes free on nodes in service.
    pub(crate) total: Resources,
    /// The licences that become free.
    pub(crate) licences: &'a [LicenceNeed],
}

/// The ends to come, in order: those of the running jobs and of the jobs that this pass has started.
#[derive(Debug)]
pub(crate) struct Releases<'a> {
    cluster: &'a Cluster,
    started: Vec<Release<'a>>,
    now: SimTime,
}

impl<'a> Releases<'a> {
    /// `chosen` are the jobs that this pass starts, with their placements.
    pub(crate) fn new(
        cluster: &'a Cluster,
        chosen: impl Iterator<Item = (&'a Pending, &'a Placement)>,
        now: SimTime,
    ) -> Self {
        let release = |(job, placement): (&'a Pending, &'a Placement)| Release {
            at: now + job.spec.limit,
            job: job.spec.id,
            placement,
            total: if job.is_exclusive() { placement.total() } else { job.request.total },
            licences: job.licences(),
        };
        let mut started: Vec<_> = chosen.map(release).collect();
        started.sort_unstable_by_key(|release| (release.at, release.job));
        Releases { cluster, started, now }
    }

    /// All of them, earliest first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Release<'a>> + '_ {
        let mut running = self.cluster.running().map(|running| self.release(running)).peekable();
        let mut started = self.started.iter().copied().peekable();
        std::iter::from_fn(move || match (running.peek(), started.peek()) {
            (Some(a), Some(b)) if (b.at, b.job) < (a.at, a.job) => started.next(),
            (Some(_), _) => running.next(),
            (None, _) => started.next(),
        })
    }

    fn release(&self, running: &'a Running) -> Release<'a> {
        let placement = &running.placement;
        // Only when a node is out of service does it matter where the job runs.
        let total = match self.cluster.unavailable() {
            0 => running.held(),
            _ => self.in_service(placement),
        };
        Release {
            at: running.expected_end.max(self.now),
            job: running.spec.id,
            placement,
            total,
            licences: running.licences(),
        }
    }

    fn in_service(&self, placement: &Placement) -> Resources {
        let is_up = |node| self.cluster.node(node).is_some_and(|state| state.available);
        let up = placement.0.iter().filter(|share| is_up(share.node));
        up.fold(Resources::default(), |sum, share| sum.plus(&share.resources()))
    }
}
