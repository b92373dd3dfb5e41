//! Bounded slowdown: how much longer a job took than it would have taken alone.

use switchyard_model::SimDuration;

use crate::Span;

/// Which bounded slowdown. Very short jobs would dominate a plain slowdown, so that their length counts as a threshold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SlowdownRule {
    /// max(1, (end - submit) / max(end - start, 10 s)): Feitelson et al., 1997; the figures of the classical logs.
    #[default]
    Classical,
    /// (end - submit) / max(end - start, 60 s), not raised to 1: the seed lab's.
    SeedLab,
}

impl SlowdownRule {
    /// The shortest length that counts.
    pub const fn threshold(self) -> SimDuration {
        match self {
            SlowdownRule::Classical => SimDuration::from_secs(10),
            SlowdownRule::SeedLab => SimDuration::from_secs(60),
        }
    }

    /// The definition in words.
    pub const fn definition(self) -> &'static str {
        match self {
            SlowdownRule::Classical => "mean of max(1, (end - submit) / max(end - start, 10 s))",
            SlowdownRule::SeedLab => "mean of (end - submit) / max(end - start, 60 s)",
        }
    }

    fn of(self, span: &Span) -> f64 {
        let length = span.end.since(span.start).max(self.threshold());
        let slowdown = span.end.since(span.submit).as_secs_f64() / length.as_secs_f64();
        match self {
            SlowdownRule::Classical => slowdown.max(1.0),
            SlowdownRule::SeedLab => slowdown,
        }
    }

    pub(super) fn mean(self, spans: &[Span]) -> f64 {
        let sum: f64 = spans.iter().map(|span| self.of(span)).sum();
        if spans.is_empty() { 0.0 } else { sum / spans.len() as f64 }
    }
}
