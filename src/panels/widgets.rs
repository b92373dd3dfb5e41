//! Small things that several panels are made of.

use egui::{
    Button, Color32, CornerRadius, FontFamily, FontId, Frame, Margin, Rect, Response, RichText, Sense,
    Stroke, StrokeKind, Ui, Vec2, pos2, vec2,
};
use switchyard_view::intent::Intent;
use switchyard_view::keymap;

use super::marks::{Icon, mark_ui, paint_icon};
use super::outbox::Outbox;
use crate::theme::fonts::{MEDIUM, STRONG};
use crate::theme::ink::Ink;
use crate::theme::style::{CARD_RADIUS, CONTROL_RADIUS, shadow};

/// The semibold font.
pub(crate) fn strong_font(size: f32) -> FontId {
    FontId::new(size, FontFamily::Name(STRONG.into()))
}

/// The font of labels.
pub(crate) fn medium_font(size: f32) -> FontId {
    FontId::new(size, FontFamily::Name(MEDIUM.into()))
}

/// Semibold words.
pub(crate) fn strong(words: impl Into<String>, size: f32) -> RichText {
    RichText::new(words).font(strong_font(size))
}

/// Words that matter less.
pub(crate) fn muted(ui: &Ui, words: impl Into<String>) -> RichText {
    RichText::new(words).color(Ink::of(ui).muted)
}

/// Small words that matter less.
pub(crate) fn small(ui: &Ui, words: impl Into<String>) -> RichText {
    muted(ui, words).text_style(egui::TextStyle::Small)
}

/// The frame of a card that floats on the scene.
pub(crate) fn card(ui: &Ui) -> Frame {
    let ink = Ink::of(ui);
    Frame::new()
        .fill(ink.panel)
        .stroke(Stroke::new(1.0, ink.line))
        .corner_radius(CornerRadius::same(CARD_RADIUS))
        .inner_margin(Margin::same(14))
        .shadow(shadow(ink))
}

/// A rule across a card, from edge to edge.
pub(crate) fn rule(ui: &mut Ui) {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 1.0), Sense::hover());
    ui.painter().hline(rect.x_range(), rect.center().y, Stroke::new(1.0, Ink::of(ui).line));
}

/// A wish with its words and key, as a hover text.
pub(crate) fn tooltip(words: &str, intent: &Intent) -> String {
    match keymap::key_for(intent) {
        Some(key) => format!("{words} ({key})"),
        None => words.to_owned(),
    }
}

/// A button with words, a key cap if there is a key for it, and a wish.
pub(crate) fn wish_button(ui: &mut Ui, words: &str, intent: Intent, out: &mut Outbox) -> Response {
    let key = keymap::key_for(&intent);
    let response = ui.add(with_key(ui, words, key.as_deref()));
    if response.clicked() {
        out.send(intent);
    }
    response
}

/// The one gold button of the page.
pub(crate) fn gold_button(ui: &mut Ui, words: &str, intent: Intent, out: &mut Outbox) -> Response {
    let ink = Ink::of(ui);
    let key = keymap::key_for(&intent);
    let size = egui::TextStyle::Button.resolve(ui.style()).size;
    let text = strong(words, size + 0.5).color(ink.on_accent);
    let mut button = Button::new(text).fill(ink.accent).stroke(Stroke::NONE);
    if let Some(key) = key.filter(|_| has_keys(ui)) {
        button = button.right_text(RichText::new(key).font(strong_font(11.5)).color(ink.on_accent));
    }
    let response = ui.add(button);
    if response.clicked() {
        out.send(intent);
    }
    response
}

fn with_key<'a>(ui: &Ui, words: &str, key: Option<&str>) -> Button<'a> {
    let button = Button::new(words.to_owned());
    match key.filter(|_| has_keys(ui)) {
        Some(key) => {
            button.right_text(RichText::new(key.to_owned()).font(medium_font(11.0)).color(Ink::of(ui).muted))
        }
        None => button,
    }
}

/// Whether key caps are worth their room: hardly where fingers are expected.
pub(crate) fn has_keys(ui: &Ui) -> bool {
    ui.spacing().interact_size.y < 36.0
}

