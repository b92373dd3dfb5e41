//! Rule 6: when something becomes free, each job in queue order is put at its earliest slot, once.

use switchyard_model::SimTime;

use super::Conservative;
use crate::pass::Pass;
use crate::timetable::{Slot, Timetable, Wish, planned_length};

impl Conservative {
    /// Walks the queue. Something has become free until `freed` since the last walk.
    ///
    /// A job can only have got a better slot if that begins before the end of something that became free after the job was
    /// last asked. So each seat remembers until when something did: by the jobs behind it in the last walk, which moved after
    /// its turn.
    pub(super) fn move_up_all(&mut self, pass: &Pass<'_>, freed: SimTime) {
        if self.replans {
            return;
        }
        let mut freed = freed;
        let mut moved = false;
        for place in 0..self.seats.len() {
            let Some(seat) = self.seats.get_mut(place) else { continue };
            let (old, until) = (seat.slot.at, seat.until());
            let worth = seat.missed.max(freed);
            seat.missed = SimTime::ZERO;
            if self.move_up(place, worth, pass) {
                freed = freed.max(until);
                moved |= old > pass.now;
                if let Some(seat) = self.seats.get_mut(place) {
                    // For those ahead of it; see below.
                    seat.missed = until;
                }
            }
        }
        if moved {
            self.remember();
        }
    }

    /// Whoever is ahead of a job that moved hasn't been asked since.
    fn remember(&mut self) {
        let mut behind = SimTime::ZERO;
        for seat in self.seats.iter_mut().rev() {
            let freed = std::mem::replace(&mut seat.missed, behind);
            behind = behind.max(freed);
        }
    }

    /// Puts a job at its earliest slot before `worth`. Whether that is another one than before.
    fn move_up(&mut self, place: usize, worth: SimTime, pass: &Pass<'_>) -> bool {
        let Some(seat) = self.seats.get_mut(place) else { return false };
        let (now, old, until) = (pass.now, seat.slot.at, seat.until());
        let before = old.min(worth);
        if before <= now {
            return false;
        }
        let (total, length) = (seat.request.total, planned_length(seat.limit));
        let Some(at) = self.table.sums().earliest(&total, length, now, before, old) else { return false };
        let slot = match &mut self.table {
            Timetable::Sums(_) => Some(Slot { at, on: Vec::new() }),
            Timetable::Nodes(nodes) => {
                let Some(job) = pass.job(seat.key) else { return false };
                nodes.release(old, until, &seat.slot.on);
                let slot = nodes.earliest(&Wish { job, from: at, before });
                nodes.reserve(old, until, &seat.slot.on);
                slot
            }
        };
        let Some(slot) = slot else { return false };
        self.table.cancel(old, until, &total, &seat.slot.on);
        self.table.book(&slot, &seat.request, seat.limit);
        seat.slot = slot;
        true
    }
}
