//! The same jobs at another load: they come faster or slower, everything else stays.

use std::fmt;
use std::str::FromStr;

use switchyard_model::{Oracle, SimDuration, SimTime};

use super::{LOAD_MAX, TransformError, resubmit};
use crate::workload::Workload;

/// How fast jobs come. Written and read as a factor, `1.2`, or as the part of the machine that is asked for, `90%`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LoadScale {
    /// So many times the load: gaps between submissions are divided by it.
    Times(f64),
    /// So that this part of the processors is asked for between the first submission and the last, in per cent.
    Percent(f64),
}

impl LoadScale {
    /// Brings the workload to this load, on a machine of `procs` processors.
    ///
    /// # Errors
    /// When it has no load that could be scaled.
    pub fn apply(&self, workload: &mut Workload, procs: u32) -> Result<(), TransformError> {
        let factor = match *self {
            LoadScale::Times(factor) => factor,
            LoadScale::Percent(percent) => {
                let now = load(workload, procs);
                let none =
                    || TransformError::NoLoad { workload: workload.name.to_string(), load: self.to_string() };
                percent / 100.0 / now.filter(|&now| now > 0.0).ok_or_else(none)?
            }
        };
        resubmit(workload, |job| {
            let later = job.spec.submit.as_secs_f64() / factor;
            SimTime::ZERO + SimDuration::from_secs_f64(later).unwrap_or(SimDuration::MAX)
        });
        Ok(())
    }
}

/// The sum of processor time over processors times the span of submissions.
fn load(workload: &Workload, procs: u32) -> Option<f64> {
    let oracle = Oracle::new();
    let asked: f64 = workload
        .jobs
        .iter()
        .map(|job| f64::from(job.spec.shape.total().cpus) * oracle.runtime(&job.truth).as_secs_f64())
        .sum();
    let span = workload.jobs.last()?.spec.submit.as_secs_f64() * f64::from(procs);
    (span > 0.0).then(|| asked / span)
}

impl FromStr for LoadScale {
    type Err = TransformError;

    fn from_str(text: &str) -> Result<Self, TransformError> {
        let wrong = || TransformError::Load { found: text.to_owned() };
        let number = |text: &str, most: f64| {
            text.parse().ok().filter(|&number: &f64| number > 0.0 && number <= most).ok_or_else(wrong)
        };
        match text.strip_suffix('%') {
            Some(percent) => number(percent, f64::from(LOAD_MAX) * 100.0).map(LoadScale::Percent),
            None => number(text, f64::from(LOAD_MAX)).map(LoadScale::Times),
        }
    }
}

impl fmt::Display for LoadScale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoadScale::Times(factor) => write!(f, "{factor}"),
            LoadScale::Percent(percent) => write!(f, "{percent}%"),
        }
    }
}
