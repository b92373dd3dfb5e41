//! The usual figures of a schedule, as the command line prints them.

use super::attempts::Attempts;
use super::horizon::Horizon;
use super::slowdown::SlowdownRule;
use super::statistics::TimeStats;
use super::utilisation::UtilisationOf;
use crate::Run;
use switchyard_model::Outcome;

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
    /// Mean of start - submit, in seconds; the start is that of a job's last attempt.
    pub mean_wait_secs: f64,
    /// Median of start - submit (of the two in the middle the mean), in seconds.
    pub median_wait_secs: f64,
    /// 95th percentile of start - submit by [`P95_RULE`](super::P95_RULE), in seconds.
    pub p95_wait_secs: f64,
    /// Largest start - submit, in seconds.
    pub max_wait_secs: f64,
    /// Mean bounded slowdown by `options.slowdown`, over the jobs that were not preempted for good.
    pub mean_bounded_slowdown: f64,
    /// Share of the machine that did what it was asked for, 0 to 1, by `options.utilisation`.
    pub utilisation: f64,
    /// Last end - first submit, in seconds.
    pub makespan_secs: f64,
    /// Number of jobs that passed another one.
    pub backfilled: usize,
    /// Number of attempts that ended to make room for another job.
    pub preemptions: usize,
    /// The definitions used.
    pub options: SummaryOptions,
}

impl Summary {
    /// The figures of `run`.
    pub fn of(run: &Run, options: SummaryOptions) -> Summary {
        let attempts = Attempts::of(&run.spans);
        let waits = TimeStats::of(attempts.last().map(|span| span.start.since(span.submit)));
        Summary {
            jobs: attempts.by_job().count(),
            never_started: run.never_started.len(),
            mean_wait_secs: waits.mean_secs,
            median_wait_secs: waits.median_secs,
            p95_wait_secs: waits.p95_secs,
            max_wait_secs: waits.max_secs,
            mean_bounded_slowdown: options.slowdown.mean(&attempts),
            utilisation: options.utilisation.share(run),
            makespan_secs: Horizon::FirstSubmitToLastEnd.window(&run.spans).length().as_secs_f64(),
            backfilled: attempts.by_job().filter(|job| job.iter().any(|span| span.backfilled)).count(),
            preemptions: attempts.all().iter().filter(|span| span.outcome == Outcome::Preempted).count(),
            options,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{at, fleet, near, preempted, span};
    use super::*;
    use crate::Span;
    use switchyard_model::Resources;

    fn run(spans: Vec<Span>) -> Run {
        let capacity = Resources { cpus: 10, gpus: 4, memory_mib: 0 };
        Run { capacity, ..super::super::testing::run(&fleet(&[(1, 4, 4)], 0), spans) }
    }

    /// By hand: two jobs, submitted at 100 and 110, running [100, 200) on 4 CPUs and 2 GPUs and [200, 204) on 10 CPUs.
    #[test]
    fn the_figures_of_two_jobs() {
        let passed = Span { backfilled: true, ..span(2, 110, 200, 204, &[(0, 10, 0)]) };
        let run = run(vec![span(1, 100, 100, 200, &[(0, 4, 0b11)]), passed]);
        let summary = Summary::of(&run, SummaryOptions::default());
        assert_eq!((summary.jobs, summary.backfilled, summary.never_started), (2, 1, 0));
        near(summary.mean_wait_secs, 45.0);
        near(summary.median_wait_secs, 45.0);
        near(summary.max_wait_secs, 90.0);
        near(summary.makespan_secs, 104.0);
        near(summary.utilisation, (400.0 + 40.0) / (10.0 * 104.0));
        near(summary.mean_bounded_slowdown, (1.0 + 94.0 / 10.0) / 2.0);
        let lab = SummaryOptions { slowdown: SlowdownRule::SEED_LAB, utilisation: UtilisationOf::Gpus };
        let summary = Summary::of(&run, lab);
        near(summary.mean_bounded_slowdown, (1.0 + 94.0 / 60.0) / 2.0);
        near(summary.utilisation, 200.0 / (4.0 * 104.0));
    }

    /// The pair of the seed lab with grace time: the victim runs [0, 60), is requeued and runs [181, 1181); the preemptor
    /// runs [60, 160). What the victim did first was for nothing.
    #[test]
    fn a_requeued_job_counts_once_with_its_last_attempt() {
        let victim = preempted(1, 0, 0, 10, 60, &[(0, 2, 0)]);
        let again = Span { attempt: 2, eligible: at(181), ..span(1, 0, 181, 1181, &[(0, 2, 0)]) };
        let run = run(vec![victim, span(2, 10, 60, 160, &[(0, 1, 0)]), again]);
        let summary = Summary::of(&run, SummaryOptions::default());
        assert_eq!((summary.jobs, summary.preemptions), (2, 1));
        near(summary.max_wait_secs, 181.0);
        near(summary.mean_wait_secs, (181.0 + 50.0) / 2.0);
        near(summary.utilisation, (2000.0 + 100.0) / (10.0 * 1181.0));
        near(summary.mean_bounded_slowdown, (1.181 + 1.5) / 2.0);
    }

    #[test]
    fn no_jobs_no_figures() {
        let summary = Summary::of(&run(Vec::new()), SummaryOptions::default());
        for figure in [summary.mean_wait_secs, summary.utilisation, summary.mean_bounded_slowdown] {
            near(figure, 0.0);
        }
    }
}
