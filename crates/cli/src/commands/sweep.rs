//! `switchyard sweep`: all combinations of parameters on many workloads, one row for each run.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::args_experiment::SweepArgs;
use crate::exit::Exit;
use crate::experiment::cell::Cell;
use crate::experiment::trial::Wanted;
use crate::experiment::{Experiment, pool};
use crate::failure::Failure;
use crate::paths;
use crate::setting::Ground;
use crate::show;
use crate::show::progress::Runs;
use crate::sweep::plan::{self, Plan};
use crate::sweep::store::{Expected, Store};
use crate::sweep::{submit, table};

pub(crate) fn run(args: &SweepArgs) -> Result<Exit, Failure> {
    paths::check(&paths::read_by(&args.input, &args.machine), &[("--output", args.output.as_deref())])?;
    if args.spread.submit.is_some() {
        submit::check(args)?;
    }
    let ground = Ground::read(&args.machine)?;
    let points = plan::points(args, &ground)?;
    let experiment =
        Experiment::prepare(ground, &args.input, &args.machine, &args.replicates, &args.slowdown)?;
    let plan = Plan::new(&experiment, &args.vary, &points, args.metrics);
    if let Some(submit) = args.spread.submit {
        show::result(&submit::page(args, submit, &plan))?;
        return Ok(Exit::Ok);
    }
    let cells: Vec<Cell> = points.iter().map(|point| point.cell.clone()).collect();
    experiment.say_rights(&cells)?;
    match file(args) {
        Some(path) => to_file(args, &experiment, &plan, &path)?,
        None => to_standard_output(args, &experiment, &plan)?,
    }
    Ok(Exit::Ok)
}

fn file(args: &SweepArgs) -> Option<PathBuf> {
    args.output.clone().filter(|path| path.as_os_str() != "-")
}

/// The columns; a shard says in the last one which it is.
fn header(args: &SweepArgs, plan: &Plan<'_>) -> String {
    let header = plan.header();
    if args.spread.shard.is_some() { format!("{header},{}", table::SHARD) } else { header }
}

/// Whether a run is to be done here.
fn holds(args: &SweepArgs, run: usize) -> bool {
    args.spread.shard.is_none_or(|shard| shard.holds(run))
}

fn to_file(
    args: &SweepArgs,
    experiment: &Experiment<'_>,
    plan: &Plan<'_>,
    path: &std::path::Path,
) -> Result<(), Failure> {
    let expected = Expected {
        header: &header(args, plan),
        experiment: &plan.digest,
        runs: plan.runs(),
        holds: &|run| holds(args, run),
    };
    let mut store = Store::open(path, &expected)?;
    let before = store.len();
    let tasks: Vec<usize> = (0..plan.runs()).filter(|&run| holds(args, run) && !store.has(run)).collect();
    run_all(args, experiment, plan, &tasks, |run, row| store.add(run, row))?;
    let known = if before > 0 { format!(", {before} of them kept") } else { String::new() };
    let runs = if store.len() == 1 { "1 run".to_owned() } else { format!("{} runs", store.len()) };
    show::say(&format!("{}: {runs}{known}.", path.display()));
    store.finish()
}

fn to_standard_output(args: &SweepArgs, experiment: &Experiment<'_>, plan: &Plan<'_>) -> Result<(), Failure> {
    let tasks: Vec<usize> = (0..plan.runs()).filter(|&run| holds(args, run)).collect();
    let mut rows = BTreeMap::new();
    run_all(args, experiment, plan, &tasks, |run, row| {
        rows.insert(run, row);
        Ok(())
    })?;
    show::result(table::page(&header(args, plan), rows.values()).trim_end_matches('\n'))
}

fn run_all(
    args: &SweepArgs,
    experiment: &Experiment<'_>,
    plan: &Plan<'_>,
    tasks: &[usize],
    mut done: impl FnMut(usize, String) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut runs = Runs::new(tasks.len());
    let wanted = Wanted { metrics: args.metrics, curves: false };
    let work = |run: usize| {
        let Some((point, replicate)) = plan.run(run) else { return Ok(String::new()) };
        let row = plan.row(run, &experiment.run(&point.cell, replicate, wanted)?);
        Ok(match args.spread.shard {
            Some(shard) => format!("{row},{shard}"),
            None => row,
        })
    };
    pool::each(args.replicates.threads(), tasks, work, |run, row| {
        runs.tick();
        done(run, row)
    })?;
    runs.clear();
    Ok(())
}
