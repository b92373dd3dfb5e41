//! Each reason that is a matter of room, with the smallest state that causes it, and the words in which it is told.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod harness;

use harness::{at, gpu_cluster, gpu_nodes, pass, plan, processors, reason, spec, tasks, told};
use switchyard_model::{JobId, NodeId, Resources, Shape};
use switchyard_scheduler::{Policy, Reason, Scheduler};

/// Four nodes, each with 3 of its 8 GPUs in use: 20 are free, and a job wants 4 empty nodes, which are 32.
#[test]
fn resources_for_empty_nodes() {
    let mut cluster = gpu_cluster(4);
    cluster.submit(spec(1, 0, 100, gpu_nodes(4, 3)), at(0)).unwrap();
    pass("easy", &mut cluster, 0);
    cluster.submit(spec(2, 1, 100, gpu_nodes(4, 8)), at(1)).unwrap();
    let plan = plan("easy", &cluster, 1);
    assert!(matches!(reason(&plan, 2), Reason::Resources(_)));
    let expected = ["Needs 4 empty nodes; none is.", "20 GPUs are free, on 4 busy nodes.", "Resources"];
    assert_eq!(told(&plan, 2), expected);
}

#[test]
fn resources_for_processors() {
    let mut cluster = processors(20);
    cluster.submit(spec(1, 0, 100, tasks(12)), at(0)).unwrap();
    cluster.submit(spec(2, 0, 100, tasks(15)), at(0)).unwrap();
    let plan = pass("easy", &mut cluster, 0);
    let expected = ["Needs 15 CPUs; 8 CPUs are free.", "8 CPUs are free, on 2 nodes.", "Resources"];
    assert_eq!(told(&plan, 2), expected);
    cluster.submit(spec(3, 0, 10, tasks(8)), at(0)).unwrap();
    let full = pass("easy", &mut cluster, 0);
    assert_eq!(told(&full, 2)[..2], ["Needs 15 CPUs; none is free.", "No CPU is free."]);
}

/// The three jobs take 5 GPUs of each of three nodes: 9 are free, but 8 of one node are not.
#[test]
fn fragmented_resources() {
    let mut cluster = gpu_cluster(3);
    cluster.submit(spec(1, 0, 100, gpu_nodes(3, 5)), at(0)).unwrap();
    pass("easy", &mut cluster, 0);
    cluster.submit(spec(2, 1, 100, gpu_nodes(1, 8)), at(1)).unwrap();
    cluster.submit(spec(3, 1, 100, gpu_nodes(2, 4)), at(1)).unwrap();
    let plan = plan("easy", &cluster, 1);
    assert!(matches!(reason(&plan, 2), Reason::FragmentedResources(_)));
    let scattered = "9 GPUs are free on 3 busy nodes: enough in sum, but in pieces that are too small.";
    assert_eq!(told(&plan, 2), ["Needs 1 empty node; none is.", scattered, "Resources"]);
    assert_eq!(told(&plan, 3)[0], "Needs 2 nodes with 4 GPUs and 4 CPUs each; there is room for none.");
}

/// Job 1 takes half the processors until 140, job 2 waits for all of them, job 3 would fit but asks for 500 s.
#[test]
fn would_delay_the_reservation() {
    let mut cluster = processors(8);
    cluster.submit(spec(1, 0, 100, tasks(4)), at(0)).unwrap();
    cluster.submit(spec(2, 0, 100, tasks(8)), at(0)).unwrap();
    cluster.submit(spec(3, 0, 500, tasks(1)), at(0)).unwrap();
    for policy in ["easy", "easy-machine"] {
        let plan = plan(policy, &cluster, 40);
        assert!(matches!(reason(&plan, 3), Reason::WouldDelayReservation { head: JobId(2), .. }), "{policy}");
        let sentence = "Fits now, but could delay job 2, which is next and starts by 00:02:20.";
        let evidence = "It asks for 8 min 20 s, and 1 min 40 s are left until then.";
        assert_eq!(told(&plan, 3), [sentence, evidence, "Priority"], "{policy}");
    }
}

