//! What stands in the racks: trays, GPUs about their NVSwitch, and the marks of nodes that are not well.

use std::f32::consts::{FRAC_PI_4, TAU};

use bevy::prelude::*;
use switchyard_model::JobId;
use switchyard_view::layout::measures::{GPU, GPU_IDLE, GPU_RESERVED, NODE_FRAME, NVSWITCH, TRAY, TRAY_LIP};
use switchyard_view::layout::racks::{RackPlace, rack_places, slot_at, tray_at, tray_scale};
use switchyard_view::stage::{Health, Node, Rack, Run, Slot, Stage, Thing};

use super::flights::{Flights, fly};
use super::ink::line::Pen;
use super::ink::solid::Frame;
use super::ink::{Ink, Press, Zone};
use super::{Hovered, ReducedMotion, StageNow, ease_out};
use crate::app::AppSystems;
use crate::theme::palette::Hue;

/// How long a GPU takes to stand up and to lie down, and a tray to drop, in seconds.
const RISE: f32 = 0.26;
const SINK: f32 = 0.32;
const FALL: f32 = 0.5;
/// How far the blocks of the job under the pointer are lifted.
const LIFT: f32 = 0.04;
/// How far a tray without power hangs, in degrees.
const HANG_DEG: f32 = 4.3;

pub(super) fn plugin(app: &mut App) {
    // A slot must not show a job while its block is still in the air.
    app.add_systems(Update, draw.in_set(AppSystems::Mirror).after(fly));
}

/// A rack as it was drawn last.
struct RackView {
    zone: Zone,
    place: RackPlace,
    drawn: Option<Rack>,
    lifted: Option<JobId>,
    nodes: Vec<NodeView>,
}

/// A node between two states.
#[derive(Clone, Default)]
struct NodeView {
    slots: Vec<SlotView>,
    /// How far its tray has dropped, 0 to 1.
    fall: f32,
}

/// A slot between two states.
#[derive(Clone, Copy, Default)]
struct SlotView {
    /// What stands on it, also while it sinks.
    run: Option<Run>,
    /// How far it has risen, 0 to 1.
    level: f32,
    /// Whether a job is on its way to it.
    awaits: Option<u8>,
}

fn draw(
    stage: Res<StageNow>,
    hovered: Res<Hovered>,
    flights: Res<Flights>,
    reduced: Res<ReducedMotion>,
    time: Res<Time<Real>>,
    mut press: Press,
    mut views: Local<Vec<RackView>>,
) {
    let seconds = if reduced.0 { f32::INFINITY } else { time.delta_secs().min(0.1) };
    let racks = &stage.0.racks;
    if views.len() != racks.len() {
        for view in views.drain(..) {
            press.remove(view.zone);
        }
        for place in rack_places(racks.len()) {
            views.push(RackView {
                zone: Zone::default(),
                place,
                drawn: None,
                lifted: None,
                nodes: Vec::new(),
            });
        }
    }
    let lifted = hovered_job(&stage.0, hovered.0);
    for (view, rack) in views.iter_mut().zip(racks) {
        let lifted = lifted.filter(|&job| runs_here(rack, job));
        let fresh = view.drawn.is_none();
        let moves = view.step(rack, &flights, if fresh { f32::INFINITY } else { seconds });
        if moves || view.lifted != lifted || view.drawn.as_ref() != Some(rack) {
            view.lifted = lifted;
            let ink = view.ink(rack);
            press.print(&mut view.zone, &ink);
            view.drawn = Some(rack.clone());
        }
    }
}

/// The job under the pointer, if it runs.
fn hovered_job(stage: &Stage, thing: Option<Thing>) -> Option<JobId> {
    let Some(Thing::Slot(node, slot)) = thing else { return None };
    let (rack, place) = stage.find_node(node)?;
    let slot = stage.racks[rack].nodes[place].slots.get(usize::from(slot))?;
    slot.run.map(|run| run.job)
}

fn runs_here(rack: &Rack, job: JobId) -> bool {
    rack.nodes.iter().flat_map(|node| &node.slots).any(|slot| slot.run.is_some_and(|run| run.job == job))
}

