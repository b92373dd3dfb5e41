//! Volumes with flat faces: chamfered boxes, prisms, rings, and what is made of them.

use std::f32::consts::TAU;

use bevy::asset::RenderAssetUsages;
use bevy::math::Affine3A;
use bevy::mesh::{Indices, PrimitiveTopology};
use bevy::prelude::*;
use switchyard_view::layout::pose::Pose;

use crate::theme::palette::Hue;

/// A list of flat faces.
#[derive(Default)]
pub(crate) struct Solid {
    positions: Vec<Vec3>,
    normals: Vec<Vec3>,
    looks: Vec<[f32; 2]>,
    indices: Vec<u32>,
    /// Opacity of what is added next, less one; only see-through surfaces mind.
    clear: f32,
}

/// A frame to build in: y is up, the origin is the middle of the underside.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame(pub Affine3A);

impl From<Pose> for Frame {
    fn from(pose: Pose) -> Self {
        Self(Affine3A::from_rotation_translation(Quat::from_rotation_y(pose.yaw), pose.at))
    }
}

impl Frame {
    /// A frame at a point, without turn.
    pub(crate) fn at(at: Vec3) -> Self {
        Self(Affine3A::from_translation(at))
    }

    /// A frame at a point that looks along a direction with its -z.
    pub(crate) fn towards(at: Vec3, direction: Vec3) -> Self {
        let up = if direction.y.abs() > 0.99 { Vec3::X } else { Vec3::Y };
        let transform = Transform::from_translation(at).looking_to(direction, up);
        Self(transform.compute_affine())
    }

    /// The frame moved within itself.
    pub(crate) fn moved(&self, by: Vec3) -> Self {
        Self(self.0 * Affine3A::from_translation(by))
    }

    /// The frame turned within itself.
    pub(crate) fn turned(&self, by: Quat) -> Self {
        Self(self.0 * Affine3A::from_quat(by))
    }

    /// A point of the frame in the world.
    pub(crate) fn point(&self, local: Vec3) -> Vec3 {
        self.0.transform_point3(local)
    }
}

impl Solid {
    /// Sets the opacity of what is added next.
    pub(crate) fn opacity(&mut self, alpha: f32) {
        self.clear = alpha - 1.0;
    }

    /// A flat convex face; its winding is turned so that it looks away from `inside`.
    pub(crate) fn face(&mut self, points: &[Vec3], inside: Vec3, hue: Hue) {
        let normal = (points[1] - points[0]).cross(points[2] - points[0]).normalize_or(Vec3::Y);
        let outward = normal.dot(points[0] - inside) >= 0.0;
        let normal = if outward { normal } else { -normal };
        let first = self.positions.len() as u32;
        for &point in points {
            self.positions.push(point);
            self.normals.push(normal);
            self.looks.push([hue.index() as f32, 1.0 + self.clear]);
        }
        for i in 1..points.len() as u32 - 1 {
            let (b, c) = if outward { (i, i + 1) } else { (i + 1, i) };
            self.indices.extend([first, first + b, first + c]);
        }
    }

    /// A box on the middle of its underside, with a chamfer about its upper face and its upright edges. Its
    /// underside is left out: nothing is seen from below.
    pub(crate) fn block(&mut self, frame: &Frame, size: Vec3, chamfer: f32, hue: Hue) {
        let (x, y, z) = (size.x / 2.0, size.y, size.z / 2.0);
        let c = chamfer.min(x).min(y).min(z);
        let inside = frame.point(Vec3::Y * y / 2.0);
        let p = |px: f32, py: f32, pz: f32| frame.point(Vec3::new(px, py, pz));
        if c <= 0.0 {
            let ring = [(-x, -z), (x, -z), (x, z), (-x, z)];
            self.face(&ring.map(|(px, pz)| p(px, y, pz)), inside, hue);
            for i in 0..4 {
                let ((ax, az), (bx, bz)) = (ring[i], ring[(i + 1) % 4]);
                self.face(&[p(ax, 0.0, az), p(bx, 0.0, bz), p(bx, y, bz), p(ax, y, az)], inside, hue);
            }
            return;
        }
        let (ix, iz, iy) = (x - c, z - c, y - c);
        self.face(&[p(-ix, y, -iz), p(ix, y, -iz), p(ix, y, iz), p(-ix, y, iz)], inside, hue);
        for s in [-1.0, 1.0] {
            // sides, and the chamfers between them and the top
            self.face(
                &[p(-ix, 0.0, s * z), p(ix, 0.0, s * z), p(ix, iy, s * z), p(-ix, iy, s * z)],
                inside,
                hue,
            );
            self.face(
                &[p(s * x, 0.0, -iz), p(s * x, 0.0, iz), p(s * x, iy, iz), p(s * x, iy, -iz)],
                inside,
                hue,
            );
            self.face(
                &[p(-ix, iy, s * z), p(ix, iy, s * z), p(ix, y, s * iz), p(-ix, y, s * iz)],
                inside,
                hue,
            );
            self.face(
                &[p(s * x, iy, -iz), p(s * x, iy, iz), p(s * ix, y, iz), p(s * ix, y, -iz)],
                inside,
                hue,
            );
            for t in [-1.0, 1.0] {
                // upright edges and corners
                let (a, b) = ((s * x, t * iz), (s * ix, t * z));
                self.face(
                    &[p(a.0, 0.0, a.1), p(b.0, 0.0, b.1), p(b.0, iy, b.1), p(a.0, iy, a.1)],
                    inside,
                    hue,
                );
                self.face(&[p(a.0, iy, a.1), p(b.0, iy, b.1), p(s * ix, y, t * iz)], inside, hue);
            }
        }
    }

