//! The end of a run of the whole cluster: its figures and its digest.

use serde::Serialize;
use switchyard_model::{SimDuration, SimTime};
use switchyard_sim::{Scenario, World};

/// Times are in seconds.
#[derive(Serialize)]
struct Figures<'a> {
    scenario: &'a str,
    version: &'static str,
    seed: u64,
    policy: &'a str,
    replicas: u32,
    nodes: usize,
    cpus: u32,
    gpus: u32,
    jobs: usize,
    submitted: u32,
    pending: u32,
    running: u32,
    finished: u32,
    requeued: u32,
    backfilled: u32,
    /// Over the starts so far.
    mean_wait_s: Option<f64>,
    simulated_s: f64,
    events: u64,
    violations: usize,
    digest: String,
}

fn figures<'a>(scenario: &'a Scenario, world: &World) -> Figures<'a> {
    let (all, counts) = (world.fleet().capacity(), world.counts());
    Figures {
        scenario: &scenario.name,
        version: env!("CARGO_PKG_VERSION"),
        seed: scenario.seed,
        policy: &scenario.policy,
        replicas: scenario.replicas,
        nodes: world.fleet().nodes().len(),
        cpus: all.cpus,
        gpus: all.gpus,
        jobs: world.jobs().len(),
        submitted: world.submitted(),
        pending: counts.pending,
        running: counts.running,
        finished: counts.finished,
        requeued: counts.requeued,
        backfilled: counts.backfilled,
        mean_wait_s: world.mean_wait().map(SimDuration::as_secs_f64),
        simulated_s: world.now().as_secs_f64(),
        events: world.steps(),
        violations: world.violations().len(),
        digest: world.digest().to_string(),
    }
}

pub(crate) fn json(scenario: &Scenario, world: &World) -> String {
    super::json(&figures(scenario, world))
}

pub(crate) fn table(scenario: &Scenario, world: &World) -> String {
    let figures = figures(scenario, world);
    let wait = world.mean_wait().map_or("no job started".to_owned(), |wait| wait.to_string());
    let end: SimTime = world.now();
    super::table(&[
        ("scenario", format!("{} (seed {})", figures.scenario, figures.seed)),
        ("fleet", crate::fleet::described(world.fleet())),
        ("control plane", format!("{} replicas", figures.replicas)),
        ("policy", figures.policy.to_owned()),
        ("jobs", figures.jobs.to_string()),
        ("finished", figures.finished.to_string()),
        ("running", figures.running.to_string()),
        ("pending", figures.pending.to_string()),
        ("requeued", figures.requeued.to_string()),
        ("backfilled", figures.backfilled.to_string()),
        ("mean wait", wait),
        ("simulated time", end.to_string()),
        ("events", figures.events.to_string()),
        ("violations", figures.violations.to_string()),
        ("digest", figures.digest),
    ])
}
