//! What those who look on are told: who has a reservation, and why the others wait.

use std::collections::BTreeSet;

use switchyard_model::JobId;

use super::{Conservative, Seat};
use crate::Reservation;
use crate::explain::Verdict;
use crate::pass::Pass;
use crate::timetable::{Timetable, planned_length};

impl Conservative {
    /// For a replay: only what is kept for the first in the queue.
    pub(super) fn tell_first(&self, pass: &mut Pass<'_>) {
        let reservation = |seat: &Seat| Reservation {
            job: seat.key.job,
            at: seat.slot.at,
            nodes: Vec::new(),
            waits_for: Vec::new(),
        };
        pass.reservations.extend(self.seats.iter().next().map(reservation));
    }

    /// A reason for everyone, and all reservations.
    pub(super) fn tell(&self, pass: &mut Pass<'_>) {
        let begun: BTreeSet<JobId> = self.begun.iter().map(|seat| seat.key.job).collect();
        let mut seats = self.seats.iter().peekable();
        for key in pass.ranking.keys() {
            let Some(job) = pass.job(key) else { continue };
            if let Some(seat) = seats.next_if(|seat| seat.key == key) {
                let verdict = match pass.place(job) {
                    None => Verdict::NoRoom,
                    Some(_) => self.in_the_way(seat, pass),
                };
                pass.note(job, verdict);
                let reservation = self.reservation(seat, pass);
                pass.reservations.push(reservation);
            } else if !begun.contains(&key.job) {
                let verdict = pass.out_of_the_race(job).unwrap_or(Verdict::NoRoom);
                pass.note(job, verdict);
            }
        }
    }

    /// Whom a job would delay that fits now: whose reservation begins when there is no more room for it.
    fn in_the_way(&self, seat: &Seat, pass: &Pass<'_>) -> Verdict {
        let until = seat.slot.at.min(pass.now + planned_length(seat.limit));
        let full = self.table.sums().first_without(&seat.request.total, pass.now, until);
        let begins = |other: &&Seat| Some(other.slot.at) == full;
        let first = self.seats.iter().find(begins).or_else(|| self.seats.iter().next()).unwrap_or(seat);
        Verdict::WouldDelay { head: first.key.job, until: first.slot.at }
    }

    fn reservation(&self, seat: &Seat, pass: &Pass<'_>) -> Reservation {
        let nodes: Vec<_> = seat.slot.on.iter().map(|(node, _)| *node).collect();
        let on_them = |job: &&crate::Running| {
            job.expected_end <= seat.slot.at
                && job.placement.nodes().any(|node| nodes.binary_search(&node).is_ok())
        };
        let waits_for = match &self.table {
            Timetable::Nodes(_) => pass.cluster.running().filter(on_them).map(|job| job.spec.id).collect(),
            Timetable::Sums(_) => Vec::new(),
        };
        Reservation { job: seat.key.job, at: seat.slot.at, nodes, waits_for }
    }
}