/// With backfill off even a job that fits waits behind the first in line.
#[test]
fn behind_the_head() {
    let mut cluster = processors(8);
    cluster.submit(spec(1, 0, 100, tasks(4)), at(0)).unwrap();
    cluster.submit(spec(2, 0, 100, tasks(8)), at(0)).unwrap();
    cluster.submit(spec(3, 0, 10, tasks(1)), at(0)).unwrap();
    let off = plan("fcfs", &cluster, 0);
    assert!(matches!(reason(&off, 2), Reason::Resources(_)));
    let expected =
        ["Waits its turn behind job 2.", "Backfill is off: jobs start strictly in order.", "Priority"];
    assert_eq!(told(&off, 3), expected);
    let on = plan("easy", &cluster, 0);
    assert!(on.starts.iter().any(|start| start.job == JobId(3) && start.backfilled));
}

/// A job for the whole machine, while one node is down: it blocks no one, and gets its reservation when the node is back.
#[test]
fn nodes_unavailable() {
    let mut cluster = gpu_cluster(4);
    cluster.set_available(NodeId(2), false);
    cluster.submit(spec(1, 0, 100, gpu_nodes(4, 8)), at(0)).unwrap();
    cluster.submit(spec(2, 0, 900, gpu_nodes(1, 1)), at(0)).unwrap();
    for policy in ["fcfs", "easy", "easy-machine", "seed-lab-v01"] {
        let plan = plan(policy, &cluster, 0);
        assert_eq!(plan.starts.len(), 1, "{policy}");
        assert!(!plan.starts[0].backfilled && plan.reservations.is_empty(), "{policy}");
        let sentence = "Needs 4 empty nodes; 1 node is out of service.";
        let evidence = "The nodes in service, if they were empty, could hold 3 of them.";
        assert_eq!(told(&plan, 1), [sentence, evidence, "ReqNodeNotAvail"], "{policy}");
    }
    cluster.set_available(NodeId(2), true);
    assert_eq!(plan("easy", &cluster, 0).starts[0].job, JobId(1));
}

/// More than the fleet has: kept with the reason, and everyone passes it, also under a strict order.
#[test]
fn never_fits() {
    let mut cluster = gpu_cluster(4);
    let memory = Resources { cpus: 1, gpus: 0, memory_mib: 65_536 };
    cluster.submit(spec(1, 0, 100, gpu_nodes(5, 4)), at(0)).unwrap();
    cluster.submit(spec(2, 0, 100, Shape::Tasks { tasks: 1, per_task: memory }), at(0)).unwrap();
    cluster.submit(spec(3, 0, 100, gpu_nodes(1, 1)), at(0)).unwrap();
    let plan = plan("fcfs", &cluster, 0);
    assert_eq!(plan.starts.len(), 1);
    let sentence = "Can never run on this fleet: needs 5 nodes with 4 GPUs and 4 CPUs each.";
    let evidence = "The whole fleet, if it were empty, could hold 4.";
    assert_eq!(told(&plan, 1), [sentence, evidence, "BadConstraints"]);
    let sentence = "Can never run on this fleet: needs 1 task of 1 CPU and 64 GiB of memory.";
    assert_eq!(told(&plan, 2)[0], sentence);
}

/// The reservation says where the head will run, when, and who has to end first.
#[test]
fn a_reservation_names_its_nodes_and_whom_it_waits_for() {
    let mut cluster = gpu_cluster(4);
    cluster.submit(spec(1, 0, 300, gpu_nodes(1, 8)), at(0)).unwrap();
    cluster.submit(spec(2, 0, 100, gpu_nodes(1, 8)), at(0)).unwrap();
    cluster.submit(spec(3, 0, 200, gpu_nodes(1, 8)), at(0)).unwrap();
    pass("easy", &mut cluster, 0);
    cluster.submit(spec(4, 1, 100, gpu_nodes(3, 8)), at(1)).unwrap();
    for policy in ["easy", "easy-machine"] {
        let plan = plan(policy, &cluster, 1);
        let reservation = plan.head_reservation().unwrap();
        assert_eq!((reservation.job, reservation.at), (JobId(4), at(200)), "{policy}");
        assert_eq!(reservation.nodes, [1, 2, 3].map(NodeId), "{policy}");
        assert_eq!(reservation.waits_for, [2, 3].map(JobId), "{policy}");
    }
}

