//! `--site` and `terms`: the documentation says all of what there is, and what can't be meant is refused.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod common;

use std::collections::BTreeSet;

use common::{figures, file, switchyard};
use serde_json::{Value, json};
use switchyard_model::{
    AdvanceReservation, Association, NodeId, Partition, Qos, ResourceCap, SimTime, Site, Terms,
};

fn docs() -> String {
    std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/sites.md")).unwrap()
}

/// The examples of the page, in order.
fn examples() -> Vec<Value> {
    let docs = docs();
    let blocks = docs.split("```json").skip(1).map(|block| block.split("```").next().unwrap());
    blocks.map(|block| serde_json::from_str(block).unwrap()).collect()
}

fn keys(value: &Value) -> BTreeSet<String> {
    value.as_object().unwrap().keys().cloned().collect()
}

#[test]
fn the_examples_are_what_they_say_and_every_key_is_told() {
    let [site, terms] = &examples()[..] else { panic!("two examples") };
    let read: Site = serde_json::from_value(site.clone()).unwrap();
    assert_eq!((read.partitions.len(), read.qos.len(), read.reservations.len()), (2, 2, 2));
    let read: Terms = serde_json::from_value(terms.clone()).unwrap();
    assert!(read.no_requeue && read.one_domain && read.array.unwrap().throttle == 2);
    let association = Association {
        account: "a".into(),
        user: None,
        parent: None,
        shares: 1,
        limits: switchyard_model::Limits::default(),
    };
    let reservation = AdvanceReservation {
        name: "r".into(),
        start: SimTime::ZERO,
        end: SimTime::ZERO,
        nodes: vec![NodeId(0)],
        users: Vec::new(),
        accounts: Vec::new(),
    };
    let all = [
        json!(Site::default()),
        json!(Partition::new("p", None)),
        json!(Qos::default()),
        json!(association),
        json!(switchyard_model::Limits::default()),
        json!(ResourceCap::default()),
        json!(reservation),
        json!(Terms::default()),
    ];
    let docs = docs();
    for key in all.iter().flat_map(keys) {
        assert!(docs.contains(&format!("`{key}`")), "docs/sites.md says nothing about {key}");
    }
}

/// The example keeps one of four nodes for a course from 1 h to 2 h, then two for maintenance until 3 h: a job for all of them that needs
/// 90 min waits for the end of that.
#[test]
fn the_example_can_be_replayed() {
    let site = file("sites-example.json", &examples()[0].to_string());
    let trace = file(
        "sites-example.csv",
        "id,submit,runtime,limit,nodes,cpus\n1,0,3600,3600,4,8\n2,1,5400,5400,4,8\n3,2,1800,1800,1,8\n",
    );
    let args = ["explain", "2", &trace, "--at", "2", "--nodes", "4", "--cpus", "8", "--site", &site];
    let told = figures(&[&args[..], &["--policy", "easy"]].concat());
    assert_eq!(told["predicted_start_s"], 10_800.0);
    assert_eq!(told["reason"], "Needs 4 empty nodes; nodes are kept for others by reservation \"course\".");
    let replay = ["replay", &trace, "--nodes", "4", "--cpus", "8", "--site", &site, "--policy", "easy"];
    assert_eq!(figures(&replay)["max_wait_s"], 10_799.0);
}

#[test]
fn what_can_not_be_meant_is_refused_with_its_place() {
    let trace = file("sites-refused.csv", "id,submit,runtime,limit,nodes,cpus\n1,0,10,10,1,8\n");
    let said = |site: Value| {
        let site = file("sites-refused.json", &site.to_string());
        let args = ["replay", &trace, "--nodes", "4", "--cpus", "8", "--policy", "fcfs", "--site", &site];
        let said = switchyard(&args);
        assert_eq!((said.code, said.out.as_str()), (3, ""), "{}", said.err);
        said.err
    };
    let kept = |start: u64, end: u64, nodes: Value| json!({"reservations": [{"name": "r", "start": start, "end": end, "nodes": nodes}]});
    for (site, sentence) in [
        (
            kept(20_000_000, 10_000_000, json!([0])),
            "sites-refused.json: reservations, entry 1 (\"r\"): it ends at 10 s and begins at 20 s; \"end\" has to be after \"start\"",
        ),
        (kept(0, 1, json!([0, 4])), "entry 1 (\"r\"): there is no node 4; the fleet has nodes 0 to 3"),
        (kept(0, 1, json!([])), "it has no nodes"),
        (
            json!({"partitions": [{"name": "p"}, {"name": "q"}, {"name": "p"}]}),
            "partitions, entry 3 (\"p\"): entry 1 has the same name; give each its own",
        ),
        (
            json!({"partitions": [{"name": "p", "nodes": [9]}]}),
            "partitions, entry 1 (\"p\"): there is no node 9",
        ),
        (
            json!({"partitions": [{"name": "p", "default": true}, {"name": "q", "default": true}]}),
            "partitions, entry 2 (\"q\"): entry 1 is the default, too",
        ),
        (
            json!({"partitions": [{"name": "p", "max_time": 1, "default_time": 2}]}),
            "its default_time is longer than its max_time",
        ),
        (json!({"qos": [{"name": "a"}, {"name": "a"}]}), "qos, entry 2 (\"a\"): entry 1 has the same name"),
        (json!({"qos": [{}]}), "qos, entry 1 (\"\"): it has no name"),
        (json!({"qos": [{"name": "a", "preempt": ["b"]}]}), "it preempts \"b\", which is not among qos"),
        (
            json!({"associations": [{"account": "a", "parent": "b"}]}),
            "associations, entry 1 (\"a\"): its parent \"b\" is not among associations",
        ),
        (
            json!({"associations": [{"account": "a", "parent": "b"}, {"account": "b", "parent": "a"}]}),
            "associations, entry 1 (\"a\"): it is above itself",
        ),
        (
            json!({"associations": [{"account": "a"}, {"account": "a", "user": "u", "parent": "a"}]}),
            "associations, entry 2 (\"u in a\"): only accounts have a parent",
        ),
        (
            json!({"associations": [{"account": "a", "user": "u"}, {"account": "a", "user": "u"}]}),
            "entry 1 has the same name",
        ),
    ] {
        let err = said(site);
        assert!(err.contains(sentence), "{err}");
    }
}
