//! The 3D picture: draws the [`Stage`] and nothing else.
//!
//! Each file draws one kind of thing. Nothing here changes the world; what is pointed at is found by the camera's
//! room, with the same layout that is drawn.

mod control;
mod cuts;
mod flights;
mod ink;
mod light;
mod messages;
mod network;
mod queue;
mod racks;
mod selection;
mod surface;
mod yard;

use bevy::prelude::*;
use switchyard_view::layout::labels::{Label, labels};
use switchyard_view::stage::{Stage, Thing};

use crate::app::AppSystems;

/// What the picture shows now; whoever drives the simulation replaces it.
#[derive(Resource, Default)]
pub(crate) struct StageNow(pub Stage);

/// Words at places in the picture; the panels paint them.
#[derive(Resource, Default)]
pub(crate) struct Labels(pub Vec<Label>);

/// What is under the pointer.
#[derive(Resource, Default, PartialEq)]
pub(crate) struct Hovered(pub Option<Thing>);

/// What is selected.
#[derive(Resource, Default, PartialEq)]
pub(crate) struct Selected(pub Option<Thing>);

/// Whether the visitor asked for less motion: then everything changes at once.
#[derive(Resource, Default)]
pub(crate) struct ReducedMotion(pub bool);

pub(crate) fn plugin(app: &mut App) {
    app.init_resource::<StageNow>()
        .init_resource::<Labels>()
        .init_resource::<Hovered>()
        .init_resource::<Selected>()
        .init_resource::<ReducedMotion>();
    app.add_plugins((
        surface::plugin,
        light::plugin,
        yard::plugin,
        network::plugin,
        flights::plugin,
        racks::plugin,
        control::plugin,
        queue::plugin,
        messages::plugin,
        cuts::plugin,
        selection::plugin,
    ));
    app.add_systems(Update, write_labels.in_set(AppSystems::Mirror).run_if(resource_changed::<StageNow>));
}

fn write_labels(stage: Res<StageNow>, mut out: ResMut<Labels>) {
    let now = labels(&stage.0);
    if out.0 != now {
        out.0 = now;
    }
}

/// Eases a share from 0 to 1: fast first, then slow, without overshoot.
fn ease_out(t: f32) -> f32 {
    1.0 - (1.0 - t.clamp(0.0, 1.0)).powi(3)
}
