//! `switchyard replay`: published figures, golden starts, and what it says to mistakes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod common;

use std::process::{Command, Stdio};

use common::{figures, file, scratch, shared, switchyard, switchyard_with};

const TINY: &str = "; MaxProcs: 4\n\
    1 100 -1 50 4 -1 -1 4 60 -1 1 7 3 -1 -1 -1 -1 -1\n\
    2 110 -1 30.5 1 -1 -1 1 40 -1 1 7 3 -1 -1 -1 -1 -1\n\
    3 110 -1 10 2 -1 -1 2 20 -1 1 8 3 -1 -1 -1 -1 -1\n";

fn lab(policy: &str) -> serde_json::Value {
    let machine = ["--nodes", "16", "--cpus", "8", "--gpus", "2"];
    figures(&[&["replay", "--generate", "seed-lab-v01:300:5", "--policy", policy], &machine[..]].concat())
}

fn fixed(figures: &serde_json::Value, name: &str, unit: f64) -> String {
    format!("{:.2}", figures[name].as_f64().unwrap() / unit)
}

/// The figures of slurm-scheduler-lab 0.1: utilisation in per cent, mean wait in minutes, bounded slowdown.
#[test]
fn the_published_experiment() {
    for (policy, utilisation, wait, slowdown, backfilled) in [
        ("seed-lab-v01-off", "72.19", "1912.99", "373.18", 0),
        ("seed-lab-v01", "83.62", "373.68", "55.66", 246),
    ] {
        let figures = lab(policy);
        assert_eq!(fixed(&figures, "utilisation", 0.01), utilisation);
        assert_eq!(fixed(&figures, "mean_wait_s", 60.0), wait);
        assert_eq!(fixed(&figures, "mean_bounded_slowdown", 1.0), slowdown);
        assert_eq!(figures["backfilled"], backfilled);
        assert_eq!((&figures["jobs"], &figures["never_started"]), (&300.into(), &0.into()));
        assert_eq!(figures["bounded_slowdown_threshold_s"], 60.0);
    }
}

#[test]
fn the_fleet_of_a_generator_is_derived() {
    let args = ["replay", "--generate", "seed-lab-v01:300:5", "--policy", "seed-lab-v01", "--json"];
    let said = switchyard(&args);
    assert_eq!(said.err, "The fleet is derived from the workload: 16 nodes, 128 CPUs, 32 GPUs.\n");
    let derived: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(derived, lab("seed-lab-v01"));
}

/// The pods' GPUs over 26 nodes, and a load that follows the machine.
#[test]
fn generators_bring_their_machine_or_follow_the_one_that_is_given() {
    let k8s = ["replay", "--generate", "k8s-lab:50:0:60", "--policy", "easy-machine", "--json"];
    let said = switchyard(&k8s);
    assert_eq!(said.err, "The fleet is derived from the workload: 26 nodes, 1680 CPUs, 140 GPUs.\n");
    let makespan = |procs: &str| {
        let poisson = ["replay", "--generate", "poisson:3000:1", "--policy", "easy", "--procs", procs];
        figures(&poisson)["makespan_s"].as_f64().unwrap()
    };
    assert!(makespan("64") > 1.1 * makespan("512"));
}

#[test]
fn kth_starts_when_the_golden_file_says() {
    let (Some(trace), Some(golden)) =
        (shared("KTH-SP2-1996-head1000.swf"), shared("golden/kth_head1000_fcfs_pyss2007.csv"))
    else {
        return;
    };
    let starts = scratch("kth_fcfs.csv");
    let args = ["replay", &trace, "--procs", "100", "--policy", "fcfs", "--overrun", "both"];
    let said = switchyard(&[&args[..], &["--starts", starts.to_str().unwrap()]].concat());
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.err.starts_with("KTH-SP2-1996-head1000.swf: Read 1000 jobs from 1000 rows"), "{}", said.err);
    let written = std::fs::read_to_string(starts).unwrap();
    let golden = std::fs::read_to_string(golden).unwrap();
    // The golden file has processors in its last column, ours has which.
    let times = |row: &str| row.rsplit_once(',').unwrap().0.to_owned();
    let rows = |text: &str| text.lines().skip(1).map(times).collect::<Vec<_>>();
    assert_eq!(rows(&written), rows(&golden));
    assert_eq!(written.lines().nth(1), Some("15,599850,599850,603327,0-3"));
}

