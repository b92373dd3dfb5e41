//! The stretch of time over which a share is taken; percentages differ when another one is used.

use switchyard_model::{SimDuration, SimTime};

use crate::Span;

/// A stretch of time, half open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// Its first moment.
    pub from: SimTime,
    /// The first moment after it.
    pub to: SimTime,
}

impl Window {
    /// How long it is.
    pub const fn length(&self) -> SimDuration {
        self.to.since(self.from)
    }

    /// How much of the interval from `from` to `to` is inside.
    pub fn overlap(&self, from: SimTime, to: SimTime) -> SimDuration {
        self.to.min(to).since(self.from.max(from))
    }
}

/// Which stretch of a schedule counts. What lies outside is cut off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Horizon {
    /// From the first submission to the last end: the makespan.
    #[default]
    FirstSubmitToLastEnd,
    /// From the first start to the last end.
    FirstStartToLastEnd,
    /// From the first submission to the last: without the time in which the queue only drains.
    FirstSubmitToLastSubmit,
    /// From moment 0 to the last end.
    ZeroToLastEnd,
}

impl Horizon {
    /// All.
    pub const ALL: [Horizon; 4] = [
        Horizon::FirstSubmitToLastEnd,
        Horizon::FirstStartToLastEnd,
        Horizon::FirstSubmitToLastSubmit,
        Horizon::ZeroToLastEnd,
    ];

    /// The definition in words, over the jobs that started.
    pub const fn definition(self) -> &'static str {
        match self {
            Horizon::FirstSubmitToLastEnd => "last end - first submit",
            Horizon::FirstStartToLastEnd => "last end - first start",
            Horizon::FirstSubmitToLastSubmit => "last submit - first submit",
            Horizon::ZeroToLastEnd => "last end - 0",
        }
    }

    /// The stretch of this schedule.
    pub fn window(self, spans: &[Span]) -> Window {
        let submits = || spans.iter().map(|span| span.submit);
        let first_submit = submits().min().unwrap_or_default();
        let last_end = spans.iter().map(|span| span.end).max().unwrap_or_default();
        let (from, to) = match self {
            Horizon::FirstSubmitToLastEnd => (first_submit, last_end),
            Horizon::FirstStartToLastEnd => {
                (spans.iter().map(|span| span.start).min().unwrap_or_default(), last_end)
            }
            Horizon::FirstSubmitToLastSubmit => (first_submit, submits().max().unwrap_or_default()),
            Horizon::ZeroToLastEnd => (SimTime::ZERO, last_end),
        };
        Window { from, to }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{at, span};
    use super::*;

    #[test]
    fn each_horizon_begins_and_ends_where_its_name_says() {
        let spans = [span(1, 5, 10, 100, &[]), span(2, 50, 60, 70, &[])];
        let windows = Horizon::ALL.map(|horizon| horizon.window(&spans));
        let expected = [(5, 100), (10, 100), (5, 50), (0, 100)];
        assert_eq!(windows, expected.map(|(from, to)| Window { from: at(from), to: at(to) }));
        for horizon in Horizon::ALL {
            assert_eq!(horizon.window(&[]).length(), SimDuration::ZERO);
        }
    }

    #[test]
    fn what_lies_outside_is_cut_off() {
        let window = Window { from: at(10), to: at(20) };
        let overlap = |from, to| window.overlap(at(from), at(to)).as_micros() / 1_000_000;
        assert_eq!(
            [overlap(0, 12), overlap(12, 15), overlap(15, 99), overlap(0, 10), overlap(20, 30)],
            [2, 3, 5, 0, 0]
        );
    }
}
