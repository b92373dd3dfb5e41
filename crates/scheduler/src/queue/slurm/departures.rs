//! When and where a job could start, as running jobs end at their limits: the answer of Slurm's `select/cons_tres`.
//!
//! The rule is that of `_will_run_test` in `src/plugins/select/cons_tres/job_test.c` (Slurm 22.05). It knows nothing of the plans for
//! other waiting jobs; it is asked about the nodes that these leave.

use std::collections::BTreeMap;

use switchyard_model::{NodeId, Placement, Resources, Shape, SimDuration, SimTime};

use super::bits;
use super::completing::Held;
use crate::cluster::Pending;
use crate::pass::Pass;
use crate::place::{Offer, choose_consecutive};
use crate::request::parts_for;

/// Ends that are close together are taken as one. The first window reaches to the end of the grain of time in which the first end
/// lies, and this much further; each time that the job doesn't fit the reach is doubled.
const WINDOW: SimDuration = SimDuration::from_secs(30);

/// So many jobs are removed at most without a look at whether it fits; then the next ones are, without one.
const BUNCH: usize = 200;

/// A job that should have ended already is expected to end that much later.
const OVERDUE: SimDuration = SimDuration::from_secs(1);

/// What a job asks for, and whether it shares its nodes with nobody.
type Asked = (Shape, bool);

/// When and on which nodes a job starts, if ever.
type Answer = Option<(SimTime, Vec<NodeId>)>;

/// A running job gives back what it holds.
#[derive(Clone, Debug)]
struct Departure {
    at: SimTime,
    nodes: Vec<(NodeId, Resources)>,
}

/// The nodes as they are now, and who leaves them when.
#[derive(Clone, Debug, Default)]
pub(super) struct Departures {
    now: SimTime,
    /// What is free now; `None` for a node out of service.
    free: Vec<Option<Resources>>,
    /// What each has when it is idle.
    capacity: Vec<Resources>,
    /// Those who have ended, which isn't known yet.
    unknown: Vec<Departure>,
    /// In the order of time.
    jobs: Vec<Departure>,
    /// What was asked since something last started, and the answers.
    asked: BTreeMap<Vec<u64>, Vec<(Asked, Answer)>>,
    /// What is free at the time that is looked at.
    then: Vec<Option<Resources>>,
}

impl Departures {
    /// For the next cycle these still run.
    pub(super) fn expect(&mut self, held: &[Held]) {
        self.unknown = held.iter().map(|held| departure(&held.placement, held.limit)).collect();
    }

    pub(super) fn begin(&mut self, pass: &Pass<'_>) {
        self.now = pass.now;
        self.free.clear();
        self.free.extend(pass.room.nodes().iter().map(|state| state.available.then_some(state.free)));
        self.capacity.clear();
        self.capacity.extend(pass.cluster.fleet().nodes().iter().map(|node| node.capacity));
        self.asked.clear();
        self.jobs.clear();
        self.jobs.append(&mut self.unknown);
        for running in pass.cluster.running() {
            let asked_to_go = pass.preemptions.iter().find(|preemption| preemption.victim == running.spec.id);
            let leaves = asked_to_go.map_or(SimTime::MAX, |preemption| pass.now + preemption.grace);
            self.jobs.push(departure(&running.placement, running.expected_end.min(leaves)));
        }
        for (job, start) in &pass.starts {
            self.jobs.push(departure(&start.placement, pass.now + job.spec.limit));
        }
        self.jobs.sort_by_key(|job| job.at);
    }

    /// A job starts now.
    pub(super) fn hold(&mut self, placement: &Placement, until: SimTime) {
        self.asked.clear();
        for share in &placement.0 {
            if let Some(Some(free)) = self.free.get_mut(share.node.index()) {
                *free = free.minus(&share.resources());
            }
        }
        let place = self.jobs.partition_point(|job| job.at <= until);
        self.jobs.insert(place, departure(placement, until));
    }

    /// What is free on a node now; `None` if it is out of service.
    pub(super) fn free(&self, node: NodeId) -> Option<Resources> {
        self.free.get(node.index()).copied().flatten()
    }

    /// How many parts of the job a node could take now.
    pub(super) fn parts(&self, job: &Pending, node: NodeId) -> u32 {
        let free =
            self.free(node).filter(|_| job.machines.contains(node)).zip(self.capacity.get(node.index()));
        free.map_or(0, |(free, capacity)| parts_for(job, &free, capacity))
    }

