//! Counting majorities. Knows nothing of terms, logs or roles.

use std::collections::BTreeMap;

use crate::message::PeerId;

/// How many of `voters` make a majority.
pub(crate) fn majority(voters: usize) -> usize {
    voters / 2 + 1
}

/// The greatest value that a majority of voters has reached, or `None` without voters.
///
/// Sorted anew each time: an order that is kept up along the way is how a commit index ran ahead of its quorum elsewhere
/// (openraft #1802).
pub(crate) fn reached_by_majority<T: Ord + Copy>(
    voters: &[PeerId],
    value: impl Fn(PeerId) -> T,
) -> Option<T> {
    let mut values: Vec<T> = voters.iter().map(|&voter| value(voter)).collect();
    values.sort_unstable();
    values.len().checked_sub(majority(values.len())).and_then(|at| values.get(at).copied())
}

/// Where a ballot stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// A majority said yes.
    Won,
    /// So many said no that no majority is left.
    Lost,
    /// Open.
    Pending,
}

/// Where the ballot stands among `voters`, given the answers so far. Answers of others don't count.
pub(crate) fn ballot(voters: &[PeerId], answers: &BTreeMap<PeerId, bool>) -> Outcome {
    let count = |answer: bool| voters.iter().filter(|voter| answers.get(voter) == Some(&answer)).count();
    let needed = majority(voters.len());
    if count(true) >= needed {
        Outcome::Won
    } else if voters.len() - count(false) < needed {
        Outcome::Lost
    } else {
        Outcome::Pending
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn small_groups() {
        assert_eq!([1, 2, 2, 3, 3, 4, 4], [1, 2, 3, 4, 5, 6, 7].map(majority));
        let matched = |values: &[u64]| {
            let voters: Vec<PeerId> = (0..values.len() as u64).collect();
            reached_by_majority(&voters, |voter| values[usize::try_from(voter).expect("small")])
        };
        assert_eq!(matched(&[]), None);
        assert_eq!(matched(&[7]), Some(7));
        assert_eq!(matched(&[9, 4]), Some(4));
        assert_eq!(matched(&[9, 4, 6]), Some(6));
        assert_eq!(matched(&[9, 4, 6, 5]), Some(5));
        // openraft #1802: two of five ahead don't make a quorum, whatever moves among them.
        assert_eq!(matched(&[9, 8, 3, 2, 1]), Some(3));
    }

    proptest! {
        #[test]
        fn reached_by_majority_agrees_with_counting(values in prop::collection::vec(0u64..20, 1..9)) {
            let voters: Vec<PeerId> = (0..values.len() as u64).collect();
            let at = |voter: PeerId| values[usize::try_from(voter).expect("small")];
            let naive = (0..20u64).rev().find(|candidate| {
                values.iter().filter(|value| *value >= candidate).count() * 2 > values.len()
            });
            prop_assert_eq!(reached_by_majority(&voters, at), naive);
        }

        #[test]
        fn ballot_agrees_with_all_ways_to_go_on(answers in prop::collection::vec(prop::option::of(any::<bool>()), 1..8)) {
            let voters: Vec<PeerId> = (0..answers.len() as u64).collect();
            let given: BTreeMap<PeerId, bool> = voters
                .iter()
                .zip(&answers)
                .filter_map(|(&voter, answer)| answer.map(|answer| (voter, answer)))
                .collect();
            let yes = answers.iter().filter(|answer| **answer == Some(true)).count();
            let open = answers.iter().filter(|answer| answer.is_none()).count();
            let expected = if yes * 2 > answers.len() {
                Outcome::Won
            } else if (yes + open) * 2 > answers.len() {
                Outcome::Pending
            } else {
                Outcome::Lost
            };
            prop_assert_eq!(ballot(&voters, &given), expected);
        }

        #[test]
        fn answers_of_strangers_do_not_count(answers in prop::collection::btree_map(10u64..20, any::<bool>(), 0..9)) {
            prop_assert_eq!(ballot(&[1, 2, 3], &answers), Outcome::Pending);
        }
    }
}
