//! Where the camera has to stand so that the yard, or one thing, fills the free part of the canvas.

use glam::{Quat, Vec2, Vec3};

use super::lane::{lane_blocks, lane_pose};
use super::measures::{RACK, SIGNAL, SPINE, SPINE_HEIGHT};
use super::pick::Bounds;
use super::racks::{rack_places, spine_poses};
use crate::stage::Stage;

/// Vertical opening of the lens in degrees: a long lens, so that verticals stay upright.
pub const FOV_DEG: f32 = 22.0;
/// Turn of the camera about the yard at home, in degrees; negative looks from the left.
pub const HOME_YAW_DEG: f32 = -8.0;
/// Height of the camera at home, in degrees over the horizon.
pub const HOME_PITCH_DEG: f32 = 27.0;
/// Nearest and farthest distance of the camera from what it looks at.
pub const DISTANCE: (f32, f32) = (4.0, 140.0);

/// How the camera looks at the yard.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// The point in the middle of the free rectangle.
    pub target: Vec3,
    /// Turn about the upright axis in degrees.
    pub yaw_deg: f32,
    /// Degrees over the horizon.
    pub pitch_deg: f32,
    /// Distance from the target.
    pub distance: f32,
}

impl View {
    /// Turn of the camera from its rest, looking along -z.
    pub fn rotation(&self) -> Quat {
        Quat::from_rotation_y(self.yaw_deg.to_radians()) * Quat::from_rotation_x(-self.pitch_deg.to_radians())
    }

    /// Where the camera stands.
    pub fn eye(&self) -> Vec3 {
        self.target + self.rotation() * Vec3::Z * self.distance
    }
}

/// The view from `yaw` and `pitch` in which all `points` just fit into a rectangle of `free` pixels on a canvas
/// that is `canvas_height` pixels high.
pub fn fit(points: &[Vec3], yaw_deg: f32, pitch_deg: f32, free: Vec2, canvas_height: f32) -> View {
    let start = points.iter().copied().sum::<Vec3>() / points.len().max(1) as f32;
    let mut view = View { target: start, yaw_deg, pitch_deg, distance: 30.0 };
    let rotation = view.rotation();
    let half_height = (FOV_DEG / 2.0).to_radians().tan();
    // Half of the free rectangle in units of the picture plane at distance 1.
    let half = half_height * free.max(Vec2::splat(40.0)) / canvas_height.max(40.0);
    for _ in 0..12 {
        let (mut low, mut high) = (Vec2::INFINITY, Vec2::NEG_INFINITY);
        for &point in points {
            let seen = rotation.inverse() * (point - view.target);
            let depth = (view.distance - seen.z).max(0.5);
            let on_plane = Vec2::new(seen.x, seen.y) / depth;
            low = low.min(on_plane);
            high = high.max(on_plane);
        }
        if !low.is_finite() || !high.is_finite() {
            break;
        }
        let middle = (low + high) / 2.0 * view.distance;
        view.target += rotation * Vec3::new(middle.x, middle.y, 0.0);
        let size = (high - low) / (2.0 * half);
        view.distance = (view.distance * size.max_element()).clamp(DISTANCE.0, DISTANCE.1);
    }
    view
}

/// The home view: the whole yard, with a little floor about it. Narrow rectangles look from higher up, so that
/// the depth of the yard fills their height.
pub fn home(stage: &Stage, free: Vec2, canvas_height: f32) -> View {
    let rows = rack_places(stage.racks.len()).last().map_or(1, |place| place.row + 1);
    let narrow = ((1.5 - free.x / free.y.max(1.0)) / 1.1).clamp(0.0, 1.0);
    let pitch = HOME_PITCH_DEG + 9.0 * narrow + (rows - 1).min(3) as f32 * 4.4;
    let inner = free * Vec2::new(0.955 + 0.04 * narrow, 0.93);
    fit(&yard_points(stage), HOME_YAW_DEG, pitch, inner, canvas_height)
}

/// Points that must be seen at home. The far end of a long queue may leave the picture.
fn yard_points(stage: &Stage) -> Vec<Vec3> {
    let mut points =
        vec![SIGNAL + Vec3::new(0.35, 0.0, 0.6), lane_pose(0.0).world(Vec3::new(0.0, 0.0, 0.72))];
    for place in rack_places(stage.racks.len()) {
        for (x, y) in [(-0.5, 0.0), (0.5, 0.0), (-0.5, 1.0), (0.5, 1.0)] {
            points.push(place.pose.world(Vec3::new(x * RACK.x, y * RACK.y, RACK.z / 2.0)));
        }
    }
    for pose in spine_poses(stage.spines.len()) {
        points.push(pose.at.with_y(SPINE_HEIGHT + SPINE.y));
    }
    for block in lane_blocks(&stage.queue).iter().filter(|block| block.along < 4.3) {
        points.push(block.pose().world(Vec3::new(-block.size.x / 2.0, 0.0, block.size.z / 2.0)));
    }
    points
}

/// The view that frames one thing, from where the camera looks now.
pub fn frame(bounds: &Bounds, now: &View, free: Vec2, canvas_height: f32) -> View {
    // A small thing is shown with its surroundings: at least 1.6 m.
    let half = (bounds.size * 0.5).max(Vec3::splat(0.8));
    let middle = bounds.pose.at + Vec3::Y * bounds.size.y / 2.0;
    let corners: Vec<Vec3> = (0..8)
        .map(|i| {
            let sign = |bit: i32| if i & bit == 0 { -1.0 } else { 1.0 };
            middle + half * Vec3::new(sign(1), sign(2), sign(4))
        })
        .collect();
    fit(&corners, now.yaw_deg, now.pitch_deg, free * 0.8, canvas_height)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::Rack;
    use proptest::prelude::*;
    use switchyard_model::RackId;

    fn stage(racks: u32) -> Stage {
        let rack = |id| Rack { id: RackId(id), name: "R".into(), nodes: Vec::new(), traffic: 0.0 };
        Stage { racks: (0..racks).map(rack).collect(), spines: vec![0.0; 2], ..Stage::default() }
    }

    #[test]
    fn eight_racks_at_1280_by_720_stand_as_the_art_has_them() {
        let view = home(&stage(8), Vec2::new(716.0, 460.0), 720.0);
        assert!((26.0..31.0).contains(&view.distance), "28.4 m in the art, here {}", view.distance);
    }

    proptest! {
        #[test]
        fn every_point_is_inside_the_rectangle(
            racks in 1_u32..80,
            width in 250.0_f32..1600.0,
            height in 250.0_f32..900.0,
        ) {
            let stage = stage(racks);
            let canvas = height + 200.0;
            let view = home(&stage, Vec2::new(width, height), canvas);
            prop_assume!(view.distance < DISTANCE.1);
            let per_plane = canvas / (2.0 * (FOV_DEG / 2.0).to_radians().tan());
            for point in yard_points(&stage) {
                let seen = view.rotation().inverse() * (point - view.target);
                let depth = view.distance - seen.z;
                let pixel = Vec2::new(seen.x, seen.y) / depth * per_plane;
                prop_assert!(pixel.x.abs() <= width / 2.0 + 1.0 && pixel.y.abs() <= height / 2.0 + 1.0,
                    "{pixel} outside {width} x {height}");
            }
        }
    }
}
