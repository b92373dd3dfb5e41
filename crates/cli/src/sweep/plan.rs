//! Which runs a sweep has, in which order, and what identifies each of them.

use switchyard_model::RunDigest;

use super::table;
use crate::args_experiment::SweepArgs;
use crate::experiment::axis::{self, Axis};
use crate::experiment::cell::Cell;
use crate::experiment::error::ExperimentError;
use crate::experiment::replicate::Replicate;
use crate::experiment::trial::Trial;
use crate::experiment::{Experiment, digest};
use crate::failure::Failure;
use crate::fleet::described;
use crate::policy;
use crate::setting::{Form, Ground};

/// A longer sweep would not end.
const RUNS_MAX: usize = 1_000_000;
/// Axes that have a column anyway.
const PARTS: [&str; 8] = ["policy", "order", "discipline", "placement", "preempt", "limits", "load", "shake"];

/// Columns that identify a run, but for those of varied parameters.
const IDENTITY: [&str; 21] = [
    "version",
    "workload",
    "input_digest",
    "seed",
    "slice",
    "selection",
    "load",
    "shake",
    "limits",
    "overrun",
    "scaled",
    "fleet",
    "fleet_digest",
    "site_digest",
    "slowdown",
    "policy",
    "order",
    "discipline",
    "placement",
    "preempt",
    "policy_json",
];

/// Columns of figures.
const FIGURES: [&str; 12] = [
    "jobs",
    "never_started",
    "backfilled",
    "preemptions",
    "mean_wait_s",
    "median_wait_s",
    "p95_wait_s",
    "max_wait_s",
    "mean_bounded_slowdown",
    "utilisation",
    "gpu_utilisation",
    "makespan_s",
];

/// A combination of values, and what it comes to.
pub(crate) struct Point {
    pub(crate) values: Vec<String>,
    pub(crate) cell: Cell,
}

/// All combinations, in order; says what there is to say about their parameters.
pub(crate) fn points(args: &SweepArgs, ground: &Ground) -> Result<Vec<Point>, Failure> {
    check(args, ground)?;
    let mut points = Vec::new();
    for values in axis::combinations(&args.vary) {
        let cell = cell(args, ground, &values)?;
        points.push(Point { values: values.into_iter().map(str::to_owned).collect(), cell });
    }
    let cells: Vec<Cell> = points.iter().map(|point| point.cell.clone()).collect();
    Cell::say_notes(&cells);
    Ok(points)
}

/// Refuses what is said twice.
fn check(args: &SweepArgs, ground: &Ground) -> Result<(), Failure> {
    let combinations = args.vary.iter().fold(1usize, |all, axis| all.saturating_mul(axis.values.len()));
    let seeds = args.replicates.seeds.as_ref().map_or(1, |seeds| seeds.0.len());
    let runs = combinations.saturating_mul(seeds);
    if runs > RUNS_MAX {
        return Err(ExperimentError::TooManyRuns { runs, most: RUNS_MAX }.into());
    }
    let varied = |key: &str| args.vary.iter().any(|axis| axis.key.eq_ignore_ascii_case(key));
    for (index, axis) in args.vary.iter().enumerate() {
        let earlier = args.vary.get(..index).unwrap_or_default();
        if earlier.iter().any(|other| other.key.eq_ignore_ascii_case(&axis.key)) {
            return Err(ExperimentError::VariedTwice { key: axis.key.clone() }.into());
        }
    }
    let changes = &args.changes;
    let set = [
        ("policy", args.policy.is_some()),
        ("order", changes.order.is_some()),
        ("discipline", changes.discipline.is_some()),
        ("placement", changes.placement.is_some()),
        ("preempt", changes.preempt.is_some()),
        ("load", args.input.change.load.is_some()),
        ("shake", args.input.change.shake.is_some()),
        ("limits", args.input.limits != switchyard_workload::LimitModel::AsGiven),
    ];
    let parts = set.into_iter().filter(|(_, set)| *set).map(|(key, _)| (key, format!("--{key}")));
    let params = changes.params.iter().map(|(key, _)| (key.as_str(), "--param".to_owned()));
    if let Some((key, option)) = parts.chain(params).find(|(key, _)| varied(key)) {
        return Err(ExperimentError::VariedAndSet { key: key.to_owned(), option }.into());
    }
    if args.policy.is_none() && ground.conf.is_none() && !varied("policy") {
        return Err(ExperimentError::NoPolicy.into());
    }
    Ok(())
}

/// Parts come before parameters, whatever the order of the axes: a parameter needs the part that it belongs to.
fn cell(args: &SweepArgs, ground: &Ground, values: &[&str]) -> Result<Cell, Failure> {
    let conf = ground.conf.as_ref();
    let axes = || args.vary.iter().zip(values);
    let of = |key: &str| axes().find(|(axis, _)| axis.key == key).map(|(_, value)| *value);
    let form = || Form::of(&args.input);
    let mut cell = match (of("policy"), &args.policy, conf) {
        (Some(text), _, _) => Cell::written(text, form(), conf)?,
        (None, Some(policy), _) => Cell::new(policy.clone(), form()),
        (None, None, Some(conf)) => Cell::new(policy::of_conf(conf)?, form()),
        (None, None, None) => return Err(ExperimentError::NoPolicy.into()),
    };
    cell.policy = policy::with_parts(cell.policy, &args.changes)?;
    for key in ["order", "discipline", "placement", "limits", "load", "shake", "preempt"] {
        if let Some(value) = of(key) {
            cell.set(key, value, conf)?;
        }
    }
    cell.set_parameters(&args.changes)?;
    for (axis, value) in axes().filter(|(axis, _)| !PARTS.contains(&axis.key.as_str())) {
        cell.set(&axis.key, value, conf)?;
    }
    cell.policy.check()?;
    Ok(cell)
}

