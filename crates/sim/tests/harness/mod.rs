//! Small worlds for tests: a few nodes, jobs of round lengths.
#![allow(dead_code, clippy::unwrap_used)]

use std::sync::Arc;

use switchyard_model::{
    FleetSpec, Job, JobId, JobSpec, PerMille, Resources, Shape, SimDuration, SimTime, Terms, Truth,
};
use switchyard_sim::{Scenario, Timing, WorkloadSource, World};

/// `nodes` nodes of 8 CPUs and 8 GPUs.
pub(crate) fn fleet(nodes: u32) -> FleetSpec {
    FleetSpec::uniform("test", nodes, Resources { cpus: 8, gpus: 8, memory_mib: 0 })
}

/// A job of whole nodes.
pub(crate) fn job(id: u64, submit: u64, runtime: u64, limit: u64, nodes: u32) -> Job {
    let per_node = Resources { cpus: 8, gpus: 8, memory_mib: 0 };
    Job {
        spec: Arc::new(JobSpec {
            id: JobId(id),
            user: "u".into(),
            account: "a".into(),
            submit: SimTime::from_secs(submit),
            limit: SimDuration::from_secs(limit),
            shape: Shape::Nodes { nodes, per_node },
            qos: PerMille(0),
            terms: Terms::default(),
        }),
        truth: Truth::new(SimDuration::from_secs(runtime)),
    }
}

/// A scenario without interventions.
pub(crate) fn scenario(seed: u64, replicas: u32, nodes: u32) -> Scenario {
    Scenario {
        version: 1,
        name: "test".into(),
        seed,
        fleet: Some(fleet(nodes)),
        workload: WorkloadSource::Trace { file: "none".into() },
        policy: "easy-machine".into(),
        policies: Vec::new(),
        replicas,
        timing: Timing::default(),
        interventions: Vec::new(),
    }
}

/// A world with these jobs.
pub(crate) fn world(seed: u64, replicas: u32, nodes: u32, jobs: Vec<Job>) -> World {
    let scenario = scenario(seed, replicas, nodes);
    let fleet = scenario.fleet.clone().unwrap().build().unwrap();
    World::new(&scenario, fleet, jobs).unwrap()
}

/// Lets time pass.
pub(crate) fn pass(world: &mut World, secs: u64) {
    let until = world.now() + SimDuration::from_secs(secs);
    world.run_until(until, u64::MAX);
}

/// Fails with everything that broke.
pub(crate) fn assert_sound(world: &World) {
    assert_eq!(world.violations(), [], "seed {}", world.seed());
}
