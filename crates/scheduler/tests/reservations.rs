//! Conservative backfill on small queues that were worked out by hand.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod harness;

use std::sync::Arc;

use harness::{at, gpu_cluster, gpu_nodes, job, pass, processors, spec, tasks};
use switchyard_model::{Fleet, FleetSpec, Job, JobId, NodeId, Outcome, Placement, Resources, SimTime};
use switchyard_scheduler::{Cluster, Discipline, Order, Plan, Policy, ReplayOptions, Run, Scheduler, replay};

/// A cluster with a scheduler that keeps its reservations from pass to pass.
struct Site {
    cluster: Cluster,
    scheduler: Scheduler,
}

impl Site {
    fn new(cluster: Cluster, policy: Policy) -> Site {
        Site { cluster, scheduler: Scheduler::new(policy) }
    }

    fn named(cluster: Cluster, policy: &str) -> Site {
        Site::new(cluster, Policy::named(policy).unwrap())
    }

    fn submit(&mut self, id: u64, now: u64, limit: u64, shape: switchyard_model::Shape) {
        self.cluster.submit(spec(id, now, limit, shape), at(now)).unwrap();
    }

    fn end(&mut self, id: u64) {
        self.cluster.finish(JobId(id), Outcome::Completed).unwrap();
    }

    fn plan(&mut self, now: u64) -> Plan {
        self.scheduler.plan(&self.cluster, at(now))
    }

    fn pass(&mut self, now: u64) -> Plan {
        let plan = self.plan(now);
        for start in &plan.starts {
            self.cluster.start(start.job, start.placement.clone(), at(now)).unwrap();
        }
        plan
    }
}

fn starts(plan: &Plan) -> Vec<(u64, String)> {
    plan.starts.iter().map(|start| (start.job.0, start.placement.to_string())).collect()
}

fn on(nodes: &[(u64, &str)]) -> Vec<(u64, String)> {
    nodes.iter().map(|(job, nodes)| (*job, (*nodes).to_owned())).collect()
}

/// Job, second, nodes.
fn reserved(plan: &Plan) -> Vec<(u64, u64, Vec<u32>)> {
    let secs = |time: SimTime| time.as_micros() / 1_000_000;
    let nodes = |nodes: &[NodeId]| nodes.iter().map(|node| node.0).collect();
    plan.reservations.iter().map(|r| (r.job.0, secs(r.at), nodes(&r.nodes))).collect()
}

fn times(plan: &Plan) -> Vec<(u64, u64)> {
    reserved(plan).into_iter().map(|(job, at, _)| (job, at)).collect()
}

fn conservative(order: Order) -> Policy {
    Policy { order, ..Policy::named("conservative").unwrap() }
}

/// Two nodes of 8 GPUs; 5 of the first are taken until 100, 5 of the second until 200. Job 3 needs 6 GPUs of one node: in sum
/// they are free now, on a node at 100.
#[test]
fn reservations_on_shared_nodes_can_be_honoured() {
    for policy in ["conservative", "conservative-replan", "conservative-machine"] {
        let mut site = Site::named(gpu_cluster(2), policy);
        site.submit(1, 0, 100, gpu_nodes(1, 5));
        site.submit(2, 0, 200, gpu_nodes(1, 5));
        site.submit(3, 0, 50, gpu_nodes(1, 6));
        let plan = site.pass(0);
        assert_eq!(starts(&plan), on(&[(1, "0"), (2, "1")]));
        assert_eq!(reserved(&plan), [(3, 100, vec![0])]);
        assert_eq!(plan.reservations[0].waits_for, [JobId(1)]);
        // Until 110 the first node would not be free beside job 3; until 100 it is.
        site.submit(4, 10, 100, gpu_nodes(1, 3));
        site.submit(5, 10, 90, gpu_nodes(1, 3));
        site.submit(6, 10, 10, gpu_nodes(1, 1));
        let plan = site.pass(10);
        assert_eq!(starts(&plan), on(&[(4, "1"), (5, "0")]), "{policy}");
        assert!(plan.starts.iter().all(|start| start.backfilled));
        // With job 4 the second node is full until 110; with job 5 the first one until 100, and then it has 2 left.
        assert_eq!(reserved(&plan), [(3, 100, vec![0]), (6, 100, vec![0])]);
        assert_eq!(site.scheduler.wake_at(&site.cluster, at(10)), Some(at(100)));
    }
}

