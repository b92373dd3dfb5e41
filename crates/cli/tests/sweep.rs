//! `switchyard sweep`: the table, its order, going on after an interruption, and other people's files.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod common;

use std::path::PathBuf;

use common::{figures, file, scratch, switchyard};

const SWEEP: [&str; 11] = [
    "sweep",
    "--generate",
    "seed-lab:60:0",
    "--seeds",
    "0..2",
    "--policy",
    "seed-lab",
    "--vary",
    "bf_window=60,1440",
    "--vary",
    "order=multifactor,fifo",
];

fn fresh(name: &str) -> PathBuf {
    let path = scratch(name);
    let _ = std::fs::remove_file(&path);
    path
}

/// Runs it into this file, and returns the file and what was said.
fn into(path: &std::path::Path, more: &[&str]) -> (String, String) {
    let said = switchyard(&[&SWEEP[..], &["-o", path.to_str().unwrap()], more].concat());
    assert_eq!((said.code, &*said.out), (0, ""), "{}", said.err);
    (std::fs::read_to_string(path).unwrap(), said.err)
}

fn rows(table: &str) -> Vec<csv::StringRecord> {
    csv::Reader::from_reader(table.as_bytes()).records().map(Result::unwrap).collect()
}

fn column(table: &str, name: &str) -> Vec<String> {
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let place = reader.headers().unwrap().iter().position(|column| column == name).unwrap();
    reader.records().map(|row| row.unwrap()[place].to_owned()).collect()
}

#[test]
fn all_combinations_in_order_each_with_its_identity_and_the_figures_of_a_replay() {
    let (table, said) = into(&fresh("sweep_order.csv"), &[]);
    assert!(said.ends_with("sweep_order.csv: 12 runs.\n"), "{said}");
    assert_eq!(column(&table, "run"), (0..12).map(|run| run.to_string()).collect::<Vec<_>>());
    assert_eq!(column(&table, "seed").concat(), "012012012012");
    assert_eq!(column(&table, "bf_window")[4..8], ["60", "60", "1440", "1440"]);
    assert_eq!(column(&table, "order")[2..4], ["multifactor", "fifo"]);
    assert_eq!(column(&table, "policy")[3], "seed-lab+order=fifo+bf_window=60");
    assert!(column(&table, "policy_json")[0].contains("\"bf_window\":60,"));
    let args = ["replay", "--generate", "seed-lab:60:1", "--policy", "seed-lab", "--param", "bf_window=60"];
    let alone = figures(&args);
    for figure in ["mean_wait_s", "mean_bounded_slowdown", "utilisation", "makespan_s"] {
        assert_eq!(column(&table, figure)[1].parse().ok(), alone[figure].as_f64(), "{figure}");
    }
}

#[test]
fn the_bytes_do_not_depend_on_threads_or_on_where_they_go() {
    let (one, _) = into(&fresh("sweep_one.csv"), &["-j", "1"]);
    let (five, _) = into(&fresh("sweep_five.csv"), &["-j", "5"]);
    assert_eq!(one, five);
    assert_eq!(switchyard(&SWEEP).out, one);
}

#[test]
fn an_interrupted_sweep_goes_on_and_ends_with_the_same_bytes() {
    let (whole, _) = into(&fresh("sweep_whole.csv"), &[]);
    let lines: Vec<&str> = whole.lines().collect();
    // As they came, in no order, the last one torn in its middle.
    let torn = &lines[9][..lines[9].len() / 2];
    let left = format!("{}\n{}\n{}\n{}\n{torn}", lines[0], lines[5], lines[2], lines[12]);
    let path = scratch("sweep_torn.csv");
    std::fs::write(&path, left).unwrap();
    let (again, said) = into(&path, &[]);
    assert_eq!(again, whole);
    assert!(said.contains("sweep_torn.csv, line 5: a torn row is made anew."), "{said}");
    assert!(said.contains("sweep_torn.csv: 12 runs, 3 of them kept."), "{said}");
    // Torn within the line of columns, or not even begun.
    for left in [&lines[0][..20], ""] {
        std::fs::write(&path, left).unwrap();
        assert_eq!(into(&path, &[]).0, whole);
    }
}

