//! Tells in words, outside the canvas, what changes: for those who listen instead of looking.

use bevy::prelude::*;
use switchyard_sim::Event;
use switchyard_view::events::sentence;

use super::element;
use crate::app::AppSystems;
use crate::driver::{Notice, Simulation};

/// A speaker needs time: one sentence in this many seconds.
const PAUSE_SECS: f32 = 1.5;

#[derive(Default)]
struct Told {
    events: u64,
    wait_secs: f32,
    next: Option<String>,
}

pub(crate) fn plugin(app: &mut App) {
    app.add_systems(Update, tell.in_set(AppSystems::Publish));
}

/// Ordinary starts and ends are not news; deeds, elections, losses and answers are.
const fn is_news(event: &Event) -> bool {
    !matches!(
        event,
        Event::JobAccepted(_) | Event::JobPlaced { .. } | Event::JobFinished { .. } | Event::NodeUp(_)
    )
}

fn tell(
    mut told: Local<Told>,
    simulation: Res<Simulation>,
    time: Res<Time<Real>>,
    mut notices: MessageReader<Notice>,
) {
    let world = &simulation.world;
    let all = world.events_dropped() + world.events().len() as u64;
    if all < told.events {
        told.events = 0; // another run
    }
    let new = usize::try_from(all - told.events).unwrap_or(usize::MAX).min(world.events().len());
    let news = world.events().iter().rev().take(new).find(|record| is_news(&record.event));
    if let Some(record) = news {
        told.next = Some(sentence(world, &record.event));
    }
    told.events = all;
    if let Some(Notice(words)) = notices.read().last() {
        told.next = Some(words.clone());
    }
    told.wait_secs -= time.delta_secs();
    if told.wait_secs <= 0.0
        && let Some(words) = told.next.take()
    {
        told.wait_secs = PAUSE_SECS;
        if let Some(region) = element("live") {
            region.set_text_content(Some(&words));
        }
    }
}
