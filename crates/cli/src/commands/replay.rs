//! `switchyard replay`: a workload against a policy, as fast as it goes.

use std::sync::Arc;

use switchyard_model::JobId;
use switchyard_scheduler::metrics::{Metrics, MetricsOptions};
use switchyard_scheduler::{Progress, Reason, ReplayOptions, Run, Summary, SummaryOptions, UtilisationOf};

use crate::args::ReplayArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::paths;
use crate::setting::{Setting, prepare};
use crate::show::{self, pictures, progress::Bar, replay_json, replay_table, starts};

/// What is shown.
pub(crate) struct Figures {
    pub(crate) summary: Summary,
    /// Where the fleet has GPUs.
    pub(crate) gpu_utilisation: Option<f64>,
    /// Where they are asked for.
    pub(crate) metrics: Option<Metrics>,
    /// The jobs that never started, each with the reason.
    pub(crate) never_started: Vec<(JobId, Reason)>,
}

pub(crate) fn run(args: &ReplayArgs) -> Result<Exit, Failure> {
    let outputs = [("--starts", &args.starts), ("--curves", &args.curves), ("--gantt", &args.gantt)];
    let outputs = outputs.map(|(option, path)| (option, path.as_deref()));
    paths::check(&paths::read_by(&args.input, &args.machine), &outputs)?;
    let setting = prepare(&args.input, &args.machine, &args.policy)?;
    let run = replay(args, &setting)?;
    say_never_started(&run);
    if let Some(path) = &args.starts {
        starts::write(path, &setting.workload, &run)?;
    }
    pictures::write(args, &setting, &run)?;
    let figures = figures(args, &setting, &run);
    let page = if args.json {
        replay_json::page(args, &setting, &figures)
    } else {
        replay_table::page(args, &setting, &figures)
    };
    show::result(&page)?;
    Ok(if run.spans.is_empty() { Exit::NoProgress } else { Exit::Ok })
}

fn replay(args: &ReplayArgs, setting: &Setting) -> Result<Run, Failure> {
    let bar = Bar::new("jobs started", setting.workload.jobs.len() as u64);
    let mut tell = |progress: Progress| bar.at(progress.started as u64);
    let options = ReplayOptions {
        overrun: args.input.overrun.rule(),
        site: Arc::clone(&setting.site),
        progress: Some(&mut tell),
    };
    let Setting { fleet, workload, policy, .. } = setting;
    let run = switchyard_scheduler::replay(Arc::clone(fleet), &workload.jobs, policy, options)?;
    bar.clear();
    Ok(run)
}

fn figures(args: &ReplayArgs, setting: &Setting, run: &Run) -> Figures {
    let slowdown = args.figures.slowdown.rule(args.input.generate.as_ref());
    let summary = |utilisation| Summary::of(run, SummaryOptions { slowdown, utilisation });
    let fleet = &setting.fleet;
    let metrics = || {
        let options = MetricsOptions { slowdown, horizon: args.figures.horizon.horizon(), size: None };
        Metrics::of(run, fleet, &setting.workload.jobs, options)
    };
    Figures {
        summary: summary(UtilisationOf::Cpus),
        gpu_utilisation: fleet.has_gpus().then(|| summary(UtilisationOf::Gpus).utilisation),
        metrics: args.figures.metrics.then(metrics),
        never_started: run.never_started.clone(),
    }
}

fn say_never_started(run: &Run) {
    let Some((job, reason)) = run.never_started.first() else { return };
    let count = run.never_started.len();
    let jobs = if count == 1 {
        "1 job never started".to_owned()
    } else {
        format!("{count} jobs never started, the first")
    };
    show::say(&format!("{jobs}: job {job}: {reason} {}", reason.evidence()));
}