/// Processors: 6 of 10 until 100 and 2 until 10. Job 3 wants 8: at 100. Jobs 4 and 5 follow it. Then job 1 ends at 20.
#[test]
fn everyone_moves_up_in_queue_order() {
    let mut site = Site::named(processors(10), "conservative");
    site.submit(1, 0, 100, tasks(6));
    site.submit(2, 0, 10, tasks(2));
    site.submit(3, 0, 50, tasks(8));
    site.submit(4, 0, 200, tasks(3));
    site.submit(5, 0, 50, tasks(2));
    let plan = site.pass(0);
    assert_eq!(plan.starts.len(), 3, "job 5 is over when job 3 begins: {:?}", starts(&plan));
    assert_eq!(times(&plan), [(3, 100), (4, 150)]);
    let expected: Vec<_> = plan.waiting.iter().map(|waiting| waiting.expected).collect();
    assert_eq!(expected, [Some(at(100)), Some(at(150))]);
    site.end(2);
    assert_eq!(times(&site.pass(10)), [(3, 100), (4, 150)], "job 4 would be in the way of job 3");
    site.end(1);
    let plan = site.pass(20);
    assert_eq!(starts(&plan), on(&[(3, "0")]));
    assert_eq!(times(&plan), [(4, 70)]);
}

/// When job 1 ends at 20, job 3 starts, and job 4 behind it can use what that was to hold.
#[test]
fn whoever_moves_up_makes_room_for_those_behind() {
    for policy in ["conservative", "conservative-replan", "conservative-machine"] {
        let mut site = Site::named(processors(4), policy);
        site.submit(1, 0, 100, tasks(2));
        site.submit(2, 0, 40, tasks(2));
        site.submit(3, 0, 100, tasks(2));
        site.submit(4, 0, 30, tasks(4));
        assert_eq!(times(&site.pass(0)), [(3, 40), (4, 140)]);
        site.end(1);
        let plan = site.pass(20);
        assert_eq!(starts(&plan), on(&[(3, "0")]));
        assert_eq!(times(&plan), [(4, 120)]);
    }
}

/// Rule 6 keeps a promise that rule 7 breaks: micro cases show the rest.
#[test]
fn a_plan_made_anew_may_break_a_promise() {
    let of = |policy| {
        let mut site = Site::named(processors(10), policy);
        site.submit(1, 2, 37, tasks(4));
        site.pass(2);
        site.submit(2, 6, 45, tasks(7));
        assert_eq!(times(&site.pass(6)), [(2, 39)]);
        site.submit(3, 11, 17, tasks(6));
        site.pass(11);
        site.submit(4, 16, 5, tasks(4));
        assert_eq!(times(&site.pass(16)), [(2, 39), (4, 28)]);
        site.end(1);
        times(&site.pass(25))
    };
    // In its turn job 2 finds job 4 in its way; that moves up afterwards, and starts.
    assert_eq!(of("conservative"), [(2, 33)]);
    assert_eq!(of("conservative-replan"), [(2, 28), (4, 73)]);
}

/// Job 2 is longer than job 3. By arrival it is first to move up, by length job 3 is. Neither order takes a reservation away from
/// anybody when job 3 arrives.
#[test]
fn other_orders_move_others_up_first() {
    let of = |order| {
        let mut site = Site::new(processors(4), conservative(order));
        site.submit(1, 0, 100, tasks(4));
        site.pass(0);
        site.submit(2, 1, 60, tasks(3));
        assert_eq!(times(&site.pass(1)), [(2, 100)]);
        site.submit(3, 2, 30, tasks(3));
        let mut both = times(&site.pass(2));
        both.sort_unstable();
        assert_eq!(both, [(2, 100), (3, 160)], "arrivals move nobody");
        site.end(1);
        let plan = site.pass(10);
        (starts(&plan), times(&plan))
    };
    assert_eq!(of(Order::Fifo), (on(&[(2, "0")]), vec![(3, 70)]));
    // Job 3 comes first, but its earliest slot is after job 2's as long as that has not moved.
    assert_eq!(of(Order::Shortest), (on(&[(3, "0")]), vec![(2, 40)]));
}

/// flux-sched issue 572: 4 nodes; jobs of 4, 3 and 3 nodes, four of 2 and ten of 1, which all run equally long. With limits that
/// let them backfill, 28 node-slots are 7 waves.
#[test]
fn seven_waves() {
    let mut jobs: Vec<Job> = Vec::new();
    let mut add = |limit: u64, nodes: u32| {
        jobs.push(job(jobs.len() as u64, 0, limit, 10, gpu_nodes(nodes, 8)));
    };
    [4, 3, 3, 2, 2, 2, 2].into_iter().for_each(|nodes| add(80, nodes));
    (0..10).for_each(|i| add(70 - 5 * i, 1));
    let waves = |policy: &str| {
        let run = replay_on(gpu_cluster(4).fleet(), &jobs, policy);
        run.spans.iter().map(|span| span.end.as_micros() / 10_000_000).max().unwrap()
    };
    assert_eq!(waves("fcfs"), 8);
    for policy in ["easy", "easy-machine", "conservative", "conservative-replan", "conservative-machine"] {
        assert_eq!(waves(policy), 7, "{policy}");
    }
}

