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
    pub(super) fn free_at(&self, node: NodeId, at: SimTime) -> Option<Resources> {
        let free = self.free(node)?;
        let back = self.returns(node).iter().take_while(|back| back.at <= at);
        Some(back.fold(free, |free, back| free.plus(&back.amount)))
    }

    /// When a node first has `need` free.
    pub(super) fn opens(&self, node: NodeId, need: &Resources) -> Option<SimTime> {
        let mut free = self.free(node)?;
        if free.covers(need) {
            return Some(self.now);
        }
        self.returns(node).iter().find_map(|back| {
            free = free.plus(&back.amount);
            free.covers(need).then_some(back.at)
        })
    }

    pub(super) const fn nodes(&self) -> usize {
        self.free.len()
    }

    pub(super) fn returns(&self, node: NodeId) -> &[Return] {
        let range = || Some(*self.first.get(node.index())?..*self.first.get(node.index() + 1)?);
        range().and_then(|range| self.returns.get(range)).unwrap_or_default()
    }

    fn sort(&mut self) {
        self.scratch.sort_by_key(|(node, back)| (*node, back.at));
        self.returns.clear();
        self.first.clear();
        let mut all = self.scratch.iter().peekable();
        for node in 0..self.free.len() {
            self.first.push(self.returns.len());
            while let Some((_, back)) = all.next_if(|(of, _)| *of == node) {
                self.returns.push(*back);
            }
        }
        self.first.push(self.returns.len());
    }
}

fn note(returns: &mut Vec<(usize, Return)>, placement: &Placement, at: SimTime) {
    let back =
        |share: &switchyard_model::NodeShare| (share.node.index(), Return { at, amount: share.resources() });
    returns.extend(placement.0.iter().map(back));
}
