//! Conservative backfill: every job has a reservation from its arrival on, and nobody may take it away.
//!
//! A job may pass others if it delays none of them (Mu'alem and Feitelson 2001). There are two ways to use what becomes free
//! when a job ends before its limit, and schedules differ by which is meant (rules 6 and 7 of the reference rules):
//!
//! - **Compress**: an arrival gets the earliest slot that is left, and moves nobody. When a job ends, each waiting job in
//!   queue order is taken out and put back at its earliest slot, once. That is never later than where it was. If several jobs
//!   end at one moment, the queue is walked once for each.
//! - **Re-plan**: at every event all reservations are forgotten, and made again in queue order. A job may lose an early slot
//!   to one ahead of it in the queue.
//!
//! With orders other than by arrival, "queue order" is the order of the ranks at that moment: a short job that arrives late gets
//! the earliest slot that is left, and moves up before others when something becomes free.
//!
//! Whoever a limit or the throttle of its array holds back has no reservation, and keeps nobody waiting: of an array as many
//! tasks run or have one as may run at once. Who comes into the race again gets the earliest slot that is left.
//!
//! Reservations are in sums where any free piece will do for everyone in the queue, and name their nodes otherwise; see
//! [`crate::timetable`]. What can't be kept, is not: when nodes go out of service, or a job runs past its limit, those for whom
//! there is no longer room get the earliest slots that are left.

mod compress;
mod follow;
mod news;
mod replan;
mod restore;
mod seats;
mod verdict;

use std::collections::BTreeMap;
use std::sync::Arc;

use switchyard_model::{JobId, NodeId, Resources, SimTime};

use crate::cluster::Rules;
use crate::explain::Verdict;
use crate::pass::Pass;
use crate::ranking::Key;
use crate::timetable::{Claim, Slot, Timetable, Wish, amounts, planned_length};
use crate::{Cluster, Pending, PlacementRule};

use news::News;
use seats::{Keys, Seat, Seats, Waiter};

/// What a running job is going to hold.
#[derive(Clone, Debug)]
struct Held {
    until: SimTime,
    total: Resources,
    /// Empty where only sums count.
    on: Vec<(NodeId, Resources)>,
    rules: Option<Arc<Rules>>,
}

impl Held {
    fn claim(&self) -> Claim<'_> {
        let licences = self.rules.as_ref().map_or(&[][..], |rules| &rules.licences);
        Claim { total: &self.total, on: &self.on, licences }
    }
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
    /// In the queue without a reservation: just arrived, or not in the race as things stood, or not yet planned.
    aside: Vec<Waiter>,
    running: BTreeMap<JobId, Held>,
    /// What the last pass wanted to start.
    begun: Vec<Seat>,
    /// Who was to start in this pass, and may not after all.
    refused: Vec<JobId>,
    /// Somebody has started elsewhere than planned, where the others were planned around that.
    moved: bool,
}

impl Conservative {
    pub(crate) fn new(replans: bool, by_node: bool) -> Conservative {
        Conservative {
            replans,
            by_node,
            table: Timetable::default(),
            seats: Seats::default(),
            news: News::default(),
            aside: Vec::new(),
            running: BTreeMap::new(),
            begun: Vec::new(),
            refused: Vec::new(),
            moved: false,
        }
    }

    pub(crate) fn run(&mut self, pass: &mut Pass<'_>, planned: &[JobId]) {
        if pass.changes.reordered {
            let keys = Keys::of(pass.ranking);
            self.seats.reorder(&keys);
            self.aside.iter_mut().for_each(|waiter| keys.renew(&mut waiter.key));
        }
        let freed = match self.follow(pass, planned) {
            Some(freed) => {
                self.welcome(pass);
                freed
            }
            None => {
                self.restore(pass);
                true
            }
        };
        self.plan_and_start(pass, freed);
        match pass.explains {
            true => self.tell(pass),
            false => self.tell_first(pass),
        }
    }

    /// Whoever is refused in the end, since others have reached a limit before it, leaves its slot to the others.
    fn plan_and_start(&mut self, pass: &mut Pass<'_>, mut freed: bool) {
        self.refused.clear();
        loop {
            if self.replans {
                self.replan(pass, freed);
            } else {
                self.drop_nodes(pass);
                self.seat_all(pass);
            }
            let refused = self.refused.len();
            self.start_due(pass);
            let vacated = self.vacate(pass);
            if self.refused.len() == refused && !vacated && !std::mem::take(&mut self.moved) {
                return;
            }
            self.move_up_all(pass);
            freed = true;
        }
    }

