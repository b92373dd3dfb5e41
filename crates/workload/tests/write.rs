//! What is written is read back as it was: by hand, for all jobs, and for whole traces.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod common;

use std::sync::Arc;

use common::{read_text, traces};
use proptest::collection::vec;
use proptest::prelude::*;
use switchyard_model::{
    ArrayTask, Dependency, DependencyKind, Job, JobId, JobSpec, Oracle, PerMille, Resources, Shape,
    SimDuration, SimTime, Terms, Truth,
};
use switchyard_workload::{
    Generator, Lost, Profile, ReadOptions, Recipe, Recorded, Status, Workload, WriteFormat, read, write,
};

fn written(workload: &Workload, format: WriteFormat) -> String {
    let mut bytes = Vec::new();
    write(workload, format, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

fn back(text: &str) -> Workload {
    let (workload, report) = read_text(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert!(report.skipped.is_empty(), "{report}");
    workload
}

/// All that a job holds and the format has a place for, in one value.
fn held(workload: &Workload, format: WriteFormat) -> Vec<String> {
    let oracle = Oracle::new();
    let row = |(index, job): (usize, &Job)| {
        let spec = &job.spec;
        let recorded = workload.recorded(index);
        let at = spec.submit + workload.origin.since(SimTime::ZERO);
        let all = (at, oracle.runtime(&job.truth), spec.limit, &spec.user, &spec.account, &spec.terms);
        let (partition, qos) = (&spec.terms.partition, &spec.terms.qos);
        match format {
            WriteFormat::Swf => {
                let terms = Terms { partition: partition.clone(), qos: qos.clone(), ..Terms::default() };
                let all = (all.0, all.1, all.2, all.3, all.4, &terms);
                format!("{} {all:?} {} {recorded:?}", spec.id, spec.shape.total().cpus)
            }
            WriteFormat::Csv => format!("{} {all:?} {:?} {} {recorded:?}", spec.id, spec.shape, spec.qos.0),
            WriteFormat::Json => {
                let spec = JobSpec { submit: SimTime::ZERO, ..(**spec).clone() };
                format!("{spec:?} {all:?} {recorded:?}")
            }
        }
    };
    workload.jobs.iter().enumerate().map(row).collect()
}

const SWF: &str = "; Version: 2.2\n; UnixStartTime: 843480013\n; MaxProcs: 100\n; Partition: 7 gpu\n\
    1 10 5 60 8 489.5 1000 8 120 2000 1 7 3 4 2 7 -1 -1\n\
    2 12.5 -1 489 4 -1 -1 -1 -1 -1 0 -1 3 -1 -1 1 1 30\n\
    3 20 0 0 -1 -1 -1 -1 60 -1 5 8 -1 -1 -1 -1 -1 -1\n";

#[test]
fn a_trace_keeps_what_its_jobs_have_no_place_for() {
    let text = SWF.replace("3 20 0 0 -1 -1 -1 -1 60 -1 5", "3 20 0 0 -1 -1 -1 -1 60 -1 1");
    let out = written(&back(&text), WriteFormat::Swf);
    let expected = "; Version: 2.2\n; UnixStartTime: 843480013\n; MaxProcs: 100\n\
        ; MaxJobs: 3\n; MaxRecords: 3\n; MaxNodes: 100\n; Partition: 7 gpu\n";
    assert_eq!(out, expected.to_owned() + text.split_once("gpu\n").unwrap().1);
}

#[test]
fn a_changed_job_is_written_as_it_is_now() {
    let mut workload = back(&SWF.replace(" 60 -1 5 8", " 60 -1 1 8"));
    let job = Arc::make_mut(&mut workload.jobs[0].spec);
    job.shape = Shape::Tasks { tasks: 16, per_task: Resources::cpus(1) };
    Arc::make_mut(&mut workload.jobs[1].spec).limit = SimDuration::from_secs(900);
    let out = written(&workload, WriteFormat::Swf);
    assert!(out.contains("\n1 10 5 60 16 489.5 1000 16 120"), "{out}");
    assert!(out.contains("\n2 12.5 -1 489 4 -1 -1 -1 900"), "{out}");
}

#[test]
fn names_become_numbers_and_come_back() {
    let dump = "JobID|User|Account|Submit|Start|Elapsed|Timelimit|State|NNodes|NCPUS|AllocTRES|Partition|QOS\n\
        7|ann|bio|2020-01-01T00:00:00|2020-01-01T00:01:00|00:10:00|01:00:00|COMPLETED|2|8|cpu=8,mem=16G,node=2,gres/gpu=2|gpu|high\n\
        8|u12|bio|2020-01-01T00:00:09|2020-01-01T00:01:00|00:10:00|Partition_Limit|CANCELLED by 12|1|8|cpu=8|cpu|\n\
        9|bob|g1|2020-01-01T00:00:10|2020-01-01T00:01:00|00:10:00|01:00:00|TIMEOUT|1|8|cpu=8||high\n";
    let (jobs, _) = read_text(dump).unwrap();
    let out = written(&jobs, WriteFormat::Swf);
    for line in [
        "; UnixStartTime: 1577836800",
        "; Partition: 1 gpu",
        "; Partition: 2 cpu",
        "; QOS: 1 high",
        "; User: 1 ann",
        "; User: 2 bob",
        "; Group: 2 bio",
        "7 0 60 600 8 -1 -1 8 3600 2097152 1 1 2 -1 1 1 -1 -1",
        "8 9 51 600 8 -1 -1 8 -1 -1 5 12 2 -1 -1 2 -1 -1",
        "9 10 50 600 8 -1 -1 8 3600 -1 0 2 1 -1 1 -1 -1 -1",
    ] {
        assert!(out.lines().any(|known| known == line), "{line}\n{out}");
    }
    let names = |workload: &Workload| -> Vec<String> {
        let name = |job: &Job| format!("{} {} {:?}", job.spec.user, job.spec.account, job.spec.terms);
        workload.jobs.iter().map(name).collect()
    };
    assert_eq!(names(&back(&out)), names(&jobs));
}

#[test]
fn what_a_format_has_no_place_for_is_counted() {
    let lab = Recipe::new(Generator::SeedLab, 50, 5).generate(None).unwrap();
    let mut out = Vec::new();
    let report = write(&lab, WriteFormat::Swf, &mut out).unwrap();
    assert_eq!(report.jobs, 50);
    assert_eq!(report.lost.keys().copied().collect::<Vec<_>>(), [Lost::Gpus, Lost::Nodes, Lost::QosFactor]);
    assert_eq!(report.lost[&Lost::Nodes], (50, JobId(1)));
    assert!(report.to_string().starts_with("Wrote 50 jobs.\n"), "{report}");
    for format in [WriteFormat::Csv, WriteFormat::Json] {
        assert!(write(&lab, format, &mut Vec::new()).unwrap().lost.is_empty(), "{format}");
    }
}

#[test]
fn every_generators_jobs_come_back() {
    for generator in Generator::ALL {
        let workload = Recipe::new(generator, 200, 3).generate(None).unwrap();
        for format in [WriteFormat::Csv, WriteFormat::Json] {
            let again = back(&written(&workload, format));
            assert_eq!(held(&again, format), held(&workload, format), "{generator} {format}");
        }
    }
}

/// A published output of the model without types, for 256 processors: its distributions, and ours.
#[test]
fn the_model_of_lublin_and_feitelson_is_theirs() {
    let Some(folder) = traces() else { return };
    let bytes = std::fs::read(folder.join("lublin_256.swf")).unwrap();
    let (theirs, _) = read("lublin_256.swf", &bytes, &ReadOptions::default()).unwrap();
    let ours = Recipe::new(Generator::LublinTypeless, 10_000, 1).generate(Some(256)).unwrap();
    let (theirs, ours) = (Profile::of(&theirs, 256), Profile::of(&ours, 256));
    let near = |a: f64, b: f64, part: f64| assert!((a / b - 1.0).abs() < part, "{a} {b}");
    near(ours.serial as f64, theirs.serial as f64, 0.05);
    near(ours.power_of_two as f64, theirs.power_of_two as f64, 0.02);
    for (ours, theirs) in
        [(ours.cpus, theirs.cpus), (ours.runtimes, theirs.runtimes), (ours.gaps, theirs.gaps)]
    {
        let (ours, theirs) = (ours.unwrap(), theirs.unwrap());
        near(ours.median, theirs.median, 0.1);
        near(ours.p75, theirs.p75, 0.2);
        near(ours.p95, theirs.p95, 0.1);
        near(ours.mean, theirs.mean, 0.15);
    }
}

#[test]
fn json_brings_its_machines_along() {
    let workload = Recipe::new(Generator::K8sLab, 20, 0).generate(None).unwrap();
    let again = back(&written(&workload, WriteFormat::Json));
    assert_eq!((&again.made_for, &again.name), (&workload.made_for, &workload.name));
}

/// Numbers of a row, as a reader takes them.
fn numbers(text: &str) -> Vec<Vec<f64>> {
    let rows = text.lines().filter(|line| !line.trim_start().starts_with(';') && !line.trim().is_empty());
    rows.map(|row| row.split_whitespace().take(18).map(|number| number.parse().unwrap()).collect()).collect()
}

#[test]
fn whole_traces_come_back_row_by_row() {
    let Some(folder) = traces() else { return };
    for (name, jobs) in [
        ("KTH-SP2-1996-2.1-cln.swf", 28_476),
        ("NASA-iPSC-1993-3.1-cln.swf", 18_239),
        ("CEA-Curie-sample.swf", 29_998),
        ("lublin_256.swf", 10_000),
    ] {
        let text = std::fs::read_to_string(folder.join(name)).unwrap();
        let (workload, _) = read(name, text.as_bytes(), &ReadOptions::default()).unwrap();
        let out = written(&workload, WriteFormat::Swf);
        let (before, after) = (numbers(&text), numbers(&out));
        assert_eq!((before.len(), after.len()), (jobs, jobs), "{name}");
        for (before, after) in before.iter().zip(&after) {
            assert_eq!(before, after, "{name}");
        }
    }
}

fn job() -> impl Strategy<Value = (Job, Recorded)> {
    let time = || prop_oneof![0u64..100_000, Just(0), Just(1), 0u64..10_000_000_000_000];
    let name = || {
        prop_oneof![Just("unknown"), Just("u7"), Just("g7"), Just("ann"), Just("bob, jr \"x\""), Just("7")]
    };
    let optional = || prop_oneof![Just(None), Just(Some("a")), Just(Some("b c"))];
    let shape = (any::<bool>(), 1u32..5000, 1u32..200, 0u32..9, 0u64..1_000_000);
    let recorded = (proptest::option::of(time()), 0usize..Status::ALL.len(), any::<bool>());
    (
        time(),
        time(),
        1u64..10_000_000_000,
        name(),
        name(),
        (optional(), optional()),
        0u16..=1000,
        shape,
        recorded,
    )
        .prop_map(
            |(
                submit,
                runtime,
                limit,
                user,
                account,
                (partition, qos),
                factor,
                shape,
                (wait, status, assumed),
            )| {
                let (nodes, parts, cpus, gpus, memory_mib) = shape;
                let each = Resources { cpus, gpus, memory_mib };
                let runtime = SimDuration::from_micros(runtime);
                let stand_in = runtime.max(SimDuration::from_secs(1));
                let spec = JobSpec {
                    user: user.into(),
                    account: account.into(),
                    qos: PerMille(factor),
                    terms: Terms {
                        partition: partition.map(Arc::from),
                        qos: qos.map(Arc::from),
                        ..Terms::default()
                    },
                    ..JobSpec::new(
                        JobId(0),
                        SimTime::from_micros(submit),
                        if assumed { stand_in } else { SimDuration::from_micros(limit) },
                        if nodes {
                            Shape::Nodes { nodes: parts, per_node: each }
                        } else {
                            Shape::Tasks { tasks: parts, per_task: each }
                        },
                    )
                };
                let recorded = Recorded {
                    wait: wait.map(SimDuration::from_micros),
                    status: Status::ALL[status],
                    limit_assumed: assumed,
                };
                (Job { spec: Arc::new(spec), truth: Truth::new(runtime) }, recorded)
            },
        )
}

/// Jobs in order, from an origin.
fn workload(jobs: Vec<(Job, Recorded)>, origin: u64) -> Workload {
    let mut jobs = jobs;
    jobs.sort_by_key(|(job, _)| job.spec.submit);
    let first = jobs.first().map_or(SimTime::ZERO, |(job, _)| job.spec.submit);
    for (number, (job, _)) in (1..).zip(&mut jobs) {
        let spec = Arc::make_mut(&mut job.spec);
        spec.id = JobId(number);
        spec.submit = SimTime::ZERO + spec.submit.since(first);
    }
    let (jobs, history) = jobs.into_iter().unzip();
    Workload { history, origin: SimTime::from_micros(origin), ..Workload::new("made", jobs) }
}

proptest! {
    /// Submission, runtime, processors, limit, user, group, queue, partition and status.
    #[test]
    fn what_swf_has_a_place_for_comes_back(jobs in vec(job(), 1..40), origin in 0u64..2_000_000_000_000_000) {
        let mut workload = workload(jobs, origin);
        for recorded in &mut workload.history {
            // The format has three of them.
            recorded.status = match recorded.status {
                Status::Unknown | Status::Completed | Status::Cancelled => recorded.status,
                _ => Status::Failed,
            };
        }
        // Without a runtime, status 5 is a job that was cancelled in the queue.
        for (job, recorded) in workload.jobs.iter_mut().zip(&workload.history) {
            if recorded.status == Status::Cancelled && Oracle::new().runtime(&job.truth).is_zero() {
                job.truth = Truth::new(SimDuration::from_secs(1));
            }
        }
        let again = back(&written(&workload, WriteFormat::Swf));
        prop_assert_eq!(held(&again, WriteFormat::Swf), held(&workload, WriteFormat::Swf));
        // And once more, now that there is something to keep.
        let third = back(&written(&again, WriteFormat::Swf));
        prop_assert_eq!(held(&third, WriteFormat::Swf), held(&again, WriteFormat::Swf));
    }

    #[test]
    fn tables_and_json_bring_every_job_back(jobs in vec(job(), 1..40), origin in 0u64..2_000_000_000_000_000) {
        let mut workload = workload(jobs, origin);
        let again = back(&written(&workload, WriteFormat::Json));
        prop_assert_eq!(held(&again, WriteFormat::Json), held(&workload, WriteFormat::Json));
        for job in &mut workload.jobs {
            let spec = Arc::make_mut(&mut job.spec);
            spec.limit = spec.limit.max(SimDuration::from_secs(1));
        }
        let again = back(&written(&workload, WriteFormat::Csv));
        prop_assert_eq!(held(&again, WriteFormat::Csv), held(&workload, WriteFormat::Csv));
    }
}

#[test]
fn json_keeps_all_terms() {
    let terms = Terms {
        nice: -5,
        begin: SimTime::from_secs(100),
        after: vec![Dependency { job: JobId(1), kind: DependencyKind::AfterOk }],
        array: Some(ArrayTask { array: JobId(1), index: 3, throttle: 2 }),
        exclusive: true,
        features: vec!["avx".into()],
        reservation: Some("r".into()),
        ..Terms::default()
    };
    let shape = Shape::Tasks { tasks: 1, per_task: Resources::cpus(1) };
    let spec = JobSpec { terms, ..JobSpec::new(JobId(2), SimTime::ZERO, SimDuration::from_secs(9), shape) };
    let job = Job { spec: Arc::new(spec), truth: Truth::new(SimDuration::from_secs(5)) };
    let made = Workload { origin: SimTime::from_secs(1000), ..Workload::new("terms", vec![job]) };
    let again = back(&written(&made, WriteFormat::Json));
    assert_eq!(held(&again, WriteFormat::Json), held(&made, WriteFormat::Json));
    let report = write(&made, WriteFormat::Csv, &mut Vec::new()).unwrap();
    assert_eq!(report.lost[&Lost::OtherTerms], (1, JobId(2)));
}
