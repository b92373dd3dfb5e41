//! When those who wait are told that they will start: small queues worked out by hand.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod harness;

use harness::{at, gpu_cluster, gpu_nodes, on, pass, plan, processors, spec, tasks};
use switchyard_model::{ArrayTask, Dependency, DependencyKind, JobId, NodeId, SimTime, Terms};
use switchyard_scheduler::{Cluster, Plan};

/// Job and second of each who waits.
fn expected(plan: &Plan) -> Vec<(u64, Option<u64>)> {
    let secs = |time: SimTime| time.as_micros() / 1_000_000;
    plan.waiting.iter().map(|waiting| (waiting.job.0, waiting.expected.map(secs))).collect()
}

fn submit(cluster: &mut Cluster, jobs: &[(u64, u64, u32)]) {
    for &(id, limit, procs) in jobs {
        cluster.submit(spec(id, 0, limit, tasks(procs)), at(0)).unwrap();
    }
}

/// Job 1 runs on 6 of 10 processors until 100; 2 wants 8 for 50 s.
const QUEUE: [(u64, u64, u32); 6] =
    [(1, 100, 6), (2, 50, 8), (3, 200, 4), (4, 1000, 2), (5, 100, 3), (6, 30, 1)];

/// Each starts when all before it have.
#[test]
fn without_backfill() {
    let mut cluster = processors(10);
    submit(&mut cluster, &QUEUE);
    // Jobs 4 and 6 would fit beside job 2, but may not pass job 3.
    let plan = plan("fcfs", &cluster, 0);
    let all = [(2, 100), (3, 150), (4, 150), (5, 150), (6, 150)].map(|(job, at)| (job, Some(at)));
    assert_eq!(expected(&plan), all, "10 = 4 + 2 + 3 + 1");
    let mut fewer = processors(9);
    submit(&mut fewer, &QUEUE);
    let all = [(2, 100), (3, 150), (4, 150), (5, 150), (6, 250)].map(|(job, at)| (job, Some(at)));
    assert_eq!(expected(&pass("fcfs", &mut fewer, 0)), all);
}

/// The head starts at its shadow time; whoever would delay it finds the first room that is left by those before it.
#[test]
fn with_backfill() {
    for policy in ["easy", "easy-machine"] {
        let mut cluster = processors(10);
        submit(&mut cluster, &QUEUE);
        let plan = pass(policy, &mut cluster, 0);
        // Job 4 fits beside job 2 at 100, job 6 is over by then.
        let started: Vec<u64> = plan.starts.iter().map(|start| start.job.0).collect();
        assert_eq!(started, [1, 4, 6], "{policy}");
        // At 100 job 2 leaves nothing beside job 4; at 150 there is room for jobs 3 and 5.
        assert_eq!(expected(&plan), [(2, Some(100)), (3, Some(150)), (5, Some(150))], "{policy}");
        assert_eq!(plan.head_reservation().unwrap().at, at(100));
    }
}

/// Whoever has a reservation starts then.
#[test]
fn with_reservations() {
    for policy in ["conservative", "conservative-replan", "conservative-machine"] {
        let mut cluster = processors(10);
        submit(&mut cluster, &QUEUE);
        let plan = pass(policy, &mut cluster, 0);
        assert_eq!(expected(&plan), [(2, Some(100)), (3, Some(150)), (5, Some(150))], "{policy}");
        let reserved: Vec<_> = plan.reservations.iter().map(|promise| Some(promise.at)).collect();
        let told: Vec<_> = plan.waiting.iter().map(|waiting| waiting.expected).collect();
        assert_eq!(reserved, told);
    }
}

/// In sum 6 GPUs are free now, on one node at 100.
#[test]
fn where_jobs_need_certain_pieces() {
    let mut cluster = gpu_cluster(2);
    for (id, limit, gpus) in [(1, 100, 5), (2, 200, 5), (3, 50, 6), (4, 500, 4)] {
        cluster.submit(spec(id, 0, limit, gpu_nodes(1, gpus)), at(0)).unwrap();
    }
    for policy in ["fcfs", "easy-machine", "conservative"] {
        let plan = plan(policy, &cluster, 0);
        assert_eq!(expected(&plan), [(3, Some(100)), (4, Some(150))], "{policy}");
    }
}

#[test]
fn whoever_can_not_run_is_told_nothing() {
    let mut cluster = gpu_cluster(2);
    cluster.set_available(NodeId(1), false);
    for (id, nodes, gpus) in [(1, 1, 8), (2, 1, 9), (3, 2, 8), (4, 1, 8)] {
        cluster.submit(spec(id, 0, 60, gpu_nodes(nodes, gpus)), at(0)).unwrap();
    }
    for policy in ["fcfs", "easy", "conservative"] {
        assert_eq!(expected(&plan(policy, &cluster, 0)), [(2, None), (3, None), (4, Some(60))], "{policy}");
    }
}

/// One node of 8 GPUs. Job 1 has half of it until 100, and task 2 a quarter until 150. Whoever waits for a moment, for job 1 or for task 2
/// starts then, if there is room; nobody knows when job 7 may.
#[test]
fn whoever_is_held_back_until_a_known_moment() {
    let on_array = |index| Some(ArrayTask { array: JobId(2), index, throttle: 1 });
    let after = |job, kind| vec![Dependency { job: JobId(job), kind }];
    let terms = [
        Terms::default(),
        Terms { array: on_array(0), ..Terms::default() },
        Terms { begin: at(300), ..Terms::default() },
        Terms { after: after(1, DependencyKind::AfterOk), ..Terms::default() },
        Terms { array: on_array(1), ..Terms::default() },
        Terms { array: on_array(2), ..Terms::default() },
        Terms { after: after(1, DependencyKind::AfterNotOk), ..Terms::default() },
    ];
    let asks = [(100, 4), (150, 2), (10, 8), (250, 4), (60, 2), (60, 2), (10, 1)];
    for policy in
        ["fcfs", "easy", "easy-machine", "conservative", "conservative-replan", "conservative-machine"]
    {
        let mut cluster = gpu_cluster(1);
        for ((id, terms), (limit, gpus)) in (1..).zip(terms.clone()).zip(asks) {
            cluster.submit(on(terms, spec(id, 0, limit, gpu_nodes(1, gpus))), at(0)).unwrap();
        }
        pass(policy, &mut cluster, 0);
        let expected = expected(&plan(policy, &cluster, 1));
        // Job 4 runs from 100 to 350, so that the whole node is free for job 3 then only.
        let known = [(3, Some(350)), (4, Some(100)), (5, Some(150)), (6, None), (7, None)];
        assert_eq!(expected, known, "{policy}");
    }
}

/// A long queue is not planned to its end.
#[test]
fn whoever_is_too_far_back_is_told_nothing() {
    let mut cluster = processors(8);
    let jobs: Vec<(u64, u64, u32)> = (0..1500).map(|id| (id, 10, 8)).collect();
    submit(&mut cluster, &jobs);
    let plan = plan("easy", &cluster, 0);
    let told = plan.waiting.iter().take_while(|waiting| waiting.expected.is_some()).count();
    assert_eq!((plan.waiting.len(), told), (1499, 1000));
    assert_eq!(plan.waiting[999].expected, Some(at(10_000)));
    assert!(plan.waiting[1000..].iter().all(|waiting| waiting.expected.is_none()));
}
