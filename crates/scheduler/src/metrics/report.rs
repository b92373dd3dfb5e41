//! All figures of a schedule.

use switchyard_model::{Fleet, Job, Outcome, SimDuration};

use super::amounts::Resource;
use super::attempts::{Attempts, queue_time};
use super::fragmentation::{Fragmentation, Fragments, changes};
use super::groups::{Group, fairness, groups};
use super::horizon::{Horizon, Window};
use super::ledger::{Idle, Ledgers};
use super::sizes::{SizeOf, Sizes};
use super::slowdown::SlowdownRule;
use super::specs::Specs;
use super::statistics::TimeStats;
use super::sweep::walk;
use super::tiers::Placements;
use crate::Run;

/// Which definitions to use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MetricsOptions {
    /// Which bounded slowdown.
    pub slowdown: SlowdownRule,
    /// The stretch of time for all shares and integrals.
    pub horizon: Horizon,
    /// What makes a job large; `None` is GPUs where the fleet has any, else CPUs.
    pub size: Option<SizeOf>,
}

/// How many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// See [`JOBS`](super::definition::JOBS).
    pub jobs: u64,
    /// See [`STARTED`](super::definition::STARTED).
    pub started: u64,
    /// See [`FINISHED`](super::definition::FINISHED).
    pub finished: u64,
    /// See [`NEVER_STARTED`](super::definition::NEVER_STARTED).
    pub never_started: u64,
    /// See [`ATTEMPTS`](super::definition::ATTEMPTS).
    pub attempts: u64,
    /// See [`BACKFILLED`](super::definition::BACKFILLED).
    pub backfilled: u64,
    /// See [`BACKFILL_STARTS`](super::definition::BACKFILL_STARTS).
    pub backfill_starts: u64,
    /// See [`PREEMPTIONS`](super::definition::PREEMPTIONS).
    pub preemptions: u64,
    /// See [`THRASHED`](super::definition::THRASHED).
    pub thrashed: u64,
    /// See [`NODE_FAILURES`](super::definition::NODE_FAILURES).
    pub node_failures: u64,
}

impl Counts {
    fn of(run: &Run, attempts: &Attempts<'_>, specs: &Specs<'_>) -> Counts {
        let mut counts = Counts {
            jobs: specs.len(),
            finished: attempts.finished().count() as u64,
            never_started: run.never_started.len() as u64,
            attempts: attempts.all().len() as u64,
            ..Counts::default()
        };
        for job in attempts.by_job() {
            let backfilled = job.iter().filter(|span| span.backfilled).count() as u64;
            let ended = |outcome| job.iter().filter(|span| span.outcome == outcome).count() as u64;
            let preempted = ended(Outcome::Preempted);
            counts.started += 1;
            counts.backfilled += u64::from(backfilled > 0);
            counts.backfill_starts += backfilled;
            counts.preemptions += preempted;
            counts.thrashed += u64::from(preempted > 1);
            counts.node_failures += ended(Outcome::NodeFail);
        }
        counts
    }
}

/// How long jobs waited, by three definitions. They differ only for jobs that were requeued or not eligible at once.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Waits {
    /// See [`WAIT`](super::definition::WAIT).
    pub per_job: TimeStats,
    /// See [`ATTEMPT_WAIT`](super::definition::ATTEMPT_WAIT).
    pub per_attempt: TimeStats,
    /// See [`QUEUE_TIME`](super::definition::QUEUE_TIME).
    pub queue_time: TimeStats,
}

impl Waits {
    fn of(attempts: &Attempts<'_>) -> Waits {
        Waits {
            per_job: TimeStats::of(attempts.last().map(|span| span.start.since(span.submit))),
            per_attempt: TimeStats::of(attempts.all().iter().map(|span| span.start.since(span.eligible))),
            queue_time: TimeStats::of(attempts.by_job().map(queue_time)),
        }
    }
}

/// All figures of a schedule; [`rows`](Self::rows) lists them with their definitions.
#[derive(Clone, Debug, PartialEq)]
pub struct Metrics {
    /// The definitions used.
    pub options: MetricsOptions,
    /// The stretch of time for all shares and integrals.
    pub window: Window,
    /// How many jobs and attempts.
    pub counts: Counts,
    /// See [`MAKESPAN`](super::definition::MAKESPAN).
    pub makespan: SimDuration,
    /// How long jobs waited.
    pub waits: Waits,
    /// See [`BOUNDED_SLOWDOWN`](super::definition::BOUNDED_SLOWDOWN).
    pub bounded_slowdown: f64,
    /// Where the capacity went.
    pub ledgers: Ledgers,
    /// Which part of what was free was of no use.
    pub fragmentation: Fragmentation,
    /// How far the parts of jobs were apart.
    pub placements: Placements,
    /// By account, in the order of their names.
    pub accounts: Vec<Group>,
    /// By user, in the order of their names.
    pub users: Vec<Group>,
    /// See [`FAIRNESS`](super::definition::FAIRNESS), in GPUs where the fleet has any, else CPUs.
    pub fairness: Option<f64>,
    /// Whether large jobs wait longer.
    pub sizes: Sizes,
    /// See [`TIME_LIMIT_ACCURACY`](super::definition::TIME_LIMIT_ACCURACY); `None` when no job with a limit finished.
    pub time_limit_accuracy: Option<f64>,
}

