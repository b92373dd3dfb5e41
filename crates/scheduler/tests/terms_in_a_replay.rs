//! Dependencies, arrays, tiers and exclusive nodes over time: small cases worked out by hand.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod harness;

use std::sync::Arc;

use harness::{at, gpu_nodes, job, on, plan, site_cluster, spec, started, tasks, told};
use switchyard_model::{
    ArrayTask, Dependency, DependencyKind, FleetSpec, Job, JobId, LicenceAsk, Limits, NodeClass, NodeId,
    Partition, Qos, ResourceCap, Resources, Shape, SimDuration, Site, Terms, Truth,
};
use switchyard_scheduler::{Policy, ReplayOptions, Run, replay};

const POLICIES: [&str; 3] = ["fcfs", "easy", "easy-machine"];

fn run(policy: &str, nodes: u32, site: Site, jobs: &[Job]) -> Run {
    let fleet =
        FleetSpec::uniform("n", nodes, Resources { cpus: 8, gpus: 8, memory_mib: 0 }).build().unwrap();
    let options = ReplayOptions { site: Arc::new(site), ..ReplayOptions::default() };
    replay(Arc::new(fleet), jobs, &Policy::named(policy).unwrap(), options).unwrap()
}

/// Job, start and when it was eligible, in seconds.
fn spans(run: &Run) -> Vec<(u64, u64, u64)> {
    let secs = |time: switchyard_model::SimTime| time.as_micros() / 1_000_000;
    run.spans.iter().map(|span| (span.job.0, secs(span.start), secs(span.eligible))).collect()
}

fn with(terms: Terms, row: Job) -> Job {
    Job { spec: on(terms, row.spec), truth: row.truth }
}

fn after(list: &[(u64, DependencyKind)]) -> Terms {
    let after = list.iter().map(|&(job, kind)| Dependency { job: JobId(job), kind }).collect();
    Terms { after, ..Terms::default() }
}

#[test]
fn a_job_starts_when_the_last_of_those_it_waits_for_lets_it() {
    use DependencyKind::{After, AfterAny, AfterNotOk, AfterOk};
    let failing = job(1, 0, 100, 40, gpu_nodes(1, 8));
    let failing = Job { truth: Truth::failing(SimDuration::from_secs(40)), ..failing };
    let jobs = [
        failing,
        job(2, 0, 100, 70, gpu_nodes(1, 8)),
        with(after(&[(1, AfterNotOk), (2, AfterOk)]), job(3, 0, 10, 10, gpu_nodes(1, 1))),
        with(after(&[(1, AfterAny)]), job(4, 0, 10, 10, gpu_nodes(1, 1))),
        with(after(&[(1, AfterOk)]), job(5, 0, 10, 10, gpu_nodes(1, 1))),
        with(after(&[(3, After)]), job(6, 0, 10, 10, gpu_nodes(1, 1))),
        with(after(&[(5, AfterAny)]), job(7, 0, 10, 10, gpu_nodes(1, 1))),
        with(after(&[(8, AfterAny)]), job(8, 0, 10, 10, gpu_nodes(1, 1))),
    ];
    for policy in POLICIES {
        let run = run(policy, 4, Site::default(), &jobs);
        assert_eq!(spans(&run), [(1, 0, 0), (2, 0, 0), (4, 40, 40), (3, 70, 70), (6, 70, 70)], "{policy}");
        let never: Vec<_> = run.never_started.iter().map(|(job, why)| (job.0, why.slurm_code())).collect();
        let expected = [(5, "DependencyNeverSatisfied"), (7, "Dependency"), (8, "Dependency")];
        assert_eq!(never, expected, "{policy}: a job that waits for itself ends no replay");
    }
}

/// Job 2 is before job 1 in the queue, and waits for it to start: it starts at the same moment.
#[test]
fn who_waits_for_a_start_is_looked_at_again_at_once() {
    for policy in POLICIES {
        let jobs = [
            with(after(&[(2, DependencyKind::After)]), job(1, 0, 10, 10, gpu_nodes(1, 8))),
            job(2, 0, 500, 500, gpu_nodes(1, 8)),
        ];
        assert_eq!(spans(&run(policy, 2, Site::default(), &jobs)), [(2, 0, 0), (1, 0, 0)], "{policy}");
    }
}

