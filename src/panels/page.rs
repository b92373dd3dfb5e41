//! The whole page: which panels there are, in areas of their own, so that each owns the pointer over it.
//!
//! Plain egui: views in, wishes out, and what is left to the scene.

use egui::{Area, Context, Frame, Id, Margin, Order, Pos2, Rect, Stroke, Ui, vec2};
use switchyard_view::card::CardView;
use switchyard_view::events::EventFilter;
use switchyard_view::import::ImportView;
use switchyard_view::inspector::InspectorView;
use switchyard_view::intent::Tab;
use switchyard_view::legend::LegendView;
use switchyard_view::resolve::Action;
use switchyard_view::stage::Thing;
use switchyard_view::topbar::TopbarView;

use super::card::{card_ui, strip_ui};
use super::dock::{TabView, dock_ui};
use super::help::help_ui;
use super::import::import_ui;
use super::inspector::inspector_ui;
use super::layout::{Places, SHEET_TABS, TABS, Width, places};
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
}

/// Draws the page at `now`, the page's time in seconds; returns what is left to the scene.
pub(crate) fn page_ui(ctx: &Context, view: &PageView, toast: &Toast, now: f64, out: &mut Outbox) -> Rect {
    let places = places(ctx.content_rect(), view.tab.is_some(), view.inspector.is_some());
    bars(ctx, view, &places, out);
    cards(ctx, view, &places, out);
    if places.width == Width::Wide {
        let corner = places.free.right_bottom() + vec2(-2.0, -10.0);
        let painter = ctx.layer_painter(egui::LayerId::background());
        paint_legend(&painter, corner, &view.legend, Ink::of_context(ctx));
    }
    if toast.is_shown(now) {
        let strip = if places.strip.is_some() { 52.0 } else { 0.0 };
        let at = places.free.center_bottom() + vec2(0.0, strip - 52.0);
        Area::new(Id::new("toast"))
            .order(Order::Foreground)
            .pivot(egui::Align2::CENTER_BOTTOM)
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
    places.free
}

fn bars(ctx: &Context, view: &PageView, places: &Places, out: &mut Outbox) {
    let ink = Ink::of_context(ctx);
    let bar = Frame::new().fill(ink.panel);
    area(ctx, "top", places.top, bar.inner_margin(Margin::symmetric(12, 0)), |ui| {
        topbar_ui(ui, &view.topbar, out);
    });
    area(ctx, "dock", places.dock, bar, |ui| {
        let (tabs, height): (&[Tab], f32) = match places.width {
            Width::Narrow => (&Tab::NARROW, SHEET_TABS),
            Width::Wide | Width::Middle => (&Tab::WIDE, TABS),
        };
        let pending = &view.topbar.pending.value;
        dock_ui(ui, (tabs, height), view.tab.as_ref(), pending, view.selected, out);
    });
    let edges = ctx.layer_painter(egui::LayerId::new(Order::Middle, Id::new("dock")));
    let line = Stroke::new(1.0, ink.line);
    edges.hline(places.dock.x_range(), places.dock.top(), line);
    let edges = ctx.layer_painter(egui::LayerId::new(Order::Middle, Id::new("top")));
    edges.hline(places.top.x_range(), places.top.bottom() - 0.5, line);
}

fn cards(ctx: &Context, view: &PageView, places: &Places, out: &mut Outbox) {
    if let Some(rect) = places.card {
        floating(ctx, "card", rect, |ui| card_ui(ui, &view.card, out));
    }
    if let Some(rect) = places.strip {
        Area::new(Id::new("strip"))
            .order(Order::Middle)
            .pivot(egui::Align2::LEFT_BOTTOM)
            .fixed_pos(rect.left_bottom())
            .show(ctx, |ui| {
                ui.set_max_width(rect.width());
                strip_ui(ui, &view.card, out);
            });
    }
    if let (Some(rect), Some(inspector)) = (places.inspector, &view.inspector) {
        floating(ctx, "inspector", rect, |ui| inspector_ui(ui, inspector, out));
    }
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

/// What of the page is open, apart from the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PageState {
    /// The tab of the dock.
    pub tab: Tab,
    /// Whether the dock shows more than its tabs; until the visitor decides, tall pages do.
    pub open: Option<bool>,
    /// Whether keys and marks are shown.
    pub help: bool,
    /// Which events are shown.
    pub filter: EventFilter,
}

impl PageState {
    /// Whether the dock is open on a page of this size.
    pub(crate) fn is_open(&self, page: Rect) -> bool {
        self.open.unwrap_or(page.height() >= 560.0)
    }

    /// The tab that is open on a page of this size: only narrow pages have a tab for the selection.
    pub(crate) fn tab_on(&self, page: Rect) -> Tab {
        let narrow = page.width() < 700.0;
        if self.tab == Tab::Selected && !narrow { Tab::Charts } else { self.tab }
    }

    /// Carries out what concerns the page alone.
    pub(crate) fn carry_out(&mut self, action: &Action, page: Rect) {
        match action {
            Action::OpenTab(tab) => {
                self.tab = *tab;
                self.open = Some(true);
            }
            Action::ToggleDock => self.open = Some(!self.is_open(page)),
            Action::ToggleHelp => self.help = !self.help,
            Action::FilterEvents(filter) => self.filter = *filter,
            _ => {}
        }
    }
}
