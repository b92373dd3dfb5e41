//! `switchyard replay`: a workload against a policy, as fast as it goes.

use std::sync::Arc;

use switchyard_scheduler::{
    Progress, ReplayOptions, Run, SlowdownRule, Summary, SummaryOptions, UtilisationOf,
};
use switchyard_workload::{Generator, ReadOptions, Recipe, Workload, scale_to};

use crate::args::{ReplayArgs, SlowdownArg};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::fleet::{Chosen, choose, described, processors};
use crate::open;
use crate::show::{self, progress::Bar, replay_json, replay_table, starts};

pub(crate) fn run(args: &ReplayArgs) -> Result<Exit, Failure> {
    let mut workload = load(args)?;
    let Chosen { fleet, derived } = choose(&args.machine, &workload)?;
    if derived {
        show::say(&format!("The fleet is derived from the workload: {}.", described(&fleet)));
    }
    if args.scale {
        let (scaled, report) = scale_to(&workload, &fleet);
        show::say(&format!("Fitted to {}: {report}", described(&fleet)));
        workload = scaled;
    }
    let fleet = Arc::new(fleet);
    let bar = Bar::new("jobs started", workload.jobs.len() as u64);
    let mut tell = |progress: Progress| bar.at(progress.started as u64);
    let options =
        ReplayOptions { overrun: args.overrun.rule(), progress: Some(&mut tell), ..ReplayOptions::default() };
    let run = switchyard_scheduler::replay(Arc::clone(&fleet), &workload.jobs, &args.policy, options)?;
    bar.clear();
    say_never_started(&run);
    if let Some(path) = &args.starts {
        starts::write(path, &workload, &run)?;
    }
    let summary = Summary::of(&run, definitions(args));
    let page = if args.json {
        replay_json::page(args, &workload, &fleet, &summary)
    } else {
        replay_table::page(args, &workload, &fleet, &summary)
    };
    show::result(&page)?;
    Ok(if run.spans.is_empty() { Exit::NoProgress } else { Exit::Ok })
}

fn load(args: &ReplayArgs) -> Result<Workload, Failure> {
    if let Some(recipe) = &args.generate {
        return Ok(recipe.generate(processors(&args.machine))?);
    }
    let Some(path) = &args.trace else { return Ok(Workload::new("nothing", Vec::new())) };
    let options = ReadOptions { format: None, columns: args.columns.clone() };
    let name = open::name_of(path);
    let (workload, report) = switchyard_workload::read(&name, &open::bytes_of(path)?, &options)?;
    show::say(&format!("{name}: {report}"));
    Ok(workload)
}

fn definitions(args: &ReplayArgs) -> SummaryOptions {
    let of_workload = match args.generate {
        Some(Recipe { generator: Generator::SeedLab | Generator::SeedLabV01, .. }) => SlowdownRule::SEED_LAB,
        _ => SlowdownRule::CLASSICAL,
    };
    let slowdown = args.slowdown.map_or(of_workload, SlowdownArg::rule);
    SummaryOptions { slowdown, utilisation: UtilisationOf::Cpus }
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
