//! `switchyard compare`: policies side by side on the same workloads.

use switchyard_scheduler::metrics::{Paired, Sample};

use crate::args_experiment::CompareArgs;
use crate::exit::Exit;
use crate::experiment::cell::Cell;
use crate::experiment::error::ExperimentError;
use crate::experiment::figure::{self, Figure, FigureUnit};
use crate::experiment::replicate::Replicate;
use crate::experiment::trial::{Trial, Wanted};
use crate::experiment::{Experiment, pool};
use crate::failure::Failure;
use crate::paths;
use crate::setting::{Form, Ground};
use crate::show::progress::Runs;
use crate::show::{self, compare_html, compare_json, compare_table};

/// What is shown.
pub(crate) struct Comparison<'a> {
    pub(crate) args: &'a CompareArgs,
    pub(crate) experiment: &'a Experiment<'a>,
    pub(crate) cells: &'a [Cell],
    /// By policy, then by workload.
    pub(crate) trials: &'a [Vec<Trial>],
    pub(crate) figures: Vec<Compared>,
}

/// One figure under all policies.
pub(crate) struct Compared {
    pub(crate) figure: &'static Figure,
    /// What tables for people show it in.
    pub(crate) unit: FigureUnit,
    pub(crate) rows: Vec<Row>,
}

/// One figure under one policy.
pub(crate) struct Row {
    pub(crate) sample: Sample,
    /// Against the first policy; none for itself.
    pub(crate) paired: Option<Paired>,
}

pub(crate) fn run(args: &CompareArgs) -> Result<Exit, Failure> {
    paths::check(&paths::read_by(&args.input, &args.machine), &[("--html", args.html.as_deref())])?;
    let ground = Ground::read(&args.machine)?;
    let cells = cells(args, &ground)?;
    let experiment =
        Experiment::prepare(ground, &args.input, &args.machine, &args.replicates, &args.slowdown)?;
    experiment.say_rights(&cells)?;
    let trials = trials(args, &experiment, &cells)?;
    say_never_started(&experiment, &cells, &trials);
    let figures = figure::all(experiment.fleet.has_gpus());
    let figures = figures.into_iter().map(|figure| compared(figure, &cells, &trials)).collect();
    let comparison = Comparison { args, experiment: &experiment, cells: &cells, trials: &trials, figures };
    if let Some(path) = &args.html {
        let page = compare_html::page(&comparison);
        std::fs::write(path, page).map_err(|source| Failure::Write { path: path.clone(), source })?;
    }
    show::result(&if args.json {
        compare_json::page(&comparison)
    } else {
        compare_table::page(&comparison)
    })?;
    let nothing_ran = trials.iter().flatten().all(|trial| trial.summary.jobs == 0);
    Ok(if nothing_ran { Exit::NoProgress } else { Exit::Ok })
}

fn cells(args: &CompareArgs, ground: &Ground) -> Result<Vec<Cell>, Failure> {
    let mut cells: Vec<Cell> = Vec::new();
    for text in &args.policies {
        let mut cell = Cell::written(text.trim(), Form::of(&args.input), ground.conf.as_ref())?;
        cell.change(&args.changes)?;
        let name = &cell.policy.name;
        if cells.iter().any(|other| other.policy.name == *name) {
            return Err(ExperimentError::Twice { name: name.to_string() }.into());
        }
        cells.push(cell);
    }
    if let [only] = &cells[..] {
        return Err(ExperimentError::OnlyOne { name: only.policy.name.to_string() }.into());
    }
    Cell::say_notes(&cells);
    Ok(cells)
}

/// All policies on all workloads.
fn trials(
    args: &CompareArgs,
    experiment: &Experiment<'_>,
    cells: &[Cell],
) -> Result<Vec<Vec<Trial>>, Failure> {
    let per_cell = experiment.replicates.len();
    let tasks: Vec<usize> = (0..cells.len() * per_cell).collect();
    let mut runs = Runs::new(tasks.len());
    let mut done: Vec<Option<Trial>> = tasks.iter().map(|_| None).collect();
    let work = |task: usize| {
        let (Some(cell), Some(replicate)) =
            (cells.get(task / per_cell), experiment.replicates.get(task % per_cell))
        else {
            return Ok(None);
        };
        // A report shows the course of the first workload.
        let curves = args.html.is_some() && task.is_multiple_of(per_cell);
        experiment.run(cell, replicate, Wanted { curves, metrics: false }).map(Some)
    };
    pool::each(args.replicates.threads(), &tasks, work, |task, trial| {
        runs.tick();
        if let Some(place) = done.get_mut(task) {
            *place = trial;
        }
        Ok::<_, Failure>(())
    })?;
    runs.clear();
    let mut all = done.into_iter().flatten();
    Ok(cells.iter().map(|_| all.by_ref().take(per_cell).collect()).collect())
}

