//! What the command line refuses, and what it says rather than dropping it silently.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod common;

use common::{figures, file, switchyard};

const QUEUE: &str = "id,submit,runtime,limit,nodes,cpus,memory_mib\n\
    1,0,100,100,1,8,10\n\
    2,0,600,600,2,8,10\n\
    3,0,50,50,9,8,10\n\
    4,0,50,50,8,8,0\n";

const MACHINE: [&str; 4] = ["--nodes", "2", "--cpus", "8"];

fn refused(args: &[&str]) -> String {
    let said = switchyard(args);
    assert_eq!((said.code, said.out.as_str()), (2, ""), "{args:?}: {}", said.err);
    said.err
}

#[test]
fn a_number_has_to_be_one() {
    let trace = file("refusals-numbers.csv", QUEUE);
    let run = |param: &str| {
        refused(&[&["replay", &trace, "--policy", "slurm", "--param", param], &MACHINE[..]].concat())
    };
    for param in ["bf_max_job_test=1e30", "bf_max_job_test=8x", "bf_max_job_test=", "bf_max_job_test=1.5"] {
        let err = run(param);
        assert!(err.contains("bf_max_job_test is a whole number from 1 to 1000000; found \""), "{err}");
    }
    for value in ["-5", "0", "NaN", "43201"] {
        let err = run(&format!("bf_window={value}"));
        assert!(
            err.contains(&format!("bf_window is a whole number from 1 to 43200; found \"{value}\"")),
            "{err}"
        );
    }
    let err = run("bf_interval=0");
    assert!(err.contains("bf_interval is a whole number from 1 to 10800, or -1 to switch it off"), "{err}");
    let preempt = ["replay", &trace, "--policy", "slurm", "--preempt", "qos", "--param", "requeue_delay=3x"];
    let err = refused(&[&preempt, &MACHINE[..]].concat());
    assert!(err.contains("requeue_delay is a whole number from 0 to 2147483647; found \"3x\""), "{err}");
}

#[test]
fn a_parameter_is_given_once() {
    let trace = file("refusals-twice.csv", QUEUE);
    for command in [&["replay", "--policy", "slurm"][..], &["compare", "--policies", "slurm"]] {
        let twice = ["--param", "bf_window=60", "--param", "BF_WINDOW=60"];
        let err = refused(&[command, &[&trace], &twice, &MACHINE].concat());
        assert!(err.contains("the parameter bf_window is given twice; give it once"), "{err}");
    }
    for policies in ["slurm+bf_window=60", "slurm+bf_interval=9+bf_window=60"] {
        let args = ["compare", &trace, "--policies", policies, "--param", "bf_window=61"];
        assert!(refused(&[&args, &MACHINE[..]].concat()).contains("the parameter bf_window is given twice"));
    }
    let args = ["sweep", &trace, "--policy", "slurm", "--vary", "bf_window=60,70", "--param", "bf_window=61"];
    assert!(refused(&[&args, &MACHINE[..]].concat()).contains("bf_window"));
}

#[test]
fn no_result_is_written_over_what_is_read_or_over_another() {
    let trace = file("refusals-over.csv", QUEUE);
    let dotted = trace.replace("refusals-over.csv", "./refusals-over.csv");
    let svg = common::scratch("refusals.svg").to_str().unwrap().to_owned();
    let over = |command: &[&str], option: &str| {
        let err = refused(&[command, &[&trace], &MACHINE, &[option, &dotted]].concat());
        assert!(err.contains(&format!("{option} would write over {dotted}, which is read")), "{err}");
    };
    over(&["replay", "--policy", "easy"], "--starts");
    over(&["replay", "--policy", "easy"], "--gantt");
    over(&["compare", "--policies", "easy"], "--html");
    over(&["sweep", "--policy", "easy"], "--output");
    let err = refused(&["convert", &trace, "--output", &dotted]);
    assert!(err.contains("--output would write over"), "{err}");
    let twice = ["replay", &trace, "--policy", "easy", "--curves", &svg, "--gantt", &svg];
    let err = refused(&[&twice, &MACHINE[..]].concat());
    assert!(err.contains(&format!("--gantt would write over what --curves writes to {svg}")), "{err}");
    assert_eq!(std::fs::read_to_string(&trace).unwrap(), QUEUE);
}

#[test]
fn who_never_started_is_listed() {
    let trace = file("refusals-never.csv", QUEUE);
    let args = [&["replay", &trace, "--policy", "easy"], &MACHINE[..]].concat();
    let said = switchyard(&args);
    assert!(said.out.contains("never started         2: jobs 3, 4"), "{}", said.out);
    assert!(said.err.contains("2 jobs never started, the first: job 3: Can never run"), "{}", said.err);
    assert!(
        said.err.contains(
            "3 jobs ask for memory, which limits nothing here: the machines are described without it"
        ),
        "{}",
        said.err
    );
    let figures = figures(&args);
    assert_eq!(figures["never_started"], 2);
    let jobs: Vec<_> =
        figures["never_started_jobs"].as_array().unwrap().iter().map(|row| &row["job"]).collect();
    assert_eq!(jobs, [3, 4]);
    assert_eq!(figures["never_started_jobs"][0]["slurm_code"], "BadConstraints");
}

#[test]
fn explain_wants_the_job_first() {
    let trace = file("refusals-order.csv", QUEUE);
    let err = refused(&[&["explain", &trace, "2", "--at", "3", "--policy", "easy"], &MACHINE[..]].concat());
    assert!(
        err.contains("the job's number comes first, then the trace: switchyard explain JOB FILE --at SECS"),
        "{err}"
    );
}
