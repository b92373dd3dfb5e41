//! The terms on which a job may run, beyond how much it asks for: where, with what, after whom, at what price.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{JobId, SimTime};

/// What a job asks for beside resources and time. The default asks for nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Terms {
    /// The partition; `None` is the site's default one (Slurm: `--partition`).
    pub partition: Option<Arc<str>>,
    /// The name of its quality of service at the site (Slurm: `--qos`).
    pub qos: Option<Arc<str>>,
    /// Taken off the priority; negative raises it (Slurm: `--nice`).
    pub nice: i32,
    /// It is not to start before this moment (Slurm: `--begin`).
    pub begin: SimTime,
    /// All of these have to be met before it may start (Slurm: `--dependency`, joined by commas).
    pub after: Vec<Dependency>,
    /// The array that it is a task of (Slurm: `--array`).
    pub array: Option<ArrayTask>,
    /// Licences that it holds while it runs (Slurm: `--licenses`).
    pub licences: Vec<LicenceAsk>,
    /// It shares its nodes with nobody and gets all their processors (Slurm: `--exclusive`).
    pub exclusive: bool,
    /// Its nodes must have all of these (Slurm: `--constraint`, joined by `&`).
    pub features: Vec<Arc<str>>,
    /// Its GPUs must be of one of these models; empty means any (Slurm: `--gres=gpu:MODEL:N`).
    pub gpu_models: Vec<Arc<str>>,
    /// All its GPUs must share one NVSwitch domain.
    pub one_domain: bool,
    /// The advance reservation that it runs in (Slurm: `--reservation`).
    pub reservation: Option<Arc<str>>,
    /// It is cancelled instead of requeued when it has to make room (Slurm: `--no-requeue`).
    pub no_requeue: bool,
}

/// A job that comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dependency {
    /// The job.
    pub job: JobId,
    /// What has to have become of it.
    pub kind: DependencyKind,
}

/// What has to have become of the job before (Slurm's names).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DependencyKind {
    /// It has started.
    After,
    /// It has ended, however.
    AfterAny,
    /// It has ended well.
    AfterOk,
    /// It has ended badly.
    AfterNotOk,
}

/// A task of a job array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArrayTask {
    /// The array's number: that of its first task.
    pub array: JobId,
    /// The task's index.
    pub index: u32,
    /// At most so many tasks of the array run at once; 0 means any number (Slurm: `%N`).
    pub throttle: u32,
}

/// Some licences of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LicenceAsk {
    /// The kind.
    pub name: Arc<str>,
    /// How many.
    pub count: u32,
}
