//! The one hand that moves the world: advances it within the frame's time, turns wishes into deeds, starts new runs.

mod decide;
mod intake;
mod playback;

use bevy::prelude::*;
use switchyard_sim::{Scenario, World as SimWorld};
use switchyard_view::import::Import;
use switchyard_view::intent::Intent;
use switchyard_view::resolve::Action;
use switchyard_view::staging::Staging;

pub(crate) use intake::offer_file;
pub(crate) use playback::Playback;

use crate::app::AppSystems;
use crate::scene::StageNow;

/// The seed of the first screen.
const FIRST_SEED: u64 = 5;

/// A visitor's wish, from a key, a panel, the scene or the host page.
#[derive(Message, Clone, Debug, PartialEq)]
pub(crate) struct Wish(pub(crate) Intent);

/// What a wish came to, where the page and not the world is meant: tabs, theme, help.
#[derive(Message, Clone, Debug, PartialEq)]
pub(crate) struct PageDeed(pub(crate) Action);

/// A sentence for the visitor: why a wish can't be, or what came about.
#[derive(Message, Clone, Debug, PartialEq)]
pub(crate) struct Notice(pub(crate) String);

/// The run that is shown, and all that belongs to it.
#[derive(Resource)]
pub(crate) struct Simulation {
    /// The world.
    pub(crate) world: SimWorld,
    /// What the run was made from.
    pub(crate) scenario: Scenario,
    /// How time passes.
    pub(crate) playback: Playback,
    /// The last file that was opened, until its report is put away.
    pub(crate) import: Option<Import>,
    /// What the picture needs to remember.
    pub(crate) staging: Staging,
}

impl Simulation {
    fn new(scenario: Scenario, world: SimWorld) -> Self {
        let staging = Staging::new(world.jobs());
        Simulation { world, scenario, playback: Playback::default(), import: None, staging }
    }
}

pub(crate) fn plugin(app: &mut App) {
    let scenario = Scenario::yard(FIRST_SEED);
    // The first screen's scenario is the project's own, and a test runs it: if it can't be built there is no page.
    match SimWorld::from_scenario(&scenario, None) {
        Ok((world, _)) => app.insert_resource(Simulation::new(scenario, world)),
        Err(error) => {
            error!("the first screen's scenario can't be run: {error}");
            return;
        }
    };
    app.add_message::<Wish>().add_message::<PageDeed>().add_message::<Notice>();
    app.add_systems(Update, intake::take_files.in_set(AppSystems::Input));
    app.add_systems(Update, decide::decide.in_set(AppSystems::Decide));
    app.add_systems(Update, (playback::advance, set_stage).chain().in_set(AppSystems::Simulate));
}

/// The picture follows the world.
fn set_stage(mut simulation: ResMut<Simulation>, mut stage: ResMut<StageNow>) {
    let Simulation { world, playback, staging, .. } = &mut *simulation;
    let now = staging.stage(world, playback.shows_messages());
    if stage.0 != now {
        stage.0 = now;
    }
}
