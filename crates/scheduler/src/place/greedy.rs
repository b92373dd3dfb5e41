//! One part after the other to whoever suits best then.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use switchyard_model::Resources;

use super::candidate::{Candidate, Taken, order};

/// The first candidates, each as far as it goes.
pub(super) fn in_order(mut parts: u32, candidates: &[Candidate]) -> Taken {
    let mut taken = Vec::new();
    for candidate in candidates {
        let here = candidate.parts.min(parts);
        if here > 0 {
            taken.push((*candidate, here));
            parts -= here;
        }
    }
    taken
}

/// Each part to the candidate that has the least left then.
pub(super) fn least_left(parts: u32, each: &Resources, candidates: &[Candidate]) -> Taken {
    let order = order(each);
    by(parts, candidates, |candidate, taken| candidate.left(each, taken + 1, &order))
}

/// Each part to the candidate that has the most left then.
pub(super) fn most_left(parts: u32, each: &Resources, candidates: &[Candidate]) -> Taken {
    let order = order(each);
    by(parts, candidates, |candidate, taken| Reverse(candidate.left(each, taken + 1, &order)))
}

/// Each part to the candidate with the smallest key, which may depend on how many parts it has taken already; ties to the
/// first. In (candidates + parts) x log(candidates).
pub(super) fn by<K: Ord>(
    mut parts: u32,
    candidates: &[Candidate],
    key: impl Fn(&Candidate, u32) -> K,
) -> Taken {
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
