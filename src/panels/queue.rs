//! The queue as a table; only the rows on screen are written out.

use egui::{
    Align, CornerRadius, Label, Layout, RichText, ScrollArea, Sense, Stroke, StrokeKind, Ui, Vec2, vec2,
};
use egui_extras::{Column, TableBuilder};
use switchyard_view::intent::Intent;
use switchyard_view::places::{MIDDLE, WIDE};
use switchyard_view::policy::{EXPECTED, Expected};
use switchyard_view::queue::{QueueRow, QueueView};
use switchyard_view::stage::Thing;
use switchyard_view::words::{shape_short, span};

use super::outbox::Outbox;
use super::widgets::{medium_font, muted, small, strong, swatch};
use crate::theme::ink::Ink;

const ROW: f32 = 20.0;
/// Height of a row on a narrow page: two lines, and room for a finger.
const TALL_ROW: f32 = 44.0;
/// The head of the column of predicted starts.
const STARTS: &str = "expected start";
/// Slices of a job that are painted beside its shape.
const SLICES: u32 = 6;

/// The queue.
pub(crate) fn queue_ui(ui: &mut Ui, view: &QueueView, selected: Option<Thing>, out: &mut Outbox) {
    if view.rows.is_empty() {
        ui.label(muted(ui, &view.summary));
        return;
    }
    let width = ui.available_width();
    if width < MIDDLE {
        list(ui, view, selected, out);
    } else {
        table(ui, view, selected, width, out);
    }
}

fn table(ui: &mut Ui, view: &QueueView, selected: Option<Thing>, width: f32, out: &mut Outbox) {
    let wide = width >= WIDE;
    ui.spacing_mut().item_spacing.y = 0.0;
    let mut table = TableBuilder::new(ui)
        .sense(Sense::click())
        .cell_layout(Layout::left_to_right(Align::Center))
        .column(Column::exact(26.0))
        .column(Column::exact(52.0))
        .column(Column::exact(134.0).clip(true))
        .column(Column::exact(100.0).clip(true))
        .column(Column::exact(66.0).clip(true))
        .column(Column::exact(84.0).clip(true))
        .column(Column::exact(86.0).clip(true))
        .column(Column::remainder().at_least(180.0).clip(true));
    let mut heads =
        vec!["#", "job", "account, user", "nodes × units", "limit", "waits", STARTS, "why it waits"];
    if wide {
        table = table.column(Column::exact(262.0).clip(true)).column(Column::exact(92.0));
        heads.extend(["evidence", "Slurm says"]);
    }
    table
        .header(ROW, |mut row| {
            for head in heads {
                row.col(|ui| {
                    let label = ui.label(small(ui, head));
                    if head == STARTS {
                        label.on_hover_text(EXPECTED);
                    }
                });
            }
        })
        .body(|body| {
            body.rows(ROW, view.rows.len(), |mut row| {
                let place = row.index();
                let Some(job) = view.rows.get(place) else { return };
                let thing = Thing::Job(job.spec.id);
                row.set_selected(selected == Some(thing));
                cells(&mut row, view, job, place, wide);
                if row.response().clicked() {
                    out.send(Intent::Select(Some(thing)));
                }
            });
        });
}

fn cells(
    row: &mut egui_extras::TableRow<'_, '_>,
    view: &QueueView,
    job: &QueueRow,
    place: usize,
    wide: bool,
) {
    let mut words = |words: RichText| {
        row.col(|ui| {
            ui.add(Label::new(words).truncate());
        });
    };
    words(RichText::new((place + 1).to_string()));
    words(strong(job.spec.id.to_string(), 12.5));
    row.col(|ui| {
        swatch(ui, job.account, 9.0);
        ui.label(&*job.spec.account);
        if job.spec.user != job.spec.account {
            ui.add(Label::new(muted(ui, &*job.spec.user)).truncate());
        }
    });
    row.col(|ui| {
        ui.label(shape_short(&job.spec.shape));
        slices(ui, job);
    });
    let mut words = |words: RichText| {
        row.col(|ui| {
            ui.add(Label::new(words).truncate());
        });
    };
    words(RichText::new(span(job.spec.limit)));
    words(RichText::new(job.waits(view.now)));
    row.col(|ui| {
        ui.add(Label::new(job.expected.short()).truncate()).on_hover_text(job.expected.about());
    });
    let mut words = |words: RichText| {
        row.col(|ui| {
            ui.add(Label::new(words).truncate());
        });
    };
    words(RichText::new(job.why.sentence()).font(medium_font(12.5)));
    if wide {
        row.col(|ui| {
            ui.add(Label::new(muted(ui, job.why.evidence())).truncate());
        });
        row.col(|ui| {
            ui.label(muted(ui, job.why.slurm()).monospace());
        });
    }
}

/// One small slice for each node or task, in the account's colour.
fn slices(ui: &mut Ui, job: &QueueRow) {
    let count = job.spec.shape.parts().0.min(SLICES);
    let (rect, _) = ui.allocate_exact_size(vec2(count as f32 * 6.0, 9.0), Sense::hover());
    let ink = Ink::of(ui);
    for slice in 0..count {
        let at = rect.left_top() + vec2(slice as f32 * 6.0, 0.0);
        let slice = egui::Rect::from_min_size(at, vec2(5.0, 9.0));
        let edge = Stroke::new(1.0, ink.swatch_edge);
        ui.painter().rect(slice, CornerRadius::ZERO, ink.account(job.account), edge, StrokeKind::Inside);
    }
}

/// Two lines for each job.
fn list(ui: &mut Ui, view: &QueueView, selected: Option<Thing>, out: &mut Outbox) {
    ui.spacing_mut().item_spacing.y = 0.0;
    ScrollArea::vertical().auto_shrink(false).show_rows(ui, TALL_ROW, view.rows.len(), |ui, range| {
        for place in range {
            let Some(job) = view.rows.get(place) else { continue };
            let thing = Thing::Job(job.spec.id);
            let (rect, response) =
                ui.allocate_exact_size(vec2(ui.available_width(), TALL_ROW), Sense::click());
            let ink = Ink::of(ui);
            if selected == Some(thing) {
                ui.painter().rect_filled(rect, CornerRadius::same(4), ink.raised);
            }
            let inside = egui::UiBuilder::new().max_rect(rect.shrink2(Vec2::new(4.0, 3.0)));
            ui.scope_builder(inside, |ui| {
                ui.spacing_mut().interact_size.y = 18.0;
                ui.horizontal(|ui| {
                    swatch(ui, job.account, 9.0);
                    ui.label(strong(job.spec.id.to_string(), 13.0));
                    ui.label(muted(
                        ui,
                        format!("{}, {}", shape_short(&job.spec.shape), span(job.spec.limit)),
                    ));
                    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                        let starts = match job.expected {
                            Expected::At(_) => format!(", starts {}", job.expected.short()),
                            Expected::Unknown(_) => String::new(),
                        };
                        ui.label(muted(ui, format!("waits {}{starts}", job.waits(view.now))));
                    });
                });
                ui.add(Label::new(job.why.sentence()).truncate());
            });
            if response.clicked() {
                out.send(Intent::Select(Some(thing)));
            }
        }
    });
}
