//! What a scheduling pass decides.

use switchyard_model::{JobId, NodeId, Placement, PreemptMode, SimDuration, SimTime};

use crate::Reason;

/// The outcome of one scheduling pass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The jobs to start now, in the order in which they were chosen.
    pub starts: Vec<Start>,
    /// The running jobs that have to make room, in the order in which they were chosen.
    pub preemptions: Vec<Preemption>,
    /// What is kept for jobs that have to wait, in queue order. Under EASY only the head has one.
    pub reservations: Vec<Reservation>,
    /// Why each other job stays in the queue, in queue order.
    pub waiting: Vec<Waiting>,
}

impl Plan {
    /// What is kept for the first job in the queue that has to wait.
    pub fn head_reservation(&self) -> Option<&Reservation> {
        self.reservations.first()
    }
}

/// A job to start now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Start {
    /// The job.
    pub job: JobId,
    /// Where.
    pub placement: Placement,
    /// Whether it passes a job that is ahead of it in the queue.
    pub backfilled: bool,
}

/// A running job that has to make room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preemption {
    /// The job that has to go.
    pub victim: JobId,
    /// The job that needs the room.
    pub by: JobId,
    /// What becomes of it.
    pub mode: PreemptMode,
    /// How long it may still run.
    pub grace: SimDuration,
}

/// A promise to a job that has to wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reservation {
    /// The job.
    pub job: JobId,
    /// When there is room for it if all jobs before it run to their time limits: for the head of the queue the shadow time.
    pub at: SimTime,
    /// Where it would run then. Empty where any nodes will do that are free then.
    pub nodes: Vec<NodeId>,
    /// The running jobs on those nodes that have to end first.
    pub waits_for: Vec<JobId>,
}

/// A job that stays in the queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The job.
    pub job: JobId,
    /// Why.
    pub reason: Reason,
    /// When it is expected to start, if all jobs run to their time limits and nothing else arrives. `None` when nothing in
    /// sight lets it start, or when it is too far back in the queue to tell.
    pub expected: Option<SimTime>,
}
