//! The queue: job blocks on their lane, in priority order, the first at the gate.

use std::collections::BTreeMap;

use bevy::prelude::*;
use switchyard_model::JobId;
use switchyard_view::layout::lane::{Block, lane_blocks, lane_pose};
use switchyard_view::layout::measures::SLICE;
use switchyard_view::stage::{Thing, Waiting};

use super::flights::fly;
use super::ink::line::Pen;
use super::ink::solid::Frame;
use super::ink::{Ink, Press, Zone};
use super::{Hovered, ReducedMotion, StageNow};
use crate::app::AppSystems;
use crate::theme::palette::Hue;

/// Seconds in which the lane closes up.
const CLOSE_UP: f32 = 0.42;
/// How far the block under the pointer is lifted.
const LIFT: f32 = 0.05;

pub(super) fn plugin(app: &mut App) {
    app.init_resource::<LanePlaces>();
    // A job that starts leaves from where it stood, so flights read the places before they are renewed.
    app.add_systems(Update, draw.in_set(AppSystems::Mirror).after(fly));
}

/// Where each job stood on the lane when it was drawn last, as metres before the gate.
#[derive(Resource, Default)]
pub(super) struct LanePlaces(BTreeMap<JobId, f32>);

impl LanePlaces {
    /// Where a job stood, if it was drawn.
    pub(super) fn of(&self, job: JobId) -> Option<f32> {
        self.0.get(&job).copied()
    }
}

#[derive(Default)]
struct View {
    zone: Zone,
    drawn: Option<(Vec<Waiting>, Option<JobId>)>,
}

fn draw(
    stage: Res<StageNow>,
    hovered: Res<Hovered>,
    reduced: Res<ReducedMotion>,
    time: Res<Time<Real>>,
    mut places: ResMut<LanePlaces>,
    mut press: Press,
    mut view: Local<View>,
) {
    let queue = &stage.0.queue;
    let lifted = match hovered.0 {
        Some(Thing::Job(job)) => Some(job),
        _ => None,
    };
    let same = view.drawn.as_ref().is_some_and(|drawn| drawn.0 == *queue && drawn.1 == lifted);
    let blocks = lane_blocks(queue);
    let settled =
        blocks.iter().all(|block| places.of(block.job).is_some_and(|at| (at - block.along).abs() < 1e-4));
    if same && settled {
        return;
    }
    let seconds = if reduced.0 || view.drawn.is_none() { f32::INFINITY } else { time.delta_secs().min(0.1) };
    let share = 1.0 - (-seconds * 3.5 / CLOSE_UP).exp();
    let mut now = BTreeMap::new();
    let mut ink = Ink::default();
    for (i, block) in blocks.iter().enumerate() {
        // A new job comes in from the left.
        let before = places.of(block.job).unwrap_or(block.along + 0.8);
        let missing = block.along - before;
        let along = if missing.abs() < 0.003 { block.along } else { before + missing * share };
        now.insert(block.job, along);
        let lift = if lifted == Some(block.job) { LIFT } else { 0.0 };
        let frame = Frame::from(lane_pose(along)).moved(Vec3::Y * lift);
        draw_block(&mut ink, &frame, block);
        if i == 0 {
            let margin = Vec3::new(0.05, 0.04, 0.05);
            ink.line.frame(&frame, block.size + margin, Pen::new(Hue::Reserved(block.account), 2.0));
        }
    }
    places.0 = now;
    press.print(&mut view.zone, &ink);
    view.drawn = Some((queue.clone(), lifted));
}

/// A block of slices, one per node, with a groove for each GPU.
pub(super) fn draw_block(ink: &mut Ink, frame: &Frame, block: &Block) {
    let hue = Hue::Block(block.account);
    let slice = Vec3::new(SLICE - 0.02, block.size.y, block.size.z);
    for i in 0..block.slices {
        let x = (i as f32 - (block.slices - 1) as f32 / 2.0) * SLICE;
        let at = frame.moved(Vec3::new(x, 0.0, 0.0));
        ink.solid.block(&at, slice, 0.014, hue);
        for k in 1..block.slots {
            let z = block.size.z * (f32::from(k) / f32::from(block.slots) - 0.5);
            let y = block.size.y + 0.001;
            let edge = slice.x / 2.0 - 0.008;
            let groove = (at.point(Vec3::new(-edge, y, z)), at.point(Vec3::new(edge, y, z)));
            ink.line.segment(groove.0, groove.1, Pen::new(Hue::Pip, 1.5).alpha(0.55));
        }
    }
}
