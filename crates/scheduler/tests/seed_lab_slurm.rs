//! The published figures of the repository slurm-scheduler-lab under its Slurm-like backfill: 300 jobs on 16 nodes of 8 CPUs
//! and 2 GPUs, with one seed and with ten.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::Arc;

use switchyard_model::{FleetSpec, Job};
use switchyard_scheduler::{
    Order, Policy, ReplayOptions, Run, SlowdownRule, Summary, SummaryOptions, replay,
};
use switchyard_workload::LimitModel;
use switchyard_workload::generate::{SEED_LAB_GAP_SECS, seed_lab};

fn seed_lab_policy() -> Policy {
    Policy::named("seed-lab").unwrap()
}

fn jobs(seed: u64, limits: &LimitModel) -> Vec<Job> {
    let mut workload = switchyard_workload::Workload::new("seed lab", seed_lab(300, seed, SEED_LAB_GAP_SECS));
    limits.apply(&mut workload);
    workload.jobs
}

fn run(policy: &Policy, jobs: &[Job]) -> Run {
    let fleet = Arc::new(FleetSpec::seed_lab().build().unwrap());
    let run = replay(fleet, jobs, policy, ReplayOptions::default()).unwrap();
    assert_eq!((run.spans.len(), run.never_started.len()), (300, 0));
    run
}

fn summary(policy: &Policy, seed: u64, limits: &LimitModel) -> Summary {
    let run = run(policy, &jobs(seed, limits));
    Summary::of(&run, SummaryOptions { slowdown: SlowdownRule::SeedLab, ..SummaryOptions::default() })
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
    let given = summary(&seed_lab_policy(), 5, &LimitModel::AsGiven);
    assert_eq!(printed(&given), "83.0/396.1/133.7/1840.2/42.03/246");
    assert_eq!(format!("{:.2}", given.makespan_secs / 3600.0), "47.90");
    let exact = printed(&summary(&seed_lab_policy(), 5, &LimitModel::Exact));
    let figures: Vec<&str> = exact.split('/').collect();
    assert_eq!([figures[0], figures[1], figures[3], figures[4]], ["93.4", "768.5", "2049.2", "83.31"]);
}

#[test]
fn job_size_sweep() {
    let rows = [
        (0, "85.4/376.3/2038.7/51.74"),
        (1_000, "83.8/393.9/2091.2/53.68"),
        (10_000, "83.0/396.1/1840.2/42.03"),
        (100_000, "96.6/1304.1/2138.7/183.91"),
    ];
    for (weight, expected) in rows {
        let mut policy = seed_lab_policy();
        let Order::Multifactor(multifactor) = &mut policy.order else { unreachable!() };
        multifactor.weights.job_size = weight;
        let ours = printed(&summary(&policy, 5, &LimitModel::AsGiven));
        let figures: Vec<&str> = ours.split('/').collect();
        let ours = [figures[0], figures[1], figures[3], figures[4]].join("/");
        assert_eq!(ours, expected, "job size weight {weight}");
    }
}

#[test]
fn ten_seeds() {
    let rows = [
        "77.2/294.3/95.1/1218.3/30.24/248 35.55",
        "85.8/469.8/237.1/1339.2/43.26/206 32.69",
        "74.5/279.6/105.9/1116.0/37.07/256 33.05",
        "82.8/579.9/495.8/1582.4/61.74/218 40.80",
        "79.6/354.5/98.9/1141.6/37.66/237 33.02",
        "83.0/396.1/133.7/1840.2/42.03/246 47.90",
        "92.4/966.2/847.3/2294.2/131.96/233 49.09",
        "86.1/324.1/144.7/1022.7/34.45/249 28.96",
        "84.8/468.4/180.6/1593.7/39.08/215 38.30",
        "95.4/758.1/497.6/2003.1/67.33/217 42.11",
    ];
    for (seed, expected) in (0..).zip(rows) {
        let ours = summary(&seed_lab_policy(), seed, &LimitModel::AsGiven);
        let ours = format!("{} {:.2}", printed(&ours), ours.makespan_secs / 3600.0);
        assert_eq!(ours, expected, "seed {seed}");
    }
}
