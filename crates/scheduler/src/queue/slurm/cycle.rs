//! A backfill cycle: plans the jobs in order, each as early as it can start without moving those before it, and starts those
//! that can start now.

use std::collections::BTreeMap;
use std::ops::Range;

use switchyard_model::{JobId, NodeId, Placement, Resources, SimTime};

use super::SlurmParams;
use super::caps::Caps;
use super::partitions::Partitions;
use super::timeline::{Slot, Timeline, stay};
use crate::PlacementRule;
use crate::cluster::Pending;
use crate::pass::Pass;
use crate::ranking::Entry;

/// What the cycle found.
#[derive(Clone, Debug, Default)]
pub(super) struct Outcome {
    /// The jobs that it started, with their places in the queue.
    pub(super) started: Vec<Entry>,
    /// Some job that it tested can't start within the window.
    pub(super) beyond: bool,
    /// Until when another one comes to the same, as long as nothing happens and this one started nobody.
    pub(super) stands: SimTime,
    /// When and where those that it tested are going to start, if anybody wants to know.
    pub(super) planned: BTreeMap<JobId, Slot>,
}

/// Which jobs it looks at.
pub(super) struct Queue<'a> {
    /// Those that could be among the tested ones, in order.
    pub(super) entries: &'a [Entry],
    /// Only what starts matters: it ends as soon as nobody who is left could start.
    pub(super) hasty: bool,
}

/// Makes a cycle.
pub(super) fn cycle(
    pass: &mut Pass<'_>,
    queue: &Queue<'_>,
    params: &SlurmParams,
    timeline: &mut impl Timeline,
) -> Outcome {
    timeline.begin(pass);
    let mut outcome = Outcome::default();
    let mut caps = Caps::new(params, Partitions::of_site(pass.cluster.site()));
    let mut begun = pass.starts.iter().map(|(_, start)| start.job).collect::<Vec<_>>().into_iter().peekable();
    let mut tested = 0;
    let mut last = queue.entries.len();
    for (place, entry) in queue.entries.iter().enumerate() {
        if queue.hasty && timeline.tightened() {
            last = last_hope(pass, queue.entries, place..last, timeline);
        }
        if place >= last || tested >= params.bf_max_job_test {
            break;
        }
        if begun.next_if_eq(&entry.key.job).is_some() {
            continue;
        }
        let Some(job) = pass.job(entry.key) else { continue };
        if job.not_before > pass.now || pass.out_of_the_race(job).is_some() || !caps.admit(&job.spec) {
            continue;
        }
        tested += 1;
        test(pass, job, *entry, params, timeline, &mut outcome);
        if params.bf_max_job_start > 0 && outcome.started.len() >= params.bf_max_job_start as usize {
            break;
        }
    }
    outcome.stands = timeline.stands_until();
    outcome
}

/// Behind the last job within `places` that could still start now. Reservations only ever make that harder.
fn last_hope(pass: &Pass<'_>, entries: &[Entry], places: Range<usize>, timeline: &impl Timeline) -> usize {
    let (longest, free) = (timeline.longest(), pass.room.free());
    let could_start = |entry: &Entry| {
        let fits = entry.limit <= longest && free.covers(&entry.total);
        fits && pass.job(entry.key).is_some_and(|job| timeline.could_start(job))
    };
    let within = entries.get(places.clone()).unwrap_or_default();
    within.iter().rposition(could_start).map_or(places.start, |place| places.start + place + 1)
}

fn test<'a>(
    pass: &mut Pass<'a>,
    job: &'a Pending,
    entry: Entry,
    params: &SlurmParams,
    timeline: &mut impl Timeline,
    outcome: &mut Outcome,
) {
    let Some(slot) = timeline.earliest(job, pass.now + params.window(), params.plan_on) else {
        outcome.beyond = true;
        return;
    };
    if slot.at <= pass.now {
        if let Some(placement) = place(pass, job, &slot, timeline) {
            timeline.hold(&placement, pass.now + stay(job));
            pass.start(job, placement, true);
            outcome.started.push(entry);
        }
        return;
    }
    if params.reserves(&pass.policy.order, entry.key) {
        let (from, to) = params.plan_on.stretch(job, slot.at, params.resolution());
        timeline.reserve(&slot.nodes, from, to);
    }
    if pass.explains {
        outcome.planned.insert(job.spec.id, slot);
    }
}

/// Where the job goes, by the policy's rule, among the nodes that are free for as long as it asks.
fn place(pass: &Pass<'_>, job: &Pending, slot: &Slot, timeline: &impl Timeline) -> Option<Placement> {
    let first_fit = pass.policy.rule() == PlacementRule::FirstFit;
    let nodes = (0..).map(NodeId).zip(pass.room.nodes());
    let is_open = |node| if first_fit { slot.nodes.contains(&node) } else { timeline.is_open(job, node) };
    let cap: Vec<Resources> =
        nodes.map(|(node, state)| if is_open(node) { state.free } else { Resources::default() }).collect();
    pass.policy.rule().place(job, pass.room, Some(&cap))
}
