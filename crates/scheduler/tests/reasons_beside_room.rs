//! Each reason that is no matter of room alone, with the smallest state that causes it, the words in which it is told, and that
//! it goes away with its cause.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod harness;

use std::sync::Arc;

use harness::{at, gpu_cluster, gpu_nodes, on, pass, plan, reason, site_cluster, spec, started, tasks, told};
use switchyard_model::{
    ArrayTask, Dependency, DependencyKind, Domains, FleetSpec, JobId, LicenceAsk, NodeClass, Outcome,
    Partition, Resources, Shape, SimDuration, Site, Terms,
};
use switchyard_scheduler::Cluster;

fn secs(secs: u64) -> SimDuration {
    SimDuration::from_secs(secs)
}

fn after(job: u64, kind: DependencyKind) -> Terms {
    Terms { after: vec![Dependency { job: JobId(job), kind }], ..Terms::default() }
}

fn partition(name: &str) -> Terms {
    Terms { partition: Some(name.into()), ..Terms::default() }
}

fn licences(name: &str, count: u32) -> Terms {
    Terms { licences: vec![LicenceAsk { name: name.into(), count }], ..Terms::default() }
}

fn one_partition(partition: Partition) -> Site {
    Site { partitions: vec![partition], ..Site::default() }
}

/// What is told of a job alone on 4 nodes of 8 GPUs under FCFS.
fn alone(site: Site, terms: Terms, limit: u64, shape: Shape) -> [String; 3] {
    let mut cluster = site_cluster(4, site);
    cluster.submit(on(terms, spec(1, 0, limit, shape)), at(0)).unwrap();
    told(&plan("fcfs", &cluster, 0), 1)
}

#[test]
fn begin_time() {
    let mut cluster = gpu_cluster(4);
    let terms = Terms { begin: at(100), ..Terms::default() };
    cluster.submit(on(terms, spec(1, 0, 10, gpu_nodes(4, 8))), at(0)).unwrap();
    cluster.submit(spec(2, 0, 900, gpu_nodes(1, 8)), at(0)).unwrap();
    let early = plan("fcfs", &cluster, 99);
    assert_eq!(started(&early), [2], "it blocks nobody");
    let sentence = "Asked to start at 00:01:40 or later.";
    assert_eq!(told(&early, 1), [sentence, "Its begin time has not come yet.", "BeginTime"]);
    assert_eq!(started(&plan("fcfs", &cluster, 100)), [1]);
}

#[test]
fn begin_time_after_a_requeue() {
    let mut cluster = gpu_cluster(1);
    cluster.submit(spec(1, 0, 100, gpu_nodes(1, 8)), at(0)).unwrap();
    pass("fcfs", &mut cluster, 0);
    cluster.requeue_anew(JobId(1), at(10), at(131)).unwrap();
    let sentence = "Was sent back to the queue; may start again at 00:02:11.";
    let expected = [sentence, "Its requeue delay is not over.", "BeginTime"];
    assert_eq!(told(&plan("fcfs", &cluster, 130), 1), expected);
    assert_eq!(started(&plan("fcfs", &cluster, 131)), [1]);
}

#[test]
fn dependency() {
    let mut cluster = gpu_cluster(4);
    cluster.submit(on(after(7, DependencyKind::AfterOk), spec(1, 0, 10, gpu_nodes(1, 8))), at(0)).unwrap();
    let expected =
        ["Waits until job 7 has ended well.", "Nobody has submitted a job 7 so far.", "Dependency"];
    assert_eq!(told(&plan("fcfs", &cluster, 0), 1), expected);
    cluster.submit(spec(7, 0, 10, gpu_nodes(1, 8)), at(0)).unwrap();
    assert_eq!(told(&plan("fcfs", &cluster, 0), 1)[1], "Job 7 waits itself.");
    pass("fcfs", &mut cluster, 0);
    assert_eq!(told(&plan("fcfs", &cluster, 0), 1)[1], "Job 7 runs.");
    cluster.finish(JobId(7), Outcome::Completed).unwrap();
    assert_eq!(started(&plan("fcfs", &cluster, 5)), [1]);
}

