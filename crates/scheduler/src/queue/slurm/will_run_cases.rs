//! Small cases of Slurm's plan, worked by hand; times in seconds.
#![allow(clippy::unwrap_used, clippy::float_cmp)]

use std::sync::Arc;

use switchyard_model::{FleetSpec, Job, JobId, JobSpec, Resources, Shape, SimDuration, SimTime, Truth};

use super::{PlanOn, SlurmParams};
use crate::{Discipline, Policy, ReplayOptions, replay};

const COARSE: &str = "bf_interval=10,bf_resolution=1";

/// `(submit, runtime, limit, nodes, cpus)` on nodes of 2 CPUs: starts by job, and the nodes of each.
fn run(fleet: u32, rows: &[(u64, u64, u64, u32, u32)], text: &str) -> Vec<(f64, Vec<u32>)> {
    let row = |(id, &(submit, runtime, limit, nodes, cpus)): (u64, &(u64, u64, u64, u32, u32))| {
        let shape = Shape::Nodes { nodes, per_node: Resources::cpus(cpus) };
        let spec = JobSpec::new(JobId(id), SimTime::from_secs(submit), SimDuration::from_secs(limit), shape);
        Job { spec: Arc::new(spec), truth: Truth::new(SimDuration::from_secs(runtime)) }
    };
    let jobs: Vec<Job> = (1..).zip(rows).map(row).collect();
    let (params, problems) = SlurmParams::parse(text);
    assert_eq!(problems, []);
    let params = SlurmParams { plan_on: PlanOn::WillRun, ..params };
    let policy = Policy { discipline: Discipline::Slurm(params), ..Policy::named("slurm").unwrap() };
    let fleet = FleetSpec::uniform("case", fleet, Resources::cpus(2)).build().unwrap();
    let run = replay(Arc::new(fleet), &jobs, &policy, ReplayOptions::default()).unwrap();
    let mut spans: Vec<_> = run.spans.iter().collect();
    spans.sort_by_key(|span| span.job);
    let on = |span: &&crate::Span| span.placement.nodes().map(|node| node.0).collect();
    spans.iter().map(|span| (span.start.as_secs_f64(), on(span))).collect()
}

/// Job 1 has one of two CPUs of n0 until 100. Job 2 wants both of both nodes, from 100 on. Job 3 ends at 10 + 90 = 100 on n1, which job 2's
/// reservation begins: too late. Job 4 ends at 99. What job 5 asks for is n0's other CPU; it may have it until 99.
#[test]
fn a_reservation_closes_whole_nodes_from_the_moment_it_begins() {
    let rows =
        [(0, 100, 100, 1, 1), (1, 50, 50, 2, 2), (2, 90, 90, 1, 2), (3, 89, 89, 1, 2), (4, 89, 89, 1, 1)];
    let ran = run(2, &rows, COARSE);
    assert_eq!(ran[0], (0.0, vec![0]));
    assert_eq!(ran[1], (100.0, vec![0, 1]));
    assert_eq!(ran[2].0, 150.0);
    assert_eq!(ran[3], (10.0, vec![1]));
    assert_eq!(ran[4], (10.0, vec![0]));
}

/// Job 1 has n0 until 100, job 2 n1 until 115, and n2 is free. Job 3 wants two nodes. As n0 is free it could have n0 and n2, from 100 on. But
/// 100 and 115 are taken as one, since 115 isn't behind 120 + 30, and it gets n0 and n1 from 115 on: so job 4 may have n2 for 500.
/// With an end at 151 instead, which is behind 150, it is n0 and n2 from 100 on, and job 4 has to wait for it.
#[test]
fn ends_that_are_close_count_as_one() {
    let rows =
        |second| [(0, 100, 100, 1, 2), (0, second, second, 1, 2), (1, 60, 60, 2, 2), (2, 500, 500, 1, 2)];
    let close = run(3, &rows(115), COARSE);
    assert_eq!(close[3], (10.0, vec![2]));
    assert_eq!(close[2], (115.0, vec![0, 1]));
    let far = run(3, &rows(151), COARSE);
    assert_eq!(far[2], (100.0, vec![0, 2]));
    assert!(far[3].0 >= 151.0);
}

/// Job 1 has n1 of four until 1000. Job 2 gets n0, the smaller hole, and job 3, of two nodes, n2 and n3. Job 4 goes beside nobody, since
/// nothing is left; job 5 takes the CPU that is left beside job 2.
#[test]
fn jobs_go_to_the_tightest_run_of_neighbours() {
    let rows = [
        (0, 5, 5, 1, 2),
        (0, 1000, 1000, 1, 2),
        (6, 1000, 1000, 1, 1),
        (7, 1000, 1000, 2, 2),
        (8, 10, 10, 1, 1),
    ];
    let ran = run(4, &rows, COARSE);
    let on: Vec<_> = ran.into_iter().map(|(_, on)| on).collect();
    assert_eq!(on, [vec![0], vec![1], vec![0], vec![2, 3], vec![0]]);
}

/// With timers of a second, a pass finds nodes free 0.3 s after the end of a job; with others at once.
#[test]
fn a_pass_comes_a_moment_after_an_end() {
    let rows = [(0, 10, 60, 1, 2), (1, 5, 60, 1, 2), (11, 5, 60, 1, 2)];
    let starts = |text| run(1, &rows, text).into_iter().map(|(at, _)| at).collect::<Vec<_>>();
    assert_eq!(starts("bf_interval=1,sched_interval=1"), [0.0, 10.3, 15.6]);
    assert_eq!(starts("bf_interval=10,sched_interval=1"), [0.0, 10.0, 15.0]);
    assert_eq!(starts(""), [0.0, 10.0, 15.0]);
}