    /// A prism or a stump of a pyramid with `sides` sides, standing on its underside; a radius of 0 on top makes
    /// a pyramid.
    pub(crate) fn prism(&mut self, frame: &Frame, sides: u32, radii: (f32, f32), height: f32, hue: Hue) {
        let inside = frame.point(Vec3::Y * height * 0.4);
        let corner = |i: u32, radius: f32, y: f32| {
            let angle = (i as f32 + 0.5) / sides as f32 * TAU;
            frame.point(Vec3::new(radius * angle.sin(), y, radius * angle.cos()))
        };
        for i in 0..sides {
            let (a, b) = (corner(i, radii.0, 0.0), corner(i + 1, radii.0, 0.0));
            if radii.1 <= 0.0 {
                self.face(&[a, b, frame.point(Vec3::Y * height)], inside, hue);
            } else {
                self.face(&[a, b, corner(i + 1, radii.1, height), corner(i, radii.1, height)], inside, hue);
            }
        }
        for (radius, y) in [(radii.1, height), (radii.0, 0.0)] {
            if radius > 0.0 {
                let lid: Vec<Vec3> = (0..sides).map(|i| corner(i, radius, y)).collect();
                self.face(&lid, inside, hue);
            }
        }
    }

    /// A ball of a few flat faces.
    pub(crate) fn ball(&mut self, at: Vec3, radius: f32, hue: Hue) {
        let (rings, sides) = (5, 10);
        let point = |i: u32, j: u32| {
            let (up, around) = (i as f32 / rings as f32 * TAU / 2.0, j as f32 / sides as f32 * TAU);
            at + radius * Vec3::new(up.sin() * around.cos(), up.cos(), up.sin() * around.sin())
        };
        for i in 0..rings {
            for j in 0..sides {
                let quad = [point(i, j), point(i, j + 1), point(i + 1, j + 1), point(i + 1, j)];
                match i {
                    0 => self.face(&[quad[0], quad[2], quad[3]], at, hue),
                    _ if i == rings - 1 => self.face(&[quad[0], quad[1], quad[2]], at, hue),
                    _ => self.face(&quad, at, hue),
                }
            }
        }
    }

    /// A ring of `sides` pieces with a square section; it lies flat about the frame's y axis.
    pub(crate) fn ring(&mut self, frame: &Frame, sides: u32, radius: f32, tube: f32, hue: Hue) {
        let point = |i: u32, r: f32, y: f32| {
            let angle = (i as f32 + 0.5) / sides as f32 * TAU;
            frame.point(Vec3::new(r * angle.sin(), y, r * angle.cos()))
        };
        for i in 0..sides {
            let section = |k: u32| {
                [(radius - tube, -tube), (radius - tube, tube), (radius + tube, tube), (radius + tube, -tube)]
                    .map(|(r, y)| point(k, r, y))
            };
            let (a, b) = (section(i), section(i + 1));
            let inside = (a.iter().chain(&b).copied().sum::<Vec3>()) / 8.0;
            for k in 0..4 {
                self.face(&[a[k], a[(k + 1) % 4], b[(k + 1) % 4], b[k]], inside, hue);
            }
        }
    }

    /// A straight bar with a square section between two points.
    pub(crate) fn bar(&mut self, a: Vec3, b: Vec3, thick: f32, hue: Hue) {
        let frame = Frame::towards(a, (b - a).normalize_or(Vec3::Y));
        let inside = (a + b) / 2.0;
        let h = thick / 2.0;
        let length = a.distance(b);
        let corners = [(-h, -h), (h, -h), (h, h), (-h, h)];
        let at = |(x, y): (f32, f32), z: f32| frame.point(Vec3::new(x, y, -z));
        for i in 0..4 {
            let (p, q) = (corners[i], corners[(i + 1) % 4]);
            self.face(&[at(p, 0.0), at(q, 0.0), at(q, length), at(p, length)], inside, hue);
        }
        self.face(&corners.map(|corner| at(corner, 0.0)), inside, hue);
        self.face(&corners.map(|corner| at(corner, length)), inside, hue);
    }

    /// A slab between two lines of equal length on the floor, for instance two arcs, from its underside to `top`.
    pub(crate) fn slab(&mut self, inner: &[Vec3], outer: &[Vec3], top: f32, hue: Hue) {
        let up = |point: Vec3| point.with_y(top);
        for i in 1..inner.len().min(outer.len()) {
            let (a, b, c, d) = (inner[i - 1], inner[i], outer[i], outer[i - 1]);
            let inside = (a + b + c + d) / 4.0;
            self.face(&[up(a), up(b), up(c), up(d)], inside, hue);
            self.face(&[a, b, up(b), up(a)], inside, hue);
            self.face(&[d, c, up(c), up(d)], inside, hue);
        }
        if let (Some(&a), Some(&b), Some(&c), Some(&d)) =
            (inner.first(), outer.first(), inner.last(), outer.last())
        {
            let inside = (a + b + c + d) / 4.0;
            self.face(&[a, b, up(b), up(a)], inside, hue);
            self.face(&[c, d, up(d), up(c)], inside, hue);
        }
    }

    /// The faces as a mesh, if there are any.
    pub(crate) fn mesh(&self) -> Option<Mesh> {
        if self.positions.is_empty() {
            return None;
        }
        let mesh = Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::RENDER_WORLD)
            .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, self.positions.clone())
            .with_inserted_attribute(Mesh::ATTRIBUTE_NORMAL, self.normals.clone())
            .with_inserted_attribute(Mesh::ATTRIBUTE_UV_0, self.looks.clone())
            .with_inserted_indices(Indices::U32(self.indices.clone()));
        Some(mesh)
    }
}
