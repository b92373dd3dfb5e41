//! Figures that others published or computed, start by start where they exist.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

use std::collections::BTreeMap;
use std::sync::Arc;

use switchyard_model::{
    Fleet, FleetSpec, Job, JobId, JobSpec, PerMille, Resources, Shape, SimDuration, SimTime, Terms, Truth,
};
use switchyard_scheduler::{
    Order, Overrun, Policy, ReplayOptions, Run, SlowdownRule, Summary, SummaryOptions, replay,
};
use switchyard_workload::generate::seed_lab_v01;

/// The text of a shared trace, or `None` with a note where there is none.
fn shared(name: &str) -> Option<String> {
    let path = format!("{}/../../../shared/traces/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).ok();
    if text.is_none() {
        eprintln!("skipped: there is no {path}");
    }
    text
}

fn rows(csv: &str) -> Vec<Vec<&str>> {
    csv.lines().skip(1).map(|line| line.split(',').collect()).collect()
}

fn run(fleet: &FleetSpec, jobs: &[Job], policy: &Policy, overrun: Overrun) -> Run {
    let fleet: Arc<Fleet> = Arc::new(fleet.build().unwrap());
    replay(fleet, jobs, policy, ReplayOptions { overrun, ..ReplayOptions::default() }).unwrap()
}

fn starts(run: &Run) -> BTreeMap<JobId, u64> {
    run.spans.iter().map(|span| (span.job, span.start.as_micros() / 1_000_000)).collect()
}

/// Fixed decimals, the way the figures are printed.
fn fixed(value: f64, decimals: usize) -> String {
    format!("{value:.decimals$}")
}

mod seed_lab {
    //! The repository slurm-scheduler-lab, version 0.1: 300 jobs on 16 nodes of 8 CPUs and 2 GPUs.
    use super::*;

    fn summary(policy: &Policy, seed: u64) -> Summary {
        let fleet = FleetSpec::uniform("lab", 16, Resources { cpus: 8, gpus: 2, memory_mib: 0 });
        let run = run(&fleet, &seed_lab_v01(300, seed), policy, Overrun::Kill);
        assert_eq!((run.spans.len(), run.never_started.len()), (300, 0));
        let options = SummaryOptions { slowdown: SlowdownRule::SEED_LAB, ..SummaryOptions::default() };
        Summary::of(&run, options)
    }

    fn named(name: &str) -> Policy {
        Policy::named(name).unwrap()
    }

    /// Utilisation in per cent; mean, median and p95 of the wait in minutes; bounded slowdown.
    fn printed(summary: &Summary) -> [String; 5] {
        [
            summary.utilisation * 100.0,
            summary.mean_wait_secs / 60.0,
            summary.median_wait_secs / 60.0,
            summary.p95_wait_secs / 60.0,
            summary.mean_bounded_slowdown,
        ]
        .map(|value| fixed(value, 2))
    }

    #[test]
    fn backfill_off() {
        let summary = summary(&named("seed-lab-v01-off"), 5);
        assert_eq!(printed(&summary), ["72.19", "1912.99", "2303.27", "2918.55", "373.18"]);
        assert_eq!(summary.backfilled, 0);
    }

    #[test]
    fn backfill_on() {
        let summary = summary(&named("seed-lab-v01"), 5);
        assert_eq!(printed(&summary), ["83.62", "373.68", "131.93", "1817.67", "55.66"]);
        assert_eq!(summary.backfilled, 246);
    }

    /// The weight of the job size against everything else.
    #[test]
    fn job_size_sweep() {
        let expected = [
            (0, ["87.28", "352.87", "1978.41", "52.08"]),
            (1_000, ["90.57", "348.22", "1879.38", "58.08"]),
            (10_000, ["83.62", "373.68", "1817.67", "55.66"]),
            (100_000, ["93.39", "496.69", "1904.66", "60.79"]),
        ];
        for (weight, expected) in expected {
            let mut policy = named("seed-lab-v01");
            let Order::Multifactor(multifactor) = &mut policy.order else { unreachable!() };
            multifactor.weights.job_size = weight;
            let [utilisation, mean, _, p95, slowdown] = printed(&summary(&policy, 5));
            assert_eq!([utilisation, mean, p95, slowdown], expected, "job size weight {weight}");
        }
    }

    /// Mean waits in minutes without backfill and with it, for the seeds 0 to 19.
    #[test]
    fn twenty_seeds() {
        let expected = [
            ("1298.7", "280.5"),
            ("1285.4", "252.7"),
            ("1630.2", "267.0"),
            ("1347.4", "575.0"),
            ("1468.2", "313.8"),
            ("1913.0", "373.7"),
            ("2144.8", "943.8"),
            ("1235.6", "236.5"),
            ("1372.4", "329.3"),
            ("1741.9", "501.0"),
            ("1840.5", "581.1"),
            ("1680.0", "423.3"),
            ("1816.1", "346.9"),
            ("1407.9", "343.9"),
            ("1536.4", "360.0"),
            ("1635.5", "236.3"),
            ("1627.6", "302.2"),
            ("1759.7", "345.0"),
            ("1103.8", "263.8"),
            ("1698.9", "291.6"),
        ];
        let mean = |policy, seed| fixed(summary(&named(policy), seed).mean_wait_secs / 60.0, 1);
        let ours: Vec<_> =
            (0..20).map(|seed| (mean("seed-lab-v01-off", seed), mean("seed-lab-v01", seed))).collect();
        let ours: Vec<_> = ours.iter().map(|(off, on)| (off.as_str(), on.as_str())).collect();
        assert_eq!(ours, expected);
    }
}

mod kth {
    //! The log of KTH's SP2 (100 processors, 28,476 jobs), with starts computed by two versions of the simulator pyss.
    use super::*;
    use switchyard_workload::{ReadOptions, Workload, read};

    fn trace(name: &str) -> Option<Workload> {
        let text = shared(name)?;
        Some(read(name, text.as_bytes(), &ReadOptions::default()).unwrap().0)
    }

    /// Golden starts in the trace's own seconds, brought to the workload's origin.
    fn golden(name: &str, workload: &Workload) -> Option<BTreeMap<JobId, u64>> {
        let origin = workload.origin.as_micros() / 1_000_000;
        let text = shared(&format!("golden/{name}"))?;
        let number = |text: &str| text.parse::<u64>().unwrap();
        Some(rows(&text).iter().map(|row| (JobId(number(row[0])), number(row[2]) - origin)).collect())
    }

    fn summary(run: &Run) -> Summary {
        Summary::of(run, SummaryOptions::default())
    }

    fn kth(workload: &Workload, policy: &str, overrun: Overrun) -> Run {
        run(&FleetSpec::processors(100), &workload.jobs, &Policy::named(policy).unwrap(), overrun)
    }

    #[test]
    fn head_first_come_first_served() {
        let Some(workload) = trace("KTH-SP2-1996-head1000.swf") else { return };
        let Some(golden) = golden("kth_head1000_fcfs_pyss2007.csv", &workload) else { return };
        let run = kth(&workload, "fcfs", Overrun::Both);
        assert_eq!(golden.len(), 1000);
        assert_eq!(starts(&run), golden);
        let summary = summary(&run);
        assert_eq!(fixed(summary.mean_wait_secs, 1), "16618.6");
        assert_eq!(fixed(summary.mean_bounded_slowdown, 2), "447.19");
        assert_eq!(fixed(summary.max_wait_secs, 0), "123228");
    }

    #[test]
    fn head_easy() {
        let Some(workload) = trace("KTH-SP2-1996-head1000.swf") else { return };
        let summary = summary(&kth(&workload, "easy", Overrun::Both));
        assert_eq!(fixed(summary.mean_wait_secs, 2), "2929.54");
        assert_eq!(fixed(summary.mean_bounded_slowdown, 2), "48.14");
        assert_eq!(fixed(summary.max_wait_secs, 0), "93988");
    }

    #[test]
    fn whole_log_easy() {
        let Some(workload) = trace("KTH-SP2-1996-2.1-cln.swf") else { return };
        let Some(golden) = golden("kth_full_easy_pyss.csv", &workload) else { return };
        let run = kth(&workload, "easy", Overrun::Both);
        assert_eq!(golden.len(), 28_476);
        assert!(starts(&run) == golden, "starts differ from the golden file");
        let both = summary(&run);
        assert_eq!(fixed(both.mean_wait_secs, 2), "6843.53");
        assert_eq!(fixed(both.mean_bounded_slowdown, 3), "92.886");
        assert_eq!(fixed(both.max_wait_secs, 0), "262194");
    }

    /// The same log under the other rules for jobs that run over their limit.
    #[test]
    fn whole_log_easy_by_overrun_rule() {
        let Some(workload) = trace("KTH-SP2-1996-2.1-cln.swf") else { return };
        let of = |overrun| {
            let summary = summary(&kth(&workload, "easy", overrun));
            (fixed(summary.mean_wait_secs, 2), fixed(summary.mean_bounded_slowdown, 3), summary.utilisation)
        };
        let (wait, slowdown, utilisation) = of(Overrun::Kill);
        assert_eq!((wait.as_str(), slowdown.as_str()), ("6836.99", "92.867"));
        assert_eq!(fixed(utilisation, 4), "0.6971");
        let (wait, slowdown, _) = of(Overrun::Extend);
        assert_eq!((wait.as_str(), slowdown.as_str()), ("6804.93", "90.938"));
    }

    #[test]
    fn head_conservative() {
        let Some(workload) = trace("KTH-SP2-1996-head1000.swf") else { return };
        let Some(golden) = golden("kth_head1000_conservative_pyss2007.csv", &workload) else { return };
        let run = kth(&workload, "conservative", Overrun::Both);
        assert_eq!(golden.len(), 1000);
        assert_eq!(starts(&run), golden);
        let summary = summary(&run);
        assert_eq!(fixed(summary.mean_wait_secs, 2), "2687.17");
        assert_eq!(fixed(summary.mean_bounded_slowdown, 2), "42.54");
        assert_eq!(fixed(summary.max_wait_secs, 0), "92983");
    }

    /// Moving up (rule 6) and planning anew (rule 7).
    #[test]
    fn whole_log_conservative() {
        let Some(workload) = trace("KTH-SP2-1996-2.1-cln.swf") else { return };
        let of = |policy| {
            let summary = summary(&kth(&workload, policy, Overrun::Kill));
            [
                fixed(summary.mean_wait_secs, 2),
                fixed(summary.mean_bounded_slowdown, 3),
                fixed(summary.max_wait_secs, 0),
            ]
        };
        assert_eq!(of("conservative"), ["7313.89", "89.242", "249058"]);
        assert_eq!(of("conservative-replan"), ["7941.86", "102.317", "249742"]);
    }

    #[test]
    fn whole_log_first_come_first_served() {
        let Some(workload) = trace("KTH-SP2-1996-2.1-cln.swf") else { return };
        let summary = summary(&kth(&workload, "fcfs", Overrun::Kill));
        assert_eq!(fixed(summary.mean_wait_secs, 2), "353930.66");
        assert_eq!(fixed(summary.mean_bounded_slowdown, 1), "6825.4");
    }
}

mod lublin {
    //! Ten thousand jobs of the Lublin-Feitelson model on 256 processors, which keep an overloaded queue long.
    use super::*;
    use switchyard_workload::{ReadOptions, read};

    #[test]
    fn first_come_first_served_and_easy() {
        let Some(text) = shared("lublin_256.swf") else { return };
        let (workload, _) = read("lublin_256.swf", text.as_bytes(), &ReadOptions::default()).unwrap();
        let of = |policy| {
            let policy = Policy::named(policy).unwrap();
            let run = run(&FleetSpec::processors(256), &workload.jobs, &policy, Overrun::Kill);
            let summary = Summary::of(&run, SummaryOptions::default());
            [
                fixed(summary.mean_wait_secs, 1),
                fixed(summary.mean_bounded_slowdown, 2),
                fixed(summary.utilisation, 4),
            ]
        };
        assert_eq!(of("easy"), ["97156.0", "590.05", "0.9363"]);
        assert_eq!(of("fcfs")[..2], ["2388443.8", "66502.48"]);
    }
}

mod micro {
    //! Thirty tiny cases in which the disciplines differ. A processor is a node here, so that the machines can be compared.
    use super::*;

    struct Case<'a> {
        procs: u32,
        jobs: Vec<Job>,
        rows: Vec<Vec<&'a str>>,
    }

    fn number(text: &str) -> u32 {
        text.parse().unwrap()
    }

    fn job(row: &[&str]) -> Job {
        let secs = |column: usize| u64::from(number(row[column]));
        let spec = JobSpec {
            id: JobId(secs(2)),
            user: "user".into(),
            account: "account".into(),
            submit: SimTime::from_secs(secs(3)),
            limit: SimDuration::from_secs(secs(5)),
            shape: Shape::Nodes { nodes: number(row[4]), per_node: Resources::cpus(1) },
            qos: PerMille(0),
            terms: Terms::default(),
        };
        Job { spec: Arc::new(spec), truth: Truth::new(SimDuration::from_secs(secs(6))) }
    }

    fn cases(csv: &str) -> Vec<Case<'_>> {
        let mut cases: BTreeMap<u32, Case<'_>> = BTreeMap::new();
        for row in rows(csv) {
            let case = cases.entry(number(row[0])).or_insert_with(|| Case {
                procs: number(row[1]),
                jobs: Vec::new(),
                rows: Vec::new(),
            });
            case.jobs.push(job(&row));
            case.rows.push(row);
        }
        cases.into_values().collect()
    }

    fn check(policy: &str, column: usize, machines: Option<usize>) {
        let Some(csv) = shared("golden/micro_vectors.csv") else { return };
        let cases = cases(&csv);
        assert_eq!(cases.len(), 30);
        for case in cases {
            let fleet = FleetSpec::uniform("machines", case.procs, Resources::cpus(1));
            let run = run(&fleet, &case.jobs, &Policy::named(policy).unwrap(), Overrun::Kill);
            for row in &case.rows {
                let job = JobId(number(row[2]).into());
                let span = run.spans.iter().find(|span| span.job == job).unwrap();
                let at = format!("case {}, job {job} under {policy}", row[0]);
                assert_eq!(span.start, SimTime::from_secs(number(row[column]).into()), "{at}");
                if let Some(column) = machines {
                    let ours: Vec<String> = span.placement.nodes().map(|node| node.to_string()).collect();
                    assert_eq!(ours.join(" "), row[column], "{at}");
                }
            }
        }
    }

    #[test]
    fn first_come_first_served() {
        check("fcfs", 7, None);
    }

    #[test]
    fn easy_by_counting() {
        check("easy", 8, None);
    }

    #[test]
    fn easy_by_machine() {
        check("easy-machine", 9, Some(10));
    }

    #[test]
    fn conservative() {
        check("conservative", 11, None);
    }

    #[test]
    fn conservative_planned_anew() {
        check("conservative-replan", 12, None);
    }
}

