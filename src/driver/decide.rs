//! Wishes become deeds: what concerns the world is done here, what concerns the page is passed on.

use std::sync::Arc;

use bevy::prelude::*;
use switchyard_model::FleetSpec;
use switchyard_sim::{Scenario, WorkloadSource, World as SimWorld};
use switchyard_view::intent::FleetChoice;
use switchyard_view::resolve::{Action, Situation, resolve};

use super::playback::{Playback, step};
use super::{Notice, PageDeed, Simulation, Wish};
use crate::camera::LookAt;
use crate::scene::Selected;
use crate::web;

/// Carries out this frame's wishes, in their order.
pub(super) fn decide(
    mut wishes: MessageReader<Wish>,
    mut simulation: ResMut<Simulation>,
    mut selected: ResMut<Selected>,
    mut look: MessageWriter<LookAt>,
    mut page: MessageWriter<PageDeed>,
    mut notices: MessageWriter<Notice>,
) {
    for Wish(intent) in wishes.read() {
        let situation = Situation {
            world: &simulation.world,
            selection: selected.0,
            playing: simulation.playback.playing,
            speed: simulation.playback.speed,
            imported: simulation.import.as_ref().is_some_and(|import| import.outcome.is_ok()),
        };
        let action = match resolve(intent, &situation) {
            Ok(action) => action,
            Err(refusal) => {
                notices.write(Notice(refusal.to_string()));
                continue;
            }
        };
        match action {
            Action::Select(thing) => selected.0 = thing,
            Action::Home => drop(look.write(LookAt::Home)),
            Action::Frame(thing) => drop(look.write(LookAt::Thing(thing))),
            Action::OpenFilePicker => web::pick_file(),
            Action::NewRun { .. } | Action::RunImported { .. } => {
                if start_run(&mut simulation, &action, &mut notices) {
                    selected.0 = None;
                }
            }
            Action::Apply(_)
            | Action::SetPlaying(_)
            | Action::SetSpeed(_)
            | Action::Step(_)
            | Action::CloseImport => act(&mut simulation, action, &mut notices),
            Action::ToggleHelp
            | Action::ShowPolicies(_)
            | Action::ToggleTheme
            | Action::OpenTab(_)
            | Action::FilterEvents(_)
            | Action::ToggleDock
            | Action::Dismiss => drop(page.write(PageDeed(action))),
        }
    }
}

fn act(simulation: &mut Simulation, action: Action, notices: &mut MessageWriter<Notice>) {
    match action {
        Action::Apply(commands) => {
            for command in commands {
                if let Err(refusal) = simulation.world.apply(command) {
                    notices.write(Notice(refusal.to_string()));
                }
            }
        }
        Action::SetPlaying(playing) => simulation.playback.playing = playing,
        Action::SetSpeed(speed) => simulation.playback.speed = speed,
        Action::Step(how) => {
            if let Some(why) = step(simulation, how) {
                notices.write(Notice(why));
            }
        }
        Action::CloseImport => simulation.import = None,
        _ => {}
    }
}

/// Tells whether there is a new run.
fn start_run(simulation: &mut Simulation, action: &Action, notices: &mut MessageWriter<Notice>) -> bool {
    let (scenario, trace) = match action {
        Action::NewRun { seed } => (Scenario::yard(*seed), None),
        Action::RunImported { fleet } => {
            let Some((file, workload)) = simulation.import.as_ref().and_then(|import| {
                let (workload, _) = import.outcome.as_ref().ok()?;
                Some((import.file.as_str(), workload.clone()))
            }) else {
                return false;
            };
            (scenario_of(file, *fleet, simulation.world.seed()), Some(workload))
        }
        _ => return false,
    };
    match SimWorld::from_scenario(&scenario, trace) {
        Ok((world, _)) => {
            let speed = simulation.playback.speed;
            *simulation = Simulation::new(scenario, world);
            simulation.playback = Playback::at(speed);
            true
        }
        Err(error) => {
            notices.write(Notice(format!("This can't be run: {error}.")));
            false
        }
    }
}

fn scenario_of(file: &str, fleet: FleetChoice, seed: u64) -> Scenario {
    let name: Arc<str> = file.into();
    Scenario {
        fleet: match fleet {
            FleetChoice::Derived => None,
            FleetChoice::Yard => Some(FleetSpec::yard()),
        },
        name: Arc::clone(&name),
        workload: WorkloadSource::Trace { file: name },
        ..Scenario::yard(seed)
    }
}
