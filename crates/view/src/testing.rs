//! Small worlds for this crate's tests.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use switchyard_model::{
    FleetSpec, Job, JobId, JobSpec, PerMille, Resources, Shape, SimDuration, SimTime, Terms, Truth,
};
use switchyard_sim::{Scenario, Timing, WorkloadSource, World};

/// A job of `nodes` whole nodes that runs as long as its limit, in seconds.
pub(crate) fn job(id: u64, account: &str, submit: u64, limit: u64, nodes: u32) -> Job {
    Job {
        spec: Arc::new(JobSpec {
            id: JobId(id),
            user: "kaya".into(),
            account: account.into(),
            submit: SimTime::from_secs(submit),
            limit: SimDuration::from_secs(limit),
            shape: Shape::Nodes { nodes, per_node: Resources { cpus: 8, gpus: 8, memory_mib: 0 } },
            qos: PerMille(0),
            terms: Terms::default(),
        }),
        truth: Truth::new(SimDuration::from_secs(limit)),
    }
}

/// Five replicas and `nodes` nodes of 8 CPUs and 8 GPUs, two to a rack, after `secs` seconds.
pub(crate) fn world(nodes: u32, jobs: Vec<Job>, secs: u64) -> World {
    let mut fleet = FleetSpec::uniform("test", nodes, Resources { cpus: 8, gpus: 8, memory_mib: 0 });
    fleet.classes[0].nodes_per_rack = 2;
    let scenario = Scenario {
        version: 1,
        name: "test".into(),
        seed: 3,
        fleet: None,
        workload: WorkloadSource::Trace { file: "none".into() },
        policy: "easy-machine".into(),
        policies: Vec::new(),
        replicas: 5,
        timing: Timing::default(),
        interventions: Vec::new(),
    };
    let mut world = World::new(&scenario, fleet.build().unwrap(), jobs).unwrap();
    pass(&mut world, secs);
    world
}

/// Lets time pass.
pub(crate) fn pass(world: &mut World, secs: u64) {
    let until = world.now() + SimDuration::from_secs(secs);
    world.run_until(until, u64::MAX);
}
