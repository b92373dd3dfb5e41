//! Walks through a schedule in time: at each instant everything that changes, then the stretch until the next one.
//!
//! Intervals are half open: at one instant, ends come before starts, and an attempt of no length is never seen.
//! Cost: the logarithm of the number of attempts for each of them, and what the observer does for each node touched.

use switchyard_model::{SimDuration, SimTime};

use super::horizon::Window;
use crate::Span;

/// What happens to a schedule.
#[derive(Clone, Copy, Debug)]
pub(super) enum Change<'a> {
    /// An attempt ends.
    End(&'a Span),
    /// An attempt starts.
    Start(&'a Span),
    /// The pending queue changes.
    Queue(Queued),
}

/// A job joins or leaves those that could start if there was room.
#[derive(Clone, Copy, Debug)]
pub(super) struct Queued {
    pub(super) joins: bool,
    /// What it asks for on each of its nodes.
    pub(super) cpus: u32,
    pub(super) gpus: u32,
}

impl Change<'_> {
    const fn rank(&self) -> u8 {
        match self {
            Change::End(_) => 0,
            Change::Start(_) => 1,
            Change::Queue(_) => 2,
        }
    }
}

/// What listens to the walk.
pub(super) trait Observer {
    /// Something changes.
    fn change(&mut self, change: &Change<'_>);
    /// All stays as it is for so long.
    fn hold(&mut self, length: SimDuration);
}

impl<A: Observer, B: Observer> Observer for (A, B) {
    fn change(&mut self, change: &Change<'_>) {
        self.0.change(change);
        self.1.change(change);
    }

    fn hold(&mut self, length: SimDuration) {
        self.0.hold(length);
        self.1.hold(length);
    }
}

/// The starts and ends of a schedule, in no order.
pub(super) fn starts_and_ends(spans: &[Span]) -> Vec<(SimTime, Change<'_>)> {
    let lasting = spans.iter().filter(|span| span.start < span.end);
    lasting.flat_map(|span| [(span.start, Change::Start(span)), (span.end, Change::End(span))]).collect()
}

/// Tells the observer everything that happens, and how much of what lies between is inside the window.
pub(super) fn walk(mut changes: Vec<(SimTime, Change<'_>)>, window: Window, observer: &mut impl Observer) {
    changes.sort_by_key(|(at, change)| (*at, change.rank()));
    let mut now = SimTime::ZERO;
    for (at, change) in &changes {
        if *at > now {
            observer.hold(window.overlap(now, *at));
            now = *at;
        }
        observer.change(change);
    }
    observer.hold(window.overlap(now, window.to));
}
