//! The leader and its scheduler: when it makes a pass, what becomes of the plan, how it is set.

use switchyard_model::{SimDuration, SimTime};
use switchyard_scheduler::Scheduler;

use super::cluster::charge_for_the_past;
use super::{Core, Lead};
use crate::book::{Book, Entry};
use crate::ground::Ground;

/// A pass that could not run for want of a quorum is tried again after this long.
const PASS_RETRY: SimDuration = SimDuration::from_secs(1);

impl Lead {
    /// Something happened: a pass is due, a little later, so that what happens together is looked at together.
    pub(super) fn want_pass(&mut self, ground: &mut Ground) {
        let delay = SimDuration::from_micros(ground.timing.pass_delay_micros);
        self.want_pass_at(ground.now + delay, ground);
    }

    fn want_pass_at(&mut self, at: SimTime, ground: &mut Ground) {
        if self.alarm.set(at) {
            ground.pass_at(at, self.replica, self.epoch);
        }
    }

    /// Runs the scheduler, if it is due, and proposes what it decides.
    pub(crate) fn pass(&mut self, core: &mut Core, book: &Book, ground: &mut Ground) {
        if !self.alarm.ring(ground.now) || !self.acts {
            return;
        }
        if !Self::holds_quorum(core, ground) {
            self.want_pass_at(ground.now + PASS_RETRY, ground);
            return;
        }
        let Some(cluster) = &mut self.cluster else { return };
        ground.passes += 1;
        self.plan = self.scheduler.plan(cluster, ground.now);
        for start in &self.plan.starts {
            let Some(record) = book.job(start.job) else { continue };
            let entry = Entry::Start {
                job: start.job,
                attempt: record.attempt + 1,
                placement: start.placement.clone(),
                at: ground.now,
                backfilled: start.backfilled,
            };
            if Self::propose(core, &entry) {
                // The scheduler placed it on this very cluster, so there is room.
                drop(cluster.start(start.job, start.placement.clone(), ground.now));
            }
        }
        if let Some(at) = self.scheduler.wake_at(cluster, ground.now) {
            self.want_pass_at(at.max(ground.now), ground);
        }
    }

    /// Schedules as the book says from now on.
    pub(super) fn follow_setting(&mut self, book: &Book, ground: &Ground) {
        let policy = ground.policies.in_force(book.setting()).without_foresight();
        if policy.order == self.scheduler.policy().order {
            self.scheduler.set_policy(policy);
        } else {
            // Another order keeps other accounts; they begin as those of a new leader would.
            self.scheduler = Scheduler::new(policy);
            charge_for_the_past(book, &mut self.scheduler);
        }
    }
}
