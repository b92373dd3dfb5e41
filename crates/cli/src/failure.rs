//! Everything that can go wrong, each with its sentence and its exit code.

use std::io;
use std::path::PathBuf;

use switchyard_model::FleetError;
use switchyard_scheduler::ReplayError;
use switchyard_sim::ScenarioError;
use switchyard_workload::generate::TooManyJobs;
use switchyard_workload::{InflateError, ReadError};
use thiserror::Error;

use crate::exit::Exit;

#[derive(Debug, Error)]
pub(crate) enum Failure {
    #[error("can't read {}: {source}", .path.display())]
    Open { path: PathBuf, source: io::Error },
    #[error("can't write {}: {source}", .path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("can't write the result: {0}")]
    Result(#[from] io::Error),
    #[error(transparent)]
    Trace(#[from] ReadError),
    #[error("{file}: {source}")]
    Scenario { file: String, source: ScenarioError },
    #[error(transparent)]
    Jobs(#[from] TooManyJobs),
    #[error(transparent)]
    Demand(#[from] InflateError),
    #[error(transparent)]
    Fleet(#[from] FleetError),
    #[error(transparent)]
    Replay(#[from] ReplayError),
}

impl Failure {
    pub(crate) const fn exit(&self) -> Exit {
        match self {
            Failure::Open { .. } | Failure::Trace(_) | Failure::Scenario { .. } => Exit::Input,
            Failure::Write { .. } | Failure::Result(_) => Exit::Output,
            Failure::Fleet(_) | Failure::Jobs(_) | Failure::Demand(_) => Exit::Usage,
            Failure::Replay(ReplayError::DuplicateJob { .. }) => Exit::Input,
            Failure::Replay(ReplayError::ImpossiblePlan { .. }) => Exit::Violation,
        }
    }
}
