//! Step by step from one pass to the next, as long as nothing but the usual happens.

use switchyard_model::JobId;

use super::Conservative;
use crate::pass::Pass;
use crate::timetable::planned_length;

impl Conservative {
    /// Brings the timetable up to date, if what happened is what can be followed step by step; `None` when all has to be looked at
    /// anew. Says whether something has become free that was to be held; those who move up have done so.
    pub(super) fn follow(&mut self, pass: &Pass<'_>, planned: &[JobId]) -> Option<bool> {
        let changes = pass.changes;
        let late = pass.cluster.running().next().is_some_and(|job| job.expected_end <= pass.now);
        if changes.anew || changes.service || late || !self.went_as_planned(pass, planned) {
            return None;
        }
        self.table.forget_before(pass.now);
        // Who began and ended between two passes has left the queue, as far as the watch can tell.
        let ended = changes.ended.iter().chain(&changes.withdrawn);
        let mut ended: Vec<JobId> = ended.copied().filter(|job| self.running.contains_key(job)).collect();
        ended.sort_unstable();
        let mut freed = false;
        for job in ended {
            let held = self.running.remove(&job)?;
            self.table.give(pass.now, held.until, &held.claim());
            self.news.add_all(pass.now, held.until, &held.on);
            self.move_up_all(pass);
            freed |= held.until > pass.now;
        }
        for job in &changes.withdrawn {
            self.aside.retain(|who| who.key.job != *job);
            if let Some(seat) = self.seats.remove(*job) {
                let (from, until) = (seat.slot.at, seat.until());
                self.table.give(from, until, &seat.who.claim(&seat.slot));
                self.news.add_all(from, until, &seat.slot.on);
                self.move_up_all(pass);
                freed = true;
            }
        }
        Some(freed)
    }

    /// Whether those who were to start did, at that time, and nobody else; and nobody missed a reservation.
    fn went_as_planned(&mut self, pass: &Pass<'_>, planned: &[JobId]) -> bool {
        let begun = std::mem::take(&mut self.begun);
        let changes = pass.changes;
        let as_planned = |job: JobId| match (self.running.get(&job), pass.cluster.running_job(job)) {
            (Some(held), Some(job)) => held.until == job.start + planned_length(job.spec.limit),
            // It has ended already, or it came back.
            (Some(_), None) => pass.cluster.pending_job(job).is_none() && changes.withdrawn.contains(&job),
            _ => false,
        };
        let went = begun.iter().all(|seat| as_planned(seat.who.key.job))
            && begun.len() == planned.len()
            && changes.started.iter().all(|job| planned.contains(job))
            && self.seats.iter().all(|seat| seat.slot.at >= pass.now);
        if !went {
            self.begun = begun;
        }
        went
    }
}
