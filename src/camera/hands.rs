//! Mouse, touch and keys that move the camera: drag turns, right or shift drag pans, the wheel and two fingers
//! zoom, arrows turn, + and - zoom, Home shows everything, F frames the selection.

use bevy::input::mouse::{MouseScrollUnit, MouseWheel};
use bevy::input::touch::Touches;
use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use switchyard_view::layout::home::FOV_DEG;

use super::orbit::{Orbit, free_rect};
use super::{FreeRect, LookAt, Owned};
use crate::app::AppSystems;
use crate::scene::Selected;

/// Degrees per pixel of a drag.
const TURN_PER_PX: f32 = 0.25;
/// Degrees per second while an arrow is held.
const TURN_PER_S: f32 = 50.0;
/// Share of the distance per pixel of the wheel, and per second while a key is held.
const ZOOM_PER_PX: f32 = 0.0012;
const ZOOM_PER_S: f32 = 1.4;
/// Pixels that a wheel's line stands for.
const PX_PER_LINE: f32 = 100.0;

pub(super) fn plugin(app: &mut App) {
    app.init_resource::<Grip>();
    app.add_systems(Update, (mouse, touch, keys).in_set(AppSystems::Input));
}

/// What the pointer holds since it went down on the scene.
#[derive(Resource, Default, PartialEq, Clone, Copy)]
pub(super) struct Grip {
    /// A button went down on the scene, not on a panel.
    pub held: bool,
}

/// The canvas, and what turns pixels into shares of the distance.
struct Screen {
    middle: Vec2,
    per_px: f32,
}

impl Screen {
    fn of(window: &Window, free: &FreeRect) -> Self {
        let canvas = Vec2::new(window.width(), window.height()).max(Vec2::ONE);
        let per_px = 2.0 * (FOV_DEG / 2.0).to_radians().tan() / canvas.y;
        Self { middle: free_rect(free, canvas).center(), per_px }
    }

    /// Pixels on the screen as shares of the distance, y up.
    fn shares(&self, px: Vec2) -> Vec2 {
        Vec2::new(px.x, -px.y) * self.per_px
    }
}

fn mouse(
    mut orbit: Single<&mut Orbit>,
    mut grip: ResMut<Grip>,
    owned: Res<Owned>,
    free: Res<FreeRect>,
    window: Single<&Window, With<PrimaryWindow>>,
    buttons: Res<ButtonInput<MouseButton>>,
    keys: Res<ButtonInput<KeyCode>>,
    mut motion: MessageReader<CursorMoved>,
    mut wheel: MessageReader<MouseWheel>,
) {
    let used = [MouseButton::Left, MouseButton::Right, MouseButton::Middle];
    if buttons.any_just_pressed(used) && !owned.pointer {
        grip.held = true;
    }
    let screen = Screen::of(&window, &free);
    let moved: Vec2 = motion.read().filter_map(|motion| motion.delta).sum();
    if grip.held && moved != Vec2::ZERO && buttons.any_pressed(used) {
        let shift = keys.any_pressed([KeyCode::ShiftLeft, KeyCode::ShiftRight]);
        if buttons.pressed(MouseButton::Left) && !shift {
            orbit.turn(-moved.x * TURN_PER_PX, moved.y * TURN_PER_PX);
        } else {
            orbit.pan(-screen.shares(moved));
        }
    }
    if !buttons.any_pressed(used) {
        grip.set_if_neq(Grip { held: false });
    }
    let rolled: f32 = (wheel.read())
        .map(|wheel| match wheel.unit {
            MouseScrollUnit::Line => wheel.y * PX_PER_LINE,
            MouseScrollUnit::Pixel => wheel.y,
        })
        .sum();
    if rolled.abs() > 0.0 && !owned.pointer {
        let anchor = window.cursor_position().map_or(Vec2::ZERO, |at| screen.shares(at - screen.middle));
        orbit.zoom((-rolled.clamp(-400.0, 400.0) * ZOOM_PER_PX).exp(), anchor);
    }
}

/// One finger turns; two pan with their middle and zoom with their distance.
fn touch(
    mut orbit: Single<&mut Orbit>,
    owned: Res<Owned>,
    free: Res<FreeRect>,
    window: Single<&Window, With<PrimaryWindow>>,
    touches: Res<Touches>,
    mut held: Local<bool>,
) {
    let fingers: Vec<_> = touches.iter().collect();
    if fingers.is_empty() {
        *held = false;
        return;
    }
    if touches.any_just_pressed() && !owned.pointer {
        *held = true;
    }
    if !*held {
        return;
    }
    let screen = Screen::of(&window, &free);
    match fingers.as_slice() {
        [one] if one.delta() != Vec2::ZERO => {
            orbit.turn(-one.delta().x * TURN_PER_PX, one.delta().y * TURN_PER_PX);
        }
        [a, b, ..] if a.delta() != Vec2::ZERO || b.delta() != Vec2::ZERO => {
            let before = a.previous_position().distance(b.previous_position()).max(1.0);
            let after = a.position().distance(b.position()).max(1.0);
            let middle = (a.position() + b.position()) / 2.0;
            orbit.pan(-screen.shares((a.delta() + b.delta()) / 2.0));
            orbit.zoom(before / after, screen.shares(middle - screen.middle));
        }
        _ => {}
    }
}

fn keys(
    mut orbit: Single<&mut Orbit>,
    owned: Res<Owned>,
    selected: Res<Selected>,
    time: Res<Time<Real>>,
    keys: Res<ButtonInput<KeyCode>>,
    mut requests: MessageWriter<LookAt>,
) {
    let chord = [
        KeyCode::ControlLeft,
        KeyCode::ControlRight,
        KeyCode::AltLeft,
        KeyCode::AltRight,
        KeyCode::SuperLeft,
        KeyCode::SuperRight,
    ];
    if owned.keyboard || keys.any_pressed(chord) {
        return;
    }
    let axis = |less: &[KeyCode], more: &[KeyCode]| {
        let on = |keys_of: &[KeyCode]| f32::from(u8::from(keys.any_pressed(keys_of.iter().copied())));
        on(more) - on(less)
    };
    let seconds = time.delta_secs().min(0.1);
    let yaw = axis(&[KeyCode::ArrowLeft], &[KeyCode::ArrowRight]);
    let pitch = axis(&[KeyCode::ArrowDown], &[KeyCode::ArrowUp]);
    if yaw.abs() + pitch.abs() > 0.0 {
        orbit.turn(yaw * TURN_PER_S * seconds, pitch * TURN_PER_S * seconds * 0.7);
    }
    let zoom = axis(&[KeyCode::Equal, KeyCode::NumpadAdd], &[KeyCode::Minus, KeyCode::NumpadSubtract]);
    if zoom.abs() > 0.0 {
        orbit.zoom((zoom * ZOOM_PER_S * seconds).exp(), Vec2::ZERO);
    }
    if keys.just_pressed(KeyCode::Home) {
        requests.write(LookAt::Home);
    }
    if keys.just_pressed(KeyCode::KeyF)
        && let Some(thing) = selected.0
    {
        requests.write(LookAt::Thing(thing));
    }
}
