//! All of openb at 130 % demand: the published curves, mean of several seeds.
//!
//! The published figures are means of ten seeds (42 to 51) of another source of chance. Single runs of the worst policy differ by
//! nearly two points, means of five by a few tenths.

use std::sync::Arc;

use switchyard_scheduler::{PodOptions, PodPoint, PodPolicy, PodRun, Ties, TypicalPods, run_pods};
use switchyard_workload::{inflate, shuffled};

use crate::traces;

const SEEDS: [u64; 5] = [42, 43, 44, 45, 46];
const TOLERANCE: f64 = 0.6;

/// Allocated GPU in per cent when demand has reached this many per cent.
const ALLOCATED_AT: [u64; 7] = [80, 90, 95, 100, 110, 120, 130];
const ALLOCATED: [(&str, [f64; 7]); 6] = [
    ("random", [78.66, 85.02, 85.72, 86.30, 86.88, 87.28, 87.47]),
    ("dotprod", [80.02, 89.98, 90.58, 90.62, 90.70, 90.77, 90.85]),
    ("clustering", [80.02, 89.98, 91.61, 91.65, 91.73, 91.80, 91.88]),
    ("packing", [80.02, 89.98, 91.74, 91.78, 91.86, 91.92, 92.00]),
    ("bestfit", [80.02, 89.99, 92.82, 92.86, 92.94, 93.00, 93.08]),
    ("fgd", [80.02, 89.98, 94.91, 95.23, 95.30, 95.35, 95.39]),
];

/// Fragmented GPU in per cent of all.
const FRAGMENTED_AT: [u64; 5] = [10, 50, 90, 100, 130];
const FRAGMENTED: [(&str, [f64; 5]); 6] = [
    ("random", [14.43, 15.10, 14.48, 13.49, 12.43]),
    ("dotprod", [14.74, 12.09, 9.43, 9.30, 9.08]),
    ("clustering", [14.04, 12.11, 8.45, 8.21, 8.00]),
    ("packing", [14.03, 12.01, 8.37, 8.13, 7.91]),
    ("bestfit", [14.25, 10.81, 7.41, 7.05, 6.85]),
    ("fgd", [12.85, 8.93, 5.00, 4.73, 4.57]),
];

/// The same in per cent of what is idle. Where little is idle this moves faster than the other curves: in single runs of FGD at 90 %
/// by several points.
const OF_IDLE_AT: [u64; 5] = [10, 50, 80, 90, 100];
const OF_IDLE: [(&str, [f64; 5]); 6] = [
    ("random", [16.0, 30.2, 74.6, 96.7, 98.4]),
    ("dotprod", [16.4, 24.2, 50.5, 94.2, 99.2]),
    ("clustering", [15.6, 24.2, 46.9, 84.3, 98.4]),
    ("packing", [15.6, 24.0, 46.4, 83.6, 98.9]),
    ("bestfit", [15.8, 21.6, 41.5, 74.1, 98.8]),
    ("fgd", [14.3, 17.9, 29.9, 50.0, 99.1]),
];

/// The runs of each policy, in the order of [`PodPolicy::ALL`].
fn runs(pods: &str, seeds: &[u64]) -> Option<Vec<Vec<PodRun>>> {
    let (nodes, pods) = traces::trace("openb_node_list_gpu_node.csv", pods)?;
    let typical = Arc::new(TypicalPods::of(&pods));
    let run = |policy: PodPolicy, seed: u64| {
        let inflated = inflate(&shuffled(&pods, seed), traces::capacity(&nodes), 1.3, seed).unwrap();
        let options = PodOptions { seed, ties: Ties::Shuffled, typical: Some(Arc::clone(&typical)) };
        run_pods(&nodes, &inflated, policy, &options)
    };
    let of = |policy: PodPolicy| seeds.iter().map(|&seed| run(policy, seed)).collect();
    Some(PodPolicy::ALL.into_iter().map(of).collect())
}

fn mean(runs: &[PodRun], percent: u64, of: impl Fn(PodPoint) -> f64) -> f64 {
    let point = |run: &PodRun| of(run.at(percent).unwrap());
    runs.iter().map(point).sum::<f64>() / runs.len() as f64
}

fn compare<const N: usize>(
    runs: &[PodRun],
    (name, published): (&str, [f64; N]),
    at: [u64; N],
    tolerance: f64,
    of: impl Fn(PodPoint) -> f64,
) {
    for (percent, published) in at.into_iter().zip(published) {
        let ours = mean(runs, percent, &of);
        assert!(
            (ours - published).abs() <= tolerance,
            "{name} at {percent} %: {ours:.2}, published {published}"
        );
    }
}

#[test]
fn the_default_mix_gives_the_published_curves() {
    let Some(runs) = runs("openb_pod_list_default.csv", &SEEDS) else { return };
    for ((runs, policy), at) in runs.iter().zip(PodPolicy::ALL).zip(0..) {
        assert_eq!(policy.name(), ALLOCATED[at].0);
        compare(runs, ALLOCATED[at], ALLOCATED_AT, TOLERANCE, |point| point.allocated);
        compare(runs, FRAGMENTED[at], FRAGMENTED_AT, TOLERANCE, |point| point.fragmented);
        compare(runs, OF_IDLE[at], OF_IDLE_AT, 3.0, |point| point.fragmented_of_idle);
    }
    let end: Vec<f64> = runs.iter().map(|runs| mean(runs, 130, |point| point.allocated)).collect();
    assert!(end.is_sorted(), "the order of the policies: {end:?}");
}

/// A third of the GPU pods ask for certain models: here BestFit falls behind GpuPacking.
#[test]
fn the_mix_with_gpu_models_ends_as_published() {
    let Some(runs) = runs("openb_pod_list_gpuspec33.csv", &[42, 43, 44]) else { return };
    for (runs, published) in runs.iter().zip([86.46, 89.14, 92.12, 93.22, 93.09, 94.55]) {
        let ours = mean(runs, 130, |point| point.allocated);
        assert!(
            (ours - published).abs() <= TOLERANCE,
            "{}: {ours:.2}, published {published}",
            runs[0].policy
        );
    }
}

/// The end of the published example run of FGD, in GPUs: what is idle and why, here for one seed.
#[test]
fn what_is_left_under_fgd_lacks_what_it_lacked_there() {
    let Some(runs) = runs("openb_pod_list_default.csv", &[42]) else { return };
    let end = &runs[5][0].end;
    let percent = |(used, all): (u64, u64)| 100.0 * used as f64 / all as f64;
    assert!((percent(end.cpu_milli) - 84.0).abs() < 1.5, "{end:?}");
    assert!((percent(end.memory_mib) - 62.3).abs() < 1.5, "{end:?}");
    assert!((percent(end.gpus) - 99.63).abs() < 0.3, "{end:?}");
    let kilo = |part: u64| part as f64 / end.typical as f64 / 1000.0;
    let parts = end.fragments;
    for (ours, published) in [
        (kilo(parts.idle()), 292.59),
        (kilo(parts.fragmented()), 291.36),
        (kilo(parts.q1), 138.43),
        (kilo(parts.q2), 85.86),
        (kilo(parts.q3), 1.23),
        (kilo(parts.q4), 27.28),
        (kilo(parts.xl), 6.06),
        (kilo(parts.xr), 33.73),
    ] {
        assert!((ours - published).abs() < 12.0, "{ours:.2}, published {published}: {parts:?}");
    }
}