/// All runs: each point on each of the workloads, which change fastest.
pub(crate) struct Plan<'a> {
    experiment: &'a Experiment<'a>,
    axes: &'a [Axis],
    points: &'a [Point],
    /// What is the same in all rows.
    input_digest: String,
    fleet_digest: String,
    site_digest: String,
    metrics: Vec<String>,
    /// Of all of it.
    pub(crate) digest: String,
}

impl<'a> Plan<'a> {
    pub(crate) fn new(
        experiment: &'a Experiment<'a>,
        axes: &'a [Axis],
        points: &'a [Point],
        metrics: bool,
    ) -> Plan<'a> {
        let trace = experiment.trace.as_ref().map(digest::of_jobs);
        let mut plan = Plan {
            experiment,
            axes,
            points,
            input_digest: trace.unwrap_or_default(),
            fleet_digest: digest::of(&experiment.fleet_spec),
            site_digest: digest::of(&experiment.site),
            metrics: if metrics { experiment.metric_keys() } else { Vec::new() },
            digest: String::new(),
        };
        let mut digest = RunDigest::default();
        digest.absorb(plan.header().as_bytes());
        for run in 0..plan.runs() {
            digest.absorb(table::line(&plan.identity(run)).as_bytes());
        }
        plan.digest = digest.to_string();
        plan
    }

    pub(crate) fn runs(&self) -> usize {
        self.points.len() * self.experiment.replicates.len()
    }

    /// What is run on which workload.
    pub(crate) fn run(&self, run: usize) -> Option<(&'a Point, &'a Replicate)> {
        let replicates = &self.experiment.replicates;
        let per_point = replicates.len().max(1);
        Some((self.points.get(run / per_point)?, replicates.get(run % per_point)?))
    }

    /// The columns, in a line.
    pub(crate) fn header(&self) -> String {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let varied = self.parameters().map(|(_, axis)| axis.key.clone()).collect();
        let metrics = self.metrics.iter().map(|key| format!("metric_{key}")).collect();
        table::line(&[owned(&table::KEY), owned(&IDENTITY), varied, owned(&FIGURES), metrics].concat())
    }

    /// The axes that have a column of their own, with their places.
    fn parameters(&self) -> impl Iterator<Item = (usize, &'a Axis)> {
        self.axes.iter().enumerate().filter(|(_, axis)| !PARTS.contains(&axis.key.as_str()))
    }

    /// What distinguishes the run from all others that there are.
    fn identity(&self, run: usize) -> Vec<String> {
        let Some((point, replicate)) = self.run(run) else { return Vec::new() };
        let experiment = self.experiment;
        let (cell, policy) = (&point.cell, &point.cell.policy);
        let number = |number: Option<String>| number.unwrap_or_default();
        let preempt = policy.preempt.as_ref().map_or("none", |rules| match rules.by {
            switchyard_scheduler::PreemptBy::Qos => "qos",
            switchyard_scheduler::PreemptBy::PartitionPriority => "partition",
        });
        let mut fields = vec![
            env!("CARGO_PKG_VERSION").to_owned(),
            self.workload_name(replicate),
            self.input_digest.clone(),
            number(replicate.seed().map(|seed| seed.to_string())),
            number(replicate.part()),
            experiment.input.change.slice.map(|slice| slice.to_string()).unwrap_or_default(),
            cell.form.load.map_or_else(|| "1".to_owned(), |load| load.to_string()),
            cell.form.shake.map(|shake| shake.to_string()).unwrap_or_default(),
            cell.form.limits.to_string(),
            experiment.input.overrun.name().to_owned(),
            experiment.input.scale.to_string(),
            described(&experiment.fleet),
            self.fleet_digest.clone(),
            self.site_digest.clone(),
            experiment.slowdown.definition(),
            policy.name.to_string(),
            policy.order.name().to_owned(),
            policy.discipline.name().to_owned(),
            policy.placement.name().to_owned(),
            preempt.to_owned(),
            serde_json::to_string(policy).unwrap_or_default(),
        ];
        fields.extend(self.parameters().filter_map(|(place, _)| point.values.get(place).cloned()));
        fields
    }

    fn workload_name(&self, replicate: &Replicate) -> String {
        match (replicate, &self.experiment.trace) {
            (Replicate::Seed(recipe), _) => recipe.to_string(),
            (_, Some(trace)) => trace.name.to_string(),
            (_, None) => String::new(),
        }
    }

    /// The row of a run.
    pub(crate) fn row(&self, run: usize, trial: &Trial) -> String {
        let summary = &trial.summary;
        let key = [self.digest.clone(), run.to_string(), self.runs().to_string()];
        let figures = [
            summary.jobs.to_string(),
            summary.never_started.to_string(),
            summary.backfilled.to_string(),
            summary.preemptions.to_string(),
            summary.mean_wait_secs.to_string(),
            summary.median_wait_secs.to_string(),
            summary.p95_wait_secs.to_string(),
            summary.max_wait_secs.to_string(),
            summary.mean_bounded_slowdown.to_string(),
            summary.utilisation.to_string(),
            trial.gpu_utilisation.map(|share| share.to_string()).unwrap_or_default(),
            summary.makespan_secs.to_string(),
        ];
        let metric = |row: &switchyard_scheduler::metrics::Row| {
            row.value.map(|value| value.to_string()).unwrap_or_default()
        };
        let metrics: Vec<String> = trial.metrics.iter().map(metric).collect();
        table::line(&[key.to_vec(), self.identity(run), figures.to_vec(), metrics].concat())
    }
}
