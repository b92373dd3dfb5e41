//! A job as its user describes it, and how jobs end.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{JobId, Resources, SimDuration, SimTime, Terms, Truth};

/// A factor in thousandths, 0 to 1000.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PerMille(pub u16);

impl PerMille {
    /// As a factor in [0, 1].
    pub fn as_factor(self) -> f64 {
        f64::from(self.0.min(1000)) / 1000.0
    }
}

/// How a job's resources are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Shape {
    /// `nodes` distinct nodes, each giving `per_node` (Slurm: `--nodes`, `--gpus-per-node`).
    Nodes {
        /// Number of distinct nodes.
        nodes: u32,
        /// What each of them gives.
        per_node: Resources,
    },
    /// `tasks` pieces wherever there is room, several on a node if they fit (Slurm: `--ntasks`).
    Tasks {
        /// Number of pieces.
        tasks: u32,
        /// What each piece needs.
        per_task: Resources,
    },
}

impl Shape {
    /// The sum over the whole job.
    pub const fn total(&self) -> Resources {
        match self {
            Shape::Nodes { nodes, per_node } => per_node.scaled(*nodes),
            Shape::Tasks { tasks, per_task } => per_task.scaled(*tasks),
        }
    }

    /// Nodes or tasks, and what each needs.
    pub const fn parts(&self) -> (u32, &Resources) {
        match self {
            Shape::Nodes { nodes, per_node } => (*nodes, per_node),
            Shape::Tasks { tasks, per_task } => (*tasks, per_task),
        }
    }
}

/// What a user tells the scheduler about a job; all that a policy may know of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobSpec {
    /// The job's number.
    pub id: JobId,
    /// Who submitted it.
    pub user: Arc<str>,
    /// The account that pays.
    pub account: Arc<str>,
    /// When it is submitted.
    pub submit: SimTime,
    /// The time limit: how long it asks to run at most.
    pub limit: SimDuration,
    /// What it runs on.
    pub shape: Shape,
    /// The normalised priority of its quality of service.
    #[serde(default)]
    pub qos: PerMille,
    /// Everything else that it asks for; most jobs ask for nothing else.
    #[serde(default)]
    pub terms: Terms,
}

impl JobSpec {
    /// A job of nobody in particular, without further terms.
    pub fn new(id: JobId, submit: SimTime, limit: SimDuration, shape: Shape) -> JobSpec {
        JobSpec {
            id,
            user: "".into(),
            account: "".into(),
            submit,
            limit,
            shape,
            qos: PerMille(0),
            terms: Terms::default(),
        }
    }
}

/// A job together with what really happens when it runs.
#[derive(Clone, Debug)]
pub struct Job {
    /// What the scheduler sees.
    pub spec: Arc<JobSpec>,
    /// What only the driver can open.
    pub truth: Truth,
}

/// How a run of a job ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It ran to its end.
    Completed,
    /// It was stopped at its time limit.
    TimeLimit,
    /// It ended with an error of its own.
    Failed,
    /// A node under it was lost.
    NodeFail,
    /// It had to make room for another job.
    Preempted,
}
