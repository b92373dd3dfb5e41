//! Batsim's workloads: what becomes a job, what is skipped, and what is said of mistakes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod common;

use std::collections::BTreeMap;

use common::{error_of, limit_secs, read_text, runtime_secs, traces};
use switchyard_model::{Resources, Shape, SimTime};
use switchyard_workload::{ChangeKind, Format, Place, ReadOptions, Report, SkipReason, Workload, read};

const PROFILES: &str = r#"{
    "ten": {"type": "delay", "delay": 10},
    "new": {"type": "DelayProfile", "delay": 2.5},
    "work": {"type": "ptask_homogeneous", "cpu": 1e9, "com": 0},
    "twice": {"type": "composed", "repeat": 2, "seq": ["ten", "new"]},
    "deep": {"type": "SequentialCompositionProfile", "seq": ["twice", "ten"]},
    "mixed": {"type": "composed", "seq": ["ten", "work"]},
    "endless": {"type": "composed", "seq": ["ten", "endless"]},
    "broken": {"type": "delay", "delay": "soon"},
    "untyped": {"delay": 10}
}"#;

fn with(jobs: &[&str]) -> String {
    format!("{{\"nb_res\": 8, \"jobs\": [{}], \"profiles\": {PROFILES}}}", jobs.join(",\n"))
}

const GOOD: &str = r#"{"id": 1, "subtime": 5.5, "walltime": 20, "res": 4, "profile": "ten"}"#;

fn accepts(job: &str) -> (Workload, Report) {
    read_text(&with(&[GOOD, job])).unwrap()
}

#[test]
fn a_job_with_a_delay_is_read() {
    let (workload, report) = read_text(&with(&[GOOD])).unwrap();
    assert_eq!((report.format, report.rows, report.jobs), (Some(Format::Batsim), 1, 1));
    assert_eq!((workload.declared_procs, workload.origin), (Some(8), SimTime::from_micros(5_500_000)));
    let job = &workload.jobs[0];
    assert_eq!((job.spec.id.0, &*job.spec.user, &*job.spec.account), (1, "unknown", "unknown"));
    assert_eq!((runtime_secs(job), limit_secs(job)), (10, 20));
    assert_eq!(job.spec.shape, Shape::Tasks { tasks: 4, per_task: Resources::cpus(1) });
    assert_eq!(report.to_string(), "Read 1 job from 1 row (Batsim).");
}

/// Twice (10 + 2.5) is 25; and 10 more are 35.
#[test]
fn sequences_of_delays_are_sums() {
    let runtime = |profile: &str| {
        let job = format!(
            "{{\"id\": 2, \"subtime\": 6, \"walltime\": 99, \"res\": 1, \"profile\": \"{profile}\"}}"
        );
        runtime_secs(&accepts(&job).0.jobs[1])
    };
    assert_eq!((runtime("twice"), runtime("deep"), runtime("ten")), (25, 35, 10));
}

#[test]
fn what_only_a_platform_tells_is_skipped_with_its_type() {
    for (profile, kind) in [("work", "ptask_homogeneous"), ("mixed", "composed"), ("endless", "composed")] {
        let job = format!("{{\"id\": 2, \"subtime\": 6, \"res\": 1, \"profile\": \"{profile}\"}}");
        let (workload, report) = accepts(&job);
        assert_eq!((workload.jobs.len(), report.rows, report.skipped.total()), (1, 2, 1));
        let (reason, entry) = report.skipped.iter().next().unwrap();
        assert_eq!((reason, entry.first), (SkipReason::NeedsPlatform, Place::Entry(1)));
        assert_eq!(entry.example.as_deref(), Some(kind));
        assert!(
            report.to_string().ends_with(&format!("only a simulated platform tells (jobs[1], \"{kind}\")."))
        );
    }
}

