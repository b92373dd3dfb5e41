//! `switchyard explain`: the same schedule as `replay`, stopped at one moment.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod common;

use common::{figures, file, switchyard};
use serde_json::json;

/// Four processors. At 130: job 1 runs on all until 160 at the latest, job 2 wants them all for 60, jobs 3 and 4 would fit behind.
const QUEUE: &str = "; MaxProcs: 4\n\
    1 100 -1 50 3 -1 -1 3 60 -1 1 7 3 -1 -1 -1 -1 -1\n\
    2 110 -1 60 4 -1 -1 4 60 -1 1 7 3 -1 -1 -1 -1 -1\n\
    3 120 -1 10 1 -1 -1 1 100 -1 1 7 3 -1 -1 -1 -1 -1\n\
    4 125 -1 10 1 -1 -1 1 20 -1 1 7 3 -1 -1 -1 -1 -1\n";

fn told(job: &str, at: &str) -> serde_json::Value {
    let trace = file(&format!("explain-{job}-{at}.swf"), QUEUE);
    figures(&["explain", job, "--at", at, &trace, "--procs", "4", "--policy", "easy"])
}

#[test]
fn a_waiting_job_is_told_why_and_until_when() {
    let head = told("2", "130");
    // As of the pass at 125, which let job 4 pass until 145.
    assert_eq!(head["state"], "waiting");
    assert_eq!(head["reason"], "Needs 4 CPUs; none is free.");
    assert_eq!(head["slurm_code"], "Resources");
    assert_eq!(
        head["reservation"],
        json!({"at_s": 160.0, "nodes": ["n1", "n2", "n3", "n4"], "waits_for": [4, 1]})
    );
    assert_eq!((&head["predicted_start_s"], &head["ahead"]), (&160.0.into(), &json!([])));
    let third = told("3", "124");
    assert_eq!(third["slurm_code"], "Priority");
    assert_eq!(third["ahead"], json!([2]));
    assert!(third["reason"].as_str().unwrap().starts_with("Fits now, but could delay job 2"), "{third}");
    assert_eq!(third["last_pass_s"], 120.0);
}

#[test]
fn a_job_that_runs_has_ended_or_is_yet_to_come() {
    let running = told("4", "130");
    assert_eq!(
        (&running["state"], &running["start_s"], &running["end_s"]),
        (&"running".into(), &125.0.into(), &145.0.into())
    );
    assert_eq!(running["nodes"], json!(["n4"]));
    let ended = told("1", "150");
    assert_eq!(
        (&ended["state"], &ended["outcome"], &ended["end_s"]),
        (&"ended".into(), &"completed".into(), &150.0.into())
    );
    assert_eq!(told("4", "124")["state"], "not submitted");
    // By the clock of the run: 30 s after the first submission.
    assert_eq!(told("4", "+30")["at_s"], 130.0);
}

#[test]
fn people_get_sentences() {
    let trace = file("explain-table.swf", QUEUE);
    let said = switchyard(&["explain", "2", "--at", "130", &trace, "--procs", "4", "--policy", "easy"]);
    assert_eq!(said.code, 0, "{}", said.err);
    for line in [
        "asks for         4 tasks of 1 CPUs, for 60 s (1 min)",
        "state            waiting",
        "reason           Needs 4 CPUs; none is free.",
        "Slurm's code     Resources",
        "predicted start  160 s (00:01:00 after the first submission)",
        "  on             n1, n2, n3, n4",
        "  after          jobs 4, 1",
        "ahead of it      nobody",
    ] {
        assert!(said.out.contains(line), "{line}:\n{}", said.out);
    }
}

#[test]
fn priorities_are_taken_apart() {
    let lab = ["--generate", "seed-lab:300:5", "--policy", "seed-lab-easy"];
    let told = figures(&[&["explain", "100", "--at", "9000"], &lab[..]].concat());
    assert_eq!(told["state"], "waiting");
    let of = |name: &str| told["priority"][name].as_f64().unwrap();
    let sum =
        of("age") + of("fairshare") + of("job_size") + of("partition") + of("qos") + of("tres") - of("nice");
    assert!((of("priority") - sum.floor()).abs() < 1.0, "{told}");
    assert!(of("fairshare") > 0.0 && of("job_size") > 0.0);
}

/// Whatever is told about a job that waits, it has started after that in the replay, and where it runs it runs there.
#[test]
fn it_is_the_schedule_of_the_replay() {
    let lab = ["--generate", "seed-lab-v01:60:5", "--policy", "seed-lab-v01"];
    let out = common::scratch("explain-starts.csv");
    let said = switchyard(&[&["replay"], &lab[..], &["--starts", out.to_str().unwrap()]].concat());
    assert_eq!(said.code, 0);
    for row in std::fs::read_to_string(out).unwrap().lines().skip(1).step_by(7) {
        let cells: Vec<&str> = row.split(',').collect();
        let start: f64 = cells[2].parse().unwrap();
        let at = (start + 1.0).to_string();
        let told = figures(&[&["explain", cells[0], "--at", &at], &lab[..]].concat());
        assert_eq!((&told["start_s"], told["state"] != "waiting"), (&start.into(), true), "{row}");
        let before = (start - 1.0).max(0.0).to_string();
        let told = figures(&[&["explain", cells[0], "--at", &before], &lab[..]].concat());
        assert!(told["state"] == "waiting" || told["state"] == "not submitted", "{row}: {told}");
    }
}

#[test]
fn mistakes_are_answered() {
    let trace = file("explain-mistakes.swf", QUEUE);
    let said = |args: &[&str]| {
        let said = switchyard(&[&["explain"], args, &[&trace, "--policy", "easy"]].concat());
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{}", said.err);
        said.err
    };
    assert!(
        said(&["7", "--at", "130"])
            .contains("there is no job 7 in explain-mistakes.swf; its jobs are 1 to 4")
    );
    assert!(said(&["1", "--at", "99"]).contains("99 s is before the first submission, which is at 100 s"));
    assert!(said(&["1", "--at", "noon"]).contains("write a moment in the trace's own seconds"));
    assert!(said(&["1"]).contains("--at <SECS>"));
}
