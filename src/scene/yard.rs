//! What never moves: floor, racks, platforms, the gantry with its spine switches, the tracks, the signal's mast.

use bevy::asset::RenderAssetUsages;
use bevy::mesh::{Indices, PrimitiveTopology};
use bevy::prelude::*;
use switchyard_view::layout::control::replica_angle;
use switchyard_view::layout::lane::lane_pose;
use switchyard_view::layout::measures::{
    CONTROL_RADIUS, LANE_DEPTH, LANE_LENGTH, LEAF, PLATFORM_DEPTH, PLATFORM_HEIGHT, RACK, RACK_PLINTH,
    RACK_POST, RACK_SPACING, SIGNAL, SIGNAL_HEIGHT, SPINE, SPINE_BEHIND, SPINE_HEIGHT, TRACK_GAUGE,
};
use switchyard_view::layout::paths::{arc, opening, track};
use switchyard_view::layout::pose::Pose;
use switchyard_view::layout::racks::{leaf_at, rack_places, row_radius, spine_poses};
use switchyard_view::stage::{Signal, Stage};

use super::StageNow;
use super::ink::line::Pen;
use super::ink::solid::Frame;
use super::ink::{Ink, Press, Zone};
use super::surface::Surface;
use crate::app::AppSystems;
use crate::theme::palette::Hue;

pub(super) fn plugin(app: &mut App) {
    app.add_systems(Startup, lay_floor);
    app.add_systems(
        Update,
        (build, light_signal).in_set(AppSystems::Mirror).run_if(resource_changed::<StageNow>),
    );
}

fn lay_floor(mut press: Press) {
    let far = 220.0;
    let corners = [(-far, -far), (far, -far), (far, far), (-far, far)];
    let mesh = Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::RENDER_WORLD)
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, corners.map(|(x, z)| [x, 0.0, z]).to_vec())
        .with_inserted_attribute(Mesh::ATTRIBUTE_NORMAL, vec![[0.0, 1.0, 0.0]; 4])
        .with_inserted_attribute(Mesh::ATTRIBUTE_UV_0, vec![[Hue::Floor.index() as f32, 1.0]; 4])
        .with_inserted_indices(Indices::U32(vec![0, 2, 1, 0, 3, 2]));
    let mesh = press.add(mesh);
    press.spawn(Surface::Floor, mesh);
}

/// How many there are of each thing; the yard is built anew when this changes.
#[derive(PartialEq, Clone, Copy)]
struct Counts {
    racks: usize,
    replicas: usize,
    spines: usize,
}

fn build(stage: Res<StageNow>, mut press: Press, mut zone: Local<Zone>, mut built: Local<Option<Counts>>) {
    let Stage { racks, replicas, spines, .. } = &stage.0;
    let counts = Counts { racks: racks.len(), replicas: replicas.len(), spines: spines.len() };
    if *built == Some(counts) {
        return;
    }
    *built = Some(counts);
    let mut ink = Ink::default();
    for place in rack_places(counts.racks) {
        rack(&mut ink, &place.pose);
    }
    if counts.racks > 0 {
        aprons(&mut ink, counts.racks);
        gantry(&mut ink, counts);
        tracks(&mut ink, counts.racks);
    }
    if counts.replicas > 0 {
        control_platform(&mut ink, counts.replicas);
    }
    lane(&mut ink);
    mast(&mut ink);
    press.print(&mut zone, &ink);
}

/// Posts, back, plinth and leaf switch of a rack.
fn rack(ink: &mut Ink, pose: &Pose) {
    let frame = Frame::from(*pose);
    let solid = &mut ink.solid;
    solid.block(&frame, Vec3::new(RACK.x, RACK_PLINTH, RACK.z), 0.012, Hue::RackPlinth);
    let post = Vec3::new(RACK_POST, leaf_at().y - RACK_PLINTH, RACK_POST);
    let (x, z) = ((RACK.x - RACK_POST) / 2.0, (RACK.z - RACK_POST) / 2.0);
    for (sx, sz) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
        solid.block(&frame.moved(Vec3::new(sx * x, RACK_PLINTH, sz * z)), post, 0.006, Hue::RackPost);
    }
    let back = Vec3::new(RACK.x - 2.0 * RACK_POST, post.y, RACK_POST * 0.7);
    solid.block(&frame.moved(Vec3::new(0.0, RACK_PLINTH, -z)), back, 0.0, Hue::RackBack);
    solid.block(&frame.moved(leaf_at()), LEAF, 0.012, Hue::SwitchBox);
}

