//! The scenarios that ship with the project run, and break nothing.
#![allow(clippy::unwrap_used)]

mod harness;

use harness::{assert_sound, pass};
use switchyard_sim::{Scenario, ScenarioError, WorkloadSource, World};

#[test]
fn the_first_screen_is_busy_within_minutes() {
    let (mut world, report) = World::from_scenario(&Scenario::yard(5), None).unwrap();
    assert!(report.changed.is_empty());
    pass(&mut world, 600);
    assert!(world.busy_units() > world.units() * 9 / 10, "{} GPUs busy", world.busy_units());
    assert!(world.counts().pending > 0);
    pass(&mut world, 3_000);
    assert!(world.counts().finished > 10 && world.counts().backfilled > 0);
    assert_sound(&world);
}

#[test]
fn the_example_scenario_plays_to_its_end() {
    let text = include_str!("../../../traces/scenarios/leader-lost.json");
    let scenario = Scenario::from_json(text).unwrap();
    let (mut world, _) = World::from_scenario(&scenario, None).unwrap();
    while !world.is_done() && world.now().as_secs_f64() < 1e6 {
        pass(&mut world, 3_600);
    }
    assert!(world.is_done());
    assert_eq!(world.interventions().len(), scenario.interventions.len(), "every deed was done");
    assert!(world.counts().requeued > 0, "the rack that was cut off gave its jobs back");
    assert_sound(&world);
}

#[test]
fn a_trace_that_nobody_read_is_asked_for() {
    let workload = WorkloadSource::Trace { file: "my.swf".into() };
    let scenario = Scenario { workload, ..Scenario::yard(1) };
    let refused = World::from_scenario(&scenario, None).unwrap_err();
    assert!(matches!(refused, ScenarioError::NoTrace { .. }));
    assert_eq!(refused.to_string(), "scenario: workload is the trace \"my.swf\", which was not read");
}
