//! Whether one policy really does better than another: figures of both on the same workloads, compared pair by pair.
//!
//! Workloads of one kind differ far more among each other than policies do on one of them, so the differences within pairs
//! are looked at, and how often they have which sign; one workload alone says nothing about the next one.

use rand::RngExt as _;
use switchyard_model::{Stream, stream};

/// How many times the differences are drawn again.
const RESAMPLES: usize = 4000;
/// How many of the sorted means are cut off at each end: 2.5 % of them.
const CUT: usize = 100;

/// How the interval is found; programs differ in this.
pub const INTERVAL_RULE: &str = "95 % percentile bootstrap of the mean difference: 4000 resamples with replacement, sorted, 100 cut off at each end";

/// How the probability of the signs is found.
pub const SIGN_TEST_RULE: &str = "exact two-sided sign test: how likely signs at least as uneven are if better and worse were equally likely; equal pairs do not count";

/// Values of one figure, one for each workload.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    /// How many.
    pub n: u64,
    /// Their mean; 0 of none.
    pub mean: f64,
    /// Their standard deviation: the root of (sum of squared deviations / (n - 1)). `None` of fewer than two.
    pub sd: Option<f64>,
}

impl Sample {
    /// Of these.
    pub fn of(values: &[f64]) -> Sample {
        let n = values.len() as u64;
        let mean = mean(values);
        let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
        let sd = (n > 1).then(|| libm::sqrt(squares / (n - 1) as f64));
        Sample { n, mean, sd }
    }
}

/// Which way a figure should go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// Waits, slowdowns.
    Lower,
    /// Utilisation.
    Higher,
}

impl Better {
    /// In a word.
    pub const fn name(self) -> &'static str {
        match self {
            Better::Lower => "lower",
            Better::Higher => "higher",
        }
    }

    /// What a difference of this size means.
    pub fn judge(self, difference: f64) -> Verdict {
        let gain = match self {
            Better::Lower => -difference,
            Better::Higher => difference,
        };
        if gain > 0.0 {
            Verdict::Better
        } else if gain < 0.0 {
            Verdict::Worse
        } else {
            Verdict::Equal
        }
    }
}

/// What became of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It went the way it should.
    Better,
    /// It went the other way.
    Worse,
    /// It is the same.
    Equal,
}

/// From a lower end to an upper one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// Whether a value is outside.
    pub fn excludes(&self, value: f64) -> bool {
        value < self.low || value > self.high
    }
}

/// A figure under one policy against the same figure under another, pair by pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Paired {
    /// The differences, policy - baseline.
    pub difference: Sample,
    /// Pairs in which the policy did better.
    pub better: u64,
    /// Pairs in which it did worse.
    pub worse: u64,
    /// Pairs without a difference.
    pub equal: u64,
    /// Of the mean difference, by [`INTERVAL_RULE`] (Efron: Bootstrap methods, Annals of Statistics 7, 1979; the numbers
    /// are k8s-gpu-scheduler-lab's). `None` of fewer than two pairs. With fewer than five it is too narrow to rely on.
    pub interval: Option<Interval>,
    /// By [`SIGN_TEST_RULE`]; `None` where no pair differs.
    pub sign_p: Option<f64>,
}

impl Paired {
    /// `values` and `baseline` belong together in their order; what has no partner is left out. `figure` names the stream that
    /// the resamples are drawn from, so that one figure's draws don't depend on which others there are.
    pub fn of(baseline: &[f64], values: &[f64], better: Better, figure: &str) -> Paired {
        let differences: Vec<f64> = values.iter().zip(baseline).map(|(value, base)| value - base).collect();
        let count = |change| {
            let same = differences.iter().filter(|difference| better.judge(**difference) == change);
            same.count() as u64
        };
        let (better, worse) = (count(Verdict::Better), count(Verdict::Worse));
        Paired {
            difference: Sample::of(&differences),
            better,
            worse,
            equal: count(Verdict::Equal),
            interval: bootstrap(&differences, &mut stream(0, &format!("bootstrap {figure}"))),
            sign_p: sign_test(better, worse),
        }
    }
}

fn mean(values: &[f64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / values.len() as f64 }
}

fn bootstrap(differences: &[f64], chance: &mut Stream) -> Option<Interval> {
    let n = differences.len() as u64;
    if n < 2 {
        return None;
    }
    let mut draw = || {
        let index = usize::try_from(chance.random_range(0..n)).unwrap_or(0);
        differences.get(index).copied().unwrap_or_default()
    };
    let mut means: Vec<f64> =
        (0..RESAMPLES).map(|_| (0..n).map(|_| draw()).sum::<f64>() / n as f64).collect();
    means.sort_by(f64::total_cmp);
    Some(Interval { low: *means.get(CUT)?, high: *means.get(RESAMPLES - 1 - CUT)? })
}

