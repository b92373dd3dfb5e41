//! What became of jobs, for those who wait for them.

use std::collections::{BTreeMap, BTreeSet};

use switchyard_model::{Dependency, DependencyKind, JobId, Outcome};

use super::{Cluster, Place};

/// How things stand with a dependency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Met {
    Yes,
    NotYet,
    Never,
}

/// What became of jobs.
#[derive(Clone, Debug, Default)]
pub(super) struct Past {
    ended: BTreeMap<JobId, Outcome>,
    /// Left the queue without running.
    cancelled: BTreeSet<JobId>,
    /// For how many waiting jobs it matters that this one starts.
    awaited: BTreeMap<JobId, u32>,
}

impl Past {
    pub(super) fn ended(&mut self, job: JobId, outcome: Outcome) {
        self.ended.insert(job, outcome);
    }

    pub(super) fn cancelled(&mut self, job: JobId) {
        self.cancelled.insert(job);
    }

    pub(super) fn outcome(&self, job: JobId) -> Option<Outcome> {
        self.ended.get(&job).copied()
    }

    pub(super) fn waits_for(&mut self, after: &[Dependency]) {
        for dependency in after.iter().filter(|dependency| dependency.kind == DependencyKind::After) {
            *self.awaited.entry(dependency.job).or_default() += 1;
        }
    }

    pub(super) fn no_longer_waits_for(&mut self, after: &[Dependency]) {
        for dependency in after.iter().filter(|dependency| dependency.kind == DependencyKind::After) {
            if let Some(count) = self.awaited.get_mut(&dependency.job) {
                *count -= 1;
                if *count == 0 {
                    self.awaited.remove(&dependency.job);
                }
            }
        }
    }
}

impl Cluster {
    /// Whether someone waits for `job` to start.
    pub(crate) fn is_awaited(&self, job: JobId) -> bool {
        self.past.awaited.contains_key(&job)
    }

    /// How things stand with a dependency. One on a job that nobody knows is not met: it may still come.
    pub(crate) fn met(&self, dependency: &Dependency) -> Met {
        let job = dependency.job;
        match self.places.get(&job) {
            Some(Place::Running { .. }) if dependency.kind == DependencyKind::After => return Met::Yes,
            Some(Place::Pending { .. }) if dependency.kind == DependencyKind::After => {
                // A job that was requeued has started before.
                let again = self.pending_job(job).is_some_and(|pending| pending.attempt > 1);
                return if again { Met::Yes } else { Met::NotYet };
            }
            Some(_) => return Met::NotYet,
            None => {}
        }
        let well = match self.past.outcome(job) {
            Some(outcome) => outcome == Outcome::Completed,
            None if self.past.cancelled.contains(&job) => false,
            None => return Met::NotYet,
        };
        let yes = match dependency.kind {
            DependencyKind::After | DependencyKind::AfterAny => true,
            DependencyKind::AfterOk => well,
            DependencyKind::AfterNotOk => !well,
        };
        if yes { Met::Yes } else { Met::Never }
    }
}
