//! The report on a dropped trace, and the choice of machines.

use egui::{Grid, Modal, RichText, ScrollArea, Ui};
use switchyard_view::import::{FleetOffer, ImportView, ReportLine};
use switchyard_view::intent::{FleetChoice, Intent};
use switchyard_view::mark::Mark;

use super::marks::{Icon, mark_ui};
use super::outbox::Outbox;
use super::widgets::{card, icon_button, medium_font, muted, strong};

/// The report.
pub(crate) fn import_ui(ui: &Ui, view: &ImportView, out: &mut Outbox) {
    let modal = Modal::new(egui::Id::new("import")).frame(card(ui)).show(ui.ctx(), |ui| {
        let room = ui.ctx().content_rect().size();
        ui.set_width((room.x - 60.0).min(620.0));
        match view {
            ImportView::Failed { file, sentence, parts } => failed(ui, file, sentence, parts, out),
            ImportView::Read { file, headline, skipped, changed, unused, fleets } => {
                title(ui, file, out);
                ui.label(strong(headline, 15.0));
                ScrollArea::vertical().max_height((room.y - 330.0).max(80.0)).min_scrolled_height(80.0).show(
                    ui,
                    |ui| {
                        lines(ui, "Skipped", skipped);
                        lines(ui, "Changed", changed);
                        if !unused.is_empty() {
                            ui.label(muted(ui, unused));
                        }
                    },
                );
                ui.separator();
                for fleet in fleets {
                    offer(ui, fleet, out);
                }
            }
        }
    });
    if modal.should_close() {
        out.send(Intent::CloseImport);
    }
}

fn title(ui: &mut Ui, file: &str, out: &mut Outbox) {
    ui.horizontal(|ui| {
        ui.label(muted(ui, file));
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            if icon_button(ui, Icon::Close, false, "Close (Esc)").clicked() {
                out.send(Intent::CloseImport);
            }
        });
    });
}

fn failed(ui: &mut Ui, file: &str, sentence: &str, parts: &[(&'static str, String)], out: &mut Outbox) {
    title(ui, file, out);
    ui.horizontal(|ui| {
        mark_ui(ui, Mark::Cross);
        ui.label(strong("This file can't be read.", 15.0));
    });
    Grid::new("parts").num_columns(2).spacing([14.0, 4.0]).show(ui, |ui| {
        for (label, value) in parts {
            ui.label(muted(ui, *label));
            ui.label(RichText::new(value).font(medium_font(13.0)));
            ui.end_row();
        }
    });
    ui.label(muted(ui, sentence));
    if ui.button("Open another file").clicked() {
        out.send(Intent::OpenFilePicker);
    }
}

fn lines(ui: &mut Ui, title: &str, lines: &[ReportLine]) {
    if lines.is_empty() {
        return;
    }
    ui.add_space(4.0);
    ui.label(RichText::new(title).font(medium_font(13.0)));
    for line in lines {
        ui.horizontal_wrapped(|ui| {
            ui.label(RichText::new(&line.count).font(medium_font(13.0)));
            ui.label(line.words);
            ui.label(muted(ui, &line.first));
        });
    }
}

fn offer(ui: &mut Ui, fleet: &FleetOffer, out: &mut Outbox) {
    let intent = Intent::RunImported { fleet: fleet.choice };
    ui.horizontal_wrapped(|ui| {
        let run = match fleet.choice {
            FleetChoice::Derived => "Run on the trace's machine",
            FleetChoice::Yard => "Run on the yard",
        };
        if ui.button(run).clicked() {
            out.send(intent);
        }
        ui.label(muted(ui, &fleet.about)).on_hover_text(fleet.title);
    });
    for line in &fleet.changed {
        ui.label(muted(ui, format!("{} jobs: {}", line.count, line.words)));
    }
}
