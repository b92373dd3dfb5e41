//! Where the camera stands: it follows its goal gently, glides when it is sent somewhere, and turns slowly until
//! the visitor first touches it.

use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use switchyard_view::layout::home::{self, DISTANCE, View};
use switchyard_view::layout::measures::RACK_RADIUS;
use switchyard_view::layout::pick::bounds_of;
use switchyard_view::layout::racks::{rack_places, row_radius};
use switchyard_view::stage::Stage;

use super::lens::Lens;
use super::{FreeRect, LookAt};
use crate::app::AppSystems;
use crate::scene::{ReducedMotion, StageNow};
use crate::theme::Theme;
use crate::theme::palette::ambience;

/// Seconds of a glide.
const GLIDE: f32 = 0.6;
/// How fast the camera closes in on its goal, per second.
const FOLLOW: f32 = 13.0;
/// The slow turn: degrees per second at its fastest, and how far it swings.
const TURN_DEG_PER_S: f32 = 1.2;
const SWING_DEG: f32 = 14.0;
/// How far the camera may turn, tilt and wander, in degrees and metres.
const YAW: (f32, f32) = (-75.0, 75.0);
const PITCH: (f32, f32) = (12.0, 80.0);
const WANDER: f32 = 14.0;

pub(super) fn plugin(app: &mut App) {
    app.add_systems(Update, (steer, advance, aim).chain().in_set(AppSystems::Present));
}

/// Where the camera is and where it wants to be.
#[derive(Component, Debug)]
pub(crate) struct Orbit {
    now: View,
    goal: View,
    glide: Option<Glide>,
    /// The visitor has not moved the camera: it keeps the whole yard in view.
    at_home: bool,
    /// The visitor has not touched the camera at all: it turns slowly.
    untouched: bool,
    swing: f32,
    fitted: Option<Fitted>,
}

#[derive(Debug)]
struct Glide {
    from: View,
    share: f32,
}

/// What the home view was computed for.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Fitted {
    free: Rect,
    canvas: Vec2,
    racks: usize,
    replicas: usize,
}

impl Default for Orbit {
    fn default() -> Self {
        let view = View {
            target: Vec3::ZERO,
            yaw_deg: home::HOME_YAW_DEG,
            pitch_deg: home::HOME_PITCH_DEG,
            distance: 28.4,
        };
        Self { now: view, goal: view, glide: None, at_home: true, untouched: true, swing: 0.0, fitted: None }
    }
}

impl Orbit {
    /// Distance from the target now.
    pub(crate) fn distance(&self) -> f32 {
        self.now.distance
    }

    /// Turns by degrees.
    pub(super) fn turn(&mut self, yaw_deg: f32, pitch_deg: f32) {
        self.take();
        self.goal.yaw_deg += yaw_deg;
        self.goal.pitch_deg += pitch_deg;
        self.keep_within();
    }

    /// Moves the target across the picture, by shares of the distance to the right and up.
    pub(super) fn pan(&mut self, by: Vec2) {
        self.take();
        let across = self.goal.rotation() * by.extend(0.0) * self.goal.distance;
        self.goal.target += across;
        self.keep_within();
    }

    /// Multiplies the distance; the point at `anchor` (shares of the distance from the middle) stays where it is.
    pub(super) fn zoom(&mut self, factor: f32, anchor: Vec2) {
        self.take();
        let before = self.goal.distance;
        self.goal.distance = (before * factor).clamp(DISTANCE.0, DISTANCE.1);
        let across = self.goal.rotation() * anchor.extend(0.0);
        self.goal.target += across * (before - self.goal.distance);
        self.keep_within();
    }

    /// The visitor takes the camera: what it did by itself ends where it is.
    fn take(&mut self) {
        if self.glide.take().is_some() || self.untouched {
            self.goal = self.now;
        }
        self.at_home = false;
        self.untouched = false;
    }

    fn send(&mut self, goal: View) {
        self.goal = goal;
        self.keep_within();
        self.glide = Some(Glide { from: self.now, share: 0.0 });
        self.untouched = false;
    }

    fn keep_within(&mut self) {
        let goal = &mut self.goal;
        goal.yaw_deg = goal.yaw_deg.clamp(YAW.0, YAW.1);
        goal.pitch_deg = goal.pitch_deg.clamp(PITCH.0, PITCH.1);
        let reach = WANDER.max(goal.distance * 0.5);
        goal.target = goal.target.clamp(Vec3::new(-reach, 0.0, -reach * 2.0), Vec3::new(reach, 4.0, reach));
    }
}

/// The free part of the canvas.
pub(super) fn free_rect(free: &FreeRect, canvas: Vec2) -> Rect {
    let whole = Rect::from_corners(Vec2::ZERO, canvas);
    // A rectangle that panels cover almost wholly is as good as none.
    free.0
        .map(|rect| rect.intersect(whole))
        .filter(|rect| rect.width() >= 40.0 && rect.height() >= 40.0)
        .unwrap_or(whole)
}