/// Job 1 has nodes 0 and 1 until 100, and job 2 waits for three. Job 3 takes one of the other two for long: by sums the first, which job
/// 2 then does without; where job 2 has its nodes, the one that it leaves.
#[test]
fn a_reservation_names_no_node_that_has_just_been_given_away() {
    for (policy, given, kept) in [("easy", 2, [0, 1, 3]), ("easy-machine", 3, [0, 1, 2])] {
        let mut cluster = gpu_cluster(4);
        cluster.submit(spec(1, 0, 100, gpu_nodes(2, 8)), at(0)).unwrap();
        pass(policy, &mut cluster, 0);
        cluster.submit(spec(2, 0, 100, gpu_nodes(3, 8)), at(0)).unwrap();
        cluster.submit(spec(3, 0, 500, gpu_nodes(1, 8)), at(0)).unwrap();
        let plan = plan(policy, &cluster, 0);
        assert_eq!(plan.starts[0].placement.nodes().collect::<Vec<_>>(), [NodeId(given)], "{policy}");
        let promise = plan.head_reservation().unwrap();
        assert_eq!((promise.at, &promise.nodes[..]), (at(100), &kept.map(NodeId)[..]), "{policy}");
        assert_eq!(promise.waits_for, [JobId(1)], "{policy}");
    }
}

/// Under Slurm only a cycle may let job 3 pass job 2, and none has come since they came.
#[test]
fn behind_the_head_until_a_cycle_comes() {
    let on = Policy::named("slurm").unwrap();
    let on_evidence = "It fits now, but no backfill cycle has let it pass so far; main passes go in order.";
    let off_evidence = "Backfill is off: jobs start strictly in order.";
    for (policy, evidence) in [(on.clone(), on_evidence), (on.backfill_off(), off_evidence)] {
        let mut cluster = gpu_cluster(2);
        let mut scheduler = Scheduler::new(policy);
        cluster.submit(spec(1, 0, 600, gpu_nodes(1, 8)), at(0)).unwrap();
        let first = scheduler.plan(&cluster, at(0)).starts.remove(0);
        cluster.start(first.job, first.placement, at(0)).unwrap();
        cluster.submit(spec(2, 1, 600, gpu_nodes(2, 8)), at(1)).unwrap();
        cluster.submit(spec(3, 1, 60, gpu_nodes(1, 8)), at(1)).unwrap();
        let plan = scheduler.plan(&cluster, at(1));
        assert_eq!(told(&plan, 3), ["Waits its turn behind job 2.", evidence, "Priority"]);
    }
}

/// Sums promise too much on shared nodes: at 100 there are 8 GPUs free, but 4 on each of two nodes.
#[test]
fn a_reservation_by_sums_may_not_fit_on_nodes() {
    let mut cluster = gpu_cluster(2);
    cluster.submit(spec(1, 0, 100, gpu_nodes(2, 4)), at(0)).unwrap();
    cluster.submit(spec(2, 0, 900, gpu_nodes(2, 4)), at(0)).unwrap();
    pass("easy", &mut cluster, 0);
    cluster.submit(spec(3, 1, 100, gpu_nodes(1, 8)), at(1)).unwrap();
    let counted = plan("easy", &cluster, 1).reservations.remove(0);
    assert_eq!((counted.at, counted.waits_for), (at(100), vec![JobId(1)]));
    let on_nodes = plan("easy-machine", &cluster, 1).reservations.remove(0);
    assert_eq!((on_nodes.at, on_nodes.nodes), (at(900), vec![NodeId(0)]));
}

/// A job that is past its limit and still runs is expected to end any moment, not in the past.
#[test]
fn a_reservation_is_never_in_the_past() {
    let mut cluster = processors(8);
    cluster.submit(spec(1, 0, 100, tasks(8)), at(0)).unwrap();
    pass("easy", &mut cluster, 0);
    cluster.submit(spec(2, 1, 100, tasks(8)), at(1)).unwrap();
    for policy in ["easy", "easy-machine", "seed-lab-v01"] {
        assert_eq!(plan(policy, &cluster, 150).reservations.remove(0).at, at(150), "{policy}");
    }
}
