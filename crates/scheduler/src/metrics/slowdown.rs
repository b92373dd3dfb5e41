//! Bounded slowdown: how much longer a job took than it would have taken alone.

use switchyard_model::SimDuration;

use super::attempts::Attempts;
use crate::Span;

/// Which bounded slowdown. Very short jobs would dominate a plain slowdown, so that their length counts as a threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlowdownRule {
    threshold: SimDuration,
    at_least_one: bool,
}

impl SlowdownRule {
    /// max(1, (end - submit) / max(end - start, 10 s)): Feitelson et al., 1997; the figures of the classical logs.
    pub const CLASSICAL: SlowdownRule =
        SlowdownRule { threshold: SimDuration::from_secs(10), at_least_one: true };
    /// (end - submit) / max(end - start, 60 s), not raised to 1: the seed lab's.
    pub const SEED_LAB: SlowdownRule =
        SlowdownRule { threshold: SimDuration::from_secs(60), at_least_one: false };

    /// The same rule with another threshold; one of 0 becomes 1 µs, so that nothing is divided by 0.
    #[must_use]
    pub const fn with_threshold(self, threshold: SimDuration) -> SlowdownRule {
        let threshold = if threshold.is_zero() { SimDuration::from_micros(1) } else { threshold };
        SlowdownRule { threshold, ..self }
    }

    /// The shortest length that counts.
    pub const fn threshold(self) -> SimDuration {
        self.threshold
    }

    /// Whether jobs that would be below 1 count as 1.
    pub const fn at_least_one(self) -> bool {
        self.at_least_one
    }

    /// The definition in words, with the threshold.
    pub fn definition(self) -> String {
        let threshold = self.threshold.as_secs_f64();
        let ratio = format!("(end - submit) / max(end - start, {threshold} s)");
        if self.at_least_one { format!("mean of max(1, {ratio})") } else { format!("mean of {ratio}") }
    }

    /// Of one attempt.
    pub fn of(self, span: &Span) -> f64 {
        let length = span.end.since(span.start).max(self.threshold);
        let slowdown = span.end.since(span.submit).as_secs_f64() / length.as_secs_f64();
        if self.at_least_one { slowdown.max(1.0) } else { slowdown }
    }

    /// The mean over the last attempts of the jobs that finished; 0 when none did.
    pub(super) fn mean(self, attempts: &Attempts<'_>) -> f64 {
        let (mut sum, mut count) = (0.0, 0u64);
        for span in attempts.finished() {
            sum += self.of(span);
            count += 1;
        }
        if count == 0 { 0.0 } else { sum / count as f64 }
    }
}

impl Default for SlowdownRule {
    fn default() -> Self {
        SlowdownRule::CLASSICAL
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{near, span};
    use super::*;

    /// A job of 6 s that never waited: 1 by the classical rule, a tenth by the lab's, which doesn't raise it to 1.
    #[test]
    fn short_jobs_tell_the_slowdown_rules_apart() {
        let short = span(1, 0, 0, 6, &[]);
        near(SlowdownRule::CLASSICAL.of(&short), 1.0);
        near(SlowdownRule::SEED_LAB.of(&short), 0.1);
    }

    #[test]
    fn the_threshold_is_a_parameter_and_the_definition_names_it() {
        let waited = span(1, 0, 14, 20, &[]);
        let rule = SlowdownRule::CLASSICAL.with_threshold(SimDuration::from_secs(4));
        near(rule.of(&waited), 20.0 / 6.0);
        assert_eq!(rule.definition(), "mean of max(1, (end - submit) / max(end - start, 4 s))");
        let half = SlowdownRule::SEED_LAB.with_threshold(SimDuration::from_millis(500));
        assert_eq!(half.definition(), "mean of (end - submit) / max(end - start, 0.5 s)");
    }

    #[test]
    fn a_threshold_of_nothing_divides_by_nothing() {
        let rule = SlowdownRule::SEED_LAB.with_threshold(SimDuration::ZERO);
        assert!(rule.of(&span(1, 0, 5, 5, &[])).is_finite());
    }
}
