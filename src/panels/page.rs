//! The whole page: which panels there are, in areas of their own, so that each owns the pointer over it.
//!
//! Plain egui: views in, wishes out, and what is left to the scene.

use egui::{Area, Context, Frame, Id, Margin, Order, Pos2, Rect, Stroke, Ui, pos2, vec2};
use switchyard_view::card::CardView;
use switchyard_view::import::ImportView;
use switchyard_view::inspector::InspectorView;
use switchyard_view::intent::Tab;
use switchyard_view::legend::LegendView;
use switchyard_view::places::{self, Places, Width, places};
use switchyard_view::stage::Thing;
use switchyard_view::topbar::TopbarView;

use super::card::{card_ui, strip_ui};
use super::dock::{TabView, dock_ui};
use super::help::help_ui;
use super::import::import_ui;
use super::inspector::inspector_ui;
use super::legend::paint_legend;
use super::outbox::Outbox;
use super::toast::{Toast, toast_ui};
use super::topbar::topbar_ui;
use super::widgets::card;
use crate::theme::ink::Ink;

/// All that the page shows.
#[derive(Debug)]
pub(crate) struct PageView {
    /// The bar on top.
    pub topbar: TopbarView,
    /// The card beside the scene.
    pub card: CardView,
    /// The colours of accounts.
    pub legend: LegendView,
    /// What is selected.
    pub selected: Option<Thing>,
    /// The same, explained.
    pub inspector: Option<InspectorView>,
    /// The open tab; none while the dock is folded.
    pub tab: Option<TabView>,
    /// The report on a dropped trace.
    pub import: Option<ImportView>,
    /// Whether keys and marks are shown.
    pub help: bool,
    /// Whether the policies to choose from are shown.
    pub policies: bool,
}

/// Draws the page at `now`, the page's time in seconds; returns what is left to the scene.
pub(crate) fn page_ui(ctx: &Context, view: &PageView, toast: &Toast, now: f64, out: &mut Outbox) -> Rect {
    let page = plain(ctx.content_rect());
    let places = places(page, view.tab.is_some(), view.inspector.is_some());
    let free = rect(places.free);
    bars(ctx, view, &places, out);
    cards(ctx, view, &places, out);
    let corner = match places.width {
        // Beside the lane, not on it: as far right as the inspector lets it.
        Width::Wide if view.inspector.is_none() => {
            Some(pos2(ctx.content_rect().right() - 14.0, free.bottom() - 10.0))
        }
        Width::Wide => Some(free.right_bottom() + vec2(-2.0, -10.0)),
        // Beside the strip of buttons.
        Width::Middle => places.strip.map(|strip| pos2(free.right() - 8.0, strip.bottom + 4.0)),
        Width::Narrow => None,
    };
    if let Some(corner) = corner {
        let painter = ctx.layer_painter(egui::LayerId::background());
        paint_legend(&painter, corner, &view.legend, Ink::of_context(ctx));
    }
    // The import report says by itself what the toast would say, and the toast would lie on it.
    if toast.is_shown(now) && view.import.is_none() {
        // Where neither the queue, the legend nor the strip of buttons is.
        let (at, pivot) = match places.width {
            Width::Wide if view.inspector.is_none() => {
                (pos2(ctx.content_rect().right() - 12.0, free.top() + 12.0), egui::Align2::RIGHT_TOP)
            }
            Width::Wide => (free.center_bottom() - vec2(0.0, 52.0), egui::Align2::CENTER_BOTTOM),
            Width::Middle | Width::Narrow => (free.center_top() + vec2(0.0, 8.0), egui::Align2::CENTER_TOP),
        };
        Area::new(Id::new("toast"))
            .order(Order::Foreground)
            .pivot(pivot)
            .fixed_pos(at)
            .interactable(false)
            .show(ctx, |ui| toast_ui(ui, toast));
    }
    Area::new(Id::new("dialogs")).order(Order::Background).fixed_pos(Pos2::ZERO).interactable(false).show(
        ctx,
        |ui| {
            if view.help {
                help_ui(ui, out);
            }
            if let Some(import) = &view.import {
                import_ui(ui, import, out);
            }
        },
    );
    free
}

