//! Figures that change in time: amounts in use, running and pending jobs, as steps for curves.

use switchyard_model::{Job, SimTime};

use super::amounts::{Resource, ResourceTime};
use super::attempts::Attempts;
use super::horizon::Window;
use super::specs::Specs;
use super::sweep::{Change, starts_and_ends};
use crate::{Run, Span};

/// A value from a moment on, until the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The moment.
    pub at: SimTime,
    /// The value.
    pub value: u64,
}

/// A step function of time: 0 before its first step. Each step differs from the one before and is later.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Series {
    steps: Vec<Step>,
}

impl Series {
    /// From what is added or taken at moments in any order. Of all that happens at one moment only the sum shows, so that a
    /// job that ends when the next one starts leaves no peak.
    pub fn of_changes(mut changes: Vec<(SimTime, i64)>) -> Series {
        changes.sort_unstable_by_key(|(at, _)| *at);
        let mut steps: Vec<Step> = Vec::new();
        let mut value = 0i128;
        for moment in changes.chunk_by(|a, b| a.0 == b.0) {
            let Some(&(at, _)) = moment.first() else { continue };
            value += moment.iter().map(|(_, change)| i128::from(*change)).sum::<i128>();
            let shown = u64::try_from(value.max(0)).unwrap_or(u64::MAX);
            if steps.last().map_or(0, |step| step.value) != shown {
                steps.push(Step { at, value: shown });
            }
        }
        Series { steps }
    }

    /// The steps in order.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The value at a moment.
    pub fn at(&self, at: SimTime) -> u64 {
        let after = self.steps.partition_point(|step| step.at <= at);
        after.checked_sub(1).and_then(|index| self.steps.get(index)).map_or(0, |step| step.value)
    }

    /// The largest value.
    pub fn max(&self) -> u64 {
        self.steps.iter().map(|step| step.value).max().unwrap_or(0)
    }

    /// The integral within a window.
    pub fn integral(&self, window: Window) -> ResourceTime {
        let ends = self.steps.iter().skip(1).map(|step| step.at).chain([window.to]);
        self.steps
            .iter()
            .zip(ends)
            .map(|(step, end)| ResourceTime::of(step.value, window.overlap(step.at, end)))
            .sum()
    }

    /// The mean within a window; 0 of an empty one.
    pub fn mean(&self, window: Window) -> f64 {
        self.integral(window).share_of(ResourceTime::of(1, window.length()))
    }
}

/// The course of a schedule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Curves {
    /// CPUs that jobs hold.
    pub cpus: Series,
    /// GPUs that jobs hold.
    pub gpus: Series,
    /// Memory that jobs hold, in MiB.
    pub memory: Series,
    /// Nodes with at least one job.
    pub nodes: Series,
    /// Jobs that run.
    pub running: Series,
    /// Jobs that were submitted and neither run nor have ended, whether eligible or not.
    pub pending: Series,
}

impl Curves {
    /// Of a schedule. `jobs` say when those that never started were submitted; they stay pending. Costs n log n.
    pub fn of(run: &Run, jobs: &[Job]) -> Curves {
        let held = |resource: Resource| {
            changes(run, |span| i64::try_from(resource.held(&span.placement)).unwrap_or(i64::MAX))
        };
        Curves {
            cpus: held(Resource::Cpus),
            gpus: held(Resource::Gpus),
            memory: held(Resource::Memory),
            nodes: nodes(run),
            running: changes(run, |_| 1),
            pending: pending(run, jobs),
        }
    }
}

fn changes(run: &Run, amount: impl Fn(&Span) -> i64) -> Series {
    let change = |(at, change)| match change {
        Change::Start(span) => (at, amount(span)),
        Change::End(span) => (at, -amount(span)),
        Change::Queue(_) => (at, 0),
    };
    Series::of_changes(starts_and_ends(&run.spans).into_iter().map(change).collect())
}