fn compared(figure: &'static Figure, cells: &[Cell], trials: &[Vec<Trial>]) -> Compared {
    let values: Vec<Vec<f64>> =
        trials.iter().map(|of_cell| of_cell.iter().map(figure.value).collect()).collect();
    let baseline = values.first();
    let row = |(index, (cell, own)): (usize, (&Cell, &Vec<f64>))| {
        let stream = format!("{} {}", figure.key, cell.policy.name);
        let paired = baseline.filter(|_| index > 0);
        Row {
            sample: Sample::of(own),
            paired: paired.map(|baseline| Paired::of(baseline, own, figure.better, &stream)),
        }
    };
    let rows: Vec<Row> = cells.iter().zip(&values).enumerate().map(row).collect();
    let largest = rows.iter().map(|row| row.sample.mean).fold(0.0, f64::max);
    Compared { figure, unit: figure.unit.for_people(largest), rows }
}

/// Figures over different jobs can't be compared, so this has to be known.
fn say_never_started(experiment: &Experiment<'_>, cells: &[Cell], trials: &[Vec<Trial>]) {
    for (cell, of_cell) in cells.iter().zip(trials) {
        let count = |trial: &Trial| trial.summary.never_started;
        let all: usize = of_cell.iter().map(count).sum();
        let first = experiment.replicates.iter().zip(of_cell).find(|(_, trial)| count(trial) > 0);
        if let Some((replicate, trial)) = first {
            let name = &cell.policy.name;
            let jobs = if all == 1 { "1 job".to_owned() } else { format!("{all} jobs") };
            show::say(&format!(
                "{name}: {jobs} never started and are left out of its figures; the first, with {replicate}, {}",
                trial.never.as_deref().unwrap_or_default()
            ));
        }
    }
}

impl Comparison<'_> {
    /// What a reader has to know before believing anything.
    pub(crate) fn caution(&self) -> Option<String> {
        let n = self.experiment.replicates.len();
        let more = match self.experiment.replicates.first() {
            Some(Replicate::Seed(_)) => "--seeds 0..9 for ten workloads of the same kind",
            _ => "--slices 10 to compare on ten parts of the trace",
        };
        match (n, self.experiment.replicates.first()) {
            (1, Some(Replicate::Seed(_))) => Some(format!(
                "One seed is an anecdote: the next workload of the same kind may turn every difference around; add {more}."
            )),
            (1, _) => Some(format!(
                "One trace is an anecdote: another week of the same cluster may turn every difference around; add {more}."
            )),
            (2..=4, _) => Some(format!(
                "With {n} workloads the intervals are too narrow to rely on, and even {n} equal signs come by chance; take 5 or more, for example {more}."
            )),
            _ => None,
        }
    }

    /// Which workloads, in words.
    pub(crate) fn workloads(&self) -> String {
        let replicates = &self.experiment.replicates;
        let (first, last) = (replicates.first(), replicates.last());
        match (first, last) {
            (Some(Replicate::Seed(a)), Some(Replicate::Seed(b))) if replicates.len() > 1 => {
                let kind = a.to_string().replacen(&format!(":{}", a.seed), ":SEED", 1);
                format!("{kind}, {} seeds, {} to {}", replicates.len(), a.seed, b.seed)
            }
            (Some(Replicate::Seed(recipe)), _) => recipe.to_string(),
            (Some(Replicate::Slice { of, .. }), _) => format!("{}, {of} slices", self.trace_name()),
            _ => self.trace_name(),
        }
    }

    fn trace_name(&self) -> String {
        self.experiment.trace.as_ref().map(|trace| trace.name.to_string()).unwrap_or_default()
    }
}
