//! What a rule chooses from: the nodes as they are now, or as they are going to be.

use switchyard_model::{Fleet, GpuSet, NodeId, Resources};

use super::candidate::Candidate;
use super::mix::Mix;
use crate::cluster::Pending;
use crate::free_tree::FreeTree;
use crate::request::parts_on;
use crate::room::Room;

/// What a job may use of a node, and which GPUs; `None` if it may not go there.
pub(crate) type Usable<'a> = dyn Fn(NodeId) -> Option<(Resources, GpuSet)> + 'a;

/// The nodes, and what a job may use of them.
#[derive(Clone, Copy)]
pub(super) struct Ground<'a> {
    pub(super) job: &'a Pending,
    pub(super) fleet: &'a Fleet,
    usable: &'a Usable<'a>,
    /// Finds nodes with enough free, where there is one.
    tree: Option<&'a FreeTree>,
    /// What the queue asks for, for the rule that looks at that.
    mix: Option<&'a Mix>,
    /// The most that may be taken of each node.
    cap: Option<&'a [Resources]>,
}

impl<'a> Ground<'a> {
    /// The nodes as a job may use them now.
    pub(super) fn now(
        job: &'a Pending,
        room: &'a Room,
        usable: &'a Usable<'a>,
        cap: Option<&'a [Resources]>,
    ) -> Option<Self> {
        Some(Ground { tree: Some(room.tree()), cap, ..Ground::then(job, room, usable)? })
    }

    /// The nodes as it may use them at some other time.
    pub(super) fn then(job: &'a Pending, room: &'a Room, usable: &'a Usable<'a>) -> Option<Self> {
        let fleet = room.fleet()?;
        Some(Ground { job, fleet, usable, tree: None, mix: room.mix(), cap: None })
    }

    /// Who could take at least one part, in node order.
    pub(super) fn candidates(&self) -> Vec<Candidate> {
        let mut candidates = Vec::new();
        let visit = |node| candidates.extend(self.candidate(node, GpuSet(u64::MAX)));
        match (&self.job.machines.only, self.tree) {
            (Some(only), _) => only.iter().for_each(visit),
            (None, Some(tree)) => tree.each(self.job.request.shape.parts().1, visit),
            (None, None) => self.fleet.nodes().iter().map(|node| node.id).for_each(visit),
        }
        candidates
    }

    /// The first in node order that together take the job, or all if they can't.
    pub(super) fn first_candidates(&self) -> Vec<Candidate> {
        let mut missing = self.job.request.parts();
        let mut candidates = Vec::new();
        let all = self.fleet.nodes().iter().map(|node| node.id);
        for node in all.filter(|&node| self.job.machines.contains(node)) {
            if missing == 0 {
                break;
            }
            if let Some(candidate) = self.candidate(node, GpuSet(u64::MAX)) {
                missing = missing.saturating_sub(candidate.parts);
                candidates.push(candidate);
            }
        }
        candidates
    }

    /// What a node could take with these GPUs of it, if it could take anything.
    pub(super) fn candidate(&self, node: NodeId, gpus: GpuSet) -> Option<Candidate> {
        let (mut free, free_gpus) = (self.usable)(node)?;
        let slots = free_gpus.intersection(gpus);
        free.gpus = slots.len();
        let mut most = free;
        if let Some(cap) = self.cap {
            most = free.min(&cap.get(node.index()).copied().unwrap_or_default());
        }
        let parts = parts_on(&self.job.request.shape, &most);
        (parts > 0).then_some(Candidate { node, parts, free, slots })
    }

    /// By how much the node's F grows from so many parts to so many.
    pub(super) fn growth(&self, candidate: &Candidate, from: u32, to: u32) -> i64 {
        let Some(mix) = self.mix else { return 0 };
        let Some((free, _)) = (self.usable)(candidate.node) else { return 0 };
        let (_, each) = self.job.request.shape.parts();
        let model = self.fleet.node(candidate.node).and_then(|node| node.gpu_model.as_ref());
        let after = |parts| mix.useless(&free.minus(&each.scaled(parts)), model);
        after(to) - after(from)
    }
}
