//! The logs of all replicas side by side, painted as cells.

use egui::{Align2, CornerRadius, Rect, ScrollArea, Sense, Shape, Stroke, StrokeKind, Ui, Vec2, pos2, vec2};
use switchyard_view::intent::Intent;
use switchyard_view::mark::Mark;
use switchyard_view::raft::{Cell, RaftRow, RaftView, Safety};
use switchyard_view::stage::Thing;

use super::marks::paint_mark;
use super::outbox::Outbox;
use super::widgets::{medium_font, strong_font};
use crate::theme::ink::Ink;

/// Width of a cell with its gap.
const CELL: f32 = 41.0;
/// Width of the names on the left.
const NAMES: f32 = 138.0;
/// Height of bands and indexes on top.
const HEAD: f32 = 32.0;
/// Height of the legend below.
const FOOT: f32 = 18.0;

/// The logs.
pub(crate) fn raft_ui(ui: &mut Ui, view: &RaftView, out: &mut Outbox) {
    let row = ((ui.available_height() - HEAD - FOOT) / view.rows.len().max(1) as f32).clamp(19.0, 30.0);
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        let height = HEAD + FOOT + row * view.rows.len() as f32;
        let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), height), Sense::hover());
        let fit = ((rect.width() - NAMES) / CELL).floor().max(1.0) as usize;
        let sheet = Sheet { rect, row, skip: view.columns.saturating_sub(fit), ink: Ink::of(ui) };
        sheet.bands(ui, view);
        for (number, replica) in view.rows.iter().enumerate() {
            sheet.replica(ui, view, number, replica, out);
        }
        sheet.committed(ui, view);
        sheet.legend(ui, view);
    });
}

struct Sheet {
    rect: Rect,
    row: f32,
    /// Columns on the left that there is no room for.
    skip: usize,
    ink: &'static Ink,
}

impl Sheet {
    fn x(&self, column: usize) -> f32 {
        self.rect.left() + NAMES + column.saturating_sub(self.skip) as f32 * CELL
    }

    fn y(&self, number: usize) -> f32 {
        self.rect.top() + HEAD + number as f32 * self.row
    }

    fn bands(&self, ui: &Ui, view: &RaftView) {
        for band in view.bands.iter().filter(|band| band.to > self.skip) {
            let (left, right) = (self.x(band.from), self.x(band.to) - 2.0);
            let rect = Rect::from_x_y_ranges(left..=right, self.rect.top()..=self.rect.top() + 14.0);
            ui.painter().rect_filled(rect, CornerRadius::same(2), self.ink.term(band.term));
            let words = format!("term {}", band.term);
            let clip = ui.painter().with_clip_rect(rect);
            let at = rect.left_center() + vec2(5.0, 0.0);
            clip.text(at, Align2::LEFT_CENTER, words, medium_font(11.0), self.ink.on_term);
        }
        for column in self.skip..view.columns {
            let at = pos2(self.x(column) + CELL / 2.0 - 1.0, self.rect.top() + 24.0);
            let index = view.first + column as u64;
            ui.painter().text(
                at,
                Align2::CENTER_CENTER,
                index.to_string(),
                medium_font(11.0),
                self.ink.muted,
            );
        }
    }

    fn replica(&self, ui: &mut Ui, view: &RaftView, number: usize, row: &RaftRow, out: &mut Outbox) {
        let y = self.y(number);
        let names = Rect::from_min_size(pos2(self.rect.left(), y), vec2(NAMES - 6.0, self.row - 3.0));
        let response = ui.interact(names, ui.id().with(("replica", number)), Sense::click());
        if response.hovered() {
            ui.painter().rect_filled(names, CornerRadius::same(4), self.ink.panel_alt);
        }
        self.name(ui, names, row);
        let about = format!(
            "{}: term {}, committed {}, applied {}, on disk {}",
            row.letter, row.term, row.commit, row.applied, row.durable
        );
        if response.on_hover_text(about).clicked() {
            out.send(Intent::Select(Some(Thing::Replica(row.id))));
        }
        for column in self.skip..view.columns {
            let at = pos2(self.x(column), y);
            let rect = Rect::from_min_size(at, vec2(CELL - 3.0, self.row - 3.0));
            self.cell(ui, rect, row.cells.get(column).copied().unwrap_or(Cell::Empty));
        }
        if let Some(matched) = row.matched.filter(|matched| *matched >= view.first + self.skip as u64) {
            let column = (matched - view.first) as usize;
            let tip = pos2(self.x(column) + CELL - 1.5, y + self.row - 7.0);
            let wedge = vec![tip, tip + vec2(-4.0, 6.0), tip + vec2(4.0, 6.0)];
            ui.painter().add(Shape::convex_polygon(wedge, self.ink.ink, Stroke::NONE));
        }
    }

