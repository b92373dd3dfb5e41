//! When the graphics interface fails, the page says so instead of going dark.

use bevy::prelude::*;
use bevy::render::error_handler::{RenderError, RenderErrorHandler, RenderErrorPolicy};

use super::fail;

pub(super) fn plugin(app: &mut App) {
    app.insert_resource(RenderErrorHandler(stop_and_say));
}

fn stop_and_say(error: &RenderError, _: &mut World, _: &mut World) -> RenderErrorPolicy {
    // A lost context is told by its own event, which comes first; the first failure counts.
    fail("panic", &format!("{:?}: {}", error.ty, error.description));
    RenderErrorPolicy::StopRendering
}