/// Keeps the home view fitted, and follows requests.
fn steer(
    mut orbit: Single<&mut Orbit>,
    mut requests: MessageReader<LookAt>,
    stage: Res<StageNow>,
    free: Res<FreeRect>,
    window: Single<&Window, With<PrimaryWindow>>,
) {
    let canvas = Vec2::new(window.width(), window.height());
    let fitted = Fitted {
        free: free_rect(&free, canvas),
        canvas,
        racks: stage.0.racks.len(),
        replicas: stage.0.replicas.len(),
    };
    let size = fitted.free.size();
    if orbit.at_home && orbit.fitted != Some(fitted) && fitted.racks + fitted.replicas > 0 {
        let view = home::home(&stage.0, size, canvas.y);
        // The first view is there at once, and so is one for a canvas of another size.
        if orbit.fitted.is_none_or(|old| old.canvas != canvas) {
            orbit.now = view;
        }
        orbit.goal = view;
        orbit.fitted = Some(fitted);
    }
    for request in requests.read() {
        match request {
            LookAt::Home => {
                orbit.send(home::home(&stage.0, size, canvas.y));
                orbit.at_home = true;
                orbit.fitted = Some(fitted);
            }
            LookAt::Thing(thing) => {
                if let Some(bounds) = bounds_of(&stage.0, *thing) {
                    let now = orbit.goal;
                    orbit.send(home::frame(&bounds, &now, size, canvas.y));
                    orbit.at_home = false;
                }
            }
        }
    }
}

/// Moves the camera towards its goal.
fn advance(mut orbit: Single<&mut Orbit>, time: Res<Time<Real>>, reduced: Res<ReducedMotion>) {
    let seconds = time.delta_secs().min(0.1);
    let orbit: &mut Orbit = &mut orbit;
    if reduced.0 {
        orbit.glide = None;
        orbit.untouched = false;
        if orbit.now != orbit.goal {
            orbit.now = orbit.goal;
        }
        return;
    }
    if let Some(glide) = &mut orbit.glide {
        glide.share += seconds / GLIDE;
        let share = glide.share.min(1.0);
        let (from, smooth) = (glide.from, share * share * (3.0 - 2.0 * share));
        orbit.now = between(&from, &orbit.goal, smooth);
        if share >= 1.0 {
            orbit.glide = None;
        }
        return;
    }
    let mut goal = orbit.goal;
    if orbit.untouched {
        orbit.swing += seconds;
        goal.yaw_deg += SWING_DEG * (orbit.swing * TURN_DEG_PER_S / SWING_DEG).sin();
    }
    if orbit.now != goal {
        let share = 1.0 - (-FOLLOW * seconds).exp();
        let next = between(&orbit.now, &goal, share);
        orbit.now = if is_close(&next, &goal) { goal } else { next };
    }
}

/// A view between two; distances go by ratio.
fn between(a: &View, b: &View, share: f32) -> View {
    View {
        target: a.target.lerp(b.target, share),
        yaw_deg: a.yaw_deg + (b.yaw_deg - a.yaw_deg) * share,
        pitch_deg: a.pitch_deg + (b.pitch_deg - a.pitch_deg) * share,
        distance: a.distance * (b.distance / a.distance).powf(share),
    }
}

fn is_close(a: &View, b: &View) -> bool {
    a.target.distance(b.target) < 0.001 * b.distance.min(10.0)
        && (a.yaw_deg - b.yaw_deg).abs() < 0.01
        && (a.pitch_deg - b.pitch_deg).abs() < 0.01
        && (a.distance / b.distance - 1.0).abs() < 0.0005
}

/// How far the farthest row stands behind the first.
fn depth(stage: &Stage) -> f32 {
    rack_places(stage.racks.len()).last().map_or(0.0, |place| row_radius(place.row) - RACK_RADIUS)
}

/// Points lens and fog.
fn aim(
    camera: Single<(&Orbit, &mut Transform, &mut Projection, &mut DistanceFog)>,
    stage: Res<StageNow>,
    free: Res<FreeRect>,
    theme: Res<Theme>,
    window: Single<&Window, With<PrimaryWindow>>,
    mut clear: ResMut<ClearColor>,
) {
    let (orbit, mut transform, mut projection, mut fog) = camera.into_inner();
    let view = &orbit.now;
    let next = Transform { translation: view.eye(), rotation: view.rotation(), scale: Vec3::ONE };
    transform.set_if_neq(next);
    let canvas = Vec2::new(window.width(), window.height()).max(Vec2::ONE);
    let offset = free_rect(&free, canvas).center() - canvas / 2.0;
    let middle = Vec2::new(offset.x, -offset.y) / (canvas / 2.0);
    let near = (view.distance * 0.04).clamp(0.1, 2.0);
    let lens = match &*projection {
        Projection::Custom(custom) => custom.get::<Lens>().cloned().unwrap_or_default(),
        _ => Lens::default(),
    };
    let aimed = lens.aimed(middle, near);
    if aimed != lens {
        *projection = Projection::custom(aimed);
    }
    let ambience = ambience(*theme);
    let background = Color::srgb_u8(
        (ambience.background >> 16) as u8,
        (ambience.background >> 8) as u8,
        ambience.background as u8,
    );
    if clear.0 != background {
        clear.0 = background;
    }
    let far = view.distance + depth(&stage.0);
    let (start, end) = (far + ambience.fog.0, far + ambience.fog.1);
    let unchanged = fog.color == background
        && matches!(fog.falloff, FogFalloff::Linear { start: a, end: b } if a.to_bits() == start.to_bits() && b.to_bits() == end.to_bits());
    if !unchanged {
        fog.color = background;
        fog.falloff = FogFalloff::Linear { start, end };
    }
}
