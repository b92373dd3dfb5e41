//! The figures of a replay as one JSON object.

use serde::Serialize;
use switchyard_model::Fleet;
use switchyard_scheduler::{P95_RULE, Summary};
use switchyard_workload::Workload;

use crate::args::ReplayArgs;

/// Times are in seconds; `utilisation` is a fraction, 0 to 1.
#[derive(Serialize)]
struct Figures<'a> {
    workload: &'a str,
    policy: &'a str,
    overrun: &'a str,
    nodes: usize,
    cpus: u32,
    gpus: u32,
    jobs: usize,
    never_started: usize,
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
    makespan_s: f64,
}

pub(crate) fn page(args: &ReplayArgs, workload: &Workload, fleet: &Fleet, summary: &Summary) -> String {
    let all = fleet.capacity();
    let figures = Figures {
        workload: &workload.name,
        policy: &args.policy.name,
        overrun: args.overrun.name(),
        nodes: fleet.nodes().len(),
        cpus: all.cpus,
        gpus: all.gpus,
        jobs: summary.jobs,
        never_started: summary.never_started,
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
        makespan_s: summary.makespan_secs,
    };
    super::json(&figures)
}
