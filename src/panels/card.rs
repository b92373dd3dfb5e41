//! The card beside the scene: the one act that is asked for, the switches, and what can be mended.

use egui::{RichText, Ui};
use switchyard_view::card::CardView;
use switchyard_view::intent::Intent;
use switchyard_view::mark::Mark;

use super::marks::mark_ui;
use super::outbox::Outbox;
use super::policy::{policy_ui, switch_ui};
use super::widgets::{gold_button, medium_font, muted, rule, wish_button};
use crate::theme::ink::Ink;

/// From this width on the strip has room for the backfill switch; below, it stands above the list of policies.
const ROOM_FOR_THE_SWITCH: f32 = 770.0;

/// The card of a wide page.
pub(crate) fn card_ui(ui: &mut Ui, view: &CardView, policies: bool, out: &mut Outbox) {
    ui.spacing_mut().item_spacing.y = 8.0;
    ui.label(RichText::new(&view.headline).size(14.5));
    ui.label(muted(ui, view.hint));
    kill(ui, view, out);
    rule(ui);
    ui.horizontal(|ui| {
        ui.label(RichText::new("Policy").font(medium_font(13.0)));
        policy_ui(ui, (&view.policy, None), policies, ui.available_width(), out);
    });
    ui.label(muted(ui, view.policy.words()));
    rule(ui);
    switch_ui(ui, &view.backfill, out);
    ui.label(muted(ui, &view.backfill.words));
    rule(ui);
    network(ui, view, out);
    if !view.down.is_empty() {
        rule(ui);
        down(ui, view, out);
    }
}

/// The acts of a page that has no room for the card.
pub(crate) fn strip_ui(ui: &mut Ui, view: &CardView, policies: bool, out: &mut Outbox) {
    ui.horizontal_wrapped(|ui| {
        kill(ui, view, out);
        match view.cut {
            None => wish_button(ui, "Cut network", Intent::CutSelected, out),
            Some(_) => wish_button(ui, "Heal", Intent::Heal, out),
        };
        let roomy = ui.max_rect().width() >= ROOM_FOR_THE_SWITCH;
        if roomy {
            let backfill = &view.backfill;
            wish_button(ui, &backfill.act, Intent::ToggleBackfill, out).on_hover_text(&backfill.words);
        }
        let backfill = (!roomy).then_some(&view.backfill);
        let width = if roomy { 124.0 } else { 138.0 };
        policy_ui(ui, (&view.policy, backfill), policies, width, out);
        if let Some(first) = view.down.first()
            && ui.button("Restart").on_hover_text(&first.words).clicked()
        {
            out.send(Intent::Restart(first.thing));
        }
    });
}

fn kill(ui: &mut Ui, view: &CardView, out: &mut Outbox) {
    match (view.can_kill, view.killed_before) {
        (true, false) => gold_button(ui, "Kill the leader", Intent::KillLeader, out),
        (true, true) => wish_button(ui, "Kill the leader", Intent::KillLeader, out),
        (false, _) => {
            ui.horizontal(|ui| {
                mark_ui(ui, Mark::Election);
                ui.label("No leader now.");
            })
            .response
        }
    };
}

fn network(ui: &mut Ui, view: &CardView, out: &mut Outbox) {
    let Some(cut) = &view.cut else {
        wish_button(ui, "Cut the network", Intent::CutSelected, out).on_hover_text(
            "Cuts off what is selected; without a selection, the leader with a minority and rack R1.",
        );
        return;
    };
    ui.horizontal(|ui| {
        mark_ui(ui, Mark::Cut);
        ui.label(RichText::new("The network is cut").font(medium_font(13.0)).color(Ink::of(ui).bad));
    });
    ui.label(muted(ui, cut));
    ui.horizontal(|ui| {
        wish_button(ui, "Heal", Intent::Heal, out);
        wish_button(ui, "Cut more", Intent::CutSelected, out).on_hover_text(
            "Cuts off what is selected; without a selection, the leader with a minority and rack R1.",
        );
    });
}

fn down(ui: &mut Ui, view: &CardView, out: &mut Outbox) {
    for down in &view.down {
        ui.horizontal(|ui| {
            mark_ui(ui, Mark::Cross);
            if ui.link(&down.words).clicked() {
                out.send(Intent::Select(Some(down.thing)));
            }
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                if ui.button("Restart").clicked() {
                    out.send(Intent::Restart(down.thing));
                }
            });
        });
    }
    if view.more_down > 0 {
        ui.label(muted(ui, format!("and {} more", view.more_down)));
    }
}
