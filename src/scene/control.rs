//! The control plane: each replica's head stands on its log; one line through all of them is what is committed.

use std::f32::consts::TAU;

use bevy::prelude::*;
use switchyard_view::layout::control::{LogLevels, replica_angle, replica_pose};
use switchyard_view::layout::measures::{
    COLUMN, CONTROL_RADIUS, HEAD_HEIGHT, HEAD_RADIUS, PLATFORM_HEIGHT, SLAB, SLAB_GAP, TIMER_RADIUS,
};
use switchyard_view::layout::paths::arc;
use switchyard_view::stage::{Replica, Role, Stage};

use super::ink::line::Pen;
use super::ink::solid::Frame;
use super::ink::{Ink, Press, Zone};
use super::{ReducedMotion, StageNow, ease_out};
use crate::app::AppSystems;
use crate::theme::palette::Hue;

/// Seconds until a new height is reached: heads and the committed line glide, they do not jump.
const GLIDE: f32 = 0.18;
/// Seconds that the crown takes to fall or to appear.
const CROWN: f32 = 0.5;

pub(super) fn plugin(app: &mut App) {
    app.add_systems(Update, (draw, draw_timers).in_set(AppSystems::Mirror));
}

/// The control plane between two states.
#[derive(Default)]
struct View {
    zone: Zone,
    drawn: Option<Drawn>,
    /// Heights of the heads over the platform.
    heads: Vec<f32>,
    /// Height of the committed line over the platform.
    line: f32,
    /// How far each crown has appeared, 0 to 1.
    crowns: Vec<f32>,
}

/// What the picture depends on, apart from the timers.
#[derive(PartialEq, Clone)]
struct Drawn {
    replicas: Vec<Replica>,
    committed: u64,
}

fn draw(
    stage: Res<StageNow>,
    reduced: Res<ReducedMotion>,
    time: Res<Time<Real>>,
    mut press: Press,
    mut view: Local<View>,
) {
    let seconds = if reduced.0 || view.drawn.is_none() { f32::INFINITY } else { time.delta_secs().min(0.1) };
    let moving = view.step(&stage.0, seconds);
    if !moving && !stage.is_changed() {
        return;
    }
    let replicas = stage.0.replicas.iter().map(|replica| Replica { timer: 0.0, ..replica.clone() }).collect();
    let now = Drawn { replicas, committed: stage.0.committed };
    if !moving && view.drawn.as_ref() == Some(&now) {
        return;
    }
    let mut ink = Ink::default();
    let levels = LogLevels::of(&stage.0);
    for i in 0..now.replicas.len() {
        let column = Column {
            replica: &now.replicas[i],
            frame: Frame::from(replica_pose(i, now.replicas.len())),
            levels: levels.column(&now.replicas[i]),
            head: view.heads[i],
            crown: view.crowns[i],
        };
        column.draw(&mut ink);
    }
    committed_line(&mut ink, &now, view.line);
    press.print(&mut view.zone, &ink);
    view.drawn = Some(now);
}

impl View {
    fn step(&mut self, stage: &Stage, seconds: f32) -> bool {
        let levels = LogLevels::of(stage);
        let count = stage.replicas.len();
        if self.heads.len() != count {
            self.heads = stage.replicas.iter().map(|replica| levels.height(replica)).collect();
            self.crowns = vec![0.0; count];
        }
        let share = 1.0 - (-seconds * 3.0 / GLIDE).exp();
        let mut moving = false;
        for (i, replica) in stage.replicas.iter().enumerate() {
            moving |= glide(&mut self.heads[i], levels.height(replica), share);
            let crown = f32::from(u8::from(replica.role == Role::Leader));
            let by = (crown - self.crowns[i]).clamp(-seconds / CROWN, seconds / CROWN);
            self.crowns[i] += by;
            moving |= by.abs() > 0.0;
        }
        moving | glide(&mut self.line, levels.top(stage.committed), share)
    }
}

/// Moves a height by a share of what is missing; says whether it moved.
fn glide(value: &mut f32, target: f32, share: f32) -> bool {
    let missing = target - *value;
    if missing.abs() <= f32::EPSILON {
        return false;
    }
    *value = if missing.abs() < 0.002 { target } else { *value + missing * share };
    true
}

/// One replica: its frame stands on the platform and faces the signal.
struct Column<'a> {
    replica: &'a Replica,
    frame: Frame,
    levels: LogLevels,
    head: f32,
    crown: f32,
}

