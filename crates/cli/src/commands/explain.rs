//! `switchyard explain`: a workload up to one moment, and why a job waits, runs or has ended then.

use std::sync::Arc;

use switchyard_model::{Job, JobId, SimTime};
use switchyard_scheduler::{Progress, ReplayOptions, Snapshot, replay_until};

use crate::args::{ExplainArgs, Point};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::setting::{Setting, prepare};
use crate::show::{self, explanation, explanation_json, progress::Bar};

/// What is told.
pub(crate) struct Explanation<'a> {
    pub(crate) setting: &'a Setting,
    pub(crate) job: &'a Job,
    pub(crate) snapshot: &'a Snapshot,
}

pub(crate) fn run(args: &ExplainArgs) -> Result<Exit, Failure> {
    let setting = prepare(&args.input, &args.machine, &args.policy)?;
    let at = moment(args.at, setting.workload.origin)?;
    let job = find(&setting, JobId(args.job))?;
    let snapshot = stop_at(args, &setting, at)?;
    let explanation = Explanation { setting: &setting, job, snapshot: &snapshot };
    show::result(&if args.json {
        explanation_json::page(&explanation)
    } else {
        explanation::page(&explanation)
    })?;
    Ok(Exit::Ok)
}

/// In the run's own time, which begins with the first submission.
fn moment(point: Point, origin: SimTime) -> Result<SimTime, Failure> {
    match point {
        Point::AfterFirst(at) => Ok(at),
        Point::OfTrace(at) if at < origin => {
            Err(Failure::TooEarly { given: show::seconds(at), first: show::seconds(origin) })
        }
        Point::OfTrace(at) => Ok(SimTime::ZERO + at.since(origin)),
    }
}

fn find(setting: &Setting, id: JobId) -> Result<&Job, Failure> {
    let jobs = &setting.workload.jobs;
    if let Some(job) = jobs.iter().find(|job| job.spec.id == id) {
        return Ok(job);
    }
    let ids = || jobs.iter().map(|job| job.spec.id);
    let (first, last) = (ids().min().unwrap_or(id), ids().max().unwrap_or(id));
    Err(Failure::NoJob { job: id, workload: setting.workload.name.to_string(), first, last })
}

fn stop_at(args: &ExplainArgs, setting: &Setting, at: SimTime) -> Result<Snapshot, Failure> {
    let bar = Bar::new("jobs started", setting.workload.jobs.len() as u64);
    let mut tell = |progress: Progress| bar.at(progress.started as u64);
    let options = ReplayOptions {
        overrun: args.input.overrun.rule(),
        site: Arc::clone(&setting.site),
        progress: Some(&mut tell),
    };
    let Setting { fleet, workload, policy, .. } = setting;
    let snapshot = replay_until(Arc::clone(fleet), &workload.jobs, policy, options, at)?;
    bar.clear();
    Ok(snapshot)
}