/// Node by node the union of its jobs' intervals.
fn nodes(run: &Run) -> Series {
    let lasting = run.spans.iter().filter(|span| span.start < span.end);
    let mut intervals: Vec<_> =
        lasting.flat_map(|span| span.placement.nodes().map(|node| (node, span.start, span.end))).collect();
    intervals.sort_unstable();
    let mut changes = Vec::new();
    for of_node in intervals.chunk_by(|a, b| a.0 == b.0) {
        let mut busy_until = None;
        for &(_, start, end) in of_node {
            match busy_until {
                Some(until) if start <= until => busy_until = Some(end.max(until)),
                _ => {
                    changes.extend(busy_until.map(|until| (until, -1)));
                    changes.push((start, 1));
                    busy_until = Some(end);
                }
            }
        }
        changes.extend(busy_until.map(|until| (until, -1)));
    }
    Series::of_changes(changes)
}

fn pending(run: &Run, jobs: &[Job]) -> Series {
    let mut changes = Vec::new();
    for attempts in Attempts::of(&run.spans).by_job() {
        let mut from = attempts.first().map(|span| span.submit).unwrap_or_default();
        for span in attempts {
            changes.extend([(from, 1), (span.start.max(from), -1)]);
            from = span.end.max(from);
        }
    }
    let specs = Specs::of(jobs);
    let never = run.never_started.iter().filter_map(|(job, _)| specs.get(*job));
    changes.extend(never.map(|spec| (spec.submit, 1)));
    Series::of_changes(changes)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{at, fleet, near, preempted, run, span};
    use super::*;

    fn steps(series: &Series) -> Vec<(u64, u64)> {
        series.steps().iter().map(|step| (step.at.as_micros() / 1_000_000, step.value)).collect()
    }

    /// Batsim's report of 200 % utilisation: one job ends exactly when another one starts on the same node.
    #[test]
    fn a_job_that_starts_when_another_one_ends_makes_no_peak() {
        let fleet = fleet(&[(1, 2, 4)], 0);
        let whole: &[_] = &[(0, 2, 0b11)];
        let run = run(&fleet, vec![span(1, 0, 0, 50, whole), span(2, 0, 50, 100, whole)]);
        let curves = Curves::of(&run, &[]);
        assert_eq!(steps(&curves.gpus), [(0, 2), (100, 0)]);
        assert_eq!(curves.cpus.max(), 2);
        assert_eq!(steps(&curves.running), [(0, 1), (100, 0)]);
        assert_eq!(steps(&curves.nodes), [(0, 1), (100, 0)]);
        assert_eq!(steps(&curves.pending), [(0, 1), (50, 0)]);
    }

    #[test]
    fn a_requeued_job_is_pending_again() {
        let fleet = fleet(&[(1, 2, 4)], 0);
        let again = Span { attempt: 2, ..span(1, 0, 90, 100, &[(0, 1, 1)]) };
        let run = run(&fleet, vec![preempted(1, 0, 10, 30, 40, &[(0, 1, 1)]), again]);
        let curves = Curves::of(&run, &[]);
        assert_eq!(steps(&curves.pending), [(0, 1), (10, 0), (40, 1), (90, 0)]);
        assert_eq!(steps(&curves.running), [(10, 1), (40, 0), (90, 1), (100, 0)]);
        assert_eq!([5, 10, 39, 40, 95, 100].map(|secs| curves.gpus.at(at(secs))), [0, 1, 1, 0, 1, 0]);
    }

    #[test]
    fn means_are_taken_over_the_window() {
        let series = Series::of_changes(vec![(at(10), 4), (at(20), -1), (at(30), -3)]);
        let window = |from, to| Window { from: at(from), to: at(to) };
        near(series.mean(window(0, 40)), 70.0 / 40.0);
        near(series.mean(window(15, 25)), 3.5);
        near(series.mean(window(50, 50)), 0.0);
    }
}