mod batsim {
    //! 801 jobs on 32 hosts under the EASY of Batsim's scheduler: starts and hosts from its stored outputs.
    use super::*;

    const NAME: &str = "golden/batsim_easy_medium_late_jobs.csv";

    fn job(row: &[&str]) -> Job {
        let time = |column: usize| SimTime::from_secs_f64(row[column].parse().unwrap()).unwrap();
        let length = |column: usize| time(column).since(SimTime::ZERO);
        let spec = JobSpec {
            id: JobId(row[0].parse().unwrap()),
            user: "user".into(),
            account: "account".into(),
            submit: time(3),
            limit: length(5),
            shape: Shape::Nodes { nodes: row[4].parse().unwrap(), per_node: Resources::cpus(1) },
            qos: PerMille(0),
            terms: Terms::default(),
        };
        Job { spec: Arc::new(spec), truth: Truth::new(length(8)) }
    }

    fn replayed(csv: &str, policy: &str) -> BTreeMap<JobId, (SimTime, String)> {
        let jobs: Vec<Job> = rows(csv).iter().map(|row| job(row)).collect();
        let fleet = FleetSpec::uniform("hosts", 32, Resources::cpus(1));
        let run = run(&fleet, &jobs, &Policy::named(policy).unwrap(), Overrun::Kill);
        run.spans.iter().map(|span| (span.job, (span.start, span.placement.to_string()))).collect()
    }

