//! Sets of small numbers as bits in words.

/// Adds `place`.
pub(super) fn insert(set: &mut [u64], place: usize) {
    if let Some(word) = set.get_mut(place / 64) {
        *word |= 1 << (place % 64);
    }
}

/// Empties the set.
pub(super) fn clear(set: &mut [u64]) {
    set.fill(0);
}

/// Takes all that is in `others` out of `set`; how many are left.
pub(super) fn remove_all(set: &mut [u64], others: &[u64]) -> u32 {
    let mut left = 0;
    for (word, others) in set.iter_mut().zip(others) {
        *word &= !others;
        left += word.count_ones();
    }
    left
}

/// How many are in `set` and not in `others`.
pub(super) fn count_without(set: &[u64], others: &[u64]) -> u32 {
    set.iter().zip(others).map(|(word, others)| (word & !others).count_ones()).sum()
}

/// What is in it, lowest first.
pub(super) fn iter(set: &[u64]) -> impl Iterator<Item = usize> + '_ {
    set.iter().enumerate().flat_map(|(place, &word)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            let bit = rest.trailing_zeros() as usize;
            rest &= rest.wrapping_sub(1);
            (bit < 64).then_some(64 * place + bit)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_hold_what_was_put_in() {
        let mut set = vec![0; 3];
        [0, 63, 64, 191].into_iter().for_each(|place| insert(&mut set, place));
        insert(&mut set, 192);
        assert_eq!(iter(&set).collect::<Vec<_>>(), [0, 63, 64, 191]);
        assert_eq!(count_without(&set, &[1, 1, 0]), 2);
        assert_eq!(remove_all(&mut set, &[1, 1, 0]), 2);
        assert_eq!(iter(&set).collect::<Vec<_>>(), [63, 191]);
        clear(&mut set);
        assert_eq!(iter(&set).count(), 0);
    }
}
