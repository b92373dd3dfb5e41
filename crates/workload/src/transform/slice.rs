//! A part of a workload: some jobs by their place, or those that are submitted within some time.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use switchyard_model::{SimDuration, SimTime};

use super::{TransformError, pick, rebase};
use crate::workload::Workload;

/// Which part. Written and read as `FROM..TO`: `1000..2000` are jobs by their place from 0, `7d..14d` those that are submitted
/// within the second week. The end is not part of it; either may be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slice {
    /// Jobs by their place.
    Jobs {
        /// The first.
        from: u64,
        /// The one after the last; `u64::MAX` is all.
        to: u64,
    },
    /// Jobs by their submission, counted from the first.
    Time {
        /// The earliest.
        from: SimDuration,
        /// After the latest; [`SimDuration::MAX`] is all.
        to: SimDuration,
    },
}

impl Slice {
    /// Keeps these jobs. Dependencies on jobs that are not among them count as met.
    ///
    /// # Errors
    /// When there are none.
    pub fn apply(&self, workload: &mut Workload) -> Result<(), TransformError> {
        let jobs = workload.jobs.iter().enumerate();
        let inside = jobs.filter(|(place, job)| match *self {
            Slice::Jobs { from, to } => (from..to).contains(&(*place as u64)),
            Slice::Time { from, to } => {
                let at = job.spec.submit.since(SimTime::ZERO);
                from <= at && at < to
            }
        });
        let places: Vec<usize> = inside.map(|(place, _)| place).collect();
        if places.is_empty() {
            let last = workload.jobs.last().map_or(SimTime::ZERO, |job| job.spec.submit);
            return Err(TransformError::EmptySlice {
                workload: workload.name.to_string(),
                slice: self.to_string(),
                jobs: workload.jobs.len() as u64,
                span: last.since(SimTime::ZERO),
            });
        }
        if places.len() < workload.jobs.len() {
            pick(workload, &places);
            drop_dependencies(workload);
        }
        rebase(workload);
        Ok(())
    }
}

fn drop_dependencies(workload: &mut Workload) {
    if workload.jobs.iter().all(|job| job.spec.terms.after.is_empty()) {
        return;
    }
    let mut known: Vec<_> = workload.jobs.iter().map(|job| job.spec.id).collect();
    known.sort_unstable();
    for job in &mut workload.jobs {
        if job.spec.terms.after.iter().any(|before| known.binary_search(&before.job).is_err()) {
            let after = &mut Arc::make_mut(&mut job.spec).terms.after;
            after.retain(|before| known.binary_search(&before.job).is_ok());
        }
    }
}

/// `90m` in microseconds.
fn time(text: &str) -> Option<SimDuration> {
    let unit = match text.chars().last()? {
        's' => 1,
        'm' => 60,
        'h' => 3_600,
        'd' => 86_400,
        _ => return None,
    };
    let number: f64 = text.get(..text.len() - 1)?.parse().ok()?;
    SimDuration::from_secs_f64(number * f64::from(unit))
}

impl FromStr for Slice {
    type Err = TransformError;

    fn from_str(text: &str) -> Result<Self, TransformError> {
        let wrong = || TransformError::Slice { found: text.to_owned() };
        let (from, to) = text.split_once("..").ok_or_else(wrong)?;
        let number = |text: &str, none: u64| if text.is_empty() { Some(none) } else { text.parse().ok() };
        let moment = |text: &str, none| if text.is_empty() { Some(none) } else { time(text) };
        let slice = match (number(from, 0), number(to, u64::MAX)) {
            (Some(from), Some(to)) => Some(Slice::Jobs { from, to }),
            _ => match (moment(from, SimDuration::ZERO), moment(to, SimDuration::MAX)) {
                (Some(from), Some(to)) => Some(Slice::Time { from, to }),
                _ => None,
            },
        };
        slice.filter(|slice| !slice.is_empty()).ok_or_else(wrong)
    }
}

impl Slice {
    fn is_empty(&self) -> bool {
        match self {
            Slice::Jobs { from, to } => from >= to,
            Slice::Time { from, to } => from >= to,
        }
    }
}

impl fmt::Display for Slice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Slice::Jobs { from, to: u64::MAX } => write!(f, "{from}.."),
            Slice::Jobs { from, to } => write!(f, "{from}..{to}"),
            Slice::Time { from, to: SimDuration::MAX } => write!(f, "{}s..", from.as_secs_f64()),
            Slice::Time { from, to } => write!(f, "{}s..{}s", from.as_secs_f64(), to.as_secs_f64()),
        }
    }
}