#[test]
fn kth_under_easy_waits_as_long_as_published() {
    let Some(trace) = shared("KTH-SP2-1996-head1000.swf") else { return };
    let figures = figures(&["replay", &trace, "--procs", "100", "--policy", "easy", "--overrun", "both"]);
    assert_eq!(format!("{:.1}", figures["mean_wait_s"].as_f64().unwrap()), "2929.5");
    assert_eq!(fixed(&figures, "mean_bounded_slowdown", 1.0), "48.14");
    assert_eq!(figures["bounded_slowdown_threshold_s"], 10.0);
}

/// Four processors: job 1 takes all of [100, 150); jobs 2 and 3 follow together.
#[test]
fn starts_are_in_the_traces_own_time() {
    let (trace, starts) = (file("tiny.swf", TINY), scratch("tiny.csv"));
    let args = ["replay", &trace, "--procs", "4", "--policy", "fcfs", "--starts", starts.to_str().unwrap()];
    let said = switchyard(&args);
    assert_eq!(said.code, 0, "{}", said.err);
    let expected = "job_id,submit,start,end,nodes\n1,100,100,150,0-3\n2,110,150,180.5,0\n3,110,150,160,1-2\n";
    assert_eq!(std::fs::read_to_string(starts).unwrap(), expected);
    assert!(said.out.contains("policy"), "{}", said.out);
    assert!(said.out.contains("mean wait             26.7 s (26.6 s)"), "{}", said.out);
}

#[test]
fn a_trace_may_come_from_standard_input() {
    let said = switchyard_with(&["replay", "-", "--policy", "easy", "--json"], TINY);
    assert_eq!(said.code, 0);
    assert!(
        said.err.starts_with("standard input: Read 3 jobs from 3 rows (Standard Workload Format)."),
        "{}",
        said.err
    );
    assert!(
        said.err.ends_with("The fleet is derived from the workload: 1 node, 4 CPUs, 0 GPUs.\n"),
        "{}",
        said.err
    );
    let figures: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!((&figures["jobs"], &figures["makespan_s"]), (&3.into(), &80.5.into()));
}

#[test]
fn overrun_rules_differ() {
    let trace = file("over.swf", &TINY.replace("1 100 -1 50 4 -1 -1 4 60", "1 100 -1 90 4 -1 -1 4 60"));
    let makespan =
        |rule| figures(&["replay", &trace, "--policy", "fcfs", "--overrun", rule])["makespan_s"].clone();
    assert_eq!(makespan("kill"), 90.5);
    assert_eq!(makespan("both"), 90.5);
    assert_eq!(makespan("extend"), 120.5);
}

#[test]
fn requests_can_be_fitted_to_a_fleet() {
    let trace = file("scaled.swf", TINY);
    let said = switchyard(&["replay", &trace, "--procs", "2", "--policy", "fcfs", "--scale", "--json"]);
    assert!(said.err.contains("Fitted to 2 nodes, 2 CPUs, 0 GPUs: 3 jobs in all."), "{}", said.err);
    let figures: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!((&figures["jobs"], &figures["never_started"]), (&3.into(), &0.into()));
}

#[test]
fn jobs_that_fit_nowhere_are_told() {
    let trace = file("large.swf", TINY);
    let said = switchyard(&["replay", &trace, "--procs", "2", "--policy", "fcfs", "--json"]);
    assert_eq!(said.code, 0);
    assert!(said.err.contains("1 job never started: job 1: "), "{}", said.err);
    let nothing = switchyard(&[
        "replay",
        &file("wide.swf", TINY.lines().nth(1).unwrap()),
        "--procs",
        "2",
        "--policy",
        "easy",
    ]);
    assert_eq!(nothing.code, 5);
}

