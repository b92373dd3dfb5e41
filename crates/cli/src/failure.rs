//! Everything that can go wrong, each with its sentence and its exit code.

use std::io;
use std::path::PathBuf;

use switchyard_model::{FleetError, FleetSpec, JobId};
use switchyard_scheduler::{PartError, PreemptError, ReplayError, SettingError, UnknownPolicy};
use switchyard_sim::ScenarioError;
use switchyard_workload::generate::TooManyJobs;
use switchyard_workload::slurm_conf::{SlurmConfError, Spot};
use switchyard_workload::{FleetYamlError, InflateError, LimitModelError, ReadError, TransformError};
use thiserror::Error;

use crate::exit::Exit;
use crate::experiment::error::ExperimentError;
use crate::site_check::SiteProblem;
use crate::sweep::error::TableError;

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
    Json { file: String, source: serde_json::Error },
    #[error(transparent)]
    FleetYaml(#[from] FleetYamlError),
    #[error(transparent)]
    SlurmConf(#[from] SlurmConfError),
    #[error("{at}: {source}")]
    SlurmSetting { at: Spot, source: SettingError },
    #[error("{file}: {source}")]
    SlurmConfPolicy { file: String, source: SettingError },
    #[error("{site}: {source}")]
    Rights { site: String, source: PreemptError },
    #[error(
        "there is no fleet \"{}\"; choose one of {}, or a file with a fleet in JSON",
        .name.display(), FleetSpec::NAMES.join(", ")
    )]
    NoFleet { name: PathBuf },
    #[error(transparent)]
    Policy(#[from] UnknownPolicy),
    #[error(transparent)]
    Part(#[from] PartError),
    #[error(transparent)]
    Setting(#[from] SettingError),
    #[error("{option} would write over {}, which is read; give another file", .path.display())]
    WritesInput { option: &'static str, path: PathBuf },
    #[error("{option} would write over what {other} writes to {}; give another file", .path.display())]
    WritesTwice { option: &'static str, other: &'static str, path: PathBuf },
    #[error("{site}: {source}")]
    Site { site: String, source: SiteProblem },
    #[error("the parameter {key} is given twice; give it once")]
    RepeatedParameter { key: String },
    #[error("there is no job {job} in {workload}; its jobs are {first} to {last}")]
    NoJob { job: JobId, workload: String, first: JobId, last: JobId },
    #[error("{given} s is before the first submission, which is at {first} s; --at +SECS counts from there")]
    TooEarly { given: String, first: String },
    #[error("{file}: {source}")]
    Scenario { file: String, source: ScenarioError },
    #[error(transparent)]
    Jobs(#[from] TooManyJobs),
    #[error(transparent)]
    Transform(#[from] TransformError),
    #[error(transparent)]
    Demand(#[from] InflateError),
    #[error(transparent)]
    Fleet(#[from] FleetError),
    #[error(
        "{workload}: the machines that its jobs ask for are no fleet: {source}; correct the trace, or give a fleet, for example with --procs"
    )]
    Derived { workload: String, source: FleetError },
    #[error(transparent)]
    Replay(#[from] ReplayError),
    #[error(transparent)]
    Limits(#[from] LimitModelError),
    #[error(transparent)]
    Experiment(#[from] ExperimentError),
    #[error(transparent)]
    Table(#[from] TableError),
}

impl Failure {
    pub(crate) const fn exit(&self) -> Exit {
        match self {
            Failure::Open { .. }
            | Failure::Trace(_)
            | Failure::Scenario { .. }
            | Failure::Json { .. }
            | Failure::SlurmConf(_)
            | Failure::FleetYaml(_)
            | Failure::Derived { .. }
            | Failure::SlurmSetting { .. }
            | Failure::SlurmConfPolicy { .. }
            | Failure::Site { .. }
            | Failure::Rights { .. } => Exit::Input,
            Failure::Table(TableError::Foreign { .. } | TableError::Locked { .. }) => Exit::Output,
            Failure::Table(_) => Exit::Input,
            Failure::Write { .. } | Failure::Result(_) => Exit::Output,
            Failure::Fleet(_)
            | Failure::Jobs(_)
            | Failure::Demand(_)
            | Failure::Transform(_)
            | Failure::NoFleet { .. }
            | Failure::Policy(_)
            | Failure::Part(_)
            | Failure::Setting(_)
            | Failure::Limits(_)
            | Failure::Experiment(_)
            | Failure::WritesInput { .. }
            | Failure::WritesTwice { .. }
            | Failure::RepeatedParameter { .. }
            | Failure::NoJob { .. }
            | Failure::TooEarly { .. } => Exit::Usage,
            Failure::Replay(ReplayError::DuplicateJob { .. }) => Exit::Input,
            Failure::Replay(ReplayError::ImpossiblePlan { .. }) => Exit::Violation,
        }
    }
}
