//! The plan of a cycle, kept so that the earliest start of a job is found quickly.

use std::collections::BTreeSet;

use switchyard_model::{NodeId, Placement, Shape, SimDuration, SimTime};

use super::PlanOn;
use super::bits;
use super::holdings::Holdings;
use super::openings::Openings;
use super::segments::Segments;
use super::timeline::{Slot, Timeline, stay};
use crate::cluster::Pending;
use crate::pass::Pass;

/// The fast plan.
#[derive(Clone, Debug, Default)]
pub(super) struct Agenda {
    holdings: Holdings,
    now: SimTime,
    views: Vec<View>,
    openings: Vec<Openings>,
    /// Until when each node is free of what this cycle keeps for others, from now on.
    clear: Vec<SimTime>,
    /// The nodes that have something free now.
    idle: Vec<NodeId>,
    /// It became harder to start now.
    tightened: bool,
    /// The open nodes that stay free, where it was looked last.
    stays: Vec<u64>,
}

/// The nodes that are closed to jobs, and when: by what is kept for others who wait, and by advance reservations, but for the one
/// that they have a right to.
#[derive(Clone, Debug, Default)]
struct View {
    /// The place of that one.
    right: Option<usize>,
    segments: Segments,
}

/// Why a job can't start at some time.
#[derive(Clone, Copy, Debug)]
enum Blocked {
    /// It may be able to when there is room for so many parts more, or when this segment ends.
    In(usize, u64),
    /// In this segment too few nodes are free, however many open: nothing that runs through it can work.
    Through(usize),
}

impl Agenda {
    /// The place of the openings for jobs like this one.
    fn openings_for(&mut self, job: &Pending) -> usize {
        if let Some(known) = self.openings.iter().position(|openings| openings.are_for(job)) {
            return known;
        }
        self.openings.push(Openings::new(job, &self.holdings));
        self.openings.len() - 1
    }

    fn search(
        &mut self,
        job: &Pending,
        place: usize,
        (from, until): (SimTime, SimTime),
        on: PlanOn,
    ) -> Option<Slot> {
        let parts = job.request.parts().max(1);
        let openings = self.openings.get_mut(place)?;
        let own = self.views.iter().find(|view| view.right == job.reservation());
        let segments = &own.or(self.views.first())?.segments;
        let least = openings.nodes_for(parts);
        let mut at = openings.not_before(job).unwrap_or(from).max(from).max(openings.room_for(parts)?);
        let mut segment = segments.at(at);
        loop {
            let roomy = segments.next_with(segment, least)?;
            if roomy > segment {
                (segment, at) = (roomy, segments.begin(roomy)?);
            }
            if at > until {
                return None;
            }
            openings.seek(at);
            let lapse = Lapse { segment, until: at + stay(job) };
            match try_at(segments, openings, &mut self.stays, &lapse, (least, parts)) {
                Ok(()) => {
                    if on == PlanOn::FirstFree {
                        openings.keep_first(job, &mut self.stays);
                    }
                    return Some(Slot { at, nodes: choose(openings, &self.stays, parts) });
                }
                Err(Blocked::Through(through)) => {
                    segment = through + 1;
                    at = segments.begin(segment)?;
                }
                Err(Blocked::In(narrow, missing)) => {
                    let ends = segments.begin(narrow + 1);
                    let opens = openings.next(missing);
                    // Without an end or an opening there is at least the other.
                    match (ends, opens) {
                        (Some(ends), opens) if opens.is_none_or(|opens| ends <= opens) => {
                            (segment, at) = (narrow + 1, ends);
                        }
                        (_, opens) => {
                            at = opens?;
                            segment = segments.at_or_after(segment, at);
                        }
                    }
                }
            }
        }
    }
}

/// The time that a job would take, beginning in a segment.
struct Lapse {
    segment: usize,
    until: SimTime,
}

/// Whether enough of the open nodes are free all the `lapse`: at least so many nodes, with room for so many parts. They are in
/// `stays` then.
fn try_at(
    segments: &Segments,
    openings: &Openings,
    stays: &mut [u64],
    lapse: &Lapse,
    (least, parts): (u32, u32),
) -> Result<(), Blocked> {
    let mut staying = bits::difference(stays, openings.open(), segments.kept(lapse.segment));
    let mut here = lapse.segment;
    while staying >= least && segments.begin(here + 1).is_some_and(|begin| begin < lapse.until) {
        here += 1;
        if segments.is_short(here, least) {
            return Err(Blocked::Through(here));
        }
        staying = bits::remove_all(stays, segments.kept(here));
    }
    if staying < least {
        // Where this segment alone is too narrow, it doesn't help to begin a little later.
        let free = bits::difference_len(openings.open(), segments.kept(here));
        let (narrow, free) = if free < least { (here, free) } else { (lapse.segment, staying) };
        return Err(Blocked::In(narrow, u64::from(least - free)));
    }
    if openings.one_each() {
        return Ok(());
    }
    let room: u64 = bits::iter(stays).map(|node| u64::from(openings.parts(node))).sum();
    match u64::from(parts).saturating_sub(room) {
        0 => Ok(()),
        missing => Err(Blocked::In(lapse.segment, missing)),
    }
}