/// A square button with an icon, and its words on hover.
pub(crate) fn icon_button(ui: &mut Ui, icon: Icon, framed: bool, words: &str) -> Response {
    let side = ui.spacing().interact_size.y.max(28.0);
    let (rect, response) = ui.allocate_exact_size(Vec2::splat(side), Sense::click());
    let response = response.on_hover_text(words);
    response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, true, words));
    let visuals = ui.style().interact(&response);
    if framed || response.hovered() || response.has_focus() {
        let stroke = if framed || response.has_focus() { visuals.bg_stroke } else { Stroke::NONE };
        ui.painter().rect(
            rect,
            CornerRadius::same(CONTROL_RADIUS),
            visuals.bg_fill,
            stroke,
            StrokeKind::Inside,
        );
    }
    let ink = Ink::of(ui);
    let colour = if framed || response.hovered() { ink.ink } else { ink.muted };
    paint_icon(ui.painter(), Rect::from_center_size(rect.center(), Vec2::splat(14.0)), icon, colour);
    response
}

/// A value over its name, with its definition on hover. Painted, so that it is as wide as its words in any layout.
pub(crate) fn figure(ui: &mut Ui, (value, font): (&str, FontId), colour: Color32, label: &str, about: &str) {
    let ink = Ink::of(ui);
    let value = ui.painter().layout_no_wrap(value.to_owned(), font, colour);
    let label = ui.painter().layout_no_wrap(label.to_owned(), medium_font(11.5), ink.muted);
    let size = vec2(value.size().x.max(label.size().x), value.size().y + label.size().y - 1.0);
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    let below = rect.left_top() + vec2(0.0, value.size().y - 1.0);
    ui.painter().galley(rect.left_top(), value, colour);
    ui.painter().galley(below, label, ink.muted);
    response.on_hover_text(about);
}

/// A square in an account's colour.
pub(crate) fn swatch(ui: &mut Ui, account: u8, side: f32) -> Response {
    let (rect, response) = ui.allocate_exact_size(Vec2::splat(side), Sense::hover());
    let ink = Ink::of(ui);
    let edge = Stroke::new(1.0, ink.swatch_edge);
    ui.painter().rect(rect, CornerRadius::same(2), ink.account(account), edge, StrokeKind::Inside);
    response
}

/// A word in a rounded edge, with a mark if there is one.
pub(crate) fn chip(ui: &mut Ui, words: &str, colour: Color32, mark: Option<switchyard_view::mark::Mark>) {
    Frame::new()
        .stroke(Stroke::new(1.0, colour))
        .corner_radius(CornerRadius::same(10))
        .inner_margin(Margin::symmetric(8, 2))
        .show(ui, |ui| {
            ui.spacing_mut().item_spacing.x = 5.0;
            ui.spacing_mut().interact_size.y = 14.0;
            ui.horizontal(|ui| {
                if let Some(mark) = mark {
                    mark_ui(ui, mark);
                }
                ui.label(RichText::new(words).font(medium_font(11.5)).color(Ink::of(ui).ink));
            });
        });
}

/// A switch that is on or off.
pub(crate) fn toggle(ui: &mut Ui, on: bool, words: &str) -> Response {
    let (rect, response) = ui.allocate_exact_size(vec2(36.0, 20.0), Sense::click());
    response.widget_info(|| egui::WidgetInfo::selected(egui::WidgetType::Checkbox, true, on, words));
    let ink = Ink::of(ui);
    let how_on = ui.ctx().animate_bool(response.id, on);
    let (fill, edge) = if on { (ink.info, ink.info) } else { (ink.panel_alt, ink.line_strong) };
    let stroke = Stroke::new(if response.hovered() || response.has_focus() { 2.0 } else { 1.0 }, edge);
    ui.painter().rect(rect, CornerRadius::same(10), fill, stroke, StrokeKind::Inside);
    let x = egui::lerp(rect.left() + 10.0..=rect.right() - 10.0, how_on);
    let knob = if on { ink.panel } else { ink.muted };
    ui.painter().circle_filled(pos2(x, rect.center().y), 6.5, knob);
    response
}

/// A thin upright rule between groups of a bar.
pub(crate) fn bar_rule(ui: &mut Ui, height: f32) {
    let (rect, _) = ui.allocate_exact_size(vec2(9.0, height), Sense::hover());
    ui.painter().vline(rect.center().x, rect.y_range(), Stroke::new(1.0, Ink::of(ui).line));
}
