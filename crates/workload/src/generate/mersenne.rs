//! Python's `random.Random`, number for number, so that workloads behind published figures can be made again.
//!
//! The generator is MT19937 (Matsumoto and Nishimura, 1998), seeded by `init_by_array` with the 32-bit words of the seed.
//! The distributions are CPython's methods of the same names; how many numbers each one draws is part of them.

/// Length of the state in words.
const N: usize = 624;
/// Distance of the word that is mixed in.
const M: usize = 397;

/// A seeded generator with CPython's sequence.
#[derive(Clone, Debug)]
pub(crate) struct PythonRandom {
    words: [u32; N],
    next: usize,
    /// Box-Muller makes two values; the second is kept for the next call.
    spare_gauss: Option<f64>,
}

impl PythonRandom {
    /// `random.Random(seed)`.
    pub(crate) fn new(seed: u64) -> Self {
        let (low, high) = (seed as u32, (seed >> 32) as u32);
        let key = [low, high];
        let key = if high == 0 { &key[..1] } else { &key[..] };
        PythonRandom { words: init_by_array(key), next: N, spare_gauss: None }
    }

    /// `getrandbits(32)`.
    pub(crate) fn u32(&mut self) -> u32 {
        if self.next >= N {
            self.twist();
        }
        let word = self.words.get(self.next).copied().unwrap_or_default();
        self.next += 1;
        let word = word ^ (word >> 11);
        let word = word ^ ((word << 7) & 0x9d2c_5680);
        let word = word ^ ((word << 15) & 0xefc6_0000);
        word ^ (word >> 18)
    }

    /// `random()`: 53 random bits over 2^53.
    pub(crate) fn random(&mut self) -> f64 {
        let (high, low) = (self.u32() >> 5, self.u32() >> 6);
        (f64::from(high) * 67_108_864.0 + f64::from(low)) / 9_007_199_254_740_992.0
    }

    /// `expovariate(rate)`.
    pub(crate) fn expovariate(&mut self, rate: f64) -> f64 {
        -libm::log(1.0 - self.random()) / rate
    }

    /// `lognormvariate(mu, sigma)`, over Kinderman and Monahan's normal deviates (1977).
    pub(crate) fn lognormvariate(&mut self, mu: f64, sigma: f64) -> f64 {
        let magic = 4.0 * libm::exp(-0.5) / libm::sqrt(2.0);
        loop {
            let u1 = self.random();
            let u2 = 1.0 - self.random();
            let z = magic * (u1 - 0.5) / u2;
            if z * z / 4.0 <= -libm::log(u2) {
                return libm::exp(mu + z * sigma);
            }
        }
    }

    /// `gauss(mu, sigma)`: every other call draws two numbers, the calls between draw none.
    pub(crate) fn gauss(&mut self, mu: f64, sigma: f64) -> f64 {
        let z = self.spare_gauss.take().unwrap_or_else(|| {
            let angle = self.random() * std::f64::consts::TAU;
            let radius = libm::sqrt(-2.0 * libm::log(1.0 - self.random()));
            self.spare_gauss = Some(libm::sin(angle) * radius);
            libm::cos(angle) * radius
        });
        mu + z * sigma
    }

    /// `choice(items)`: as many bits as the length has, drawn until they are a place in it.
    ///
    /// An empty slice has nothing to choose; the items are constants of a generator.
    pub(crate) fn choice<T: Copy>(&mut self, items: &[T]) -> Option<T> {
        let length = u32::try_from(items.len()).ok().filter(|&length| length > 0)?;
        let bits = u32::BITS - length.leading_zeros();
        loop {
            let place = self.u32() >> (u32::BITS - bits);
            if place < length {
                return items.get(place as usize).copied();
            }
        }
    }

    /// `choices(items, weights)[0]`: the first whose running sum of weights is above the number drawn.
    pub(crate) fn weighted<T: Copy>(&mut self, items: &[(T, f64)]) -> Option<T> {
        let all: f64 = items.iter().map(|&(_, weight)| weight).sum();
        let drawn = self.random() * all;
        let mut sum = 0.0;
        let found = items.iter().find(|&&(_, weight)| {
            sum += weight;
            drawn < sum
        });
        found.or(items.last()).map(|&(item, _)| item)
    }