    fn name(&self, ui: &Ui, rect: Rect, row: &RaftRow) {
        let painter = ui.painter();
        let middle = rect.center().y;
        let letter = row.letter.to_string();
        painter.text(
            pos2(rect.left() + 4.0, middle),
            Align2::LEFT_CENTER,
            letter,
            strong_font(13.0),
            self.ink.ink,
        );
        painter.text(
            pos2(rect.left() + 20.0, middle),
            Align2::LEFT_CENTER,
            row.role,
            medium_font(12.0),
            self.ink.muted,
        );
        let at = pos2(rect.left() + 92.0, middle);
        match (row.timer, row.mark) {
            (_, Some(mark @ (Mark::Crown | Mark::Cross))) => {
                paint_mark(painter, Rect::from_center_size(at, Vec2::splat(13.0)), mark, self.ink);
            }
            (Some(left), _) => ring(ui, at, left, self.ink),
            (None, _) => {}
        }
        let at = pos2(rect.left() + 104.0, middle);
        painter.text(at, Align2::LEFT_CENTER, &row.timer_words, medium_font(11.0), self.ink.muted);
    }

    fn cell(&self, ui: &Ui, rect: Rect, cell: Cell) {
        let painter = ui.painter();
        let round = CornerRadius::same(3);
        match cell {
            Cell::Empty => {
                let y = rect.center().y;
                let x = rect.center().x;
                painter.hline(x - 5.0..=x + 5.0, y, Stroke::new(1.5, self.ink.line));
            }
            Cell::OnDisk => {
                painter.rect_stroke(rect, round, Stroke::new(1.0, self.ink.line_strong), StrokeKind::Inside);
            }
            Cell::Entry { term, word, safety } => {
                let colour = self.ink.term(term);
                let (fill, edge, words) = match safety {
                    Safety::Committed => (colour, colour, self.ink.on_term),
                    Safety::Durable => (self.ink.panel, colour, self.ink.ink),
                    Safety::Volatile => (self.ink.panel, self.ink.line_strong, self.ink.muted),
                };
                painter.rect(rect, round, fill, Stroke::new(1.8, edge), StrokeKind::Inside);
                let clip = painter.with_clip_rect(rect);
                clip.text(rect.center(), Align2::CENTER_CENTER, word, medium_font(11.0), words);
            }
        }
    }

    /// One line through all logs: what is left of it is safe.
    fn committed(&self, ui: &Ui, view: &RaftView) {
        let Some(column) = (view.committed + 1).checked_sub(view.first) else { return };
        let column = column as usize;
        if column < self.skip || view.rows.is_empty() {
            return;
        }
        let x = self.x(column) - 1.5;
        let bottom = self.y(view.rows.len());
        ui.painter().vline(x, self.rect.top() + 16.0..=bottom, Stroke::new(2.0, self.ink.ink));
        let words = format!("committed {}", view.committed);
        // Near the edge the words end at the line instead of standing under it.
        let (at, anchor) = match self.rect.right() - x < 50.0 {
            true => (pos2(x + 2.0, bottom + 1.0), Align2::RIGHT_TOP),
            false => (pos2(x, bottom + 1.0), Align2::CENTER_TOP),
        };
        ui.painter().text(at, anchor, words, strong_font(11.5), self.ink.ink);
    }

    fn legend(&self, ui: &Ui, view: &RaftView) {
        let term = view.bands.last().map_or(1, |band| band.term);
        let y = self.rect.bottom() - FOOT / 2.0;
        let mut x = self.rect.left() + 4.0;
        let words = [
            (Some(Safety::Committed), "known as committed there"),
            (Some(Safety::Durable), "only on disk"),
            (Some(Safety::Volatile), "not on disk yet"),
            (None, "agrees up to here, as the leader knows"),
        ];
        for (safety, words) in words {
            match safety {
                Some(safety) => {
                    let rect = Rect::from_center_size(pos2(x + 8.0, y), vec2(16.0, 10.0));
                    self.cell(ui, rect, Cell::Entry { term, word: "", safety });
                }
                None => {
                    let tip = pos2(x + 8.0, y - 3.0);
                    let wedge = vec![tip, tip + vec2(-4.0, 6.0), tip + vec2(4.0, 6.0)];
                    ui.painter().add(Shape::convex_polygon(wedge, self.ink.ink, Stroke::NONE));
                }
            }
            let at = pos2(x + 21.0, y);
            x = ui.painter().text(at, Align2::LEFT_CENTER, words, medium_font(11.0), self.ink.muted).right()
                + 14.0;
            // The last room is for the word at the committed line.
            if x > self.rect.right() - 290.0 {
                return;
            }
        }
    }
}

/// An election timer: a ring that empties.
fn ring(ui: &Ui, at: egui::Pos2, left: f32, ink: &Ink) {
    ui.painter().circle_stroke(at, 7.0, Stroke::new(1.4, ink.line_strong));
    let steps = (24.0 * left).ceil().max(1.0) as usize;
    let point = |step: usize| {
        let angle = std::f32::consts::TAU * (left * step as f32 / steps as f32 - 0.25);
        at + vec2(angle.cos(), angle.sin()) * 7.0
    };
    ui.painter().add(Shape::line((0..=steps).map(point).collect(), Stroke::new(2.4, ink.ink)));
}