/// The lowest of the nodes that stay free that together take so many parts.
fn choose(openings: &Openings, stays: &[u64], parts: u32) -> Vec<NodeId> {
    let mut missing = parts;
    let mut chosen = Vec::with_capacity(missing.min(64) as usize);
    for (word, base) in stays.iter().zip((0u32..).step_by(64)) {
        let mut rest = *word;
        while rest != 0 && missing > 0 {
            let node = NodeId(base + rest.trailing_zeros());
            rest &= rest - 1;
            missing = missing.saturating_sub(openings.parts(node.index()));
            chosen.push(node);
        }
    }
    chosen
}

impl Timeline for Agenda {
    fn begin(&mut self, pass: &Pass<'_>) {
        self.holdings.begin(pass);
        self.now = pass.now;
        let nodes = self.holdings.nodes();
        self.views.truncate(1);
        self.views.resize_with(1, View::default);
        if !pass.cluster.kept().is_empty() {
            let rights: BTreeSet<usize> = pass.cluster.pending().filter_map(Pending::reservation).collect();
            self.views.extend(rights.into_iter().map(|right| View { right: Some(right), ..View::default() }));
        }
        for view in &mut self.views {
            view.segments.clear(nodes);
            for (place, kept) in pass.cluster.kept().iter().enumerate() {
                if view.right != Some(place) {
                    view.segments.keep(&kept.nodes.iter().collect::<Vec<_>>(), kept.start, kept.end);
                }
            }
        }
        self.openings.clear();
        self.stays.clear();
        self.stays.resize(nodes.div_ceil(64), 0);
        self.clear.clear();
        self.clear.resize(nodes, SimTime::MAX);
        let holdings = &self.holdings;
        self.idle.clear();
        self.idle.extend((0..).map(NodeId).take(nodes).filter(|&node| holdings.is_idle(node)));
        self.tightened = true;
    }

    fn earliest(&mut self, job: &Pending, from: SimTime, until: SimTime, on: PlanOn) -> Option<Slot> {
        let place = self.openings_for(job);
        let slot = self.search(job, place, (from, until), on);
        let at = slot.as_ref().map_or(SimTime::MAX, |slot| slot.at);
        if from <= self.now
            && let Some(openings) = self.openings.get_mut(place)
        {
            openings.remember(job, at);
        }
        slot
    }

    fn is_open(&self, job: &Pending, node: NodeId) -> bool {
        let clear = self.clear.get(node.index()).is_some_and(|clear| self.now + stay(job) <= *clear);
        clear && self.holdings.fits(job, node, job.request.shape.parts().1)
    }

    fn reserve(&mut self, nodes: &[NodeId], from: SimTime, to: SimTime) {
        for view in &mut self.views {
            view.segments.keep(nodes, from, to);
        }
        for node in nodes {
            if let Some(clear) = self.clear.get_mut(node.index())
                && from < *clear
            {
                *clear = from;
                self.tightened |= self.holdings.is_idle(*node);
            }
        }
    }

    fn hold(&mut self, placement: &Placement, until: SimTime) {
        self.holdings.hold(placement, until);
        self.openings.clear();
        let holdings = &self.holdings;
        self.idle.retain(|&node| holdings.is_idle(node));
        self.tightened = true;
    }

    fn tightened(&mut self) -> bool {
        std::mem::take(&mut self.tightened)
    }

    fn longest(&self) -> SimDuration {
        let clear = self.idle.iter().filter_map(|node| self.clear.get(node.index()));
        clear.max().map_or(SimDuration::ZERO, |clear| clear.since(self.now))
    }

    fn could_start(&self, job: &Pending) -> bool {
        let (end, need) = (self.now + stay(job), job.request.shape.parts().1);
        let is_open = |node: &&NodeId| {
            self.clear.get(node.index()).is_some_and(|clear| end <= *clear)
                && self.holdings.fits(job, **node, need)
        };
        let mut open = self.idle.iter().filter(is_open);
        match job.request.shape {
            // The last of them is there only if all are.
            Shape::Nodes { nodes, .. } => nodes == 0 || open.nth(nodes as usize - 1).is_some(),
            Shape::Tasks { .. } => open.next().is_some(),
        }
    }
}
