//! Mean, median and percentiles of lengths of time. Sums are integers, so that their order doesn't matter.

use switchyard_model::SimDuration;

/// How the 95th percentile is picked; programs differ in this.
pub const P95_RULE: &str =
    "the sorted value with index round(0.95 n) - 1, counted from 0, halves rounded to even";

/// The other way to pick it.
pub const NEAREST_RANK_RULE: &str = "the sorted value with index ceil(0.95 n) - 1, counted from 0";

/// The usual statistics of some lengths of time, in seconds. All are 0 when there are none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TimeStats {
    /// How many.
    pub count: u64,
    /// Their mean.
    pub mean_secs: f64,
    /// The one in the middle; of the two in the middle the mean.
    pub median_secs: f64,
    /// 95th percentile by [`P95_RULE`].
    pub p95_secs: f64,
    /// 95th percentile by [`NEAREST_RANK_RULE`].
    pub p95_nearest_secs: f64,
    /// The longest.
    pub max_secs: f64,
}

impl TimeStats {
    /// Of these, in any order.
    pub fn of(values: impl IntoIterator<Item = SimDuration>) -> TimeStats {
        let mut values: Vec<SimDuration> = values.into_iter().collect();
        values.sort_unstable();
        let count = values.len() as u64;
        let at = |index: u64| {
            usize::try_from(index).ok().and_then(|index| values.get(index)).map_or(0.0, |v| v.as_secs_f64())
        };
        let sum: u128 = values.iter().map(|value| u128::from(value.as_micros())).sum();
        TimeStats {
            count,
            mean_secs: if count == 0 { 0.0 } else { sum as f64 / count as f64 / 1e6 },
            median_secs: match count % 2 {
                1 => at(count / 2),
                _ => at((count / 2).saturating_sub(1)).midpoint(at(count / 2)),
            },
            p95_secs: at(p95_index(count)),
            p95_nearest_secs: at(nearest_rank(95, count)),
            max_secs: at(count.saturating_sub(1)),
        }
    }
}

/// In integers: 0.95 n = 19 n / 20.
const fn p95_index(n: u64) -> u64 {
    let (whole, rest) = (19 * n / 20, 19 * n % 20);
    let up = rest > 10 || (rest == 10 && whole % 2 == 1);
    (whole + up as u64).saturating_sub(1)
}

/// The index of the percentile, counted from 0.
const fn nearest_rank(percent: u64, n: u64) -> u64 {
    (percent * n).div_ceil(100).saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::super::testing::near;
    use super::*;

    fn of(values: &[u64]) -> TimeStats {
        TimeStats::of(values.iter().map(|&value| SimDuration::from_secs(value)))
    }

    #[test]
    fn mean_median_p95_and_maximum_are_always_there() {
        let three = of(&[6, 1, 2]);
        assert_eq!(three.count, 3);
        near(three.mean_secs, 3.0);
        near(three.median_secs, 2.0);
        near(three.max_secs, 6.0);
        near(of(&[6, 1, 2, 3]).median_secs, 2.5);
        near(of(&[5]).p95_secs, 5.0);
        assert_eq!(of(&[]), TimeStats::default());
    }

    /// 300 -> 284 is the source's own example; 10 (9.5) and 30 (28.5) are halves, which go to the even neighbour.
    #[test]
    fn the_percentile_rounds_halves_to_even() {
        assert_eq!([300, 10, 30, 20, 1, 0].map(p95_index), [284, 9, 27, 18, 0, 0]);
    }

    /// 50 x 0.95 = 47.5: the even neighbour is the 48th too; 30 x 0.95 = 28.5 tells the rules apart.
    #[test]
    fn the_nearest_rank_rounds_up() {
        assert_eq!([300, 10, 30, 20, 21, 1, 0].map(|n| nearest_rank(95, n)), [284, 9, 28, 18, 19, 0, 0]);
        let thirty: Vec<u64> = (1..=30).collect();
        near(of(&thirty).p95_secs, 28.0);
        near(of(&thirty).p95_nearest_secs, 29.0);
    }
}
