//! The same run has the same digest however time is cut, and whether commands come from a hand or from a file.
#![allow(clippy::unwrap_used)]

mod harness;

use harness::{job, scenario};
use proptest::prelude::*;
use switchyard_model::{Job, NodeId, ReplicaId, SimDuration, SimTime};
use switchyard_sim::{Command, Intervention, Progress, Scenario, World};

fn jobs() -> Vec<Job> {
    (1..=12).map(|id| job(id, 7 * id, 20 + 3 * id, 60, 1 + (id % 3) as u32)).collect()
}

fn start(scenario: &Scenario) -> World {
    World::new(scenario, scenario.fleet.clone().unwrap().build().unwrap(), jobs()).unwrap()
}

fn commands() -> Vec<Intervention> {
    let at = |millis: u64, command| Intervention { at: SimTime::from_micros(millis * 1_000), command };
    vec![
        at(30_000, Command::CrashReplica(ReplicaId(0))),
        at(30_000, Command::SetBackfill(false)),
        at(35_000, Command::SetPolicy("easy".into())),
        at(41_234, Command::CrashNode(NodeId(1))),
        at(55_555, Command::RestartReplica(ReplicaId(0))),
        at(60_000, Command::RestartNode(NodeId(1))),
    ]
}

const END: SimTime = SimTime::from_secs(200);

fn from_file() -> World {
    let mut scenario = scenario(11, 3, 3);
    scenario.interventions = commands();
    let mut world = start(&scenario);
    world.run_until(END, u64::MAX);
    world
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn frames_and_budgets_leave_no_trace(frame_micros in 900u64..20_000_000, budget in 1u64..2_000) {
        let mut world = start(&scenario(11, 3, 3));
        let mut todo = commands().into_iter().peekable();
        while world.now() < END {
            // A frame ends early at the next command, as the page does.
            let frame = world.now() + SimDuration::from_micros(frame_micros);
            let until = todo.peek().map_or(frame, |next| frame.min(next.at)).min(END);
            while world.run_until(until, budget) == Progress::OutOfBudget {}
            while let Some(next) = todo.next_if(|next| next.at == world.now()) {
                world.apply(next.command).unwrap();
            }
        }
        let told = from_file();
        prop_assert_eq!(world.digest(), told.digest());
        prop_assert_eq!(world.interventions(), told.interventions());
    }
}

#[test]
fn another_seed_or_another_deed_is_another_run() {
    let with = |seed, commands: &[Intervention]| {
        let mut scenario = scenario(seed, 3, 3);
        scenario.interventions = commands.to_vec();
        let mut world = start(&scenario);
        world.run_until(END, u64::MAX);
        world.digest()
    };
    let all = commands();
    assert_eq!(with(11, &all), with(11, &all));
    assert_ne!(with(11, &all), with(12, &all));
    assert_ne!(with(11, &all), with(11, &all[1..]));
}

#[test]
fn a_copy_of_the_world_goes_on_like_the_original() {
    let mut world = start(&scenario(11, 3, 3));
    world.run_until(SimTime::from_secs(77), u64::MAX);
    let mut copy = world.clone();
    world.run_until(END, u64::MAX);
    copy.run_until(END, u64::MAX);
    assert_eq!(world.digest(), copy.digest());
}
