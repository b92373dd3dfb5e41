//! A trace against a policy, as fast as the machine goes: no network, no consensus, no faults.
//!
//! At one instant all ends come first, then all submissions, then one scheduling pass (rule 1 of the reference rules).

mod overrun;
mod run;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::fmt;
use std::sync::Arc;

use switchyard_model::{Fleet, Job, JobId, SimTime};
use thiserror::Error;

use crate::{Charge, Cluster, ClusterError, Policy, Scheduler, Start};

pub use overrun::Overrun;
use overrun::Planned;
pub use run::{Run, Span};

/// How to replay.
#[derive(Default)]
pub struct ReplayOptions<'a> {
    /// What becomes of a job that would run longer than its limit.
    pub overrun: Overrun,
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

/// After so many starts the progress is told.
const STARTS_PER_REPORT: usize = 256;

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
    while let Some(now) = driver.next_instant() {
        driver.end_jobs(now)?;
        driver.submit_jobs(now)?;
        driver.start_jobs(now)?;
    }
    Ok(driver.finish())
}

struct Driver<'a> {
    options: ReplayOptions<'a>,
    cluster: Cluster,
    scheduler: Scheduler,
    /// By submit time, ties by number.
    jobs: Vec<Planned>,
    /// Places in `jobs`.
    index: BTreeMap<JobId, usize>,
    submitted: usize,
    ends: BinaryHeap<Reverse<(SimTime, JobId)>>,
    spans: Vec<Span>,
}

impl<'a> Driver<'a> {
    fn new(
        fleet: Arc<Fleet>,
        jobs: &[Job],
        policy: &Policy,
        options: ReplayOptions<'a>,
    ) -> Result<Self, ReplayError> {
        let mut jobs: Vec<Planned> = jobs.iter().map(|job| options.overrun.plan(job)).collect();
        jobs.sort_by_key(|job| (job.spec.submit, job.spec.id));
        let mut index = BTreeMap::new();
        for (place, job) in jobs.iter().enumerate() {
            if index.insert(job.spec.id, place).is_some() {
                return Err(ReplayError::DuplicateJob { job: job.spec.id });
            }
        }
        let mut cluster = Cluster::new(fleet);
        if let Some(half_life) = policy.half_life() {
            cluster.set_half_life(half_life, SimTime::ZERO);
        }
        Ok(Driver {
            options,
            cluster,
            scheduler: Scheduler::without_reasons(policy.clone()),
            spans: Vec::with_capacity(jobs.len()),
            jobs,
            index,
            submitted: 0,
            ends: BinaryHeap::new(),
        })
    }

    const fn policy(&self) -> &Policy {
        self.scheduler.policy()
    }

    fn next_instant(&self) -> Option<SimTime> {
        let submit = self.jobs.get(self.submitted).map(|job| job.spec.submit);
        let end = self.ends.peek().map(|&Reverse((end, _))| end);
        match (submit, end) {
            (Some(submit), Some(end)) => Some(submit.min(end)),
            (submit, end) => submit.or(end),
        }
    }

    fn end_jobs(&mut self, now: SimTime) -> Result<(), ReplayError> {
        while let Some(&Reverse((end, job))) = self.ends.peek() {
            if end > now {
                break;
            }
            self.ends.pop();
            let ended = self.cluster.finish(job).map_err(|source| self.impossible(source))?;
            if self.policy().charge() == Some(Charge::AtEnd) {
                let cpu_seconds =
                    f64::from(ended.placement.total().cpus) * now.since(ended.start).as_secs_f64();
                self.cluster.charge(&ended.spec.account, cpu_seconds, now);
            }
        }
        Ok(())
    }

    fn submit_jobs(&mut self, now: SimTime) -> Result<(), ReplayError> {
        while let Some(job) = self.jobs.get(self.submitted).filter(|job| job.spec.submit <= now) {
            let spec = Arc::clone(&job.spec);
            self.cluster.submit(spec, now).map_err(|source| self.impossible(source))?;
            self.submitted += 1;
        }
        Ok(())
    }

    fn start_jobs(&mut self, now: SimTime) -> Result<(), ReplayError> {
        for start in self.scheduler.plan(&self.cluster, now).starts {
            self.start(start, now)?;
        }
        Ok(())
    }

    fn start(&mut self, start: Start, now: SimTime) -> Result<(), ReplayError> {
        let Start { job, placement, backfilled } = start;
        let Some(planned) = self.index.get(&job).and_then(|&place| self.jobs.get(place)) else {
            return Err(self.impossible(ClusterError::NotPending { job }));
        };
        self.cluster.start(job, placement.clone(), now).map_err(|source| self.impossible(source))?;
        if self.policy().charge() == Some(Charge::AtDispatch) {
            let cpu_seconds = f64::from(placement.total().cpus) * planned.runtime.as_secs_f64();
            self.cluster.charge(&planned.spec.account, cpu_seconds, now);
        }
        let end = now + planned.runtime;
        self.ends.push(Reverse((end, job)));
        let (submit, outcome) = (planned.spec.submit, planned.outcome);
        self.spans.push(Span {
            job,
            attempt: 1,
            submit,
            eligible: submit,
            start: now,
            end,
            placement,
            backfilled,
            outcome,
            preempted_at: None,
        });
        if self.spans.len().is_multiple_of(STARTS_PER_REPORT) || self.spans.len() == self.jobs.len() {
            self.report();
        }
        Ok(())
    }

    fn report(&mut self) {
        let progress = Progress { started: self.spans.len(), jobs: self.jobs.len() };
        if let Some(tell) = &mut self.options.progress {
            tell(progress);
        }
    }

    fn impossible(&self, source: ClusterError) -> ReplayError {
        ReplayError::ImpossiblePlan { policy: Arc::clone(&self.policy().name), source }
    }

    fn finish(self) -> Run {
        let last = self.spans.iter().map(|span| span.end).max().unwrap_or_default();
        let never_started = Scheduler::new(self.policy().clone()).plan(&self.cluster, last).waiting;
        Run {
            policy: Arc::clone(&self.policy().name),
            capacity: self.cluster.capacity(),
            spans: self.spans,
            never_started,
        }
    }
}