fn replay_on(fleet: &Arc<Fleet>, jobs: &[Job], policy: &str) -> Run {
    replay(Arc::clone(fleet), jobs, &Policy::named(policy).unwrap(), ReplayOptions::default()).unwrap()
}

/// kai-scheduler issue 1969: a stream of small jobs against one that needs all nodes. It starts when those end that ran before it
/// came, however many come after it.
#[test]
fn a_wide_job_does_not_starve() {
    let mut jobs = vec![job(1000, 55, 30, 30, gpu_nodes(2, 8))];
    jobs.extend((0..100).map(|i| job(i, 10 * i, 40, 40, gpu_nodes(1, 4))));
    for policy in ["easy", "easy-machine", "conservative", "conservative-replan", "conservative-machine"] {
        let run = replay_on(gpu_cluster(2).fleet(), &jobs, policy);
        let wide = run.spans.iter().find(|span| span.job == JobId(1000)).unwrap();
        assert_eq!(wide.start, at(90), "{policy}: the last of those before it came at 50");
        assert!(run.never_started.is_empty());
    }
}

/// flux-sched issues 670 and 1210: a job for which too few nodes are in service is passed over, without a reservation. When they are
/// back it gets one, and moves nobody.
#[test]
fn whoever_needs_nodes_that_are_down_stands_in_nobodys_way() {
    for policy in ["conservative", "conservative-replan", "conservative-machine"] {
        let mut site = Site::named(gpu_cluster(3), policy);
        site.cluster.set_available(NodeId(2), false);
        site.submit(1, 0, 100, gpu_nodes(3, 8));
        site.submit(2, 0, 50, gpu_nodes(2, 8));
        site.submit(3, 0, 50, gpu_nodes(1, 8));
        let plan = site.pass(0);
        assert_eq!(starts(&plan), on(&[(2, "0-1")]), "{policy}");
        assert!(!plan.starts[0].backfilled, "nobody is in the race before it");
        assert_eq!(reserved(&plan), [(3, 50, vec![0])]);
        assert_eq!(plan.waiting[0].reason.slurm_code(), "ReqNodeNotAvail");
        assert_eq!(plan.waiting[0].expected, None);
        site.cluster.set_available(NodeId(2), true);
        let plan = site.pass(10);
        let (job_3, others) = match policy {
            // Job 1 comes first, and would have to wait for job 3.
            "conservative-replan" => (vec![], vec![(1, 50), (3, 150)]),
            // Job 3 was here before the nodes for job 1 were.
            _ => (on(&[(3, "2")]), vec![(1, 60)]),
        };
        assert_eq!((starts(&plan), times(&plan)), (job_3, others), "{policy}");
    }
}

/// The node that was reserved goes out of service: whoever can't be kept gets another, the others keep theirs.
#[test]
fn what_can_not_be_kept_is_planned_again() {
    let mut site = Site::named(gpu_cluster(3), "conservative");
    site.submit(1, 0, 100, gpu_nodes(1, 8));
    site.submit(2, 0, 200, gpu_nodes(1, 8));
    site.submit(3, 0, 300, gpu_nodes(1, 8));
    site.submit(4, 0, 50, gpu_nodes(1, 8));
    site.submit(5, 0, 50, gpu_nodes(1, 8));
    assert_eq!(reserved(&site.pass(0)), [(4, 100, vec![0]), (5, 150, vec![0])]);
    site.cluster.set_available(NodeId(0), false);
    assert_eq!(reserved(&site.pass(10)), [(4, 200, vec![1]), (5, 250, vec![1])]);
    site.cluster.set_available(NodeId(0), true);
    assert_eq!(reserved(&site.pass(20)), [(4, 100, vec![0]), (5, 150, vec![0])]);
}