    fn is_near(ours: SimTime, theirs: &str) -> bool {
        (ours.as_secs_f64() - theirs.parse::<f64>().unwrap()).abs() < 1e-4
    }

    #[test]
    fn easy_by_machine() {
        let Some(csv) = shared(NAME) else { return };
        let ours = replayed(&csv, "easy-machine");
        assert_eq!(ours.len(), 801);
        for row in rows(&csv) {
            let (start, hosts) = &ours[&JobId(row[0].parse().unwrap())];
            assert!(is_near(*start, row[7]), "job {}: {start} is not {} s", row[0], row[7]);
            assert_eq!(hosts, row[14], "job {}", row[0]);
        }
    }

    #[test]
    fn conservative_by_machine() {
        let Some(csv) = shared("golden/batsim_conservative_medium_late_jobs.csv") else { return };
        let ours = replayed(&csv, "conservative-machine");
        assert_eq!(ours.len(), 801);
        for row in rows(&csv) {
            let (start, hosts) = &ours[&JobId(row[0].parse().unwrap())];
            assert!(is_near(*start, row[7]), "job {}: {start} is not {} s", row[0], row[7]);
            assert_eq!(hosts, row[14], "job {}", row[0]);
        }
    }

    /// The same input tells the two kinds of EASY apart.
    #[test]
    fn easy_by_counting_differs() {
        let Some(csv) = shared(NAME) else { return };
        let ours = replayed(&csv, "easy");
        let equal =
            rows(&csv).iter().filter(|row| is_near(ours[&JobId(row[0].parse().unwrap())].0, row[7])).count();
        assert_eq!(equal, 725);
    }
}