#[test]
fn missing_limits_and_processors_are_counted() {
    for walltime in ["", "\"walltime\": -1,", "\"walltime\": null,", "\"walltime\": 0,"] {
        let job = format!("{{\"id\": 2, \"subtime\": 6, {walltime} \"res\": 1, \"profile\": \"ten\"}}");
        let (workload, report) = accepts(&job);
        assert_eq!(limit_secs(&workload.jobs[1]), 10);
        assert_eq!(report.changed.count(ChangeKind::NoLimit), 1);
    }
    let (workload, report) = accepts(r#"{"id": 2, "subtime": 6, "walltime": 4, "res": 0, "profile": "ten"}"#);
    assert_eq!((workload.jobs.len(), report.skipped.count(SkipReason::NoProcessors)), (1, 1));
    let (_, report) = accepts(r#"{"id": 2, "subtime": 6, "walltime": 4, "res": 2.0, "profile": "ten"}"#);
    assert_eq!(report.changed.count(ChangeKind::OverLimit), 1);
}

#[test]
fn names_become_numbers_above_all_others_and_repeated_numbers_new_ones() {
    let job = |id: &str, subtime: u32| {
        format!(
            "{{\"id\": {id}, \"subtime\": {subtime}, \"walltime\": 60, \"res\": 1, \"profile\": \"ten\"}}"
        )
    };
    let ids = [job("\"b\"", 0), job("4", 1), job("\" 9\"", 2), job("-3", 3), job("4", 4), job("\"a\"", 5)];
    let (workload, report) = read_text(&with(&ids.each_ref().map(String::as_str))).unwrap();
    let numbers: Vec<u64> = workload.jobs.iter().map(|job| job.spec.id.0).collect();
    assert_eq!(numbers, [10, 4, 9, 11, 13, 12]);
    assert_eq!(report.changed.count(ChangeKind::IdNotANumber), 3);
    assert_eq!(report.changed.count(ChangeKind::IdRepeated), 1);
    assert!(report.to_string().contains("a number given (first: jobs[0], \"b\")"), "{report}");
}

#[test]
fn members_without_a_place_are_named() {
    let job =
        r#"{"id": 2, "subtime": 6, "walltime": 20, "res": 1, "profile": "ten", "extra_data": {"a": 1}}"#;
    let (_, report) = accepts(job);
    let named: Vec<_> = report.unmodelled.iter().map(|field| (field.field.as_str(), field.rows)).collect();
    assert_eq!(named, [("extra_data", 1)]);
}

#[test]
fn mistakes_get_place_expectation_and_finding() {
    let said = |job: &str| error_of(&with(&[GOOD, job]));
    let job = |members: &str| format!("{{\"id\": 2, {members}}}");
    for (members, sentence) in [
        (
            r#""res": 1, "profile": "ten""#,
            "subtime: expected a number of seconds from 0 to 9.2e12, found \"nothing\"",
        ),
        (
            r#""subtime": "x", "res": 1, "profile": "ten""#,
            "subtime: expected a number of seconds from 0 to 9.2e12, found \"x\"",
        ),
        (
            r#""subtime": -1, "res": 1, "profile": "ten""#,
            "subtime: expected a number of seconds from 0 to 9.2e12, found \"-1\"",
        ),
        (
            r#""subtime": 1, "res": 1.5, "profile": "ten""#,
            "res: expected a number of resources, found \"1.5\"",
        ),
        (
            r#""subtime": 1, "res": 5e9, "profile": "ten""#,
            "res: expected a number of resources, found \"5000000000.0\"",
        ),
        (
            r#""subtime": 1, "res": 1, "profile": "eleven""#,
            "profile: expected the name of a profile, found \"eleven\"",
        ),
        (r#""subtime": 1, "res": 1, "profile": 3"#, "profile: expected the name of a profile, found \"3\""),
        (
            r#""subtime": 1, "res": 1, "profile": "ten", "walltime": []"#,
            "walltime: expected a number of seconds from 0 to 9.2e12, found \"a list\"",
        ),
    ] {
        assert_eq!(said(&job(members)), format!("test, jobs[1].{sentence}"));
    }
    let id = said(r#"{"subtime": 1, "res": 1, "profile": "ten"}"#);
    assert_eq!(id, "test, jobs[1].id: expected a number or a name, found \"nothing\"");
    assert_eq!(said("7"), "test, jobs[1]: expected a job, found \"7\"");
    let of = |profile| said(&job(&format!("\"subtime\": 1, \"res\": 1, \"profile\": \"{profile}\"")));
    assert_eq!(
        of("broken"),
        "test, profiles.broken.delay: expected a number of seconds from 0 to 9.2e12, found \"soon\""
    );
    assert_eq!(of("untyped"), "test, profiles.untyped.type: expected the name of a type, found \"nothing\"");
}

#[test]
fn json_that_is_no_workload_gets_a_sentence() {
    assert_eq!(error_of("{\"jobs\": [}"), "test, line 1, column 11: this is no JSON: expected value");
    assert_eq!(error_of("{}"), "test, jobs: expected Batsim's list of jobs, found \"nothing\"");
    assert_eq!(
        error_of(r#"{"jobs": [], "profiles": 3}"#),
        "test, profiles: expected Batsim's table of profiles, found \"3\""
    );
    assert!(error_of(&with(&[])).starts_with("test has no job that could run;"));
    let none = error_of(&with(&[r#"{"id": 2, "subtime": 6, "res": 1, "profile": "work"}"#]));
    assert!(
        none.contains(
            "no job that could run: 1 rows of profiles whose runtime only a simulated platform tells"
        ),
        "{none}"
    );
    let nodes = with(&[GOOD]).replacen(": 8", ": \"many\"", 1);
    assert_eq!(error_of(&nodes), "test, nb_res: expected a number of resources, found \"many\"");
    assert!(error_of("[1, 2]").contains("line 1: this is neither"));
}

/// Sequences of sequences: a chain longer than any in use, and one of them doubled at each step, are told in no time or
/// not at all.
#[test]
fn chains_of_profiles_end() {
    let chain = |length: u32, parts: &str| {
        let link = |n: u32| {
            let seq = parts.replace('N', &format!("\"p{}\"", n + 1));
            format!("\"p{n}\": {{\"type\": \"composed\", \"seq\": [{seq}]}}")
        };
        let links: Vec<String> = (0..length).map(link).collect();
        let job = r#"{"id": 1, "subtime": 0, "walltime": 9, "res": 1, "profile": "p0"}"#;
        let last = format!("\"p{length}\": {{\"type\": \"delay\", \"delay\": 1}}");
        format!("{{\"jobs\": [{job}], \"profiles\": {{{}, {last}}}}}", links.join(", "))
    };
    assert_eq!(runtime_secs(&read_text(&chain(20, "N, N")).unwrap().0.jobs[0]), 1 << 20);
    assert_eq!(runtime_secs(&read_text(&chain(90, "N")).unwrap().0.jobs[0]), 1);
    assert!(error_of(&chain(5_000, "N, N")).contains("only a simulated platform tells"));
}

/// The schedules that Batsim wrote are of this file: 801 jobs for 32 hosts. The reference starts take its runtimes.
#[test]
fn the_workload_of_the_golden_schedules() {
    let Some(folder) = traces() else { return };
    let name = "golden/batsim_medium_late_workload.json";
    let bytes = std::fs::read(folder.join(name)).unwrap();
    let (workload, report) = read(name, &bytes, &ReadOptions::default()).unwrap();
    assert_eq!((report.rows, report.jobs, workload.declared_procs), (801, 801, Some(32)));
    assert!(report.skipped.is_empty());
    let csv = std::fs::read_to_string(folder.join("golden/batsim_easy_medium_late_jobs.csv")).unwrap();
    let jobs: BTreeMap<u64, _> = workload.jobs.iter().map(|job| (job.spec.id.0, job)).collect();
    let mut seen = 0;
    // job_id, workload, profile, submission_time, requested_resources, requested_time, success, start, execution_time
    for row in csv.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>()) {
        let job = jobs[&row[0].parse().unwrap()];
        let near = |ours: f64, theirs: &str| {
            assert!((ours - theirs.parse::<f64>().unwrap()).abs() < 1e-4, "{row:?}");
        };
        near((workload.origin + job.spec.submit.since(SimTime::ZERO)).as_secs_f64(), row[3]);
        near(switchyard_model::Oracle::new().runtime(&job.truth).as_secs_f64(), row[8]);
        near(job.spec.limit.as_secs_f64(), row[5]);
        assert_eq!(job.spec.shape.total().cpus.to_string(), row[4]);
        seen += 1;
    }
    assert_eq!(seen, 801);
}

/// Of each of Batsim's own workloads: rows, and the jobs among them whose runtime is told. No rows: refused for its times.
const COLLECTION: [(&str, u64, u64); 33] = [
    ("example_workload_hpc_seed1_jobs250", 250, 250),
    ("example_workload_hpc_seed2_jobs250", 250, 250),
    ("example_workload_hpc_seed3_jobs250", 250, 250),
    ("example_workload_hpc_seed4_jobs250", 250, 250),
    ("example_workload_hpc_seed5_jobs250", 250, 250),
    ("test_case_study1", 3, 3),
    ("test_compo_sequence_delay", 23, 23),
    ("test_compo_sequence_ptaskcomp", 23, 0),
    ("test_composed_bda", 3, 0),
    ("test_delays", 10, 10),
    ("test_energy_minimal_load0", 2, 2),
    ("test_energy_minimal_load100", 2, 0),
    ("test_energy_minimal_load50", 2, 0),
    ("test_extra_data_desired_allocation", 10, 10),
    ("test_extra_data_desired_allocation_object", 10, 10),
    ("test_homo_ptasks", 6, 0),
    ("test_long_workload", 0, 0), // submits beyond 9.2e12 s
    ("test_one_computation_job", 1, 0),
    ("test_one_computation_job_tot", 1, 0),
    ("test_one_delay_job", 1, 1),
    ("test_one_spark_job_bda", 1, 0),
    ("test_ptasks", 20, 0),
    ("test_same_submit_time", 18, 18),
    ("test_smpi_collectives", 3, 0),
    ("test_smpi_compute_only", 3, 0),
    ("test_smpi_mapping", 0, 0), // the same
    ("test_smpi_mixed_comp_comm", 3, 0),
    ("test_tuto_stencil", 9, 0),
    ("test_usage_trace", 24, 2),
    ("test_various_profile_types", 11, 1),
    ("test_walltime", 44, 22),
    ("test_walltime_smpi", 22, 0),
    ("test_workload_pfs0", 6, 1),
];

#[test]
fn the_whole_collection_is_read_or_refused_with_a_sentence() {
    let Some(folder) = traces() else { return };
    for (name, rows, told) in COLLECTION {
        let bytes = std::fs::read(folder.join(format!("workloads_batsim/{name}.json"))).unwrap();
        match read(name, &bytes, &ReadOptions::default()) {
            Ok((workload, report)) => {
                assert_eq!(
                    (report.rows, report.jobs, workload.jobs.len() as u64),
                    (rows, told, told),
                    "{name}"
                );
                assert_eq!(report.skipped.count(SkipReason::NeedsPlatform), rows - told, "{name}");
            }
            Err(error) => {
                assert_eq!(told, 0, "{name}: {error}");
                let expected = match rows {
                    0 => "subtime: expected a number of seconds from 0 to 9.2e12, found".to_owned(),
                    _ => format!("{name} has no job that could run: {rows} rows of profiles whose runtime"),
                };
                assert!(error.to_string().contains(&expected), "{error}");
            }
        }
    }
}

/// Two files say themselves how long their sequences take, and how many jobs have no time limit.
#[test]
fn what_the_collection_says_about_itself() {
    let Some(folder) = traces() else { return };
    let open = |name: &str| {
        let bytes = std::fs::read(folder.join(format!("workloads_batsim/{name}.json"))).unwrap();
        read(name, &bytes, &ReadOptions::default()).unwrap()
    };
    let (sequences, report) = open("test_compo_sequence_delay");
    let runtimes: Vec<u64> = sequences.jobs.iter().take(12).map(runtime_secs).collect();
    // `expected_execution_time` of the profiles that the first twelve jobs have.
    assert_eq!(runtimes, [10, 10, 70, 13, 13, 65, 16, 32, 91, 273, 1365, 12103]);
    assert_eq!(report.changed.count(ChangeKind::OverLimit), 11);
    let (_, report) = open("test_walltime");
    assert_eq!(report.changed.count(ChangeKind::NoLimit), 2);
    assert_eq!(report.changed.count(ChangeKind::OverLimit), 9);
    let (_, report) = open("test_extra_data_desired_allocation_object");
    assert_eq!(report.unmodelled.iter().map(|field| field.rows).sum::<u64>(), 10);
}
