//! The rules that must hold, with what was seen when one did not.

use egui::{RichText, ScrollArea, Ui};
use switchyard_view::invariants::InvariantsView;
use switchyard_view::mark::Mark;

use super::marks::mark_ui;
use super::widgets::{medium_font, muted};
use crate::theme::ink::Ink;

/// The rules.
pub(crate) fn invariants_ui(ui: &mut Ui, view: &InvariantsView) {
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 3.0;
        for row in &view.rows {
            ui.horizontal_wrapped(|ui| {
                mark_ui(ui, if row.broke.is_none() { Mark::Check } else { Mark::Cross });
                ui.label(RichText::new(row.name).font(medium_font(13.0)));
                ui.label(muted(ui, row.statement));
                if let Some(broke) = &row.broke {
                    ui.label(RichText::new(broke).color(Ink::of(ui).bad));
                }
            });
        }
        ui.add_space(4.0);
        ui.label(muted(ui, &view.summary));
    });
}
