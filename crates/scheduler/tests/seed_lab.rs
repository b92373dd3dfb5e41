//! The published figures of the repository slurm-scheduler-lab in its current version: Slurm's priorities with Fair Tree,
//! ticks and whole numbers, without backfill and with EASY. 300 jobs on 16 nodes of 8 CPUs and 2 GPUs.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::Arc;

use switchyard_model::{FleetSpec, Job, JobSpec, Oracle, Resources, SimDuration};
use switchyard_scheduler::{Policy, ReplayOptions, SlowdownRule, Summary, SummaryOptions, replay};
use switchyard_workload::generate::seed_lab_v01;

/// Time limits as the lab writes them now: whole minutes, rounded up.
fn whole_minutes(limit: SimDuration) -> SimDuration {
    SimDuration::from_secs(limit.as_micros().div_ceil(60_000_000) * 60)
}

/// The workload of the current version: the draws are those of the first.
fn jobs(seed: u64, exact: bool) -> Vec<Job> {
    let rounded = |job: Job| {
        let asked = if exact { Oracle::new().runtime(&job.truth) } else { job.spec.limit };
        let limit = whole_minutes(asked);
        Job { spec: Arc::new(JobSpec { limit, ..JobSpec::clone(&job.spec) }), truth: job.truth }
    };
    seed_lab_v01(300, seed).into_iter().map(rounded).collect()
}

fn summary(policy: &Policy, seed: u64, exact: bool) -> Summary {
    let fleet = FleetSpec::uniform("lab", 16, Resources { cpus: 8, gpus: 2, memory_mib: 0 });
    let fleet = Arc::new(fleet.build().unwrap());
    let run = replay(fleet, &jobs(seed, exact), policy, ReplayOptions::default()).unwrap();
    assert_eq!((run.spans.len(), run.never_started.len()), (300, 0));
    Summary::of(&run, SummaryOptions { slowdown: SlowdownRule::SeedLab, ..SummaryOptions::default() })
}

fn named(name: &str, seed: u64, exact: bool) -> Summary {
    summary(&Policy::named(name).unwrap(), seed, exact)
}

/// As the lab prints: utilisation/mean/median/p95/bounded slowdown/backfilled.
fn printed(summary: &Summary) -> String {
    let minutes = |secs: f64| format!("{:.1}", secs / 60.0);
    format!(
        "{:.1}/{}/{}/{}/{:.2}/{}",
        summary.utilisation * 100.0,
        minutes(summary.mean_wait_secs),
        minutes(summary.median_wait_secs),
        minutes(summary.p95_wait_secs),
        summary.mean_bounded_slowdown,
        summary.backfilled,
    )
}

#[test]
fn seed_five() {
    assert_eq!(printed(&named("seed-lab-off", 5, false)), "72.3/1896.7/2270.4/2912.6/367.90/0");
    assert_eq!(printed(&named("seed-lab-easy", 5, false)), "85.9/355.9/95.5/1741.8/54.85/245");
    assert!(printed(&named("seed-lab-easy", 5, true)).starts_with("92.1/473.4/"));
}
