//! What happened, newest first.

use egui::{Label, Link, RichText, ScrollArea, Ui};
use switchyard_view::events::{EventFilter, EventsView};
use switchyard_view::intent::Intent;

use super::marks::mark_ui;
use super::outbox::Outbox;
use super::widgets::muted;

const ROW: f32 = 22.0;

/// The lines.
pub(crate) fn events_ui(ui: &mut Ui, view: &EventsView, out: &mut Outbox) {
    let rows = view.lines.len() + usize::from(!view.earlier.is_empty());
    if rows == 0 {
        ui.label(muted(ui, "Nothing of that kind has happened yet."));
        return;
    }
    ui.spacing_mut().item_spacing.y = 0.0;
    ScrollArea::vertical().auto_shrink(false).show_rows(ui, ROW, rows, |ui, range| {
        for place in range {
            ui.horizontal(|ui| {
                ui.set_height(ROW);
                let Some(line) = view.lines.get(place) else {
                    ui.label(muted(ui, &view.earlier));
                    return;
                };
                ui.label(muted(ui, &line.at).monospace());
                mark_ui(ui, line.mark);
                match line.thing {
                    Some(thing) => {
                        let words = RichText::new(&line.words).color(ui.visuals().text_color());
                        if ui.add(Link::new(words)).clicked() {
                            out.send(Intent::Select(Some(thing)));
                        }
                    }
                    None => {
                        ui.add(Label::new(&line.words).truncate());
                    }
                }
            });
        }
    });
}

/// Which events are shown; from the right.
pub(crate) fn filter_ui(ui: &mut Ui, chosen: EventFilter, out: &mut Outbox) {
    for filter in EventFilter::ALL.into_iter().rev() {
        if ui.selectable_label(filter == chosen, filter.name()).clicked() {
            out.send(Intent::FilterEvents(filter));
        }
    }
}
