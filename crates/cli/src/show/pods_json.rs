//! The figures of pods on GPU nodes as one JSON object.

use serde::Serialize;
use switchyard_scheduler::{PodPoint, PodReason, PodRun, PodStep};

use crate::args_pods::{OrderArg, PodsArgs};
use crate::commands::pods::Setting;

/// GPUs in thousandths, shares in per cent.
#[derive(Serialize)]
struct Figures<'a> {
    workload: &'a str,
    policy: &'a str,
    seed: u64,
    demand: Option<f64>,
    order: &'a str,
    ties: &'a str,
    nodes: usize,
    gpus: u64,
    pods: usize,
    scheduled: usize,
    not_scheduled: NotScheduled,
    arrived_gpu_milli: u64,
    gpu_allocated_percent: f64,
    cpu_allocated_percent: f64,
    memory_allocated_percent: f64,
    gpus_touched: u64,
    idle_gpu_milli: Idle,
    fragmented_rule: &'a str,
    curves: Vec<Point>,
}

#[derive(Serialize)]
struct NotScheduled {
    never_fits: usize,
    resources: usize,
    fragmented_resources: usize,
}

/// What is free, by what typical pods lack there.
#[derive(Serialize)]
struct Idle {
    total: f64,
    fragmented: f64,
    q1_lacks_gpu_and_cpu: f64,
    q2_lacks_gpu: f64,
    q3_usable: f64,
    q4_lacks_cpu: f64,
    xl_pod_without_gpu: f64,
    xr_pod_without_gpu_lacks_cpu: f64,
    other_gpu_model: f64,
}

#[derive(Serialize)]
struct Point {
    demand_percent: u64,
    gpu_allocated_percent: f64,
    fragmented_percent_of_all: f64,
    fragmented_percent_of_idle: f64,
}

const FRAGMENTED_RULE: &str = "sum over nodes of F(n): free GPU that a typical pod of the workload can't use, in the mean over the typical pods (95 % of all)";

pub(crate) fn page(args: &PodsArgs, setting: &Setting, run: &PodRun) -> String {
    let end = &run.end;
    let figures = Figures {
        workload: &setting.workload,
        policy: run.policy.name(),
        seed: args.seed,
        demand: args.demand,
        order: if args.order() == OrderArg::Shuffled { "shuffled" } else { "file" },
        ties: args.ties().name(),
        nodes: setting.nodes.len(),
        gpus: end.gpus.1,
        pods: run.outcomes.len(),
        scheduled: run.scheduled(),
        not_scheduled: not_scheduled(run),
        arrived_gpu_milli: arrived(run),
        gpu_allocated_percent: percent(end.gpu_milli),
        cpu_allocated_percent: percent(end.cpu_milli),
        memory_allocated_percent: percent(end.memory_mib),
        gpus_touched: end.gpus.0,
        idle_gpu_milli: idle(run),
        fragmented_rule: FRAGMENTED_RULE,
        curves: curves(run),
    };
    super::json(&figures)
}

fn not_scheduled(run: &PodRun) -> NotScheduled {
    let codes: Vec<&str> = run.refused().map(PodReason::code).collect();
    let count = |code: &str| codes.iter().filter(|&&is| is == code).count();
    NotScheduled {
        never_fits: count("NeverFits"),
        resources: count("Resources"),
        fragmented_resources: count("FragmentedResources"),
    }
}

fn arrived(run: &PodRun) -> u64 {
    run.steps.last().map_or(0, |step: &PodStep| step.arrived_gpu_milli)
}

fn idle(run: &PodRun) -> Idle {
    let parts = run.end.fragments;
    let milli = |part: u64| part as f64 / run.end.typical.max(1) as f64;
    Idle {
        total: milli(parts.idle()),
        fragmented: milli(parts.fragmented()),
        q1_lacks_gpu_and_cpu: milli(parts.q1),
        q2_lacks_gpu: milli(parts.q2),
        q3_usable: milli(parts.q3),
        q4_lacks_cpu: milli(parts.q4),
        xl_pod_without_gpu: milli(parts.xl),
        xr_pod_without_gpu_lacks_cpu: milli(parts.xr),
        other_gpu_model: milli(parts.no_access),
    }
}

fn curves(run: &PodRun) -> Vec<Point> {
    let point = |(demand_percent, point): (u64, PodPoint)| Point {
        demand_percent,
        gpu_allocated_percent: point.allocated,
        fragmented_percent_of_all: point.fragmented,
        fragmented_percent_of_idle: point.fragmented_of_idle,
    };
    run.curve().into_iter().map(point).collect()
}

fn percent((used, all): (u64, u64)) -> f64 {
    if all == 0 { 0.0 } else { 100.0 * used as f64 / all as f64 }
}
