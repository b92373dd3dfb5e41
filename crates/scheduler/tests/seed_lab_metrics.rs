//! Figures of the repository slurm-scheduler-lab that don't hang on its scheduler: 300 jobs, seed 5, on 16 nodes of 8 CPUs and
//! 2 GPUs; jobs take whole nodes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::Arc;

use switchyard_model::{Fleet, FleetSpec, Job, JobSpec, Resources, SimDuration};
use switchyard_scheduler::metrics::{Counted, Curves, Metrics, MetricsOptions, SizeOf};
use switchyard_scheduler::{Policy, ReplayOptions, Run, SlowdownRule, Summary, SummaryOptions, replay};
use switchyard_workload::generate::seed_lab_v01;

/// The jobs with limits of whole minutes, as the lab has them since its version 0.2.
fn jobs() -> Vec<Job> {
    let whole_minutes = |job: Job| {
        let minutes = job.spec.limit.as_micros().div_ceil(60_000_000);
        let spec = JobSpec { limit: SimDuration::from_secs(minutes * 60), ..JobSpec::clone(&job.spec) };
        Job { spec: Arc::new(spec), truth: job.truth }
    };
    seed_lab_v01(300, 5).into_iter().map(whole_minutes).collect()
}

fn replayed() -> (Arc<Fleet>, Vec<Job>, Run) {
    let lab = FleetSpec::uniform("lab", 16, Resources { cpus: 8, gpus: 2, memory_mib: 0 });
    let (fleet, jobs) = (Arc::new(lab.build().unwrap()), jobs());
    let policy = Policy::named("seed-lab-v01").unwrap();
    let run = replay(Arc::clone(&fleet), &jobs, &policy, ReplayOptions::default()).unwrap();
    (fleet, jobs, run)
}

#[test]
fn workload_and_schedule_of_seed_5() {
    let (fleet, jobs, run) = replayed();
    let options = MetricsOptions {
        slowdown: SlowdownRule::SEED_LAB,
        size: Some(SizeOf::Parts),
        ..MetricsOptions::default()
    };
    let metrics = Metrics::of(&run, &fleet, &jobs, options);
    assert_eq!(format!("{:.1}", metrics.time_limit_accuracy.unwrap() * 100.0), "32.1");
    let accounts: Vec<_> = metrics.accounts.iter().map(|group| (&*group.name, group.jobs)).collect();
    assert_eq!(accounts, [("infra", 54), ("research", 141), ("trading", 105)]);
    assert_eq!(format!("{:.2}", metrics.ledgers.cpus.delivered.as_hours_f64()), "5086.86");
    assert_eq!(metrics.sizes.buckets.map(|bucket| bucket.jobs), [130, 62, 34, 35, 39, 0]);

    let summary =
        Summary::of(&run, SummaryOptions { slowdown: SlowdownRule::SEED_LAB, ..SummaryOptions::default() });
    let of_metrics = [
        metrics.ledgers.cpus.utilisation(),
        metrics.waits.per_job.mean_secs,
        metrics.waits.queue_time.p95_secs,
        metrics.bounded_slowdown,
    ];
    let of_summary =
        [summary.utilisation, summary.mean_wait_secs, summary.p95_wait_secs, summary.mean_bounded_slowdown];
    assert_eq!(of_metrics.map(f64::to_bits), of_summary.map(f64::to_bits));
}

/// Jobs that take whole nodes leave no node in part: C is 0 on nodes, for CPUs and for anything in use, and nodes are in use
/// as much as CPUs are.
#[test]
fn whole_node_jobs_on_equal_nodes_fragment_no_node() {
    let (fleet, jobs, run) = replayed();
    let metrics = Metrics::of(&run, &fleet, &jobs, MetricsOptions::default());
    assert_eq!(metrics.fragmentation.structural(Counted::Cpus).shares()[0].to_bits(), 0);
    assert_eq!(metrics.fragmentation.structural(Counted::Gpus).shares()[0].to_bits(), 0);
    assert!(metrics.fragmentation.structural(Counted::Any).shares()[0] > 0.0, "CPU jobs leave GPUs behind");
    assert!(metrics.fragmentation.structural(Counted::Cpus).shares()[1] > 0.0, "racks are in use in part");
    let ledgers = &metrics.ledgers;
    assert_eq!(ledgers.nodes_in_use.as_micros() * 8, ledgers.cpus.delivered.as_micros());
    let curves = Curves::of(&run, &jobs);
    assert_eq!(curves.cpus.integral(metrics.window), ledgers.cpus.delivered);
    assert_eq!((curves.cpus.max(), curves.nodes.max()), (128, 16));
}
