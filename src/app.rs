//! The app's rooms and the order in which a frame passes through them.

use bevy::asset::AssetMetaCheck;
use bevy::log::LogPlugin;
use bevy::prelude::*;
use bevy::window::WindowResolution;

use crate::{camera, driver, input, panels, scene, theme, web};

/// The order of a frame.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum AppSystems {
    /// Devices become intents.
    Input,
    /// Intents become actions.
    Decide,
    /// Actions are applied, and the world advances within its budget.
    Simulate,
    /// Views and meshes follow the world.
    Mirror,
    /// Camera, labels, panels.
    Present,
    /// Link, host page, live region.
    Publish,
}

/// Builds the app and runs it.
pub(crate) fn run() {
    let mut app = App::new();
    app.add_plugins(
        DefaultPlugins
            .set(WindowPlugin { primary_window: Some(window()), ..default() })
            .set(AssetPlugin { meta_check: AssetMetaCheck::Never, ..default() })
            .set(LogPlugin { filter: "warn,wgpu=error,naga=warn".into(), ..default() }),
    );
    app.configure_sets(
        Update,
        (
            AppSystems::Input,
            AppSystems::Decide,
            AppSystems::Simulate,
            AppSystems::Mirror,
            AppSystems::Present,
            AppSystems::Publish,
        )
            .chain(),
    );
    app.add_plugins((theme::plugin, scene::plugin, camera::plugin, driver::plugin));
    app.add_plugins((input::plugin, panels::plugin, web::plugin));
    app.run();
}

fn window() -> Window {
    Window {
        title: "Switchyard".into(),
        canvas: Some("#switchyard-canvas".into()),
        fit_canvas_to_parent: true,
        // A canvas that takes the focus would scroll the page that embeds it.
        focused: false,
        // The parent sets the size; a big start size can exceed a phone's largest texture.
        resolution: WindowResolution::new(640, 360),
        ..default()
    }
}