/// Four tasks of 10 s, two at a time; the node has room for all.
#[test]
fn an_array_runs_as_many_tasks_at_once_as_it_may() {
    let array =
        |index| Terms { array: Some(ArrayTask { array: JobId(1), index, throttle: 2 }), ..Terms::default() };
    let jobs: Vec<Job> =
        (0..4).map(|n| with(array(n), job(1 + u64::from(n), 0, 10, 10, gpu_nodes(1, 1)))).collect();
    for policy in POLICIES {
        let starts: Vec<_> =
            spans(&run(policy, 1, Site::default(), &jobs)).into_iter().map(|row| row.1).collect();
        assert_eq!(starts, [0, 0, 10, 10], "{policy}");
    }
}

#[test]
fn jobs_of_a_higher_partition_tier_go_first() {
    let partitions = vec![Partition::new("low", None), Partition { tier: 7, ..Partition::new("high", None) }];
    let site = Site { partitions, ..Site::default() };
    let high = || Terms { partition: Some("high".into()), ..Terms::default() };
    let jobs = [
        job(1, 0, 10, 10, gpu_nodes(1, 8)),
        job(2, 1, 10, 10, gpu_nodes(1, 8)),
        with(high(), job(3, 5, 10, 10, gpu_nodes(1, 8))),
    ];
    // Conservative backfill by rule 6 keeps what it has promised to those who came before.
    let keeps = ["conservative", "conservative-machine"];
    for policy in Policy::NAMES.into_iter().filter(|policy| !keeps.contains(policy)) {
        let order: Vec<u64> =
            run(policy, 1, site.clone(), &jobs).spans.iter().map(|span| span.job.0).collect();
        assert_eq!(order, [1, 3, 2], "{policy}");
    }
    for policy in POLICIES {
        assert_eq!(
            spans(&run(policy, 1, site.clone(), &jobs)),
            [(1, 0, 0), (3, 10, 5), (2, 20, 1)],
            "{policy}"
        );
    }
}

/// Whoever shares with nobody holds all of its node: the first node that would do is more than its user may have. Once someone else
/// has taken that one, another is within the limit, although nothing has ended.
#[test]
fn a_limit_lets_a_job_pass_when_larger_nodes_are_gone() {
    let cpus = |cpus| Resources { cpus, gpus: 0, memory_mib: 0 };
    let classes = vec![
        NodeClass::new("big", 1, cpus(16)),
        NodeClass { features: vec!["small".into()], ..NodeClass::new("small", 2, cpus(8)) },
    ];
    let fleet = Arc::new(FleetSpec::of("two sizes", classes).build().unwrap());
    let limits = Limits {
        running: Some(ResourceCap { cpus: Some(8), ..ResourceCap::default() }),
        ..Limits::default()
    };
    let site = Site { qos: vec![Qos { name: "small".into(), limits, ..Qos::default() }], ..Site::default() };
    let alone = Terms { qos: Some("small".into()), exclusive: true, ..Terms::default() };
    let nodes = |nodes, each| Shape::Nodes { nodes, per_node: cpus(each) };
    let on_a_small_node = Terms { features: vec!["small".into()], ..Terms::default() };
    let jobs = [
        with(on_a_small_node, job(1, 0, 100, 100, nodes(1, 8))),
        job(2, 0, 100, 100, nodes(3, 8)),
        with(alone, job(3, 1, 50, 50, nodes(1, 1))),
        job(4, 2, 50, 50, nodes(1, 16)),
        job(5, 3, 50, 50, nodes(1, 16)),
    ];
    let options = ReplayOptions { site: Arc::new(site), ..ReplayOptions::default() };
    let run = replay(fleet, &jobs, &Policy::named("easy-machine").unwrap(), options).unwrap();
    let starts: Vec<_> = spans(&run).into_iter().map(|(job, start, _)| (job, start)).collect();
    assert_eq!(starts, [(1, 0), (4, 2), (3, 3), (2, 100), (5, 200)]);
}

