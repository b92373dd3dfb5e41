//! What the visitor's system asks of pages: dark or light, and less motion.

use bevy::prelude::*;

use crate::scene::ReducedMotion;
use crate::theme::Theme;

pub(super) fn plugin(app: &mut App) {
    app.add_systems(PreStartup, ask);
}

fn ask(mut theme: ResMut<Theme>, mut reduced: ResMut<ReducedMotion>) {
    if prefers("(prefers-color-scheme: light)") {
        *theme = Theme::Light;
    }
    reduced.0 = prefers("(prefers-reduced-motion: reduce)");
}

fn prefers(query: &str) -> bool {
    let answer = web_sys::window().and_then(|window| window.match_media(query).ok().flatten());
    answer.is_some_and(|list| list.matches())
}
