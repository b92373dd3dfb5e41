//! What each job asked for, by number, and what it would have used.

use std::collections::BTreeMap;

use switchyard_model::{Job, JobId, JobSpec, Oracle, SimDuration};

/// The jobs of a workload by number.
///
/// The true runtimes are opened here, after the schedule is made, to say what was demanded; no policy sees this.
pub(super) struct Specs<'a> {
    by_id: BTreeMap<JobId, &'a Job>,
}

impl<'a> Specs<'a> {
    pub(super) fn of(jobs: &'a [Job]) -> Specs<'a> {
        Specs { by_id: jobs.iter().map(|job| (job.spec.id, job)).collect() }
    }

    pub(super) fn len(&self) -> u64 {
        self.by_id.len() as u64
    }

    pub(super) fn get(&self, job: JobId) -> Option<&'a JobSpec> {
        self.by_id.get(&job).map(|job| &*job.spec)
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &'a JobSpec> {
        self.by_id.values().map(|job| &*job.spec)
    }

    /// How long the job runs if it is let: to its end or its time limit.
    pub(super) fn runtime(&self, job: JobId) -> SimDuration {
        let runtime = |job: &&Job| Oracle::new().runtime(&job.truth).min(job.spec.limit);
        self.by_id.get(&job).map(runtime).unwrap_or_default()
    }
}
