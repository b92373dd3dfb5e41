//! Keys and marks, over everything else.

use egui::{Grid, Modal, RichText, ScrollArea, Ui};
use switchyard_view::intent::Intent;
use switchyard_view::{keymap, legend};

use super::marks::{Icon, mark_ui};
use super::outbox::Outbox;
use super::widgets::{card, icon_button, medium_font, muted, strong};

/// The page of keys and marks.
pub(crate) fn help_ui(ui: &Ui, out: &mut Outbox) {
    let modal = Modal::new(egui::Id::new("help")).frame(card(ui)).show(ui.ctx(), |ui| {
        let room = ui.ctx().content_rect().size();
        ui.set_width((room.x - 60.0).min(660.0));
        ui.horizontal(|ui| {
            ui.label(strong("Keys and marks", 16.0));
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                if icon_button(ui, Icon::Close, false, "Close (Esc)").clicked() {
                    out.send(Intent::ToggleHelp);
                }
            });
        });
        ScrollArea::vertical().max_height(room.y - 130.0).min_scrolled_height(room.y - 130.0).show(
            ui,
            |ui| {
                let columns = if ui.available_width() < 520.0 { 1 } else { 2 };
                ui.columns(columns, |columns| {
                    if let Some(ui) = columns.first_mut() {
                        keys(ui);
                    }
                    if let Some(ui) = columns.last_mut() {
                        rest(ui);
                    }
                });
            },
        );
    });
    if modal.should_close() {
        out.send(Intent::ToggleHelp);
    }
}

fn keys(ui: &mut Ui) {
    ui.spacing_mut().interact_size.y = 18.0;
    Grid::new("keys").num_columns(2).spacing([14.0, 3.0]).min_row_height(18.0).show(ui, |ui| {
        for row in &keymap::ROWS {
            ui.label(RichText::new(row.key.label()).font(medium_font(13.0)));
            ui.label(muted(ui, row.words));
            ui.end_row();
        }
    });
}

fn rest(ui: &mut Ui) {
    ui.spacing_mut().interact_size.y = 18.0;
    Grid::new("camera").num_columns(2).spacing([14.0, 3.0]).min_row_height(18.0).show(ui, |ui| {
        for (key, words) in keymap::CAMERA {
            ui.label(RichText::new(key).font(medium_font(13.0)));
            ui.label(muted(ui, words));
            ui.end_row();
        }
    });
    ui.add_space(10.0);
    for (mark, words) in legend::MARKS {
        ui.horizontal(|ui| {
            ui.set_height(18.0);
            mark_ui(ui, mark);
            ui.label(muted(ui, words));
        });
    }
    ui.add_space(10.0);
    ui.label(muted(
        ui,
        "Drop a trace anywhere on the page to run it: SWF, sacct, a table or JSON, gzipped or not.",
    ));
}
