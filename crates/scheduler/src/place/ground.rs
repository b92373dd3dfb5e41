//! What a rule chooses from: the nodes as they are now, or as they are going to be.

use switchyard_model::{Fleet, GpuSet, NodeId, Resources};

use super::candidate::Candidate;
use super::mix::Mix;
use crate::cluster::{NodeState, Pending};
use crate::free_tree::FreeTree;
use crate::request::parts_on;
use crate::room::{Room, usable_by};

/// GPUs of a node that are kept for another job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Held {
    pub(crate) node: NodeId,
    pub(crate) gpus: GpuSet,
}

/// The nodes, and what may be used of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ground<'a> {
    pub(super) fleet: &'a Fleet,
    pub(super) nodes: &'a [NodeState],
    /// Finds nodes with enough free, where there is one.
    pub(super) tree: Option<&'a FreeTree>,
    /// What the queue asks for, for the rule that looks at that.
    pub(super) mix: Option<&'a Mix>,
    /// The most that may be taken of each node.
    pub(super) cap: Option<&'a [Resources]>,
    pub(super) held: Option<Held>,
}

impl<'a> Ground<'a> {
    /// The nodes as they are.
    pub(crate) fn now(room: &'a Room) -> Option<Self> {
        let ground = Ground::then(room, room.nodes())?;
        Some(Ground { tree: Some(room.tree()), ..ground })
    }

    /// The nodes as they are going to be.
    pub(crate) fn then(room: &'a Room, nodes: &'a [NodeState]) -> Option<Self> {
        Some(Ground { fleet: room.fleet()?, nodes, tree: None, mix: room.mix(), cap: None, held: None })
    }

    /// Who could take at least one part, in node order.
    pub(super) fn candidates(&self, job: &Pending) -> Vec<Candidate> {
        let mut candidates = Vec::new();
        let mut visit = |index: usize| {
            let Ok(node) = u32::try_from(index).map(NodeId) else { return };
            if let Some(candidate) = self.candidate(job, node, GpuSet(u64::MAX)) {
                candidates.push(candidate);
            }
        };
        match self.tree {
            Some(tree) => tree.each(job.request.shape.parts().1, &mut visit),
            None => (0..self.nodes.len()).for_each(visit),
        }
        candidates
    }

    /// What a node could take with these GPUs of it, if it could take anything.
    pub(super) fn candidate(&self, job: &Pending, node: NodeId, gpus: GpuSet) -> Option<Candidate> {
        let state = self.nodes.get(node.index())?;
        let mut free = usable_by(job, node, state)?;
        let mut slots = state.free_gpus.intersection(gpus);
        if let Some(held) = self.held.filter(|held| held.node == node) {
            slots = slots.minus(held.gpus);
        }
        free.gpus = free.gpus.min(slots.len());
        let mut usable = free;
        if let Some(cap) = self.cap {
            usable = free.min(&cap.get(node.index()).copied().unwrap_or_default());
        }
        let parts = parts_on(&job.request.shape, &usable);
        (parts > 0).then_some(Candidate { node, parts, free, slots })
    }

    /// By how much the node's F grows from so many parts to so many.
    pub(super) fn growth(&self, candidate: &Candidate, each: &Resources, from: u32, to: u32) -> i64 {
        let Some(mix) = self.mix else { return 0 };
        let model = self.fleet.node(candidate.node).and_then(|node| node.gpu_model.as_ref());
        let Some(state) = self.nodes.get(candidate.node.index()) else { return 0 };
        let after = |parts| mix.useless(&state.free.minus(&each.scaled(parts)), model);
        after(to) - after(from)
    }
}