impl Column<'_> {
    fn draw(&self, ink: &mut Ink) {
        self.log(ink);
        if self.replica.role == Role::Down {
            self.fallen(ink);
            return;
        }
        let hue = if self.replica.role == Role::Leader { Hue::HeadLeader } else { Hue::Head };
        self.head(ink, &self.frame.moved(Vec3::Y * self.head), hue);
        if self.replica.role == Role::Candidate {
            self.ballot(ink);
        }
        if self.crown > 0.0 {
            self.crown(ink);
        }
    }

    /// The slabs of the log: solid if committed, an outline if only written.
    fn log(&self, ink: &mut Ink) {
        let Replica { last, log, .. } = self.replica;
        let first = last + 1 - (log.len() as u64).min(*last);
        let size = Vec3::new(COLUMN, SLAB, COLUMN);
        // A dark core shows as seams between the slabs.
        let solid = (first..).zip(log).filter(|entry| entry.1.committed).map(|entry| entry.0).last();
        let core = solid.map_or(0.0, |index| self.levels.top(index)).min(self.head) - SLAB;
        if core > 0.0 {
            let width = COLUMN - 0.03;
            ink.solid.block(&self.frame, Vec3::new(width, core, width), 0.0, Hue::RackBack);
        }
        for (index, slab) in (first..).zip(log) {
            if index <= self.levels.base {
                continue;
            }
            // A head that still glides stands on slabs that come with it.
            let y = (self.levels.top(index) - SLAB - SLAB_GAP).min(self.head - SLAB);
            if y < -0.001 {
                continue;
            }
            let frame = self.frame.moved(Vec3::Y * y);
            let hue = Hue::of_term(slab.term);
            if slab.committed {
                ink.solid.block(&frame, size, 0.012, hue);
            } else {
                ink.ghost.opacity(0.3);
                ink.ghost.block(&frame, size, 0.0, hue);
                ink.line.frame(&frame, size, Pen::new(hue, 1.6));
            }
        }
    }

    /// An eight-sided head with a bar in front that shines in the colour of its term.
    fn head(&self, ink: &mut Ink, at: &Frame, hue: Hue) {
        let (wide, h) = (HEAD_RADIUS, HEAD_HEIGHT);
        ink.solid.prism(at, 8, (wide, wide * 0.97), h * 0.68, hue);
        ink.solid.prism(&at.moved(Vec3::Y * h * 0.68), 8, (wide * 0.97, wide * 0.72), h * 0.32, hue);
        let apothem = wide * (TAU / 16.0).cos();
        let bar = at.moved(Vec3::new(0.0, h * 0.36, apothem - 0.008));
        ink.solid.block(&bar, Vec3::new(0.12, 0.034, 0.016), 0.0, Hue::of_term(self.replica.term));
    }

    /// A replica that crashed: its head lies before its log, with a cross above.
    fn fallen(&self, ink: &mut Ink) {
        let floor = self.frame.moved(Vec3::new(0.36, 0.17, 0.22)).turned(Quat::from_rotation_z(-1.25));
        let at = floor.moved(Vec3::Y * -HEAD_HEIGHT / 2.0);
        self.head(ink, &at, Hue::HeadDown);
        let cross = self.frame.moved(Vec3::Y * (self.head + 0.2));
        for side in [-1.0, 1.0] {
            let half = Vec3::new(0.13, side * 0.13, 0.0);
            ink.solid.bar(cross.point(-half), cross.point(half), 0.034, Hue::Bad);
        }
    }

    /// A flag: it asks for votes.
    fn ballot(&self, ink: &mut Ink) {
        let foot = self.frame.moved(Vec3::Y * (self.head + HEAD_HEIGHT * 0.9));
        let pole = (foot.point(Vec3::ZERO), foot.point(Vec3::Y * 0.3));
        ink.solid.bar(pole.0, pole.1, 0.018, Hue::Fence);
        let flag = foot.moved(Vec3::new(0.1, 0.17, 0.0));
        ink.solid.block(&flag, Vec3::new(0.19, 0.13, 0.014), 0.0, Hue::Crown);
        let term = foot.moved(Vec3::new(0.1, 0.215, 0.004));
        ink.solid.block(&term, Vec3::new(0.1, 0.035, 0.014), 0.0, Hue::of_term(self.replica.term));
    }

    /// A crown with five points; it comes down onto a new leader and sinks from an old one.
    fn crown(&self, ink: &mut Ink) {
        let shown = ease_out(self.crown);
        let leads = self.replica.role == Role::Leader;
        let above = if leads { 0.06 + 0.25 * (1.0 - shown) } else { 0.06 * shown };
        let at = self.frame.moved(Vec3::Y * (self.head + HEAD_HEIGHT + above));
        let size = if leads { 0.55 + 0.45 * shown } else { shown };
        let wall = |i: u32, high: bool, out: f32| {
            let angle = i as f32 / 20.0 * TAU;
            // Five points: every fourth step is a tip, the one half way between two tips a valley.
            let tip = [1.0, 0.7, 0.5, 0.7][(i % 4) as usize];
            let radius = size * if high { 0.155 + 0.045 * tip } else { 0.155 } + out;
            let y = size * if high { 0.23 * tip } else { 0.0 };
            at.point(Vec3::new(radius * angle.sin(), y, radius * angle.cos()))
        };
        let middle = at.point(Vec3::Y * 0.09);
        for i in 0..20 {
            let outer =
                [wall(i, false, 0.0), wall(i + 1, false, 0.0), wall(i + 1, true, 0.0), wall(i, true, 0.0)];
            ink.solid.face(&outer, middle, Hue::Crown);
            let inner = [
                wall(i, false, -0.014),
                wall(i + 1, false, -0.014),
                wall(i + 1, true, -0.014),
                wall(i, true, -0.014),
            ];
            let beyond = inner[0] + (inner[0] - middle) * 2.0;
            ink.solid.face(&inner, beyond, Hue::CrownInner);
            if i % 4 == 0 {
                ink.solid.ball(wall(i, true, 0.0), 0.03 * size, Hue::Crown);
            }
        }
        ink.solid.ring(&at.moved(Vec3::Y * 0.02), 20, 0.16 * size, 0.018, Hue::Crown);
        ink.glow.halo(middle, 0.8, Hue::Crown, 0.24 * shown);
    }
}

