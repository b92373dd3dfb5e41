//! The eye on the yard: a lens that is centred in the free part of the canvas, and hands that move it.

mod hands;
mod lens;
mod orbit;
pub(crate) mod pointer;

use bevy::core_pipeline::tonemapping::Tonemapping;
use bevy::prelude::*;

pub(crate) use self::orbit::Orbit;

/// The part of the canvas that no panel covers, in logical pixels; the panels set it. Without panels it is the
/// whole canvas.
#[derive(Resource, Default, Clone, Copy, PartialEq)]
pub(crate) struct FreeRect(pub Option<Rect>);

/// Whether a panel has the pointer, or a text field the keyboard; the panels set it.
#[derive(Resource, Default, Clone, Copy, PartialEq)]
pub(crate) struct Owned {
    /// The pointer is over a panel, or is dragging something of one.
    pub pointer: bool,
    /// Keys go to a text field.
    pub keyboard: bool,
}

/// Asks the camera to go somewhere.
#[derive(Message, Clone, Copy, Debug, PartialEq)]
pub(crate) enum LookAt {
    /// The whole yard.
    Home,
    /// One thing.
    Thing(switchyard_view::stage::Thing),
}

pub(crate) fn plugin(app: &mut App) {
    app.init_resource::<FreeRect>().init_resource::<Owned>().add_message::<LookAt>();
    app.add_systems(PreStartup, spawn);
    app.add_plugins((hands::plugin, orbit::plugin, pointer::plugin));
}

fn spawn(mut commands: Commands) {
    commands.spawn((
        Camera3d::default(),
        // Colours of accounts must equal their swatches.
        Tonemapping::None,
        Msaa::Sample4,
        Projection::custom(lens::Lens::default()),
        DistanceFog::default(),
        Orbit::default(),
    ));
}
