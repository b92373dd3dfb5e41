//! Timers on a grid: they fire at the first submission and at whole periods after it.

use switchyard_model::{SimDuration, SimTime};

/// A timer that fires on the grid `origin + k * period`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timer {
    period: SimDuration,
    next: SimTime,
}

impl Timer {
    /// Its first time is `origin`. `None` without a period.
    pub(super) fn new(origin: SimTime, period: Option<SimDuration>) -> Option<Timer> {
        period.filter(|period| !period.is_zero()).map(|period| Timer { period, next: origin })
    }

    /// When it fires next.
    pub(super) const fn next(&self) -> SimTime {
        self.next
    }

    pub(super) fn is_due(&self, now: SimTime) -> bool {
        self.next <= now
    }

    /// It stood still while there was nothing to do: it fires at its first time that isn't over yet.
    pub(super) fn rejoin(&mut self, now: SimTime) {
        if self.next < now {
            let behind = now.since(self.next).as_micros();
            let periods = behind.div_ceil(self.period.as_micros());
            self.next += self.period.saturating_mul(periods);
        }
    }

    /// It has fired: its next time is the first after `now`.
    pub(super) fn rewind(&mut self, now: SimTime) {
        if self.next <= now {
            let periods = now.since(self.next).as_micros() / self.period.as_micros() + 1;
            self.next += self.period.saturating_mul(periods);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_timer_stays_on_its_grid() {
        let at = SimTime::from_secs;
        let mut timer = Timer::new(at(7), Some(SimDuration::from_secs(30))).unwrap();
        assert!(timer.is_due(at(7)) && !timer.is_due(at(6)));
        timer.rewind(at(7));
        assert_eq!(timer.next(), at(37));
        timer.rewind(at(36));
        assert_eq!(timer.next(), at(37));
        timer.rewind(at(100));
        assert_eq!(timer.next(), at(127));
        timer.rejoin(at(127));
        assert_eq!(timer.next(), at(127));
        timer.rejoin(at(128));
        assert_eq!(timer.next(), at(157));
        timer.rejoin(at(187));
        assert_eq!(timer.next(), at(187));
        assert!(Timer::new(at(7), None).is_none());
    }
}