impl Metrics {
    /// The figures of `run`, which is a schedule of `jobs` on `fleet`.
    pub fn of(run: &Run, fleet: &Fleet, jobs: &[Job], options: MetricsOptions) -> Metrics {
        let window = options.horizon.window(&run.spans);
        let attempts = Attempts::of(&run.spans);
        let specs = Specs::of(jobs);
        let mut observers = (Idle::new(fleet), Fragments::new(fleet, &specs));
        walk(changes(run, &specs), window, &mut observers);
        let accounts = groups(&attempts, jobs, &specs, window, |job| &job.account);
        let scarce = if fleet.has_gpus() { Resource::Gpus } else { Resource::Cpus };
        let size = options.size.unwrap_or_else(|| SizeOf::natural(fleet));
        Metrics {
            options,
            window,
            counts: Counts::of(run, &attempts, &specs),
            makespan: Horizon::FirstSubmitToLastEnd.window(&run.spans).length(),
            waits: Waits::of(&attempts),
            bounded_slowdown: options.slowdown.mean(&attempts),
            ledgers: Ledgers::new(&run.spans, window, &observers.0),
            fragmentation: observers.1.result(),
            placements: Placements::of(&attempts, fleet, &specs),
            fairness: fairness(&accounts, scarce),
            accounts,
            users: groups(&attempts, jobs, &specs, window, |job| &job.user),
            sizes: Sizes::of(&attempts, fleet, &specs, size),
            time_limit_accuracy: time_limit_accuracy(&attempts, &specs),
        }
    }
}

fn time_limit_accuracy(attempts: &Attempts<'_>, specs: &Specs<'_>) -> Option<f64> {
    let (mut used, mut asked) = (0u128, 0u128);
    for span in attempts.finished() {
        let Some(spec) = specs.get(span.job) else { continue };
        used += u128::from(span.end.since(span.start).as_micros());
        asked += u128::from(spec.limit.as_micros());
    }
    (asked > 0).then(|| used as f64 / asked as f64)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::testing::{at, fleet, job, near, preempted, run, span};
    use super::*;
    use crate::Span;

    /// The victim of the seed lab's pair with grace time: submitted at 0, runs [0, 60), selected at 10, eligible again at 181,
    /// waits until 200.
    #[test]
    fn attempts_and_jobs_have_waits_of_their_own() {
        let fleet = fleet(&[(1, 4, 4)], 0);
        let again = Span { attempt: 2, eligible: at(181), ..span(1, 0, 200, 1200, &[(0, 2, 0b11)]) };
        let run = run(&fleet, vec![preempted(1, 0, 0, 10, 60, &[(0, 2, 0b11)]), again]);
        let jobs = [job(1, "a", 0, 2000, 1000, 1, 2)];
        let metrics = Metrics::of(&run, &fleet, &jobs, MetricsOptions::default());
        near(metrics.waits.per_job.mean_secs, 200.0);
        assert_eq!(metrics.waits.per_attempt.count, 2);
        near(metrics.waits.per_attempt.max_secs, 19.0);
        near(metrics.waits.queue_time.mean_secs, 190.0);
        assert_eq!((metrics.counts.started, metrics.counts.attempts, metrics.counts.preemptions), (1, 2, 1));
        near(metrics.time_limit_accuracy.unwrap(), 0.5);
    }

    /// A job that ran to its end after it had lost a node is finished; what its first attempt did is lost.
    #[test]
    fn the_final_state_wins_and_lost_work_counts_as_waste() {
        let fleet = fleet(&[(2, 4, 4)], 0);
        let first = Span { outcome: Outcome::NodeFail, ..span(1, 0, 0, 30, &[(0, 2, 0b11)]) };
        let again = Span { attempt: 2, eligible: at(30), ..span(1, 0, 40, 100, &[(1, 2, 0b11)]) };
        let run = run(&fleet, vec![first, again]);
        let metrics = Metrics::of(&run, &fleet, &[job(1, "a", 0, 90, 60, 1, 2)], MetricsOptions::default());
        assert_eq!((metrics.counts.finished, metrics.counts.node_failures), (1, 1));
        let gpus = metrics.ledgers.gpus;
        assert_eq!([gpus.delivered, gpus.lost].map(|t| t.as_micros() / 1_000_000), [120, 60]);
        near(metrics.fairness.unwrap(), 1.0);
    }

    #[test]
    fn mean_and_maximum_wait_are_always_reported() {
        let fleet = fleet(&[(1, 4, 4)], 0);
        let run = run(&fleet, vec![span(1, 0, 0, 60, &[]), span(2, 10, 70, 90, &[])]);
        let metrics = Metrics::of(&run, &fleet, &[], MetricsOptions::default());
        let said = |of: &str| {
            let mut rows = metrics.rows().into_iter();
            rows.find(|row| row.definition.key == "wait" && row.of == of).and_then(|row| row.value).unwrap()
        };
        near(said("mean"), 30.0);
        near(said("max"), 60.0);
    }
}
