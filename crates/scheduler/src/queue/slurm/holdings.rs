//! What each node has free now, and what comes back to it when, as far as time limits tell.

use switchyard_model::{NodeId, NodeShare, Placement, Resources, SimDuration, SimTime};

use crate::cluster::Pending;
use crate::pass::Pass;

/// The shortest time there is: a job that should have ended already is expected to end that much later.
const MOMENT: SimDuration = SimDuration::from_micros(1);

/// A node gets something back.
#[derive(Clone, Copy, Debug)]
pub(super) struct Return {
    pub(super) at: SimTime,
    pub(super) node: NodeId,
    pub(super) amount: Resources,
}

/// All nodes as a cycle begins, and as jobs start in it.
#[derive(Clone, Debug, Default)]
pub(super) struct Holdings {
    /// What is free now; `None` for a node out of service.
    free: Vec<Option<Resources>>,
    /// What comes back, earliest first, then by node.
    returns: Vec<Return>,
    now: SimTime,
    /// What each node has when it is idle.
    capacity: Vec<Resources>,
}

impl Holdings {
    pub(super) fn begin(&mut self, pass: &Pass<'_>) {
        self.now = pass.now;
        self.free.clear();
        self.free.extend(pass.room.nodes().iter().map(|state| state.available.then_some(state.free)));
        self.capacity.clear();
        self.capacity.extend(pass.cluster.fleet().nodes().iter().map(|node| node.capacity));
        self.returns.clear();
        for running in pass.cluster.running() {
            let asked_to_go = pass.preemptions.iter().find(|preemption| preemption.victim == running.spec.id);
            let leaves = asked_to_go.map_or(SimTime::MAX, |preemption| pass.now + preemption.grace);
            let end = running.expected_end.min(leaves).max(pass.now + MOMENT);
            self.note(&running.placement, end);
        }
        for (job, start) in &pass.starts {
            self.note(&start.placement, pass.now + job.spec.limit);
        }
        self.returns.sort_unstable_by_key(|back| (back.at, back.node));
    }

    /// A job starts now.
    pub(super) fn hold(&mut self, placement: &Placement, until: SimTime) {
        for share in &placement.0 {
            if let Some(Some(free)) = self.free.get_mut(share.node.index()) {
                *free = free.minus(&share.resources());
            }
        }
        self.note(placement, until);
        // All but the last few are in order, and this sort makes use of that.
        self.returns.sort_by_key(|back| (back.at, back.node));
    }

    fn note(&mut self, placement: &Placement, at: SimTime) {
        let back = |share: &NodeShare| Return { at, node: share.node, amount: share.resources() };
        self.returns.extend(placement.0.iter().map(back));
    }

    /// What is free on a node now; `None` if it is out of service.
    pub(super) fn free(&self, node: NodeId) -> Option<Resources> {
        self.free.get(node.index()).copied().flatten()
    }

    /// What a node has when it is idle.
    pub(super) fn capacity(&self, node: NodeId) -> Resources {
        self.capacity.get(node.index()).copied().unwrap_or_default()
    }

    /// Whether a node could take a part of the job, which needs that much, now.
    pub(super) fn fits(&self, job: &Pending, node: NodeId, need: &Resources) -> bool {
        self.free(node).is_some_and(|free| {
            free.covers(need)
                && job.machines.contains(node)
                && (!job.is_exclusive() || free == self.capacity(node))
        })
    }

    /// Whether a node in service has a processor or a GPU free.
    pub(super) fn is_idle(&self, node: NodeId) -> bool {
        self.free(node).is_some_and(|free| free.cpus > 0 || free.gpus > 0)
    }

    pub(super) const fn nodes(&self) -> usize {
        self.free.len()
    }

    /// What comes back, earliest first, then by node.
    pub(super) fn returns(&self) -> &[Return] {
        &self.returns
    }

    /// The moment at which it begins.
    pub(super) const fn now(&self) -> SimTime {
        self.now
    }
}
