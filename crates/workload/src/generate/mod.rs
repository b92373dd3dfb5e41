//! Workloads made by a program instead of recorded.
//!
//! Generators that reproduce published figures draw from the generator behind those figures ([`mersenne`]); all others
//! draw from the project's own streams.

mod lab;
mod mersenne;
mod yard;

use std::fmt;
use std::str::FromStr;

use switchyard_model::Job;
use thiserror::Error;

pub use lab::seed_lab_v01;
pub use yard::yard;

/// A generator of workloads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Generator {
    /// The published backfill experiment, `seed-lab-v01`: see [`seed_lab_v01`].
    SeedLabV01,
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
    pub const ALL: [Generator; 2] = [Generator::SeedLabV01, Generator::Yard];

    /// What people call it.
    pub const fn name(self) -> &'static str {
        match self {
            Generator::SeedLabV01 => "seed-lab-v01",
            Generator::Yard => "yard",
        }
    }

    /// The first `jobs` jobs with this `seed`.
    ///
    /// # Errors
    /// When they are more than [`JOBS_MAX`].
    pub fn generate(self, jobs: u32, seed: u64) -> Result<Vec<Job>, TooManyJobs> {
        if jobs > JOBS_MAX {
            return Err(TooManyJobs { jobs });
        }
        Ok(match self {
            Generator::SeedLabV01 => seed_lab_v01(jobs, seed),
            Generator::Yard => yard(jobs, seed),
        })
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
