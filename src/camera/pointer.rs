//! What the pointer points at, and clicks: a press and a release at one place.

use bevy::input::touch::Touches;
use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use switchyard_view::layout::pick::{Ray, pick};
use switchyard_view::stage::Thing;

use super::{LookAt, Owned};
use crate::app::AppSystems;
use crate::scene::{Hovered, StageNow};

/// How far the pointer may move between press and release of a click, in pixels.
const STILL: f32 = 5.0;
/// The longest pause within a double click, in seconds.
const DOUBLE: f32 = 0.4;

/// Somebody clicked the scene.
#[derive(Message, Clone, Copy, Debug, PartialEq)]
pub(crate) struct Clicked {
    /// What was hit; `None` for the empty floor.
    pub thing: Option<Thing>,
    /// The button; a tap counts as the left one.
    pub button: MouseButton,
    /// Where on the canvas, in logical pixels.
    pub at: Vec2,
}

pub(super) fn plugin(app: &mut App) {
    app.add_message::<Clicked>();
    app.add_systems(Update, (hover, click, double_click).chain().in_set(AppSystems::Input));
}

/// What lies under a point of the canvas.
fn under(stage: &StageNow, (camera, transform): (&Camera, &GlobalTransform), at: Vec2) -> Option<Thing> {
    let ray = camera.viewport_to_world(transform, at).ok()?;
    let ray = Ray { origin: ray.origin, direction: *ray.direction };
    pick(&stage.0, &ray).map(|hit| hit.0)
}

fn hover(
    stage: Res<StageNow>,
    owned: Res<Owned>,
    window: Single<&Window, With<PrimaryWindow>>,
    eye: Single<(&Camera, &GlobalTransform)>,
    buttons: Res<ButtonInput<MouseButton>>,
    mut hovered: ResMut<Hovered>,
) {
    let free = !owned.pointer && !buttons.any_pressed([MouseButton::Left, MouseButton::Right]);
    let thing = (window.cursor_position()).filter(|_| free).and_then(|at| under(&stage, *eye, at));
    hovered.set_if_neq(Hovered(thing));
}

fn click(
    stage: Res<StageNow>,
    owned: Res<Owned>,
    window: Single<&Window, With<PrimaryWindow>>,
    eye: Single<(&Camera, &GlobalTransform)>,
    buttons: Res<ButtonInput<MouseButton>>,
    touches: Res<Touches>,
    mut pressed: Local<Option<(MouseButton, Vec2)>>,
    mut clicks: MessageWriter<Clicked>,
) {
    let mut send = |button: MouseButton, at: Vec2| {
        clicks.write(Clicked { thing: under(&stage, *eye, at), button, at });
    };
    if let Some(at) = window.cursor_position() {
        for button in [MouseButton::Left, MouseButton::Right] {
            if buttons.just_pressed(button) {
                *pressed = (!owned.pointer).then_some((button, at));
            }
            if buttons.just_released(button)
                && let Some((down, from)) = pressed.take()
                && down == button
                && from.distance(at) <= STILL
            {
                send(button, at);
            }
        }
    }
    for touch in touches.iter_just_released() {
        let still = touch.start_position().distance(touch.position()) <= 2.0 * STILL;
        if still && !owned.pointer && touches.iter().count() == 0 {
            send(MouseButton::Left, touch.position());
        }
    }
}

/// The second click on a thing frames it; on the empty floor it shows everything.
fn double_click(
    mut clicks: MessageReader<Clicked>,
    time: Res<Time<Real>>,
    mut last: Local<Option<(Clicked, f32)>>,
    mut requests: MessageWriter<LookAt>,
) {
    for click in clicks.read().filter(|click| click.button == MouseButton::Left) {
        let now = time.elapsed_secs();
        let again = last.is_some_and(|(first, at)| {
            now - at < DOUBLE && first.thing == click.thing && first.at.distance(click.at) <= 2.0 * STILL
        });
        *last = (!again).then_some((*click, now));
        if again {
            requests.write(click.thing.map_or(LookAt::Home, LookAt::Thing));
        }
    }
}
