//! The chooser of the scheduling policy: a button with the one in force, and below it all there are with what they mean.
//!
//! Whether it is open is the page's state and not egui's, so that a key, the host page and a test open it, too.

use egui::text::LayoutJob;
use egui::{Button, Popup, PopupKind, RichText, ScrollArea, TextFormat, Ui, WidgetInfo, WidgetType, vec2};
use switchyard_view::intent::Intent;
use switchyard_view::keymap;
use switchyard_view::policy::{PolicyChoice, PolicyView};

use super::outbox::Outbox;
use super::widgets::{medium_font, strong_font};
use crate::theme::ink::Ink;

/// Width of the list, where the page has room for it.
const LIST: f32 = 344.0;

/// The chooser, as wide as `width`.
pub(crate) fn policy_ui(ui: &mut Ui, view: &PolicyView, open: bool, width: f32, out: &mut Outbox) {
    let ink = Ink::of(ui);
    let name = RichText::new(view.state()).font(medium_font(13.0));
    let key = keymap::key_for(&Intent::ShowPolicies(true)).unwrap_or_default();
    let end = RichText::new(format!("{key} ⏷")).font(medium_font(11.0)).color(ink.muted);
    let size = vec2(width, ui.spacing().interact_size.y);
    let button = ui.add_sized(size, Button::new(name).right_text(end).truncate());
    button.widget_info(|| {
        let mut info = WidgetInfo::labeled(WidgetType::ComboBox, true, "Scheduling policy");
        info.current_text_value = Some(view.state());
        info
    });
    let button = button.on_hover_text(view.words());
    if button.clicked() {
        out.send(Intent::ShowPolicies(!open));
    }
    let page = ui.ctx().content_rect();
    let list = Popup::from_response(&button)
        .kind(PopupKind::Menu)
        .open(open)
        .gap(4.0)
        .width(LIST.min(page.width() - 24.0))
        .show(|ui| list_ui(ui, view, page.height(), out));
    let closes = |list: &egui::Response| {
        let elsewhere = list.clicked_elsewhere() && !button.clicked();
        elsewhere || ui.input(|input| input.key_pressed(egui::Key::Escape))
    };
    if list.is_some_and(|list| closes(&list.response)) {
        out.send(Intent::ShowPolicies(false));
    }
}

fn list_ui(ui: &mut Ui, view: &PolicyView, height: f32, out: &mut Outbox) {
    ui.spacing_mut().item_spacing.y = 2.0;
    let width = ui.available_width();
    ui.set_width(width);
    // Opened a moment ago: the keyboard begins at the one in force.
    let fresh = ui.ctx().read_response(ui.id()).is_none();
    ScrollArea::vertical().max_height((height * 0.6).min(440.0)).show(ui, |ui| {
        for choice in &view.choices {
            let words = words(ui, choice, width - 24.0);
            let row = ui.add_sized(
                vec2(width, 0.0),
                Button::selectable(choice.in_force, words).wrap().min_size(vec2(width, 0.0)),
            );
            if fresh && choice.in_force {
                row.request_focus();
                row.scroll_to_me(Some(egui::Align::Center));
            }
            if row.clicked() {
                if !choice.in_force || view.asked.is_some() {
                    out.send(Intent::SetPolicy(choice.name.clone()));
                }
                out.send(Intent::ShowPolicies(false));
            }
        }
    });
}

/// The name, and below it what it means.
fn words(ui: &Ui, choice: &PolicyChoice, width: f32) -> LayoutJob {
    let ink = Ink::of(ui);
    let mut job = LayoutJob { wrap: egui::text::TextWrapping::wrap_at_width(width), ..LayoutJob::default() };
    let format = |font, color| TextFormat { font_id: font, color, ..TextFormat::default() };
    job.append(&choice.name, 0.0, format(strong_font(13.0), ink.ink));
    job.append("\n", 0.0, format(medium_font(12.0), ink.muted));
    job.append(&choice.meaning, 0.0, format(medium_font(12.0), ink.muted));
    job
}
