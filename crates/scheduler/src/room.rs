//! Who has room now: the free capacity that a pass draws down as it chooses, and gets back when it is over.

use switchyard_model::{NodeId, Placement, Resources};

use crate::cluster::Pending;
use crate::free_tree::FreeTree;
use crate::request::parts_on;
use crate::{Cluster, NodeState};

/// Free capacity as the pass goes on. Kept from pass to pass, so that only what changed has to be looked at.
#[derive(Clone, Debug, Default)]
pub(crate) struct Room {
    nodes: Vec<NodeState>,
    free: Resources,
    tree: FreeTree,
    /// What the nodes were before this pass took from them, latest last.
    taken: Vec<(NodeId, NodeState)>,
    free_before: Resources,
}

impl Room {
    /// Starts over from what is free in `cluster`.
    pub(crate) fn rebuild(&mut self, cluster: &Cluster) {
        self.nodes.clear();
        self.nodes.extend_from_slice(cluster.nodes());
        self.tree.rebuild(self.nodes.iter().map(usable));
        self.taken.clear();
        self.begin(cluster);
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

    /// What a job may use of a node now: nothing if that is out of service or not among its machines.
    pub(crate) fn free_for(&self, job: &Pending, node: NodeId) -> Resources {
        match self.nodes.get(node.index()) {
            Some(state) if state.available && job.machines.contains(node) => state.free,
            _ => Resources::default(),
        }
    }

    /// The first node from `from` on that is in service and has `need` free.
    pub(crate) fn next_with(&self, need: &Resources, from: NodeId) -> Option<NodeId> {
        let found = self.tree.next(from.index(), need).filter(|&index| index < self.nodes.len())?;
        // A job that needs nothing fits even where nothing is to be had.
        let node = NodeId(u32::try_from(found).ok()?);
        match self.nodes.get(found) {
            Some(state) if state.available => Some(node),
            _ => self.next_with(need, NodeId(node.0 + 1)),
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

/// How many parts of a job its nodes in service could hold if they were empty.
pub(crate) fn parts_in_service(cluster: &Cluster, job: &Pending) -> u64 {
    let nodes = cluster.fleet().nodes().iter().zip(cluster.nodes());
    let in_service = nodes.filter(|(node, state)| state.available && job.machines.contains(node.id));
    in_service.map(|(node, _)| u64::from(parts_on(&job.request.shape, &node.capacity))).sum()
}
