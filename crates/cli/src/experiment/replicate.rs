//! Workloads of one kind: the same recipe with several seeds, or parts of one trace.

use std::fmt;

use switchyard_workload::{Recipe, Workload};

use super::error::ExperimentError;
use crate::args_experiment::ReplicateArgs;
use crate::args_input::InputArgs;
use crate::failure::Failure;

/// One of the workloads of an experiment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Replicate {
    /// Generated.
    Seed(Recipe),
    /// Some of a trace's jobs: which part, counted from 1, of how many, and the places of its jobs.
    Slice { index: u32, of: u32, from: u64, to: u64 },
    /// The whole trace.
    Whole,
}

impl Replicate {
    /// Of generated ones.
    pub(crate) const fn seed(&self) -> Option<u64> {
        if let Replicate::Seed(recipe) = self { Some(recipe.seed) } else { None }
    }

    /// Which part of a trace.
    pub(crate) const fn slice(&self) -> Option<u32> {
        if let Replicate::Slice { index, .. } = self { Some(*index) } else { None }
    }

    /// The part of a trace, as `2/10`.
    pub(crate) fn part(&self) -> Option<String> {
        if let Replicate::Slice { index, of, .. } = self { Some(format!("{index}/{of}")) } else { None }
    }
}

impl fmt::Display for Replicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Replicate::Seed(recipe) => write!(f, "seed {}", recipe.seed),
            Replicate::Slice { index, of, .. } => write!(f, "slice {index}/{of}"),
            Replicate::Whole => f.write_str("the whole trace"),
        }
    }
}

/// Those that the options ask for; [`cut`] tells where slices begin and end.
pub(super) fn all(input: &InputArgs, args: &ReplicateArgs) -> Vec<Replicate> {
    match (&input.generate, &args.seeds, args.slices) {
        (Some(recipe), Some(seeds), _) => {
            seeds.0.iter().map(|&seed| Replicate::Seed(Recipe { seed, ..*recipe })).collect()
        }
        (Some(recipe), None, _) => vec![Replicate::Seed(*recipe)],
        (None, _, Some(of)) => (1..=of).map(|index| Replicate::Slice { index, of, from: 0, to: 0 }).collect(),
        (None, _, None) => vec![Replicate::Whole],
    }
}

/// The slices with their ends: as equal in their numbers of jobs as can be.
pub(super) fn cut(replicates: Vec<Replicate>, trace: Option<&Workload>) -> Result<Vec<Replicate>, Failure> {
    let jobs = trace.map_or(0, |trace| trace.jobs.len());
    let ends = |replicate| match replicate {
        Replicate::Slice { of, .. } if of as usize > jobs => {
            Err(ExperimentError::Slices { slices: of, jobs }.into())
        }
        Replicate::Slice { index, of, .. } => {
            let end = |index: u32| u64::from(index) * jobs as u64 / u64::from(of);
            Ok(Replicate::Slice { index, of, from: end(index - 1), to: end(index) })
        }
        other => Ok(other),
    };
    replicates.into_iter().map(ends).collect()
}
