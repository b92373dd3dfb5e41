//! Rule 7: at every event all reservations are forgotten and made again in queue order.

use switchyard_model::SimTime;

use super::{Conservative, Waiter, is_in_race};
use crate::PlacementRule;
use crate::pass::Pass;
use crate::timetable::Claim;

impl Conservative {
    /// Plans anew, or goes on with the last plan where it would come out the same.
    ///
    /// If nothing has become free but what was to, everyone would get the slot that they have: there is as much room for them
    /// as there was, and it is later. So those are planned who have no slot yet, unless they are ahead of someone who has.
    pub(super) fn replan(&mut self, pass: &mut Pass<'_>, freed: bool) {
        let solid = self.aside.iter().any(|who| !who.fluid);
        let needs_nodes = solid && !self.table.is_by_node();
        let due = self.seats.iter().any(|seat| seat.slot.at <= pass.now);
        let settles = due && self.places_by_rule(pass);
        if freed || settles || needs_nodes || pass.changes.reordered || self.is_overtaken(pass) {
            let planned = self.seats.take_all().into_iter().map(|seat| seat.who);
            self.aside.extend(planned);
            self.aside.sort_unstable_by_key(|who| who.key);
            let by_node = self.by_node || self.aside.iter().any(|who| !who.fluid);
            self.survey(by_node, pass);
        }
        self.plan_on(pass);
    }

    /// Whether someone without a slot is in the race ahead of someone who has one.
    fn is_overtaken(&self, pass: &mut Pass<'_>) -> bool {
        let last = self.seats.last_key();
        let mut ahead = self.aside.iter().take_while(|who| Some(who.key) < last);
        ahead.any(|who| {
            let Some(job) = pass.job(who.key) else { return false };
            // Tasks of its array that are further back would give way to it.
            let before = |array| self.seats.tasks(array).take_while(|task| *task < who.key).count();
            let array = job.rules.as_ref().and_then(|rules| rules.array).map(|task| task.array);
            let left = self.left_of_its_array(job, pass);
            is_in_race(job, pass) && left.is_none_or(|left| array.map_or(0, before) < left)
        })
    }

    /// Plans those who have no slot, in queue order. In a replay only as far back as someone could start now.
    fn plan_on(&mut self, pass: &mut Pass<'_>) {
        let mut waiters = std::mem::take(&mut self.aside);
        waiters.reverse();
        // From here on whoever is further back can't start now.
        let mut end = 0;
        let mut lasting = self.seats.iter().any(|seat| seat.slot.at > pass.now);
        // Other rules than first fit look at what nodes have left beside all reservations, also of those further back.
        let first_fit = pass.policy.placement == PlacementRule::FirstFit;
        // Whoever has a slot keeps it while limits or advance reservations take others out of the race.
        let plain = pass.cluster.kept().is_empty() && waiters.iter().all(|who| who.rules.is_none());
        let may_stop = !pass.explains && plain && (first_fit || !self.table.is_by_node());
        while !waiters.is_empty() {
            if may_stop && lasting {
                while waiters.get(end).is_some_and(|who| !self.could_start_now(who, pass)) {
                    end += 1;
                }
                if end == waiters.len() {
                    break;
                }
            }
            let Some(who) = waiters.pop() else { break };
            end = end.min(waiters.len());
            self.seat(who, pass);
            lasting = lasting || self.seats.last().is_some_and(|seat| seat.slot.at > pass.now);
        }
        waiters.reverse();
        self.aside.extend(waiters);
    }

    /// Whether it fits into what is left by those who have been planned.
    fn could_start_now(&self, who: &Waiter, pass: &Pass<'_>) -> bool {
        let just_now = SimTime::from_micros(pass.now.as_micros().saturating_add(1));
        let claim = Claim { total: &who.request.total, on: &[], licences: who.licences() };
        let in_sum =
            self.table.earliest_in_sum(&claim, who.length(), pass.now, just_now, SimTime::MAX).is_some();
        let on_nodes = || {
            let job = pass.job(who.key);
            job.is_some_and(|job| job.wants_one_domain() || self.table.slot_at(job, pass.now).is_some())
        };
        in_sum && (!self.table.is_by_node() || on_nodes())
    }
}
