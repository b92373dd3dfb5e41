//! The plan of a cycle as the rules say it, without any cleverness: the yardstick for the fast one.

use std::sync::Arc;

use switchyard_model::{NodeId, Placement, Resources, Shape, SimDuration, SimTime};

use super::PlanOn;
use super::holdings::Holdings;
use super::timeline::{Slot, Timeline, stay};
use crate::cluster::{Kept, Pending};
use crate::pass::Pass;
use crate::request::parts_for;

/// Tries every time at which a node opens.
#[derive(Clone, Debug, Default)]
pub(super) struct Plain {
    holdings: Holdings,
    reserved: Vec<(NodeId, SimTime, SimTime)>,
    now: SimTime,
    kept: Arc<[Kept]>,
}

impl Plain {
    fn nodes(&self) -> impl Iterator<Item = NodeId> {
        (0..).map(NodeId).take(self.holdings.nodes())
    }

    /// What is free on a node at a time that isn't over, if nobody else comes.
    fn free_at(&self, node: NodeId, at: SimTime) -> Option<Resources> {
        let free = self.holdings.free(node)?;
        let back = self.holdings.returns().iter().filter(|back| back.node == node && back.at <= at);
        Some(back.fold(free, |free, back| free.plus(&back.amount)))
    }

    /// When a node first has room for a part of the job.
    fn opens(&self, job: &Pending, node: NodeId) -> Option<SimTime> {
        let times = self.holdings.returns().iter().filter(|back| back.node == node).map(|back| back.at);
        let mut times = std::iter::once(self.now).chain(times);
        times.find(|&at| self.room_at(job, node, at) > 0)
    }

    /// How many parts of the job fit on a node at a time.
    fn room_at(&self, job: &Pending, node: NodeId, at: SimTime) -> u32 {
        let free = self.free_at(node, at);
        free.map_or(0, |free| parts_for(job, &free, &self.holdings.capacity(node)))
    }

    /// How many parts of the job a node can take from `at` on.
    fn parts(&self, job: &Pending, node: NodeId, at: SimTime) -> u32 {
        let until = at + stay(job);
        let clear = |&(of, from, to): &(NodeId, SimTime, SimTime)| of != node || until <= from || at >= to;
        let shut = |(place, kept): (usize, &Kept)| {
            job.reservation() != Some(place) && kept.nodes.contains(node) && kept.shuts(at, until)
        };
        let closed = !self.reserved.iter().all(clear) || self.kept.iter().enumerate().any(shut);
        if closed || !job.machines.contains(node) { 0 } else { self.room_at(job, node, at) }
    }

    fn nodes_at(&self, job: &Pending, at: SimTime, on: PlanOn) -> Option<Vec<NodeId>> {
        let opens = |node: NodeId| self.opens(job, node).unwrap_or(SimTime::MAX);
        let mut by = SimTime::MAX;
        if let (PlanOn::FirstFree, Shape::Nodes { nodes, .. }) = (on, job.request.shape) {
            let usable = self.nodes().filter(|&node| self.parts(job, node, at) > 0);
            let mut all: Vec<SimTime> = usable.map(opens).collect();
            all.sort_unstable();
            by = *all.get(nodes.max(1) as usize - 1)?;
        }
        let mut left = job.request.parts();
        let mut chosen = Vec::new();
        for node in self.nodes().filter(|&node| opens(node) <= by) {
            let parts = self.parts(job, node, at);
            if left > 0 && parts > 0 {
                chosen.push(node);
                left = left.saturating_sub(parts);
            }
        }
        (left == 0).then_some(chosen)
    }
}

impl Timeline for Plain {
    fn begin(&mut self, pass: &Pass<'_>) {
        self.holdings.begin(pass);
        self.reserved.clear();
        self.now = pass.now;
        self.kept = Arc::clone(pass.cluster.kept());
    }

    fn earliest(&mut self, job: &Pending, from: SimTime, until: SimTime, on: PlanOn) -> Option<Slot> {
        let ends = self.holdings.returns().iter().map(|back| back.at);
        let ends = ends.chain(self.kept.iter().map(|kept| kept.end));
        let mut times: Vec<SimTime> = ends.chain(self.reserved.iter().map(|&(.., to)| to)).collect();
        times.push(from);
        times.retain(|at| (from..=until).contains(at));
        times.sort_unstable();
        let slot = |&at: &SimTime| Some(Slot { at, nodes: self.nodes_at(job, at, on)? });
        times.iter().find_map(slot)
    }

    fn is_open(&self, job: &Pending, node: NodeId) -> bool {
        self.parts(job, node, self.now) > 0
    }

    fn reserve(&mut self, nodes: &[NodeId], from: SimTime, to: SimTime) {
        self.reserved.extend(nodes.iter().map(|&node| (node, from, to)));
    }

    fn hold(&mut self, placement: &Placement, until: SimTime) {
        self.holdings.hold(placement, until);
    }

    fn tightened(&mut self) -> bool {
        true
    }

    fn longest(&self) -> SimDuration {
        SimDuration::MAX
    }

    fn could_start(&self, _job: &Pending) -> bool {
        true
    }
}
