//! Policies with parts and parameters replaced, and what is said to those that don't go together.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod common;

use common::{figures, file, switchyard};

/// Three processors, and four jobs that tell orders and disciplines apart: job 1 holds two of three until 100. Job 2 wants all
/// three, job 3 one for 150, job 4 one for 90.
const QUEUE: &str = "; MaxProcs: 3\n\
    1 0 -1 100 2 -1 -1 2 100 -1 1 7 3 -1 -1 -1 -1 -1\n\
    2 1 -1 50 3 -1 -1 3 50 -1 1 7 3 -1 -1 -1 -1 -1\n\
    3 2 -1 150 1 -1 -1 1 150 -1 1 7 3 -1 -1 -1 -1 -1\n\
    4 3 -1 90 1 -1 -1 1 90 -1 1 7 3 -1 -1 -1 -1 -1\n";

/// Starts by job number.
fn starts(name: &str, args: &[&str]) -> Vec<f64> {
    let (trace, out) = (file(&format!("{name}.swf"), QUEUE), common::scratch(&format!("{name}.csv")));
    let to = out.to_str().unwrap().to_owned();
    let said = switchyard(&[&["replay", &trace, "--procs", "3", "--starts", &to], args].concat());
    assert_eq!(said.code, 0, "{args:?}: {}", said.err);
    let written = std::fs::read_to_string(out).unwrap();
    let start = |row: &str| row.split(',').nth(2).unwrap().parse().unwrap();
    written.lines().skip(1).map(start).collect()
}

/// By hand. Job 4 ends at 93 when it passes job 2 at 3; job 3 would not be out of the way by 100. If the smallest go first, job 3
/// takes the third processor at 2, job 4 the next that is free, and job 2 comes last.
#[test]
fn each_part_changes_the_schedule_in_its_way() {
    for (name, args, expected) in [
        ("fcfs", vec!["--policy", "fcfs"], [0.0, 100.0, 150.0, 150.0]),
        ("easy", vec!["--policy", "easy"], [0.0, 100.0, 150.0, 3.0]),
        ("smallest", vec!["--policy", "fcfs", "--order", "smallest"], [0.0, 190.0, 2.0, 100.0]),
        ("shortest", vec!["--policy", "fcfs", "--order", "shortest"], [0.0, 100.0, 150.0, 150.0]),
        ("sjf", vec!["--policy", "sjf"], [0.0, 100.0, 150.0, 150.0]),
        ("strict", vec!["--policy", "easy", "--discipline", "strict"], [0.0, 100.0, 150.0, 150.0]),
        ("counted", vec!["--policy", "fcfs", "--discipline", "easy_count"], [0.0, 100.0, 150.0, 3.0]),
    ] {
        assert_eq!(starts(name, &args), expected, "{args:?}");
    }
}

#[test]
fn a_changed_policy_says_so() {
    let with = |args: &[&str]| {
        let all = ["replay", "--generate", "yard:30:1", "--policy"];
        figures(&[&all[..], args].concat())
    };
    let changed = with(&["easy", "--order", "wfp3", "--placement", "best-fit"]);
    assert_eq!(changed["policy"], "easy+order=wfp3+placement=best-fit");
    assert_eq!((&changed["order"], &changed["discipline"]), (&"wfp3".into(), &"easy-count".into()));
    assert_eq!((&changed["placement"], &changed["limits"]), (&"best-fit".into(), &"as-given".into()));
    let param = with(&["seed-lab-easy", "--param", "PriorityWeightAge=7"]);
    assert_eq!(param["policy"], "seed-lab-easy+PriorityWeightAge=7");
    assert_eq!(with(&["easy", "--order", "fifo"])["policy"], "easy");
}

/// The lab's published row for padded limits without backfill and with EASY, and its exact ones.
#[test]
fn the_labs_limit_models() {
    let run = |policy: &str, limits: &str| {
        let args = ["replay", "--generate", "seed-lab:300:5", "--policy", policy, "--limits", limits];
        let figures = figures(&args);
        let minutes = figures["mean_wait_s"].as_f64().unwrap() / 60.0;
        format!("{:.1} %, {minutes:.1} min", figures["utilisation"].as_f64().unwrap() * 100.0)
    };
    assert_eq!(run("seed-lab-easy", "padded:3"), "90.7 %, 343.8 min");
    assert_ne!(run("seed-lab-easy", "exact"), run("seed-lab-easy", "padded:3"));
    assert_ne!(run("seed-lab-easy", "f:3:1"), run("seed-lab-easy", "as-given"));
    // Without backfill nobody looks at limits.
    assert_eq!(run("seed-lab-off", "exact"), run("seed-lab-off", "padded:3"));
}

