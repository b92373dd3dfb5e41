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

/// Gamma with this shape, at least 1, and scale; by Marsaglia and Tsang, "A Simple Method for Generating Gamma Variables" (2000).
pub(super) fn gamma(chance: &mut Stream, shape: f64, scale: f64) -> f64 {
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / libm::sqrt(9.0 * d);
    loop {
        let x = normal(chance);
        let root = 1.0 + c * x;
        if root <= 0.0 {
            continue;
        }
        let v = root * root * root;
        if libm::log(1.0 - uniform(chance)) < 0.5 * x * x + d - d * v + d * libm::log(v) {
            return d * v * scale;
        }
    }
}

/// The probability that such a gamma number is at most `x`: the regularised lower incomplete gamma function, by its series below
/// the mean and by Lentz's continued fraction above.
pub(super) fn gamma_cdf(x: f64, shape: f64, scale: f64) -> f64 {
    let x = x / scale;
    if x <= 0.0 {
        return 0.0;
    }
    let front = libm::exp(shape * libm::log(x) - x - libm::lgamma(shape));
    if x < shape + 1.0 {
        let (mut term, mut sum) = (1.0 / shape, 1.0 / shape);
        for n in 1..500 {
            term *= x / (shape + f64::from(n));
            sum += term;
            if term < sum * 1e-16 {
                break;
            }
        }
        return front * sum;
    }
    let mut b = x + 1.0 - shape;
    let (mut c, mut d) = (f64::MAX, 1.0 / b);
    let mut fraction = d;
    for n in 1..500 {
        let n = f64::from(n);
        let a = -n * (n - shape);
        b += 2.0;
        d = 1.0 / (a * d + b);
        c = b + a / c;
        let factor = c * d;
        fraction *= factor;
        if (factor - 1.0).abs() < 1e-16 {
            break;
        }
    }
    1.0 - front * fraction
}

#[cfg(test)]
mod tests {
    use super::*;
    use switchyard_model::stream;

    /// Shape 1 is exponential; shape 3 is the sum of three: 1 - e^-x (1 + x + x²/2).
    #[test]
    fn the_distribution_function_by_hand() {
        for x in [0.1, 1.0, 2.5, 7.0, 30.0] {
            assert!((gamma_cdf(2.0 * x, 1.0, 2.0) - (1.0 - libm::exp(-x))).abs() < 1e-12);
            let three = 1.0 - libm::exp(-x) * (1.0 + x + x * x / 2.0);
            assert!((gamma_cdf(x, 3.0, 1.0) - three).abs() < 1e-12, "{x}");
        }
    }

    #[test]
    fn draws_have_mean_and_distribution() {
        let mut chance = stream(1, "gamma");
        for (shape, scale) in [(1.0, 2.0), (4.2, 0.94), (639.1, 0.0156)] {
            let drawn: Vec<f64> = (0..40_000).map(|_| gamma(&mut chance, shape, scale)).collect();
            let mean = drawn.iter().sum::<f64>() / 40_000.0;
            assert!((mean / (shape * scale) - 1.0).abs() < 0.02, "{mean}");
            for x in [0.7, 1.0, 1.3] {
                let x = x * shape * scale;
                let below = drawn.iter().filter(|&&drawn| drawn <= x).count() as f64 / 40_000.0;
                assert!((below - gamma_cdf(x, shape, scale)).abs() < 0.01);
            }
        }
    }
}
