//! A replay stopped at one moment, for those who ask why.

use switchyard_model::{JobId, SimTime};

use super::driver::Driver;
use super::{ReplayError, Span};
use crate::{Cluster, Plan, PriorityBreakdown, Scheduler};

/// What is known at a moment: nothing in it depends on how long running jobs are going to run.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The moment.
    pub at: SimTime,
    /// When the last scheduling pass was; `None` if there was none yet.
    pub pass_at: Option<SimTime>,
    /// The machines and the jobs, after that pass.
    pub cluster: Cluster,
    /// What that pass decided. Its starts have happened. When others are expected to start is not what the pass could tell, but
    /// what comes of this very moment if all jobs run to their time limits and nobody else arrives: exact for every policy.
    pub plan: Plan,
    /// The attempts that have ended, in the order in which they started.
    pub ended: Vec<Span>,
    scheduler: Scheduler,
}

impl Snapshot {
    /// Runs until everything that happens up to `at` has happened.
    pub(super) fn take(mut driver: Driver<'_>, at: SimTime) -> Result<Snapshot, ReplayError> {
        driver.explain();
        while driver.advance(at)? {}
        let (pass_at, mut plan) =
            driver.last.take().map_or((None, Plan::default()), |(pass_at, plan)| (Some(pass_at), plan));
        let (scheduler, cluster) = (driver.scheduler.clone(), driver.cluster.clone());
        // The span of an attempt that still runs knows the future.
        let ended = driver.spans.iter().filter(|span| span.end <= at).cloned().collect();
        let starts = driver.starts_by_limits(at)?;
        for waiting in &mut plan.waiting {
            waiting.expected = starts.get(&waiting.job).copied();
        }
        Ok(Snapshot { at, pass_at, cluster, plan, ended, scheduler })
    }

    /// Why a waiting job has its priority, where the policy orders by priority.
    pub fn priority_of(&self, job: JobId) -> Option<PriorityBreakdown> {
        self.scheduler.priority_of(&self.cluster, job, self.pass_at?)
    }

    /// The jobs that were ahead of this one in the queue and wait, too, in order; `None` if it doesn't wait.
    pub fn ahead_of(&self, job: JobId) -> Option<Vec<JobId>> {
        let place = self.plan.waiting.iter().position(|waiting| waiting.job == job)?;
        Some(self.plan.waiting.iter().take(place).map(|waiting| waiting.job).collect())
    }
}