#[test]
fn the_threshold_of_slowdown_can_be_set() {
    let run = |args: &[&str]| {
        let all = ["replay", "--generate", "seed-lab-v01:300:5", "--policy", "seed-lab-v01"];
        figures(&[&all[..], args].concat())
    };
    let (usual, one) = (run(&[]), run(&["--bsld-threshold", "1"]));
    assert_eq!(
        (&usual["bounded_slowdown_threshold_s"], &one["bounded_slowdown_threshold_s"]),
        (&60.0.into(), &1.0.into())
    );
    assert!(one["mean_bounded_slowdown"].as_f64() > usual["mean_bounded_slowdown"].as_f64());
    let classical = run(&["--slowdown", "classical", "--bsld-threshold", "20"]);
    assert_eq!(classical["bounded_slowdown_rule"], "mean of max(1, (end - submit) / max(end - start, 20 s))");
}

#[test]
fn all_figures_with_unit_and_definition() {
    let args = ["replay", "--generate", "seed-lab-v01:300:5", "--policy", "seed-lab-v01", "--metrics"];
    let figures = figures(&args);
    let metrics = &figures["metrics"];
    assert_eq!(metrics["wait_mean"]["value"], figures["mean_wait_s"]);
    assert_eq!(metrics["wait_p95"]["value"], figures["p95_wait_s"]);
    assert!(metrics["wait_p95_nearest"]["value"].is_number());
    assert_eq!(metrics["utilisation_gpus"]["value"], figures["gpu_utilisation"]);
    assert_eq!(
        (&metrics["wait_mean"]["unit"], &metrics["utilisation_cpus"]["unit"]),
        (&"s".into(), &"share".into())
    );
    assert_eq!(metrics["makespan"]["formula"], "last end - first submit, over jobs that started");
    assert_eq!(figures["metrics_horizon"], "last end - first submit");
    assert!(metrics.get("utilisation_memory").is_none(), "these jobs ask for no memory");
    let table = switchyard(&args).out;
    for line in
        ["GPU utilisation ", "horizon: last end - first submit", "  wait_p95_nearest ", "  utilisation_gpus "]
    {
        assert!(table.contains(line), "{line}");
    }
    let other = common::figures(&[&args[..], &["--horizon", "submissions"]].concat());
    assert_eq!(other["metrics_horizon"], "last submit - first submit");
    assert_ne!(other["metrics"]["utilisation_cpus"], metrics["utilisation_cpus"]);
}

#[test]
fn a_fleet_by_name_or_from_a_file() {
    let args =
        |fleet: &str| figures(&["replay", "--generate", "yard:30:1", "--policy", "easy", "--fleet", fleet]);
    let yard = args("yard");
    assert_eq!((&yard["nodes"], &yard["gpus"]), (&32.into(), &256.into()));
    assert_eq!(args("k8s-lab")["gpus"], 140);
    let own = r#"{"name": "own", "classes": [{"name": "big", "count": 3, "node": {"cpus": 64, "gpus": 8, "memory_mib": 1000000}, "nodes_per_rack": 3}]}"#;
    assert_eq!(args(&file("own-fleet.json", own))["gpus"], 24);
    let said = switchyard(&[
        "replay",
        "--generate",
        "yard:9:1",
        "--policy",
        "easy",
        "--fleet",
        &file("bad-fleet.json", "{\"name\": 3}"),
    ]);
    assert_eq!(said.code, 3);
    assert!(said.err.starts_with("error: bad-fleet.json: invalid type: "), "{}", said.err);
}

