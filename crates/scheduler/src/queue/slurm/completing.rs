//! Nodes whose jobs have ended, and that Slurm's next pass finds free only a moment later.

use std::collections::BTreeMap;

use switchyard_model::{JobId, Placement, SimDuration, SimTime};

use crate::pass::Pass;

/// What a job that ended still holds.
#[derive(Clone, Debug)]
pub(super) struct Held {
    /// Until the pass that finds it free.
    pub(super) until: SimTime,
    /// The end that its limit allowed it: that is when a plan still expects it to go.
    pub(super) limit: SimTime,
    pub(super) placement: Placement,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Completing {
    running: BTreeMap<JobId, (SimTime, Placement)>,
    /// In the order of time.
    held: Vec<Held>,
}

impl Completing {
    /// Takes notice of who started and who ended. Whether something is free now that wasn't before.
    pub(super) fn note_changes(&mut self, pass: &Pass<'_>, lasts: SimDuration) -> bool {
        if lasts.is_zero() {
            return false;
        }
        for &job in &pass.changes.started {
            if let Some(running) = pass.cluster.running_job(job) {
                self.running.insert(job, (running.expected_end, running.placement.clone()));
            }
        }
        for job in &pass.changes.ended {
            if let Some((limit, placement)) = self.running.remove(job) {
                self.held.push(Held { until: pass.now + lasts, limit, placement });
            }
        }
        let free = self.held.partition_point(|held| held.until <= pass.now);
        self.held.drain(..free);
        free > 0
    }

    /// Takes what is held out of the room of this pass.
    pub(super) fn hold(&self, pass: &mut Pass<'_>) {
        for held in &self.held {
            let available = |node| pass.cluster.node(node).is_some_and(|state| state.available);
            let up = held.placement.0.iter().filter(|share| available(share.node)).copied().collect();
            pass.room.take(&Placement(up));
        }
    }

    /// When the next node is free.
    pub(super) fn next(&self) -> Option<SimTime> {
        self.held.first().map(|held| held.until)
    }

    pub(super) fn held(&self) -> &[Held] {
        &self.held
    }
}