/// The strip of platform on which each row of racks stands.
fn aprons(ink: &mut Ink, racks: usize) {
    let places = rack_places(racks);
    let rows = places.last().map_or(0, |place| place.row + 1);
    for row in 0..rows {
        let widest = (places.iter().filter(|place| place.row == row))
            .map(|place| place.angle.abs())
            .fold(0.0, f32::max)
            + 0.6 * RACK_SPACING / row_radius(row);
        let (inner, outer) = (row_radius(row) - RACK.z / 2.0 - 0.16, row_radius(row) + RACK.z / 2.0 + 0.12);
        platform(ink, (inner, outer), (-widest, widest), 0.02);
    }
}

/// A ring-shaped platform with an edge.
fn platform(ink: &mut Ink, radii: (f32, f32), angles: (f32, f32), top: f32) {
    let inner = arc(radii.0, angles.0, angles.1, 0.0);
    let mut outer = arc(radii.1, angles.0, angles.1, 0.0);
    // Both arcs have as many points: their number depends on the angles alone.
    ink.solid.slab(&inner, &outer, top, Hue::Platform);
    let mut edge: Vec<Vec3> = inner;
    outer.reverse();
    edge.extend(outer);
    edge.push(edge[0]);
    let edge: Vec<Vec3> = edge.into_iter().map(|point| point.with_y(top + 0.002)).collect();
    ink.line.path(&edge, Pen::new(Hue::PlatformEdge, 1.3));
}

fn control_platform(ink: &mut Ink, replicas: usize) {
    let widest = replica_angle(replicas - 1, replicas) + 0.21;
    let half = PLATFORM_DEPTH / 2.0;
    platform(ink, (CONTROL_RADIUS - half, CONTROL_RADIUS + half), (-widest, widest), PLATFORM_HEIGHT);
}

/// Two posts outside the first row, a beam between them, and the spine switches that hang from it.
fn gantry(ink: &mut Ink, counts: Counts) {
    let radius = row_radius(0) + SPINE_BEHIND;
    let widest = opening(counts.racks).min(0.62) + 0.115;
    let top = SPINE_HEIGHT + SPINE.y + 0.08;
    let thick = 0.06;
    for side in [-1.0, 1.0] {
        let foot = Pose::on_arc(radius - 0.25, side * widest);
        ink.solid.block(&Frame::from(foot), Vec3::new(0.26, 0.05, 0.26), 0.012, Hue::Mast);
        let head = Pose::on_arc(radius, side * widest).at.with_y(top);
        ink.solid.bar(foot.at, head, thick * 1.25, Hue::Mast);
    }
    let beam = arc(radius, -widest, widest, top);
    for pair in beam.chunks(3).zip(beam.chunks(3).skip(1)) {
        ink.solid.bar(pair.0[0], pair.1[0], thick, Hue::Mast);
    }
    if let (Some(a), Some(b)) = (beam.chunks(3).next_back(), beam.last()) {
        ink.solid.bar(a[0], *b, thick, Hue::Mast);
    }
    for pose in spine_poses(counts.spines) {
        let frame = Frame::from(pose);
        ink.solid.block(&frame, SPINE, 0.014, Hue::SwitchBox);
        for x in [-0.45, 0.45] {
            let above = frame.moved(Vec3::new(x * SPINE.x, SPINE.y, 0.0));
            ink.solid.block(&above, Vec3::new(0.03, 0.1, 0.03), 0.0, Hue::Mast);
        }
    }
}

