//! Draws from the project's own streams that several generators need.

use rand::{Rng as _, RngExt as _};
use switchyard_model::{SimDuration, Stream};

/// In [0, 1), from the top 53 bits.
pub(crate) fn uniform(chance: &mut Stream) -> f64 {
    (chance.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

/// Exponential with this mean.
pub(super) fn exponential(chance: &mut Stream, mean: f64) -> f64 {
    -mean * libm::log(1.0 - uniform(chance))
}

/// Standard normal, by Box and Muller, without keeping the second value.
pub(super) fn normal(chance: &mut Stream) -> f64 {
    let radius = libm::sqrt(-2.0 * libm::log(1.0 - uniform(chance)));
    radius * libm::cos(std::f64::consts::TAU * uniform(chance))
}

/// One of `choices`, which are constants of a generator and not empty, by their weights.
pub(super) fn weighted<T: Copy>(chance: &mut Stream, choices: &[T], weight: impl Fn(&T) -> u32) -> T {
    let all: u32 = choices.iter().map(&weight).sum();
    let mut left = chance.random_range(0..all);
    for choice in choices {
        match left.checked_sub(weight(choice)) {
            Some(rest) => left = rest,
            None => return *choice,
        }
    }
    choices[choices.len() - 1]
}

/// To the nearest microsecond; what is too long for a duration is the longest one, and what is none is nothing.
pub(super) fn seconds(secs: f64) -> SimDuration {
    let longest = if secs > 0.0 { SimDuration::MAX } else { SimDuration::ZERO };
    SimDuration::from_secs_f64(secs).unwrap_or(longest)
}