/// One level line through all columns, with a square collar on each.
fn committed_line(ink: &mut Ink, now: &Drawn, height: f32) {
    let count = now.replicas.len();
    if count == 0 || now.committed == 0 {
        return;
    }
    let y = PLATFORM_HEIGHT + height;
    let half = COLUMN / 2.0 + 0.05;
    for (i, replica) in now.replicas.iter().enumerate() {
        let frame = Frame::from(replica_pose(i, count)).moved(Vec3::Y * height);
        let corners = [(-half, -half), (half, -half), (half, half), (-half, half), (-half, -half)];
        let corners = corners.map(|(x, z)| frame.point(Vec3::new(x, 0.0, z)));
        let faint = if replica.role == Role::Down { 0.35 } else { 1.0 };
        corners.windows(2).for_each(|side| {
            ink.line.segment(side[0], side[1], Pen::new(Hue::Waterline, 2.0).alpha(faint));
        });
        if i + 1 < count {
            let inset = (half + 0.01) / CONTROL_RADIUS;
            let between =
                arc(CONTROL_RADIUS, replica_angle(i, count) + inset, replica_angle(i + 1, count) - inset, y);
            ink.line.path(&between, Pen::new(Hue::Waterline, 2.0).alpha(0.6));
        }
    }
    // A short end beyond the last column leads to its label.
    let last = replica_angle(count - 1, count);
    let end = arc(CONTROL_RADIUS, last + half / CONTROL_RADIUS, last + (half + 0.46) / CONTROL_RADIUS, y);
    ink.line.path(&end, Pen::new(Hue::Waterline, 2.0).alpha(0.6));
}

/// The rings on the floor: gold about the leader, what is left of the election timeout about the others.
fn draw_timers(
    stage: Res<StageNow>,
    mut press: Press,
    mut zone: Local<Zone>,
    mut shown: Local<Vec<(Role, u16)>>,
) {
    let replicas = &stage.0.replicas;
    let step = |replica: &Replica| (replica.role, (replica.timer.clamp(0.0, 1.0) * 720.0) as u16);
    if !stage.is_changed() || shown.iter().copied().eq(replicas.iter().map(step)) {
        return;
    }
    *shown = replicas.iter().map(step).collect();
    let mut ink = Ink::default();
    for (i, replica) in replicas.iter().enumerate() {
        let middle = replica_pose(i, replicas.len()).at + Vec3::Y * 0.004;
        match replica.role {
            Role::Leader => {
                ink.line.circle(middle, TIMER_RADIUS, 0.0, 1.0, Pen::new(Hue::LeaderRing, 2.4));
            }
            Role::Down => {
                ink.line.circle(middle, TIMER_RADIUS, 0.0, 1.0, Pen::new(Hue::TimerRingBack, 1.4));
            }
            Role::Follower | Role::Candidate => {
                ink.line.circle(middle, TIMER_RADIUS, 0.0, 1.0, Pen::new(Hue::TimerRingBack, 1.4));
                let left = replica.timer.clamp(0.0, 1.0);
                ink.line.circle(middle, TIMER_RADIUS, 0.0, left, Pen::new(Hue::TimerRing, 3.0));
                let angle = left * TAU;
                let bead = middle + TIMER_RADIUS * Vec3::new(angle.sin(), 0.03, angle.cos());
                ink.solid.ball(bead, 0.036, Hue::TimerRing);
            }
        }
    }
    press.print(&mut zone, &ink);
}
