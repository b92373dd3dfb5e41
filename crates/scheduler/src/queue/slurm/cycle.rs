//! A backfill cycle: plans the jobs in order, each as early as it can start without moving those before it, and starts those
//! that can start now.

use std::collections::BTreeMap;
use std::ops::Range;

use switchyard_model::{JobId, NodeId, Placement, Resources, Shape, SimTime};

use super::SlurmParams;
use super::caps::Caps;
use super::licences::Licences;
use super::partitions::Partitions;
use super::timeline::{Slot, Timeline, stay};
use crate::PlacementRule;
use crate::cluster::Pending;
use crate::explain::Verdict;
use crate::pass::Pass;
use crate::queue::outlook::{Outlook, Promise};
use crate::ranking::Entry;
use crate::releases::Releases;

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
    /// What is kept for those who wait: nodes and licences.
    promises: Vec<Promise>,
    licences: Licences,
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
        if job.not_before > pass.now || pass.out_of_the_plan(job).is_some() || !caps.admit(&job.spec) {
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
    if !job.licences().is_empty() {
        // It may be their turn without anything else happening.
        outcome.beyond = true;
        if !params.bf_licenses && !pass.licences().covers(job.licences()) {
            return;
        }
    }
    let Some(slot) = earliest(pass, job, params, timeline, outcome) else {
        outcome.beyond = true;
        return;
    };
    if slot.at <= pass.now {
        match place(pass, job, &slot, timeline) {
            Ok(placement) => {
                timeline.hold(&placement, pass.now + stay(job));
                pass.start(job, placement, true);
                outcome.started.push(entry);
                return;
            }
            // Nobody knows when others leave it enough.
            Err(Verdict::Held(_)) => return,
            // Its nodes are kept, as by Slurm, whatever it is that they lack.
            Err(_) => {}
        }
    }
    if params.reserves(&pass.policy.order, entry.key) {
        let (from, to) = params.plan_on.stretch(job, slot.at, params.resolution());
        timeline.reserve(&slot.nodes, from, to);
        outcome.promises.push(Promise { nodes: slot.nodes.clone(), from, to });
        if params.bf_licenses {
            outcome.licences.keep(job.licences(), from, to);
        }
    }
    if pass.explains {
        outcome.planned.insert(job.spec.id, slot);
    }
}

/// When and where the job could start within the window, beside those before it.
fn earliest(
    pass: &Pass<'_>,
    job: &Pending,
    params: &SlurmParams,
    timeline: &mut impl Timeline,
    outcome: &Outcome,
) -> Option<Slot> {
    let mut until = pass.now + params.window();
    if let Some(own) = job.reservation().and_then(|place| pass.cluster.kept().get(place)) {
        until = until.min(SimTime::ZERO + own.end.since(SimTime::ZERO + job.spec.limit));
    }
    let mut from = pass.now;
    loop {
        let slot = match asks_for_more(job) {
            true => {
                let chosen = pass.starts.iter().map(|(job, start)| (*job, &start.placement));
                let releases = Releases::new(pass.cluster, chosen, pass.now);
                let found = Outlook::beside(&outcome.promises, job, pass.room, &releases, from)?;
                let nodes = found.choose()?.into_iter().map(|(node, _)| node).collect();
                Slot { at: found.at, nodes }
            }
            false => timeline.earliest(job, from, until, params.plan_on)?,
        };
        if slot.at > until {
            return None;
        }
        if !params.bf_licenses || job.licences().is_empty() {
            return Some(slot);
        }
        from = outcome.licences.earliest(pass, job, slot.at)?;
        if from <= slot.at {
            return Some(slot);
        }
    }
}

/// Whether it matters to the job how its parts are spread: it may have few nodes only, or wants a single NVSwitch domain.
fn asks_for_more(job: &Pending) -> bool {
    let few = job.rules.as_ref().is_some_and(|rules| rules.max_nodes.is_some());
    job.wants_one_domain() || few && matches!(job.request.shape, Shape::Tasks { .. })
}

/// Where the job goes, by the policy's rule, among the nodes that are free for as long as it asks; or what is against that.
fn place(
    pass: &Pass<'_>,
    job: &Pending,
    slot: &Slot,
    timeline: &impl Timeline,
) -> Result<Placement, Verdict> {
    let as_planned = pass.policy.rule() == PlacementRule::FirstFit || asks_for_more(job);
    let nodes = (0..).map(NodeId).zip(pass.room.nodes());
    let is_open = |node| if as_planned { slot.nodes.contains(&node) } else { timeline.is_open(job, node) };
    let cap: Vec<Resources> =
        nodes.map(|(node, state)| if is_open(node) { state.free } else { Resources::default() }).collect();
    pass.attempt(job, Some(&cap))
}