/// Rails from the signal to each rack of the first row.
fn tracks(ink: &mut Ink, racks: usize) {
    for place in rack_places(racks).iter().filter(|place| place.row == 0) {
        let (a, b) = track(place.angle);
        let across = Pose::on_arc(1.0, place.angle).world(Vec3::X) - Pose::on_arc(1.0, place.angle).at;
        for side in [-0.5, 0.5] {
            let by = across * side * TRACK_GAUGE + Vec3::Y * 0.004;
            ink.line.segment(a + by, b + by, Pen::new(Hue::Track, 1.2).alpha(0.8));
        }
    }
}

/// The lane of the queue: a platform that ends at the gate, with two rails and a rail that goes on to the left.
fn lane(ink: &mut Ink) {
    let side = |offset: f32, from: f32, to: f32, y: f32| -> Vec<Vec3> {
        let steps = 36;
        (0..=steps)
            .map(|i| {
                let along = from + (to - from) * i as f32 / steps as f32;
                lane_pose(along).world(Vec3::new(0.0, 0.0, offset)).with_y(y)
            })
            .collect()
    };
    let (from, to, half) = (-0.75, LANE_LENGTH, LANE_DEPTH / 2.0);
    ink.solid.slab(&side(-half, from, to, 0.0), &side(half, from, to, 0.0), PLATFORM_HEIGHT, Hue::Platform);
    let y = PLATFORM_HEIGHT + 0.002;
    let mut edge = side(-half, from, to, y);
    edge.extend(side(half, from, to, y).into_iter().rev());
    edge.push(edge[0]);
    ink.line.path(&edge, Pen::new(Hue::PlatformEdge, 1.3));
    for offset in [-0.26, 0.0, 0.26] {
        ink.line.path(&side(offset, from, to, y), Pen::new(Hue::Track, 1.1).alpha(0.5));
    }
    for offset in [-0.26, 0.26] {
        let beyond = side(offset, to, to + 1.6, 0.004);
        ink.line.fading(&beyond, Pen::new(Hue::Track, 1.2), (0.8, 0.0));
    }
}

/// Base and pole of the signal, and its lantern box; the lamps are lit apart.
fn mast(ink: &mut Ink) {
    let frame = Frame::at(SIGNAL);
    ink.solid.block(&frame, Vec3::new(0.2, 0.045, 0.2), 0.014, Hue::Mast);
    ink.solid.block(
        &frame.moved(Vec3::Y * 0.04),
        Vec3::new(0.045, SIGNAL_HEIGHT - 0.36, 0.045),
        0.01,
        Hue::Mast,
    );
    let lantern = frame.moved(Vec3::Y * (SIGNAL_HEIGHT - 0.34));
    ink.solid.block(&lantern, Vec3::new(0.17, 0.34, 0.12), 0.025, Hue::Lantern);
}

/// The signal's two lamps: the upper says go, the lower says wait.
fn light_signal(
    stage: Res<StageNow>,
    mut press: Press,
    mut zone: Local<Zone>,
    mut shown: Local<Option<Signal>>,
) {
    let signal = stage.0.signal;
    if *shown == Some(signal) {
        return;
    }
    *shown = Some(signal);
    let mut ink = Ink::default();
    for (height, hue, lit) in [
        (SIGNAL_HEIGHT - 0.1, Hue::SignalGo, signal == Signal::Go),
        (SIGNAL_HEIGHT - 0.24, Hue::SignalWait, signal == Signal::Wait),
    ] {
        let at = SIGNAL + Vec3::new(0.0, height, 0.058);
        let frame = Frame::at(at).turned(Quat::from_rotation_x(std::f32::consts::FRAC_PI_2));
        ink.solid.prism(&frame, 14, (0.052, 0.046), 0.018, if lit { hue } else { Hue::HeadDown });
        if lit {
            ink.glow.halo(at + Vec3::Z * 0.05, 0.36, hue, 0.4);
        }
    }
    press.print(&mut zone, &ink);
}
