//! Mean, median and percentile of lengths of time. Sums are integers, so that their order doesn't matter.

use switchyard_model::SimDuration;

/// How the 95th percentile is picked; programs differ in this.
pub const P95_RULE: &str =
    "the sorted value with index round(0.95 n) - 1, counted from 0, halves rounded to even";

pub(super) fn sorted(values: impl Iterator<Item = SimDuration>) -> Vec<SimDuration> {
    let mut values: Vec<_> = values.collect();
    values.sort_unstable();
    values
}

pub(super) fn mean_secs(values: &[SimDuration]) -> f64 {
    let sum: u128 = values.iter().map(|value| u128::from(value.as_micros())).sum();
    if values.is_empty() { 0.0 } else { sum as f64 / values.len() as f64 / 1e6 }
}

pub(super) fn median_secs(sorted: &[SimDuration]) -> f64 {
    let at = |index: usize| sorted.get(index).map_or(0.0, |value| value.as_secs_f64());
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 { at(middle) } else { at(middle.saturating_sub(1)).midpoint(at(middle)) }
}

/// By [`P95_RULE`].
pub(super) fn p95_secs(sorted: &[SimDuration]) -> f64 {
    let index = p95_index(sorted.len() as u64);
    usize::try_from(index).ok().and_then(|index| sorted.get(index)).map_or(0.0, |value| value.as_secs_f64())
}

/// In integers: 0.95 n = 19 n / 20.
const fn p95_index(n: u64) -> u64 {
    let (whole, rest) = (19 * n / 20, 19 * n % 20);
    let up = rest > 10 || (rest == 10 && whole % 2 == 1);
    (whole + up as u64).saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secs(values: &[u64]) -> Vec<SimDuration> {
        sorted(values.iter().map(|&value| SimDuration::from_secs(value)))
    }

    #[test]
    fn the_usual_statistics_of_small_samples() {
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{a} is not {b}");
        near(mean_secs(&secs(&[1, 2, 6])), 3.0);
        near(median_secs(&secs(&[6, 1, 2])), 2.0);
        near(median_secs(&secs(&[6, 1, 2, 3])), 2.5);
        near(p95_secs(&secs(&[5])), 5.0);
        for f in [mean_secs, median_secs, p95_secs] {
            near(f(&[]), 0.0);
        }
    }

    /// 300 -> 284 is the source's own example; 10 (9.5) and 30 (28.5) are halves, which go to the even neighbour.
    #[test]
    fn the_percentile_rounds_halves_to_even() {
        assert_eq!([300, 10, 30, 20, 1, 0].map(p95_index), [284, 9, 27, 18, 0, 0]);
    }
}
