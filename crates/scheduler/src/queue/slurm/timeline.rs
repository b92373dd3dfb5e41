//! What a backfill cycle plans on: who holds which node until when, and which nodes are kept for whom.

use switchyard_model::{NodeId, Placement, SimDuration, SimTime};

use super::PlanOn;
use crate::cluster::Pending;
use crate::pass::Pass;

/// When and where a job could start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Slot {
    pub(super) at: SimTime,
    /// The nodes, by number.
    pub(super) nodes: Vec<NodeId>,
}

/// The plan of one cycle.
///
/// Running jobs hold what they hold until start plus limit exactly. A job that waits keeps whole nodes, even if it needs only a
/// part of them, from and to multiples of the resolution.
pub(super) trait Timeline {
    /// Starts over from the nodes as they are now: running jobs, and what this pass has started.
    fn begin(&mut self, pass: &Pass<'_>);

    /// The earliest time between two at which there are enough nodes for the whole time that the job asks for.
    fn earliest(&mut self, job: &Pending, from: SimTime, until: SimTime, on: PlanOn) -> Option<Slot>;

    /// Whether a node is free for the job from now on for as long as it asks, but for advance reservations.
    fn is_open(&self, job: &Pending, node: NodeId) -> bool;

    /// Keeps whole nodes from `from` to `to`.
    fn reserve(&mut self, nodes: &[NodeId], from: SimTime, to: SimTime);

    /// A job starts now: it holds what it got until `until`.
    fn hold(&mut self, placement: &Placement, until: SimTime);

    /// Whether it became harder to start now since this was last asked.
    fn tightened(&mut self) -> bool;

    /// How long a job can be at most if it starts now.
    fn longest(&self) -> SimDuration;

    /// Whether enough nodes may be free for the job from now on for as long as it asks.
    fn could_start(&self, job: &Pending) -> bool;

    /// Until when a cycle of the same outcome is the rule, as long as nothing happens, if this one started nobody.
    fn stands_until(&self) -> SimTime {
        SimTime::MAX
    }
}

impl PlanOn {
    /// From when to when the nodes of a job are kept that is planned for `at`: on multiples of `grain`.
    pub(super) fn stretch(self, job: &Pending, at: SimTime, grain: SimDuration) -> (SimTime, SimTime) {
        let (from, to) = (floor(at, grain), at + stay(job));
        match self {
            PlanOn::WillRun => (from, floor(to, grain).max(from + grain)),
            PlanOn::FirstFree | PlanOn::Lowest => (from, ceil(to, grain)),
        }
    }
}

/// How long a job stays, as far as its limit tells: a moment at least.
pub(super) fn stay(job: &Pending) -> SimDuration {
    job.spec.limit.max(SimDuration::from_micros(1))
}

/// Down to a multiple of `grain`.
pub(super) fn floor(time: SimTime, grain: SimDuration) -> SimTime {
    SimTime::from_micros(time.as_micros() - time.as_micros() % grain.as_micros().max(1))
}

/// Up to a multiple of `grain`.
pub(super) fn ceil(time: SimTime, grain: SimDuration) -> SimTime {
    let below = floor(time, grain);
    if below == time { time } else { below + grain }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reservations_are_rounded_outwards() {
        let grain = SimDuration::from_secs(60);
        let micros = SimTime::from_micros;
        assert_eq!(floor(micros(119_999_999), grain), micros(60_000_000));
        assert_eq!(floor(micros(120_000_000), grain), micros(120_000_000));
        assert_eq!(ceil(micros(60_000_001), grain), micros(120_000_000));
        assert_eq!(ceil(micros(60_000_000), grain), micros(60_000_000));
        assert_eq!(ceil(SimTime::ZERO, grain), SimTime::ZERO);
    }
}
