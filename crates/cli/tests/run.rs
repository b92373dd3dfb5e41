//! `switchyard run`: the whole cluster from a scenario file.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod common;

use common::{figures, file, switchyard};

const SCENARIO: &str = r#"{
    "version": 1, "name": "a few jobs", "seed": 7, "policy": "easy",
    "workload": {"generate": {"name": "seed-lab-v01", "jobs": 12, "seed": 5}},
    "interventions": [{"at": 600000000, "do": {"crash_replica": 0}}]
}"#;

#[test]
fn the_same_run_has_the_same_digest() {
    let scenario = file("few.json", SCENARIO);
    let first = figures(&["run", &scenario]);
    assert_eq!(
        (&first["jobs"], &first["finished"], &first["violations"]),
        (&12.into(), &12.into(), &0.into())
    );
    assert_eq!(first["digest"].as_str().unwrap().len(), 16);
    assert_eq!(figures(&["run", &scenario]), first);
    let other = figures(&["run", &scenario, "--seed", "8"]);
    assert_ne!(other["digest"], first["digest"]);
    assert_eq!(other["seed"], 8);
}

#[test]
fn a_run_can_be_stopped_at_a_time() {
    let scenario = file("until.json", SCENARIO);
    let figures = figures(&["run", &scenario, "--until", "900.5"]);
    assert_eq!(figures["simulated_s"], 900.5);
    assert!(figures["finished"].as_u64().unwrap() < 12);
}

#[test]
fn a_trace_is_found_beside_its_scenario_and_fitted_to_the_fleet() {
    file("beside.swf", "1 100 -1 50 4 -1 -1 4 60 -1 1 7 3 -1 -1 -1 -1 -1\n");
    let scenario = r#"{"version": 1, "name": "t", "seed": 1, "policy": "fcfs", "workload": {"trace": {"file": "beside.swf"}},
        "fleet": {"name": "f", "classes": [{"name": "n", "count": 2, "node": {"cpus": 4, "memory_mib": 1024}, "nodes_per_rack": 2}]}}"#;
    let said = switchyard(&["run", &file("beside.json", scenario)]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.err.starts_with("beside.swf: Read 1 job from 1 row"), "{}", said.err);
    assert!(said.err.contains("Fitted to 2 nodes, 8 CPUs, 0 GPUs: 1 job in all."), "{}", said.err);
    assert!(said.out.contains("digest"), "{}", said.out);
}

#[test]
fn a_bad_scenario_is_a_sentence_and_a_code() {
    let said = |name, text: &str| {
        let said = switchyard(&["run", &file(name, text)]);
        assert_eq!(said.code, 3, "{}", said.err);
        said.err
    };
    let key = said("key.json", &SCENARIO.replace("\"seed\": 7", "\"sead\": 7"));
    assert!(key.starts_with("error: key.json: scenario, line 2, column") && key.contains("sead"), "{key}");
    assert!(
        said("policy.json", &SCENARIO.replace("\"easy\"", "\"eazy\""))
            .contains("choose one of fcfs, sjf, easy,")
    );
    let generator = said("generator.json", &SCENARIO.replace("seed-lab-v01", "lubin"));
    assert!(
        generator.contains("there is no generator \"lubin\"; choose one of seed-lab, seed-lab-v01, k8s-lab,"),
        "{generator}"
    );
}
