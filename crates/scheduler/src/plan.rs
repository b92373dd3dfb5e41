//! What a scheduling pass decides.

use switchyard_model::{JobId, NodeId, Placement, SimTime};

use crate::Reason;

/// The outcome of one scheduling pass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The jobs to start now, in the order in which they were chosen.
    pub starts: Vec<Start>,
    /// What is kept for the first job in the queue that had to wait.
    pub reservation: Option<Reservation>,
    /// Why each other job stays in the queue, in queue order.
    pub waiting: Vec<(JobId, Reason)>,
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

/// A promise to the first job in the queue that doesn't fit yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reservation {
    /// The job.
    pub job: JobId,
    /// The shadow time: when there is room for it if all jobs before it run to their time limits.
    pub at: SimTime,
    /// Where it would run then.
    pub nodes: Vec<NodeId>,
    /// The running jobs on those nodes that have to end first.
    pub waits_for: Vec<JobId>,
}
