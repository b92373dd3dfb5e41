//! The published figures of the repository slurm-scheduler-lab under its Slurm-like backfill: 300 jobs on 16 nodes of 8 CPUs
//! and 2 GPUs, with one seed and with ten.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod harness;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use harness::decisions;
use switchyard_model::{FleetSpec, Job, JobId, Outcome, Qos, SimDuration, SimTime, Site};
use switchyard_scheduler::{
    FairShare, Multifactor, Order, Policy, Preempt, ReplayOptions, Run, SlowdownRule, Span, Summary,
    SummaryOptions, replay,
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
    Summary::of(&run, SummaryOptions { slowdown: SlowdownRule::SEED_LAB, ..SummaryOptions::default() })
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

fn with(change: impl FnOnce(&mut Multifactor)) -> Policy {
    let mut policy = seed_lab_policy();
    let Order::Multifactor(multifactor) = &mut policy.order else { unreachable!() };
    change(multifactor);
    policy
}

fn mean(figures: impl Iterator<Item = f64>) -> f64 {
    let figures: Vec<f64> = figures.collect();
    figures.iter().sum::<f64>() / figures.len() as f64
}

/// Means over ten seeds: utilisation, mean wait, p95, bounded slowdown.
fn means(policy: &Policy, limits: &LimitModel) -> [String; 4] {
    let summaries: Vec<Summary> = (0..10).map(|seed| summary(policy, seed, limits)).collect();
    let of = |figure: fn(&Summary) -> f64| mean(summaries.iter().map(figure));
    [
        format!("{:.1}", of(|summary| summary.utilisation * 100.0)),
        format!("{:.1}", of(|summary| summary.mean_wait_secs / 60.0)),
        format!("{:.1}", of(|summary| summary.p95_wait_secs / 60.0)),
        format!("{:.2}", of(|summary| summary.mean_bounded_slowdown)),
    ]
}

#[test]
fn published_means() {
    let given = LimitModel::AsGiven;
    assert_eq!(means(&seed_lab_policy(), &given), ["84.2", "489.1", "1515.2", "52.48"]);
    assert_eq!(means(&seed_lab_policy(), &LimitModel::Exact), ["86.3", "656.6", "1610.4", "77.64"]);
    // "calc period 60": the lab's command line takes minutes.
    let hourly = with(|multifactor| multifactor.calc_period = SimDuration::from_secs(3600));
    assert_eq!(means(&hourly, &given)[0], "84.3");
    let classic = with(|multifactor| multifactor.fair_share = FairShare::Classic);
    assert_eq!(means(&classic, &given)[1], "539.4");
}

/// How many of the jobs that a cycle planned started later than they were first planned to.
fn missed(policy: &Policy, limits: &LimitModel) -> (usize, usize) {
    let fleet = Arc::new(FleetSpec::seed_lab().build().unwrap());
    let (mut planned, mut late) = (0, 0);
    for seed in 0..10 {
        let mut first: BTreeMap<JobId, SimTime> = BTreeMap::new();
        for decision in decisions(&fleet, &jobs(seed, limits), policy) {
            for promise in &decision.plan.reservations {
                first.entry(promise.job).or_insert(promise.at);
            }
            for start in &decision.plan.starts {
                let Some(first) = first.get(&start.job) else { continue };
                planned += 1;
                late += usize::from(decision.at > *first);
            }
        }
    }
    (late, planned)
}

#[test]
fn planned_starts_are_no_promises() {
    assert_eq!(missed(&seed_lab_policy(), &LimitModel::AsGiven), (591, 2708));
    let by_arrival = Policy { order: Order::Fifo, ..seed_lab_policy() };
    // The lab counts 426: in its floating point, three jobs start a rounding error after the moment that was planned.
    assert_eq!(missed(&by_arrival, &LimitModel::Exact), (423, 2859));
}

mod preemption {
    //! One quality of service per level of the factor; higher ones may preempt lower ones, and the victims come back.
    use super::*;

    fn policy() -> Policy {
        let rules = Preempt { grace: SimDuration::from_secs(300), ..Preempt::default() };
        Policy { preempt: Some(rules), ..seed_lab_policy() }
    }

    fn ladder() -> Site {
        let levels = [0, 500, 1000];
        let name = |level: u32| -> Arc<str> { format!("q{level}").into() };
        let qos = |priority| Qos {
            name: name(priority),
            priority,
            preempt: levels.into_iter().filter(|lower| *lower < priority).map(name).collect(),
            ..Qos::default()
        };
        Site { qos: levels.into_iter().map(qos).collect(), ..Site::default() }
    }

    /// What the lab prints about a run with preemption.
    struct Figures {
        utilisation: f64,
        waits: Vec<f64>,
        slowdown: f64,
        backfilled: (usize, usize),
        preempted: (usize, usize),
        /// CPU-hours and GPU-hours.
        lost: [f64; 2],
        grace: [f64; 2],
        makespan: f64,
    }

    fn figures(seed: u64) -> Figures {
        let fleet = Arc::new(FleetSpec::seed_lab().build().unwrap());
        let options = ReplayOptions { site: Arc::new(ladder()), ..ReplayOptions::default() };
        let run = replay(fleet, &jobs(seed, &LimitModel::AsGiven), &policy(), options).unwrap();
        let last: BTreeMap<JobId, &Span> = run.spans.iter().map(|span| (span.job, span)).collect();
        assert_eq!(last.len(), 300);
        assert!(last.values().all(|span| span.outcome == Outcome::Completed));
        let secs = |from: SimTime, to: SimTime| to.since(from).as_secs_f64();
        let end = run.spans.iter().map(|span| span.end).max().unwrap();
        let makespan = secs(run.spans.iter().map(|span| span.submit).min().unwrap(), end);
        let cpus = |span: &Span| f64::from(span.placement.total().cpus);
        let done = last.values().map(|span| cpus(span) * secs(span.start, span.end)).sum::<f64>();
        let mut waits: Vec<f64> = last.values().map(|span| secs(span.submit, span.start) / 60.0).collect();
        waits.sort_by(f64::total_cmp);
        let slowdown = |span: &&Span| secs(span.submit, span.end) / secs(span.start, span.end).max(60.0);
        let backfilled: BTreeSet<JobId> =
            run.spans.iter().filter(|span| span.backfilled).map(|span| span.job).collect();
        let mut figures = Figures {
            utilisation: done / (128.0 * makespan) * 100.0,
            waits,
            slowdown: mean(last.values().map(slowdown)),
            backfilled: (backfilled.len(), run.spans.iter().filter(|span| span.backfilled).count()),
            preempted: (0, 0),
            lost: [0.0; 2],
            grace: [0.0; 2],
            makespan: makespan / 3600.0,
        };
        for span in &run.spans {
            let Some(chosen) = span.preempted_at else { continue };
            figures.preempted.0 += 1;
            figures.preempted.1 += usize::from(secs(chosen, span.end) < 300.0);
            let held = span.placement.total();
            for (kind, amount) in [held.cpus, held.gpus].map(f64::from).into_iter().enumerate() {
                figures.lost[kind] += secs(span.start, chosen) * amount / 3600.0;
                figures.grace[kind] += secs(chosen, span.end) * amount / 3600.0;
            }
        }
        figures
    }

    impl Figures {
        fn mean_wait(&self) -> f64 {
            mean(self.waits.iter().copied())
        }
    }

    #[test]
    fn seed_five() {
        let figures = figures(5);
        let median = f64::midpoint(figures.waits[149], figures.waits[150]);
        let waits = format!("{:.1}/{:.1}/{:.1}", figures.mean_wait(), median, figures.waits[284]);
        assert_eq!(waits, "467.4/113.6/1702.3");
        assert_eq!(format!("{:.1}/{:.2}", figures.utilisation, figures.slowdown), "89.4/59.06");
        assert_eq!(figures.backfilled, (225, 259));
        assert_eq!(figures.preempted, (38, 15));
        let [lost, grace] = [figures.lost, figures.grace].map(|[cpu, gpu]| format!("{cpu:.1}/{gpu:.1}"));
        assert_eq!((lost.as_str(), grace.as_str()), ("159.0/15.8", "37.6/4.5"));
        assert_eq!(format!("{:.2}", figures.makespan), "44.43");
    }

    #[test]
    fn ten_seeds() {
        let all: Vec<Figures> = (0..10).map(figures).collect();
        let of = |figure: fn(&Figures) -> f64| mean(all.iter().map(figure));
        assert_eq!(format!("{:.1}", of(|figures| figures.utilisation)), "82.8");
        assert_eq!(format!("{:.1}", of(Figures::mean_wait)), "503.7");
        assert_eq!(format!("{:.1}", of(|figures| figures.waits[284])), "1573.1");
        assert_eq!(format!("{:.2}", of(|figures| figures.slowdown)), "59.55");
        assert_eq!(format!("{:.1}", of(|figures| figures.lost[0])), "102.4");
        assert_eq!(format!("{:.1}", of(|figures| figures.grace[0])), "35.5");
        let range = |figure: fn(&Figures) -> f64| {
            let mut figures: Vec<f64> = all.iter().map(figure).collect();
            figures.sort_by(f64::total_cmp);
            format!("{:.1}-{:.1}", figures[0], figures[9])
        };
        assert_eq!(range(|figures| figures.lost[0]), "53.8-205.0");
        assert_eq!(range(|figures| figures.grace[0]), "13.7-80.3");
    }
}
