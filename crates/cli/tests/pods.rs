//! `switchyard pods`: a small cluster by hand, the published figures, and what it says to mistakes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod common;

use common::{figures, file, scratch, shared, switchyard, switchyard_with};

const NODES: &str = "sn,cpu_milli,memory_mib,gpu,model\n\
    a,64000,262144,4,V100\nb,64000,262144,4,V100\nc,64000,262144,2,T4\n";

const PODS: &str = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos\n\
    two,4000,1024,2,1000,,LS\nfour,4000,1024,4,1000,,LS\nhalf,4000,1024,1,500,V100,BE\ncpu,4000,1024,0,0,,BE\n\
    more,4000,1024,4,1000,,LS\n";

fn small(name: &str) -> (String, String) {
    (file(&format!("{name}-nodes.csv"), NODES), file(&format!("{name}-pods.csv"), PODS))
}

/// The pod of two fits exactly on node c, four on a; the half takes from b, so that no node has four for the last.
#[test]
fn each_pod_goes_where_the_policy_says() {
    let ((nodes, pods), placements) = (small("each"), scratch("each-placements.csv"));
    let args = ["pods", &pods, "--nodes", &nodes, "--policy", "packing"];
    let said = switchyard(&[&args[..], &["--placements", placements.to_str().unwrap()]].concat());
    assert_eq!(said.code, 0, "{}", said.err);
    let written = std::fs::read_to_string(placements).unwrap();
    let columns = |line: &str| line.split(',').take(4).map(str::to_owned).collect::<Vec<_>>().join(",");
    let rows: Vec<String> = written.lines().map(columns).collect();
    let expected =
        ["seq,pod,node,gpu_index", "0,two,c,0-1", "1,four,a,0-1-2-3", "2,half,b,0", "3,cpu,a,", "4,more,,"];
    assert_eq!(rows, expected);
    assert!(written.ends_with(",6500,Resources\n"), "{written}");
    assert_eq!(
        said.err,
        "each-nodes.csv: Read 3 nodes from 3 rows.\n\
        each-pods.csv: Read 5 pods from 5 rows.\nNot used: qos (5 rows).\n\
        1 pod was not scheduled: more: Needs 4 GPUs; 3.5 are free. 0 of 3 nodes can take it: 3 lack GPU.\n"
    );
    for line in [
        "workload                  each-pods.csv",
        "nodes                     3: 192 CPUs, 10 GPUs",
        "policy                    packing, ties by name",
        "scheduled                 4",
        "not scheduled             1 (Resources 1)",
        "GPU in use                65.00 % of 10 GPUs",
        "GPUs touched              7 of 10",
        "     105         65.00",
    ] {
        assert!(said.out.contains(line), "{line}\n{}", said.out);
    }
}

#[test]
fn json_has_the_same_figures() {
    let (nodes, pods) = small("json");
    let figures = figures(&["pods", &pods, "--nodes", &nodes, "--policy", "packing"]);
    assert_eq!((&figures["pods"], &figures["scheduled"]), (&5.into(), &4.into()));
    assert_eq!(figures["not_scheduled"]["resources"], 1);
    assert_eq!((&figures["order"], &figures["ties"]), (&"file".into(), &"name".into()));
    assert_eq!(figures["gpu_allocated_percent"], 65.0);
    assert_eq!(figures["idle_gpu_milli"]["total"], 3500.0);
    // Node b has 3500 free: five pods, of which one fits twice and one without GPUs can't use it.
    let parts = ["q1_lacks_gpu_and_cpu", "q2_lacks_gpu", "q4_lacks_cpu", "xl_pod_without_gpu"];
    let lost: f64 = parts.iter().map(|part| figures["idle_gpu_milli"][part].as_f64().unwrap()).sum();
    assert_eq!(figures["idle_gpu_milli"]["fragmented"], lost);
    // The pod of two can't use the half GPU, and the half can use all.
    assert_eq!(figures["idle_gpu_milli"]["fragmented"], (500.0 + 3.0 * 3500.0) / 5.0);
    let curve = figures["curves"].as_array().unwrap();
    let demands: Vec<u64> = curve.iter().map(|point| point["demand_percent"].as_u64().unwrap()).collect();
    assert_eq!(demands, [20, 60, 65, 105]);
}

#[test]
fn the_subset_of_the_golden_files() {
    let (Some(nodes), Some(pods)) = (shared("golden/fgd_sub_nodes.csv"), shared("golden/fgd_sub_pods.csv"))
    else {
        return;
    };
    let text = std::fs::read_to_string(pods).unwrap();
    let (header, rows) = text.split_once('\n').unwrap();
    let mut rows: Vec<&str> = rows.lines().collect();
    rows.sort_unstable(); // there the pods came in the order of their names
    let pods = file("sorted-pods.csv", &format!("{header}\n{}\n", rows.join("\n")));
    // Another order among equals than the published one, so that single pods differ.
    for (policy, published) in
        [("fgd", 93.4), ("bestfit", 93.8), ("dotprod", 90.4), ("packing", 92.6), ("clustering", 92.4)]
    {
        let figures = figures(&["pods", &pods, "--nodes", &nodes, "--policy", policy]);
        let allocated = figures["gpu_allocated_percent"].as_f64().unwrap();
        assert!((allocated - published).abs() < 1.5, "{policy}: {allocated}");
    }
}

