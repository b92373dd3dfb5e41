//! When the leader's next scheduling pass is due.
//!
//! Passes follow what happens, and timers: backfill cycles, priorities that are calculated anew, begin times. What was put
//! on the list of what is to come can't be taken off again, so every ring is checked against what is wanted by then.

use switchyard_model::SimTime;

/// The alarm. It holds one wish, the earliest.
#[derive(Clone, Debug, Default)]
pub(super) struct Alarm {
    due: Option<SimTime>,
    /// The moments for which a ring is on the list.
    rings: Vec<SimTime>,
}

impl Alarm {
    /// Wishes for a pass at `at`, unless one is due before. Whether a ring has to be put on the list for that.
    #[must_use]
    pub(super) fn set(&mut self, at: SimTime) -> bool {
        if self.due.is_some_and(|due| due <= at) {
            return false;
        }
        self.due = Some(at);
        let new = !self.rings.contains(&at);
        if new {
            self.rings.push(at);
        }
        new
    }

    /// It rings. Whether a pass is due; the wish is granted then.
    #[must_use]
    pub(super) fn ring(&mut self, now: SimTime) -> bool {
        self.rings.retain(|at| *at > now);
        self.due.take_if(|due| *due <= now).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(secs: u64) -> SimTime {
        SimTime::from_secs(secs)
    }

    #[test]
    fn an_earlier_wish_goes_before_a_later_one_and_no_ring_is_listed_twice() {
        let mut alarm = Alarm::default();
        assert!(alarm.set(at(30)));
        assert!(!alarm.set(at(40)), "it rings before");
        assert!(alarm.set(at(10)));
        assert!(alarm.ring(at(10)));
        assert!(!alarm.set(at(30)), "that ring is on the list still");
        assert!(alarm.ring(at(30)));
        assert!(!alarm.ring(at(30)), "nobody wishes for more");
    }

    #[test]
    fn a_ring_that_nobody_wishes_for_any_more_means_nothing() {
        let mut alarm = Alarm::default();
        assert!(alarm.set(at(30)) && alarm.set(at(10)) && alarm.ring(at(10)));
        assert!(alarm.set(at(50)), "the timer has moved on");
        assert!(!alarm.ring(at(30)));
        assert!(alarm.ring(at(50)));
    }
}
