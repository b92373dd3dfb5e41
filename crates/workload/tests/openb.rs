//! Tables of pods and nodes: the real ones with the counts that are known of them, and what is wrong with others.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod common;

use std::collections::BTreeMap;

use common::traces;
use switchyard_model::{PodNode, PodSpec, SimTime};
use switchyard_workload::openb::{Remark, TableReport, read_nodes, read_pods};
use switchyard_workload::{InflateError, inflate, shuffled};

fn nodes(name: &str) -> Option<(Vec<PodNode>, TableReport)> {
    Some(read_nodes(name, &std::fs::read(traces()?.join(name)).unwrap()).unwrap())
}

fn pods(name: &str) -> Option<(Vec<PodSpec>, TableReport)> {
    Some(read_pods(name, &std::fs::read(traces()?.join(name)).unwrap()).unwrap())
}

#[test]
fn the_nodes_of_openb() {
    let Some((nodes, report)) = nodes("openb_node_list_gpu_node.csv") else { return };
    assert_eq!((nodes.len(), report.rows), (1_213, 1_213));
    assert_eq!(report.to_string(), "Read 1213 nodes from 1213 rows.");
    assert_eq!(nodes.iter().map(|node| node.gpus).sum::<u32>(), 6_212);
    assert_eq!(nodes.iter().map(|node| node.cpu_milli).sum::<u64>(), 107_018_000);
    assert_eq!(nodes.iter().map(|node| node.memory_mib).sum::<u64>(), 503_828_480);
    let mut kinds: BTreeMap<(&str, u32), u32> = BTreeMap::new();
    for node in &nodes {
        *kinds.entry((&node.model, node.gpus)).or_default() += 1;
    }
    assert_eq!((kinds[&("G2", 8)], kinds[&("T4", 2)], kinds[&("A10", 1)]), (549, 387, 2));
    assert_eq!(kinds.len(), 12);
}

#[test]
fn the_pods_of_openb() {
    let Some((pods, report)) = pods("openb_pod_list_default.csv") else { return };
    assert_eq!(pods.len(), 8_152);
    let count = |is: &dyn Fn(&&PodSpec) -> bool| pods.iter().filter(is).count();
    assert_eq!(count(&|pod| pod.shares_a_gpu()), 3_078);
    assert_eq!(count(&|pod| pod.gpus == 0), 1_088);
    assert_eq!(count(&|pod| pod.gpus == 8), 44);
    assert_eq!(count(&|pod| pod.scheduled.is_none()), 897);
    assert_eq!(count(&|pod| !pod.models.is_empty()), 0);
    assert_eq!(report.remarks.count(Remark::NeverScheduled), 897);
    assert_eq!(report.remarks.total(), 897);
    assert_eq!(pods.iter().map(PodSpec::total_gpu_milli).sum::<u64>(), 6_086_800);
    assert_eq!(pods.iter().filter_map(|pod| pod.deleted).max(), Some(SimTime::from_secs(12_902_960)));
    let first = PodSpec {
        memory_mib: 16_384,
        created: Some(SimTime::ZERO),
        scheduled: Some(SimTime::ZERO),
        deleted: Some(SimTime::from_secs(12_537_496)),
        ..PodSpec::with_gpus("openb-pod-0000", 12_000, 1, 1000)
    };
    assert_eq!(pods[0], first);
    assert!(report.to_string().ends_with("Not used: qos (8152 rows), pod_phase (8152 rows)."), "{report}");
}

#[test]
fn pods_may_ask_for_models() {
    let Some((pods, _)) = pods("openb_pod_list_gpuspec33.csv") else { return };
    assert_eq!(pods.iter().filter(|pod| !pod.models.is_empty()).count(), 2_388);
    let several = pods.iter().find(|pod| pod.models.len() > 1).unwrap();
    assert_eq!(several.models.join("|"), "V100M16|V100M32");
}

const NODES: &str = "sn,cpu_milli,memory_mib,gpu,model\na,64000,262144,2,P100\nb,8000,1024,0,\n";
const PODS: &str = "name,cpu_milli,memory_mib,num_gpu,gpu_milli\np,1000,512,1,500\nq,2000,512,0,0\n";

fn said(text: &str, of: &str) -> String {
    match of {
        "nodes" => read_nodes("t.csv", text.as_bytes()).unwrap_err().to_string(),
        _ => read_pods("t.csv", text.as_bytes()).unwrap_err().to_string(),
    }
}

#[test]
fn columns_are_found_by_name() {
    let (nodes, _) = read_nodes("t.csv", NODES.as_bytes()).unwrap();
    assert_eq!((&*nodes[1].name, nodes[1].cpu_milli, nodes[1].gpus, &*nodes[1].model), ("b", 8_000, 0, ""));
    let other = "\u{feff}gpu_milli, note ,num_gpu,memory_mib,cpu_milli,name\r\n500,,1,512,1000,p\r\n\r\n0,x,0,512,2000,\"q\"\r\n";
    let (pods, report) = read_pods("t.csv", other.as_bytes()).unwrap();
    assert_eq!(pods, read_pods("t.csv", PODS.as_bytes()).unwrap().0);
    assert_eq!(report.to_string(), "Read 2 pods from 2 rows.\nNot used: note (1 row).");
}

