//! What a replay returns.

use std::sync::Arc;

use switchyard_model::{JobId, Kept, Outcome, Resources, SimTime};

use crate::Reason;

/// A schedule: who ran when and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The policy's name.
    pub policy: Arc<str>,
    /// What the fleet has.
    pub capacity: Resources,
    /// What ran, in the order in which it started: one span for each attempt of a job.
    pub spans: Vec<Span>,
    /// The jobs that never could, each with the reason.
    pub never_started: Vec<(JobId, Reason)>,
}

/// A job's stretch on its nodes: the half-open interval from start to end.
///
/// A job that was requeued has several, with the same submission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// The job.
    pub job: JobId,
    /// Which attempt, from 1.
    pub attempt: u32,
    /// When the job was submitted.
    pub submit: SimTime,
    /// When this attempt could have started at the earliest: its submission, begin time, the end of what it depends on, or
    /// the end of its requeue delay.
    pub eligible: SimTime,
    /// When it started.
    pub start: SimTime,
    /// When it ended.
    pub end: SimTime,
    /// Where it ran.
    pub placement: Kept,
    /// Whether it passed another job.
    pub backfilled: bool,
    /// How it ended. Only the last attempt of a job ends with something else than [`Outcome::Preempted`] or
    /// [`Outcome::NodeFail`], if it ended at all.
    pub outcome: Outcome,
    /// When it was chosen to make room, if it was; from then to its end its nodes were locked by its grace time.
    pub preempted_at: Option<SimTime>,
}
