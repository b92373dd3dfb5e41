//! The curtain along a partition: it rises from a line on the floor.

use bevy::asset::RenderAssetUsages;
use bevy::mesh::{Indices, PrimitiveTopology};
use bevy::prelude::*;
use switchyard_view::layout::cut::cut_lines;
use switchyard_view::layout::measures::WALL_HEIGHT;

use super::ink::line::Pen;
use super::ink::{Ink, Press, Zone};
use super::surface::Surface;
use super::{ReducedMotion, StageNow, ease_out};
use crate::app::AppSystems;
use crate::theme::palette::Hue;

/// Seconds in which the curtain rises.
const RISE: f32 = 0.3;

pub(super) fn plugin(app: &mut App) {
    app.add_systems(Update, draw.in_set(AppSystems::Mirror));
}

#[derive(Default)]
struct View {
    line: Zone,
    curtain: Option<Entity>,
    lines: Vec<Vec<Vec3>>,
    begin: f32,
    risen: bool,
}

fn draw(
    stage: Res<StageNow>,
    reduced: Res<ReducedMotion>,
    time: Res<Time<Real>>,
    mut press: Press,
    mut view: Local<View>,
) {
    let now = time.elapsed_secs();
    if stage.is_changed() {
        let lines = cut_lines(&stage.0);
        if lines != view.lines {
            view.lines = lines;
            view.begin = now;
            view.risen = false;
            draw_lines(&mut press, &mut view);
        }
    }
    if view.risen {
        return;
    }
    let share = if reduced.0 { 1.0 } else { ((now - view.begin) / RISE).min(1.0) };
    view.risen = share >= 1.0;
    if let Some(old) = view.curtain.take() {
        press.despawn(old);
    }
    if let Some(mesh) = curtain(&view.lines, WALL_HEIGHT * ease_out(share)) {
        let mesh = press.add(mesh);
        view.curtain = Some(press.spawn(Surface::Curtain, mesh));
    }
}

fn draw_lines(press: &mut Press, view: &mut View) {
    let mut ink = Ink::default();
    for line in &view.lines {
        let floor: Vec<Vec3> = line.iter().map(|point| point.with_y(0.012)).collect();
        ink.line.path(&floor, Pen::new(Hue::CutWall, 3.0));
    }
    press.print(&mut view.line, &ink);
}

/// The curtain's faces with metres along and up, hue, and height from 0 to 1.
fn curtain(lines: &[Vec<Vec3>], height: f32) -> Option<Mesh> {
    if lines.is_empty() || height <= 0.0 {
        return None;
    }
    let hue = Hue::CutWall.index() as f32;
    let mut positions = Vec::new();
    let mut metres = Vec::new();
    let mut looks = Vec::new();
    let mut indices = Vec::new();
    for line in lines {
        let mut along = 0.0;
        for (i, &point) in line.iter().enumerate() {
            if i > 0 {
                along += point.distance(line[i - 1]);
                let k = positions.len() as u32;
                indices.extend([k - 2, k, k + 1, k - 2, k + 1, k - 1]);
            }
            positions.extend([point, point + Vec3::Y * height]);
            metres.extend([[along, 0.0], [along, height]]);
            looks.extend([[hue, 0.0], [hue, 1.0]]);
        }
    }
    let normals = vec![Vec3::Z; positions.len()];
    let mesh = Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::RENDER_WORLD)
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, positions)
        .with_inserted_attribute(Mesh::ATTRIBUTE_NORMAL, normals)
        .with_inserted_attribute(Mesh::ATTRIBUTE_UV_0, metres)
        .with_inserted_attribute(Mesh::ATTRIBUTE_UV_1, looks)
        .with_inserted_indices(Indices::U32(indices));
    Some(mesh)
}