/// Who may start after job 1 has waited, started, ended in each way, been requeued, been cancelled.
#[test]
fn each_kind_of_dependency_is_met_when_it_should() {
    use DependencyKind::{After, AfterAny, AfterNotOk, AfterOk};
    let kinds = [After, AfterAny, AfterOk, AfterNotOk];
    let may_start = |deed: &dyn Fn(&mut Cluster)| {
        let mut cluster = gpu_cluster(8);
        cluster.submit(spec(1, 0, 10, gpu_nodes(1, 8)), at(0)).unwrap();
        for (number, kind) in (2..).zip(kinds) {
            cluster.submit(on(after(1, kind), spec(number, 0, 10, gpu_nodes(1, 1))), at(0)).unwrap();
        }
        deed(&mut cluster);
        let started = started(&plan("fcfs", &cluster, 1));
        let free = started.iter().filter(|job| **job > 1).map(|job| kinds[*job as usize - 2]);
        free.collect::<Vec<_>>()
    };
    let run = |cluster: &mut Cluster| drop(pass("fcfs", cluster, 0));
    assert_eq!(may_start(&|_| {}), []);
    assert_eq!(may_start(&run), [After]);
    let end = |outcome| {
        may_start(&move |cluster: &mut Cluster| {
            run(cluster);
            cluster.finish(JobId(1), outcome).unwrap();
        })
    };
    assert_eq!(end(Outcome::Completed), [After, AfterAny, AfterOk]);
    for outcome in [Outcome::Failed, Outcome::TimeLimit, Outcome::NodeFail, Outcome::Preempted] {
        assert_eq!(end(outcome), [After, AfterAny, AfterNotOk], "{outcome:?}");
    }
    let requeued = may_start(&|cluster| {
        run(cluster);
        cluster.requeue(JobId(1)).unwrap();
    });
    assert_eq!(requeued, [After]);
    assert_eq!(may_start(&|cluster| drop(cluster.cancel(JobId(1)))), [After, AfterAny, AfterNotOk]);
}

#[test]
fn dependency_never_satisfied() {
    let mut cluster = gpu_cluster(4);
    cluster.submit(spec(1, 0, 10, gpu_nodes(1, 8)), at(0)).unwrap();
    pass("fcfs", &mut cluster, 0);
    cluster.finish(JobId(1), Outcome::Failed).unwrap();
    cluster.submit(on(after(1, DependencyKind::AfterOk), spec(2, 0, 10, gpu_nodes(1, 8))), at(0)).unwrap();
    cluster.submit(spec(3, 0, 10, gpu_nodes(4, 8)), at(0)).unwrap();
    let later = plan("fcfs", &cluster, 9);
    let sentence = "Can never run: waits until job 1 has ended well, which can't be.";
    assert_eq!(told(&later, 2), [sentence, "Job 1 failed.", "DependencyNeverSatisfied"]);
    assert_eq!(started(&later), [3]);
    // One that can't be met counts more than one that is not met yet.
    let both = Terms {
        after: vec![
            Dependency { job: JobId(3), kind: DependencyKind::AfterAny },
            Dependency { job: JobId(1), kind: DependencyKind::AfterOk },
        ],
        ..Terms::default()
    };
    cluster.submit(on(both, spec(4, 0, 10, gpu_nodes(1, 8))), at(0)).unwrap();
    assert_eq!(told(&plan("fcfs", &cluster, 9), 4)[2], "DependencyNeverSatisfied");
}

#[test]
fn array_task_limit() {
    let mut cluster = gpu_cluster(4);
    for index in 0..3 {
        let array = Some(ArrayTask { array: JobId(1), index, throttle: 2 });
        let task = spec(1 + u64::from(index), 0, 10, gpu_nodes(1, 8));
        cluster.submit(on(Terms { array, ..Terms::default() }, task), at(0)).unwrap();
    }
    cluster.submit(spec(9, 0, 10, gpu_nodes(2, 8)), at(0)).unwrap();
    let plan0 = pass("fcfs", &mut cluster, 0);
    assert_eq!(started(&plan0), [1, 2, 9]);
    let evidence = "The array runs 2 tasks at once at most.";
    assert_eq!(told(&plan0, 3), ["2 tasks of array 1 already run.", evidence, "JobArrayTaskLimit"]);
    cluster.finish(JobId(2), Outcome::Failed).unwrap();
    assert_eq!(started(&plan("fcfs", &cluster, 1)), [3]);
}

