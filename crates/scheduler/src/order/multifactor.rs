//! Multifactor priority: a weighted sum of what speaks for a job.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use switchyard_model::{SimDuration, SimTime};

use super::fairshare::classic;
use crate::{Cluster, Pending, Usage};

/// The parts of a multifactor priority.
///
/// P = age·A + fairshare·F + job_size·Z + qos·Q, each factor in [0, 1]:
/// - A: time in the queue over `max_age`, at most 1;
/// - F: the classic fair-share factor 2^(-U/S) of the job's account, with usage in CPU-seconds;
/// - Z: the job's CPUs over the fleet's;
/// - Q: the normalised priority of the job's quality of service.
///
/// Kept as a float and taken anew at every pass. Higher first; ties by arrival, then by number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Multifactor {
    /// What each factor counts.
    pub weights: Weights,
    /// When age stops to count more (Slurm: `PriorityMaxAge`).
    pub max_age: SimDuration,
    /// In how much time usage halves (Slurm: `PriorityDecayHalfLife`).
    pub half_life: SimDuration,
    /// When the driver charges an account.
    pub charge: Charge,
    /// Shares per account; an account that isn't listed has one.
    #[serde(default)]
    pub shares: BTreeMap<Arc<str>, u32>,
}

/// What each factor counts (Slurm: `PriorityWeight…`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Weights {
    /// For waiting.
    pub age: u32,
    /// For having used less than one's share.
    pub fairshare: u32,
    /// For being large.
    pub job_size: u32,
    /// For a better quality of service.
    pub qos: u32,
}

/// When an account is charged for a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Charge {
    /// The whole job as it starts, for as long as it is really going to run. This leaks the future into the priorities,
    /// and only a replay can do it; it is what the seed lab's first version did, and its figures need it.
    AtDispatch,
    /// As it ends, for as long as it ran.
    AtEnd,
}

/// What is the same for all jobs of a pass.
#[derive(Clone, Debug, Default)]
pub(super) struct Factors {
    fairshare: BTreeMap<Arc<str>, f64>,
    fleet_cpus: f64,
}

impl Factors {
    pub(super) fn new(multifactor: &Multifactor, usage: &Usage, cluster: &Cluster) -> Factors {
        Factors {
            fairshare: classic(&multifactor.shares, usage),
            fleet_cpus: f64::from(cluster.capacity().cpus),
        }
    }
}

impl Multifactor {
    pub(super) fn priority(&self, job: &Pending, factors: &Factors, now: SimTime) -> f64 {
        let fairshare = factors.fairshare.get(&job.spec.account).copied().unwrap_or(1.0);
        let waited = now.since(job.submitted).as_secs_f64();
        let age = if self.max_age.is_zero() { 1.0 } else { (waited / self.max_age.as_secs_f64()).min(1.0) };
        let size = (f64::from(job.request.total.cpus) / factors.fleet_cpus).min(1.0);
        f64::from(self.weights.age) * age
            + f64::from(self.weights.fairshare) * fairshare
            + f64::from(self.weights.job_size) * size
            + f64::from(self.weights.qos) * job.spec.qos.as_factor()
    }
}
