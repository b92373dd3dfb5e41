//! The true runtime of a job, closed to everyone who schedules.
//!
//! A policy that reads how long a job will really run has perfect foresight, and its results are worthless. So the
//! field is private, and only an [`Oracle`], built by whoever drives (the replay loop, the node agents), opens it.
//! Reading it elsewhere does not compile:
//!
//! ```compile_fail
//! use switchyard_model::{SimDuration, Truth};
//! let truth = Truth::new(SimDuration::from_secs(60));
//! let leaked = truth.runtime; // private field
//! ```

use crate::SimDuration;

/// What will really happen when the job runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Truth {
    runtime: SimDuration,
    fails: bool,
}

impl Truth {
    /// A job that would run for `runtime` if nothing stopped it.
    pub const fn new(runtime: SimDuration) -> Self {
        Truth { runtime, fails: false }
    }

    /// A job that would end with an error after `runtime`.
    pub const fn failing(runtime: SimDuration) -> Self {
        Truth { runtime, fails: true }
    }
}

/// The right to open a [`Truth`]. Held by drivers, never handed to a policy.
#[derive(Clone, Debug)]
pub struct Oracle(());

impl Oracle {
    /// For drivers: the replay loop and the node agents.
    #[allow(clippy::new_without_default)] // a Default would let an oracle appear by accident
    pub const fn new() -> Self {
        Oracle(())
    }

    /// How long the job runs if nothing stops it.
    pub const fn runtime(&self, truth: &Truth) -> SimDuration {
        truth.runtime
    }

    /// Whether it then ends with an error.
    pub const fn fails(&self, truth: &Truth) -> bool {
        truth.fails
    }
}