#[test]
fn what_is_odd_is_told() {
    let text = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,scheduled_time\n\
        a,1,1,2,500,,5\nb,1,1,0,500,T4,6\nc,1,1,0,,,\n";
    let (pods, report) = read_pods("t.csv", text.as_bytes()).unwrap();
    assert_eq!((pods[1].gpu_milli, pods[1].models.len(), pods[2].gpu_milli), (0, 0, 0));
    assert_eq!(
        report.to_string(),
        "Read 3 pods from 3 rows.\n\
        1 row: never scheduled in the trace (no scheduled_time); kept (line 4).\n\
        1 row: a part of each of several GPUs; different GPUs are given (line 2).\n\
        1 row: gpu_milli without a GPU; ignored (line 3).\n\
        1 row: gpu_spec without a GPU; ignored (line 3)."
    );
    let (_, report) = read_nodes("t.csv", NODES.replace("P100", "").as_bytes()).unwrap();
    assert_eq!(report.remarks.count(Remark::NoModel), 1);
}

#[test]
fn errors_say_where() {
    for (from, to, expected) in [
        ("q,2000", "p,2000", "line 3, field 1 (name): expected a name that no other row has, found \"p\""),
        ("q,2000", ",2000", "line 3, field 1 (name): expected a name, found \"\""),
        (
            "p,1000",
            "p,1.5",
            "line 2, field 2 (cpu_milli): expected CPU in thousandths of a core, a whole number, found \"1.5\"",
        ),
        (
            "512,1,500",
            "-1,1,500",
            "line 2, field 3 (memory_mib): expected memory in MiB, a whole number, found \"-1\"",
        ),
        ("1,500", "65,500", "line 2, field 4 (num_gpu): expected a number of GPUs, 0 to 64, found \"65\""),
        (
            "1,500",
            "1,1001",
            "line 2, field 5 (gpu_milli): expected thousandths of a GPU, 1 to 1000 (0 only without GPUs), found \"1001\"",
        ),
        (
            "1,500",
            "1,0",
            "line 2, field 5 (gpu_milli): expected thousandths of a GPU, 1 to 1000 (0 only without GPUs), found \"0\"",
        ),
        ("1,500", "1", "line 2: expected 5 fields, found 4"),
        (
            "num_gpu",
            "gpus",
            "line 1: there is no column num_gpu; expected a header with name,cpu_milli,memory_mib,num_gpu,gpu_milli",
        ),
    ] {
        assert_eq!(said(&PODS.replacen(from, to, 1), "pods"), format!("t.csv, {expected}"));
    }
    let rows = "expected at least one row below a header with sn,cpu_milli,memory_mib,gpu,model";
    for empty in ["", "\n\n", "sn,cpu_milli,memory_mib,gpu,model\n"] {
        assert_eq!(said(empty, "nodes"), format!("t.csv has no nodes; {rows}"));
    }
    assert_eq!(
        said("\u{1f}\u{0}", "nodes").split(';').next(),
        Some("t.csv is no text: it has a zero byte at offset 1")
    );
    let swapped =
        "t.csv, line 1: there is no column sn; expected a header with sn,cpu_milli,memory_mib,gpu,model";
    assert_eq!(said(PODS, "nodes"), swapped);
}

fn some_pods() -> Vec<PodSpec> {
    let pod = |at: u32| match at % 3 {
        0 => PodSpec::cpu_only(&format!("p{at:02}"), 1000),
        gpus => PodSpec::with_gpus(&format!("p{at:02}"), 1000, gpus, 1000),
    };
    (0..30).map(pod).collect() // 30 GPUs
}

fn demand(pods: &[PodSpec]) -> u64 {
    pods.iter().map(PodSpec::total_gpu_milli).sum()
}

#[test]
fn pods_are_drawn_until_the_demand_is_reached_and_not_exceeded() {
    let pods = some_pods();
    for seed in 0..50 {
        let order = shuffled(&pods, seed);
        let more = inflate(&order, 40_000, 1.3, seed).unwrap();
        // The next pod has at most two GPUs.
        assert!((50_001..=52_000).contains(&demand(&more)), "{}", demand(&more));
        let (first, clones) = more.split_at(pods.len());
        assert_eq!(first, order);
        for clone in clones {
            let original = pods.iter().find(|pod| clone.name.starts_with(&format!("{}-clone-", pod.name)));
            assert_eq!(clone.total_gpu_milli(), original.unwrap().total_gpu_milli());
        }
        let fewer = inflate(&pods, 40_000, 0.5, seed).unwrap();
        assert!((18_000..=20_000).contains(&demand(&fewer)), "{}", demand(&fewer));
        assert!(fewer.iter().all(|pod| pods.contains(pod)));
    }
    let with = |seed| inflate(&pods, 40_000, 1.3, seed).unwrap();
    assert_eq!(with(7), with(7));
    assert_ne!(with(7), with(8));
    // The order of the file doesn't matter.
    let backwards: Vec<PodSpec> = pods.iter().rev().cloned().collect();
    assert_eq!(shuffled(&backwards, 7), shuffled(&pods, 7));
    assert_eq!(inflate(&backwards, 40_000, 1.3, 7).unwrap()[30..], with(7)[30..]);
}

#[test]
fn demands_that_can_not_be_reached() {
    let cpu_only = [PodSpec::cpu_only("p", 1000)];
    let error = inflate(&cpu_only, 1000, 1.3, 1).unwrap_err();
    assert_eq!(error, InflateError::NoGpuPods { pods: 1 });
    assert_eq!(inflate(&some_pods(), 0, 1.3, 1), Err(InflateError::NoGpus));
    for demand in [0.0, -1.0, f64::NAN, f64::INFINITY, 101.0] {
        let error = inflate(&some_pods(), 1000, demand, 1).unwrap_err();
        assert!(error.to_string().contains("choose more than 0, at most 100"), "{error}");
    }
}
