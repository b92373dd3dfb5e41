//! The fast plan against the plain one: on any workload both give the same schedule.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use proptest::prelude::*;
use switchyard_model::{
    AdvanceReservation, Fleet, FleetSpec, Job, JobId, JobSpec, NodeClass, NodeId, PerMille, PreemptMode, Qos,
    Resources, Shape, SimDuration, SimTime, Site, Terms, Truth,
};

use super::{PlanOn, SlurmParams};
use crate::replay::replay_plainly;
use crate::{Discipline, Multifactor, Order, Policy, Preempt, ReplayOptions, replay};

const QOS: [&str; 3] = ["low", "middle", "high"];

fn fleets() -> impl Strategy<Value = Arc<Fleet>> {
    let node = (1u32..=4, 0u32..=2, prop::sample::select(vec![0u64, 64]));
    let node = node.prop_map(|(cpus, gpus, memory_mib)| Resources { cpus, gpus, memory_mib });
    prop::collection::vec((1u32..=5, node), 1..=2).prop_map(|classes| {
        let class = |(i, (count, node))| NodeClass::new(&format!("c{i}-"), count, node);
        let classes = classes.into_iter().enumerate().map(class).collect();
        Arc::new(FleetSpec::of("small", classes).build().unwrap())
    })
}

/// Mostly of nodes, and mostly of few kinds, so that jobs get in each other's way.
fn shapes() -> impl Strategy<Value = Shape> {
    let piece = (0u32..=3, 0u32..=1, prop::sample::select(vec![0u64, 0, 16]));
    let piece = piece.prop_map(|(cpus, gpus, memory_mib)| Resources { cpus, gpus, memory_mib });
    (1u32..=5, piece, 0u8..4).prop_map(|(parts, each, kind)| match kind {
        0 => Shape::Tasks { tasks: parts, per_task: each },
        _ => Shape::Nodes { nodes: parts, per_node: each },
    })
}

fn jobs() -> impl Strategy<Value = Vec<Job>> {
    let job = (0u64..400, 1u64..200, 0u32..=100, shapes(), 0usize..3, 0u16..=1000);
    prop::collection::vec(job, 1..60).prop_map(|rows| {
        let job = |(id, (submit, limit, used, shape, level, qos)): (usize, (_, u64, _, _, usize, _))| {
            let limit = SimDuration::from_secs(limit);
            let runtime = SimDuration::from_micros(limit.as_micros() * u64::from(used) / 100);
            let spec = JobSpec {
                user: QOS[(id + level) % 3].into(),
                account: QOS[level].into(),
                qos: PerMille(qos),
                terms: Terms {
                    qos: Some(QOS[level].into()),
                    exclusive: id % 5 == 4,
                    reservation: (id % 11 == 7).then(|| "window".into()),
                    ..Terms::default()
                },
                ..JobSpec::new(JobId(id as u64), SimTime::from_secs(submit), limit, shape)
            };
            Job { spec: Arc::new(spec), truth: Truth::new(runtime) }
        };
        rows.into_iter().enumerate().map(job).collect()
    })
}

fn params() -> impl Strategy<Value = SlurmParams> {
    let caps = prop::sample::select(vec![0u32, 0, 0, 2]);
    let timers = (prop::sample::select(vec![1i32, 7, 30]), prop::sample::select(vec![-1i32, 0, 60, 60]));
    let counts = (1u32..30, prop::sample::select(vec![0u32, 0, 1]), 0u32..20);
    (timers, 1u32..4, prop::sample::select(vec![1u32, 10, 60]), counts, caps).prop_map(
        |((bf_interval, sched_interval), bf_window, bf_resolution, counts, bf_max_job_user)| SlurmParams {
            bf_interval,
            sched_interval,
            bf_window,
            bf_resolution,
            bf_max_job_test: counts.0,
            bf_max_job_start: counts.1,
            default_queue_depth: counts.2,
            bf_max_job_user,
            plan_on: PlanOn::ALL[counts.0 as usize % 3].1,
            ..SlurmParams::default()
        },
    )
}

fn orders() -> impl Strategy<Value = Order> {
    let lab = Multifactor { calc_period: SimDuration::from_secs(20), ..Multifactor::seed_lab() };
    prop::sample::select(vec![Order::Fifo, Order::Largest, Order::Shortest, Order::Multifactor(lab)])
}

/// Higher qualities of service may preempt lower ones. Some nodes may be kept for others at some time.
fn site(reservations: &[(u64, u64, u32)]) -> Arc<Site> {
    let qos = |(level, name): (usize, &str)| Qos {
        name: name.into(),
        priority: level as u32,
        preempt: QOS.iter().take(level).map(|&name| name.into()).collect(),
        ..Qos::default()
    };
    let kept = |(name, &(start, length, nodes)): (&str, &(u64, u64, u32))| AdvanceReservation {
        name: name.into(),
        start: SimTime::from_secs(start),
        end: SimTime::from_secs(start + length),
        nodes: (0..4).filter(|node| nodes >> node & 1 == 1).map(NodeId).collect(),
        users: vec![],
        accounts: vec![],
    };
    Arc::new(Site {
        qos: QOS.into_iter().enumerate().map(qos).collect(),
        reservations: ["window", "other"].into_iter().zip(reservations).map(kept).collect(),
        ..Site::default()
    })
}

/// Start, length and a bit for each node.
fn reservations() -> impl Strategy<Value = Vec<(u64, u64, u32)>> {
    prop_oneof![2 => Just(vec![]), 1 => prop::collection::vec((0u64..600, 1u64..300, 1u32..16), 1..=2)]
}

fn preempt() -> impl Strategy<Value = Option<Preempt>> {
    let mode = prop::sample::select(vec![PreemptMode::Requeue, PreemptMode::Cancel]);
    let times = (0u64..50, 0u64..20, 0u64..30);
    prop::option::of((mode, any::<bool>(), any::<bool>(), times).prop_map(
        |(mode, within, strict_order, (grace, exempt, requeue_delay))| Preempt {
            mode,
            within,
            strict_order,
            grace: SimDuration::from_secs(grace),
            exempt: SimDuration::from_secs(exempt),
            requeue_delay: SimDuration::from_secs(requeue_delay),
            ..Preempt::default()
        },
    ))
}

proptest! {
    #[test]
    fn both_plans_give_the_same_schedule(
        fleet in fleets(), jobs in jobs(), params in params(), order in orders(), preempt in preempt(),
        kept in reservations(),
    ) {
        let discipline = Discipline::Slurm(params);
        let policy = Policy { order, discipline, preempt, ..Policy::named("slurm").unwrap() };
        let options = || ReplayOptions { site: site(&kept), ..ReplayOptions::default() };
        let fast = replay(Arc::clone(&fleet), &jobs, &policy, options()).unwrap();
        let plain = replay_plainly(fleet, &jobs, &policy, options()).unwrap();
        prop_assert_eq!(fast, plain);
    }
}
