//! The chooser of the scheduling policy: a button with the one in force, and below it all there are with what they mean.
//!
//! Whether it is open is the page's state and not egui's, so that a key, the host page and a test open it, too.

use egui::style::ScrollStyle;
use egui::text::{LayoutJob, TextWrapping};
use egui::{
    Align, Button, EventFilter, Key, Layout, Popup, PopupKind, Rect, Response, RichText, ScrollArea,
    TextFormat, Ui, Vec2, WidgetInfo, WidgetType, vec2,
};
use switchyard_view::intent::Intent;
use switchyard_view::keymap;
use switchyard_view::policy::{PolicyChoice, PolicyView};
use switchyard_view::switch::SwitchView;

use super::marks::{Icon, paint_icon};
use super::outbox::Outbox;
use super::widgets::{has_keys, medium_font, muted, strong_font, toggle};
use crate::theme::ink::Ink;

/// Width of the list, and its greatest height, where the page has room for them.
const LIST: Vec2 = vec2(344.0, 420.0);
/// What the list leaves free above and below it: more than the bar on top is high.
const EDGE: f32 = 72.0;

/// The chooser, as wide as `width`. Where the backfill switch has no place of its own it stands above the list.
pub(crate) fn policy_ui(
    ui: &mut Ui,
    (view, backfill): (&PolicyView, Option<&SwitchView>),
    open: bool,
    width: f32,
    out: &mut Outbox,
) {
    let button = button(ui, view, width);
    if button.clicked() {
        out.send(Intent::ShowPolicies(!open));
    }
    let page = ui.ctx().content_rect();
    let room = (page.bottom() - button.rect.bottom()).max(button.rect.top() - page.top());
    let edge = if backfill.is_some() { EDGE + 36.0 } else { EDGE };
    let size = LIST.min(vec2(page.width() - 24.0, room - edge));
    let popup = Popup::from_response(&button).kind(PopupKind::Menu).open(open).gap(4.0).width(size.x);
    // Opened a moment ago: the keyboard begins at the one in force.
    let fresh = ui.ctx().read_response(popup.get_id()).is_none();
    let list = popup.show(|ui| {
        ui.set_width(size.x - 14.0);
        if let Some(backfill) = backfill {
            switch_ui(ui, backfill, out);
        }
        list_ui(ui, view, size.y, fresh, out);
    });
    let Some(list) = list else { return };
    let elsewhere = list.response.clicked_elsewhere() && !button.clicked();
    if !fresh && elsewhere || ui.input(|input| input.key_pressed(Key::Escape)) {
        out.send(Intent::ShowPolicies(false));
    }
}

fn button(ui: &mut Ui, view: &PolicyView, width: f32) -> Response {
    let ink = Ink::of(ui);
    let key = keymap::key_for(&Intent::ShowPolicies(true)).filter(|_| has_keys(ui)).unwrap_or_default();
    // The spaces leave room for the arrow.
    let key = RichText::new(format!("{key}    ")).font(medium_font(11.0)).color(ink.muted);
    let name = RichText::new(view.short()).font(medium_font(13.0));
    let size = vec2(width, ui.spacing().interact_size.y);
    let button = ui.add_sized(size, Button::new(name).right_text(key).truncate());
    let arrow = Rect::from_center_size(button.rect.right_center() - vec2(14.0, 0.0), Vec2::splat(12.0));
    paint_icon(ui.painter(), arrow, Icon::Down, ink.muted);
    button.widget_info(|| {
        let mut info = WidgetInfo::labeled(WidgetType::ComboBox, true, "Scheduling policy");
        info.current_text_value = Some(view.state());
        info
    });
    button.on_hover_text(view.words())
}

/// The backfill switch, with how it stands.
pub(crate) fn switch_ui(ui: &mut Ui, view: &SwitchView, out: &mut Outbox) {
    ui.horizontal(|ui| {
        if toggle(ui, view.on, "Backfill").clicked() {
            out.send(Intent::ToggleBackfill);
        }
        ui.label(RichText::new(view.state()).font(medium_font(13.0))).on_hover_text(&view.words);
        if has_keys(ui) {
            ui.label(muted(ui, "B"));
        }
    });
}

fn list_ui(ui: &mut Ui, view: &PolicyView, height: f32, fresh: bool, out: &mut Outbox) {
    ui.spacing_mut().item_spacing.y = 2.0;
    // Always in sight: the end of the list may fall between two rows, and then nothing else says that there is more.
    ui.spacing_mut().scroll = ScrollStyle::solid();
    ScrollArea::vertical().max_height(height).show(ui, |ui| {
        let rows: Vec<Response> = view.choices.iter().map(|choice| row_ui(ui, choice)).collect();
        for (row, choice) in rows.iter().zip(&view.choices) {
            if fresh && choice.in_force {
                focus(row);
            }
            if row.clicked() {
                if !choice.in_force || view.asked.is_some() {
                    out.send(Intent::SetPolicy(choice.name.clone()));
                }
                out.send(Intent::ShowPolicies(false));
            }
        }
        follow_arrows(ui, &rows);
    });
}

fn row_ui(ui: &mut Ui, choice: &PolicyChoice) -> Response {
    ui.with_layout(Layout::top_down_justified(Align::LEFT), |ui| {
        let words = words(ui, choice, ui.available_width() - 20.0);
        ui.add(Button::selectable(choice.in_force, words).wrap())
    })
    .inner
}

/// The name, and below it what it means.
fn words(ui: &Ui, choice: &PolicyChoice, width: f32) -> LayoutJob {
    let ink = Ink::of(ui);
    let format = |font_id, color| TextFormat { font_id, color, ..TextFormat::default() };
    let mut job = LayoutJob { wrap: TextWrapping::wrap_at_width(width), ..LayoutJob::default() };
    job.append(&choice.name, 0.0, format(strong_font(13.0), ink.ink));
    job.append("\n", 0.0, format(medium_font(12.0), ink.muted));
    job.append(&choice.meaning, 0.0, format(medium_font(12.0), ink.muted));
    job
}

/// Up and down go from row to row; left to egui they would go to what lies under the list, too.
fn follow_arrows(ui: &Ui, rows: &[Response]) {
    let Some(place) = rows.iter().position(Response::has_focus) else { return };
    let filter = EventFilter { vertical_arrows: true, ..EventFilter::default() };
    if let Some(row) = rows.get(place) {
        ui.memory_mut(|memory| memory.set_focus_lock_filter(row.id, filter));
    }
    let pressed = |key| ui.input(|input| input.key_pressed(key));
    let next = match (pressed(Key::ArrowDown), pressed(Key::ArrowUp)) {
        (true, false) => rows.get(place + 1),
        (false, true) => place.checked_sub(1).and_then(|place| rows.get(place)),
        _ => None,
    };
    next.into_iter().for_each(focus);
}

fn focus(row: &Response) {
    row.request_focus();
    row.scroll_to_me(Some(Align::Center));
}