#[test]
fn policies_are_listed_with_their_parts() {
    let said = switchyard(&["policies"]);
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    for name in switchyard_scheduler::Policy::NAMES {
        assert!(said.out.contains(&format!("\n  {name} ")), "{name}");
    }
    assert!(said.out.contains("shortest / strict / first-fit"));
    assert!(said.out.contains("dotprod, clustering"));
    for option in ["--policy", "--order", "--discipline", "--placement"] {
        let title = format!("({option})");
        assert!(said.out.contains(&title) || said.out.contains(&format!("({option}):")), "{option}");
    }
    let help = switchyard(&["replay", "--help"]).out;
    assert!(help.contains("EASY backfill that counts resources in sums."), "{help}");
}

/// What `--help` shows works as it is, but for the files that are not there.
#[test]
fn the_examples_of_the_help_work() {
    for command in ["replay", "explain"] {
        let help = switchyard(&[command, "--help"]).out;
        let examples: Vec<&str> =
            help.lines().filter_map(|line| line.trim().strip_prefix("switchyard ")).collect();
        assert!(!examples.is_empty());
        for example in examples.into_iter().filter(|example| example.contains("--generate")) {
            let words: Vec<&str> = example.split_whitespace().collect();
            let said = switchyard(&words);
            assert_eq!(said.code, 0, "{example}: {}", said.err);
        }
    }
}

#[test]
fn what_makes_no_sense_is_answered_with_a_sentence() {
    let said = |args: &[&str]| {
        let said = switchyard(&[&["replay", "--generate", "yard:9:1"], args].concat());
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{args:?}: {}", said.err);
        said.err
    };
    for (args, expected) in [
        (vec!["--policy", "fgd"], "fgd places pods, not jobs; use it as `switchyard pods --policy fgd`"),
        (
            vec!["--policy", "easy", "--order", "longest"],
            "there is no order \"longest\"; choose one of fifo,",
        ),
        (
            vec!["--policy", "easy", "--discipline", "easy"],
            "there is no discipline \"easy\"; choose one of strict,",
        ),
        (
            vec!["--policy", "easy", "--placement", "fgd"],
            "there is no placement \"fgd\"; choose one of first-fit,",
        ),
        (vec!["--policy", "easy", "--param", "bf_wndow=1"], "there is no parameter \"bf_wndow\""),
        (vec!["--policy", "easy", "--param", "=1"], "write KEY=VALUE, for example bf_window=2880"),
        (
            vec!["--policy", "easy", "--param", "PriorityWeightAge=1"],
            "PriorityWeightAge is a parameter of multifactor priorities, which the policy easy doesn't have; choose the order multifactor",
        ),
        (
            vec!["--policy", "seed-lab-easy", "--param", "PriorityMaxAge=soon"],
            "PriorityMaxAge is a length of time, as in 7-0 (days) or 300 (minutes); found \"soon\"",
        ),
        (vec!["--policy", "seed-lab-easy", "--param", "PriorityDecayHalfLife=0"], "usage never fades"),
        (
            vec!["--policy", "easy", "--limits", "padded:0.5"],
            "padded:F multiplies runtimes by a number F from 1",
        ),
        (vec!["--policy", "easy", "--bsld-threshold", "-1"], "write the threshold in seconds"),
        (vec!["--policy", "easy", "--procs", "99999999"], "99999999 nodes; up to 1048576 are supported"),
        (
            vec!["--policy", "easy", "--fleet", "yrd"],
            "there is no fleet \"yrd\"; choose one of yard, seed-lab,",
        ),
        (vec!["--policy", "easy", "--fleet", "yard", "--procs", "3"], "cannot be used with"),
        (vec!["--policy", "easy", "--horizon", "makespan"], "--metrics"),
        (vec![], "--policy <NAME>"),
    ] {
        let found = said(&args);
        assert!(found.contains(expected), "{args:?}: {found}");
    }
}

/// A trace whose machines nobody could build is a bad file.
#[test]
fn absurd_traces_are_bad_files() {
    for (processors, expected) in [
        ("99999999999", "field 8 (requested processors): expected a number of processors"),
        ("99999999", "the machines that its jobs ask for are no fleet: "),
    ] {
        let trace = file(
            "absurd.swf",
            &QUEUE.replace("; MaxProcs: 3\n", "").replace("-1 -1 2 100", &format!("-1 -1 {processors} 100")),
        );
        let said = switchyard(&["replay", &trace, "--policy", "easy"]);
        assert_eq!((said.code, said.out.as_str()), (3, ""), "{}", said.err);
        assert!(said.err.contains(expected), "{}", said.err);
    }
}
