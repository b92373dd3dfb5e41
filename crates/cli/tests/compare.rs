//! `switchyard compare`: published means, pairs, signs, what it says to anecdotes and mistakes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod common;

use common::{figures, scratch, shared, switchyard};
use serde_json::Value;

const LAB: [&str; 3] = ["compare", "--generate", "seed-lab:300:0"];

fn with(more: &[&str]) -> Vec<&'static str> {
    more.iter().map(|argument| &*(*argument).to_owned().leak()).collect()
}

fn of<'a>(page: &'a Value, figure: &str, policy: &str) -> &'a Value {
    let named = |list: &'a Value, key: &str, name: &str| {
        list.as_array().unwrap().iter().find(|entry| entry[key] == name).unwrap()
    };
    named(&named(&page["figures"], "key", figure)["policies"], "policy", policy)
}

/// slurm-scheduler-lab, seeds 0 to 9: 84.8 % and 395.0 min with padded limits, EASY; and every seed of them is better off
/// than without backfill.
#[test]
fn the_published_means_of_ten_seeds() {
    let page =
        figures(&[&LAB[..], &["--seeds", "0..9", "--policies", "seed-lab-off,seed-lab-easy"]].concat());
    let wait = of(&page, "mean_wait_s", "seed-lab-easy");
    assert_eq!(format!("{:.1}", wait["mean"].as_f64().unwrap() / 60.0), "395.0");
    let used = of(&page, "utilisation", "seed-lab-easy");
    assert_eq!(format!("{:.1}", used["mean"].as_f64().unwrap() * 100.0), "84.8");
    let difference = &wait["difference"];
    assert_eq!([&difference["better"], &difference["worse"], &difference["equal"]], [10, 0, 0]);
    assert!((difference["sign_test_p"].as_f64().unwrap() - 2.0 / 1024.0).abs() < 1e-12);
    let [low, high] = [0, 1].map(|end| difference["interval_95"][end].as_f64().unwrap());
    let mean = difference["mean"].as_f64().unwrap();
    assert!(low < mean && mean < high && high < 0.0);
    assert_eq!(of(&page, "mean_wait_s", "seed-lab-off")["difference"], Value::Null);
    assert_eq!((&page["caution"], page["runs"].as_array().unwrap().len()), (&Value::Null, 20));
}

/// Each run of a comparison has the figures that `replay` has for it, and the differences are those within pairs.
#[test]
fn pairs_are_runs_of_the_same_jobs() {
    let policies = "seed-lab-easy,seed-lab-easy+order=fifo";
    let page = figures(&[&LAB[..], &["--seeds", "3,7", "--policies", policies]].concat());
    let runs = page["runs"].as_array().unwrap();
    let mut differences = Vec::new();
    for seed in [3, 7] {
        let recipe = format!("seed-lab:300:{seed}");
        let replay = ["replay", "--generate", &recipe, "--policy", "seed-lab-easy"];
        let pair = [figures(&replay), figures(&[&replay[..], &["--order", "fifo"]].concat())];
        for alone in &pair {
            let name = &alone["policy"];
            let run = runs.iter().find(|run| run["policy"] == *name && run["seed"] == seed).unwrap();
            for figure in
                ["mean_wait_s", "p95_wait_s", "mean_bounded_slowdown", "utilisation", "gpu_utilisation"]
            {
                assert_eq!(run[figure], alone[figure], "{name} {seed} {figure}");
            }
        }
        let wait = |alone: &Value| alone["mean_wait_s"].as_f64().unwrap();
        differences.push(wait(&pair[1]) - wait(&pair[0]));
    }
    let said = &of(&page, "mean_wait_s", "seed-lab-easy+order=fifo")["difference"];
    let mean = (differences[0] + differences[1]) / 2.0;
    assert!((said["mean"].as_f64().unwrap() - mean).abs() < 1e-6);
    let better = differences.iter().filter(|difference| **difference < 0.0).count();
    assert_eq!((&said["better"], &said["worse"]), (&better.into(), &(2 - better).into()));
}

#[test]
fn one_seed_is_an_anecdote_and_few_are_not_many() {
    let said = |more: &[&str]| {
        let said = switchyard(&[&LAB[..], &["--policies", "seed-lab-off,seed-lab-easy"], more].concat());
        assert_eq!(said.code, 0, "{}", said.err);
        said.out
    };
    assert!(said(&[]).contains("One seed is an anecdote: "), "{}", said(&[]));
    assert!(said(&[]).contains("add --seeds 0..9"));
    assert!(said(&["--seeds", "0..2"]).contains("With 3 workloads the intervals are too narrow"));
    let many = said(&["--seeds", "0..4"]);
    assert!(!many.contains("anecdote") && !many.contains("too narrow"), "{many}");
    assert!(many.contains("better/worse/equal") && many.contains("5/0/0"));
}