#[test]
fn partition_down() {
    let site = one_partition(Partition { down: true, ..Partition::new("gpu", None) });
    let expected = ["Partition \"gpu\" is down.", "It starts no jobs; jobs that run go on.", "PartitionDown"];
    assert_eq!(alone(site, Terms::default(), 10, gpu_nodes(1, 8)), expected);
}

#[test]
fn unknown_partition() {
    let expected = [
        "Can never run: there is no partition \"fpga\".",
        "The site has no partition of that name.",
        "BadConstraints",
    ];
    let site = one_partition(Partition::new("gpu", None));
    assert_eq!(alone(site, partition("fpga"), 10, gpu_nodes(1, 8)), expected);
}

#[test]
fn partition_time_limit() {
    let short = || Partition { max_time: Some(secs(3600)), ..Partition::new("short", None) };
    let sentence = "Asks for 2 h, longer than partition \"short\" lets jobs run.";
    let expected = [sentence, "Its longest time limit is 1 h.", "PartitionTimeLimit"];
    assert_eq!(alone(one_partition(short()), Terms::default(), 7200, gpu_nodes(1, 8)), expected);
    let mut cluster = site_cluster(4, one_partition(short()));
    cluster.submit(spec(1, 0, 3600, gpu_nodes(1, 8)), at(0)).unwrap();
    assert_eq!(started(&plan("fcfs", &cluster, 0)), [1]);
}

#[test]
fn partition_node_limit() {
    let small = || Partition { max_nodes: Some(2), ..Partition::new("small", None) };
    let sentence = "Needs 3 nodes, more than partition \"small\" gives to a job.";
    let expected = [sentence, "It gives 2 nodes at most.", "PartitionNodeLimit"];
    assert_eq!(alone(one_partition(small()), Terms::default(), 10, gpu_nodes(3, 8)), expected);
    assert_eq!(alone(one_partition(small()), Terms::default(), 10, tasks(17)), expected);
    // First fit would take three nodes; two will do.
    let mut cluster = site_cluster(4, one_partition(small()));
    cluster.submit(spec(1, 0, 10, tasks(4)), at(0)).unwrap();
    cluster.submit(spec(2, 0, 10, tasks(16)), at(0)).unwrap();
    assert_eq!(plan("fcfs", &cluster, 0).starts[1].placement.to_string(), "1-2");
}

#[test]
fn licences_are_short_or_too_few_for_ever() {
    let site = || Site { licences: [("matlab".into(), 5)].into(), ..Site::default() };
    let mut cluster = site_cluster(4, site());
    cluster.submit(on(licences("matlab", 3), spec(1, 0, 10, gpu_nodes(1, 8))), at(0)).unwrap();
    cluster.submit(on(licences("matlab", 3), spec(2, 0, 10, gpu_nodes(1, 8))), at(0)).unwrap();
    let full = pass("easy", &mut cluster, 0);
    let sentence = "Needs 3 licences of \"matlab\"; 2 are free.";
    let evidence = "The site has 5 of \"matlab\"; running jobs hold 3.";
    assert_eq!(told(&full, 2), [sentence, evidence, "Licenses"]);
    assert_eq!((full.reservations[0].at, full.reservations[0].waits_for.clone()), (at(10), vec![JobId(1)]));
    cluster.finish(JobId(1), Outcome::Completed).unwrap();
    assert_eq!(started(&plan("easy", &cluster, 5)), [2]);
    let [sentence, evidence, code] = alone(site(), licences("matlab", 6), 10, gpu_nodes(1, 8));
    assert_eq!(sentence, "Can never run: needs 6 licences of \"matlab\".");
    assert_eq!((&*evidence, &*code), ("The site has 5 of \"matlab\"; running jobs hold 0.", "Licenses"));
    assert_eq!(alone(site(), licences("ansys", 1), 10, gpu_nodes(1, 8))[2], "Licenses");
}