/// Twice the probability of at most min(better, worse) heads among so many throws of a coin.
fn sign_test(better: u64, worse: u64) -> Option<f64> {
    let throws = better + worse;
    if throws == 0 {
        return None;
    }
    // In logarithms: 2^-n is no number for long series.
    let ln_choose = |k: u64| {
        libm::lgamma(throws as f64 + 1.0)
            - libm::lgamma(k as f64 + 1.0)
            - libm::lgamma((throws - k) as f64 + 1.0)
    };
    let tail: f64 = (0..=better.min(worse))
        .map(|k| libm::exp(ln_choose(k) - throws as f64 * std::f64::consts::LN_2))
        .sum();
    Some((2.0 * tail).min(1.0))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::testing::near;
    use super::*;
    use proptest::prelude::*;

    /// 2, 4, 4, 4, 5, 5, 7, 9: the squared deviations from 5 add up to 32.
    #[test]
    fn the_standard_deviation_is_that_of_a_sample() {
        let sample = Sample::of(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]);
        assert_eq!(sample.n, 8);
        near(sample.mean, 5.0);
        near(sample.sd.unwrap(), libm::sqrt(32.0 / 7.0));
        assert_eq!((Sample::of(&[3.0]).sd, Sample::of(&[])), (None, Sample::default()));
    }

    #[test]
    fn signs_are_counted_in_the_direction_that_is_better() {
        let (base, policy) = ([10.0, 10.0, 10.0, 10.0], [7.0, 10.0, 12.0, 9.0]);
        let waits = Paired::of(&base, &policy, Better::Lower, "wait");
        assert_eq!((waits.better, waits.worse, waits.equal), (2, 1, 1));
        near(waits.difference.mean, -0.5);
        let shares = Paired::of(&base, &policy, Better::Higher, "share");
        assert_eq!((shares.better, shares.worse, shares.equal), (1, 2, 1));
    }

    /// By hand: 10 of 10 has 2 / 1024; 9 of 10 has 2 (1 + 10) / 1024; 1 of 1 and 5 of 10 say nothing.
    #[test]
    fn the_sign_test_is_the_binomial_tail() {
        for (better, worse, p) in [(10, 0, 2.0 / 1024.0), (1, 9, 22.0 / 1024.0), (1, 0, 1.0), (5, 5, 1.0)] {
            near(sign_test(better, worse).unwrap(), p);
        }
        assert_eq!(sign_test(0, 0), None);
        assert!(sign_test(5000, 4000).unwrap() < 1e-20);
    }

    #[test]
    fn one_pair_has_no_interval_and_equal_differences_have_none_to_speak_of() {
        assert_eq!(Paired::of(&[1.0], &[2.0], Better::Lower, "x").interval, None);
        let shifted = Paired::of(&[1.0, 5.0, 9.0], &[3.0, 7.0, 11.0], Better::Lower, "x");
        assert_eq!(shifted.interval, Some(Interval { low: 2.0, high: 2.0 }));
    }

    /// Of ten differences 1 to 10 the mean's standard error is 2.872 / sqrt(10) = 0.908 under resampling, so the interval is
    /// about 5.5 -+ 1.78.
    #[test]
    fn the_interval_is_as_wide_as_the_normal_one_where_that_holds() {
        let values: Vec<f64> = (1..=10).map(f64::from).collect();
        let interval = Paired::of(&[0.0; 10], &values, Better::Lower, "x").interval.unwrap();
        assert!((interval.low - 3.72).abs() < 0.15 && (interval.high - 7.28).abs() < 0.15, "{interval:?}");
        assert!(interval.excludes(0.0) && !interval.excludes(5.5));
    }

    /// By hand, of the 256 ways to draw four of 1, 2, 4, 8: a sum of at most 5 has 5 of them (2.0 %), of at most 6 has 11
    /// (4.3 %), so the lower end is 6 / 4; above 26 are 5 again, so the upper end is 26 / 4.
    #[test]
    fn the_draws_are_fixed_and_depend_on_the_figure() {
        let interval =
            |figure| Paired::of(&[0.0; 4], &[1.0, 2.0, 4.0, 8.0], Better::Lower, figure).interval.unwrap();
        assert_eq!(interval("wait"), interval("wait"));
        assert_eq!(interval("wait"), Interval { low: 1.5, high: 6.5 });
        assert_ne!(
            stream(0, "bootstrap wait").random_range(0..1_000_000u64),
            stream(0, "bootstrap slowdown").random_range(0..1_000_000u64)
        );
    }

    proptest! {
        #[test]
        fn turning_the_pair_around_turns_the_signs(pairs in proptest::collection::vec((0u32..9, 0u32..9), 0..30)) {
            let (a, b): (Vec<f64>, Vec<f64>) = pairs.iter().map(|(a, b)| (f64::from(*a), f64::from(*b))).unzip();
            let (there, back) = (Paired::of(&a, &b, Better::Lower, "x"), Paired::of(&b, &a, Better::Lower, "x"));
            prop_assert_eq!((there.better, there.worse, there.equal), (back.worse, back.better, back.equal));
            prop_assert_eq!(there.better + there.worse + there.equal, pairs.len() as u64);
            prop_assert_eq!(there.sign_p, back.sign_p);
            if let Some(interval) = there.interval {
                let (least, most) = pairs.iter().fold((f64::MAX, f64::MIN), |(least, most), (a, b)| {
                    let difference = f64::from(*b) - f64::from(*a);
                    (least.min(difference), most.max(difference))
                });
                prop_assert!(least - 1e-9 <= interval.low && interval.low <= interval.high && interval.high <= most + 1e-9);
            }
        }
    }
}
