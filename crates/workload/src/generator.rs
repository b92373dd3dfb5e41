//! The generators by the names that people type.

use thiserror::Error;

use crate::generate::seed_lab_v01;
use crate::workload::Workload;

/// A program that makes workloads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Generator {
    /// The morning of the published backfill experiment.
    SeedLabV01,
}

/// Nobody called a generator that.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is no generator \"{name}\"; choose one of {}", Generator::NAMES.join(", "))]
pub struct UnknownGenerator {
    /// What was asked for.
    pub name: String,
}

impl Generator {
    /// The generators that have a name.
    pub const NAMES: [&str; 1] = ["seed-lab-v01"];

    /// The generator that people call `name`.
    ///
    /// # Errors
    /// When it is none of [`Generator::NAMES`].
    pub fn named(name: &str) -> Result<Generator, UnknownGenerator> {
        match name {
            "seed-lab-v01" => Ok(Generator::SeedLabV01),
            _ => Err(UnknownGenerator { name: name.to_owned() }),
        }
    }

    /// What people call it.
    pub const fn name(self) -> &'static str {
        match self {
            Generator::SeedLabV01 => "seed-lab-v01",
        }
    }

    /// Its first `jobs` jobs for this `seed`.
    pub fn workload(self, jobs: u32, seed: u64) -> Workload {
        let name = format!("{}:{jobs}:{seed}", self.name());
        match self {
            Generator::SeedLabV01 => Workload::new(&name, seed_lab_v01(jobs, seed)),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::fleet_for;
    use switchyard_model::Resources;

    #[test]
    fn every_name_names_a_generator() {
        for name in Generator::NAMES {
            assert_eq!(Generator::named(name).unwrap().name(), name);
        }
        let said = Generator::named("lublin").unwrap_err().to_string();
        assert_eq!(said, "there is no generator \"lublin\"; choose one of seed-lab-v01");
    }

    /// The published experiment has 16 nodes of 8 CPUs and 2 GPUs: what its jobs ask for at most.
    #[test]
    fn the_fleet_of_the_experiment_is_derived_from_its_jobs() {
        let fleet = fleet_for(&Generator::SeedLabV01.workload(300, 5)).build().unwrap();
        assert_eq!(
            (fleet.nodes().len(), fleet.nodes()[0].capacity),
            (16, Resources { cpus: 8, gpus: 2, memory_mib: 0 })
        );
    }
}
