//! The dock: tabs, and the panel of the one that is open. On a narrow page it is a sheet.

use egui::{Align, CornerRadius, Layout, Rect, RichText, ScrollArea, Sense, Stroke, Ui, pos2, vec2};
use switchyard_view::charts::ChartsView;
use switchyard_view::events::EventsView;
use switchyard_view::inspector::InspectorView;
use switchyard_view::intent::{Intent, Tab};
use switchyard_view::invariants::InvariantsView;
use switchyard_view::places::MIDDLE;
use switchyard_view::queue::QueueView;
use switchyard_view::raft::RaftView;
use switchyard_view::stage::Thing;

use super::charts::charts_ui;
use super::events::{events_ui, filter_ui};
use super::inspector::inspector_ui;
use super::invariants::invariants_ui;
use super::marks::Icon;
use super::outbox::Outbox;
use super::queue::queue_ui;
use super::raft::raft_ui;
use super::widgets::{icon_button, medium_font, muted, small, tooltip};
use crate::theme::ink::Ink;

/// What the open tab shows.
#[derive(Clone, Debug)]
pub(crate) enum TabView {
    /// Figures over time.
    Charts(ChartsView),
    /// Who waits.
    Queue(QueueView),
    /// Logs.
    Raft(RaftView),
    /// What happened.
    Events(EventsView),
    /// Rules.
    Invariants(InvariantsView),
    /// What is selected; on a narrow page.
    Selected(Option<InspectorView>),
}

impl TabView {
    const fn tab(&self) -> Tab {
        match self {
            TabView::Charts(_) => Tab::Charts,
            TabView::Queue(_) => Tab::Queue,
            TabView::Raft(_) => Tab::Raft,
            TabView::Events(_) => Tab::Events,
            TabView::Invariants(_) => Tab::Invariants,
            TabView::Selected(_) => Tab::Selected,
        }
    }
}

/// The dock. `view` is none while it is folded.
pub(crate) fn dock_ui(
    ui: &mut Ui,
    (tabs, height): (&[Tab], f32),
    view: Option<&TabView>,
    pending: &str,
    selected: Option<Thing>,
    out: &mut Outbox,
) {
    let bar = Rect::from_min_size(ui.max_rect().min, vec2(ui.max_rect().width(), height));
    ui.scope_builder(egui::UiBuilder::new().max_rect(bar), |ui| tab_bar(ui, tabs, view, pending, out));
    let Some(view) = view else { return };
    let ink = Ink::of(ui);
    ui.painter().hline(bar.x_range(), bar.bottom(), Stroke::new(1.0, ink.line));
    let body =
        Rect::from_min_max(pos2(bar.left() + 14.0, bar.bottom() + 6.0), ui.max_rect().max - vec2(10.0, 4.0));
    ui.scope_builder(egui::UiBuilder::new().max_rect(body).layout(Layout::top_down(Align::Min)), |ui| {
        match view {
            TabView::Charts(view) => charts_ui(ui, view),
            TabView::Queue(view) => queue_ui(ui, view, selected, out),
            TabView::Raft(view) => raft_ui(ui, view, out),
            TabView::Events(view) => events_ui(ui, view, out),
            TabView::Invariants(view) => invariants_ui(ui, view),
            TabView::Selected(Some(view)) => inspector_ui(ui, view, out),
            TabView::Selected(None) => {
                ui.label(muted(ui, "Tap a rack, a node, a replica or a job to read what it is."));
            }
        }
    });
}

fn tab_bar(ui: &mut Ui, tabs: &[Tab], view: Option<&TabView>, pending: &str, out: &mut Outbox) {
    ui.spacing_mut().item_spacing.x = 0.0;
    ui.horizontal_centered(|ui| {
        ui.add_space(8.0);
        let wide = ui.available_width() >= MIDDLE;
        let room = ui.available_width() - 40.0;
        ScrollArea::horizontal().max_width(room).auto_shrink([true, false]).show(ui, |ui| {
            ui.horizontal_centered(|ui| {
                for tab in tabs {
                    tab_button(ui, *tab, view.is_some_and(|view| view.tab() == *tab), pending, out);
                }
            });
        });
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.add_space(6.0);
            let icon = if view.is_some() { Icon::Down } else { Icon::Up };
            if icon_button(ui, icon, false, &tooltip("Fold or open", &Intent::ToggleDock)).clicked() {
                out.send(Intent::ToggleDock);
            }
            ui.add_space(8.0);
            ui.spacing_mut().item_spacing.x = 6.0;
            match view {
                Some(TabView::Queue(view)) if wide => {
                    ui.label(small(ui, &view.summary));
                }
                Some(TabView::Raft(view)) if wide => {
                    ui.label(small(ui, &view.traffic));
                }
                Some(TabView::Events(view)) if wide => filter_ui(ui, view.filter, out),
                _ => {}
            }
        });
    });
}

fn tab_button(ui: &mut Ui, tab: Tab, open: bool, pending: &str, out: &mut Outbox) {
    let ink = Ink::of(ui);
    let colour = if open { ink.ink } else { ink.muted };
    let galley = ui.painter().layout_no_wrap(tab.name().to_owned(), medium_font(13.0), colour);
    let count = (tab == Tab::Queue && pending != "0")
        .then(|| ui.painter().layout_no_wrap(pending.to_owned(), medium_font(11.0), ink.muted));
    let badge = count.as_ref().map_or(0.0, |count| count.size().x + 18.0);
    let size = vec2(galley.size().x + badge + 22.0, ui.available_height());
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    response.widget_info(|| egui::WidgetInfo::selected(egui::WidgetType::Button, true, open, tab.name()));
    if response.hovered() || response.has_focus() {
        ui.painter().rect_filled(rect.shrink2(vec2(2.0, 3.0)), CornerRadius::same(4), ink.panel_alt);
    }
    let at = pos2(rect.left() + 11.0, rect.center().y - galley.size().y / 2.0);
    let right = at.x + galley.size().x;
    ui.painter().galley(at, galley, colour);
    if let Some(count) = count {
        let pill =
            Rect::from_min_size(pos2(right + 6.0, rect.center().y - 8.0), vec2(count.size().x + 12.0, 16.0));
        ui.painter().rect_filled(pill, CornerRadius::same(8), ink.raised);
        ui.painter().galley(pill.center() - count.size() / 2.0, count, ink.muted);
    }
    if open {
        let line = Rect::from_min_max(
            pos2(rect.left() + 8.0, rect.bottom() - 2.0),
            rect.right_bottom() - vec2(8.0, 0.0),
        );
        ui.painter().rect_filled(line, CornerRadius::ZERO, ink.ink);
    }
    let words = RichText::new(tooltip(tab.name(), &Intent::OpenTab(tab)));
    if response.on_hover_text(words).clicked() {
        out.send(if open { Intent::ToggleDock } else { Intent::OpenTab(tab) });
    }
}