    /// Whoever has come up against a limit gives up its slot. Whether there was anyone.
    fn vacate(&mut self, pass: &mut Pass<'_>) -> bool {
        let is_out = |seat: &Seat| {
            let limited = seat.who.rules.as_ref().is_some_and(|rules| !rules.caps.is_empty());
            limited && pass.job(seat.who.key).is_some_and(|job| pass.out_of_the_plan(job).is_some())
        };
        let out = self.seats.take_those(is_out);
        let any = !out.is_empty();
        for Seat { who, slot, .. } in out {
            let until = slot.at + who.length();
            self.table.give(slot.at, until, &who.claim(&slot));
            self.news.add_all(slot.at, until, &slot.on);
            self.put_aside(who);
        }
        any
    }

    /// Puts a job among those without a reservation, in queue order.
    fn put_aside(&mut self, who: Waiter) {
        let place = self.aside.partition_point(|other| other.key < who.key);
        self.aside.insert(place, who);
    }

    /// Takes note of who has arrived.
    fn welcome(&mut self, pass: &Pass<'_>) {
        let keys = pass.changes.reordered.then(|| Keys::of(pass.ranking));
        for key in &pass.changes.arrived {
            let mut key = *key;
            keys.iter().for_each(|keys| keys.renew(&mut key));
            self.wait(key, pass);
        }
        self.aside.sort_unstable_by_key(|waiter| waiter.key);
    }

    /// Whoever can never run stays out of everything.
    fn wait(&mut self, key: Key, pass: &Pass<'_>) {
        let job = pass.job(key).filter(|job| job.request.fits_fleet());
        self.aside.extend(job.map(|job| Waiter::new(key, job, pass.cluster)));
    }

    /// Gives slots to those who arrived or came into the race, in queue order. They move nobody.
    fn seat_all(&mut self, pass: &mut Pass<'_>) {
        for waiter in std::mem::take(&mut self.aside) {
            self.seat(waiter, pass);
        }
    }

    /// Gives a job the earliest slot that is left, or puts it aside.
    fn seat(&mut self, who: Waiter, pass: &mut Pass<'_>) {
        let Some(job) = pass.job(who.key) else { return };
        let until = self.may_be_planned_until(job, pass).filter(|_| !self.refused.contains(&who.key.job));
        let in_race = until.is_some();
        if in_race && !who.fluid && !self.table.is_by_node() {
            self.name_nodes(pass);
        }
        let wish = Wish { job, from: pass.now, before: until.unwrap_or(SimTime::MAX) };
        let slot = || {
            let by_rule = job.wants_one_domain() || self.places_by_rule(pass);
            let now = if by_rule { at_once(job, &self.table, pass) } else { None };
            now.or_else(|| self.table.earliest(&wish))
        };
        match in_race.then(slot).flatten() {
            Some(slot) => {
                let seen = Some(self.news.next());
                self.book(Seat { who, slot, seen });
            }
            None => self.aside.push(who),
        }
    }

    /// Before which moment a job may have a reservation, if it may. When as many tasks of its array have one as may run beside those
    /// that run, another may start at once or not at all: if it has ended before they begin.
    fn may_be_planned_until(&self, job: &Pending, pass: &mut Pass<'_>) -> Option<SimTime> {
        if !is_in_race(job, pass) {
            return None;
        }
        let Some(left) = self.left_of_its_array(job, pass).filter(|left| self.tasks_of(job) >= *left) else {
            return Some(SimTime::MAX);
        };
        let end = pass.now + planned_length(job.spec.limit);
        let array = job.rules.as_ref()?.array?.array;
        let begun = |key: &Key| self.seats.get(*key).is_some_and(|seat| seat.slot.at < end);
        let just_now = SimTime::from_micros(pass.now.as_micros().saturating_add(1));
        (self.seats.tasks(array).filter(begun).count() < left).then_some(just_now)
    }

    /// How many tasks of the job's array may start beside those that run, if that has a throttle.
    fn left_of_its_array(&self, job: &Pending, pass: &Pass<'_>) -> Option<usize> {
        let task = job.rules.as_ref()?.array?;
        let running = pass.cluster.held().tasks(task.array) + pass.taken.tasks(task.array);
        usize::try_from(task.throttle.saturating_sub(running)).ok()
    }