/// An exclusive job wants idle nodes, takes all of them, and lets nobody in.
#[test]
fn exclusive_jobs_share_with_nobody() {
    let exclusive = || Terms { exclusive: true, ..Terms::default() };
    let jobs = [
        job(1, 0, 20, 20, tasks(1)),
        with(exclusive(), job(2, 0, 30, 30, tasks(1))),
        job(3, 0, 10, 10, tasks(7)),
        with(exclusive(), job(4, 0, 10, 10, tasks(1))),
        job(5, 1, 5, 5, tasks(1)),
    ];
    for policy in ["easy", "easy-machine"] {
        let run = run(policy, 2, Site::default(), &jobs);
        // 3 fills the node of 1; 4 waits for it until 20, and 5, which fits beside 1 from 10 on, is gone by then.
        let rows: Vec<_> = run.spans.iter().map(|span| (span.job.0, span.placement.to_string())).collect();
        let on = |job, node: &str| (job, node.to_owned());
        assert_eq!(rows, [on(1, "0"), on(2, "1"), on(3, "0"), on(5, "0"), on(4, "0")], "{policy}");
        assert_eq!(spans(&run)[3..], [(5, 10, 1), (4, 20, 0)], "{policy}");
        let whole = run.spans[1].placement.total();
        assert_eq!((whole.cpus, whole.gpus), (8, 8), "{policy}");
    }
    let site = Site {
        partitions: vec![Partition { exclusive: true, ..Partition::new("whole", None) }],
        ..Site::default()
    };
    let mut cluster = site_cluster(2, site);
    for id in 1..=3 {
        cluster.submit(spec(id, 0, 10, tasks(1)), at(0)).unwrap();
    }
    let plan = plan("easy", &cluster, 0);
    assert_eq!(started(&plan), [1, 2]);
    let evidence = "It may use 2 nodes; of these, none is idle and could hold some of it.";
    assert_eq!(told(&plan, 3), ["Needs 1 node for itself; none is idle.", evidence, "Resources"]);
}

/// The array of tasks 2 and 3 runs one at once. Job 1 has three of four nodes until 50, when task 2 takes two. Job 4 fits beside that
/// from the beginning, and job 5 from 50 on: nothing is kept for task 3, which has to wait for task 2 anyway.
#[test]
fn whom_the_throttle_holds_back_keeps_nobody_waiting() {
    let task = |index| {
        let array = Some(ArrayTask { array: JobId(2), index, throttle: 1 });
        Terms { array, ..Terms::default() }
    };
    let jobs = [
        job(1, 0, 50, 50, gpu_nodes(3, 8)),
        with(task(0), job(2, 0, 100, 100, gpu_nodes(2, 8))),
        with(task(1), job(3, 0, 100, 100, gpu_nodes(2, 8))),
        job(4, 0, 200, 200, gpu_nodes(1, 8)),
        job(5, 0, 300, 300, gpu_nodes(1, 8)),
    ];
    for policy in ["easy", "easy-machine", "conservative", "conservative-replan", "conservative-machine"] {
        let run = run(policy, 4, Site::default(), &jobs);
        let mut starts: Vec<_> = spans(&run).into_iter().map(|(job, start, _)| (job, start)).collect();
        starts.sort_unstable();
        assert_eq!(starts, [(1, 0), (2, 50), (3, 150), (4, 0), (5, 50)], "{policy}");
    }
}