    /// Makes the next 624 words.
    fn twist(&mut self) {
        let words = &mut self.words;
        for i in 0..N {
            let mixed = (words[i] & 0x8000_0000) | (words[(i + 1) % N] & 0x7fff_ffff);
            let odd = if mixed & 1 == 1 { 0x9908_b0df } else { 0 };
            words[i] = words[(i + M) % N] ^ (mixed >> 1) ^ odd;
        }
        self.next = 0;
    }
}

/// The reference code's `init_genrand`.
fn init_genrand(seed: u32) -> [u32; N] {
    let mut words = [0; N];
    words[0] = seed;
    for i in 1..N {
        let previous = words[i - 1];
        words[i] = (previous ^ (previous >> 30)).wrapping_mul(1_812_433_253).wrapping_add(i as u32);
    }
    words
}

/// The reference code's `init_by_array`; `key` is not empty.
fn init_by_array(key: &[u32]) -> [u32; N] {
    let mut words = init_genrand(19_650_218);
    let mut i = 1;
    let mixed = |words: &[u32; N], i: usize, factor: u32| {
        let previous = words[i - 1];
        words[i] ^ (previous ^ (previous >> 30)).wrapping_mul(factor)
    };
    let following = |words: &mut [u32; N], i: usize| {
        if i + 1 < N {
            return i + 1;
        }
        words[0] = words[N - 1];
        1
    };
    for (j, &word) in key.iter().enumerate().cycle().take(N.max(key.len())) {
        words[i] = mixed(&words, i, 1_664_525).wrapping_add(word).wrapping_add(j as u32);
        i = following(&mut words, i);
    }
    for _ in 1..N {
        words[i] = mixed(&words, i, 1_566_083_941).wrapping_sub(i as u32);
        i = following(&mut words, i);
    }
    words[0] = 0x8000_0000;
    words
}

#[cfg(test)]
mod tests {
    #![allow(clippy::float_cmp)] // the same bits are what is wanted
    use super::*;

    /// What CPython prints for `random.Random(5)` and `random.Random(0)`.
    #[test]
    fn the_sequence_is_pythons() {
        let mut five = PythonRandom::new(5);
        let drawn: Vec<f64> = (0..4).map(|_| five.random()).collect();
        assert_eq!(drawn, [0.6229016948897019, 0.7417869892607294, 0.7951935655656966, 0.9424502837770503]);
        let mut zero = PythonRandom::new(0);
        let drawn: Vec<f64> = (0..4).map(|_| zero.random()).collect();
        assert_eq!(drawn, [0.8444218515250481, 0.7579544029403025, 0.420571580830845, 0.25891675029296335]);
        let mut five = PythonRandom::new(5);
        let drawn: Vec<u32> = (0..4).map(|_| five.u32()).collect();
        assert_eq!(drawn, [2_675_342_405, 1_097_127_993, 3_185_950_873, 1_539_898_300]);
    }

    /// The first number of a seed of two words, and one behind the first 624.
    #[test]
    fn long_seeds_and_long_sequences_are_pythons_too() {
        assert_eq!(PythonRandom::new((1 << 32) + 5).u32(), LONG_SEED);
        let mut five = PythonRandom::new(5);
        assert_eq!((0..2000).map(|_| five.u32()).last(), Some(LONG_SEQUENCE));
    }

    const LONG_SEED: u32 = 675_479_763;
    const LONG_SEQUENCE: u32 = 2_894_893_787;

    #[test]
    fn choices_stay_within_what_is_given() {
        let mut random = PythonRandom::new(1);
        assert_eq!(random.choice::<u8>(&[]), None);
        assert_eq!(random.choice(&[7]), Some(7));
        assert_eq!(random.weighted::<u8>(&[]), None);
        let drawn: Vec<_> = (0..100).filter_map(|_| random.weighted(&[('a', 0.0), ('b', 1.0)])).collect();
        assert_eq!(drawn, ['b'; 100]);
    }
}
