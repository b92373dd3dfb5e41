//! Conservative backfill where jobs ask for more than room, worked out by hand.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod harness;

use std::sync::Arc;

use harness::{at, gpu_nodes, on, site_cluster, spec, started, tasks};
use switchyard_model::{
    AdvanceReservation, JobSpec, LicenceAsk, NodeId, Partition, Resources, Shape, SimTime, Site, Terms,
};
use switchyard_scheduler::{Cluster, Plan, Policy, Scheduler};

const ALL: [&str; 3] = ["conservative", "conservative-replan", "conservative-machine"];

/// Submits these at once, and plans.
fn plan(policy: &str, cluster: &mut Cluster, jobs: &[Arc<JobSpec>]) -> Plan {
    for job in jobs {
        cluster.submit(Arc::clone(job), at(0)).unwrap();
    }
    Scheduler::new(Policy::named(policy).unwrap()).plan(cluster, at(0))
}

fn reserved(plan: &Plan) -> Vec<(u64, u64)> {
    let secs = |time: SimTime| time.as_micros() / 1_000_000;
    plan.reservations.iter().map(|promise| (promise.job.0, secs(promise.at))).collect()
}

fn licensed(count: u32) -> Terms {
    Terms { licences: vec![LicenceAsk { name: "matlab".into(), count }], ..Terms::default() }
}

/// aws-eda-slurm-cluster issue 60: job 2 waits for both licences until 100. Job 3 would take one of them beyond that, and waits;
/// job 4 gives it back in time, and job 5 wants none.
#[test]
fn licences_are_reserved() {
    for policy in ALL {
        let site = Site { licences: [("matlab".into(), 2)].into(), ..Site::default() };
        let jobs = [
            on(licensed(1), spec(1, 0, 100, tasks(1))),
            on(licensed(2), spec(2, 0, 50, tasks(1))),
            on(licensed(1), spec(3, 0, 101, tasks(1))),
            on(licensed(1), spec(4, 0, 100, tasks(1))),
            spec(5, 0, 500, tasks(1)),
        ];
        let plan = plan(policy, &mut site_cluster(2, site), &jobs);
        assert_eq!(started(&plan), [1, 4, 5], "{policy}");
        assert_eq!(reserved(&plan), [(2, 100), (3, 150)], "{policy}");
        let expected: Vec<_> = plan.waiting.iter().map(|waiting| waiting.expected).collect();
        assert_eq!(expected, [Some(at(100)), Some(at(150))]);
    }
}

/// Both nodes are out for maintenance from 100 to 200. What ends by then may start; what doesn't is not planned into it.
#[test]
fn nobody_is_planned_into_maintenance() {
    for policy in ALL {
        let maintenance = AdvanceReservation {
            name: "maintenance".into(),
            start: at(100),
            end: at(200),
            nodes: vec![NodeId(0), NodeId(1)],
            users: Vec::new(),
            accounts: Vec::new(),
        };
        let site = Site { reservations: vec![maintenance], ..Site::default() };
        let jobs = [
            spec(1, 0, 60, gpu_nodes(2, 8)),
            spec(2, 0, 40, gpu_nodes(2, 8)),
            spec(3, 0, 50, gpu_nodes(2, 8)),
        ];
        let plan = plan(policy, &mut site_cluster(2, site), &jobs);
        assert_eq!(started(&plan), [1], "{policy}");
        assert_eq!(reserved(&plan), [(2, 60), (3, 200)], "{policy}: half open, job 2 ends when it begins");
    }
}

/// Job 2 wants its node for itself: it waits for all of the first node, and then has it to the end.
#[test]
fn exclusive_nodes_are_reserved_whole() {
    for policy in ALL {
        let alone = Terms { exclusive: true, ..Terms::default() };
        let jobs = [
            spec(1, 0, 100, gpu_nodes(1, 2)),
            on(alone, spec(2, 0, 50, gpu_nodes(1, 1))),
            spec(3, 0, 100, gpu_nodes(1, 6)),
            spec(4, 0, 120, gpu_nodes(1, 1)),
        ];
        let plan = plan(policy, &mut site_cluster(1, Site::default()), &jobs);
        assert_eq!(started(&plan), [1, 3], "{policy}");
        assert_eq!(reserved(&plan), [(2, 100), (4, 150)], "{policy}");
    }
}

/// Jobs of the partition "left" have the first node only, however empty the second is.
#[test]
fn partitions_are_planned_on_their_nodes() {
    for policy in ALL {
        let left = Partition::new("left", Some(vec![NodeId(0)]));
        let all = Partition { default: true, ..Partition::new("all", None) };
        let site = Site { partitions: vec![left, all], ..Site::default() };
        let left = || Terms { partition: Some("left".into()), ..Terms::default() };
        let jobs = [
            on(left(), spec(1, 0, 100, gpu_nodes(1, 8))),
            on(left(), spec(2, 0, 50, gpu_nodes(1, 8))),
            spec(3, 0, 120, gpu_nodes(1, 8)),
            spec(4, 0, 10, gpu_nodes(1, 8)),
        ];
        let plan = plan(policy, &mut site_cluster(2, site), &jobs);
        assert_eq!(started(&plan), [1, 3], "{policy}");
        assert_eq!(reserved(&plan), [(2, 100), (4, 120)], "{policy}");
        assert_eq!(plan.reservations[0].nodes, [NodeId(0)]);
        assert_eq!(plan.reservations[1].nodes, [NodeId(1)]);
    }
}

/// Tasks that may be on one node only wait for one that is empty enough, and don't take pieces of two.
#[test]
fn a_partition_may_allow_few_nodes() {
    for policy in ALL {
        let narrow = Partition { max_nodes: Some(1), ..Partition::new("narrow", None) };
        let site = Site { partitions: vec![narrow], ..Site::default() };
        let six = Shape::Tasks { tasks: 6, per_task: Resources { cpus: 1, gpus: 1, memory_mib: 0 } };
        let jobs = [spec(1, 0, 100, gpu_nodes(1, 4)), spec(2, 0, 80, gpu_nodes(1, 5)), spec(3, 0, 10, six)];
        let plan = plan(policy, &mut site_cluster(2, site), &jobs);
        assert_eq!(started(&plan), [1, 2], "{policy}");
        assert_eq!(reserved(&plan), [(3, 80)], "{policy}");
        assert_eq!(plan.reservations[0].nodes, [NodeId(1)]);
    }
}

/// 4 GPUs are free on each node, but no domain, which is a node, has 6 until 100.
#[test]
fn a_single_domain_is_reserved() {
    for policy in ALL {
        let one = Terms { one_domain: true, ..Terms::default() };
        let six = Shape::Tasks { tasks: 6, per_task: Resources { cpus: 1, gpus: 1, memory_mib: 0 } };
        let jobs = [
            spec(1, 0, 100, gpu_nodes(1, 4)),
            spec(2, 0, 150, gpu_nodes(1, 5)),
            on(one, spec(3, 0, 10, six)),
        ];
        let plan = plan(policy, &mut site_cluster(2, Site::default()), &jobs);
        assert_eq!(started(&plan), [1, 2], "{policy}");
        assert_eq!(reserved(&plan), [(3, 100)], "{policy}");
        assert_eq!(plan.reservations[0].nodes, [NodeId(0)]);
    }
}
