//! Simulated time as an integer, so that a run has the same bits on every machine.

use std::fmt;
use std::ops::{Add, AddAssign, Sub};

use serde::{Deserialize, Serialize};

const MICROS_PER_SEC: u64 = 1_000_000;

/// A moment: microseconds since the start of the run. Arithmetic saturates, so that absurd input can't wrap around.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SimTime(u64);

/// A length of time in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SimDuration(u64);

impl SimTime {
    /// The start of the run.
    pub const ZERO: SimTime = SimTime(0);
    /// Later than everything that happens.
    pub const MAX: SimTime = SimTime(u64::MAX);

    /// From microseconds since the start.
    pub const fn from_micros(micros: u64) -> Self {
        SimTime(micros)
    }

    /// From whole seconds since the start.
    pub const fn from_secs(secs: u64) -> Self {
        SimTime(secs.saturating_mul(MICROS_PER_SEC))
    }

    /// From seconds, rounded to the nearest microsecond; `None` for a negative, unordered or too large number.
    pub fn from_secs_f64(secs: f64) -> Option<Self> {
        SimDuration::from_secs_f64(secs).map(|d| SimTime(d.0))
    }

    /// Microseconds since the start.
    pub const fn as_micros(self) -> u64 {
        self.0
    }

    /// Seconds since the start.
    pub fn as_secs_f64(self) -> f64 {
        SimDuration(self.0).as_secs_f64()
    }

    /// How long after `earlier` this is; zero when it is not after it.
    pub const fn since(self, earlier: SimTime) -> SimDuration {
        SimDuration(self.0.saturating_sub(earlier.0))
    }
}

impl SimDuration {
    /// No time.
    pub const ZERO: SimDuration = SimDuration(0);
    /// Longer than everything.
    pub const MAX: SimDuration = SimDuration(u64::MAX);

    /// From microseconds.
    pub const fn from_micros(micros: u64) -> Self {
        SimDuration(micros)
    }

    /// From milliseconds.
    pub const fn from_millis(millis: u64) -> Self {
        SimDuration(millis.saturating_mul(1_000))
    }

    /// From whole seconds.
    pub const fn from_secs(secs: u64) -> Self {
        SimDuration(secs.saturating_mul(MICROS_PER_SEC))
    }

    /// From seconds, rounded to the nearest microsecond; `None` for a negative, unordered or too large number.
    pub fn from_secs_f64(secs: f64) -> Option<Self> {
        let micros = secs * MICROS_PER_SEC as f64;
        // 2^63 µs are 292,000 years: more than any trace, and far from where sums would saturate.
        if (0.0..9.2e18).contains(&micros) { Some(SimDuration(round_half_up(micros))) } else { None }
    }

    /// Microseconds.
    pub const fn as_micros(self) -> u64 {
        self.0
    }

    /// Seconds.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / MICROS_PER_SEC as f64
    }

    /// `self * n`, saturating.
    pub const fn saturating_mul(self, n: u64) -> SimDuration {
        SimDuration(self.0.saturating_mul(n))
    }

    /// Whether this is no time at all.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }
}

/// Rounds half up; the argument is known to be finite and not negative.
fn round_half_up(micros: f64) -> u64 {
    let whole = micros as u64;
    if micros - whole as f64 >= 0.5 { whole + 1 } else { whole }
}

impl Add<SimDuration> for SimTime {
    type Output = SimTime;
    fn add(self, rhs: SimDuration) -> SimTime {
        SimTime(self.0.saturating_add(rhs.0))
    }
}

impl AddAssign<SimDuration> for SimTime {
    fn add_assign(&mut self, rhs: SimDuration) {
        *self = *self + rhs;
    }
}

impl Sub<SimDuration> for SimTime {
    type Output = SimTime;
    fn sub(self, rhs: SimDuration) -> SimTime {
        SimTime(self.0.saturating_sub(rhs.0))
    }
}

impl Add for SimDuration {
    type Output = SimDuration;
    fn add(self, rhs: SimDuration) -> SimDuration {
        SimDuration(self.0.saturating_add(rhs.0))
    }
}

impl AddAssign for SimDuration {
    fn add_assign(&mut self, rhs: SimDuration) {
        *self = *self + rhs;
    }
}

impl Sub for SimDuration {
    type Output = SimDuration;
    fn sub(self, rhs: SimDuration) -> SimDuration {
        SimDuration(self.0.saturating_sub(rhs.0))
    }
}

impl fmt::Display for SimDuration {
    /// The two largest units that matter: `850 ms`, `12.5 s`, `3 min 5 s`, `1 h 39 min`, `2 d 3 h`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let secs = self.0 / MICROS_PER_SEC;
        let (days, hours, mins) = (secs / 86_400, secs / 3_600 % 24, secs / 60 % 60);
        match self.0 {
            0..1_000 => write!(f, "{} µs", self.0),
            1_000..1_000_000 => write!(f, "{} ms", self.0 / 1_000),
            _ if secs < 60 && self.0 % MICROS_PER_SEC >= 100_000 => {
                write!(f, "{}.{} s", secs, self.0 / 100_000 % 10)
            }
            _ if secs < 60 => write!(f, "{secs} s"),
            _ if secs < 3_600 && secs.is_multiple_of(60) => write!(f, "{mins} min"),
            _ if secs < 3_600 => write!(f, "{mins} min {} s", secs % 60),
            _ if secs < 86_400 && mins == 0 => write!(f, "{hours} h"),
            _ if secs < 86_400 => write!(f, "{hours} h {mins} min"),
            _ if hours == 0 => write!(f, "{days} d"),
            _ => write!(f, "{days} d {hours} h"),
        }
    }
}

impl fmt::Display for SimTime {
    /// `D-HH:MM:SS` since the start, as Slurm writes durations; without the day while it is day 0.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let secs = self.0 / MICROS_PER_SEC;
        let (days, hours, mins, rest) = (secs / 86_400, secs / 3_600 % 24, secs / 60 % 60, secs % 60);
        if days > 0 {
            write!(f, "{days}-")?;
        }
        write!(f, "{hours:02}:{mins:02}:{rest:02}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_round_to_the_nearest_microsecond_and_nonsense_is_refused() {
        assert_eq!(SimTime::from_secs_f64(87.772_443_233_795_43), Some(SimTime(87_772_443)));
        assert_eq!(SimTime::from_secs_f64(0.000_000_5), Some(SimTime(1)));
        for nonsense in [-1.0, f64::NAN, f64::INFINITY, 1e300] {
            assert_eq!(SimDuration::from_secs_f64(nonsense), None);
        }
    }

    #[test]
    fn durations_read_as_people_say_them() {
        let said = |micros| SimDuration::from_micros(micros).to_string();
        assert_eq!(said(7), "7 µs");
        assert_eq!(said(850_000), "850 ms");
        assert_eq!(said(12_500_000), "12.5 s");
        assert_eq!(said(185_000_000), "3 min 5 s");
        assert_eq!(said(5_940_000_000), "1 h 39 min");
        assert_eq!(said(183_600_000_000), "2 d 3 h");
        assert_eq!(SimTime::from_secs(90_061).to_string(), "1-01:01:01");
    }

    #[test]
    fn sums_saturate() {
        assert_eq!(SimTime::MAX + SimDuration::from_secs(1), SimTime::MAX);
        assert_eq!(SimTime::ZERO.since(SimTime::from_secs(3)), SimDuration::ZERO);
    }
}
