//! How much is free on all nodes that have less than so much free, as it changes.

/// A Fenwick tree over the amounts a node can have free: `below` and `add` cost the logarithm of the largest.
#[derive(Clone, Debug)]
pub(super) struct PrefixSums {
    /// Entry i - 1 is a sum that ends with amount i; amount 0 adds nothing, so that it has no entry.
    sums: Vec<u64>,
}

impl PrefixSums {
    /// For amounts up to `most`.
    pub(super) fn new(most: u32) -> PrefixSums {
        PrefixSums { sums: vec![0; most as usize] }
    }

    /// A node has `amount` free now, or, if not `has`, no longer.
    pub(super) fn set(&mut self, amount: u32, has: bool) {
        let mut place = amount;
        while place > 0 {
            let Some(sum) = self.sums.get_mut(place as usize - 1) else { return };
            *sum = if has { *sum + u64::from(amount) } else { sum.saturating_sub(u64::from(amount)) };
            place += place & place.wrapping_neg();
        }
    }

    /// The sum over all nodes that have less than `bound` free.
    pub(super) fn below(&self, bound: u32) -> u64 {
        let mut place = bound.saturating_sub(1).min(self.sums.len() as u32);
        let mut sum = 0;
        while let Some(part) = (place as usize).checked_sub(1).and_then(|index| self.sums.get(index)) {
            sum += part;
            place &= place - 1;
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_sums_what_is_below(amounts in prop::collection::vec(0u32..=20, 0..30), gone in 0usize..30, bound in 0u32..30) {
            let mut sums = PrefixSums::new(20);
            amounts.iter().for_each(|&amount| sums.set(amount, true));
            amounts.iter().take(gone).for_each(|&amount| sums.set(amount, false));
            let expected: u32 = amounts.iter().skip(gone).filter(|&&amount| amount < bound).sum();
            prop_assert_eq!(sums.below(bound), u64::from(expected));
        }
    }
}
