//! How a replay goes on as far as time limits tell: what a scheduler could promise at a moment.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use switchyard_model::{JobId, Outcome, SimDuration, SimTime};

use super::driver::{Driver, Live};
use super::overrun::Planned;
use super::{ReplayError, ReplayOptions};

/// A job that runs past its limit is expected to end any moment: in this time.
const ANY_MOMENT: SimDuration = SimDuration::from_secs(1);

impl Driver<'_> {
    /// When each job that waits at `at` first starts if from then on all jobs run to their time limits and nobody else arrives.
    /// Whoever is not among them never does.
    pub(super) fn starts_by_limits(&self, at: SimTime) -> Result<BTreeMap<JobId, SimTime>, ReplayError> {
        let mut waiting: BTreeSet<JobId> = self.cluster.pending().map(|job| job.spec.id).collect();
        let mut ahead = self.by_limits(at);
        let mut starts = BTreeMap::new();
        let mut seen = ahead.spans.len();
        while !waiting.is_empty() && ahead.advance(SimTime::MAX)? {
            for span in ahead.spans.iter().skip(seen) {
                if waiting.remove(&span.job) {
                    starts.insert(span.job, span.start);
                }
            }
            seen = ahead.spans.len();
        }
        Ok(starts)
    }

    /// This moment with every true runtime replaced by what the limits say.
    fn by_limits(&self, at: SimTime) -> Driver<'static> {
        let to_its_limit = |job: &Planned| Planned {
            spec: Arc::clone(&job.spec),
            runtime: job.spec.limit,
            outcome: Outcome::Completed,
        };
        let mut spans = self.spans.clone();
        let mut live = BTreeMap::new();
        for job in self.cluster.running() {
            let Some(now) = self.live.get(&job.spec.id) else { continue };
            let end = if job.expected_end > at { job.expected_end } else { at + ANY_MOMENT };
            if let Some(span) = spans.get_mut(now.span) {
                span.end = end;
                span.outcome = if now.preempted.is_some() { span.outcome } else { Outcome::Completed };
            }
            live.insert(job.spec.id, Live { end, ..*now });
        }
        let mut scheduler = self.scheduler.clone();
        scheduler.explain_no_more();
        Driver {
            options: ReplayOptions {
                overrun: self.options.overrun,
                site: Arc::clone(&self.options.site),
                progress: None,
            },
            cluster: self.cluster.clone(),
            scheduler,
            jobs: self.jobs.iter().take(self.submitted).map(to_its_limit).collect(),
            index: self.index.clone(),
            submitted: self.submitted,
            started: self.started,
            ends: live.iter().map(|(job, live)| Reverse((live.end, *job))).collect(),
            live,
            spans,
            waited_for: self.waited_for.clone(),
            turns: self.turns.clone(),
            last: None,
            now: self.now,
            stirred: self.stirred,
        }
    }
}
