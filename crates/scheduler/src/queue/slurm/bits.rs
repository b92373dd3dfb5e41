//! Sets of small numbers as bits in words.

/// Adds `place`.
pub(super) fn insert(set: &mut [u64], place: usize) {
    if let Some(word) = set.get_mut(place / 64) {
        *word |= 1 << (place % 64);
    }
}

/// Takes `place` out.
pub(super) fn remove(set: &mut [u64], place: usize) {
    if let Some(word) = set.get_mut(place / 64) {
        *word &= !(1 << (place % 64));
    }
}

/// Whether `place` is in it.
pub(super) fn contains(set: &[u64], place: usize) -> bool {
    set.get(place / 64).is_some_and(|word| word >> (place % 64) & 1 == 1)
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

/// Leaves in `set` what is in `others`, too; how many are left.
pub(super) fn keep_all(set: &mut [u64], others: &[u64]) -> u32 {
    let mut left = 0;
    for (word, others) in set.iter_mut().zip(others) {
        *word &= others;
        left += word.count_ones();
    }
    left
}

/// Fills `set` with what is in `all` and not in `others`; how many there are.
pub(super) fn difference(set: &mut [u64], all: &[u64], others: &[u64]) -> u32 {
    let mut count = 0;
    for ((word, all), others) in set.iter_mut().zip(all).zip(others) {
        *word = all & !others;
        count += word.count_ones();
    }
    count
}

/// How many are in `all` and not in `others`.
pub(super) fn difference_len(all: &[u64], others: &[u64]) -> u32 {
    all.iter().zip(others).map(|(all, others)| (all & !others).count_ones()).sum()
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
        let mut rest = vec![7; 3];
        assert_eq!(difference(&mut rest, &set, &[1, 1, 0]), 2);
        assert_eq!(difference_len(&set, &[1, 1, 0]), 2);
        let mut both = set.clone();
        assert_eq!(keep_all(&mut both, &[1, 1, 0]), 2);
        assert_eq!(iter(&both).collect::<Vec<_>>(), [0, 64]);
        assert_eq!(iter(&rest).collect::<Vec<_>>(), [63, 191]);
        assert_eq!(remove_all(&mut set, &[1, 1, 0]), 2);
        assert_eq!(iter(&set).collect::<Vec<_>>(), [63, 191]);
    }
}
