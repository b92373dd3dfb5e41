//! Capacity over time on each node, for jobs that need certain pieces.

use switchyard_model::{NodeId, Resources, Shape, SimDuration, SimTime};

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

    pub(crate) const fn sums(&self) -> &Profile {
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

    /// One node.
    pub(crate) fn node(&self, node: NodeId) -> Option<&Profile> {
        self.nodes.get(node.index())
    }

    /// How many nodes there are.
    pub(crate) const fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The lowest-numbered nodes that are free over the whole slot, at the earliest moment at which there are enough.
    pub(crate) fn earliest(&self, wish: &Wish<'_>) -> Option<Slot> {
        let Wish { job, from, before } = *wish;
        let length = planned_length(job.spec.limit);
        let total = &job.request.total;
        let mut at = self.sums.earliest(total, length, from, before, SimTime::MAX)?;
        if job.request.parts() == 1 {
            return self.earliest_of_one(&Wish { job, from: at, before });
        }
        let mut search = Search::new(&self.nodes, job);
        loop {
            if let Some(on) = search.fit(at) {
                return Some(Slot { at, on });
            }
            let next = search.next_chance(at)?;
            at = self.sums.earliest(total, length, next, before, SimTime::MAX)?;
        }
    }

    /// The same for a job that needs one node: each node is asked whether it is free before the best so far.
    fn earliest_of_one(&self, wish: &Wish<'_>) -> Option<Slot> {
        let Wish { job, from, before } = *wish;
        let (length, need) = (planned_length(job.spec.limit), job.request.total);
        let mut best: Option<(SimTime, NodeId)> = None;
        for (node, profile) in (0..).map(NodeId).zip(&self.nodes) {
            let before = best.map_or(before, |(at, _)| at);
            if before <= from {
                break;
            }
            if job.machines.contains(node)
                && let Some(at) = profile.earliest(&need, length, from, before, SimTime::MAX)
            {
                best = Some((at, node));
            }
        }
        best.map(|(at, node)| Slot { at, on: vec![(node, need)] })
    }

    /// The slot at just this time, if there is room.
    pub(crate) fn slot_at(&self, job: &Pending, at: SimTime) -> Option<Slot> {
        Search::new(&self.nodes, job).fit(at).map(|on| Slot { at, on })
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

impl<'a> Search<'a> {
    fn new(nodes: &'a [Profile], job: &'a Pending) -> Self {
        Search { nodes, job, length: planned_length(job.spec.limit), ready: vec![SimTime::ZERO; nodes.len()] }
    }

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
        let enough = match self.job.request.shape {
            Shape::Nodes { nodes, .. } => self.when_ready(nodes),
            Shape::Tasks { tasks, .. } => self.when_ready_for(u64::from(tasks)),
        };
        if enough? > at {
            return enough;
        }
        // Those that can take some may soon take more.
        let more =
            self.nodes.iter().zip(&self.ready).filter_map(|(profile, ready)| {
                if *ready > at { Some(*ready) } else { profile.next_rise(at) }
            });
        more.min().filter(|next| *next < SimTime::MAX)
    }

    /// When so many nodes might have been ready at least once.
    fn when_ready(&self, nodes: u32) -> Option<SimTime> {
        let mut ready: Vec<SimTime> = self.ready.clone();
        let last = usize::try_from(nodes).ok()?.checked_sub(1).filter(|last| *last < ready.len())?;
        let (_, last, _) = ready.select_nth_unstable(last);
        Some(*last).filter(|last| *last < SimTime::MAX)
    }

    /// The same, with as many tasks on each node as it could ever take.
    fn when_ready_for(&self, tasks: u64) -> Option<SimTime> {
        let shape = &self.job.request.shape;
        let most = |profile: &Profile| u64::from(parts_on(shape, &profile.most()));
        let nodes = self.nodes.iter().zip(&self.ready).filter(|(_, ready)| **ready < SimTime::MAX);
        let mut nodes: Vec<(SimTime, u64)> = nodes.map(|(profile, ready)| (*ready, most(profile))).collect();
        nodes.sort_unstable();
        let mut sum = 0;
        let enough = nodes.iter().find(|(_, most)| {
            sum += most;
            sum >= tasks
        });
        enough.map(|(ready, _)| *ready)
    }
}
