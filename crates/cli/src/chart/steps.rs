//! A step function as corners of a line, not more of them than can be seen.

use switchyard_model::{SimDuration, SimTime};
use switchyard_scheduler::metrics::{Series, Step, Window};

/// The corners (seconds, value) from 0 to `until`. Where there are more steps than `columns` of pixels, each column keeps
/// its first, lowest, highest and last value, so that no peak is lost.
pub(super) fn corners(steps: &[Step], until: SimTime, columns: u32) -> Vec<(f64, f64)> {
    let secs = |at: SimTime| at.since(SimTime::ZERO).as_secs_f64();
    let end = secs(until);
    let thin = steps.len() > 2 * columns as usize;
    let column = |step: &Step| (secs(step.at) / end.max(1e-9) * f64::from(columns)) as u64;
    let mut kept: Vec<Step> = Vec::new();
    for group in steps.chunk_by(|a, b| thin && column(a) == column(b)) {
        let lowest = group.iter().min_by_key(|step| step.value);
        let highest = group.iter().max_by_key(|step| step.value);
        let mut of_group: Vec<Step> =
            [group.first(), lowest, highest, group.last()].into_iter().flatten().copied().collect();
        of_group.sort_by_key(|step| step.at);
        of_group.dedup();
        kept.extend(of_group);
    }
    let mut line = vec![(0.0, 0.0)];
    for step in kept.iter().filter(|step| step.at <= until) {
        let before = line.last().map_or(0.0, |(_, value)| *value);
        line.extend([(secs(step.at), before), (secs(step.at), step.value as f64)]);
    }
    let last = line.last().map_or(0.0, |(_, value)| *value);
    line.push((end, last));
    line
}

/// The means over stretches of one length, as corners of a line from 0 to `until`.
pub(super) fn means(series: &Series, until: SimTime, stretch: SimDuration) -> Vec<(f64, f64)> {
    let micros = stretch.as_micros().max(1);
    let count = until.as_micros().div_ceil(micros);
    let mut line = Vec::new();
    for index in 0..count {
        let from = SimTime::from_micros(index * micros);
        let to = (from + stretch).min(until);
        let mean = series.mean(Window { from, to });
        line.extend([from, to].map(|at| (at.since(SimTime::ZERO).as_secs_f64(), mean)));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(secs: u64, value: u64) -> Step {
        Step { at: SimTime::from_secs(secs), value }
    }

    #[test]
    fn steps_have_right_angles() {
        let line = corners(&[step(1, 2), step(3, 1)], SimTime::from_secs(4), 100);
        assert_eq!(line, [(0.0, 0.0), (1.0, 0.0), (1.0, 2.0), (3.0, 2.0), (3.0, 1.0), (4.0, 1.0)]);
    }

    #[test]
    fn means_are_those_of_their_stretches() {
        let series = Series::of_changes(vec![(SimTime::from_secs(5), 4), (SimTime::from_secs(15), -4)]);
        let line = means(&series, SimTime::from_secs(25), SimDuration::from_secs(10));
        assert_eq!(line, [(0.0, 2.0), (10.0, 2.0), (10.0, 2.0), (20.0, 2.0), (20.0, 0.0), (25.0, 0.0)]);
    }

    #[test]
    fn a_long_series_is_thinned_and_keeps_its_peak() {
        let mut steps: Vec<Step> = (0..100_000).map(|secs| step(secs, 5 + secs % 2)).collect();
        steps[77_777].value = 99;
        let line = corners(&steps, SimTime::from_secs(100_000), 500);
        assert!(line.len() < 500 * 9, "{}", line.len());
        assert!(line.iter().any(|(_, value)| *value > 98.0));
    }
}
