//! The published figures of the configuration S0: the trace of k8s-gpu-scheduler-lab on the cluster model of
//! slurm-scheduler-lab. Unlike the jobs of that lab's own generator, these share nodes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::Arc;

use switchyard_model::FleetSpec;
use switchyard_scheduler::metrics::{Counted, Horizon, Metrics, MetricsOptions};
use switchyard_scheduler::{Policy, ReplayOptions, replay};
use switchyard_workload::generate::{K8S_LAB_GAP_SECS, K8S_LAB_LIGHT_GAP_SECS, k8s_lab};
use switchyard_workload::{LimitModel, Workload};

fn metrics(jobs: u32, gap: f64, seed: u64, limits: LimitModel) -> Metrics {
    let mut workload = Workload::new("k8s lab", k8s_lab(jobs, seed, gap));
    limits.apply(&mut workload);
    let fleet = Arc::new(FleetSpec::k8s_lab().build().unwrap());
    let policy = Policy::named("seed-lab").unwrap();
    let run = replay(Arc::clone(&fleet), &workload.jobs, &policy, ReplayOptions::default()).unwrap();
    assert_eq!(run.spans.len(), jobs as usize);
    let options = MetricsOptions { horizon: Horizon::ZeroToLastEnd, ..MetricsOptions::default() };
    Metrics::of(&run, &fleet, &workload.jobs, options)
}

/// GPU utilisation in percent, mean and p95 wait in minutes, fragmentation C of GPUs by node in percent.
fn figures(metrics: &Metrics) -> [f64; 4] {
    let wait = metrics.waits.per_job;
    let fragmented = metrics.fragmentation.structural(Counted::Gpus).shares()[0];
    let utilisation = metrics.ledgers.gpus.utilisation();
    [utilisation * 100.0, wait.mean_secs / 60.0, wait.p95_secs / 60.0, fragmented * 100.0]
}

/// Means of the seeds 0 to 4, with the ratio of starvation.
fn means(limits: impl Fn(u64) -> LimitModel) -> String {
    let mut sums = [0.0; 5];
    for seed in 0..5 {
        let metrics = metrics(800, K8S_LAB_GAP_SECS, seed, limits(seed));
        let figures = figures(&metrics).into_iter().chain(metrics.sizes.starvation);
        sums.iter_mut().zip(figures).for_each(|(sum, figure)| *sum += figure);
    }
    let [utilisation, mean, p95, fragmented, starvation] = sums.map(|sum| sum / 5.0);
    format!("{utilisation:.1}/{mean:.1}/{p95:.1}/{fragmented:.1}/{starvation:.2}")
}

#[test]
fn means_of_five_seeds() {
    assert_eq!(means(|_| LimitModel::Exact), "74.8/155.8/534.6/24.5/2.54");
    assert_eq!(means(|_| LimitModel::Padded { factor: 3.0 }), "75.3/115.1/488.0/31.8/4.92");
    assert_eq!(means(|seed| LimitModel::Synthetic { seed }), "72.9/124.9/513.3/28.8/4.49");
}

/// One seed of the light profile, with exact limits, and C by node, rack and switch.
#[test]
fn the_light_profile() {
    let metrics = metrics(300, K8S_LAB_LIGHT_GAP_SECS, 0, LimitModel::Exact);
    let [utilisation, mean, ..] = figures(&metrics);
    let shares = metrics.fragmentation.structural(Counted::Gpus).shares();
    let [node, rack, switch] = shares.map(|share| share * 100.0);
    assert_eq!(
        format!("{utilisation:.1}/{mean:.1}/{node:.1}/{rack:.1}/{switch:.1}"),
        "43.9/8.0/19.2/46.9/76.7"
    );
}