#[test]
fn a_trace_is_cut_into_parts_of_its_own_jobs() {
    let Some(trace) = shared("KTH-SP2-1996-head1000.swf") else { return };
    let args = ["compare", &trace, "--procs", "100", "--policies", "easy,conservative", "--slices", "3"];
    let page = figures(&args);
    let jobs: Vec<u64> =
        page["runs"].as_array().unwrap().iter().map(|run| run["jobs"].as_u64().unwrap()).collect();
    assert_eq!(jobs, [333, 333, 334, 333, 333, 334]);
    assert_eq!(page["runs"][1]["slice"], 2);
    let whole = switchyard(&["compare", &trace, "--procs", "100", "--policies", "easy,fcfs"]);
    assert!(whole.out.contains("One trace is an anecdote: "), "{}", whole.out);
    assert!(whole.out.contains("--slices 10"));
    let many = switchyard(&["compare", &trace, "--policies", "easy,fcfs", "--slices", "1001"]);
    assert_eq!(many.code, 2);
    assert_eq!(
        many.err.lines().last().unwrap(),
        "error: a trace of 1000 jobs can't be cut into 1001 slices; choose --slices up to 1000"
    );
}

#[test]
fn threads_change_nothing() {
    let args =
        [&LAB[..], &["--seeds", "0..5", "--policies", "seed-lab-off,seed-lab-easy,easy", "--json"]].concat();
    let one = switchyard(&[&args[..], &["-j", "1"]].concat()).out;
    assert_eq!(one, switchyard(&[&args[..], &["-j", "5"]].concat()).out);
}

#[test]
fn mistakes_are_answered_in_a_sentence() {
    let said = |more: &[&str]| {
        let said = switchyard(&[&LAB[..], more].concat());
        assert_eq!((said.code, &*said.out), (2, ""), "{}", said.err);
        said.err
    };
    let last = |text: String| text.lines().last().unwrap_or_default().to_owned();
    assert_eq!(
        last(said(&["--policies", "easy"])),
        "error: a comparison needs two policies or more; easy is the only one"
    );
    assert_eq!(
        last(said(&["--policies", "easy,easy+order=fifo"])),
        "error: the policy easy is given twice; leave it out once"
    );
    assert!(said(&["--policies", "easy,eazy"]).contains("there is no policy \"eazy\"; choose one of fcfs,"));
    assert!(said(&["--policies", "easy,fcfs+sjf"]).contains("\"sjf\" is no change; write NAME+KEY=VALUE"));
    assert!(said(&["--policies", "easy,slurm-conf"]).contains("name the file with --slurm-conf"));
    assert!(
        said(&["--policies", "slurm,easy", "--param", "bf_window=60"])
            .contains("which the policy easy doesn't have")
    );
    assert!(said(&["--policies", "slurm,easy", "--seeds", "9..0"]).contains("a range goes up"));
}

#[test]
fn a_report_that_can_not_be_written_is_an_error_of_its_own() {
    let nowhere = scratch("no such folder").join("report.html");
    let args = [&LAB[..], &["--policies", "easy,fcfs", "--html", nowhere.to_str().unwrap()]].concat();
    let said = switchyard(&with(&args));
    assert_eq!(said.code, 4);
    assert!(said.err.contains("can't write "), "{}", said.err);
}

/// As docs/experiments.md lists them: a field may be added there and here, none may go.
#[test]
fn the_object_has_the_documented_fields() {
    let page = figures(&[&LAB[..], &["--policies", "seed-lab-off,seed-lab-easy"]].concat());
    let docs =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/experiments.md")).unwrap();
    let (_, docs) = docs.split_once("## JSON of `compare`").unwrap();
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let figure = &page["figures"][0];
    let of = &figure["policies"][1];
    for key in [keys(&page), keys(figure), keys(of), keys(&of["difference"])].concat() {
        assert!(docs.contains(&format!("`{key}`")), "{key}");
    }
    let count = [keys(&page).len(), keys(figure).len(), keys(of).len(), keys(&of["difference"]).len()];
    assert_eq!(count, [16, 5, 5, 7]);
    assert_eq!((&of["sd"], &of["difference"]["interval_95"]), (&Value::Null, &Value::Null));
}