/// A kept row is kept as it is: a figure that was changed by hand shows that it was not computed again.
#[test]
fn rows_that_are_there_are_not_run_again() {
    let (whole, _) = into(&fresh("sweep_kept.csv"), &[]);
    let marked = whole.replacen(&column(&whole, "makespan_s")[0], "12345.678", 1);
    assert_ne!(marked, whole);
    let path = scratch("sweep_kept.csv");
    std::fs::write(&path, &marked).unwrap();
    assert_eq!(into(&path, &[]).0, marked);
}

#[test]
fn a_file_of_another_sweep_is_refused_and_left_alone() {
    let path = fresh("sweep_foreign.csv");
    let (whole, _) = into(&path, &[]);
    let said = |args: &[&str], code| {
        let said = switchyard(&[args, &["-o", path.to_str().unwrap()]].concat());
        assert_eq!((said.code, &*said.out), (code, ""), "{}", said.err);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), whole);
        said.err
    };
    let mut other = SWEEP.to_vec();
    other[4] = "0..3";
    assert!(said(&other, 4).contains(
        "is not the table of this sweep: its rows are of a sweep with other files, options, values or seeds"
    ));
    // As many runs, but of other jobs, under another rule, with another parameter.
    other[4] = "1..3";
    assert!(said(&other, 4).contains("its rows are of a sweep with other files"));
    for more in [
        ["--overrun", "extend"],
        ["--param", "bf_interval=60"],
        ["--nodes", "17"],
        ["--slowdown", "classical"],
    ] {
        let more = [&SWEEP[..], &more, if more[0] == "--nodes" { &["--cpus", "8"] } else { &[] }].concat();
        assert!(said(&more, 4).contains("its rows are of a sweep with other files"), "{more:?}");
    }
    other = SWEEP.to_vec();
    other[8] = "bf_interval=30,60";
    assert!(said(&other, 4).contains("it has a column \"bf_window\" that this sweep hasn't"));
    other = SWEEP.to_vec();
    other.push("--metrics");
    assert!(said(&other, 4).contains("it has no column \"metric_jobs\""));
    other = SWEEP.to_vec();
    other.extend(["--shard", "1/2"]);
    assert!(said(&other, 4).contains("it has no column \"shard\""));
    let letter = file("sweep_letter.csv", "Dear Sir,\nplease do not overwrite me.\n");
    let refused = switchyard(&[&SWEEP[..], &["-o", &letter]].concat());
    assert_eq!(refused.code, 4);
    assert_eq!(std::fs::read_to_string(&letter).unwrap(), "Dear Sir,\nplease do not overwrite me.\n");
    let broken = whole.replacen("\n", "\n1,2,3\n", 1);
    let path = file("sweep_broken.csv", &broken);
    let refused = switchyard(&[&SWEEP[..], &["-o", &path]].concat());
    assert!(
        refused.err.contains("sweep_broken.csv, line 2: expected 37 columns, found 3; delete this line"),
        "{}",
        refused.err
    );
}

/// The same name, the same number of jobs, but not the same file.
#[test]
fn a_trace_that_has_changed_is_another_sweep() {
    let trace = |runtime: u32| {
        file("sweep_trace.swf", &format!("1 0 -1 {runtime} 1 -1 -1 1 600 -1 1 1 1 -1 -1 -1 -1 -1\n"))
    };
    let table = fresh("sweep_trace.csv");
    let sweep =
        |trace: &str| switchyard(&["sweep", trace, "--policy", "easy", "-o", table.to_str().unwrap()]);
    assert_eq!(sweep(&trace(50)).code, 0);
    let again = sweep(&trace(50));
    assert!(again.err.ends_with("1 run, 1 of them kept.\n"), "{}", again.err);
    let changed = sweep(&trace(51));
    assert_eq!(changed.code, 4);
    assert!(changed.err.contains("is not the table of this sweep"), "{}", changed.err);
}

