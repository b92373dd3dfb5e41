//! The published figures of the repository slurm-scheduler-lab in its current version: Slurm's priorities with Fair Tree,
//! ticks and whole numbers, without backfill and with EASY. 300 jobs on 16 nodes of 8 CPUs and 2 GPUs.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::Arc;

use switchyard_model::{FleetSpec, Resources};
use switchyard_scheduler::{Policy, ReplayOptions, SlowdownRule, Summary, SummaryOptions, replay};
use switchyard_workload::generate::{SEED_LAB_GAP_SECS, seed_lab};
use switchyard_workload::{LimitModel, Workload};

fn summary(policy: &Policy, seed: u64, exact: bool) -> Summary {
    let fleet = FleetSpec::uniform("lab", 16, Resources { cpus: 8, gpus: 2, memory_mib: 0 });
    let fleet = Arc::new(fleet.build().unwrap());
    let mut workload = Workload::new("seed-lab", seed_lab(300, seed, SEED_LAB_GAP_SECS));
    if exact {
        LimitModel::Exact.apply(&mut workload);
    }
    let run = replay(fleet, &workload.jobs, policy, ReplayOptions::default()).unwrap();
    assert_eq!((run.spans.len(), run.never_started.len()), (300, 0));
    Summary::of(&run, SummaryOptions { slowdown: SlowdownRule::SEED_LAB, ..SummaryOptions::default() })
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

fn hours(summary: &Summary) -> String {
    format!("{:.2}", summary.makespan_secs / 3600.0)
}

#[test]
fn seed_five() {
    assert_eq!(printed(&named("seed-lab-off", 5, false)), "72.3/1896.7/2270.4/2912.6/367.90/0");
    assert_eq!(printed(&named("seed-lab-easy", 5, false)), "85.9/355.9/95.5/1741.8/54.85/245");
    assert!(printed(&named("seed-lab-easy", 5, true)).starts_with("92.1/473.4/"));
}

/// Per seed: utilisation and mean wait without backfill, all figures with EASY, makespans of both.
const TEN_SEEDS: [(&str, &str, &str, &str); 10] = [
    ("60.5/1312.4", "76.5/280.0/101.3/1197.0/37.56/247", "45.40", "35.87"),
    ("73.5/1190.7", "90.0/264.2/55.1/1141.9/37.38/237", "38.16", "31.16"),
    ("50.5/1595.2", "72.3/229.6/49.0/1004.7/34.30/256", "48.76", "34.03"),
    ("74.1/1377.8", "85.4/593.4/541.4/1543.6/72.47/225", "45.59", "39.54"),
    ("56.6/1430.7", "79.5/276.4/95.3/1037.4/44.36/238", "46.48", "33.07"),
    ("72.3/1896.7", "85.9/355.9/95.5/1741.8/54.85/245", "54.93", "46.26"),
    ("81.4/2096.1", "89.7/862.4/746.3/1969.4/124.39/242", "55.69", "50.59"),
    ("57.3/1398.7", "92.9/239.8/81.0/1101.5/22.61/246", "43.55", "26.86"),
    ("76.0/1270.8", "87.5/349.0/150.8/1490.8/33.87/229", "42.76", "37.11"),
    ("78.9/1829.6", "88.6/498.8/292.1/1953.1/48.48/235", "50.88", "45.30"),
];

#[test]
fn ten_seeds() {
    for (seed, (off, easy, off_hours, easy_hours)) in (0..).zip(TEN_SEEDS) {
        let (without, with) = (named("seed-lab-off", seed, false), named("seed-lab-easy", seed, false));
        let ours = printed(&without);
        assert!(
            ours.starts_with(&format!("{off}/")) && ours.ends_with("/0"),
            "seed {seed}: {ours} is not {off}"
        );
        assert_eq!(printed(&with), easy, "seed {seed}");
        assert_eq!([hours(&without), hours(&with)], [off_hours, easy_hours], "seed {seed}");
    }
}

/// Mean waits in minutes without backfill, for the seeds 10 to 19.
#[test]
fn ten_more_seeds_without_backfill() {
    let expected =
        ["2113.9", "1578.1", "1978.3", "1454.2", "1352.3", "1504.7", "1623.4", "1687.7", "1180.7", "1623.1"];
    let mean = |seed| format!("{:.1}", named("seed-lab-off", seed, false).mean_wait_secs / 60.0);
    assert_eq!((10..20).map(mean).collect::<Vec<_>>(), expected);
}

/// The headline of the second post: limits that are exactly right raise utilisation, and the mean wait with it.
#[test]
fn the_means_of_ten_seeds_with_padded_and_with_exact_limits() {
    let of = |exact| (0..10).map(|seed| named("seed-lab-easy", seed, exact)).collect::<Vec<Summary>>();
    let (padded, exact) = (of(false), of(true));
    let mean = |rows: &[Summary], figure: fn(&Summary) -> f64| rows.iter().map(figure).sum::<f64>() / 10.0;
    let usual = |rows: &[Summary]| {
        [
            format!("{:.1}", mean(rows, |row| row.utilisation * 100.0)),
            format!("{:.1}", mean(rows, |row| row.mean_wait_secs / 60.0)),
            format!("{:.1}", mean(rows, |row| row.p95_wait_secs / 60.0)),
            format!("{:.2}", mean(rows, |row| row.mean_bounded_slowdown)),
        ]
    };
    assert_eq!(usual(&padded), ["84.8", "395.0", "1418.1", "51.03"]);
    assert_eq!(usual(&exact)[..2], ["86.3", "544.1"]);
    assert!(padded.iter().zip(&exact).all(|(padded, exact)| exact.mean_wait_secs > padded.mean_wait_secs));
}