#[test]
fn a_dump_without_a_header_gets_its_columns_named() {
    let dump = "7|2020-01-01T00:00:00|00:10:00|COMPLETED|4\n";
    let refused = switchyard_with(&["replay", "-", "--policy", "easy"], dump);
    assert_eq!(refused.code, 3);
    assert!(refused.err.contains("name the columns in their order"), "{}", refused.err);
    let columns = ["--columns", "JobID,Submit,Elapsed,State,NCPUS"];
    let said = switchyard_with(&[&["replay", "-", "--policy", "easy"], &columns[..]].concat(), dump);
    assert_eq!(said.code, 0, "{}", said.err);
}

#[test]
fn a_bad_line_is_a_sentence_and_a_code() {
    let said = switchyard(&["replay", &file("bad.swf", &TINY.replace("30.5", "12x")), "--policy", "easy"]);
    assert_eq!((said.code, said.out.as_str()), (3, ""));
    assert_eq!(
        said.err,
        "error: bad.swf, line 3, field 4 (run time): expected a number of seconds, found \"12x\"\n"
    );
    let missing = switchyard(&["replay", "there-is-no-such.swf", "--policy", "easy"]);
    assert_eq!(missing.code, 3);
    assert!(missing.err.starts_with("error: can't read there-is-no-such.swf: "), "{}", missing.err);
}

#[test]
fn likely_mistakes_are_answered_with_what_to_type() {
    let trace = file("mistakes.swf", TINY);
    let said = |args: &[&str]| {
        let said = switchyard(&[&["replay"], args].concat());
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{args:?}: {}", said.err);
        said.err
    };
    assert!(
        said(&[&trace, "--policy", "eazy"])
            .contains("there is no policy \"eazy\"; choose one of fcfs, sjf, easy,")
    );
    let unknown = said(&["--generate", "lubin:10:1", "--policy", "easy"]);
    assert!(
        unknown.contains("there is no generator \"lubin\"; choose one of seed-lab, seed-lab-v01, k8s-lab,"),
        "{unknown}"
    );
    let shape = said(&["--generate", "seed-lab-v01", "--policy", "easy"]);
    assert!(shape.contains("write NAME:JOBS:SEED, for example seed-lab-v01:300:5"), "{shape}");
    assert!(
        said(&["--generate", "seed-lab-v01:none:1", "--policy", "easy"]).contains("JOBS is a whole number")
    );
    assert!(said(&["--generate", "seed-lab:9:1:-1", "--policy", "easy"]).contains("GAP is the mean gap"));
    assert!(said(&["--policy", "easy"]).contains("<TRACE|--generate <NAME:JOBS:SEED[:GAP]>>"));
    assert!(
        said(&[&trace, "--policy", "easy", "--procs", "4", "--nodes", "2", "--cpus", "2"])
            .contains("cannot be used with")
    );
    assert!(said(&[&trace, "--policy", "easy", "--nodes", "2"]).contains("--cpus <C>"));
    assert!(
        said(&[&trace, "--policy", "easy", "--nodes", "2", "--cpus", "8", "--gpus", "65"])
            .contains("up to 64 are supported")
    );
}

#[test]
fn a_result_that_can_not_be_written_is_said() {
    let trace = file("unwritable.swf", TINY);
    let said = switchyard(&["replay", &trace, "--policy", "easy", "--starts", "no-such-folder/starts.csv"]);
    assert_eq!(said.code, 4);
    assert!(said.err.contains("error: can't write no-such-folder/starts.csv: "), "{}", said.err);
}

#[test]
fn a_closed_pipe_is_no_error() {
    let trace = file("pipe.swf", TINY);
    let mut command = Command::new(env!("CARGO_BIN_EXE_switchyard"));
    command.args(["replay", &trace, "--policy", "easy"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn help_tells_the_exit_codes() {
    let said = switchyard(&["replay", "--help"]);
    assert_eq!(said.code, 0);
    assert!(said.out.contains("3  a file can't be read or isn't what it should be"), "{}", said.out);
}
