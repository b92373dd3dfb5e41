//! The figures of a replay as one JSON object.

use std::collections::BTreeMap;

use serde::Serialize;
use switchyard_model::JobId;
use switchyard_scheduler::{P95_RULE, Reason};

use crate::args::ReplayArgs;
use crate::commands::replay::Figures as Computed;
use crate::setting::Setting;

use super::metrics::{self, Figure};

/// Times are in seconds; `utilisation` is a fraction, 0 to 1.
#[derive(Serialize)]
struct Figures<'a> {
    workload: &'a str,
    policy: &'a str,
    order: &'a str,
    discipline: &'a str,
    placement: &'a str,
    limits: String,
    overrun: &'a str,
    nodes: usize,
    cpus: u32,
    gpus: u32,
    jobs: usize,
    never_started: usize,
    never_started_jobs: Vec<NeverStarted>,
    backfilled: usize,
    mean_wait_s: f64,
    median_wait_s: f64,
    p95_wait_s: f64,
    p95_rule: &'a str,
    max_wait_s: f64,
    mean_bounded_slowdown: f64,
    bounded_slowdown_threshold_s: f64,
    bounded_slowdown_rule: String,
    utilisation: f64,
    utilisation_rule: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    gpu_utilisation: Option<f64>,
    makespan_s: f64,
    preemptions: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    metrics_horizon: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    metrics: Option<BTreeMap<String, Figure>>,
}

/// A job that never started, and why not.
#[derive(Serialize)]
struct NeverStarted {
    job: u64,
    reason: String,
    evidence: String,
    slurm_code: &'static str,
}

impl NeverStarted {
    fn of((job, reason): &(JobId, Reason)) -> NeverStarted {
        NeverStarted {
            job: job.0,
            reason: reason.to_string(),
            evidence: reason.evidence(),
            slurm_code: reason.slurm_code(),
        }
    }
}

pub(crate) fn page(args: &ReplayArgs, setting: &Setting, computed: &Computed) -> String {
    let Setting { workload, fleet, policy, .. } = setting;
    let (all, summary, metrics) = (fleet.capacity(), &computed.summary, computed.metrics.as_ref());
    let figures = Figures {
        workload: &workload.name,
        policy: &policy.name,
        order: policy.order.name(),
        discipline: policy.discipline.name(),
        placement: policy.placement.name(),
        limits: args.input.limits.to_string(),
        overrun: args.input.overrun.name(),
        nodes: fleet.nodes().len(),
        cpus: all.cpus,
        gpus: all.gpus,
        jobs: summary.jobs,
        never_started: summary.never_started,
        never_started_jobs: computed.never_started.iter().map(NeverStarted::of).collect(),
        backfilled: summary.backfilled,
        mean_wait_s: summary.mean_wait_secs,
        median_wait_s: summary.median_wait_secs,
        p95_wait_s: summary.p95_wait_secs,
        p95_rule: P95_RULE,
        max_wait_s: summary.max_wait_secs,
        mean_bounded_slowdown: summary.mean_bounded_slowdown,
        bounded_slowdown_threshold_s: summary.options.slowdown.threshold().as_secs_f64(),
        bounded_slowdown_rule: summary.options.slowdown.definition(),
        utilisation: summary.utilisation,
        utilisation_rule: summary.options.utilisation.definition(),
        gpu_utilisation: computed.gpu_utilisation,
        makespan_s: summary.makespan_secs,
        preemptions: summary.preemptions,
        metrics_horizon: metrics.map(|metrics| metrics.options.horizon.definition()),
        metrics: metrics.map(|metrics| metrics::figures(metrics, &workload.jobs)),
    };
    super::json(&figures)
}
