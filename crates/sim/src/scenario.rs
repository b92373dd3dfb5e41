//! What a run is made of, as a file says it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use switchyard_model::{FleetError, FleetSpec, SimTime};
use switchyard_scheduler::Policy;
use switchyard_workload::generate::{TooManyJobs, UnknownGenerator};
use thiserror::Error;

use crate::command::{Intervention, Refusal};
use crate::policies::{Policies, PolicyProblem};
use crate::timing::Timing;

/// The version of the scenario format that this library reads and writes.
pub const SCENARIO_VERSION: u32 = 1;

/// A scenario file (JSON).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// The format's version: [`SCENARIO_VERSION`].
    pub version: u32,
    /// What people call it.
    pub name: Arc<str>,
    /// The seed of all chance.
    pub seed: u64,
    /// The machines; without, they are derived from the workload.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fleet: Option<FleetSpec>,
    /// The jobs.
    pub workload: WorkloadSource,
    /// The name of the scheduling policy that the run begins with: one of [`Policy::NAMES`], or of the scenario's own.
    pub policy: Arc<str>,
    /// Policies of the scenario's own, beside the published ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub policies: Vec<Policy>,
    /// How many replicas the control plane has.
    #[serde(default = "five")]
    pub replicas: u32,
    /// Durations that differ from the usual ones.
    #[serde(default)]
    pub timing: Timing,
    /// What is done to the world, and when.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub interventions: Vec<Intervention>,
}

/// Where jobs come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum WorkloadSource {
    /// A generator of this project.
    Generate {
        /// Its name.
        name: Arc<str>,
        /// How many jobs.
        jobs: u32,
        /// Its own seed; two runs with different seeds can share a workload.
        seed: u64,
    },
    /// A trace file, relative to the scenario file.
    Trace {
        /// Its path.
        file: Arc<str>,
    },
}

const fn five() -> u32 {
    5
}

/// Why a scenario can't be run, in one sentence.
#[derive(Debug, Error)]
pub enum ScenarioError {
    /// Not the JSON that was expected.
    #[error("scenario, line {line}, column {column}: {problem}")]
    Syntax {
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// What the reader says.
        problem: String,
    },
    /// Written for another version.
    #[error("scenario: version is {found}; this program reads version {SCENARIO_VERSION}")]
    Version {
        /// What stood there.
        found: u32,
    },
    /// No such policy, or one that can't be had in a world like this.
    #[error("scenario: {0}")]
    Policy(#[from] PolicyProblem),
    /// No such generator.
    #[error("scenario: {0}")]
    Generator(#[from] UnknownGenerator),
    /// Too many jobs.
    #[error("scenario: {0}")]
    Jobs(#[from] TooManyJobs),
    /// It names a trace, and nobody read it.
    #[error("scenario: workload is the trace \"{file}\", which was not read")]
    NoTrace {
        /// Its path.
        file: Arc<str>,
    },
    /// The fleet makes no sense.
    #[error("scenario: {0}")]
    Fleet(#[from] FleetError),
    /// Too few or too many replicas.
    #[error("scenario: replicas is {found}; a control plane has 1, 3, 5 or 7")]
    Replicas {
        /// What stood there.
        found: u32,
    },
    /// An intervention names what is not there.
    #[error("scenario: the intervention at {at}: {refusal}")]
    Intervention {
        /// When it was to be.
        at: SimTime,
        /// What is wrong with it.
        refusal: Refusal,
    },
    /// A duration makes no sense.
    #[error("scenario: {0}")]
    Timing(&'static str),
}

impl Scenario {
    /// Reads a scenario file.
    ///
    /// # Errors
    /// When it is not JSON of this version's shape; unknown keys are errors.
    pub fn from_json(text: &str) -> Result<Scenario, ScenarioError> {
        let scenario: Scenario = serde_json::from_str(text).map_err(|error| {
            let said = error.to_string();
            let problem = said.split(" at line ").next().unwrap_or(&said).to_owned();
            ScenarioError::Syntax { line: error.line(), column: error.column(), problem }
        })?;
        if scenario.version != SCENARIO_VERSION {
            return Err(ScenarioError::Version { found: scenario.version });
        }
        Ok(scenario)
    }

    /// The first screen: the yard with its own workload.
    pub fn yard(seed: u64) -> Scenario {
        Scenario {
            version: SCENARIO_VERSION,
            name: "The yard".into(),
            seed,
            fleet: Some(FleetSpec::yard()),
            workload: WorkloadSource::Generate { name: "yard".into(), jobs: 2_000, seed },
            policy: "easy-machine".into(),
            policies: Vec::new(),
            replicas: five(),
            timing: Timing::default(),
            interventions: Vec::new(),
        }
    }

    /// Its policies, after everything else was found sensible.
    pub(crate) fn check(&self) -> Result<Policies, ScenarioError> {
        if !matches!(self.replicas, 1 | 3 | 5 | 7) {
            return Err(ScenarioError::Replicas { found: self.replicas });
        }
        if let Some(problem) = self.timing.problem() {
            return Err(ScenarioError::Timing(problem));
        }
        Ok(Policies::new(&self.policies, &self.policy)?)
    }
}
