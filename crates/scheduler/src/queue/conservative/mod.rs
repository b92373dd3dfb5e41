//! Conservative backfill: every job has a reservation from its arrival on, and nobody may take it away.
//!
//! A job may pass others if it delays none of them (Mu'alem and Feitelson 2001). There are two ways to use what becomes free
//! when a job ends before its limit, and schedules differ by which is meant (rules 6 and 7 of the reference rules):
//!
//! - **Compress**: an arrival gets the earliest slot that is left, and moves nobody. When something becomes free, each job in
//!   queue order is taken out and put back at its earliest slot, once. That is never later than where it was.
//! - **Re-plan**: at every event all reservations are forgotten, and made again in queue order. A job may lose an early slot
//!   to one ahead of it in the queue.
//!
//! With orders other than by arrival, "queue order" is the order of the ranks at that moment: a short job that arrives late gets
//! the earliest slot that is left, and moves up before others when something becomes free.
//!
//! Reservations are in sums where any free piece will do for everyone in the queue, and name their nodes otherwise; see
//! [`crate::timetable`].

mod compress;
mod news;
mod replan;
mod restore;
mod seats;
mod verdict;

use std::collections::BTreeMap;

use switchyard_model::{JobId, NodeId, Resources, SimTime};

use crate::Cluster;
use crate::pass::Pass;
use crate::ranking::Key;
use crate::timetable::{Timetable, Wish, any_piece_will_do, planned_length};

use news::News;
use seats::{Seat, Seats};

/// What a running job is going to hold.
#[derive(Clone, Debug)]
struct Held {
    until: SimTime,
    total: Resources,
    /// Empty where only sums count.
    on: Vec<(NodeId, Resources)>,
}

/// The reservations, and what they were made from.
#[derive(Clone, Debug)]
pub(crate) struct Conservative {
    /// Forget and make anew at every event, instead of moving up.
    replans: bool,
    /// Name nodes even where sums would do.
    by_node: bool,
    table: Timetable,
    seats: Seats,
    news: News,
    /// In the queue, but not in the race as things stood.
    aside: Vec<Key>,
    running: BTreeMap<JobId, Held>,
    /// What the last pass wanted to start.
    begun: Vec<Seat>,
    /// The time of the last pass.
    last: SimTime,
}

impl Conservative {
    pub(crate) fn new(replans: bool, by_node: bool) -> Conservative {
        Conservative {
            replans,
            by_node,
            table: Timetable::Sums(crate::profile::Profile::default()),
            seats: Seats::default(),
            news: News::default(),
            aside: Vec::new(),
            running: BTreeMap::new(),
            begun: Vec::new(),
            last: SimTime::ZERO,
        }
    }

    pub(crate) fn run(&mut self, pass: &mut Pass<'_>, planned: &[JobId]) {
        if pass.changes.reordered {
            self.seats.reorder(pass.ranking);
        }
        let freed = self.follow(pass, planned).unwrap_or_else(|| {
            self.restore(pass);
            true
        });
        self.drop_nodes(pass);
        if self.replans {
            self.replan(pass, freed);
        } else {
            self.seat_arrivals(pass);
        }
        self.start_due(pass);
        self.last = pass.now;
        if pass.explains {
            self.tell(pass);
        } else {
            self.tell_first(pass);
        }
    }

