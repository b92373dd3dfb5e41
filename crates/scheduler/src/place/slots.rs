//! Which GPUs of a node.

use switchyard_model::{Fleet, GpuSet};

use super::PlacementRule;
use super::candidate::Candidate;

/// Chooses `n` of a candidate's GPUs; `None` when it has fewer.
pub(super) fn pick(rule: PlacementRule, fleet: &Fleet, from: &Candidate, n: u32) -> Option<GpuSet> {
    let slots = from.slots;
    if rule == PlacementRule::FirstFit || n == 0 || n >= slots.len() {
        return slots.lowest(n);
    }
    let domains = fleet.domains_at(from.node).map(|domain| domain.gpus.intersection(slots));
    pick_from(domains.collect(), n, rule == PlacementRule::WorstFit)
}

/// As few domains as can be: the largest first; for the rest the smallest that is enough, or the largest if they are to
/// be `spread`.
fn pick_from(mut domains: Vec<GpuSet>, mut n: u32, spread: bool) -> Option<GpuSet> {
    // The sort is stable: the lowest GPUs first where domains are alike.
    domains.sort_by_key(|domain| std::cmp::Reverse(domain.len()));
    let mut picked = GpuSet::default();
    let mut rest = domains.into_iter().peekable();
    while let Some(domain) = rest.next_if(|domain| domain.len() < n) {
        picked = picked.union(domain);
        n -= domain.len();
    }
    let enough = rest.take_while(|domain| domain.len() >= n);
    let last = match spread {
        true => enough.max_by_key(|domain| (domain.len(), std::cmp::Reverse(domain.0.trailing_zeros()))),
        false => enough.min_by_key(|domain| (domain.len(), domain.0.trailing_zeros())),
    };
    Some(picked.union(last?.lowest(n)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gpus_come_from_as_few_domains_as_can_be() {
        let free = [0b0110, 0b1110_0000, 0b1111_0000_0000].map(GpuSet);
        let pick = |n, spread| pick_from(free.to_vec(), n, spread).map(|gpus| gpus.0);
        assert_eq!(pick(1, false), Some(0b0010));
        assert_eq!(pick(3, false), Some(0b1110_0000));
        assert_eq!(pick(5, false), Some(0b1111_0000_0010));
        assert_eq!(pick(7, false), Some(0b1111_1110_0000));
        assert_eq!(pick(10, false), None);
        assert_eq!(pick(1, true), Some(0b1_0000_0000));
        assert_eq!(pick(5, true), Some(0b1111_0010_0000));
    }
}
