//! The small cases that the seed lab pins by tests, and the fast plan against the plain one.
#![allow(clippy::unwrap_used, clippy::panic, clippy::float_cmp)]

use std::sync::Arc;

use switchyard_model::{FleetSpec, Job, JobId, JobSpec, Resources, Shape, SimDuration, SimTime, Truth};

use super::{PlanOn, SlurmParams};
use crate::{Discipline, Order, Policy, ReplayOptions, Run, replay};

/// `(submit, runtime, limit, nodes)` in seconds, each node giving one CPU; numbered from 1.
fn jobs(rows: &[(u64, u64, u64, u32)]) -> Vec<Job> {
    let row = |(id, &(submit, runtime, limit, nodes)): (u64, &(u64, u64, u64, u32))| {
        job(id, submit, runtime, limit, Shape::Nodes { nodes, per_node: Resources::cpus(1) })
    };
    (1..).zip(rows).map(row).collect()
}

fn job(id: u64, submit: u64, runtime: u64, limit: u64, shape: Shape) -> Job {
    let spec = JobSpec::new(JobId(id), SimTime::from_secs(submit), SimDuration::from_secs(limit), shape);
    Job { spec: Arc::new(spec), truth: Truth::new(SimDuration::from_secs(runtime)) }
}

fn run(nodes: u32, cpus: u32, jobs: &[Job], policy: &Policy) -> Run {
    let fleet = FleetSpec::uniform("case", nodes, Resources::cpus(cpus)).build().unwrap();
    replay(Arc::new(fleet), jobs, policy, ReplayOptions::default()).unwrap()
}

/// Starts by job number, in seconds.
fn starts(run: &Run) -> Vec<f64> {
    let mut starts: Vec<_> = run.spans.iter().map(|span| (span.job, span.start.as_secs_f64())).collect();
    starts.sort_by_key(|(job, _)| *job);
    starts.into_iter().map(|(_, start)| start).collect()
}

fn slurm(order: Order, text: &str) -> Policy {
    let (params, problems) = SlurmParams::parse(text);
    assert_eq!(problems, []);
    // The lab's cases, with its plan.
    let params = SlurmParams { plan_on: PlanOn::FirstFree, ..params };
    Policy { order, discipline: Discipline::Slurm(params), ..Policy::named("slurm").unwrap() }
}

fn of(nodes: u32, rows: &[(u64, u64, u64, u32)], order: Order, text: &str) -> Vec<f64> {
    starts(&run(nodes, 1, &jobs(rows), &slurm(order, text)))
}

fn easy(nodes: u32, rows: &[(u64, u64, u64, u32)], order: Order) -> Vec<f64> {
    let easy = Policy { order, discipline: Discipline::EasyAggregate, ..Policy::named("easy").unwrap() };
    starts(&run(nodes, 1, &jobs(rows), &easy))
}

const HOLE: [(u64, u64, u64, u32); 3] = [(0, 100, 1000, 3), (1, 100, 100, 4), (2, 10, 10, 1)];

#[test]
fn the_next_cycle_fills_the_hole() {
    assert_eq!(of(4, &HOLE, Order::Fifo, ""), [0.0, 100.0, 30.0]);
    let long = [(0, 1000, 1000, 3), HOLE[1], HOLE[2]];
    assert_eq!(of(4, &long, Order::Fifo, "bf_interval=120"), [0.0, 1000.0, 120.0]);
    assert_eq!(easy(4, &HOLE, Order::Fifo), [0.0, 100.0, 2.0]);
    {
        let off = "bf_interval=-1";
        assert_eq!(of(4, &HOLE, Order::Fifo, off), [0.0, 100.0, 200.0]);
    }
    // Without main passes only cycles start jobs; the first one is at the first submission.
    assert_eq!(of(4, &HOLE, Order::Fifo, "sched_interval=-1"), [0.0, 120.0, 30.0]);
}

#[test]
fn a_filler_that_is_too_long_waits() {
    let long = [HOLE[0], HOLE[1], (2, 500, 500, 1)];
    // The wide job was told 1000 s and starts at 100; until then 500 s seem to fit, and it has to wait for them.
    assert_eq!(of(4, &long, Order::Fifo, ""), [0.0, 530.0, 30.0]);
    let honest = [(0, 100, 100, 3), HOLE[1], (2, 500, 500, 1)];
    assert_eq!(of(4, &honest, Order::Fifo, ""), [0.0, 100.0, 200.0]);
    assert_eq!(easy(4, &honest, Order::Fifo), [0.0, 100.0, 200.0]);
    let padded = |limit| [(0, 1000, 1000, 3), HOLE[1], (2, 50, limit, 1)];
    assert_eq!(of(4, &padded(50), Order::Fifo, "")[2], 30.0);
    assert_eq!(of(4, &padded(5000), Order::Fifo, "")[2], 1100.0);
    assert_eq!(easy(4, &padded(50), Order::Fifo)[2], 2.0);
    assert!(easy(4, &padded(5000), Order::Fifo)[2] > 1000.0);
}