    pub(super) const fn nodes(&self) -> usize {
        self.free.len()
    }

    /// The first end that is still to come, and whether somebody should have ended already.
    pub(super) fn next_end(&self) -> (Option<SimTime>, bool) {
        let over = self.jobs.partition_point(|job| job.at <= self.now);
        (self.jobs.get(over).map(|job| job.at), over > 0)
    }

    /// When and on which nodes the job could start, if it had these to itself but for those who run.
    ///
    /// It is tried now, and then after each bunch of ends. Its start is the last end of the bunch, even if it would fit earlier.
    pub(super) fn start(&mut self, job: &Pending, among: &[u64]) -> Answer {
        let asked = (job.request.shape, job.is_exclusive());
        let known = self.asked.get(among).and_then(|known| known.iter().find(|(of, _)| *of == asked));
        if let Some((_, answer)) = known {
            return answer.clone();
        }
        let answer = self.find(job, among);
        self.asked.entry(among.to_vec()).or_default().push((asked, answer.clone()));
        answer
    }

    fn find(&mut self, job: &Pending, among: &[u64]) -> Answer {
        if let Some(nodes) = fit(job, among, &self.free, &self.capacity) {
            return Some((self.now, nodes));
        }
        self.then.clone_from(&self.free);
        let mut reach = WINDOW;
        let mut base = None;
        let mut coming = self.jobs.iter().peekable();
        loop {
            let mut last = None;
            let mut bunch = 0;
            while let Some(leaves) = coming.next() {
                if !leaves.nodes.iter().any(|(node, _)| bits::contains(among, node.index())) {
                    continue;
                }
                let base = *base.get_or_insert_with(|| grain_end(leaves.at));
                give_back(&mut self.then, leaves);
                last = Some(leaves.at);
                if coming.peek().is_none_or(|next| next.at > base + reach) {
                    break;
                }
                bunch += 1;
                if bunch > BUNCH {
                    break;
                }
            }
            let last = last?;
            if bunch > BUNCH {
                continue;
            }
            reach = reach.saturating_mul(2);
            while let (Some(next), Some(base)) = (coming.peek(), base)
                && next.at > base + reach
            {
                reach = reach.saturating_mul(2);
            }
            if let Some(nodes) = fit(job, among, &self.then, &self.capacity) {
                return Some((if last <= self.now { self.now + OVERDUE } else { last }, nodes));
            }
        }
    }
}

fn departure(placement: &Placement, at: SimTime) -> Departure {
    Departure { at, nodes: placement.0.iter().map(|share| (share.node, share.resources())).collect() }
}

fn give_back(free: &mut [Option<Resources>], leaves: &Departure) {
    for (node, amount) in &leaves.nodes {
        if let Some(Some(free)) = free.get_mut(node.index()) {
            *free = free.plus(amount);
        }
    }
}

/// The end of the grain of time that `at` lies in; the next one if it is one.
fn grain_end(at: SimTime) -> SimTime {
    let grain = WINDOW.as_micros();
    SimTime::from_micros(at.as_micros() - at.as_micros() % grain) + WINDOW
}

/// The nodes that the job would get.
fn fit(
    job: &Pending,
    among: &[u64],
    free: &[Option<Resources>],
    capacity: &[Resources],
) -> Option<Vec<NodeId>> {
    let shape = &job.request.shape;
    let mut room: u64 = 0;
    let offer = |node: usize| {
        let free = free.get(node).copied().flatten()?;
        let parts = parts_for(job, &free, capacity.get(node)?);
        let node = NodeId(u32::try_from(node).ok()?);
        (parts > 0).then_some(Offer { node, parts, free })
    };
    let offers: Vec<Offer> =
        bits::iter(among).filter_map(offer).inspect(|offer| room += u64::from(offer.parts)).collect();
    if room < u64::from(job.request.parts()) {
        return None;
    }
    let taken = choose_consecutive(shape, &offers)?;
    let mut nodes: Vec<NodeId> =
        taken.into_iter().filter_map(|(place, _)| Some(offers.get(place)?.node)).collect();
    nodes.sort_unstable();
    Some(nodes)
}
