//! Messages on their way, each kind in its own shape, and bursts where one was lost.

use std::f32::consts::{FRAC_PI_2, TAU};

use bevy::prelude::*;
use switchyard_view::layout::control::LogLevels;
use switchyard_view::layout::paths::Way;
use switchyard_view::stage::{End, Happening, Kind, Message, Stage, Tint};

use super::ink::line::Pen;
use super::ink::solid::Frame;
use super::ink::{Ink, Press, Zone};
use super::{ReducedMotion, StageNow, ease_out};
use crate::app::AppSystems;
use crate::theme::palette::Hue;

/// Seconds of a burst.
const BURST: f32 = 0.38;
/// The reach of a burst's rays.
const BURST_RADIUS: f32 = 0.24;
/// Messages that are drawn at most; the rest would only be a cloud.
const MOST: usize = 240;

pub(super) fn plugin(app: &mut App) {
    app.add_systems(Update, draw.in_set(AppSystems::Mirror));
}

/// A message that was lost at a point of its way.
struct Burst {
    way: Way,
    progress: f32,
    begin: f32,
}

#[derive(Default)]
struct View {
    zone: Zone,
    bursts: Vec<Burst>,
    empty: bool,
}

fn draw(
    stage: Res<StageNow>,
    reduced: Res<ReducedMotion>,
    time: Res<Time<Real>>,
    mut press: Press,
    mut view: Local<View>,
) {
    let now = time.elapsed_secs();
    let levels = LogLevels::of(&stage.0);
    if stage.is_changed() && !reduced.0 {
        view.bursts.extend(lost(&stage.0, &levels, now));
    }
    view.bursts.retain(|burst| now - burst.begin < BURST);
    let bursting = !view.bursts.is_empty();
    if !stage.is_changed() && !bursting && view.empty {
        return;
    }
    if stage.0.messages.is_empty() && !bursting && view.empty {
        return;
    }
    let mut ink = Ink::default();
    for message in stage.0.messages.iter().take(MOST) {
        if let Some(way) = Way::of_message(&stage.0, &levels, message.from, message.to) {
            draw_message(&mut ink, message, &way);
        }
    }
    for burst in &view.bursts {
        burst.draw(&mut ink, (now - burst.begin) / BURST);
    }
    press.print(&mut view.zone, &ink);
    view.empty = stage.0.messages.is_empty() && !bursting;
}

/// What was lost since the last stage.
fn lost(stage: &Stage, levels: &LogLevels, begin: f32) -> impl Iterator<Item = Burst> {
    stage.happenings.iter().filter_map(move |happening| {
        let Happening::Lost(message) = happening else { return None };
        let way = Way::of_message(stage, levels, message.from, message.to)?;
        Some(Burst { way, progress: message.progress.clamp(0.1, 0.9), begin })
    })
}

fn hue(message: &Message) -> Hue {
    match message.tint {
        Tint::Term(term) => Hue::of_term(term),
        Tint::Account(account) => Hue::Account(account),
        Tint::Plain => Hue::Heartbeat,
    }
}

fn draw_message(ink: &mut Ink, message: &Message, way: &Way) {
    let t = message.progress.clamp(0.0, 1.0);
    let (at, heading, hue) = (way.at(t), way.heading(t), hue(message));
    let trail: Vec<Vec3> = (0..10).map(|k| way.at((t - 0.022 * k as f32).max(0.0))).collect();
    ink.line.fading(&trail, Pen::new(hue, 2.2).alpha(0.8), (1.0, 0.04));
    if matches!((message.from, message.to), (End::Replica(_), End::Replica(_))) {
        let rest: Vec<Vec3> = (0..=12).map(|k| way.at(t + (1.0 - t) * k as f32 / 12.0)).collect();
        ink.line.path(&rest, Pen::new(Hue::MessagePath, 1.1).alpha(0.7));
    }
    let ahead = Frame::towards(at, heading);
    // The frame's y points forward: prisms and rings stand across the way.
    let forward = ahead.turned(Quat::from_rotation_x(-FRAC_PI_2));
    match message.kind {
        Kind::Append(entries) => {
            let flat = Frame::towards(at, heading.with_y(0.0).normalize_or(Vec3::NEG_Z));
            for i in 0..entries.clamp(1, 4) {
                let slab = flat.moved(Vec3::Y * 0.046 * f32::from(i));
                ink.solid.block(&slab, Vec3::new(0.16, 0.034, 0.16), 0.006, hue);
            }
        }
        Kind::Heartbeat => ink.solid.ball(at, 0.048, hue),
        Kind::Answer => ink.solid.prism(&forward, 3, (0.06, 0.0), 0.1, hue),
        Kind::Vote => ink.solid.ring(&forward, 4, 0.085, 0.02, hue),
        Kind::Snapshot => ink.solid.prism(&ahead.moved(Vec3::Y * -0.06), 16, (0.085, 0.085), 0.12, hue),
        Kind::Lease => ink.solid.ring(&forward, 16, 0.075, 0.018, hue),
        Kind::Start => ink.solid.prism(&forward, 4, (0.07, 0.0), 0.18, hue),
    }
}

impl Burst {
    /// Short rays that fly apart and fade; the way that was not made is dashed.
    fn draw(&self, ink: &mut Ink, t: f32) {
        let (at, out) = (self.way.at(self.progress), ease_out(t));
        let pen = Pen::new(Hue::Burst, 2.2).alpha(1.0 - t * t);
        for i in 0..12 {
            let angle = i as f32 / 12.0 * TAU;
            let tilt = if i % 2 == 0 { 0.35 } else { -0.2 };
            let ray = Vec3::new(angle.cos(), angle.sin(), tilt).normalize();
            let (from, to) = (BURST_RADIUS * (0.2 + 0.55 * out), BURST_RADIUS * (0.4 + 0.8 * out));
            ink.line.segment(at + ray * from, at + ray * to, pen);
        }
        let left = 1.0 - self.progress;
        let rest: Vec<Vec3> = (0..=16).map(|k| self.way.at(self.progress + left * k as f32 / 16.0)).collect();
        ink.line.path(&rest, Pen::new(Hue::Bad, 1.2).dashed(0.14).alpha(0.8 * (1.0 - t)));
        ink.glow.halo(at, 0.55, Hue::Bad, 0.6 * (1.0 - t));
    }
}
