//! What is measured in WebAssembly and natively: replays that need no file.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use switchyard_model::{FleetSpec, Job, Resources};
use switchyard_scheduler::{Policy, ReplayOptions, Run, replay};
use switchyard_workload::generate::{Poisson, seed_lab};

/// A replay: a policy and its workload.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Case {
    /// The policy's name.
    pub(crate) policy: &'static str,
    /// The workload in words.
    pub(crate) workload: &'static str,
}

/// All cases, by number.
pub(crate) const CASES: [Case; 6] = [
    Case { policy: "fcfs", workload: STEADY },
    Case { policy: "easy", workload: STEADY },
    Case { policy: "easy-machine", workload: STEADY },
    Case { policy: "conservative", workload: STEADY },
    Case { policy: "conservative-replan", workload: STEADY },
    Case { policy: "seed-lab", workload: LAB },
];

const STEADY: &str = "28,000 jobs at a load of 0.75 on 128 processors";
const LAB: &str = "the seed lab's 4,000 jobs with a gap of 11.25 s on 128 nodes";

/// The jobs of a case, and the machines that they run on.
pub(crate) fn workload(case: Case) -> (FleetSpec, Vec<Job>) {
    if case.workload == LAB {
        let fleet = FleetSpec::uniform("lab", 128, Resources { cpus: 8, gpus: 2, memory_mib: 0 });
        return (fleet, seed_lab(4_000, 5, 11.25));
    }
    let poisson = Poisson { load: 0.75, ..Poisson::on(128) };
    (FleetSpec::processors(128), poisson.jobs(28_000, 1))
}

/// Replays a case.
pub(crate) fn run(case: Case, fleet: &FleetSpec, jobs: &[Job]) -> Run {
    let policy = Policy::named(case.policy).unwrap();
    replay(Arc::new(fleet.build().unwrap()), jobs, &policy, ReplayOptions::default()).unwrap()
}

/// One figure of the schedule, so that nobody can leave the work out and both sides can be compared: the sum of all starts in
/// microseconds, modulo 2^32.
pub(crate) fn checksum(run: &Run) -> u32 {
    run.spans.iter().fold(0, |sum, span| sum.wrapping_add(span.start.as_micros() as u32))
}