    fn tasks_of(&self, job: &Pending) -> usize {
        job.rules
            .as_ref()
            .and_then(|rules| rules.array)
            .map_or(0, |task| self.seats.tasks(task.array).count())
    }

    /// Whether those who can start now are put where the rule wants them as they are planned, so that those behind them plan
    /// with what is really left. With first fit that is where the timetable puts them anyway. Who only moves up starts from
    /// where it was planned, and is moved then.
    fn places_by_rule(&self, pass: &Pass<'_>) -> bool {
        self.replans && self.table.is_by_node() && pass.policy.placement != PlacementRule::FirstFit
    }

    fn book(&mut self, seat: Seat) {
        self.table.take(seat.slot.at, seat.until(), &seat.who.claim(&seat.slot));
        self.seats.insert(seat);
    }

    /// Starts those whose time has come.
    fn start_due(&mut self, pass: &mut Pass<'_>) {
        let due = self.seats.take_due(pass.now);
        let first_left = self.seats.first().map(|seat| seat.who.key);
        let refused = self.refused.len();
        for seat in due {
            if self.replans && (self.moved || self.refused.len() > refused) {
                // Those behind were planned around somebody who does not start there: they are planned again.
                self.seats.insert(seat);
                continue;
            }
            let backfilled = first_left.is_some_and(|first| first < seat.who.key);
            self.start(seat, backfilled, pass);
        }
    }

    fn start(&mut self, mut seat: Seat, backfilled: bool, pass: &mut Pass<'_>) {
        let (from, until) = (seat.slot.at, seat.until());
        let Some(job) = pass.job(seat.who.key) else { return };
        self.table.give(from, until, &seat.who.claim(&seat.slot));
        // Where the rule wants it, but not where someone else is to be before it ends.
        let cap = self.table.nodes().map(|nodes| match self.replans {
            true => nodes.just(&seat.slot.on),
            false => nodes.cap(job, pass.now),
        });
        let mut placement = pass.attempt(job, cap.as_deref());
        if let (Err(Verdict::Held(_)), Some(nodes)) =
            (&placement, self.table.nodes().filter(|_| self.replans))
        {
            // A limit refuses these nodes. Others that nobody is to have may be within it.
            placement = pass.attempt(job, Some(&nodes.cap(job, pass.now)));
            self.moved |= placement.is_ok();
        }
        let placement = placement.ok();
        let Some(placement) = placement.filter(|_| pass.out_of_the_plan(job).is_none()) else {
            self.refused.push(seat.who.key.job);
            self.news.add_all(from, until, &seat.slot.on);
            return self.put_aside(seat.who);
        };
        if self.table.is_by_node() {
            let reserved = std::mem::replace(&mut seat.slot.on, amounts(&placement));
            if reserved != seat.slot.on {
                self.news.add_all(pass.now, until, &reserved);
            }
        }
        self.table.take(from, until, &seat.who.claim(&seat.slot));
        let (total, on, rules) = (seat.who.request.total, seat.slot.on.clone(), seat.who.rules.clone());
        self.running.insert(seat.who.key.job, Held { until, total, on, rules });
        self.begun.push(seat);
        pass.start(job, placement, backfilled);
    }

    /// When the next reservation begins, or the next job comes into the race.
    pub(crate) fn wake_at(&self, cluster: &Cluster, now: SimTime) -> Option<SimTime> {
        let aside = self.aside.iter().filter_map(|who| cluster.pending_at(who.key.submitted, who.key.job));
        let eligible = aside.map(|job| job.not_before).filter(|time| *time > now).min();
        let begins = self.seats.next_begin().filter(|time| *time > now);
        [eligible, begins].into_iter().flatten().min()
    }
}

/// Whether a job may start now, if there is room: jobs that are not eligible have no reservation.
fn is_in_race(job: &Pending, pass: &mut Pass<'_>) -> bool {
    job.not_before <= pass.now && pass.out_of_the_plan(job).is_none()
}

/// Now, where the rule wants it. A job that needs its GPUs in one domain may find them: where a node has several domains, the
/// timetable doesn't know which GPUs will be free, and plans with whole nodes only.
fn at_once(job: &Pending, table: &Timetable, pass: &Pass<'_>) -> Option<Slot> {
    let nodes = table.nodes()?;
    let placement = pass.attempt(job, Some(&nodes.cap(job, pass.now))).ok()?;
    Some(Slot { at: pass.now, on: amounts(&placement) })
}