#[test]
fn the_shadow_time_counts_what_ends() {
    let rows = [(0, 100, 100, 2), (0, 50, 50, 2), (1, 10, 10, 3)];
    assert_eq!(of(4, &rows, Order::Fifo, ""), [0.0, 0.0, 100.0]);
    assert_eq!(easy(4, &rows, Order::Fifo), [0.0, 0.0, 100.0]);
}

#[test]
fn the_second_blocked_job_is_protected_too() {
    let rows = [(0, 120, 120, 2), (0, 60, 60, 1), (1, 120, 120, 3), (1, 60, 60, 2), (1, 100, 100, 1)];
    assert_eq!(easy(4, &rows, Order::Largest)[2..], [120.0, 240.0, 1.0]);
    assert_eq!(of(4, &rows, Order::Largest, "")[2..], [120.0, 60.0, 120.0]);
}

#[test]
fn scattered_processors_fool_sums_and_not_the_plan() {
    let rows = [(0, 100, 2), (0, 300, 2), (0, 100, 2), (0, 300, 2), (1, 100, 4), (2, 150, 2)];
    let row = |(id, (submit, time, cpus))| {
        job(id, submit, time, time, Shape::Nodes { nodes: 1, per_node: Resources::cpus(cpus) })
    };
    let jobs: Vec<Job> = (1..).zip(rows).map(row).collect();
    let easy = Policy {
        order: Order::Largest,
        discipline: Discipline::EasyAggregate,
        ..Policy::named("easy").unwrap()
    };
    assert_eq!(starts(&run(2, 4, &jobs, &easy))[4..], [300.0, 300.0]);
    assert_eq!(starts(&run(2, 4, &jobs, &slurm(Order::Largest, "")))[4..], [300.0, 120.0]);
}

#[test]
fn a_cycle_tests_so_many_jobs_and_no_more() {
    let rows = [
        (0, 1000, 1000, 3),
        (1, 100, 100, 4),
        (2, 100, 100, 2),
        (3, 100, 100, 2),
        (4, 100, 100, 2),
        (5, 50, 50, 1),
    ];
    assert_eq!(of(4, &rows, Order::Largest, "")[5], 30.0);
    assert!(of(4, &rows, Order::Largest, "bf_max_job_test=3")[5] >= 1000.0);
}

#[test]
fn what_is_beyond_the_window_is_not_protected() {
    let rows = [(0, 1000, 1000, 1), (1, 100, 100, 2), (2, 5000, 5000, 1)];
    assert_eq!(of(2, &rows, Order::Largest, ""), [0.0, 1000.0, 1100.0]);
    assert_eq!(of(2, &rows, Order::Largest, "bf_window=5"), [0.0, 5030.0, 30.0]);
}

#[test]
fn a_coarse_resolution_widens_reservations() {
    let rows = [(0, 100, 100, 1), (1, 100, 100, 2), (2, 40, 40, 1)];
    assert_eq!(of(2, &rows, Order::Largest, "bf_resolution=60"), [0.0, 100.0, 200.0]);
    assert_eq!(of(2, &rows, Order::Largest, "bf_resolution=1"), [0.0, 100.0, 30.0]);
}

#[test]
fn a_cycle_starts_so_many_jobs_and_no_more() {
    let rows = [(0, 1000, 1000, 2), (1, 100, 100, 4), (2, 20, 20, 1), (3, 20, 20, 1), (4, 20, 20, 1)];
    assert_eq!(of(4, &rows, Order::Largest, "")[2..], [30.0, 30.0, 60.0]);
    assert_eq!(of(4, &rows, Order::Largest, "bf_max_job_start=1")[2..], [30.0, 60.0, 90.0]);
}

#[test]
fn a_pass_after_an_event_has_a_depth() {
    let rows = [
        (0, 1000, 1000, 1),
        (10, 1000, 1000, 1),
        (10, 1000, 1000, 1),
        (10, 1000, 1000, 1),
        (10, 1000, 1000, 1),
        (10, 1000, 1000, 1),
    ];
    let with = |text: &str| of(8, &rows, Order::Fifo, &format!("bf_interval=-1,{text}"))[1..].to_vec();
    assert_eq!(with("default_queue_depth=2"), [10.0, 10.0, 10.0, 60.0, 60.0]);
    assert_eq!(with("default_queue_depth=0"), [10.0, 60.0, 60.0, 60.0, 60.0]);
    assert_eq!(with("default_queue_depth=0,sched_interval=0"), [10.0; 5]);
    assert_eq!(with(""), [10.0; 5]);
}
