//! `switchyard run`: the whole simulated cluster, from a scenario file.

use std::path::Path;

use switchyard_model::{Job, SimDuration, SimTime};
use switchyard_sim::{Scenario, WorkloadSource, World};
use switchyard_workload::{ReadOptions, Workload};

use crate::args::RunArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::fleet::described;
use crate::open;
use crate::show::{self, progress::Bar, run_page};

/// Without `--until`, a run ends this long (and the longest time limit) after the last submission at the latest: a job that
/// fits nowhere would keep it alive for ever.
const PATIENCE: SimDuration = SimDuration::from_secs(30 * 86_400);
/// The bar moves after so many events.
const STEPS_PER_REPORT: u64 = 10_000;

pub(crate) fn run(args: &RunArgs) -> Result<Exit, Failure> {
    let file = open::name_of(&args.scenario);
    let text = String::from_utf8_lossy(&open::bytes_of(&args.scenario)?).into_owned();
    let refused = |source| Failure::Scenario { file: file.clone(), source };
    let mut scenario = Scenario::from_json(&text).map_err(refused)?;
    scenario.seed = args.seed.unwrap_or(scenario.seed);
    let trace = trace_of(&scenario, &args.scenario)?;
    let (mut world, fitted) = World::from_scenario(&scenario, trace).map_err(refused)?;
    let machines = described(world.fleet());
    match &scenario.fleet {
        None => show::say(&format!("The fleet is derived from the workload: {machines}.")),
        Some(_) if matches!(scenario.workload, WorkloadSource::Trace { .. }) => {
            show::say(&format!("Fitted to {machines}: {fitted}"));
        }
        Some(_) => {}
    }
    let latest = args.until.unwrap_or_else(|| give_up_at(world.jobs()));
    advance(&mut world, args.until, latest);
    for violation in world.violations() {
        show::say(&format!("{}: {}: {}", violation.at, violation.invariant.name(), violation.seen));
    }
    let page = if args.json { run_page::json(&scenario, &world) } else { run_page::table(&scenario, &world) };
    show::result(&page)?;
    if !world.violations().is_empty() {
        return Ok(Exit::Violation);
    }
    if args.until.is_none() && !world.is_done() {
        show::say(&format!("Stopped at {latest}, before all jobs had ended; give --until to run on."));
        return Ok(Exit::NoProgress);
    }
    Ok(Exit::Ok)
}

/// The trace that the scenario names, if it names one.
fn trace_of(scenario: &Scenario, path: &Path) -> Result<Option<Workload>, Failure> {
    let WorkloadSource::Trace { file } = &scenario.workload else { return Ok(None) };
    let path = path.parent().unwrap_or(Path::new("")).join(&**file);
    let name = open::name_of(&path);
    let bytes = open::bytes_of(&path)?;
    let (workload, report) = switchyard_workload::read(&name, &bytes, &ReadOptions::default())?;
    show::say(&format!("{name}: {report}"));
    Ok(Some(workload))
}

fn give_up_at(jobs: &[Job]) -> SimTime {
    let last = jobs.iter().map(|job| job.spec.submit).max().unwrap_or_default();
    let longest = jobs.iter().map(|job| job.spec.limit).max().unwrap_or_default();
    last + PATIENCE + longest
}

/// Runs to `until` exactly, or without it to the event with which all is done. Either way the end doesn't depend on how
/// the time is cut here, so that the digest can be compared.
fn advance(world: &mut World, until: Option<SimTime>, latest: SimTime) {
    let bar = Bar::new("jobs ended", world.jobs().len() as u64);
    let mut left = STEPS_PER_REPORT;
    while world.next_at().is_some_and(|at| at <= latest) && (until.is_some() || !world.is_done()) {
        world.step();
        left -= 1;
        if left == 0 {
            left = STEPS_PER_REPORT;
            bar.at(world.counts().finished.into());
        }
    }
    if let Some(until) = until {
        world.run_until(until, u64::MAX);
    }
    bar.clear();
}
