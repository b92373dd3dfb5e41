//! Lines of a constant width in pixels.

use std::f32::consts::TAU;

use bevy::asset::RenderAssetUsages;
use bevy::mesh::{Indices, PrimitiveTopology};
use bevy::prelude::*;

use super::solid::Frame;
use crate::scene::surface::{LINE_DASH, LINE_LOOK, LINE_OTHER};
use crate::theme::palette::Hue;

/// The art's widths were drawn at twice the size and scaled down; on the screen they are a little narrower than
/// written, but never thinner than a pixel.
const SLIM: f32 = 0.72;

/// How a line looks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pen {
    /// Its colour.
    pub hue: Hue,
    /// Its width in logical pixels.
    pub px: f32,
    /// Its opacity, on top of the hue's own.
    pub alpha: f32,
    /// Period of its dashes in metres; 0 for none.
    pub dash: f32,
}

impl Pen {
    /// An opaque line without dashes.
    pub(crate) fn new(hue: Hue, px: f32) -> Self {
        Self { hue, px, alpha: 1.0, dash: 0.0 }
    }

    /// The same with another opacity.
    pub(crate) fn alpha(self, alpha: f32) -> Self {
        Self { alpha, ..self }
    }

    /// The same with dashes.
    pub(crate) fn dashed(self, dash: f32) -> Self {
        Self { dash, ..self }
    }
}

/// A list of line segments.
#[derive(Default)]
pub(crate) struct Lines {
    positions: Vec<Vec3>,
    others: Vec<Vec3>,
    looks: Vec<[f32; 4]>,
    dashes: Vec<[f32; 3]>,
    indices: Vec<u32>,
}

impl Lines {
    fn piece(&mut self, a: Vec3, b: Vec3, from: f32, pen: &Pen, alphas: (f32, f32), cap: f32) {
        let first = self.positions.len() as u32;
        let half = pen.px * SLIM / 2.0;
        let to = from + a.distance(b);
        // The corners at b see the segment from the other end: their side is turned, and so is the sign of
        // their width, by which the shader knows them.
        for (here, there, side, half, along, alpha) in [
            (a, b, 1.0, half, from, alphas.0),
            (a, b, -1.0, half, from, alphas.0),
            (b, a, -1.0, -half, to, alphas.1),
            (b, a, 1.0, -half, to, alphas.1),
        ] {
            self.positions.push(here);
            self.others.push(there);
            self.looks.push([side, half, pen.hue.index() as f32, pen.alpha * alpha]);
            self.dashes.push([along, pen.dash, cap]);
        }
        self.indices.extend([0, 1, 3, 0, 3, 2].map(|i| first + i));
    }

    /// A straight line.
    pub(crate) fn segment(&mut self, a: Vec3, b: Vec3, pen: Pen) {
        self.piece(a, b, 0.0, &pen, (1.0, 1.0), 1.0);
    }

    /// A line through points.
    pub(crate) fn path(&mut self, points: &[Vec3], pen: Pen) {
        let mut from = 0.0;
        for pair in points.windows(2) {
            self.piece(pair[0], pair[1], from, &pen, (1.0, 1.0), 0.0);
            from += pair[0].distance(pair[1]);
        }
    }

    /// A line through points that fades from `alphas.0` at its begin to `alphas.1` at its end.
    pub(crate) fn fading(&mut self, points: &[Vec3], pen: Pen, alphas: (f32, f32)) {
        let last = points.len().saturating_sub(1).max(1) as f32;
        let alpha = |i: usize| alphas.0 + (alphas.1 - alphas.0) * i as f32 / last;
        let mut from = 0.0;
        for (i, pair) in points.windows(2).enumerate() {
            self.piece(pair[0], pair[1], from, &pen, (alpha(i), alpha(i + 1)), 0.0);
            from += pair[0].distance(pair[1]);
        }
    }

    /// A part of a flat circle, as shares of the full turn from the front.
    pub(crate) fn circle(&mut self, middle: Vec3, radius: f32, from: f32, to: f32, pen: Pen) {
        let steps = ((to - from).abs() * 56.0).ceil().max(1.0) as usize;
        let points: Vec<Vec3> = (0..=steps)
            .map(|i| {
                let angle = (from + (to - from) * i as f32 / steps as f32) * TAU;
                middle + radius * Vec3::new(angle.sin(), 0.0, angle.cos())
            })
            .collect();
        self.path(&points, pen);
    }

    /// The edges of a box that stands on the middle of its underside.
    pub(crate) fn frame(&mut self, frame: &Frame, size: Vec3, pen: Pen) {
        let (x, z) = (size.x / 2.0, size.z / 2.0);
        let corners = [(-x, -z), (x, -z), (x, z), (-x, z)];
        for i in 0..4 {
            let ((ax, az), (bx, bz)) = (corners[i], corners[(i + 1) % 4]);
            let p = |px: f32, py: f32, pz: f32| frame.point(Vec3::new(px, py, pz));
            self.segment(p(ax, 0.0, az), p(bx, 0.0, bz), pen);
            self.segment(p(ax, size.y, az), p(bx, size.y, bz), pen);
            self.segment(p(ax, 0.0, az), p(ax, size.y, az), pen);
        }
    }

    /// The segments as a mesh, if there are any.
    pub(crate) fn mesh(&self) -> Option<Mesh> {
        if self.positions.is_empty() {
            return None;
        }
        let mesh = Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::RENDER_WORLD)
            .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, self.positions.clone())
            .with_inserted_attribute(LINE_OTHER, self.others.clone())
            .with_inserted_attribute(LINE_LOOK, self.looks.clone())
            .with_inserted_attribute(LINE_DASH, self.dashes.clone())
            .with_inserted_indices(Indices::U32(self.indices.clone()));
        Some(mesh)
    }
}
