//! A perspective lens whose middle can be put anywhere on the canvas, so that the yard stands in the middle of the
//! free rectangle without being looked at askew.

use bevy::camera::{CameraProjection, SubCameraView};
use bevy::math::{Mat4, Vec3A};
use bevy::prelude::*;
use switchyard_view::layout::home::FOV_DEG;

/// An off-centre perspective.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Lens {
    /// Where the middle of the picture lies on the canvas, from -1 to 1, to the right and up.
    middle: Vec2,
    /// Nearest distance that is drawn.
    near: f32,
    /// Farthest distance at which things are not culled.
    far: f32,
    aspect: f32,
}

impl Default for Lens {
    fn default() -> Self {
        Self { middle: Vec2::ZERO, near: 0.5, far: 400.0, aspect: 16.0 / 9.0 }
    }
}

impl Lens {
    /// The same lens with another middle and nearest distance.
    pub(super) fn aimed(&self, middle: Vec2, near: f32) -> Self {
        Self { middle, near, ..self.clone() }
    }

    fn half_height() -> f32 {
        (FOV_DEG / 2.0).to_radians().tan()
    }
}

impl CameraProjection for Lens {
    fn get_clip_from_view(&self) -> Mat4 {
        let mut clip = Mat4::perspective_infinite_reverse_rh(FOV_DEG.to_radians(), self.aspect, self.near);
        clip.z_axis.x = -self.middle.x;
        clip.z_axis.y = -self.middle.y;
        clip
    }

    /// Parts of the canvas are not drawn apart here, so a part looks as the whole does.
    fn get_clip_from_view_for_sub(&self, _: &SubCameraView) -> Mat4 {
        self.get_clip_from_view()
    }

    fn update(&mut self, width: f32, height: f32) {
        self.aspect = width / height.max(1.0);
    }

    fn far(&self) -> f32 {
        self.far
    }

    fn get_frustum_corners(&self, z_near: f32, z_far: f32) -> [Vec3A; 8] {
        let corner = |x: f32, y: f32, z: f32| {
            let on_plane = (Vec2::new(x, y) - self.middle) * Self::half_height() * z.abs();
            Vec3A::new(on_plane.x * self.aspect, on_plane.y, z)
        };
        let ring = [(1.0, -1.0), (1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0)];
        let near = ring.map(|(x, y)| corner(x, y, z_near));
        let far = ring.map(|(x, y)| corner(x, y, z_far));
        [near[0], near[1], near[2], near[3], far[0], far[1], far[2], far[3]]
    }
}
