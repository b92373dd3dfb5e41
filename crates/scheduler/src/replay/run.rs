//! What a replay returns.

use std::sync::Arc;

use switchyard_model::{JobId, Outcome, Placement, Resources, SimTime};

use crate::Reason;

/// A schedule: who ran when and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The policy's name.
    pub policy: Arc<str>,
    /// What the fleet has.
    pub capacity: Resources,
    /// The jobs that ran, in the order in which they started.
    pub spans: Vec<Span>,
    /// The jobs that never could, each with the reason.
    pub never_started: Vec<(JobId, Reason)>,
}

/// A job's stretch on its nodes: the half-open interval from start to end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// The job.
    pub job: JobId,
    /// When it was submitted.
    pub submit: SimTime,
    /// When it started.
    pub start: SimTime,
    /// When it ended.
    pub end: SimTime,
    /// Where it ran.
    pub placement: Placement,
    /// Whether it passed another job.
    pub backfilled: bool,
    /// How it ended.
    pub outcome: Outcome,
}
