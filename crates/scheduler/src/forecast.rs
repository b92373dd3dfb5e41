//! When those who wait are going to start, as far as time limits tell: for disciplines that don't plan that themselves.

use switchyard_model::SimTime;

use crate::Pending;
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
    let by_node = waiting.iter().any(|job| !any_piece_will_do(job, pass.cluster));
    let mut table = Timetable::of_running(pass.cluster, by_node, pass.now);
    for (job, start) in &pass.starts {
        let (total, on) = (start.placement.total(), amounts(&start.placement));
        let claim = Claim { total: &total, on: &on, licences: job.licences() };
        table.take(pass.now, end_of(job, pass.now), &claim);
    }
    // Whoever was refused would be refused again until something ends.
    let Some(next) = table.sums().next_rise(pass.now) else { return };
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
}

fn end_of(job: &Pending, start: SimTime) -> SimTime {
    start + planned_length(job.spec.limit)
}