/// Nobody carries the plan out: the next one is the same, later.
#[test]
fn a_plan_that_is_not_carried_out_is_made_again() {
    let mut site = Site::named(gpu_cluster(1), "conservative");
    site.submit(1, 0, 100, gpu_nodes(1, 8));
    site.submit(2, 0, 50, gpu_nodes(1, 8));
    let first = site.plan(0);
    assert_eq!((starts(&first), times(&first)), (on(&[(1, "0")]), vec![(2, 100)]));
    let second = site.pass(30);
    assert_eq!((starts(&second), times(&second)), (on(&[(1, "0")]), vec![(2, 130)]));
    // It runs past its limit: it may end any moment.
    assert_eq!(times(&site.pass(130)), [(2, 131)]);
    assert_eq!(times(&site.pass(131)), [(2, 132)]);
    site.end(1);
    assert_eq!(starts(&site.pass(133)), on(&[(2, "0")]));
}

/// Units of processors are planned in sums until someone needs two on one node. Then all reservations get nodes, at the same times.
#[test]
fn sums_become_nodes_and_keep_their_times() {
    let fleet = FleetSpec::uniform("two", 2, Resources::cpus(4)).build().unwrap();
    let mut site = Site::named(Cluster::new(Arc::new(fleet)), "conservative");
    site.submit(1, 0, 100, tasks(6));
    site.submit(2, 0, 50, tasks(3));
    site.submit(3, 0, 50, tasks(5));
    let plan = site.pass(0);
    assert_eq!(starts(&plan), on(&[(1, "0-1")]));
    assert_eq!(times(&plan), [(2, 100), (3, 100)]);
    let pair = switchyard_model::Shape::Nodes { nodes: 1, per_node: Resources::cpus(2) };
    site.submit(4, 10, 100, pair);
    let plan = site.pass(10);
    // The second node has 2 left, but job 3 is to have all of it from 100 on.
    assert_eq!(starts(&plan), []);
    assert_eq!(reserved(&plan), [(2, 100, vec![0]), (3, 100, vec![0, 1]), (4, 150, vec![0])]);
    site.submit(5, 20, 80, pair);
    assert_eq!(starts(&site.pass(20)), on(&[(5, "1")]));
}

/// On machines a job has to be on the same ones from beginning to end; in sums it hasn't.
#[test]
fn machines_are_stricter_than_sums() {
    let of = |policy| {
        let fleet = FleetSpec::uniform("machines", 2, Resources::cpus(1)).build().unwrap();
        let mut site = Site::named(Cluster::new(Arc::new(fleet)), policy);
        site.submit(1, 0, 10, tasks(1));
        site.submit(2, 0, 20, tasks(1));
        site.submit(3, 0, 20, tasks(2));
        site.submit(4, 0, 10, tasks(1));
        reserved(&site.pass(0))
    };
    assert_eq!(of("conservative-machine"), [(3, 20, vec![0, 1]), (4, 10, vec![0])]);
    let times: Vec<_> = of("conservative").into_iter().map(|(job, at, _)| (job, at)).collect();
    assert_eq!(times, [(3, 20), (4, 10)]);
}

#[test]
fn whoever_fits_now_but_would_delay_others_hears_whom() {
    let mut site = Site::named(processors(10), "conservative");
    site.submit(1, 0, 100, tasks(6));
    site.submit(2, 0, 50, tasks(8));
    site.submit(3, 0, 101, tasks(3));
    site.submit(4, 0, 9, tasks(5));
    let plan = site.pass(0);
    let said: Vec<String> = plan.waiting.iter().map(|waiting| waiting.reason.to_string()).collect();
    assert_eq!(said[0], "Needs 8 CPUs; 4 CPUs are free.");
    assert_eq!(said[1], "Fits now, but could delay job 2, which is next and starts by 00:01:40.");
    assert_eq!(said[2], "Needs 5 CPUs; 4 CPUs are free.");
    assert_eq!(times(&plan), [(2, 100), (3, 150), (4, 150)]);
}

/// The same queue at once, without what was planned before.
#[test]
fn a_scheduler_that_comes_new_to_a_cluster_plans_in_queue_order() {
    let mut cluster = processors(10);
    cluster.submit(spec(1, 0, 100, tasks(6)), at(0)).unwrap();
    pass("conservative", &mut cluster, 0);
    cluster.submit(spec(2, 0, 50, tasks(8)), at(5)).unwrap();
    cluster.submit(spec(3, 0, 50, tasks(4)), at(6)).unwrap();
    let policy = Policy { discipline: Discipline::ConservativeMachine, ..conservative(Order::Fifo) };
    let plan = Scheduler::new(policy).plan(&cluster, at(10));
    assert_eq!(starts(&plan), on(&[(3, "0-1")]));
    let placement: &Placement = &plan.starts[0].placement;
    assert_eq!(placement.total().cpus, 4);
    assert_eq!(times(&plan), [(2, 100)]);
}
