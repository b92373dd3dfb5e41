//! A comparison as one JSON object; docs/experiments.md describes it.

use serde::Serialize;
use switchyard_scheduler::metrics::{INTERVAL_RULE, Paired, SIGN_TEST_RULE};

use crate::commands::compare::{Compared, Comparison, Row};
use crate::experiment::cell::Cell;
use crate::experiment::digest;
use crate::experiment::replicate::Replicate;
use crate::experiment::trial::Trial;

/// Times are in seconds, utilisation is a fraction of 1.
#[derive(Serialize)]
struct Page<'a> {
    version: &'a str,
    workload: String,
    /// Of the jobs that were read; null for generated ones.
    input_digest: Option<String>,
    replicates: Vec<String>,
    nodes: usize,
    cpus: u32,
    gpus: u32,
    limits: String,
    overrun: &'a str,
    baseline: &'a str,
    policies: Vec<Policy<'a>>,
    interval_rule: &'a str,
    sign_test_rule: &'a str,
    figures: Vec<Figure<'a>>,
    runs: Vec<Run<'a>>,
    caution: Option<String>,
}

#[derive(Serialize)]
struct Policy<'a> {
    name: &'a str,
    order: &'a str,
    discipline: &'a str,
    placement: &'a str,
}

#[derive(Serialize)]
struct Figure<'a> {
    key: &'a str,
    unit: &'a str,
    better: &'a str,
    definition: String,
    policies: Vec<Of<'a>>,
}

#[derive(Serialize)]
struct Of<'a> {
    policy: &'a str,
    n: u64,
    mean: f64,
    sd: Option<f64>,
    /// To the baseline; null for the baseline itself.
    difference: Option<Difference>,
}

#[derive(Serialize)]
struct Difference {
    mean: f64,
    sd: Option<f64>,
    interval_95: Option<[f64; 2]>,
    better: u64,
    worse: u64,
    equal: u64,
    sign_test_p: Option<f64>,
}

#[derive(Serialize)]
struct Run<'a> {
    policy: &'a str,
    seed: Option<u64>,
    slice: Option<u32>,
    jobs: usize,
    never_started: usize,
    backfilled: usize,
    preemptions: usize,
    mean_wait_s: f64,
    median_wait_s: f64,
    p95_wait_s: f64,
    max_wait_s: f64,
    mean_bounded_slowdown: f64,
    utilisation: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    gpu_utilisation: Option<f64>,
    makespan_s: f64,
}

pub(crate) fn page(comparison: &Comparison<'_>) -> String {
    let Comparison { args, experiment, cells, trials, figures } = comparison;
    let capacity = experiment.fleet.capacity();
    let runs = cells.iter().zip(*trials).flat_map(|(cell, of_cell)| {
        experiment.replicates.iter().zip(of_cell).map(|(replicate, trial)| run(cell, replicate, trial))
    });
    super::json(&Page {
        version: env!("CARGO_PKG_VERSION"),
        workload: comparison.workloads(),
        input_digest: experiment.trace.as_ref().map(digest::of_jobs),
        replicates: experiment.replicates.iter().map(ToString::to_string).collect(),
        nodes: experiment.fleet.nodes().len(),
        cpus: capacity.cpus,
        gpus: capacity.gpus,
        limits: args.input.limits.to_string(),
        overrun: args.input.overrun.name(),
        baseline: cells.first().map_or("", |cell| &cell.policy.name),
        policies: cells.iter().map(policy).collect(),
        interval_rule: INTERVAL_RULE,
        sign_test_rule: SIGN_TEST_RULE,
        figures: figures.iter().map(|compared| figure(comparison, compared)).collect(),
        runs: runs.collect(),
        caution: comparison.caution(),
    })
}

fn policy(cell: &Cell) -> Policy<'_> {
    let policy = &cell.policy;
    Policy {
        name: &policy.name,
        order: policy.order.name(),
        discipline: policy.discipline.name(),
        placement: policy.placement.name(),
    }
}

fn figure<'a>(comparison: &'a Comparison<'_>, compared: &Compared) -> Figure<'a> {
    let figure = compared.figure;
    let of = |(cell, row): (&'a Cell, &Row)| Of {
        policy: &cell.policy.name,
        n: row.sample.n,
        mean: row.sample.mean,
        sd: row.sample.sd,
        difference: row.paired.as_ref().map(difference),
    };
    Figure {
        key: figure.key,
        unit: figure.unit.name(),
        better: figure.better.name(),
        definition: figure.definition(comparison.experiment.slowdown),
        policies: comparison.cells.iter().zip(&compared.rows).map(of).collect(),
    }
}

fn difference(paired: &Paired) -> Difference {
    Difference {
        mean: paired.difference.mean,
        sd: paired.difference.sd,
        interval_95: paired.interval.map(|interval| [interval.low, interval.high]),
        better: paired.better,
        worse: paired.worse,
        equal: paired.equal,
        sign_test_p: paired.sign_p,
    }
}

fn run<'a>(cell: &'a Cell, replicate: &Replicate, trial: &Trial) -> Run<'a> {
    let summary = &trial.summary;
    Run {
        policy: &cell.policy.name,
        seed: replicate.seed(),
        slice: replicate.slice(),
        jobs: summary.jobs,
        never_started: summary.never_started,
        backfilled: summary.backfilled,
        preemptions: summary.preemptions,
        mean_wait_s: summary.mean_wait_secs,
        median_wait_s: summary.median_wait_secs,
        p95_wait_s: summary.p95_wait_secs,
        max_wait_s: summary.max_wait_secs,
        mean_bounded_slowdown: summary.mean_bounded_slowdown,
        utilisation: summary.utilisation,
        gpu_utilisation: trial.gpu_utilisation,
        makespan_s: summary.makespan_secs,
    }
}