impl RackView {
    /// Moves everything towards what the rack is now; says whether anything moved.
    fn step(&mut self, rack: &Rack, flights: &Flights, seconds: f32) -> bool {
        let mut moved = false;
        self.nodes.resize_with(rack.nodes.len(), NodeView::default);
        for (view, node) in self.nodes.iter_mut().zip(&rack.nodes) {
            let fall = f32::from(u8::from(node.health == Health::Down));
            moved |= approach(&mut view.fall, fall, seconds / FALL);
            view.slots.resize_with(node.slots.len(), SlotView::default);
            for (i, (view, slot)) in view.slots.iter_mut().zip(&node.slots).enumerate() {
                moved |= view.step(slot, flights.awaited(node.id, i as u8), seconds);
            }
        }
        moved
    }

    fn ink(&self, rack: &Rack) -> Ink {
        let mut ink = Ink::default();
        let frame = Frame::from(self.place.pose);
        let count = rack.nodes.len();
        for (i, (node, view)) in rack.nodes.iter().zip(&self.nodes).enumerate() {
            let tray = Tray {
                frame: frame.moved(tray_at(i, count)).turned(hang(view.fall)),
                node,
                view,
                scale: tray_scale(count),
                lifted: self.lifted,
            };
            tray.draw(&mut ink);
        }
        ink
    }
}

/// A tray without power hangs down at the front and to the side.
fn hang(fall: f32) -> Quat {
    let angle = (HANG_DEG * ease_out(fall)).to_radians();
    Quat::from_rotation_x(angle * 0.8) * Quat::from_rotation_z(-angle)
}

/// Moves a value towards a target by a step; says whether it moved.
fn approach(value: &mut f32, target: f32, step: f32) -> bool {
    let before = *value;
    *value = if target > before { (before + step).min(target) } else { (before - step).max(target) };
    (*value - before).abs() > 0.0
}

impl SlotView {
    fn step(&mut self, slot: &Slot, awaits: Option<u8>, seconds: f32) -> bool {
        let before = self.awaits;
        self.awaits = awaits;
        let mut moved = before != awaits;
        let target = if awaits.is_some() { None } else { slot.run };
        match target {
            Some(run) if self.run.is_some_and(|shown| shown.job != run.job) || self.run.is_none() => {
                // Another job at once: it rises from low, so that the change is seen.
                self.level = self.level.min(0.3);
                self.run = Some(run);
                moved = true;
                approach(&mut self.level, 1.0, seconds / RISE);
            }
            Some(_) => moved |= approach(&mut self.level, 1.0, seconds / RISE),
            None => {
                moved |= approach(&mut self.level, 0.0, seconds / SINK);
                if self.level <= 0.0 && self.run.take().is_some() {
                    moved = true;
                }
            }
        }
        moved
    }
}

/// A tray in its frame: the origin is the middle of its underside.
struct Tray<'a> {
    frame: Frame,
    node: &'a Node,
    view: &'a NodeView,
    scale: f32,
    lifted: Option<JobId>,
}

