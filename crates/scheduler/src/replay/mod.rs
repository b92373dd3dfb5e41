//! A trace against a policy, as fast as the machine goes: no network, no consensus, no faults.
//!
//! At one instant all ends come first, then all submissions, then one scheduling pass (rule 1 of the reference rules); another
//! one if that pass freed nodes at once by preemption.

mod ahead;
mod driver;
mod overrun;
mod run;
mod snapshot;

use std::fmt;
use std::sync::Arc;

use switchyard_model::{Fleet, Job, JobId, SimTime, Site};
use thiserror::Error;

use crate::{ClusterError, Policy};

use driver::Driver;
pub use overrun::Overrun;
pub use run::{Run, Span};
pub use snapshot::Snapshot;

/// How to replay.
#[derive(Default)]
pub struct ReplayOptions<'a> {
    /// What becomes of a job that would run longer than its limit.
    pub overrun: Overrun,
    /// Partitions, limits, licences and so on.
    pub site: Arc<Site>,
    /// Is told now and then how far it is.
    pub progress: Option<&'a mut dyn FnMut(Progress)>,
}

impl fmt::Debug for ReplayOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReplayOptions").field("overrun", &self.overrun).finish_non_exhaustive()
    }
}

/// How far a replay is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Jobs that have started.
    pub started: usize,
    /// Jobs in all.
    pub jobs: usize,
}

/// Why a trace can't be replayed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReplayError {
    /// Two jobs have one number.
    #[error("job {job} appears twice in the workload; give each job its own number")]
    DuplicateJob {
        /// The number.
        job: JobId,
    },
    /// The scheduler chose what the cluster can't do.
    #[error("the policy \"{policy}\" made an impossible choice: {source}; please report this")]
    ImpossiblePlan {
        /// Its name.
        policy: Arc<str>,
        /// What was wrong with it.
        source: ClusterError,
    },
}

/// Runs `jobs` on `fleet` under `policy` until all that can run have ended.
///
/// # Errors
/// When two jobs have the same number.
pub fn replay(
    fleet: Arc<Fleet>,
    jobs: &[Job],
    policy: &Policy,
    options: ReplayOptions<'_>,
) -> Result<Run, ReplayError> {
    let mut driver = Driver::new(fleet, jobs, policy, options)?;
    while driver.advance(SimTime::MAX)? {}
    Ok(driver.finish())
}

/// Runs `jobs` on `fleet` under `policy` until everything that happens up to `at` has happened, and gives a reason for every job
/// that waits then. The schedule is the one of [`replay`].
///
/// # Errors
/// When two jobs have the same number.
pub fn replay_until(
    fleet: Arc<Fleet>,
    jobs: &[Job],
    policy: &Policy,
    options: ReplayOptions<'_>,
    at: SimTime,
) -> Result<Snapshot, ReplayError> {
    Snapshot::take(Driver::new(fleet, jobs, policy, options)?, at)
}

/// The same by the yardstick of each discipline that has one: by the letter of its rules, without any cleverness.
#[cfg(test)]
pub(crate) fn replay_plainly(
    fleet: Arc<Fleet>,
    jobs: &[Job],
    policy: &Policy,
    options: ReplayOptions<'_>,
) -> Result<Run, ReplayError> {
    let mut driver = Driver::new(fleet, jobs, policy, options)?;
    driver.scheduler.plan_plainly();
    while driver.advance(SimTime::MAX)? {}
    Ok(driver.finish())
}
