//! The bar on top: what time does, and the figures that matter.

use egui::{Align, Layout, Ui};
use switchyard_view::intent::Intent;
use switchyard_view::mark::Mark;
use switchyard_view::places::MIDDLE;
use switchyard_view::topbar::{Figure, TopbarView};

use super::marks::{Icon, mark_ui, paint_logo};
use super::outbox::Outbox;
use super::speed::speed_ui;
use super::widgets::{bar_rule, figure, icon_button, medium_font, small, strong, strong_font, tooltip};
use crate::theme::ink::Ink;

/// From this width on there is room for words beside the icons.
const ROOMY: f32 = 1_180.0;
/// From this width on there is room for all figures with their full names.
const SPACIOUS: f32 = 900.0;

/// The bar.
pub(crate) fn topbar_ui(ui: &mut Ui, view: &TopbarView, out: &mut Outbox) {
    let width = ui.available_width();
    ui.horizontal_centered(|ui| {
        if width >= MIDDLE {
            logo(ui, width >= ROOMY);
        }
        play_or_pause(ui, view, out);
        if width >= MIDDLE {
            steps(ui, width >= ROOMY, out);
            speed_ui(ui, view, out);
            bar_rule(ui, 26.0);
        }
        clock(ui, view, width);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            buttons(ui, view, width, out);
            figures(ui, view, width);
        });
    });
}

fn logo(ui: &mut Ui, with_name: bool) {
    let (rect, response) = ui.allocate_exact_size(egui::vec2(24.0, 16.0), egui::Sense::hover());
    paint_logo(ui.painter(), rect, Ink::of(ui));
    response.on_hover_text("Switchyard: a GPU cluster that lives in a browser tab");
    if with_name {
        ui.label(strong("Switchyard", 15.0));
        bar_rule(ui, 26.0);
    }
}

fn play_or_pause(ui: &mut Ui, view: &TopbarView, out: &mut Outbox) {
    let (icon, words) = if view.pace.playing { (Icon::Pause, "Pause") } else { (Icon::Play, "Play") };
    if icon_button(ui, icon, true, &tooltip(words, &Intent::PlayPause)).clicked() {
        out.send(Intent::PlayPause);
    }
}

fn steps(ui: &mut Ui, with_words: bool, out: &mut Outbox) {
    let steps = [
        (Intent::StepEvent, "Event", "Step to the next event"),
        (Intent::StepPass, "Pass", "Step to the next scheduling pass"),
    ];
    if with_words {
        for (intent, word, words) in steps {
            if ui.button(word).on_hover_text(tooltip(words, &intent)).clicked() {
                out.send(intent);
            }
        }
        return;
    }
    let button = icon_button(ui, Icon::Step, true, "Step");
    egui::Popup::menu(&button).show(|ui| {
        for (intent, _, words) in steps {
            if ui.button(tooltip(words, &intent)).clicked() {
                out.send(intent);
            }
        }
    });
}

fn clock(ui: &mut Ui, view: &TopbarView, width: f32) {
    let below = match width {
        _ if width >= ROOMY => format!("{} · {}", view.day, view.fleet),
        _ if width >= MIDDLE => view.day.clone(),
        _ => format!("{}, {}", switchyard_view::pace::words(view.pace.speed), view.day),
    };
    let (size, clock) = match view.clock.split_once('.') {
        Some((seconds, _)) if width < SPACIOUS => (16.0, seconds),
        _ => (18.0, view.clock.as_str()),
    };
    let about = "Simulated time since the start; it passes at the speed beside it.";
    let ink = Ink::of(ui);
    figure(ui, (clock, medium_font(size)), ink.ink, &below, about);
}

/// From the right: least important first.
fn buttons(ui: &mut Ui, view: &TopbarView, width: f32, out: &mut Outbox) {
    if width < MIDDLE {
        more_menu(ui, view, out);
        return;
    }
    let icons = [
        (Icon::Help, Intent::ToggleHelp, "Keys and marks"),
        (Icon::Theme, Intent::ToggleTheme, "Dark or light"),
        (
            Icon::Open,
            Intent::OpenFilePicker,
            "Open a trace (SWF, sacct, CSV, JSON, .gz); or drop one anywhere",
        ),
    ];
    ui.spacing_mut().item_spacing.x = 2.0;
    for (icon, intent, words) in icons {
        if icon_button(ui, icon, false, &tooltip(words, &intent)).clicked() {
            out.send(intent);
        }
    }
    ui.spacing_mut().item_spacing.x = 8.0;
    if width >= ROOMY {
        ui.label(small(ui, &view.seed)).on_hover_text("All chance of this run is drawn from this seed.");
    }
}

fn more_menu(ui: &mut Ui, view: &TopbarView, out: &mut Outbox) {
    let button = icon_button(ui, Icon::More, false, "Speed, steps, files, keys");
    egui::Popup::menu(&button).close_behavior(egui::PopupCloseBehavior::CloseOnClickOutside).show(|ui| {
        ui.set_min_width(220.0);
        speed_ui(ui, view, out);
        ui.separator();
        let rows = [
            ("Step to the next event", Intent::StepEvent),
            ("Step to the next scheduling pass", Intent::StepPass),
            ("Open a trace", Intent::OpenFilePicker),
            ("Dark or light", Intent::ToggleTheme),
            ("Keys and marks", Intent::ToggleHelp),
        ];
        for (words, intent) in rows {
            if ui.button(words).clicked() {
                out.send(intent);
            }
        }
    });
}

/// From the right, too.
fn figures(ui: &mut Ui, view: &TopbarView, width: f32) {
    let ink = Ink::of(ui);
    let show = |ui: &mut Ui, one: &Figure, label: &str| {
        figure(ui, (&one.value, strong_font(15.0)), ink.ink, label, &one.about);
    };
    let rule = |ui: &mut Ui| match width >= MIDDLE {
        true => bar_rule(ui, 26.0),
        false => {
            ui.add_space(2.0);
        }
    };
    if width >= ROOMY {
        rule(ui);
    }
    if width >= SPACIOUS || !view.all_hold {
        show(ui, &view.invariants, view.invariants.label);
        mark_ui(ui, if view.all_hold { Mark::Check } else { Mark::Cross });
        rule(ui);
    }
    let (leader, label) = match view.leader.value.split_once(" · ") {
        Some((letter, term)) if width < MIDDLE => (letter, term),
        _ => (view.leader.value.as_str(), "leader"),
    };
    let colour = if view.leader.there { ink.ink } else { ink.bad };
    figure(ui, (leader, strong_font(15.0)), colour, label, &view.leader.about);
    if view.leader.there {
        mark_ui(ui, Mark::Crown);
    }
    rule(ui);
    match width {
        _ if width >= SPACIOUS => show(ui, &view.jobs, view.jobs.label),
        _ if width >= MIDDLE => show(ui, &view.jobs, "run / wait / done"),
        _ => show(ui, &view.pending, view.pending.label),
    }
    rule(ui);
    show(ui, &view.utilisation, if width >= SPACIOUS { view.utilisation.label } else { "busy" });
}
