//! What each node has free now, and what comes back to it when, as far as time limits tell.

use switchyard_model::{NodeId, Placement, Resources, SimDuration, SimTime};

use crate::pass::Pass;

/// The shortest time there is: a job that should have ended already is expected to end that much later.
const MOMENT: SimDuration = SimDuration::from_micros(1);

/// A node gets something back.
#[derive(Clone, Copy, Debug)]
pub(super) struct Return {
    pub(super) at: SimTime,
    pub(super) amount: Resources,
}

/// All nodes as a cycle begins, and as jobs start in it.
#[derive(Clone, Debug, Default)]
pub(super) struct Holdings {
    /// What is free now; `None` for a node out of service.
    free: Vec<Option<Resources>>,
    /// What comes back to each node, earliest first: those of node n begin at `first[n]`.
    returns: Vec<Return>,
    first: Vec<usize>,
    scratch: Vec<(usize, Return)>,
    now: SimTime,
}

impl Holdings {
    pub(super) fn begin(&mut self, pass: &Pass<'_>) {
        self.now = pass.now;
        self.free.clear();
        self.free.extend(pass.room.nodes().iter().map(|state| state.available.then_some(state.free)));
        self.scratch.clear();
        for running in pass.cluster.running() {
            let asked_to_go = pass.preemptions.iter().find(|preemption| preemption.victim == running.spec.id);
            let leaves = asked_to_go.map_or(SimTime::MAX, |preemption| pass.now + preemption.grace);
            let end = running.expected_end.min(leaves).max(pass.now + MOMENT);
            note(&mut self.scratch, &running.placement, end);
        }
        for (job, start) in &pass.starts {
            note(&mut self.scratch, &start.placement, pass.now + job.spec.limit);
        }
        self.sort();
    }

    /// A job starts now.
    pub(super) fn hold(&mut self, placement: &Placement, until: SimTime) {
        for share in &placement.0 {
            if let Some(Some(free)) = self.free.get_mut(share.node.index()) {
                *free = free.minus(&share.resources());
            }
        }
        let nodes = (0..).zip(self.first.array_windows());
        let all = nodes.flat_map(|(node, [from, to])| {
            let returns = self.returns.get(*from..*to).unwrap_or_default();
            returns.iter().map(move |&back| (node, back))
        });
        self.scratch.clear();
        self.scratch.extend(all);
        note(&mut self.scratch, placement, until);
        self.sort();
    }

    /// What is free on a node now; `None` if it is out of service.
    pub(super) fn free(&self, node: NodeId) -> Option<Resources> {
        self.free.get(node.index()).copied().flatten()
    }

    /// Whether a node in service has a processor or a GPU free.
    pub(super) fn is_idle(&self, node: NodeId) -> bool {
        self.free(node).is_some_and(|free| free.cpus > 0 || free.gpus > 0)
    }

    /// What is free on a node at a time that isn't over, if nobody else comes.
    #[cfg(test)]
    pub(super) fn free_at(&self, node: NodeId, at: SimTime) -> Option<Resources> {
        let free = self.free(node)?;
        let back = self.returns(node).iter().take_while(|back| back.at <= at);
        Some(back.fold(free, |free, back| free.plus(&back.amount)))
    }

    /// What is free on a node, from now on and after each return; nothing if it is out of service.
    pub(super) fn free_over_time(&self, node: NodeId) -> impl Iterator<Item = (SimTime, Resources)> + '_ {
        let free = self.free(node);
        let later = free.into_iter().flat_map(move |mut free| {
            self.returns(node).iter().map(move |back| {
                free = free.plus(&back.amount);
                (back.at, free)
            })
        });
        free.map(|free| (self.now, free)).into_iter().chain(later)
    }

    /// When a node first has `need` free.
    #[cfg(test)]
    pub(super) fn opens(&self, node: NodeId, need: &Resources) -> Option<SimTime> {
        self.free_over_time(node).find(|(_, free)| free.covers(need)).map(|(at, _)| at)
    }

    pub(super) const fn nodes(&self) -> usize {
        self.free.len()
    }

    pub(super) fn returns(&self, node: NodeId) -> &[Return] {
        let range = || Some(*self.first.get(node.index())?..*self.first.get(node.index() + 1)?);
        range().and_then(|range| self.returns.get(range)).unwrap_or_default()
    }

    /// Puts what was noted in its place: counted by node, then each node's by time.
    fn sort(&mut self) {
        let nodes = self.free.len();
        self.first.clear();
        self.first.resize(nodes + 2, 0);
        for (node, _) in &self.scratch {
            if let Some(count) = self.first.get_mut(node + 2) {
                *count += 1;
            }
        }
        let mut sum = 0;
        for count in &mut self.first {
            sum += *count;
            *count = sum;
        }
        // From here on first[n + 1] is where the next of node n goes; at the end that is where those of node n + 1 begin.
        self.returns.clear();
        self.returns.resize(self.scratch.len(), Return { at: SimTime::ZERO, amount: Resources::default() });
        for &(node, back) in &self.scratch {
            if let Some(next) = self.first.get_mut(node + 1)
                && let Some(place) = self.returns.get_mut(*next)
            {
                *place = back;
                *next += 1;
            }
        }
        self.first.truncate(nodes + 1);
        for window in self.first.array_windows() {
            let [from, to] = *window;
            if let Some(of_node) = self.returns.get_mut(from..to) {
                of_node.sort_unstable_by_key(|back| back.at);
            }
        }
    }
}

fn note(returns: &mut Vec<(usize, Return)>, placement: &Placement, at: SimTime) {
    let back =
        |share: &switchyard_model::NodeShare| (share.node.index(), Return { at, amount: share.resources() });
    returns.extend(placement.0.iter().map(back));
}
