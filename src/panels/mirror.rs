//! Makes the page's views of the world, each as often as it is worth.

use bevy::prelude::*;
use switchyard_sim::World as SimWorld;
use switchyard_view::accounts::Accounts;
use switchyard_view::card::CardView;
use switchyard_view::charts::ChartsView;
use switchyard_view::events::{EventsView, is_news, mark, sentence};
use switchyard_view::inspector::InspectorView;
use switchyard_view::intent::Tab;
use switchyard_view::invariants::InvariantsView;
use switchyard_view::legend::LegendView;
use switchyard_view::pace::Pace;
use switchyard_view::queue::QueueView;
use switchyard_view::raft::RaftView;
use switchyard_view::stage::Thing;
use switchyard_view::topbar::TopbarView;

use super::dock::TabView;
use super::page::PageView;
use super::{News, Page, PageRect};
use crate::driver::Simulation;
use crate::scene::{Hovered, Selected};

/// Views that cost something are made at most this often, in seconds.
const EVERY: f64 = 0.1;

/// What the page shows now.
#[derive(Resource, Default)]
pub(super) struct Shown {
    /// The page.
    pub page: Option<PageView>,
    /// What is under the pointer.
    pub hover: Option<HoverTag>,
    made: Option<Made>,
}

/// A tag beside the pointer.
pub(super) struct HoverTag {
    /// What it is.
    pub title: String,
    /// How it stands.
    pub line: String,
}

/// What the costly views were made of.
#[derive(Clone, Copy, PartialEq)]
struct Made {
    steps: u64,
    /// What was done to the world: that counts while time stands still, too.
    deeds: usize,
    tab: Option<Tab>,
    filter: switchyard_view::events::EventFilter,
    selected: Option<Thing>,
    hovered: Option<Thing>,
    at: f64,
}

pub(super) fn refresh(
    simulation: Res<Simulation>,
    page: Res<Page>,
    rect: Res<PageRect>,
    selected: Res<Selected>,
    hovered: Res<Hovered>,
    time: Res<Time<Real>>,
    mut shown: ResMut<Shown>,
) {
    let world = &simulation.world;
    let open = page.0.open_tab(rect.0);
    let now = Made {
        steps: world.steps(),
        deeds: world.interventions().len(),
        tab: open,
        filter: page.0.filter(),
        selected: selected.0,
        hovered: hovered.0,
        at: time.elapsed_secs_f64(),
    };
    let due = shown.made.is_none_or(|made| {
        let asked = Made { steps: made.steps, at: made.at, ..now } != made;
        asked || (made.steps != now.steps && now.at - made.at >= EVERY)
    });
    let playback = &simulation.playback;
    let pace = Pace { playing: playback.playing, speed: playback.speed, reached: playback.reached };
    let topbar = TopbarView::of(world, pace);
    let import = simulation.import.as_ref();
    let Shown { page: view, hover, made } = &mut *shown;
    match view {
        // Time and figures run with every frame; they cost next to nothing.
        Some(view) if !due => {
            view.topbar = topbar;
            view.import = import.map(|import| import.view.clone());
            view.help = page.0.help();
            view.policies = page.0.policies();
        }
        _ => {
            let accounts = simulation.staging.accounts();
            let explain = |thing: Thing| InspectorView::of(world, accounts, thing);
            let inspector = selected.0.and_then(explain);
            *view = Some(PageView {
                topbar,
                card: CardView::of(world),
                legend: LegendView::of(accounts),
                selected: selected.0,
                tab: open.map(|tab| tab_view(world, accounts, tab, &page, inspector.clone())),
                inspector,
                import: import.map(|import| import.view.clone()),
                help: page.0.help(),
                policies: page.0.policies(),
            });
            *hover = hovered
                .0
                .and_then(explain)
                .map(|about| HoverTag { title: about.title, line: about.headline });
            *made = Some(now);
        }
    }
}

fn tab_view(
    world: &SimWorld,
    accounts: &Accounts,
    tab: Tab,
    page: &Page,
    inspector: Option<InspectorView>,
) -> TabView {
    match tab {
        Tab::Charts => TabView::Charts(ChartsView::of(world)),
        Tab::Queue => TabView::Queue(QueueView::of(world, accounts)),
        Tab::Raft => TabView::Raft(RaftView::of(world)),
        Tab::Events => TabView::Events(EventsView::of(world, page.0.filter())),
        Tab::Invariants => TabView::Invariants(InvariantsView::of(world)),
        Tab::Selected => TabView::Selected(inspector),
    }
}

/// Puts the last event that is worth it over the scene.
pub(super) fn tell_news(
    simulation: Res<Simulation>,
    time: Res<Time<Real>>,
    mut heard: Local<u64>,
    mut news: ResMut<News>,
) {
    let world = &simulation.world;
    let told = world.events_dropped() + world.events().len() as u64;
    // Fewer than before: this is another run. Its first events are not news to interrupt for.
    let fresh = told.saturating_sub(std::mem::replace(&mut *heard, told));
    let fresh = usize::try_from(fresh).unwrap_or(usize::MAX).min(world.events().len());
    let last = world.events().iter().rev().take(fresh).find(|record| is_news(&record.event));
    if let Some(record) = last {
        let words = sentence(world, &record.event);
        news.0.tell(words, mark(&record.event), time.elapsed_secs_f64());
    }
}
