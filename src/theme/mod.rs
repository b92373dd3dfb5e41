//! Dark or light: which of the two looks the page wears.

pub(crate) mod fonts;
pub(crate) mod ink;
pub(crate) mod palette;
pub(crate) mod style;

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

impl Theme {
    /// The other one.
    pub(crate) const fn other(self) -> Self {
        match self {
            Theme::Dark => Theme::Light,
            Theme::Light => Theme::Dark,
        }
    }
}

pub(crate) fn plugin(app: &mut App) {
    app.init_resource::<Theme>();
}