/// Job 2 of the same user would run after job 1, but as long as that runs the limit lets nobody else of it start: what was kept for job
/// 2 is there for job 3.
#[test]
fn whom_a_limit_holds_back_keeps_nobody_waiting() {
    let limits = Limits { jobs_per_user: Some(1), ..Limits::default() };
    let site = Site { qos: vec![Qos { name: "one".into(), limits, ..Qos::default() }], ..Site::default() };
    let one = || Terms { qos: Some("one".into()), ..Terms::default() };
    let jobs = [
        with(one(), job(1, 0, 100, 100, gpu_nodes(1, 8))),
        with(one(), job(2, 0, 100, 100, gpu_nodes(2, 8))),
        job(3, 1, 500, 500, gpu_nodes(1, 8)),
    ];
    for policy in ["easy", "easy-machine", "conservative", "conservative-replan", "conservative-machine"] {
        let run = run(policy, 2, site.clone(), &jobs);
        assert_eq!(spans(&run), [(1, 0, 0), (3, 1, 1), (2, 501, 0)], "{policy}");
    }
}

/// Jobs 2 to 4 are each first in line for nodes of their own, and need licences. Job 2 has all three of them from 11 on, job 3 when that has
/// ended; job 5 needs two, which are to be had when job 3 has ended.
#[test]
fn heads_do_not_promise_themselves_the_same_licences() {
    let left = |name, nodes: &[u32]| Partition::new(name, Some(nodes.iter().copied().map(NodeId).collect()));
    let site = Site {
        partitions: vec![left("a", &[0]), left("b", &[1]), left("c", &[2])],
        licences: [("matlab".into(), 3)].into(),
        ..Site::default()
    };
    let needs = |partition: &str, count| Terms {
        partition: Some(partition.into()),
        licences: vec![LicenceAsk { name: "matlab".into(), count }],
        ..Terms::default()
    };
    for policy in ["easy", "easy-machine", "conservative", "conservative-replan", "conservative-machine"] {
        let mut cluster = site_cluster(3, site.clone());
        for (id, partition, count, limit) in
            [(1, "a", 1, 11), (2, "a", 3, 21), (3, "b", 3, 1), (4, "c", 1, 9)]
        {
            cluster.submit(on(needs(partition, count), spec(id, 0, limit, gpu_nodes(1, 1))), at(0)).unwrap();
        }
        let plan = plan(policy, &cluster, 0);
        // Job 4 ends before job 2 begins.
        assert_eq!(started(&plan), [1, 4], "{policy}");
        cluster.submit(on(needs("c", 2), spec(5, 0, 12, gpu_nodes(1, 1))), at(0)).unwrap();
        let plan = self::plan(policy, &cluster, 0);
        let promised: Vec<_> = plan.reservations.iter().map(|promise| (promise.job.0, promise.at)).collect();
        assert_eq!(promised, [(2, at(11)), (3, at(32)), (5, at(33))], "{policy}");
    }
}

/// Job 1 would get two whole nodes, more than its quality may have in sum, which shows only when nodes are chosen. Job 2 is planned
/// beside it on a node that is too large for the same limit; once job 1 is refused, it gets a smaller one.
#[test]
fn whom_a_limit_refuses_does_not_keep_another_on_nodes_that_are_too_large() {
    let node = |cpus| Resources { cpus, gpus: 1, memory_mib: 0 };
    let classes = vec![NodeClass::new("small", 2, node(4)), NodeClass::new("large", 2, node(5))];
    let fleet = Arc::new(FleetSpec::of("two sizes", classes).build().unwrap());
    let limits = Limits {
        running: Some(ResourceCap { cpus: Some(4), ..ResourceCap::default() }),
        ..Limits::default()
    };
    let site = Site { qos: vec![Qos { name: "few".into(), limits, ..Qos::default() }], ..Site::default() };
    let terms = || Terms { qos: Some("few".into()), exclusive: true, ..Terms::default() };
    let two = Shape::Tasks { tasks: 2, per_task: Resources { cpus: 1, gpus: 1, memory_mib: 0 } };
    let jobs = [with(terms(), job(1, 0, 10, 10, two)), with(terms(), job(2, 0, 10, 10, tasks(1)))];
    for policy in ["fcfs", "easy", "conservative", "conservative-replan", "conservative-machine"] {
        let options = ReplayOptions { site: Arc::new(site.clone()), ..ReplayOptions::default() };
        let run = replay(Arc::clone(&fleet), &jobs, &Policy::named(policy).unwrap(), options).unwrap();
        assert_eq!(spans(&run), [(2, 0, 0)], "{policy}");
        assert_eq!(run.never_started[0].1.slurm_code(), "QOSGrpCpuLimit", "{policy}");
    }
}