    /// Brings the timetable up to date, if what happened is what can be followed step by step; `None` when all has to be looked at
    /// anew. Says whether something has become free; those who move up have done so.
    fn follow(&mut self, pass: &Pass<'_>, planned: &[JobId]) -> Option<bool> {
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
            let Held { until, total, on } = self.running.remove(&job)?;
            self.table.cancel(pass.now, until, &total, &on);
            self.news.add_all(pass.now, until, &on);
            self.move_up_all(pass);
            freed = true;
        }
        for job in &changes.withdrawn {
            self.aside.retain(|key| key.job != *job);
            if let Some(seat) = self.seats.remove(*job) {
                self.table.cancel(seat.slot.at, seat.until(), &seat.request.total, &seat.slot.on);
                self.news.add_all(seat.slot.at, seat.until(), &seat.slot.on);
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
        let went = begun.iter().all(|seat| as_planned(seat.key.job))
            && begun.len() == planned.len()
            && changes.started.iter().all(|job| planned.contains(job))
            && self.seats.iter().all(|seat| seat.slot.at >= pass.now);
        if !went {
            self.begun = begun;
        }
        went
    }

    /// Gives slots to those who arrived or came into the race, in queue order. They move nobody.
    fn seat_arrivals(&mut self, pass: &mut Pass<'_>) {
        let mut keys = std::mem::take(&mut self.aside);
        keys.extend(&pass.changes.arrived);
        keys.sort_unstable();
        for key in keys {
            self.seat(key, pass);
        }
    }

    /// Gives a job the earliest slot that is left, or puts it aside.
    fn seat(&mut self, key: Key, pass: &mut Pass<'_>) {
        let Some(job) = pass.job(key) else { return };
        if !job.request.fits_fleet() {
            return;
        }
        if job.not_before > pass.now || pass.out_of_the_race(job).is_some() {
            self.aside.push(key);
            return;
        }
        let fluid = any_piece_will_do(job);
        if !fluid && !self.table.is_by_node() {
            self.name_nodes(pass);
        }
        let wish = Wish { job, from: pass.now, before: SimTime::MAX };
        match self.table.earliest(&wish) {
            Some(slot) => {
                let seen = Some(self.news.next());
                let (request, limit) = (job.request, job.spec.limit);
                self.book(Seat { key, request, limit, fluid, slot, seen });
            }
            None => self.aside.push(key),
        }
    }

    fn book(&mut self, seat: Seat) {
        self.table.book(&seat.slot, &seat.request, seat.limit);
        self.seats.insert(seat);
    }

    /// Starts those whose time has come.
    fn start_due(&mut self, pass: &mut Pass<'_>) {
        let due = self.seats.take_due(pass.now);
        let first_left = self.seats.iter().next().map(|seat| seat.key);
        for seat in due {
            let backfilled = first_left.is_some_and(|first| first < seat.key);
            self.start(seat, backfilled, pass);
        }
    }

    fn start(&mut self, mut seat: Seat, backfilled: bool, pass: &mut Pass<'_>) {
        let until = seat.until();
        let Some(job) = pass.job(seat.key) else { return };
        self.table.cancel(seat.slot.at, until, &seat.request.total, &seat.slot.on);
        let placement = match &self.table {
            Timetable::Sums(_) => pass.place(job),
            Timetable::Nodes(nodes) => {
                let least = nodes.least(pass.now, until);
                pass.policy.placement.place(job, pass.room, Some(&least))
            }
        };
        let refused = pass.out_of_the_race(job).is_some();
        let Some(placement) = placement.filter(|_| !refused) else {
            self.aside.push(seat.key);
            return;
        };
        if self.table.is_by_node() {
            let on = placement.0.iter().map(|share| (share.node, share.resources())).collect();
            let reserved = std::mem::replace(&mut seat.slot.on, on);
            if reserved != seat.slot.on {
                self.news.add_all(pass.now, until, &reserved);
            }
        }
        self.table.book(&seat.slot, &seat.request, seat.limit);
        let held = Held { until, total: seat.request.total, on: seat.slot.on.clone() };
        self.running.insert(seat.key.job, held);
        self.begun.push(seat);
        pass.start(job, placement, backfilled);
    }

    /// When the next reservation begins, or the next job comes into the race.
    pub(crate) fn wake_at(&self, cluster: &Cluster, now: SimTime) -> Option<SimTime> {
        let eligible = self.aside.iter().filter_map(|key| cluster.pending_at(key.submitted, key.job));
        let eligible = eligible.map(|job| job.not_before).filter(|time| *time > now).min();
        let begins = self.seats.next_begin().filter(|time| *time > now);
        [eligible, begins].into_iter().flatten().min()
    }
}
