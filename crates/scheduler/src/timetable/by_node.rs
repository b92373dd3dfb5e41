//! Capacity over time on each node, for jobs that need certain pieces.

use std::sync::Arc;

use switchyard_model::{DomainSpan, Fleet, NodeId, Resources, SimTime};

use super::search::Search;
use super::{Slot, Wish, planned_length};
use crate::cluster::Kept;
use crate::profile::Profile;
use crate::{Cluster, Pending};

/// A profile for each node.
#[derive(Clone, Debug)]
pub(crate) struct ByNode {
    /// Nodes out of service have nothing, and nothing is taken from them or given to them.
    nodes: Vec<Option<Profile>>,
    fleet: Arc<Fleet>,
    kept: Arc<[Kept]>,
}

impl ByNode {
    /// What is free now, for ever.
    pub(super) fn new(cluster: &Cluster, now: SimTime) -> ByNode {
        let states = cluster.nodes().iter();
        let nodes = states.map(|state| state.available.then(|| Profile::new(now, state.free))).collect();
        ByNode { nodes, fleet: Arc::clone(cluster.fleet()), kept: Arc::clone(cluster.kept()) }
    }

    pub(super) fn reserve(&mut self, from: SimTime, until: SimTime, on: &[(NodeId, Resources)]) {
        for (node, amount) in on {
            if let Some(Some(node)) = self.nodes.get_mut(node.index()) {
                node.reserve(from, until, amount);
            }
        }
    }

    pub(super) fn release(&mut self, from: SimTime, until: SimTime, on: &[(NodeId, Resources)]) {
        for (node, amount) in on {
            if let Some(Some(node)) = self.nodes.get_mut(node.index()) {
                node.release(from, until, amount);
            }
        }
    }

    pub(super) fn forget_before(&mut self, now: SimTime) {
        self.nodes.iter_mut().flatten().for_each(|node| node.forget_before(now));
    }

    /// The most that `job` may use of each node from `from` on without being in anybody's way; nothing where it would share,
    /// if it shares with nobody.
    pub(crate) fn cap(&self, job: &Pending, from: SimTime) -> Vec<Resources> {
        let until = from + planned_length(job.spec.limit);
        let least = |(node, profile): (NodeId, &Option<Profile>)| {
            let least = profile.as_ref()?.least(from, until);
            (!job.is_exclusive() || least.covers(&self.capacity(node))).then_some(least)
        };
        (0..).map(NodeId).zip(&self.nodes).map(|node| least(node).unwrap_or_default()).collect()
    }

    /// So much of each node, and no more.
    pub(crate) fn just(&self, on: &[(NodeId, Resources)]) -> Vec<Resources> {
        let mut cap = vec![Resources::default(); self.nodes.len()];
        for (node, amount) in on {
            if let Some(cap) = cap.get_mut(node.index()) {
                *cap = *amount;
            }
        }
        cap
    }

    /// One node, if it is in service.
    pub(crate) fn node(&self, node: NodeId) -> Option<&Profile> {
        self.nodes.get(node.index())?.as_ref()
    }

    /// How many nodes there are.
    pub(crate) const fn len(&self) -> usize {
        self.nodes.len()
    }

    /// What a node has when it is idle.
    pub(super) fn capacity(&self, node: NodeId) -> Resources {
        self.fleet.node(node).map(|node| node.capacity).unwrap_or_default()
    }

    /// Until when an advance reservation of others keeps the node from a job that would run from one moment to another.
    pub(super) fn kept_until(
        &self,
        job: &Pending,
        node: NodeId,
        from: SimTime,
        to: SimTime,
    ) -> Option<SimTime> {
        let shuts = |(place, kept): &(usize, &Kept)| {
            kept.nodes.contains(node) && kept.shuts(from, to) && job.reservation() != Some(*place)
        };
        (0..).zip(self.kept.iter()).filter(shuts).map(|(_, kept)| kept.end).max()
    }

    /// The lowest-numbered nodes that are free over the whole slot, at the earliest moment at which there are enough.
    pub(super) fn earliest(&self, sums: &Profile, wish: &Wish<'_>) -> Option<Slot> {
        let wish = self.within_its_reservation(wish)?;
        if !wish.job.wants_one_domain() {
            return self.earliest_in(None, sums, &wish);
        }
        let mut best: Option<Slot> = None;
        for domain in self.fleet.domains() {
            let before = best.as_ref().map_or(wish.before, |best| best.at);
            let slot = self.earliest_in(Some(domain), sums, &Wish { before, ..wish });
            best = slot.or(best);
        }
        best
    }

    fn earliest_in(&self, domain: Option<DomainSpan>, sums: &Profile, wish: &Wish<'_>) -> Option<Slot> {
        let Wish { job, from, before } = *wish;
        let length = planned_length(job.spec.limit);
        let total = &job.request.total;
        let mut at = sums.earliest(total, length, from, before, SimTime::MAX)?;
        let mut search = Search::new(self, job, domain);
        if job.request.parts() == 1 {
            return search.earliest_of_one(at, before);
        }
        loop {
            if let Some(on) = search.fit(at) {
                return Some(Slot { at, on });
            }
            let next = search.next_chance(at)?;
            at = sums.earliest(total, length, next, before, SimTime::MAX)?;
        }
    }

    /// Whoever runs in an advance reservation begins and ends in it.
    fn within_its_reservation<'a>(&self, wish: &Wish<'a>) -> Option<Wish<'a>> {
        let Some(own) = wish.job.reservation() else { return Some(*wish) };
        let own = self.kept.get(own)?;
        let last = own.end.as_micros().checked_sub(wish.job.spec.limit.as_micros())?;
        let before = SimTime::from_micros(last.saturating_add(1));
        Some(Wish { from: wish.from.max(own.start), before: wish.before.min(before), ..*wish })
    }
}
