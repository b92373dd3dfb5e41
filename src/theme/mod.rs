//! Dark or light: which of the two looks the page wears.

pub(crate) mod palette;

use bevy::prelude::*;

/// The look of the page.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Theme {
    /// A lit model at dusk.
    #[default]
    Dark,
    /// A paper model on a desk.
    Light,
}

pub(crate) fn plugin(app: &mut App) {
    app.init_resource::<Theme>();
}
