//! Other workloads made of one: a part of it, the same at another load, the same with submissions shaken a little.

mod load;
mod shake;
mod slice;

use std::sync::Arc;

use switchyard_model::{Job, SimDuration, SimTime};
use thiserror::Error;

use crate::workload::{SwfFields, Workload};

pub use load::LoadScale;
pub use shake::Shake;
pub use slice::Slice;

/// Why a workload can't be changed that way, or a text doesn't say how.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TransformError {
    /// Not a part.
    #[error(
        "a slice is FROM..TO, either jobs by their place (1000..2000) or times after the first submission (7d..14d, 0h..36h, 90m.., ..3600s); found \"{found}\""
    )]
    Slice {
        /// What stood there.
        found: String,
    },
    /// A part without jobs.
    #[error("{workload} has no job in the slice {slice}: its {jobs} jobs are submitted within {span}")]
    EmptySlice {
        /// The workload's name.
        workload: String,
        /// The slice.
        slice: String,
        /// How many jobs there are.
        jobs: u64,
        /// Over how long.
        span: SimDuration,
    },
    /// Not a load.
    #[error(
        "a load is a factor (1.2 for a fifth more) or a part of the machine in per cent (90%), above 0 and at most {LOAD_MAX} or {LOAD_MAX}00%; found \"{found}\""
    )]
    Load {
        /// What stood there.
        found: String,
    },
    /// Nothing to scale.
    #[error(
        "{workload} has no load that could be brought to {load}: all jobs are submitted at once, or need no time; give a factor"
    )]
    NoLoad {
        /// The workload's name.
        workload: String,
        /// What was asked for.
        load: String,
    },
    /// Not a shake.
    #[error("a shake is SECONDS or SECONDS:SEED, as in 300:7; found \"{found}\"")]
    Shake {
        /// What stood there.
        found: String,
    },
}

/// More is a mistake.
const LOAD_MAX: u32 = 1_000;

/// The workload with the jobs at these places, in this order, and whatever else it says about them.
fn pick(workload: &mut Workload, places: &[usize]) {
    let known = workload.history.len() == workload.jobs.len();
    let history = if known {
        places.iter().filter_map(|&at| workload.history.get(at).copied()).collect()
    } else {
        Vec::new()
    };
    if let Some(rest) = &mut workload.swf {
        let known = rest.fields.len() == workload.jobs.len();
        let fields = places.iter().filter_map(|&at| rest.fields.get(at).copied());
        let fields: Vec<SwfFields> = if known { fields.collect() } else { Vec::new() };
        rest.fields = fields;
    }
    let jobs: Vec<Job> = places.iter().filter_map(|&at| workload.jobs.get(at).cloned()).collect();
    workload.jobs = jobs;
    workload.history = history;
}

/// Gives each job another submission, puts them in order, and counts from the first. What the trace says about waits holds no
/// longer.
fn resubmit(workload: &mut Workload, mut at: impl FnMut(&Job) -> SimTime) {
    let submits: Vec<SimTime> = workload.jobs.iter().map(&mut at).collect();
    let mut places: Vec<usize> = (0..submits.len()).collect();
    places.sort_by_key(|&place| submits.get(place)); // stable: the old order decides among equals
    pick(workload, &places);
    for (job, place) in workload.jobs.iter_mut().zip(&places) {
        let Some(&submit) = submits.get(*place) else { continue };
        if submit != job.spec.submit {
            Arc::make_mut(&mut job.spec).submit = submit;
        }
    }
    workload.history.iter_mut().for_each(|recorded| recorded.wait = None);
    rebase(workload);
}

/// Counts time from the first submission again.
fn rebase(workload: &mut Workload) {
    let Some(first) = workload.jobs.first().map(|job| job.spec.submit) else { return };
    let later = first.since(SimTime::ZERO);
    if later.is_zero() {
        return;
    }
    workload.origin += later;
    for job in &mut workload.jobs {
        let spec = Arc::make_mut(&mut job.spec);
        spec.submit = SimTime::ZERO + spec.submit.since(first);
        spec.terms.begin = SimTime::ZERO + spec.terms.begin.since(first);
    }
}