fn bars(ctx: &Context, view: &PageView, places: &Places, out: &mut Outbox) {
    let ink = Ink::of_context(ctx);
    let bar = Frame::new().fill(ink.panel);
    let (top, dock) = (rect(places.top), rect(places.dock));
    area(ctx, "top", top, bar.inner_margin(Margin::symmetric(12, 0)), |ui| {
        topbar_ui(ui, &view.topbar, out);
    });
    area(ctx, "dock", dock, bar, |ui| {
        let tabs: &[Tab] = match places.width {
            Width::Narrow => &Tab::NARROW,
            Width::Wide | Width::Middle => &Tab::WIDE,
        };
        let pending = &view.topbar.pending.value;
        dock_ui(ui, (tabs, places.tabs), view.tab.as_ref(), pending, view.selected, out);
    });
    let edges = ctx.layer_painter(egui::LayerId::new(Order::Middle, Id::new("dock")));
    let line = Stroke::new(1.0, ink.line);
    edges.hline(dock.x_range(), dock.top(), line);
    let edges = ctx.layer_painter(egui::LayerId::new(Order::Middle, Id::new("top")));
    edges.hline(top.x_range(), top.bottom() - 0.5, line);
}

fn cards(ctx: &Context, view: &PageView, places: &Places, out: &mut Outbox) {
    if let Some(rect) = places.card.map(rect) {
        floating(ctx, "card", rect, |ui| card_ui(ui, &view.card, view.policies, out));
    }
    if let Some(rect) = places.strip.map(rect) {
        Area::new(Id::new("strip"))
            .order(Order::Middle)
            .pivot(egui::Align2::LEFT_BOTTOM)
            .fixed_pos(rect.left_bottom())
            .show(ctx, |ui| {
                ui.set_max_width(rect.width());
                strip_ui(ui, &view.card, view.policies, out);
            });
    }
    if let (Some(rect), Some(inspector)) = (places.inspector.map(rect), &view.inspector) {
        floating(ctx, "inspector", rect, |ui| inspector_ui(ui, inspector, out));
    }
}

/// A plain rectangle, as egui has it.
fn rect(of: places::Rect) -> Rect {
    Rect::from_min_max(pos2(of.left, of.top), pos2(of.right, of.bottom))
}

/// A rectangle of egui's, plain.
pub(crate) fn plain(of: Rect) -> places::Rect {
    places::Rect { left: of.left(), top: of.top(), right: of.right(), bottom: of.bottom() }
}

/// A panel that fills its rectangle.
fn area(ctx: &Context, name: &str, rect: Rect, frame: Frame, add: impl FnOnce(&mut Ui)) {
    let area =
        Area::new(Id::new(name)).order(Order::Middle).fixed_pos(rect.min).movable(false).constrain(false);
    area.fade_in(false).show(ctx, |ui| {
        ui.set_clip_rect(rect);
        ui.set_min_size(rect.size());
        ui.set_max_size(rect.size());
        let margin = frame.inner_margin.sum();
        frame.show(ui, |ui| {
            ui.set_min_size(rect.size() - margin);
            ui.set_max_size(rect.size() - margin);
            add(ui);
        });
    });
}

/// A card that is as high as it needs to be, within its rectangle.
fn floating(ctx: &Context, name: &str, rect: Rect, add: impl FnOnce(&mut Ui)) {
    let area =
        Area::new(Id::new(name)).order(Order::Middle).fixed_pos(rect.min).movable(false).constrain(false);
    area.fade_in(false).show(ctx, |ui| {
        let frame = card(ui);
        let inner = rect.size() - frame.inner_margin.sum();
        frame.show(ui, |ui| {
            ui.set_width(inner.x);
            ui.set_max_height(inner.y);
            add(ui);
        });
    });
}
