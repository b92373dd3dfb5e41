//! The outline of what is selected; a running job is outlined on each of its GPUs.

use bevy::prelude::*;
use switchyard_model::JobId;
use switchyard_view::layout::measures::GPU;
use switchyard_view::layout::pick::bounds_of;
use switchyard_view::layout::racks::{rack_places, slot_at, tray_at, tray_scale};
use switchyard_view::stage::{Stage, Thing};

use super::ink::line::Pen;
use super::ink::solid::Frame;
use super::ink::{Ink, Press, Zone};
use super::{Selected, StageNow};
use crate::app::AppSystems;
use crate::theme::palette::Hue;

pub(super) fn plugin(app: &mut App) {
    app.add_systems(
        Update,
        draw.in_set(AppSystems::Mirror)
            .run_if(resource_changed::<StageNow>.or_eager(resource_changed::<Selected>)),
    );
}

fn draw(
    stage: Res<StageNow>,
    selected: Res<Selected>,
    mut press: Press,
    mut zone: Local<Zone>,
    mut shown: Local<Vec<(Vec3, f32, Vec3)>>,
) {
    let boxes = selected.0.map_or_else(Vec::new, |thing| boxes(&stage.0, thing));
    if *shown == boxes {
        return;
    }
    let mut ink = Ink::default();
    for &(at, yaw, size) in &boxes {
        let pose = switchyard_view::layout::pose::Pose { at, yaw };
        ink.line.frame(&Frame::from(pose), size, Pen::new(Hue::Selected, 1.9));
    }
    press.print(&mut zone, &ink);
    *shown = boxes;
}

/// Boxes to outline: underside, turn, size.
fn boxes(stage: &Stage, thing: Thing) -> Vec<(Vec3, f32, Vec3)> {
    let margin = Vec3::splat(0.03);
    if let Some(bounds) = bounds_of(stage, thing) {
        return vec![(bounds.pose.at, bounds.pose.yaw, bounds.size + margin)];
    }
    match thing {
        Thing::Job(job) => running(stage, job),
        _ => Vec::new(),
    }
}

/// The blocks of a job that runs.
fn running(stage: &Stage, job: JobId) -> Vec<(Vec3, f32, Vec3)> {
    let mut out = Vec::new();
    for (place, rack) in rack_places(stage.racks.len()).iter().zip(&stage.racks) {
        let size = GPU * Vec3::new(1.0, tray_scale(rack.nodes.len()), 1.0) + Vec3::splat(0.02);
        for (i, node) in rack.nodes.iter().enumerate() {
            for (k, slot) in node.slots.iter().enumerate() {
                if slot.run.is_some_and(|run| run.job == job) {
                    let at = tray_at(i, rack.nodes.len()) + slot_at(k, node.slots.len());
                    out.push((place.pose.world(at), place.pose.yaw, size));
                }
            }
        }
    }
    out
}