#[test]
fn all_of_openb_at_130_percent() {
    let (Some(nodes), Some(pods)) =
        (shared("openb_node_list_gpu_node.csv"), shared("openb_pod_list_default.csv"))
    else {
        return;
    };
    let run = |policy: &str, seed: &str| {
        figures(&["pods", &pods, "--nodes", &nodes, "--policy", policy, "--demand", "1.3", "--seed", seed])
    };
    let fgd = run("fgd", "42");
    let allocated = fgd["gpu_allocated_percent"].as_f64().unwrap();
    assert!((95.0..95.7).contains(&allocated), "{allocated}"); // published: 95.27 to 95.49
    let arrived = fgd["arrived_gpu_milli"].as_u64().unwrap();
    assert!((8_066_000..=8_075_600).contains(&arrived), "{arrived}");
    assert_eq!((&fgd["order"], &fgd["ties"]), (&"shuffled".into(), &"shuffled".into()));
    assert_eq!(fgd, run("fgd", "42"));
    assert_ne!(fgd, run("fgd", "43"));
    assert!(run("random", "42")["gpu_allocated_percent"].as_f64().unwrap() < 89.0);
}

#[test]
fn pods_may_come_from_standard_input() {
    let nodes = file("stdin-nodes.csv", NODES);
    let said =
        switchyard_with(&["pods", "-", "--nodes", &nodes, "--policy", "fgd", "--order", "shuffled"], PODS);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.err.contains("standard input: Read 5 pods from 5 rows."), "{}", said.err);
    assert!(said.out.contains("fgd, ties by a random order with seed 42"), "{}", said.out);
}

#[test]
fn nothing_that_fits_is_a_code() {
    let (nodes, _) = small("nothing");
    let pods = file("nothing-fits.csv", "name,cpu_milli,memory_mib,num_gpu,gpu_milli\nbig,1,1,8,1000\n");
    let said = switchyard(&["pods", &pods, "--nodes", &nodes, "--policy", "bestfit"]);
    assert_eq!(said.code, 5);
    assert!(said.err.contains("big: No node could hold it, even when empty."), "{}", said.err);
}

#[test]
fn mistakes_are_answered_with_what_to_do() {
    let (nodes, pods) = small("mistakes");
    let said = |args: &[&str], code: i32| {
        let said = switchyard(&[&["pods"], args].concat());
        assert_eq!((said.code, said.out.as_str()), (code, ""), "{args:?}: {}", said.err);
        said.err
    };
    let policy = said(&[&pods, "--nodes", &nodes, "--policy", "easy"], 2);
    assert!(policy.contains("choose one of random, dotprod, clustering, packing, bestfit, fgd"), "{policy}");
    for demand in ["0", "-1", "many", "130"] {
        let demand = format!("--demand={demand}");
        let error = said(&[&pods, "--nodes", &nodes, "--policy", "fgd", &demand], 2);
        assert!(error.contains("above 0 and at most 100, for example 1.3"), "{error}");
    }
    let swapped = said(&[&nodes, "--nodes", &pods, "--policy", "fgd"], 3);
    assert!(
        swapped.ends_with("error: mistakes-pods.csv, line 1: there is no column sn; expected a header with sn,cpu_milli,memory_mib,gpu,model\n"),
        "{swapped}"
    );
    let bad = file("bad-pods.csv", &PODS.replace(",500,", ",5000,"));
    let bad = said(&[&bad, "--nodes", &nodes, "--policy", "fgd"], 3);
    assert!(bad.contains("bad-pods.csv, line 4, field 5 (gpu_milli): expected"), "{bad}");
    let cpu_only = file("cpu-only.csv", "name,cpu_milli,memory_mib,num_gpu,gpu_milli\np,1,1,0,0\n");
    let none = said(&[&cpu_only, "--nodes", &nodes, "--policy", "fgd", "--demand", "1.3"], 2);
    assert!(
        none.ends_with("none of the 1 pods asks for a GPU; their GPU demand can't be raised\n"),
        "{none}"
    );
    let unwritable =
        said(&[&pods, "--nodes", &nodes, "--policy", "fgd", "--placements", "no-such-folder/p.csv"], 4);
    assert!(unwritable.contains("can't write no-such-folder/p.csv"), "{unwritable}");
}

#[test]
fn help_has_an_example() {
    let said = switchyard(&["pods", "--help"]);
    assert_eq!(said.code, 0);
    assert!(said.out.contains("--policy fgd --demand 1.3 --seed 42"), "{}", said.out);
    assert!(said.out.contains("5  nothing could run"), "{}", said.out);
}
