//! When those who wait are going to start, as far as time limits tell: for disciplines that don't plan that themselves.

use std::collections::{BTreeMap, VecDeque};

use switchyard_model::{DependencyKind, JobId, SimTime};

use crate::Pending;
use crate::cluster::Met;
use crate::eligibility::Hold;
use crate::pass::Pass;
use crate::timetable::{Claim, Timetable, Wish, amounts, any_piece_will_do, planned_length};

/// So many jobs get a forecast at most,
const JOBS_MAX: usize = 1000;
/// and fewer on large fleets: each of them may have to be tried on each node,
const TRIES_MAX: usize = 1 << 18;
/// but these at least.
const JOBS_MIN: usize = 50;

/// Who may pass whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Passing {
    /// Nobody: each starts when all before it have.
    Nobody,
    /// Whoever delays nobody before it.
    NoDelay,
}

/// Plans those who wait in queue order on what the pass leaves, and notes when they would start if all jobs ran to their time
/// limits and nobody else arrived. Whoever has a reservation starts by that.
pub(crate) fn forecast(pass: &mut Pass<'_>, passing: Passing) {
    let fleet = pass.cluster.nodes().len().max(1);
    let most = (TRIES_MAX / fleet).clamp(JOBS_MIN, JOBS_MAX);
    let waiting: Vec<&Pending> = pass.in_the_race().take(most).collect();
    let held = pass.held_back().map(|(job, _)| job).take(most);
    let by_node = waiting.iter().copied().chain(held).any(|job| !any_piece_will_do(job, pass.cluster));
    let mut table = after_starts(pass, by_node);
    // Whoever was refused would be refused again until something ends.
    let Some(next) = table.sums().next_rise(pass.now) else { return expect_released(pass, table) };
    let mut from = next;
    for job in waiting {
        let promised = pass.reservations.iter().find(|promise| promise.job == job.spec.id);
        let promised = promised.map(|promise| promise.at);
        let earliest = promised.map_or(from, |at| at.max(from));
        let Some(slot) = table.earliest(&Wish { job, from: earliest, before: SimTime::MAX }) else {
            continue;
        };
        let at = promised.unwrap_or(slot.at);
        pass.expect(job.spec.id, at);
        let claim = Claim { total: &job.request.total, on: &slot.on, licences: job.licences() };
        table.take(slot.at, end_of(job, slot.at), &claim);
        from = if passing == Passing::Nobody { slot.at } else { next };
    }
    expect_released(pass, table);
}

/// What the running jobs and those that the pass starts leave.
fn after_starts(pass: &Pass<'_>, by_node: bool) -> Timetable {
    let mut table = Timetable::of_running(pass.cluster, by_node, pass.now);
    for (job, start) in &pass.starts {
        let (total, on) = (start.placement.total(), amounts(&start.placement));
        let claim = Claim { total: &total, on: &on, licences: job.licences() };
        table.take(pass.now, end_of(job, pass.now), &claim);
    }
    table
}

/// The same with what is kept for others who wait, from when on, on nodes where somebody who is held back needs certain pieces.
pub(crate) fn beside_promises(
    pass: &Pass<'_>,
    table: &Timetable,
    mut promises: Vec<(SimTime, &Pending)>,
) -> Timetable {
    let solid = |(job, _): (&Pending, Hold)| !any_piece_will_do(job, pass.cluster);
    if table.is_by_node() || !pass.held_back().any(solid) {
        return table.clone();
    }
    let mut table = after_starts(pass, true);
    promises.sort_by_key(|(at, _)| *at);
    for (at, job) in promises.into_iter().take(JOBS_MAX) {
        if let Some(slot) = table.slot_at(job, at) {
            let claim = Claim { total: &job.request.total, on: &slot.on, licences: job.licences() };
            table.take(at, end_of(job, at), &claim);
        }
    }
    table
}

/// Notes when those are expected to start who are held back until a moment that is known: they stand in nobody's way, and come when they may,
/// beside what is planned.
pub(crate) fn expect_released(pass: &mut Pass<'_>, mut table: Timetable) {
    for (at, job) in released(pass).into_iter().take(JOBS_MIN) {
        if !table.is_by_node() && !any_piece_will_do(job, pass.cluster) {
            continue;
        }
        let Some(slot) = table.earliest(&Wish { job, from: at, before: SimTime::MAX }) else { continue };
        pass.expect(job.spec.id, slot.at);
        let claim = Claim { total: &job.request.total, on: &slot.on, licences: job.licences() };
        table.take(slot.at, end_of(job, slot.at), &claim);
    }
}

/// Those who are held back until a moment that is known, in the order of these.
fn released<'a>(pass: &Pass<'a>) -> Vec<(SimTime, &'a Pending)> {
    let mut ends: BTreeMap<JobId, VecDeque<SimTime>> = BTreeMap::new();
    for running in pass.cluster.running() {
        if let Some(task) = running.spec.terms.array {
            ends.entry(task.array).or_default().push_back(running.expected_end);
        }
    }
    let end_of = |job: JobId| Some(pass.cluster.running_job(job)?.expected_end);
    let at = |(job, hold): (&'a Pending, Hold)| {
        let at = match hold {
            Hold::Begin => Some(job.not_before),
            Hold::ReservationAhead => Some(pass.cluster.kept().get(job.reservation()?)?.start),
            Hold::Throttle { .. } => ends.get_mut(&job.spec.terms.array?.array)?.pop_front(),
            Hold::Dependency { never: false, .. } => {
                let unmet = job.spec.terms.after.iter().filter(|after| pass.cluster.met(after) != Met::Yes);
                let times = unmet.map(|after| match after.kind {
                    DependencyKind::AfterAny | DependencyKind::AfterOk => end_of(after.job),
                    // Nobody knows whether a job is going to fail.
                    DependencyKind::After | DependencyKind::AfterNotOk => None,
                });
                times.collect::<Option<Vec<_>>>()?.into_iter().max()
            }
            _ => None,
        };
        Some((at?.max(job.not_before).max(pass.now), job))
    };
    let mut all: Vec<_> = pass.held_back().filter_map(at).collect();
    all.sort_by_key(|(at, _)| *at);
    all
}

fn end_of(job: &Pending, start: SimTime) -> SimTime {
    start + planned_length(job.spec.limit)
}
