//! Starting over from what runs, keeping as many promises as can be kept.

use std::collections::BTreeMap;

use switchyard_model::{JobId, SimTime};

use super::{Conservative, Held, Seat, Waiter};
use crate::pass::Pass;
use crate::timetable::{Timetable, amounts, in_service, planned_end, planned_length};

impl Conservative {
    /// Makes the timetable anew from the running jobs: nodes went or came, or something started or runs on that was not to.
    ///
    /// Reservations stay where they are as far as there is still room; the others get the earliest slots that are left, in queue
    /// order, and everyone moves up. Whoever is in the queue and has none is put aside.
    pub(super) fn restore(&mut self, pass: &mut Pass<'_>) {
        let seats = self.seats.take_all().into_iter().chain(std::mem::take(&mut self.begun));
        let mut promised: BTreeMap<JobId, Seat> = BTreeMap::new();
        if !pass.changes.anew && !self.replans {
            promised.extend(seats.map(|seat| (seat.who.key.job, seat)));
        }
        self.aside.clear();
        let mut kept: Vec<Seat> = Vec::new();
        for key in pass.ranking.keys() {
            match promised.remove(&key.job) {
                Some(mut seat) => {
                    seat.who.key = key;
                    kept.push(seat);
                }
                None => self.wait(key, pass),
            }
        }
        let by_node = self.by_node || kept.iter().any(|seat| !seat.who.fluid);
        self.lay(kept, by_node, pass);
        self.move_up_all(pass);
    }

    /// The running jobs and those that this pass has started, and the timetable with nothing else in it.
    pub(super) fn survey(&mut self, by_node: bool, pass: &Pass<'_>) {
        let cluster = pass.cluster;
        self.table = Timetable::of_running(cluster, by_node, pass.now);
        self.running.clear();
        let is_up = |node| cluster.node(node).is_some_and(|state| state.available);
        for job in cluster.running() {
            let mut on = amounts(&job.placement);
            on.retain(|(node, _)| is_up(*node));
            let (until, rules) = (planned_end(job.expected_end, pass.now), job.rules.clone());
            let held = Held { until, total: in_service(cluster, job), on, rules };
            self.running.insert(job.spec.id, held);
        }
        for (job, start) in &pass.starts {
            let (total, on) = (start.placement.total(), amounts(&start.placement));
            let until = pass.now + planned_length(job.spec.limit);
            let held = Held { until, total, on, rules: job.rules.clone() };
            self.table.take(pass.now, until, &held.claim());
            self.running.insert(start.job, held);
        }
    }

    /// Puts each where it was promised, the first to begin first; those who have no room there any more, at the earliest slots
    /// that are left.
    fn lay(&mut self, mut seats: Vec<Seat>, by_node: bool, pass: &mut Pass<'_>) {
        self.survey(by_node, pass);
        for seat in &mut seats {
            seat.slot.at = seat.slot.at.max(pass.now);
        }
        seats.sort_by_key(|seat| (seat.slot.at, seat.who.key));
        let mut displaced: Vec<Waiter> = Vec::new();
        for Seat { who, slot, .. } in seats {
            let Some(job) = pass.job(who.key) else { continue };
            let in_race = self.may_be_planned_until(job, pass) == Some(SimTime::MAX);
            match self.table.slot_at(job, slot.at).filter(|_| in_race) {
                Some(slot) => self.book(Seat { who, slot, seen: None }),
                None => displaced.push(who),
            }
        }
        displaced.sort_unstable_by_key(|who| who.key);
        displaced.into_iter().for_each(|who| self.seat(who, pass));
    }

    /// From sums to nodes: everyone keeps the time, and gets nodes that are free then.
    ///
    /// Taken in the order in which they begin, units always find room: what is free at the beginning is free to the end, since
    /// nobody who has been placed begins later.
    pub(super) fn name_nodes(&mut self, pass: &mut Pass<'_>) {
        let seats = self.seats.take_all();
        self.lay(seats, true, pass);
    }

    /// From nodes back to sums, when nobody is left who needs certain pieces.
    pub(super) fn drop_nodes(&mut self, pass: &Pass<'_>) {
        if self.by_node || !self.table.is_by_node() || self.seats.has_solid() {
            return;
        }
        self.survey(false, pass);
        for Seat { who, slot, seen } in self.seats.iter_mut() {
            (slot.on, *seen) = (Vec::new(), None);
            self.table.take(slot.at, slot.at + who.length(), &who.claim(slot));
        }
    }
}
