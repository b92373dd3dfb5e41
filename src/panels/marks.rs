//! Flat marks and icons, painted: the fonts have none, and a mark must look the same everywhere.

use egui::{Color32, Painter, Pos2, Rect, Response, Sense, Shape, Stroke, Ui, Vec2, pos2, vec2};
use switchyard_view::mark::Mark;

use crate::theme::ink::Ink;

/// What buttons wear.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Icon {
    /// Time passes.
    Play,
    /// Time stops.
    Pause,
    /// One step.
    Step,
    /// Away with it.
    Close,
    /// Fold down.
    Down,
    /// Fold up.
    Up,
    /// Dark and light.
    Theme,
    /// Keys and marks.
    Help,
    /// Open a file.
    Open,
    /// More.
    More,
}

/// A mark of 14 px in a row of words.
pub(crate) fn mark_ui(ui: &mut Ui, mark: Mark) -> Response {
    let (rect, response) = ui.allocate_exact_size(Vec2::splat(14.0), Sense::hover());
    paint_mark(ui.painter(), rect, mark, Ink::of(ui));
    response
}

/// The colour of a mark.
pub(crate) fn mark_colour(mark: Mark, ink: &Ink) -> Color32 {
    match mark {
        Mark::Crown | Mark::Election => ink.accent,
        Mark::Cross | Mark::Fence | Mark::Cut => ink.bad,
        Mark::Suspect | Mark::Requeued => ink.warn,
        Mark::Check | Mark::Mended => ink.ok,
        Mark::Switch => ink.info,
        Mark::Job | Mark::Backfilled => ink.muted,
    }
}

/// Paints a mark into a square.
pub(crate) fn paint_mark(painter: &Painter, rect: Rect, mark: Mark, ink: &Ink) {
    let colour = mark_colour(mark, ink);
    let pen = Pen { painter, rect, stroke: Stroke::new(1.7, colour) };
    match mark {
        Mark::Crown => pen.fill(&[
            (0.05, 0.25),
            (0.28, 0.5),
            (0.5, 0.12),
            (0.72, 0.5),
            (0.95, 0.25),
            (0.85, 0.85),
            (0.15, 0.85),
        ]),
        Mark::Cross => {
            pen.line(&[(0.18, 0.18), (0.82, 0.82)]);
            pen.line(&[(0.82, 0.18), (0.18, 0.82)]);
        }
        Mark::Suspect => {
            pen.closed(&[(0.5, 0.02), (0.98, 0.5), (0.5, 0.98), (0.02, 0.5)]);
            pen.line(&[(0.38, 0.38), (0.42, 0.29), (0.58, 0.29), (0.62, 0.38), (0.5, 0.52), (0.5, 0.58)]);
            painter.circle_filled(pen.at(0.5, 0.72), 0.9, colour);
        }
        Mark::Fence => {
            for x in [0.15, 0.5, 0.85] {
                pen.line(&[(x, 0.1), (x, 0.9)]);
            }
            pen.line(&[(0.0, 0.35), (1.0, 0.35)]);
            pen.line(&[(0.0, 0.68), (1.0, 0.68)]);
        }
        Mark::Cut => {
            pen.line(&[(0.0, 0.5), (0.3, 0.5)]);
            pen.line(&[(0.7, 0.5), (1.0, 0.5)]);
            pen.line(&[(0.5, 0.05), (0.5, 0.95)]);
        }
        Mark::Mended => {
            pen.line(&[(0.5, 0.12), (0.5, 0.88)]);
            pen.line(&[(0.12, 0.5), (0.88, 0.5)]);
        }
        Mark::Switch => pen.closed(&[(0.18, 0.18), (0.82, 0.18), (0.82, 0.82), (0.18, 0.82)]),
        Mark::Election => pen.fill(&[(0.5, 0.12), (0.92, 0.86), (0.08, 0.86)]),
        Mark::Check => pen.line(&[(0.12, 0.54), (0.4, 0.82), (0.9, 0.2)]),
        Mark::Job => pen.fill(&[(0.12, 0.32), (0.88, 0.32), (0.88, 0.7), (0.12, 0.7)]),
        Mark::Backfilled => {
            pen.fill(&[(0.05, 0.2), (0.5, 0.5), (0.05, 0.8)]);
            pen.fill(&[(0.5, 0.2), (0.95, 0.5), (0.5, 0.8)]);
        }
        Mark::Requeued => {
            pen.line(&[(0.9, 0.8), (0.9, 0.35), (0.15, 0.35)]);
            pen.line(&[(0.4, 0.1), (0.12, 0.35), (0.4, 0.6)]);
        }
    }
}

