//! One part after the other to whoever suits best then.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use switchyard_model::Resources;

use super::candidate::{Candidate, Taken, order};

/// The first candidates, each as far as it goes.
pub(super) fn in_order<'c>(mut parts: u32, candidates: impl Iterator<Item = &'c Candidate>) -> Taken {
    let mut taken = Vec::new();
    for candidate in candidates {
        let here = candidate.parts.min(parts);
        if here == 0 {
            break;
        }
        taken.push((*candidate, here));
        parts -= here;
    }
    taken
}

/// Each part to the candidate that has the least left then. Whoever has taken one has still less left, so that each is filled
/// before the next one begins.
pub(super) fn least_left(parts: u32, each: &Resources, candidates: &[Candidate]) -> Taken {
    let order = order(each);
    fill(parts, candidates, |candidate| candidate.left(each, 1, &order))
}

/// Each part to the candidate that has the most left then.
///
/// That evens out what is left: the parts go down to some level of it, the same for all. The level is searched, so that the cost
/// doesn't grow with the number of parts.
pub(super) fn most_left(parts: u32, each: &Resources, candidates: &[Candidate]) -> Taken {
    let order = order(each);
    let left = |candidate: &Candidate, parts| candidate.left(each, parts, &order);
    let need = order[0].of(each);
    if parts == 1 || need == 0 {
        return fill(parts, candidates, |candidate| Reverse(left(candidate, 1)));
    }
    // How many parts a candidate takes if each is to leave at least so much.
    let down_to = |level: u64, candidate: &Candidate| {
        let room = order[0].of(&candidate.free).saturating_sub(level) / need;
        u32::try_from(room).unwrap_or(u32::MAX).min(candidate.parts)
    };
    let taken_at =
        |level| candidates.iter().map(|candidate| u64::from(down_to(level, candidate))).sum::<u64>();
    let most = candidates.iter().map(|candidate| order[0].of(&candidate.free)).max().unwrap_or(0);
    let (mut level, mut too_high) = (0, most.saturating_add(1));
    while too_high - level > 1 {
        let middle = level + (too_high - level) / 2;
        match taken_at(middle) >= u64::from(parts) {
            true => level = middle,
            false => too_high = middle,
        }
    }
    // All that leave more than the level; and of those that leave just that, as many as are missing.
    let mut taken: Taken = Vec::new();
    let mut last = Vec::new();
    let mut missing = parts;
    for (index, candidate) in candidates.iter().enumerate() {
        let above = down_to(level + 1, candidate);
        missing -= above;
        taken.push((*candidate, above));
        if down_to(level, candidate) > above {
            last.push((Reverse(left(candidate, above + 1)), index));
        }
    }
    last.sort_unstable();
    for (_, index) in last.into_iter().take(missing as usize) {
        taken.get_mut(index).into_iter().for_each(|(_, here)| *here += 1);
    }
    taken.retain(|(_, here)| *here > 0);
    taken
}

/// Fills one candidate after the other, those with the smallest keys first; ties to the first.
fn fill<K: Ord>(parts: u32, candidates: &[Candidate], key: impl Fn(&Candidate) -> K) -> Taken {
    if parts == 1 {
        let best = candidates.iter().min_by_key(|candidate| key(candidate));
        return in_order(parts, best.into_iter());
    }
    let entry = |(index, candidate): (usize, &Candidate)| Reverse((key(candidate), index));
    let mut heap: BinaryHeap<_> = candidates.iter().enumerate().map(entry).collect();
    let next = std::iter::from_fn(|| candidates.get(heap.pop()?.0.1));
    in_order(parts, next)
}

/// Each part to the candidate with the smallest key, which may depend on how many parts it has taken already; ties to the
/// first. In (candidates + parts) x log(candidates).
pub(super) fn by<K: Ord>(
    mut parts: u32,
    candidates: &[Candidate],
    key: impl Fn(&Candidate, u32) -> K,
) -> Taken {
    if parts == 1 {
        return fill(parts, candidates, |candidate| key(candidate, 0));
    }
    let entry = |(index, candidate): (usize, &Candidate)| Reverse((key(candidate, 0), index, 0u32));
    let mut heap: BinaryHeap<_> = candidates.iter().enumerate().map(entry).collect();
    let mut taken = Vec::new();
    while parts > 0 {
        let Some(mut top) = heap.pop() else { break };
        let Some(candidate) = candidates.get(top.0.1) else { break };
        // On as long as nobody else is better.
        loop {
            top.0.2 += 1;
            parts -= 1;
            if top.0.2 == candidate.parts || parts == 0 {
                taken.push((*candidate, top.0.2));
                break;
            }
            top.0.0 = key(candidate, top.0.2);
            if heap.peek().is_some_and(|next| *next > top) {
                heap.push(top);
                break;
            }
        }
    }
    let begun = heap.into_iter().filter(|entry| entry.0.2 > 0);
    taken.extend(begun.filter_map(|Reverse((_, index, here))| Some((*candidates.get(index)?, here))));
    taken
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use switchyard_model::{GpuSet, NodeId};

    proptest! {
        /// Against the definition: the smallest key of all, again and again.
        #[test]
        fn each_part_goes_to_the_smallest_key_then(
            keys in prop::collection::vec(prop::collection::vec(0u32..5, 1..5), 1..8),
            share in 0u32..=100,
        ) {
            let candidates: Vec<Candidate> = (0..)
                .zip(&keys)
                .map(|(node, keys)| Candidate {
                    node: NodeId(node),
                    parts: keys.len() as u32,
                    free: Resources::cpus(1),
                    slots: GpuSet(0),
                })
                .collect();
            let key = |node: usize, taken: u32| keys[node][taken as usize];
            let room = keys.iter().map(Vec::len).sum::<usize>() as u32;
            let parts = room * share / 100;
            let mut expected = vec![0; keys.len()];
            for _ in 0..parts {
                let open = (0..keys.len()).filter(|&node| (expected[node] as usize) < keys[node].len());
                let next = open.min_by_key(|&node| (key(node, expected[node]), node));
                next.into_iter().for_each(|node| expected[node] += 1);
            }
            let mut taken = vec![0; keys.len()];
            for (candidate, here) in by(parts, &candidates, |candidate, taken| key(candidate.node.index(), taken)) {
                taken[candidate.node.index()] += here;
            }
            prop_assert_eq!(taken, expected);
        }
    }
}
