//! What a cluster is told of the time before it was watched, by a driver that comes later than the jobs.

use std::sync::Arc;

use switchyard_model::{JobId, JobSpec, Outcome, SimTime};

use super::{Cluster, ClusterError};

impl Cluster {
    /// A job ended before this cluster was watched. Others may depend on it.
    pub fn remember(&mut self, job: JobId, outcome: Outcome) {
        self.past.ended(job, outcome);
    }

    /// Puts a job into the queue that has started `attempts` times before this cluster was watched.
    ///
    /// # Errors
    /// When a live job has the same number.
    pub fn resubmit(
        &mut self,
        spec: Arc<JobSpec>,
        submitted: SimTime,
        attempts: u32,
    ) -> Result<(), ClusterError> {
        if self.places.contains_key(&spec.id) {
            return Err(ClusterError::Duplicate { job: spec.id });
        }
        let not_before = if attempts == 0 { spec.terms.begin } else { SimTime::ZERO };
        self.enqueue(self.site.with_limit(spec), submitted, not_before, attempts + 1);
        Ok(())
    }
}
