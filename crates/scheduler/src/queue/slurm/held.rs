//! The jobs that may not start before a certain moment, and when the next of them wakes up.

use std::collections::{BTreeMap, BTreeSet};

use switchyard_model::{JobId, SimTime};

#[derive(Clone, Debug, Default)]
pub(super) struct Held {
    by_time: BTreeSet<(SimTime, JobId)>,
    until: BTreeMap<JobId, SimTime>,
}

impl Held {
    pub(super) fn insert(&mut self, job: JobId, until: SimTime) {
        self.remove(job);
        self.by_time.insert((until, job));
        self.until.insert(job, until);
    }

    pub(super) fn remove(&mut self, job: JobId) {
        if let Some(until) = self.until.remove(&job) {
            self.by_time.remove(&(until, job));
        }
    }

    /// Lets go whose time has come. Whether there was anyone.
    pub(super) fn release(&mut self, now: SimTime) -> bool {
        let before = self.until.len();
        while let Some(&(until, job)) = self.by_time.first().filter(|(until, _)| *until <= now) {
            self.by_time.remove(&(until, job));
            self.until.remove(&job);
        }
        self.until.len() < before
    }

    /// When the next one wakes up after `now`.
    pub(super) fn next_after(&self, now: SimTime) -> Option<SimTime> {
        self.by_time.iter().map(|(until, _)| *until).find(|until| *until > now)
    }

    pub(super) fn len(&self) -> usize {
        self.until.len()
    }
}
