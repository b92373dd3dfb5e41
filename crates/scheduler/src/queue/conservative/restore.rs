//! Starting over from what runs, keeping as many promises as can be kept.

use std::collections::BTreeMap;

use switchyard_model::{JobId, SimTime};

use super::{Conservative, Held, Seat};
use crate::pass::Pass;
use crate::ranking::Key;
use crate::timetable::{Timetable, Wish, planned_end};

impl Conservative {
    /// Makes the timetable anew from the running jobs: nodes went or came, or something started or runs on that was not to.
    ///
    /// Reservations stay where they are as far as there is still room; the others get the earliest slots that are left, in queue
    /// order. Everyone in the queue who has none is taken for an arrival.
    pub(super) fn restore(&mut self, pass: &mut Pass<'_>) {
        let mut promised: BTreeMap<JobId, Seat> = BTreeMap::new();
        if !pass.changes.anew {
            let seats = self.seats.take_all().into_iter().chain(self.begun.drain(..));
            promised.extend(seats.map(|seat| (seat.key.job, seat)));
        }
        self.seats.take_all();
        self.begun.clear();
        self.aside.clear();
        self.survey(self.by_node, pass);
        let mut kept: Vec<Seat> = Vec::new();
        for key in pass.ranking.keys() {
            match promised.remove(&key.job) {
                Some(seat) if !self.replans => kept.push(Seat { key, ..seat }),
                _ => self.aside.push(key),
            }
        }
        // Who came later into the queue than the last pass is not in the ranking twice.
        self.aside.retain(|key| pass.changes.arrived.binary_search(key).is_err());
        let mut displaced = self.lay(kept, pass);
        displaced.sort_unstable();
        for key in displaced {
            self.seat(key, pass);
        }
        self.move_up_all(pass);
    }

    /// The running jobs, and the timetable with nothing else in it.
    pub(super) fn survey(&mut self, by_node: bool, pass: &Pass<'_>) {
        self.table = Timetable::of_running(pass.cluster, by_node, pass.now);
        self.running.clear();
        for job in pass.cluster.running() {
            let until = planned_end(job.expected_end, pass.now);
            let total = crate::timetable::in_service(pass.cluster, job);
            let up = job
                .placement
                .0
                .iter()
                .filter(|share| pass.cluster.node(share.node).is_some_and(|state| state.available));
            let on = up.map(|share| (share.node, share.resources())).collect();
            self.running.insert(job.spec.id, Held { until, total, on });
        }
    }

    /// Puts each where it was promised, the first to begin first. Returns who has no room there any more.
    fn lay(&mut self, mut seats: Vec<Seat>, pass: &mut Pass<'_>) -> Vec<Key> {
        for seat in &mut seats {
            seat.slot.at = seat.slot.at.max(pass.now);
        }
        seats.sort_by_key(|seat| (seat.slot.at, seat.key));
        if seats.iter().any(|seat| !seat.fluid) && !self.table.is_by_node() {
            self.survey(true, pass);
        }
        let mut displaced = Vec::new();
        for mut seat in seats {
            let Some(job) = pass.job(seat.key) else { continue };
            let refused = job.not_before > pass.now || pass.out_of_the_race(job).is_some();
            let at = seat.slot.at;
            let just_then = Wish { job, from: at, before: SimTime::from_micros(at.as_micros() + 1) };
            match self.table.earliest(&just_then).filter(|_| !refused) {
                Some(slot) => {
                    (seat.slot, seat.seen) = (slot, None);
                    self.book(seat);
                }
                None => displaced.push(seat.key),
            }
        }
        displaced
    }

    /// From sums to nodes: everyone keeps the time, and gets the nodes that are free then.
    ///
    /// Taken in the order in which they begin, units always find room: what is free at the beginning is free to the end, since
    /// nobody who has been placed begins later.
    pub(super) fn name_nodes(&mut self, pass: &mut Pass<'_>) {
        self.survey(true, pass);
        let seats = self.seats.take_all();
        let displaced = self.lay(seats, pass);
        // Only where the sums were not exact after all.
        for key in displaced {
            self.seat(key, pass);
        }
    }

    /// From nodes back to sums, when nobody is left who needs certain pieces.
    pub(super) fn drop_nodes(&mut self, pass: &Pass<'_>) {
        if self.by_node || !self.table.is_by_node() || self.seats.has_solid() {
            return;
        }
        self.survey(false, pass);
        for seat in self.seats.iter_mut() {
            seat.slot.on.clear();
            self.table.book(&seat.slot, &seat.request, seat.limit);
        }
    }
}
