//! The accounts' colours, on the floor of the scene.

use egui::{Align2, Painter, Pos2, Rect, StrokeKind, Vec2, pos2, vec2};
use switchyard_view::legend::LegendView;

use super::widgets::medium_font;
use crate::theme::ink::Ink;

const COLUMN: f32 = 76.0;
const LINE: f32 = 20.0;
const COLUMNS: usize = 4;

/// Paints the legend with its lower right corner at `corner`. It is paint only, so that it is in nobody's way.
pub(crate) fn paint_legend(painter: &Painter, corner: Pos2, view: &LegendView, ink: &Ink) {
    let count = view.accounts.len() + usize::from(view.more > 0);
    let lines = count.div_ceil(COLUMNS);
    let columns = count.min(COLUMNS);
    let origin = corner - vec2(columns as f32 * COLUMN, lines as f32 * LINE);
    let place = |number: usize| {
        origin + vec2((number % COLUMNS) as f32 * COLUMN, (number / COLUMNS) as f32 * LINE + LINE / 2.0)
    };
    for (number, (account, name)) in view.accounts.iter().enumerate() {
        let at = place(number);
        let rect = Rect::from_center_size(pos2(at.x + 5.0, at.y), Vec2::splat(10.0));
        let edge = egui::Stroke::new(1.0, ink.swatch_edge);
        painter.rect(rect, 2.0, ink.account(*account), edge, StrokeKind::Inside);
        let clip =
            painter.with_clip_rect(Rect::from_min_size(at - vec2(0.0, LINE), vec2(COLUMN - 4.0, 2.0 * LINE)));
        let at = pos2(at.x + 15.0, at.y);
        clip.text(at, Align2::LEFT_CENTER, &**name, medium_font(11.5), ink.muted);
    }
    if view.more > 0 {
        let words = format!("and {} more", view.more);
        painter.text(place(count - 1), Align2::LEFT_CENTER, words, medium_font(11.5), ink.muted);
    }
}
