//! What the tests of the metrics share: hand-made attempts and runs.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use switchyard_model::{
    Fleet, FleetSpec, GpuSet, Job, JobId, JobSpec, Kept, NodeClass, NodeId, NodeShare, Outcome, Placement,
    Resources, Shape, SimDuration, SimTime, Truth,
};

use crate::{Run, Span};

/// Second `secs` of the run.
pub(super) const fn at(secs: u64) -> SimTime {
    SimTime::from_secs(secs)
}

pub(super) fn near(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-9, "{a} is not {b}");
}

/// Shares of nodes: (node, CPUs, the bits of its GPUs).
pub(super) fn placed(shares: &[(u32, u32, u64)]) -> Kept {
    let share =
        |&(node, cpus, gpus)| NodeShare { node: NodeId(node), cpus, memory_mib: 0, gpus: GpuSet(gpus) };
    Kept::from(&Placement(shares.iter().map(share).collect()))
}

/// A first and only attempt, eligible at once, which completed.
pub(super) fn span(job: u64, submit: u64, start: u64, end: u64, shares: &[(u32, u32, u64)]) -> Span {
    Span {
        job: JobId(job),
        attempt: 1,
        submit: at(submit),
        eligible: at(submit),
        start: at(start),
        end: at(end),
        placement: placed(shares),
        backfilled: false,
        outcome: Outcome::Completed,
        preempted_at: None,
    }
}

/// A first attempt that was chosen to make room at `taken` and was gone at `end`.
pub(super) fn preempted(
    job: u64,
    submit: u64,
    start: u64,
    taken: u64,
    end: u64,
    shares: &[(u32, u32, u64)],
) -> Span {
    let outcome = Outcome::Preempted;
    Span { outcome, preempted_at: Some(at(taken)), ..span(job, submit, start, end, shares) }
}

/// A run of these on that fleet.
pub(super) fn run(fleet: &Fleet, spans: Vec<Span>) -> Run {
    Run { policy: "test".into(), capacity: fleet.capacity(), spans, never_started: Vec::new() }
}

/// Nodes with these GPUs and as many CPUs; each entry (count, GPUs, nodes per rack) is a class.
pub(super) fn fleet(classes: &[(u32, u32, u32)], racks_per_switch: u32) -> Fleet {
    let class = |(place, &(count, gpus, nodes_per_rack)): (usize, &(u32, u32, u32))| NodeClass {
        nodes_per_rack,
        ..NodeClass::new(&format!("c{place}-"), count, Resources { cpus: gpus.max(1), gpus, memory_mib: 64 })
    };
    let classes = classes.iter().enumerate().map(class).collect();
    FleetSpec { racks_per_switch, ..FleetSpec::of("test", classes) }.build().unwrap()
}

/// A job of `account` that asks for `nodes` nodes with `gpus` GPUs and CPUs each for `limit` seconds and runs `runtime`.
pub(super) fn job(
    id: u64,
    account: &str,
    submit: u64,
    limit: u64,
    runtime: u64,
    nodes: u32,
    gpus: u32,
) -> Job {
    let shape = Shape::Nodes { nodes, per_node: Resources { cpus: gpus, gpus, memory_mib: 0 } };
    let spec = JobSpec::new(JobId(id), at(submit), SimDuration::from_secs(limit), shape);
    let spec = JobSpec { account: account.into(), user: account.into(), ..spec };
    Job { spec: Arc::new(spec), truth: Truth::new(SimDuration::from_secs(runtime)) }
}
