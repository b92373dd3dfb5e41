//! How fast time passes: the range of speeds, the steps between them, and the slider's scale.

/// The slowest speed, in simulated seconds per second: a message takes a tenth of a second.
pub const SLOWEST: f64 = 0.01;
/// The fastest speed: an hour per second.
pub const FASTEST: f64 = 3_600.0;
/// The speeds that keys and ticks of the slider stop at.
pub const STEPS: [f64; 12] = [0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 60.0, 300.0, 1_200.0, 3_600.0];

/// How time passes now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    /// Whether it passes.
    pub playing: bool,
    /// The wished speed, in simulated seconds per second.
    pub speed: f64,
    /// The speed that the machine reaches.
    pub reached: f64,
}

/// `speed` within the range.
pub const fn clamp(speed: f64) -> f64 {
    speed.clamp(SLOWEST, FASTEST)
}

/// The next step above `speed`.
pub fn faster(speed: f64) -> f64 {
    STEPS.into_iter().find(|step| *step > speed * 1.001).unwrap_or(FASTEST)
}

/// The next step below `speed`.
pub fn slower(speed: f64) -> f64 {
    STEPS.into_iter().rev().find(|step| *step < speed * 0.999).unwrap_or(SLOWEST)
}

/// Where `speed` stands on the slider, 0 to 1: equal ways are equal factors.
pub fn position(speed: f64) -> f64 {
    libm::log(clamp(speed) / SLOWEST) / libm::log(FASTEST / SLOWEST)
}

/// The speed at a place of the slider; near a step, that step.
pub fn at(position: f64) -> f64 {
    let speed = SLOWEST * libm::exp(position.clamp(0.0, 1.0) * libm::log(FASTEST / SLOWEST));
    STEPS.into_iter().find(|step| (speed / step - 1.0).abs() < 0.12).unwrap_or(speed)
}

/// The speed in writing: `0.01×`, `1×`, `3,600×`.
pub fn words(speed: f64) -> String {
    let digits = match speed {
        _ if speed >= 9.95 => 0,
        _ if speed >= 0.995 => 1,
        _ => 2,
    };
    let written = format!("{speed:.digits$}");
    let (whole, rest) = written.split_once('.').unwrap_or((&written, ""));
    let rest = rest.trim_end_matches('0');
    let whole = crate::words::grouped(whole.parse().unwrap_or(0));
    if rest.is_empty() { format!("{whole}×") } else { format!("{whole}.{rest}×") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_lead_from_end_to_end_and_stay_there() {
        let mut speed = SLOWEST;
        for step in STEPS.into_iter().skip(1) {
            speed = faster(speed);
            assert!((speed - step).abs() < 1e-9);
        }
        assert!((faster(speed) - FASTEST).abs() < 1e-9);
        assert!((slower(45.0) - 30.0).abs() < 1e-9 && (slower(SLOWEST) - SLOWEST).abs() < 1e-9);
    }

    #[test]
    fn the_slider_is_logarithmic_and_catches_at_the_steps() {
        assert!(position(SLOWEST).abs() < 1e-9 && (position(FASTEST) - 1.0).abs() < 1e-9);
        assert!((position(6.0) - 0.5).abs() < 1e-9, "the middle is the geometric mean of 0.01 and 3,600");
        for step in STEPS {
            assert!((at(position(step)) - step).abs() < 1e-9);
        }
        assert!((at(position(6.0)) - 6.0).abs() < 1e-9);
    }

    #[test]
    fn speeds_read_as_factors() {
        let said = [0.01, 0.3, 1.0, 5.94, 59.8, 3_600.0].map(words);
        assert_eq!(said, ["0.01×", "0.3×", "1×", "5.9×", "60×", "3,600×"]);
    }
}
