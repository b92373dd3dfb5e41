//! The scene's words, painted flat over the picture and under all panels.

use egui::{Align2, Color32, CornerRadius, Painter, Pos2, Rect, Stroke, StrokeKind, Vec2, pos2, vec2};
use switchyard_view::layout::labels::LabelKind;
use switchyard_view::mark::Mark;
use switchyard_view::stage::Health;

use super::marks::paint_mark;
use super::widgets::{medium_font, strong_font};
use crate::theme::ink::Ink;

/// Words at a place of the screen.
#[derive(Clone, Debug)]
pub(crate) struct ScreenLabel {
    /// Where their middle is.
    pub at: Pos2,
    /// The words.
    pub words: String,
    /// What they are.
    pub kind: LabelKind,
}

/// Paints labels; names that belong to one rack only where `named` racks are wide enough to bear them.
pub(crate) fn paint_labels(painter: &Painter, labels: &[ScreenLabel], ink: &Ink) {
    for label in labels {
        match label.kind {
            LabelKind::Leader | LabelKind::Head => words(painter, label, strong_font(12.5), ink.ink, ink),
            LabelKind::Replica => words(painter, label, strong_font(12.0), ink.ink, ink),
            LabelKind::Rack | LabelKind::Position => words(painter, label, medium_font(11.5), ink.muted, ink),
            LabelKind::More | LabelKind::Committed => {
                words(painter, label, medium_font(11.5), ink.muted, ink);
            }
            LabelKind::Trouble(health) => trouble(painter, label, health, ink),
        }
    }
}

/// Words with a thin edge in the background's colour, so that they read over lines.
fn words(painter: &Painter, label: &ScreenLabel, font: egui::FontId, colour: Color32, ink: &Ink) {
    let halo = ink.panel.gamma_multiply(0.55);
    for way in [vec2(-1.0, 0.0), vec2(1.0, 0.0), vec2(0.0, -1.0), vec2(0.0, 1.0)] {
        painter.text(label.at + way, Align2::CENTER_CENTER, &label.words, font.clone(), halo);
    }
    painter.text(label.at, Align2::CENTER_CENTER, &label.words, font, colour);
}

/// A node's name with its mark, left of its tray.
fn trouble(painter: &Painter, label: &ScreenLabel, health: Health, ink: &Ink) {
    let mark = match health {
        Health::Up | Health::Draining | Health::Drained => return,
        Health::Suspect => Mark::Suspect,
        Health::Fenced => Mark::Fence,
        Health::Down => Mark::Cross,
    };
    let galley = painter.layout_no_wrap(label.words.clone(), medium_font(11.5), ink.ink);
    let size = galley.size() + vec2(24.0, 4.0);
    let rect = Rect::from_min_size(label.at - vec2(size.x + 2.0, size.y / 2.0), size);
    painter.rect(
        rect,
        CornerRadius::same(4),
        ink.panel.gamma_multiply(0.85),
        Stroke::new(1.0, ink.line),
        StrokeKind::Inside,
    );
    let middle = rect.center().y;
    painter.galley(pos2(rect.left() + 5.0, middle - galley.size().y / 2.0), galley, ink.ink);
    let at = pos2(rect.right() - 9.0, middle);
    paint_mark(painter, Rect::from_center_size(at, Vec2::splat(11.0)), mark, ink);
}

/// A tag beside the pointer: what is under it.
pub(crate) fn paint_tag(painter: &Painter, pointer: Pos2, free: Rect, title: &str, line: &str, ink: &Ink) {
    let title = painter.layout_no_wrap(title.to_owned(), strong_font(12.5), ink.ink);
    let line = painter.layout(line.to_owned(), medium_font(11.5), ink.muted, 260.0);
    let size = vec2(title.size().x.max(line.size().x), title.size().y + line.size().y) + vec2(18.0, 12.0);
    let mut rect = Rect::from_min_size(pointer + vec2(16.0, 14.0), size);
    rect = rect
        .translate(vec2((free.right() - rect.right()).min(0.0), (free.bottom() - rect.bottom()).min(0.0)));
    painter.rect(
        rect,
        CornerRadius::same(4),
        ink.panel,
        Stroke::new(1.0, ink.line_strong),
        StrokeKind::Inside,
    );
    let at = rect.left_top() + vec2(9.0, 6.0);
    let below = at + vec2(0.0, title.size().y);
    painter.galley(at, title, ink.ink);
    painter.galley(below, line, ink.muted);
}
