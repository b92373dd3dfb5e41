//! Rule 7: at every event all reservations are forgotten and made again in queue order.

use super::Conservative;
use crate::pass::Pass;
use crate::timetable::any_piece_will_do;

impl Conservative {
    /// Plans anew. If nothing has become free but what was planned to, and all who arrived are behind the others, everyone
    /// would get the slot that they have.
    pub(super) fn replan(&mut self, pass: &mut Pass<'_>, freed: bool) {
        let last = self.seats.last_key();
        let arrived = pass.changes.arrived.first().copied();
        let at_the_end = self.aside.iter().copied().chain(arrived).all(|key| Some(key) > last);
        if !freed && !pass.changes.reordered && at_the_end {
            return self.seat_arrivals(pass);
        }
        self.seats.take_all();
        self.aside.clear();
        let solid = |key: crate::ranking::Key| pass.job(key).is_some_and(|job| !any_piece_will_do(job));
        let by_node = self.by_node || pass.ranking.keys().any(solid);
        self.survey(by_node, pass);
        for key in pass.ranking.keys() {
            self.seat(key, pass);
        }
    }
}
