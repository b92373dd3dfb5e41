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