/// Two nodes with the feature, two without; one has other GPUs.
fn mixed() -> Arc<switchyard_model::Fleet> {
    let node = Resources { cpus: 8, gpus: 8, memory_mib: 0 };
    let class = |name: &str, count, model: &str, features: &[&str]| NodeClass {
        gpu_model: Some(model.into()),
        features: features.iter().map(|&feature| feature.into()).collect(),
        ..NodeClass::new(name, count, node)
    };
    let classes =
        vec![class("a", 1, "a100", &["ib"]), class("b", 1, "h100", &["ib"]), class("c", 2, "h100", &[])];
    Arc::new(FleetSpec::of("mixed", classes).build().unwrap())
}

#[test]
fn bad_constraints() {
    let mut cluster = Cluster::new(mixed());
    let ib = || Terms { features: vec!["ib".into()], ..Terms::default() };
    let a100 = || Terms { gpu_models: vec!["a100".into()], ..Terms::default() };
    cluster.submit(on(ib(), spec(1, 0, 10, gpu_nodes(3, 8))), at(0)).unwrap();
    let no = || Terms { features: vec!["ib".into(), "fpga".into()], ..a100() };
    cluster.submit(on(no(), spec(2, 0, 10, gpu_nodes(1, 8))), at(0)).unwrap();
    cluster.submit(on(ib(), spec(3, 0, 10, gpu_nodes(1, 8))), at(0)).unwrap();
    cluster.submit(on(a100(), spec(4, 0, 10, gpu_nodes(1, 8))), at(0)).unwrap();
    cluster.submit(on(ib(), spec(5, 0, 10, gpu_nodes(2, 8))), at(0)).unwrap();
    let plan = plan("fcfs", &cluster, 0);
    let expected = [
        "Can never run: needs 3 empty nodes with feature \"ib\".",
        "2 nodes are so; if empty, they could hold 2.",
    ];
    assert_eq!(told(&plan, 1)[..2], expected);
    assert_eq!(reason(&plan, 1).slurm_code(), "BadConstraints");
    let sentence = "Can never run: needs 1 node with 8 GPUs and 8 CPUs with features \"ib\" and \"fpga\", with GPUs of model \"a100\".";
    assert_eq!(told(&plan, 2)[..2], [sentence, "No node is so; if empty, they could hold 0."]);
    // Job 3 took the node that job 4 wants; of the nodes for job 5 one is left.
    let evidence = "No GPU is free on the 1 node that it may use.";
    assert_eq!(told(&plan, 4)[..2], ["Needs 1 empty node; none is.", evidence]);
    assert_eq!(told(&plan, 5)[1], "Backfill is off: jobs start strictly in order.");
}

/// Two boards of 4 GPUs on each node.
#[test]
fn one_domain() {
    let node = Resources { cpus: 8, gpus: 8, memory_mib: 0 };
    let class = NodeClass { domains: Domains::PerNode { gpus: 4 }, ..NodeClass::new("n", 2, node) };
    let mut cluster = Cluster::new(Arc::new(FleetSpec::of("boards", vec![class]).build().unwrap()));
    let one_domain = || Terms { one_domain: true, ..Terms::default() };
    cluster.submit(on(one_domain(), spec(1, 0, 10, gpu_nodes(1, 6))), at(0)).unwrap();
    cluster.submit(on(one_domain(), spec(2, 0, 10, gpu_nodes(1, 4))), at(0)).unwrap();
    let plan = plan("fcfs", &cluster, 0);
    let sentence = "Can never run on this fleet: needs 6 GPUs in one NVSwitch domain.";
    assert_eq!(
        told(&plan, 1),
        [sentence, "The largest domain that it may use has 4 GPUs.", "BadConstraints"]
    );
    assert_eq!(started(&plan), [2]);
}
