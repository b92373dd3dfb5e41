//! What is selected, explained.

use egui::{Align, Align2, Layout, Rect, RichText, ScrollArea, Sense, Stroke, Ui, pos2, vec2};
use switchyard_view::inspector::{FreeBars, InspectorView, Tone};
use switchyard_view::intent::Intent;

use super::marks::Icon;
use super::outbox::Outbox;
use super::widgets::{chip, icon_button, medium_font, muted, rule, strong, swatch, wish_button};
use crate::theme::ink::Ink;

/// The inspector.
pub(crate) fn inspector_ui(ui: &mut Ui, view: &InspectorView, out: &mut Outbox) {
    title(ui, view, out);
    rule(ui);
    ScrollArea::vertical().auto_shrink([false, true]).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 6.0;
        ui.label(strong(&view.headline, 15.5));
        if !view.evidence.is_empty() {
            ui.label(muted(ui, &view.evidence));
        }
        if let Some(bars) = &view.bars {
            free_bars(ui, bars);
        }
        ui.add_space(2.0);
        rule(ui);
        facts(ui, view, out);
        rule(ui);
        ui.horizontal_wrapped(|ui| {
            for act in &view.acts {
                wish_button(ui, &act.words, act.intent.clone(), out);
            }
        });
    });
}

fn title(ui: &mut Ui, view: &InspectorView, out: &mut Outbox) {
    ui.horizontal(|ui| {
        if let Some(account) = view.account {
            swatch(ui, account, 12.0);
        }
        ui.label(strong(&view.title, 16.0));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if icon_button(ui, Icon::Close, false, "Close (Esc)").clicked() {
                out.send(Intent::Select(None));
            }
        });
    });
    if view.chips.is_empty() {
        return;
    }
    ui.horizontal_wrapped(|ui| {
        for one in &view.chips {
            let ink = Ink::of(ui);
            let colour = match one.tone {
                Tone::Plain => ink.line_strong,
                Tone::Warn => ink.warn,
                Tone::Bad => ink.bad,
                Tone::Leader => ink.accent,
            };
            chip(ui, &one.words, colour, one.mark);
        }
    });
}

/// The width of the left column, in logical pixels.
const LABELS: f32 = 72.0;

fn facts(ui: &mut Ui, view: &InspectorView, out: &mut Outbox) {
    ui.spacing_mut().item_spacing.y = 4.0;
    ui.spacing_mut().interact_size.y = 18.0;
    let mut last = "";
    for fact in &view.facts {
        ui.horizontal_top(|ui| {
            // Several lines of one kind name it once.
            let label = if fact.label == last { "" } else { fact.label };
            ui.allocate_ui_with_layout(vec2(LABELS, 18.0), Layout::left_to_right(Align::Min), |ui| {
                ui.set_min_width(LABELS);
                ui.label(muted(ui, label));
            });
            // A column of its own, so that long words wrap in it.
            ui.vertical(|ui| {
                let words = RichText::new(&fact.value).font(medium_font(13.0));
                match fact.link {
                    Some(thing) => {
                        if ui.add(egui::Link::new(words)).clicked() {
                            out.send(Intent::Select(Some(thing)));
                        }
                    }
                    None => {
                        let value = ui.add(egui::Label::new(words).wrap());
                        if let Some(about) = &fact.about {
                            value.on_hover_text(about);
                        }
                    }
                }
            });
        });
        last = fact.label;
    }
}

fn free_bars(ui: &mut Ui, bars: &FreeBars) {
    let width = ui.available_width();
    let (rect, response) = ui.allocate_exact_size(vec2(width, 32.0), Sense::hover());
    let ink = Ink::of(ui);
    let highest = bars.free.iter().copied().max().unwrap_or(0).max(bars.need).max(1) as f32;
    let step = width / bars.free.len().max(1) as f32;
    let gap = if step > 4.0 { 1.5 } else { 0.0 };
    let painter = ui.painter();
    for (place, free) in bars.free.iter().enumerate() {
        let left = rect.left() + place as f32 * step;
        let column = |height: f32| {
            Rect::from_min_max(pos2(left, rect.bottom() - height), pos2(left + step - gap, rect.bottom()))
        };
        painter.rect_filled(column(rect.height()), 0.0, ink.panel_alt);
        if *free > 0 {
            painter.rect_filled(column(rect.height() * *free as f32 / highest), 0.0, ink.info);
        }
    }
    let y = rect.bottom() - rect.height() * bars.need as f32 / highest;
    let line = [pos2(rect.left(), y), pos2(rect.right(), y)];
    painter.extend(egui::Shape::dashed_line(&line, Stroke::new(1.2, ink.ink), 3.0, 2.0));
    response.on_hover_text(&bars.about);
    let (below, _) = ui.allocate_exact_size(vec2(width, 14.0), Sense::hover());
    let words = |at, anchor, words: &str| {
        ui.painter().text(at, anchor, words, medium_font(11.5), ink.muted);
    };
    words(below.left_center(), Align2::LEFT_CENTER, &bars.ends.0);
    words(below.center(), Align2::CENTER_CENTER, &bars.about);
    words(below.right_center(), Align2::RIGHT_CENTER, &bars.ends.1);
}
