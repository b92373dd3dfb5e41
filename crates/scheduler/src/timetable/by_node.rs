//! Capacity over time on each node, for jobs that need certain pieces.

use switchyard_model::{NodeId, Resources, SimDuration, SimTime};

use super::{Slot, Wish, in_service, planned_end, planned_length};
use crate::profile::Profile;
use crate::request::parts_on;
use crate::{Cluster, Pending};

/// A profile for each node, and their sum.
#[derive(Clone, Debug, Default)]
pub(crate) struct ByNode {
    /// Nodes out of service have nothing.
    nodes: Vec<Profile>,
    sums: Profile,
}

impl ByNode {
    pub(super) fn of_running(cluster: &Cluster, now: SimTime) -> ByNode {
        let free = |state: &crate::NodeState| if state.available { state.free } else { Resources::default() };
        let nodes = cluster.nodes().iter().map(|state| Profile::new(now, free(state))).collect();
        let mut table = ByNode { nodes, sums: Profile::new(now, cluster.free()) };
        for job in cluster.running() {
            let until = planned_end(job.expected_end, now);
            table.sums.release(until, SimTime::MAX, &in_service(cluster, job));
            for share in &job.placement.0 {
                let available = cluster.node(share.node).is_some_and(|state| state.available);
                if let (true, Some(node)) = (available, table.nodes.get_mut(share.node.index())) {
                    node.release(until, SimTime::MAX, &share.resources());
                }
            }
        }
        table
    }

    pub(super) const fn sums(&self) -> &Profile {
        &self.sums
    }

    pub(crate) fn reserve(&mut self, from: SimTime, until: SimTime, on: &[(NodeId, Resources)]) {
        for (node, amount) in on {
            if let Some(node) = self.nodes.get_mut(node.index()) {
                node.reserve(from, until, amount);
            }
        }
        self.sums.reserve(from, until, &sum(on));
    }

    pub(crate) fn release(&mut self, from: SimTime, until: SimTime, on: &[(NodeId, Resources)]) {
        for (node, amount) in on {
            if let Some(node) = self.nodes.get_mut(node.index()) {
                node.release(from, until, amount);
            }
        }
        self.sums.release(from, until, &sum(on));
    }

    pub(super) fn forget_before(&mut self, now: SimTime) {
        self.sums.forget_before(now);
        self.nodes.iter_mut().for_each(|node| node.forget_before(now));
    }

    /// What each node has free all the time in [from, until).
    pub(crate) fn least(&self, from: SimTime, until: SimTime) -> Vec<Resources> {
        self.nodes.iter().map(|node| node.least(from, until)).collect()
    }

    /// The lowest-numbered nodes that are free over the whole slot, at the earliest moment at which there are enough.
    pub(crate) fn earliest(&self, wish: &Wish<'_>) -> Option<Slot> {
        let Wish { job, from, before } = *wish;
        let length = planned_length(job.spec.limit);
        let total = &job.request.total;
        let mut search = Search { nodes: &self.nodes, job, length, ready: vec![SimTime::ZERO; self.nodes.len()] };
        let mut at = from;
        loop {
            at = self.sums.earliest(total, length, at, before, SimTime::MAX)?;
            if let Some(on) = search.fit(at) {
                return Some(Slot { at, on });
            }
            at = search.next_chance(at)?;
        }
    }
}

fn sum(on: &[(NodeId, Resources)]) -> Resources {
    on.iter().fold(Resources::default(), |sum, (_, amount)| sum.plus(amount))
}

/// A search for the earliest slot. It leaps from one moment at which enough nodes might be free to the next.
struct Search<'a> {
    nodes: &'a [Profile],
    job: &'a Pending,
    length: SimDuration,
    /// For each node a moment before which it can't take even one part of the job.
    ready: Vec<SimTime>,
}

impl Search<'_> {
    /// The lowest-numbered nodes that can hold the job from `at` on, if there are enough.
    fn fit(&mut self, at: SimTime) -> Option<Vec<(NodeId, Resources)>> {
        let shape = &self.job.request.shape;
        let (mut left, each) = shape.parts();
        let mut chosen = Vec::new();
        let nodes = (0..).map(NodeId).zip(self.nodes).zip(&mut self.ready);
        for ((node, profile), ready) in nodes {
            if left == 0 {
                break;
            }
            if *ready < at {
                *ready = match self.job.machines.contains(node) {
                    true => profile.earliest(each, self.length, at, SimTime::MAX, SimTime::MAX),
                    false => None,
                }
                .unwrap_or(SimTime::MAX);
            }
            if *ready == at {
                let here = parts_on(shape, &profile.least(at, at + self.length)).min(left);
                if here > 0 {
                    chosen.push((node, each.scaled(here)));
                    left -= here;
                }
            }
        }
        (left == 0).then_some(chosen)
    }

    /// A moment after `at` before which it certainly doesn't fit; `fit` has just said that it doesn't at `at`.
    fn next_chance(&self, at: SimTime) -> Option<SimTime> {
        let shape = &self.job.request.shape;
        let parts = u64::from(shape.parts().0);
        // As many parts as the node could ever take, from when on it can take one.
        let most = |profile: &Profile| u64::from(parts_on(shape, &profile.most()));
        let nodes = self.nodes.iter().zip(&self.ready).filter(|(_, ready)| **ready < SimTime::MAX);
        let mut nodes: Vec<(SimTime, u64)> = nodes.map(|(profile, ready)| (*ready, most(profile))).collect();
        nodes.sort_unstable();
        let mut sum = 0;
        let enough = nodes.iter().find(|(_, most)| {
            sum += most;
            sum >= parts
        });
        let enough = enough.map(|(ready, _)| *ready)?;
        if enough > at {
            return Some(enough);
        }
        // Those that can take some may soon take more.
        let more = self.nodes.iter().zip(&self.ready).filter_map(|(profile, ready)| {
            if *ready > at { Some(*ready) } else { profile.next_rise(at) }
        });
        more.min().filter(|next| *next < SimTime::MAX)
    }
}
