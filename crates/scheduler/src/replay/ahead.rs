//! How a replay goes on as far as time limits tell: what a scheduler could promise at a moment.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use switchyard_model::{JobId, Outcome, SimDuration, SimTime};

use super::ReplayError;
use super::driver::Driver;

/// A job that runs past its limit is expected to end any moment: in this time.
const ANY_MOMENT: SimDuration = SimDuration::from_secs(1);

impl Driver<'_> {
    /// When each job that waits at `at` first starts if from then on all jobs run to their time limits and nobody else arrives.
    /// Whoever is not among them never does.
    pub(super) fn starts_by_limits(mut self, at: SimTime) -> Result<BTreeMap<JobId, SimTime>, ReplayError> {
        self.go_by_limits(at);
        let mut waiting: BTreeSet<JobId> = self.cluster.pending().map(|job| job.spec.id).collect();
        let mut starts = BTreeMap::new();
        let mut seen = self.spans.len();
        while !waiting.is_empty() && self.advance(SimTime::MAX)? {
            for span in self.spans.iter().skip(seen) {
                if waiting.remove(&span.job) {
                    starts.insert(span.job, span.start);
                }
            }
            seen = self.spans.len();
        }
        Ok(starts)
    }

    /// Replaces every true runtime by what the limits say, and forgets who is yet to come.
    fn go_by_limits(&mut self, at: SimTime) {
        self.scheduler.explain_no_more();
        self.jobs.truncate(self.submitted);
        for job in &mut self.jobs {
            (job.runtime, job.outcome) = (job.spec.limit, Outcome::Completed);
        }
        for (job, live) in &mut self.live {
            let expected = self.cluster.running_job(*job).map_or(at, |running| running.expected_end);
            live.end = if expected > at { expected } else { at + ANY_MOMENT };
            if let Some(span) = self.spans.get_mut(live.span).filter(|_| live.preempted.is_none()) {
                span.outcome = Outcome::Completed;
            }
        }
        self.ends = self.live.iter().map(|(job, live)| Reverse((live.end, *job))).collect();
    }
}
