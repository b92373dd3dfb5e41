//! Workloads for the benches.
#![allow(dead_code, clippy::unwrap_used)] // each bench uses its part

use std::path::PathBuf;
use std::sync::Arc;

use switchyard_model::{
    Fleet, FleetSpec, Job, JobId, JobSpec, Resources, Shape, SimDuration, SimTime, Truth,
};
use switchyard_workload::{ReadOptions, read};

/// Numbers that look like chance and are the same everywhere (Knuth's MMIX generator).
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) const fn new(seed: u64) -> Self {
        Dice(seed)
    }

    /// A number below `n`.
    pub(crate) const fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

/// 128 nodes of 8 CPUs and 2 GPUs.
pub(crate) fn steady_fleet() -> Arc<Fleet> {
    let node = Resources { cpus: 8, gpus: 2, memory_mib: 0 };
    Arc::new(FleetSpec::uniform("steady", 128, node).build().unwrap())
}

/// A load of about 0.9 of [`steady_fleet`], so that there is a queue, and it ends: 4.75 nodes for 30 minutes on average, every
/// 74 seconds. Limits are up to four times the runtime.
pub(crate) fn steady(jobs: u64) -> Vec<Job> {
    let mut dice = Dice::new(7);
    let mut submit = 0;
    let job = |id| {
        submit += dice.below(2 * 74 + 1);
        let runtime = dice.below(3600) + 1;
        let limit = runtime * (1 + dice.below(4));
        let nodes = [1, 1, 2, 2, 4, 4, 8, 16].get(dice.below(8) as usize).copied().unwrap_or(1);
        let per_node = Resources { cpus: 8, gpus: if dice.below(2) == 0 { 2 } else { 0 }, memory_mib: 0 };
        let shape = Shape::Nodes { nodes, per_node };
        let spec = JobSpec::new(JobId(id), SimTime::from_secs(submit), SimDuration::from_secs(limit), shape);
        Job { spec: Arc::new(spec), truth: Truth::new(SimDuration::from_secs(runtime)) }
    };
    (1..=jobs).map(job).collect()
}

/// The log of KTH's SP2, from the directory that `SWITCHYARD_TRACES` names or from the shared one, if it is there.
pub(crate) fn kth() -> Option<Vec<Job>> {
    let beside = || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/traces"));
    let directory = std::env::var_os("SWITCHYARD_TRACES").map_or_else(beside, PathBuf::from);
    let name = "KTH-SP2-1996-2.1-cln.swf";
    let bytes = std::fs::read(directory.join(name)).ok()?;
    Some(read(name, &bytes, &ReadOptions::default()).unwrap().0.jobs)
}