#[test]
fn load_and_policies_can_be_varied_too() {
    let said = switchyard(&[
        "sweep",
        "--generate",
        "seed-lab:60:0",
        "--vary",
        "policy=fcfs,easy+placement=best-fit",
        "--vary",
        "load=0.5..1:0.5",
        "--vary",
        "limits=exact,padded:3",
    ]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert_eq!(rows(&said.out).len(), 8);
    assert_eq!(column(&said.out, "load").join(" "), "0.5 0.5 1 1 0.5 0.5 1 1");
    assert_eq!(column(&said.out, "limits")[..2], ["exact", "padded:3"]);
    assert_eq!(column(&said.out, "policy")[7], "easy+placement=best-fit");
    let waits: Vec<f64> = column(&said.out, "mean_wait_s").iter().map(|wait| wait.parse().unwrap()).collect();
    assert!(waits[0] < waits[2], "half the load, shorter waits: {waits:?}");
}

/// The same jobs at the same load, moved a little: does the result hold?
#[test]
fn submissions_can_be_shaken_and_selected() {
    let said = switchyard(&[
        "sweep",
        "--generate",
        "seed-lab:90:0",
        "--slice",
        "10..70",
        "--policy",
        "easy",
        "--vary",
        "shake=0,300:1,300:2",
    ]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert_eq!(column(&said.out, "shake"), ["0:0", "300:1", "300:2"]);
    assert_eq!(
        (column(&said.out, "jobs"), column(&said.out, "selection")),
        (vec!["60".to_owned(); 3], vec!["10..70".to_owned(); 3])
    );
    let waits = column(&said.out, "mean_wait_s");
    assert!(waits[0] != waits[1] && waits[1] != waits[2], "{waits:?}");
    let alone = figures(&[
        "replay",
        "--generate",
        "seed-lab:90:0",
        "--slice",
        "10..70",
        "--policy",
        "easy",
        "--shake",
        "300:2",
    ]);
    assert_eq!(waits[2].parse().ok(), alone["mean_wait_s"].as_f64());
}

#[test]
fn all_figures_are_columns_if_asked_for() {
    let said = switchyard(&["sweep", "--generate", "seed-lab:60:0", "--policy", "easy", "--metrics"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let alone = figures(&["replay", "--generate", "seed-lab:60:0", "--policy", "easy", "--metrics"]);
    for key in ["wait_mean", "delivered_cpus", "starvation_gpus"] {
        let column = column(&said.out, &format!("metric_{key}"));
        assert_eq!(column[0].parse::<f64>().ok(), alone["metrics"][key]["value"].as_f64(), "{key}");
    }
}

#[test]
fn mistakes_are_answered_before_anything_runs() {
    let said = |more: &[&str]| {
        let said = switchyard(&[&["sweep", "--generate", "seed-lab:60:0"], more].concat());
        assert_eq!((said.code, &*said.out), (2, ""), "{}", said.err);
        said.err
    };
    assert!(
        said(&[])
            .contains("no policy is given; add --policy NAME, --vary policy=NAME,... or --slurm-conf FILE")
    );
    let twice = ["--policy", "slurm", "--vary", "bf_window=1,2", "--vary", "BF_WINDOW=3"];
    assert!(said(&twice).contains("BF_WINDOW is varied twice; put all its values into one --vary"));
    let both = ["--policy", "slurm", "--vary", "bf_window=1,2", "--param", "bf_window=3"];
    assert!(said(&both).contains("bf_window is both varied and set by --param; leave one of them out"));
    assert!(
        said(&["--policy", "easy", "--vary", "policy=fcfs"])
            .contains("policy is both varied and set by --policy")
    );
    assert!(
        said(&["--policy", "easy", "--vary", "bf_window=60"]).contains("which the policy easy doesn't have")
    );
    assert!(
        said(&["--policy", "slurm", "--vary", "bf_windw=60"]).contains("there is no parameter \"bf_windw\"")
    );
    assert!(said(&["--policy", "slurm", "--vary", "load=0"]).contains("a load is a factor"));
    assert!(said(&["--policy", "slurm", "--vary", "seed=0..9"]).contains("--seeds 0..9"));
    assert!(
        said(&["--policy", "slurm", "--shard", "0/2"])
            .contains("shards are counted from 1: choose 1/2 to 2/2")
    );
}
