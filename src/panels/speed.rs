//! The speed: a slider on which equal ways are equal factors, with the reached speed beside the wished one.

use egui::{Align2, Rect, Sense, Stroke, Ui, pos2, vec2};
use switchyard_view::intent::Intent;
use switchyard_view::pace;
use switchyard_view::topbar::TopbarView;

use super::outbox::Outbox;
use super::widgets::{medium_font, strong_font};
use crate::theme::ink::Ink;

/// Length of the slider.
const LENGTH: f32 = 112.0;

/// The slider and both speeds.
pub(crate) fn speed_ui(ui: &mut Ui, view: &TopbarView, out: &mut Outbox) {
    let (rect, response) = ui.allocate_exact_size(vec2(LENGTH + 52.0, 34.0), Sense::hover());
    response.on_hover_text(
        "The wished speed, and below it the one that this machine reached lately: simulated seconds per second.",
    );
    let track = Rect::from_min_size(rect.min, vec2(LENGTH, 20.0));
    slider(ui, track, view.pace.speed, out);
    let ink = Ink::of(ui);
    let painter = ui.painter();
    let at = track.right_center() + vec2(8.0, 0.0);
    painter.text(at, Align2::LEFT_CENTER, pace::words(view.pace.speed), strong_font(14.0), ink.ink);
    let at = pos2(rect.left() + 4.0, rect.bottom());
    painter.text(at, Align2::LEFT_BOTTOM, &view.reached, medium_font(11.5), ink.muted);
}

fn slider(ui: &mut Ui, rect: Rect, speed: f64, out: &mut Outbox) {
    let response = ui.interact(rect, ui.id().with("speed"), Sense::click_and_drag());
    let response = response.on_hover_text("Speed: simulated seconds per second ([ and ])");
    response.widget_info(|| egui::WidgetInfo::slider(true, speed, "Speed"));
    let (from, to) = (rect.left() + 5.0, rect.right() - 5.0);
    let x_of = |speed: f64| egui::lerp(from..=to, pace::position(speed) as f32);
    if let Some(at) = response.interact_pointer_pos() {
        let wished = pace::at(f64::from((at.x - from) / (to - from)));
        if (wished / speed - 1.0).abs() > 1e-6 {
            out.send(Intent::SetSpeed(wished));
        }
    }
    let ink = Ink::of(ui);
    let painter = ui.painter();
    let middle = rect.center().y;
    painter.hline(from..=to, middle, Stroke::new(1.5, ink.line_strong));
    for step in pace::STEPS {
        let real_time = (step - 1.0).abs() < 1e-9;
        let reach = if real_time { 5.0 } else { 3.0 };
        painter.vline(x_of(step), middle - reach..=middle + reach, Stroke::new(1.0, ink.line_strong));
    }
    let handle = Rect::from_center_size(pos2(x_of(speed), middle), vec2(8.0, 14.0));
    let colour = if response.hovered() || response.dragged() { ink.ink } else { ink.muted };
    painter.rect_filled(handle, 2.0, colour);
}
