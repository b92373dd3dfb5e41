//! Who has room now: the free capacity that a pass draws down as it chooses, and gets back when it is over.

use std::sync::Arc;

use switchyard_model::{Fleet, GpuSet, JobId, NodeId, Placement, Resources};

use crate::cluster::Pending;
use crate::free_tree::FreeTree;
use crate::place::{Mix, bound_to_domain, room_in_domain};
use crate::request::parts_on;
use crate::{Cluster, NodeState, PlacementRule};

/// Free capacity as the pass goes on. Kept from pass to pass, so that only what changed has to be looked at.
#[derive(Clone, Debug, Default)]
pub(crate) struct Room {
    nodes: Vec<NodeState>,
    free: Resources,
    tree: FreeTree,
    /// What the nodes were before this pass took from them, latest last.
    taken: Vec<(NodeId, NodeState)>,
    free_before: Resources,
    fleet: Option<Arc<Fleet>>,
    rule: PlacementRule,
    /// What the queue asks for, if the rule looks at that.
    mix: Option<Mix>,
}

impl Room {
    /// A room in which jobs are placed by this rule.
    pub(crate) fn ruled_by(rule: PlacementRule) -> Self {
        let mix = (rule == PlacementRule::LeastFragmentation).then(Mix::default);
        Room { rule, mix, ..Room::default() }
    }

    /// Starts over from what is free in `cluster`.
    pub(crate) fn rebuild(&mut self, cluster: &Cluster) {
        self.nodes.clear();
        self.nodes.extend_from_slice(cluster.nodes());
        self.tree.rebuild(self.nodes.iter().map(usable));
        self.taken.clear();
        self.fleet = Some(Arc::clone(cluster.fleet()));
        self.mix = self.mix.take().map(|_| Mix::default());
        self.begin(cluster);
    }

    /// These jobs came, went or changed.
    pub(crate) fn jobs_changed(&mut self, cluster: &Cluster, jobs: &[JobId]) {
        let Some(mix) = &mut self.mix else { return };
        for &job in jobs {
            let pending = cluster.pending_job(job).map(|pending| &*pending.spec);
            mix.set(job, pending.or_else(|| cluster.running_job(job).map(|running| &*running.spec)));
        }
        mix.refresh();
    }

    /// Reads anew what a node has.
    pub(crate) fn refresh(&mut self, cluster: &Cluster, node: NodeId) {
        let (Some(state), Some(now)) = (self.nodes.get_mut(node.index()), cluster.node(node)) else { return };
        if state != now {
            *state = *now;
            self.tree.set(node.index(), usable(now));
        }
    }

    /// All changed nodes have been read: a pass begins.
    pub(crate) fn begin(&mut self, cluster: &Cluster) {
        self.free = cluster.free();
        self.free_before = self.free;
    }

    /// What each node has left.
    pub(crate) fn nodes(&self) -> &[NodeState] {
        &self.nodes
    }

    /// What is left in sum, on the nodes in service.
    pub(crate) const fn free(&self) -> Resources {
        self.free
    }

    /// The rule by which jobs are placed.
    pub(crate) const fn rule(&self) -> PlacementRule {
        self.rule
    }

    /// The machines.
    pub(crate) fn fleet(&self) -> Option<&Fleet> {
        self.fleet.as_deref()
    }

    pub(crate) const fn tree(&self) -> &FreeTree {
        &self.tree
    }

    pub(crate) const fn mix(&self) -> Option<&Mix> {
        self.mix.as_ref()
    }

    /// What a job may use of a node now: nothing if that is out of service or not among its machines.
    pub(crate) fn free_for(&self, job: &Pending, node: NodeId) -> Resources {
        let state = self.nodes.get(node.index());
        state.and_then(|state| usable_by(job, node, state)).unwrap_or_default()
    }

    /// The first of a job's nodes from `from` on that is in service and has room for a part of it.
    pub(crate) fn next_for(&self, job: &Pending, mut from: NodeId) -> Option<NodeId> {
        let (_, need) = job.request.shape.parts();
        loop {
            // In leaps: from the next node that the job may use to the next that has room, until that is the same.
            if let Some(only) = &job.machines.only {
                from = only.next(from)?;
            }
            let found = self.tree.next(from.index(), need)?;
            let state = self.nodes.get(found)?;
            from = NodeId(u32::try_from(found).ok()?);
            if usable_by(job, from, state).is_some() {
                return Some(from);
            }
            // A job that needs nothing would fit even on nodes that are out of service.
            if !state.available {
                from = NodeId(from.0 + 1);
            }
        }
    }

    /// Gives `placement` away. It was chosen from this room, so that its nodes exist and are in service.
    pub(crate) fn take(&mut self, placement: &Placement) {
        for share in &placement.0 {
            let Some(state) = self.nodes.get_mut(share.node.index()) else { continue };
            self.taken.push((share.node, *state));
            state.free = state.free.minus(&share.resources());
            state.free_gpus = state.free_gpus.minus(share.gpus);
            self.free = self.free.minus(&share.resources());
            self.tree.set(share.node.index(), usable(state));
        }
    }

    /// The pass is over: all is as it was when it began.
    pub(crate) fn give_back(&mut self) {
        while let Some((node, before)) = self.taken.pop() {
            if let Some(state) = self.nodes.get_mut(node.index()) {
                *state = before;
                self.tree.set(node.index(), usable(&before));
            }
        }
        self.free = self.free_before;
    }
}

fn usable(state: &NodeState) -> Resources {
    if state.available { state.free } else { Resources::default() }
}

/// What a job may use of a node in this state; `None` if that is out of service or not among its machines.
pub(crate) fn usable_by(job: &Pending, node: NodeId, state: &NodeState) -> Option<Resources> {
    (state.available && job.machines.contains(node)).then_some(state.free)
}

/// How many parts of a job its nodes in service could hold if they were empty; of a job that must be in one NVSwitch domain,
/// the best of these.
pub(crate) fn parts_in_service(cluster: &Cluster, job: &Pending) -> u64 {
    if bound_to_domain(&job.spec) {
        let empty = |node: NodeId| {
            let free = cluster.fleet().node(node)?.capacity;
            let available = cluster.node(node)?.available;
            Some(NodeState { free, free_gpus: GpuSet::first(free.gpus), available })
        };
        let domains = cluster.fleet().domains();
        return domains.map(|domain| room_in_domain(job, &domain, empty)).max().unwrap_or(0);
    }
    let nodes = cluster.fleet().nodes().iter().zip(cluster.nodes());
    let in_service = nodes.filter(|(node, state)| state.available && job.machines.contains(node.id));
    in_service.map(|(node, _)| u64::from(parts_on(&job.request.shape, &node.capacity))).sum()
}
