//! Keys and clicks become wishes; keys by the one table that the help page shows.

use bevy::input::keyboard::{Key as WindowKey, KeyboardInput};
use bevy::prelude::*;
use bevy::window::WindowFocused;
use switchyard_view::intent::Intent;
use switchyard_view::keymap::{Key, intent_of};

use crate::app::AppSystems;
use crate::camera::Owned;
use crate::camera::pointer::Clicked;
use crate::driver::Wish;

pub(crate) fn plugin(app: &mut App) {
    app.add_systems(Update, (release_keys_without_focus, read_keys, read_clicks).in_set(AppSystems::Input));
}

/// A key that is held while the page loses the focus never tells of its release.
fn release_keys_without_focus(
    mut focus: MessageReader<WindowFocused>,
    mut keys: ResMut<ButtonInput<KeyCode>>,
) {
    if focus.read().any(|change| !change.focused) {
        keys.reset_all();
    }
}

/// With these held a key belongs to the browser or the system. AltGr is not among them: it writes brackets on many keyboards.
const OTHERS: [KeyCode; 5] =
    [KeyCode::ControlLeft, KeyCode::ControlRight, KeyCode::SuperLeft, KeyCode::SuperRight, KeyCode::AltLeft];

fn read_keys(
    mut keyboard: MessageReader<KeyboardInput>,
    held: Res<ButtonInput<KeyCode>>,
    owned: Res<Owned>,
    mut wishes: MessageWriter<Wish>,
) {
    for input in keyboard.read() {
        if !input.state.is_pressed() || input.repeat || owned.keyboard || held.any_pressed(OTHERS) {
            continue;
        }
        let key = match &input.logical_key {
            WindowKey::Space => Some(Key::Space),
            WindowKey::Escape => Some(Key::Escape),
            WindowKey::Home => Some(Key::Home),
            WindowKey::Character(written) => match written.as_str() {
                " " => Some(Key::Space),
                written => written.chars().next().map(|c| Key::Char(c.to_ascii_lowercase())),
            },
            _ => None,
        };
        if let Some(intent) = key.and_then(intent_of) {
            wishes.write(Wish(intent));
        }
    }
}

fn read_clicks(mut clicks: MessageReader<Clicked>, mut wishes: MessageWriter<Wish>) {
    for click in clicks.read().filter(|click| click.button == MouseButton::Left) {
        wishes.write(Wish(Intent::Select(click.thing)));
    }
}