impl Tray<'_> {
    fn draw(&self, ink: &mut Ink) {
        self.board(ink);
        self.status_light(ink);
        for (i, view) in self.view.slots.iter().enumerate() {
            let at = self.frame.moved(slot_at(i, self.node.slots.len()));
            self.slot(ink, &at, view, self.node.slots[i].reserved);
        }
        if let Some(account) = self.node.reserved {
            self.whole_frame(ink, account);
        }
        match self.node.health {
            Health::Up => {}
            Health::Suspect => self.question(ink),
            Health::Draining => self.cone(ink, true),
            Health::Drained => self.cone(ink, false),
            Health::Fenced => self.fence(ink),
            Health::Down => self.cross(ink),
        }
    }

    fn is_down(&self) -> bool {
        self.node.health == Health::Down
    }

    fn board(&self, ink: &mut Ink) {
        let (board, lip) =
            if self.is_down() { (Hue::TrayDown, Hue::TrayDown) } else { (Hue::Tray, Hue::TrayLip) };
        let thick = TRAY.y * self.scale.max(0.4);
        ink.solid.block(&self.frame, TRAY.with_y(thick), 0.012, board);
        let front = self.frame.moved(Vec3::new(0.0, -0.02 * self.scale, TRAY.z / 2.0 - 0.01));
        ink.solid.block(&front, Vec3::new(TRAY.x, TRAY_LIP * self.scale, 0.022), 0.008, lip);
        if self.node.slots.len() > 4 {
            let middle = self.frame.moved(Vec3::Y * TRAY.y);
            let hue = if self.is_down() { Hue::GpuDead } else { Hue::NvSwitch };
            ink.solid.block(&middle, NVSWITCH * Vec3::new(1.0, self.scale, 1.0), 0.012, hue);
        }
    }

    /// The light on the lip: short and steady, dashed, or long and coral.
    fn status_light(&self, ink: &mut Ink) {
        let mut light = |x: f32, width: f32, hue: Hue| {
            let at = self.frame.moved(Vec3::new(x, 0.018 * self.scale, TRAY.z / 2.0 + 0.002));
            ink.solid.block(&at, Vec3::new(width, 0.02 * self.scale.max(0.5), 0.006), 0.0, hue);
        };
        match self.node.health {
            Health::Up | Health::Draining | Health::Drained => light(-0.3, 0.11, Hue::StatusLight),
            Health::Suspect => (0..4).for_each(|i| light(-0.36 + 0.06 * i as f32, 0.03, Hue::Warn)),
            Health::Fenced => light(-0.16, 0.4, Hue::Bad),
            Health::Down => {}
        }
    }

    fn slot(&self, ink: &mut Ink, at: &Frame, view: &SlotView, reserved: Option<u8>) {
        let plate = GPU.with_y(GPU_IDLE * self.scale.max(0.5));
        let idle = if self.is_down() { Hue::GpuDead } else { Hue::GpuIdle };
        match view.run.filter(|_| view.level > 0.0) {
            None => ink.solid.block(at, plate, 0.01, idle),
            Some(run) => {
                let height = plate.y + (GPU.y * self.scale - plate.y) * ease_out(view.level);
                let size = GPU.with_y(height);
                let lift = if self.lifted == Some(run.job) { LIFT * self.scale } else { 0.0 };
                let at = at.moved(Vec3::Y * lift);
                if self.node.health == Health::Suspect {
                    ink.ghost.opacity(0.38);
                    ink.ghost.block(&at, size, 0.0, Hue::Account(run.account));
                    ink.line.frame(&at, size, Pen::new(Hue::Reserved(run.account), 1.2).alpha(0.9));
                    ink.solid.block(&at, plate.with_y(0.008), 0.0, idle);
                } else {
                    ink.solid.block(&at, size, 0.016, Hue::Account(run.account));
                }
            }
        }
        if let Some(account) = view.awaits.or(reserved) {
            let size = Vec3::new(GPU.x, GPU_RESERVED * self.scale, GPU.z);
            let hue = if view.awaits.is_some() { Hue::Account(account) } else { Hue::Reserved(account) };
            ink.line.frame(at, size, Pen::new(hue, 1.8));
        }
    }

    /// One frame about a node that is kept free as a whole, with a faint lid.
    fn whole_frame(&self, ink: &mut Ink, account: u8) {
        let size = NODE_FRAME * Vec3::new(1.0, self.scale, 1.0);
        let at = self.frame.moved(Vec3::Y * TRAY.y);
        ink.line.frame(&at, size, Pen::new(Hue::Reserved(account), 2.2));
        ink.ghost.opacity(0.16);
        let lid = at.moved(Vec3::Y * size.y);
        ink.ghost.block(&lid, size.with_y(0.004), 0.0, Hue::Reserved(account));
    }

    /// A diamond with a question mark over the tray.
    fn question(&self, ink: &mut Ink) {
        let s = 0.13 * self.scale.max(0.6);
        let at = self.frame.moved(Vec3::new(0.0, 0.36 * self.scale, TRAY.z / 2.0 - 0.03));
        let p = |x: f32, y: f32| at.point(Vec3::new(x * s, y * s, 0.0));
        let pen = Pen::new(Hue::Warn, 2.0);
        let diamond = [p(0.0, 1.0), p(1.0, 0.0), p(0.0, -1.0), p(-1.0, 0.0), p(0.0, 1.0)];
        diamond.windows(2).for_each(|side| ink.line.segment(side[0], side[1], pen));
        let hook = [
            (-0.24, 0.22),
            (-0.14, 0.42),
            (0.1, 0.44),
            (0.24, 0.26),
            (0.16, 0.06),
            (0.0, -0.06),
            (0.0, -0.22),
        ];
        let hook: Vec<Vec3> = hook.iter().map(|&(x, y)| p(x, y)).collect();
        ink.line.path(&hook, pen);
        ink.line.segment(p(0.0, -0.42), p(0.0, -0.46), Pen::new(Hue::Warn, 2.4));
    }

    /// A drain cone at the front corner; hollow while jobs still run.
    fn cone(&self, ink: &mut Ink, hollow: bool) {
        let s = self.scale.max(0.5);
        let at = self.frame.moved(Vec3::new(-0.34, TRAY.y, 0.2));
        ink.solid.block(&at, Vec3::new(0.24, 0.03, 0.24) * s, 0.006, Hue::Cone);
        let base = at.moved(Vec3::Y * 0.03 * s);
        let (height, foot, tip) = (0.33 * s, 0.1 * s, 0.02 * s);
        if hollow {
            let pen = Pen::new(Hue::Cone, 2.2);
            for i in 0..6 {
                let angle = i as f32 / 6.0 * TAU;
                let round = |r: f32, y: f32| base.point(Vec3::new(r * angle.sin(), y, r * angle.cos()));
                ink.line.segment(round(foot, 0.0), round(tip, height), pen);
            }
            for share in [0.0_f32, 0.45, 0.7] {
                let radius = foot + (tip - foot) * share;
                ink.line.circle(base.point(Vec3::Y * height * share), radius, 0.0, 1.0, pen);
            }
            return;
        }
        let radius = |share: f32| foot + (tip - foot) * share;
        for (from, to, hue) in [(0.0, 0.4, Hue::Cone), (0.4, 0.68, Hue::ConeBand), (0.68, 1.0, Hue::Cone)] {
            let piece = base.moved(Vec3::Y * height * from);
            ink.solid.prism(&piece, 12, (radius(from), radius(to)), height * (to - from), hue);
        }
    }

    /// A railing round the tray.
    fn fence(&self, ink: &mut Ink) {
        let height = 0.2 * self.scale;
        let (x, z) = (TRAY.x / 2.0 - 0.03, TRAY.z / 2.0 - 0.03);
        let corner = |sx: f32, sz: f32, y: f32| self.frame.point(Vec3::new(sx * x, TRAY.y + y, sz * z));
        let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
        for i in 0..4 {
            let ((ax, az), (bx, bz)) = (corners[i], corners[(i + 1) % 4]);
            for share in [0.55, 1.0] {
                let y = height * share;
                ink.solid.bar(corner(ax, az, y), corner(bx, bz, y), 0.014, Hue::Fence);
            }
            let posts = if i % 2 == 0 { 8 } else { 5 };
            for k in 0..posts {
                let t = k as f32 / posts as f32;
                let (foot, head) = (corner(ax, az, 0.0), corner(ax, az, height * 1.12));
                let by = (corner(bx, bz, 0.0) - foot) * t;
                ink.solid.bar(foot + by, head + by, 0.014, Hue::Fence);
            }
        }
    }

    /// Two crossed bars before a tray without power.
    fn cross(&self, ink: &mut Ink) {
        let shown = ease_out(self.view.fall);
        let at = self.frame.moved(Vec3::new(0.0, 0.2 * self.scale, TRAY.z / 2.0 - 0.06));
        let length = 0.46 * shown * self.scale.max(0.5);
        for side in [-1.0, 1.0] {
            let bar = at.turned(Quat::from_rotation_z(side * FRAC_PI_4 * 0.9));
            let half = Vec3::X * length / 2.0;
            ink.solid.bar(bar.point(-half), bar.point(half), 0.045, Hue::Bad);
        }
    }
}
