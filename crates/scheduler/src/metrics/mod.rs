//! Figures about a schedule, each with its formula.

mod slowdown;
mod statistics;
mod utilisation;

use switchyard_model::SimDuration;

use crate::{Run, Span};

pub use slowdown::SlowdownRule;
pub use statistics::P95_RULE;
pub use utilisation::UtilisationOf;

/// Which definitions to use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SummaryOptions {
    /// Which bounded slowdown.
    pub slowdown: SlowdownRule,
    /// Which resource's utilisation.
    pub utilisation: UtilisationOf,
}

/// The usual figures of a schedule, over all jobs that ran. All are 0 when none did.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Number of jobs that ran.
    pub jobs: usize,
    /// Number of jobs that never could.
    pub never_started: usize,
    /// Mean of start - submit, in seconds.
    pub mean_wait_secs: f64,
    /// Median of start - submit (of the two in the middle the mean), in seconds.
    pub median_wait_secs: f64,
    /// 95th percentile of start - submit by [`P95_RULE`], in seconds.
    pub p95_wait_secs: f64,
    /// Largest start - submit, in seconds.
    pub max_wait_secs: f64,
    /// Mean bounded slowdown by `options.slowdown`.
    pub mean_bounded_slowdown: f64,
    /// Share of the machine that was in use, 0 to 1, by `options.utilisation`.
    pub utilisation: f64,
    /// Last end - first submit, in seconds.
    pub makespan_secs: f64,
    /// Number of jobs that passed another one.
    pub backfilled: usize,
    /// The definitions used.
    pub options: SummaryOptions,
}

impl Summary {
    /// The figures of `run`.
    pub fn of(run: &Run, options: SummaryOptions) -> Summary {
        let waits = statistics::sorted(run.spans.iter().map(|span| span.start.since(span.submit)));
        let makespan = makespan(&run.spans);
        Summary {
            jobs: run.spans.len(),
            never_started: run.never_started.len(),
            mean_wait_secs: statistics::mean_secs(&waits),
            median_wait_secs: statistics::median_secs(&waits),
            p95_wait_secs: statistics::p95_secs(&waits),
            max_wait_secs: waits.last().map_or(0.0, |wait| wait.as_secs_f64()),
            mean_bounded_slowdown: options.slowdown.mean(&run.spans),
            utilisation: options.utilisation.share(run, makespan),
            makespan_secs: makespan.as_secs_f64(),
            backfilled: run.spans.iter().filter(|span| span.backfilled).count(),
            options,
        }
    }
}

fn makespan(spans: &[Span]) -> SimDuration {
    let first = spans.iter().map(|span| span.submit).min().unwrap_or_default();
    let last = spans.iter().map(|span| span.end).max().unwrap_or_default();
    last.since(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use switchyard_model::{GpuSet, JobId, NodeId, NodeShare, Outcome, Placement, Resources, SimTime};

    fn span(submit: u64, start: u64, end: u64, cpus: u32, gpus: u32) -> Span {
        let share = NodeShare { node: NodeId(0), cpus, memory_mib: 0, gpus: GpuSet::first(gpus) };
        Span {
            job: JobId(submit),
            attempt: 1,
            submit: SimTime::from_secs(submit),
            eligible: SimTime::from_secs(submit),
            start: SimTime::from_secs(start),
            end: SimTime::from_secs(end),
            placement: Placement(vec![share]),
            backfilled: start > submit,
            outcome: Outcome::Completed,
            preempted_at: None,
        }
    }

    fn run(spans: Vec<Span>) -> Run {
        let capacity = Resources { cpus: 10, gpus: 4, memory_mib: 0 };
        Run { policy: "test".into(), capacity, spans, never_started: Vec::new() }
    }

    fn near(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-9, "{a} is not {b}");
    }

    /// By hand: two jobs, submitted at 100 and 110, running [100, 200) on 4 CPUs and 2 GPUs and [200, 204) on 10 CPUs.
    #[test]
    fn the_figures_of_two_jobs() {
        let run = run(vec![span(100, 100, 200, 4, 2), span(110, 200, 204, 10, 0)]);
        let summary = Summary::of(&run, SummaryOptions::default());
        assert_eq!((summary.jobs, summary.backfilled, summary.never_started), (2, 1, 0));
        near(summary.mean_wait_secs, 45.0);
        near(summary.median_wait_secs, 45.0);
        near(summary.max_wait_secs, 90.0);
        near(summary.makespan_secs, 104.0);
        near(summary.utilisation, (400.0 + 40.0) / (10.0 * 104.0));
        near(summary.mean_bounded_slowdown, (1.0 + 94.0 / 10.0) / 2.0);
        let lab = SummaryOptions { slowdown: SlowdownRule::SeedLab, utilisation: UtilisationOf::Gpus };
        let summary = Summary::of(&run, lab);
        near(summary.mean_bounded_slowdown, (1.0 + 94.0 / 60.0) / 2.0);
        near(summary.utilisation, 200.0 / (4.0 * 104.0));
    }

    /// A job of 6 s that never waited: 1 by the classical rule, a tenth by the lab's, which doesn't raise it to 1.
    #[test]
    fn short_jobs_tell_the_slowdown_rules_apart() {
        let spans = [span(0, 0, 6, 1, 0)];
        near(SlowdownRule::Classical.mean(&spans), 1.0);
        near(SlowdownRule::SeedLab.mean(&spans), 0.1);
    }

    #[test]
    fn no_jobs_no_figures() {
        let summary = Summary::of(&run(Vec::new()), SummaryOptions::default());
        for figure in [summary.mean_wait_secs, summary.utilisation, summary.mean_bounded_slowdown] {
            near(figure, 0.0);
        }
    }
}
