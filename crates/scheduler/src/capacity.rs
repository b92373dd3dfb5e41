//! Who has room now: a scratch copy of the free capacity that a pass draws down as it chooses.

use switchyard_model::{JobId, Placement, Resources, SimTime};

use crate::request::parts_on;
use crate::{Cluster, NodeState, Pending, Request, Running};

/// Free capacity as the pass goes on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Room {
    nodes: Vec<NodeState>,
    free: Resources,
}

impl Room {
    /// Starts over from what is free in `cluster`.
    pub(crate) fn reset(&mut self, cluster: &Cluster) {
        self.nodes.clear();
        self.nodes.extend_from_slice(cluster.nodes());
        self.free = cluster.free();
    }

    /// What each node has left.
    pub(crate) fn nodes(&self) -> &[NodeState] {
        &self.nodes
    }

    /// What is left in sum, on the nodes in service.
    pub(crate) const fn free(&self) -> Resources {
        self.free
    }

    /// Whether no job that computes can fit any more.
    pub(crate) const fn is_exhausted(&self) -> bool {
        self.free.cpus == 0 && self.free.gpus == 0
    }

    /// Gives `placement` away. It was chosen from this room, so that its nodes exist and are in service.
    pub(crate) fn take(&mut self, placement: &Placement) {
        for share in &placement.0 {
            let Some(node) = self.nodes.get_mut(share.node.index()) else { continue };
            node.free = node.free.minus(&share.resources());
            node.free_gpus = node.free_gpus.minus(share.gpus);
            self.free = self.free.minus(&share.resources());
        }
    }
}

/// How many parts of a job the nodes in service could hold if they were empty.
pub(crate) fn parts_in_service(cluster: &Cluster, request: &Request) -> u64 {
    let nodes = cluster.fleet().nodes().iter().zip(cluster.nodes());
    let in_service = nodes.filter(|(_, state)| state.available);
    in_service.map(|(node, _)| u64::from(parts_on(&request.shape, &node.capacity))).sum()
}

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
        let release = |(job, placement): (&Pending, &'a Placement)| Release {
            at: now + job.spec.limit,
            job: job.spec.id,
            placement,
            total: job.request.total,
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
            0 => running.spec.shape.total(),
            _ => self.in_service(placement),
        };
        Release { at: running.expected_end.max(self.now), job: running.spec.id, placement, total }
    }

    fn in_service(&self, placement: &Placement) -> Resources {
        let is_up = |node| self.cluster.node(node).is_some_and(|state| state.available);
        let up = placement.0.iter().filter(|share| is_up(share.node));
        up.fold(Resources::default(), |sum, share| sum.plus(&share.resources()))
    }
}
