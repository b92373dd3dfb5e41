//! The search for the nodes of one job: from one moment at which there might be enough to the next.

use std::cmp::Reverse;

use switchyard_model::{DomainSpan, GpuSet, NodeId, Resources, Shape, SimDuration, SimTime};

use super::{ByNode, Slot, planned_length};
use crate::Pending;
use crate::profile::Profile;
use crate::request::parts_on;

/// A search for the earliest slot of a job.
pub(super) struct Search<'a> {
    table: &'a ByNode,
    job: &'a Pending,
    /// All its GPUs have to be in this domain.
    domain: Option<DomainSpan>,
    length: SimDuration,
    /// For each node a moment before which it can't take even one part of the job.
    ready: Vec<SimTime>,
}

impl<'a> Search<'a> {
    pub(super) fn new(table: &'a ByNode, job: &'a Pending, domain: Option<DomainSpan>) -> Self {
        let ready = if job.request.parts() == 1 { Vec::new() } else { vec![SimTime::ZERO; table.len()] };
        Search { table, job, domain, length: planned_length(job.spec.limit), ready }
    }

    /// The nodes that the job may use.
    fn nodes(&self) -> impl Iterator<Item = (NodeId, &'a Profile)> + use<'a> {
        let (table, job) = (self.table, self.job);
        let all = 0..u32::try_from(table.len()).unwrap_or(u32::MAX);
        let range = self.domain.as_ref().map_or(all, |domain| domain.nodes.clone());
        let may = move |node: &NodeId| job.machines.contains(*node);
        range.map(NodeId).filter(may).filter_map(|node| Some((node, table.node(node)?)))
    }

    /// What a job of one part gets: each node is asked whether it is free before the best so far.
    pub(super) fn earliest_of_one(&self, from: SimTime, before: SimTime) -> Option<Slot> {
        let mut best: Option<(SimTime, NodeId)> = None;
        for (node, profile) in self.nodes() {
            let before = best.map_or(before, |(at, _)| at);
            if before <= from {
                break;
            }
            if let Some(at) = self.ready_at(node, profile, from, before) {
                best = Some((at, node));
            }
        }
        best.map(|(at, node)| Slot { at, on: vec![(node, self.given(node, 1))] })
    }

    /// The lowest-numbered nodes that can hold the job from `at` on, if there are enough.
    pub(super) fn fit(&mut self, at: SimTime) -> Option<Vec<(NodeId, Resources)>> {
        let mut left = self.job.request.parts();
        let mut chosen = Vec::new();
        for (node, profile) in self.nodes() {
            if left == 0 {
                break;
            }
            let here = self.parts_at(node, profile, at).min(left);
            if here > 0 {
                chosen.push((node, self.given(node, here)));
                left -= here;
            }
        }
        let most = self.job.rules.as_ref().and_then(|rules| rules.max_nodes);
        match most.and_then(|most| usize::try_from(most).ok()) {
            Some(most) if left == 0 && chosen.len() > most => self.fit_densely(at, most),
            _ => (left == 0).then_some(chosen),
        }
    }

    /// The same on as few nodes as can be.
    fn fit_densely(&mut self, at: SimTime, most: usize) -> Option<Vec<(NodeId, Resources)>> {
        let nodes = self.nodes();
        let mut parts: Vec<_> =
            nodes.map(|(node, profile)| (Reverse(self.parts_at(node, profile, at)), node)).collect();
        parts.sort_unstable();
        let mut left = self.job.request.parts();
        let mut chosen = Vec::new();
        for (Reverse(parts), node) in parts.into_iter().take(most) {
            let here = parts.min(left);
            left -= here;
            if here > 0 {
                chosen.push((node, self.given(node, here)));
            }
        }
        chosen.sort_unstable_by_key(|(node, _)| *node);
        (left == 0).then_some(chosen)
    }

    /// How many parts the node can hold from `at` on.
    fn parts_at(&mut self, node: NodeId, profile: &Profile, at: SimTime) -> u32 {
        let known = self.ready_of(node);
        // A search may begin at the very beginning, when everything is yet unknown.
        let ready = match known < at || known == SimTime::ZERO {
            true => self.ready_at(node, profile, at, SimTime::MAX).unwrap_or(SimTime::MAX),
            false => known,
        };
        if let Some(known) = self.ready.get_mut(node.index()) {
            *known = ready;
        }
        match ready == at {
            true => self.parts_in(node, &profile.least(at, at + self.length)),
            false => 0,
        }
    }

    /// When the node can first take a part of the job.
    fn ready_at(
        &self,
        node: NodeId,
        profile: &Profile,
        mut from: SimTime,
        before: SimTime,
    ) -> Option<SimTime> {
        let need = self.given(node, 1);
        loop {
            let at = profile.earliest(&need, self.length, from, before, SimTime::MAX)?;
            match self.table.kept_until(self.job, node, at, at + self.length) {
                Some(end) => from = end,
                None => return Some(at),
            }
        }
    }

    /// How many parts fit into what is free on the node.
    fn parts_in(&self, node: NodeId, free: &Resources) -> u32 {
        let here = match self.divides(node) {
            Some(gpus) => Resources { gpus: gpus.len(), ..*free },
            None => *free,
        };
        match free.covers(&self.given(node, 1)) {
            true => parts_on(&self.job.request.shape, &here),
            false => 0,
        }
    }

    /// What so many parts take of the node: all of it, if the job shares with nobody. Where a domain is a part of a node, all
    /// GPUs, since it is not known which will be free.
    fn given(&self, node: NodeId, parts: u32) -> Resources {
        let each = self.job.request.shape.parts().1;
        if self.job.is_exclusive() {
            return self.table.capacity(node);
        }
        match self.divides(node) {
            Some(_) => Resources { gpus: self.table.capacity(node).gpus, ..each.scaled(parts) },
            None => each.scaled(parts),
        }
    }

    /// The GPUs of the node that belong to the domain, if those are not all.
    fn divides(&self, node: NodeId) -> Option<GpuSet> {
        let domain = self.domain.as_ref()?;
        let all = self.table.capacity(node).gpus;
        (domain.gpus.intersection(GpuSet::first(all)).len() < all).then_some(domain.gpus)
    }

    /// A moment after `at` before which it certainly doesn't fit; `fit` has just said that it doesn't at `at`.
    pub(super) fn next_chance(&self, at: SimTime) -> Option<SimTime> {
        let enough = match self.job.request.shape {
            Shape::Nodes { nodes, .. } => self.when_ready(nodes),
            Shape::Tasks { tasks, .. } => self.when_ready_for(u64::from(tasks)),
        };
        if enough? > at {
            return enough;
        }
        // Those that can take some may soon take more.
        let more = self.nodes().filter_map(|(node, profile)| {
            let ready = self.ready_of(node);
            if ready > at { Some(ready) } else { profile.next_rise(at) }
        });
        more.min().filter(|next| *next < SimTime::MAX)
    }

    fn ready_of(&self, node: NodeId) -> SimTime {
        self.ready.get(node.index()).copied().unwrap_or(SimTime::MAX)
    }

    /// When so many nodes might have been ready at least once.
    fn when_ready(&self, nodes: u32) -> Option<SimTime> {
        let mut ready: Vec<SimTime> = self.nodes().map(|(node, _)| self.ready_of(node)).collect();
        let last = usize::try_from(nodes).ok()?.checked_sub(1).filter(|last| *last < ready.len())?;
        let (_, last, _) = ready.select_nth_unstable(last);
        Some(*last).filter(|last| *last < SimTime::MAX)
    }

    /// The same, with as many tasks on each node as it could ever take.
    fn when_ready_for(&self, tasks: u64) -> Option<SimTime> {
        let shape = &self.job.request.shape;
        let most = |profile: &Profile| u64::from(parts_on(shape, &profile.most()));
        let nodes = self.nodes().map(|(node, profile)| (self.ready_of(node), most(profile)));
        let mut nodes: Vec<(SimTime, u64)> = nodes.filter(|(ready, _)| *ready < SimTime::MAX).collect();
        nodes.sort_unstable();
        let mut sum = 0;
        let enough = nodes.iter().find(|(_, most)| {
            sum += most;
            sum >= tasks
        });
        enough.map(|(ready, _)| *ready)
    }
}