/// Paints an icon into a square.
pub(crate) fn paint_icon(painter: &Painter, rect: Rect, icon: Icon, colour: Color32) {
    let pen = Pen { painter, rect, stroke: Stroke::new(1.6, colour) };
    match icon {
        Icon::Play => pen.fill(&[(0.2, 0.08), (0.9, 0.5), (0.2, 0.92)]),
        Icon::Pause => {
            pen.fill(&[(0.2, 0.1), (0.38, 0.1), (0.38, 0.9), (0.2, 0.9)]);
            pen.fill(&[(0.62, 0.1), (0.8, 0.1), (0.8, 0.9), (0.62, 0.9)]);
        }
        Icon::Step => {
            pen.fill(&[(0.1, 0.12), (0.66, 0.5), (0.1, 0.88)]);
            pen.fill(&[(0.72, 0.12), (0.88, 0.12), (0.88, 0.88), (0.72, 0.88)]);
        }
        Icon::Close => {
            pen.line(&[(0.15, 0.15), (0.85, 0.85)]);
            pen.line(&[(0.85, 0.15), (0.15, 0.85)]);
        }
        Icon::Down => pen.line(&[(0.15, 0.35), (0.5, 0.7), (0.85, 0.35)]),
        Icon::Up => pen.line(&[(0.15, 0.65), (0.5, 0.3), (0.85, 0.65)]),
        Icon::Theme => {
            painter.circle_stroke(rect.center(), rect.width() * 0.45, pen.stroke);
            let half = (0..=12).map(|step| {
                let angle = std::f32::consts::PI * (0.5 - step as f32 / 12.0);
                rect.center() + vec2(angle.cos(), angle.sin()) * rect.width() * 0.45
            });
            painter.add(Shape::convex_polygon(half.collect(), colour, Stroke::NONE));
        }
        Icon::Help => {
            painter.circle_stroke(rect.center(), rect.width() * 0.48, pen.stroke);
            pen.line(&[(0.36, 0.38), (0.42, 0.28), (0.56, 0.27), (0.64, 0.37), (0.5, 0.52), (0.5, 0.6)]);
            painter.circle_filled(pen.at(0.5, 0.74), 1.0, colour);
        }
        Icon::Open => {
            pen.line(&[(0.1, 0.6), (0.1, 0.9), (0.9, 0.9), (0.9, 0.6)]);
            pen.line(&[(0.5, 0.7), (0.5, 0.1)]);
            pen.line(&[(0.27, 0.32), (0.5, 0.1), (0.73, 0.32)]);
        }
        Icon::More => {
            for x in [0.15, 0.5, 0.85] {
                painter.circle_filled(pen.at(x, 0.5), 1.6, colour);
            }
        }
    }
}

/// The project's sign: tracks that part.
pub(crate) fn paint_logo(painter: &Painter, rect: Rect, ink: &Ink) {
    let pen = Pen { painter, rect, stroke: Stroke::new(2.2, ink.ink) };
    pen.line(&[(0.0, 0.5), (0.38, 0.5)]);
    pen.line(&[(0.38, 0.5), (0.55, 0.14), (1.0, 0.14)]);
    pen.line(&[(0.38, 0.5), (0.55, 0.86), (1.0, 0.86)]);
    let gold = Pen { stroke: Stroke::new(2.2, ink.accent), ..pen };
    gold.line(&[(0.38, 0.5), (1.0, 0.5)]);
}

/// Draws in a square from (0, 0) to (1, 1).
#[derive(Clone, Copy)]
struct Pen<'a> {
    painter: &'a Painter,
    rect: Rect,
    stroke: Stroke,
}

impl Pen<'_> {
    fn at(&self, x: f32, y: f32) -> Pos2 {
        pos2(self.rect.left() + x * self.rect.width(), self.rect.top() + y * self.rect.height())
    }

    fn points(&self, points: &[(f32, f32)]) -> Vec<Pos2> {
        points.iter().map(|&(x, y)| self.at(x, y)).collect()
    }

    fn line(&self, points: &[(f32, f32)]) {
        self.painter.add(Shape::line(self.points(points), self.stroke));
    }

    fn closed(&self, points: &[(f32, f32)]) {
        self.painter.add(Shape::closed_line(self.points(points), self.stroke));
    }

    /// Fills a polygon that its middle sees all of, in triangles about it.
    fn fill(&self, points: &[(f32, f32)]) {
        let points = self.points(points);
        let sum = points.iter().fold(Vec2::ZERO, |sum, point| sum + point.to_vec2());
        let middle = (sum / points.len().max(1) as f32).to_pos2();
        let mut mesh = egui::Mesh::default();
        mesh.colored_vertex(middle, self.stroke.color);
        for point in &points {
            mesh.colored_vertex(*point, self.stroke.color);
        }
        let count = points.len() as u32;
        for corner in 0..count {
            mesh.add_triangle(0, 1 + corner, 1 + (corner + 1) % count);
        }
        self.painter.add(mesh);
        // The edge of a mesh is hard; a line over it is not.
        self.painter.add(Shape::closed_line(points, Stroke::new(1.0, self.stroke.color)));
    }
}
