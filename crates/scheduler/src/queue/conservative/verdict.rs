//! What those who look on are told: who has a reservation, when they start, and why they wait.

use std::collections::BTreeSet;

use switchyard_model::{JobId, NodeId, Placement, SimTime};

use super::{Conservative, Seat, Waiter};
use crate::explain::Verdict;
use crate::forecast::{beside_promises, expect_released};
use crate::pass::Pass;
use crate::queue::reservation;
use crate::ranking::Key;
use crate::releases::Releases;
use crate::timetable::{ByNode, Slot, planned_length};
use crate::{Pending, Reservation};

impl Conservative {
    /// For a replay: only what is kept for the first in the queue.
    pub(super) fn tell_first(&self, pass: &mut Pass<'_>) {
        let promise = |seat: &Seat| Reservation {
            job: seat.who.key.job,
            at: seat.slot.at,
            nodes: Vec::new(),
            waits_for: Vec::new(),
        };
        pass.reservations.extend(self.seats.first().map(promise));
    }

    /// A reason for everyone, and all reservations.
    pub(super) fn tell(&self, pass: &mut Pass<'_>) {
        let begun: BTreeSet<JobId> = self.begun.iter().map(|seat| seat.who.key.job).collect();
        let mut seats = self.seats.iter().peekable();
        let on_node = running_by_node(pass);
        for key in pass.ranking.keys() {
            let Some(job) = pass.job(key) else { continue };
            if let Some(seat) = seats.next_if(|seat| seat.who.key == key) {
                let verdict = match pass.attempt(job, None) {
                    Err(verdict) => verdict,
                    Ok(placement) => self.in_the_way(seat, &placement, pass.now),
                };
                pass.note(job, verdict);
                pass.expect(key.job, seat.slot.at);
                let promise = self.promise(seat, &on_node, pass);
                pass.reservations.push(promise);
            } else if !begun.contains(&key.job) {
                let verdict = pass.out_of_the_plan(job).unwrap_or_else(|| match pass.attempt(job, None) {
                    Err(verdict) => verdict,
                    Ok(placement) => self.before_it(key, job, &placement, pass),
                });
                pass.note(job, verdict);
            }
        }
        let promised = |seat: &Seat| Some((seat.slot.at, pass.job(seat.who.key)?));
        let promises = self.seats.iter().filter_map(promised).collect();
        let table = beside_promises(pass, &self.table, promises);
        expect_released(pass, table);
    }

    /// Whom a job without a reservation would delay that fits now on these nodes: a task of its array, of which as many as may run at
    /// once have one, or anybody else.
    fn before_it(&self, key: Key, job: &Pending, placement: &Placement, pass: &Pass<'_>) -> Verdict {
        let end = pass.now + planned_length(job.spec.limit);
        let array = job.rules.as_ref().and_then(|rules| rules.array);
        let tasks = array.into_iter().flat_map(|task| self.seats.tasks(task.array));
        let mut tasks = tasks.filter_map(|key| self.seats.get(key)).filter(|seat| seat.slot.at < end);
        match tasks.next() {
            Some(seat) => Verdict::WouldDelay { head: seat.who.key.job, until: seat.slot.at },
            None => {
                let who = Waiter::new(key, job, pass.cluster);
                let slot = Slot { at: SimTime::MAX, on: Vec::new() };
                self.in_the_way(&Seat { who, slot, seen: None }, placement, pass.now)
            }
        }
    }

    /// Whom a job would delay that fits now on these nodes: whose reservation begins when there is no more room for both.
    fn in_the_way(&self, seat: &Seat, placement: &Placement, now: SimTime) -> Verdict {
        let until = seat.slot.at.min(now + seat.who.length());
        let full = match self.table.nodes() {
            None => {
                let sums = self.table.sums();
                sums.first_without(&seat.who.request.total, now, until).map(|at| (at, None))
            }
            Some(nodes) => first_full(nodes, placement, now, until),
        };
        let begins = |other: &&Seat| {
            let on = |node| other.slot.on.binary_search_by_key(&node, |(node, _)| *node).is_ok();
            full.is_some_and(|(at, node)| other.slot.at == at && node.is_none_or(on))
        };
        if let Some(other) = self.seats.iter().find(begins) {
            return Verdict::WouldDelay { head: other.who.key.job, until: other.slot.at };
        }
        // It might have moved up further if the queue had been walked twice. It will at the next walk.
        match self.seats.first().filter(|first| first.who.key < seat.who.key) {
            Some(first) => Verdict::BehindHead { head: first.who.key.job },
            None => Verdict::NotReached,
        }
    }

    fn promise(&self, seat: &Seat, on_node: &[Vec<JobId>], pass: &Pass<'_>) -> Reservation {
        let (job, at) = (seat.who.key.job, seat.slot.at);
        if !self.table.is_by_node() && pass.reservations.is_empty() {
            // Where only sums count, the first in the queue gets nodes to look at.
            let chosen = pass.starts.iter().map(|(job, start)| (*job, &start.placement));
            let releases = Releases::new(pass.cluster, chosen, pass.now);
            if let Some(head) = pass.job(seat.who.key) {
                return reservation(head, at, pass.room, &releases, None);
            }
        }
        let short = seat.slot.on.iter().filter(|(node, need)| {
            pass.room.nodes().get(node.index()).is_none_or(|state| !state.free.covers(need))
        });
        let holding = short.filter_map(|(node, _)| on_node.get(node.index())).flatten();
        let waits_for: BTreeSet<JobId> = holding.copied().collect();
        let nodes = seat.slot.on.iter().map(|(node, _)| *node).collect();
        Reservation { job, at, nodes, waits_for: waits_for.into_iter().collect() }
    }
}

/// Where and when the first of these nodes no longer has what the placement takes there.
fn first_full(
    nodes: &ByNode,
    placement: &Placement,
    now: SimTime,
    until: SimTime,
) -> Option<(SimTime, Option<NodeId>)> {
    let full = placement.0.iter().filter_map(|share| {
        let at = nodes.node(share.node)?.first_without(&share.resources(), now, until)?;
        Some((at, Some(share.node)))
    });
    full.min()
}

/// Who runs on each node, those included who have just been chosen to.
fn running_by_node(pass: &Pass<'_>) -> Vec<Vec<JobId>> {
    let mut on_node = vec![Vec::new(); pass.cluster.nodes().len()];
    let running = pass.cluster.running().map(|job| (job.spec.id, &job.placement));
    let chosen = pass.starts.iter().map(|(_, start)| (start.job, &start.placement));
    for (job, placement) in running.chain(chosen) {
        for node in placement.nodes() {
            if let Some(jobs) = on_node.get_mut(node.index()) {
                jobs.push(job);
            }
        }
    }
    on_node
}
