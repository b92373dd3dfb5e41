//! Workloads made by a program instead of recorded.
//!
//! Generators that reproduce published figures draw from the generator behind those figures ([`mersenne`]); all others
//! draw from the project's own streams.

pub(crate) mod draw;
mod k8s_lab;
mod lublin;
pub(crate) mod mersenne;
mod poisson;
mod recipe;
mod seed_lab;
mod yard;

use std::fmt;
use std::str::FromStr;

use switchyard_model::FleetSpec;
use thiserror::Error;

pub use k8s_lab::{K8S_LAB_GAP_SECS, K8S_LAB_LIGHT_GAP_SECS, K8sJob, k8s_jobs, k8s_lab};
pub use lublin::{LublinJobs, lublin};
pub use poisson::Poisson;
pub use recipe::{Pace, Recipe, RecipeError};
pub use seed_lab::{SEED_LAB_GAP_SECS, seed_lab, seed_lab_v01};
pub use yard::yard;

/// A generator of workloads. A [`Recipe`] says how many jobs it shall make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Generator {
    /// The published backfill experiment, `seed-lab`: see [`seed_lab`].
    SeedLab,
    /// Its first version, `seed-lab-v01`: see [`seed_lab_v01`].
    SeedLabV01,
    /// The published comparison of Kubernetes schedulers, `k8s-lab`: see [`k8s_lab`].
    K8sLab,
    /// The same with fewer jobs in an hour, `k8s-lab-light`.
    K8sLabLight,
    /// A steady load for measurements, `poisson`: see [`Poisson`].
    Poisson,
    /// The Lublin-Feitelson model, `lublin`: see [`lublin`].
    Lublin,
    /// Its batch jobs alone, `lublin-batch`.
    LublinBatch,
    /// Its interactive jobs alone, `lublin-interactive`.
    LublinInteractive,
    /// Its jobs without types, `lublin-typeless`.
    LublinTypeless,
    /// The first screen, `yard`: see [`yard`].
    Yard,
}

/// The most jobs that a generator makes at once: more would not fit into the memory of a laptop.
pub const JOBS_MAX: u32 = 5_000_000;

/// More jobs than [`JOBS_MAX`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{jobs} jobs are too many; up to {JOBS_MAX} can be generated")]
pub struct TooManyJobs {
    /// What was asked for.
    pub jobs: u32,
}

/// Nobody called a generator that.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is no generator \"{name}\"; choose one of {}", Generator::ALL.map(Generator::name).join(", "))]
pub struct UnknownGenerator {
    /// What was asked for.
    pub name: String,
}

impl Generator {
    /// All of them.
    pub const ALL: [Generator; 10] = [
        Generator::SeedLab,
        Generator::SeedLabV01,
        Generator::K8sLab,
        Generator::K8sLabLight,
        Generator::Poisson,
        Generator::Lublin,
        Generator::LublinBatch,
        Generator::LublinInteractive,
        Generator::LublinTypeless,
        Generator::Yard,
    ];

    /// What people call it.
    pub const fn name(self) -> &'static str {
        match self {
            Generator::SeedLab => "seed-lab",
            Generator::SeedLabV01 => "seed-lab-v01",
            Generator::K8sLab => "k8s-lab",
            Generator::K8sLabLight => "k8s-lab-light",
            Generator::Poisson => "poisson",
            Generator::Lublin => "lublin",
            Generator::LublinBatch => "lublin-batch",
            Generator::LublinInteractive => "lublin-interactive",
            Generator::LublinTypeless => "lublin-typeless",
            Generator::Yard => "yard",
        }
    }

    /// The model's jobs, if it is one of Lublin and Feitelson's.
    const fn lublin(self) -> Option<LublinJobs> {
        match self {
            Generator::Lublin => Some(LublinJobs::Both),
            Generator::LublinBatch => Some(LublinJobs::Batch),
            Generator::LublinInteractive => Some(LublinJobs::Interactive),
            Generator::LublinTypeless => Some(LublinJobs::Typeless),
            _ => None,
        }
    }

    /// The processors of the machine that its jobs are made for where none is known; `None` if they come with their own.
    const fn usual_procs(self) -> Option<u32> {
        match self {
            Generator::Poisson => Some(Poisson::PROCS),
            _ if self.lublin().is_some() => Some(lublin::LUBLIN_PROCS),
            _ => None,
        }
    }

    /// The machines that its jobs are made for; `None` if they fit any.
    pub fn fleet(self) -> Option<FleetSpec> {
        match self {
            Generator::SeedLab | Generator::SeedLabV01 => Some(FleetSpec::seed_lab()),
            Generator::K8sLab | Generator::K8sLabLight => Some(FleetSpec::k8s_lab()),
            Generator::Yard => Some(FleetSpec::yard()),
            Generator::Poisson
            | Generator::Lublin
            | Generator::LublinBatch
            | Generator::LublinInteractive
            | Generator::LublinTypeless => None,
        }
    }
}

impl FromStr for Generator {
    type Err = UnknownGenerator;

    fn from_str(name: &str) -> Result<Self, UnknownGenerator> {
        let known = Generator::ALL.into_iter().find(|generator| generator.name() == name);
        known.ok_or_else(|| UnknownGenerator { name: name.to_owned() })
    }
}

impl fmt::Display for Generator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
