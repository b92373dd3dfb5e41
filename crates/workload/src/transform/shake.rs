//! The same jobs with their submissions shaken: a result that holds for one trace alone doesn't hold when each job comes a little
//! earlier or later.
//!
//! After an idea of Tsafrir, Ouaknine and Feitelson, "Reducing Performance Evaluation Sensitivity and Variability by Input
//! Shaking" (2007). The rule is this program's own: each job in its turn is moved by a time that is uniform between `-by` and
//! `by`, but not before the first submission; sizes, runtimes and limits stay.

use std::fmt;
use std::str::FromStr;

use switchyard_model::{SimDuration, SimTime, stream};

use super::{TransformError, resubmit};
use crate::generate::draw::uniform;
use crate::workload::Workload;

/// How to shake. Written and read as `SECONDS:SEED`; without the seed it is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shake {
    /// A job is moved by at most this.
    pub by: SimDuration,
    /// The seed of the draws.
    pub seed: u64,
}

impl Shake {
    /// Moves the jobs.
    pub fn apply(&self, workload: &mut Workload) {
        let mut chance = stream(self.seed, "workload shake");
        let by = self.by.as_secs_f64();
        resubmit(workload, |job| {
            let moved = job.spec.submit.as_secs_f64() + by * (2.0 * uniform(&mut chance) - 1.0);
            SimTime::ZERO + SimDuration::from_secs_f64(moved.max(0.0)).unwrap_or(SimDuration::MAX)
        });
    }
}

impl FromStr for Shake {
    type Err = TransformError;

    fn from_str(text: &str) -> Result<Self, TransformError> {
        let wrong = || TransformError::Shake { found: text.to_owned() };
        let (secs, seed) = text.split_once(':').unwrap_or((text, "0"));
        let by = secs.parse().ok().and_then(SimDuration::from_secs_f64).ok_or_else(wrong)?;
        Ok(Shake { by, seed: seed.parse().map_err(|_| wrong())? })
    }
}

impl fmt::Display for Shake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.by.as_secs_f64(), self.seed)
    }
}