/// Job 1 has one of two nodes until 100, and job 2, a task, waits for both. Task 4 of its array passes it, which leaves it behind the
/// throttle: then nothing is kept for it, and job 3 starts as well.
#[test]
fn a_head_that_is_held_back_by_whoever_passed_it_keeps_nobody_waiting() {
    let task = |index| {
        let array = Some(ArrayTask { array: JobId(2), index, throttle: 1 });
        Terms { array, ..Terms::default() }
    };
    let jobs = [
        job(1, 0, 100, 100, gpu_nodes(1, 8)),
        with(task(0), job(2, 1, 50, 50, gpu_nodes(2, 8))),
        job(3, 1, 200, 200, gpu_nodes(1, 4)),
        with(task(1), job(4, 1, 60, 60, gpu_nodes(1, 4))),
    ];
    for policy in ["easy", "easy-machine"] {
        let run = run(policy, 2, Site::default(), &jobs);
        let mut starts: Vec<_> = spans(&run).into_iter().map(|(job, start, _)| (job, start)).collect();
        starts.sort_unstable();
        assert_eq!(starts, [(1, 0), (2, 201), (3, 1), (4, 1)], "{policy}");
    }
}

/// Task 2 of the array is planned for 100, when job 1 leaves all of the node. Task 3 has ended by then, and starts at once; task 4 would
/// run beside task 2, and waits for its end.
#[test]
fn a_task_that_ends_before_the_next_one_begins_starts() {
    let task = |index| {
        let array = Some(ArrayTask { array: JobId(2), index, throttle: 1 });
        Terms { array, ..Terms::default() }
    };
    let jobs = [
        job(1, 0, 100, 100, gpu_nodes(1, 4)),
        with(task(0), job(2, 0, 50, 50, gpu_nodes(1, 8))),
        with(task(1), job(3, 1, 99, 30, gpu_nodes(1, 2))),
        with(task(2), job(4, 1, 120, 120, gpu_nodes(1, 2))),
    ];
    for policy in ["conservative", "conservative-replan", "conservative-machine"] {
        let run = run(policy, 1, Site::default(), &jobs);
        let mut starts: Vec<_> = spans(&run).into_iter().map(|(job, start, _)| (job, start)).collect();
        starts.sort_unstable();
        assert_eq!(starts, [(1, 0), (2, 100), (3, 1), (4, 150)], "{policy}");
    }
}

/// The quality lets one job run at once, so that job 2 can't start beside job 1. Nothing is planned around job 2 then: job 3 starts, and
/// job 4, which would delay it, does not.
#[test]
fn nobody_is_planned_around_whom_a_limit_refuses() {
    let limits = Limits { jobs: Some(1), ..Limits::default() };
    let site = Site { qos: vec![Qos { name: "one".into(), limits, ..Qos::default() }], ..Site::default() };
    let one = || Terms { qos: Some("one".into()), ..Terms::default() };
    let jobs = [
        with(one(), job(1, 0, 50, 50, gpu_nodes(1, 2))),
        with(one(), job(2, 0, 90, 90, gpu_nodes(3, 3))),
        job(3, 0, 110, 110, gpu_nodes(3, 8)),
        job(4, 0, 70, 70, gpu_nodes(4, 3)),
    ];
    for policy in ["fcfs", "easy", "easy-machine", "conservative-replan"] {
        let run = run(policy, 4, site.clone(), &jobs);
        let mut starts: Vec<_> = spans(&run).into_iter().map(|(job, start, _)| (job, start)).collect();
        starts.sort_unstable();
        assert_eq!(starts, [(1, 0), (2, 110), (3, 0), (4, 110)], "{policy}");
    }
}
