//! Whatever arrives, a replica neither panics nor gives up what it promised.

use proptest::prelude::*;
use switchyard_raft::{AppendOutcome, Body, Entry, Message, StepError};

use crate::harness::solo::{accepted, append, heartbeat, vote};
use crate::harness::{Solo, entries, guarded, on_disk, plain};

/// Small numbers, so that messages often nearly fit, and absurd ones.
fn number() -> impl Strategy<Value = u64> {
    prop_oneof![6 => 0u64..8, 1 => any::<u64>(), 1 => Just(u64::MAX), 1 => Just(u64::MAX - 1)]
}

fn entry() -> impl Strategy<Value = Entry> {
    (number(), number()).prop_map(|(term, index)| Entry { term, index, data: Vec::new().into() })
}

fn some_entries() -> impl Strategy<Value = Vec<Entry>> {
    prop_oneof![
        prop::collection::vec(entry(), 0..4),
        (1u64..6, prop::collection::vec(1u64..4, 0..4)).prop_map(|(first, terms)| entries(first, &terms)),
    ]
}

fn body() -> impl Strategy<Value = Body> {
    prop_oneof![
        (number(), number()).prop_map(|(last_index, last_term)| Body::PreVote { last_index, last_term }),
        (any::<bool>(), number())
            .prop_map(|(granted, campaign_term)| Body::PreVoteReply { granted, campaign_term }),
        (number(), number()).prop_map(|(last_index, last_term)| Body::Vote { last_index, last_term }),
        (any::<bool>(), number())
            .prop_map(|(granted, campaign_term)| Body::VoteReply { granted, campaign_term }),
        (number(), number(), some_entries(), number(), number()).prop_map(
            |(prev_index, prev_term, entries, commit, round)| Body::Append {
                prev_index,
                prev_term,
                entries,
                commit,
                round,
            }
        ),
        (number(), number()).prop_map(|(index, round)| accepted(index, round)),
        (number(), number(), number(), number()).prop_map(|(prev_index, hint_index, hint_term, round)| {
            Body::AppendReply {
                outcome: AppendOutcome::Rejected { prev_index, hint_index, hint_term },
                round,
            }
        }),
        (number(), number()).prop_map(|(commit, round)| Body::Heartbeat { commit, round }),
        number().prop_map(|round| Body::HeartbeatReply { round }),
    ]
}

proptest! {
    #[test]
    fn nothing_that_arrives_breaks_a_replica(
        guards in any::<bool>(),
        leads in any::<bool>(),
        messages in prop::collection::vec((0u64..5, 0u64..5, number(), body(), 0u32..30), 1..60),
    ) {
        let config = if guards { guarded(1, 3) } else { plain(1, 3) };
        let mut solo = Solo::new(config, on_disk(2, None, 1, &[1, 1, 2]));
        if leads && !guards {
            solo.win();
        }
        for (from, to, term, body, ticks) in messages {
            let before = solo.node.status();
            let to = if to == 0 { 2 } else { 1 };
            let _refusal = solo.node.step(Message { from, to, term, body });
            let after = solo.node.status();
            prop_assert!(after.term >= before.term);
            prop_assert!(after.commit >= before.commit);
            prop_assert!(after.commit <= after.last_index);
            prop_assert!(after.term > before.term || before.vote.is_none() || after.vote == before.vote);
            solo.take();
            solo.tick(ticks);
            let log = solo.node.log().entries(1, u64::MAX);
            prop_assert!(log.windows(2).all(|pair| pair[0].term <= pair[1].term));
            prop_assert!((1..).zip(log).all(|(index, entry)| entry.index == index));
        }
    }
}

#[test]
fn refusals_say_what_is_wrong() {
    let mut solo = Solo::new(plain(1, 3), on_disk(2, None, 1, &[1, 1, 2]));
    let mut step = |from, to, term, body| solo.node.step(Message { from, to, term, body }).unwrap_err();
    assert_eq!(step(2, 3, 2, heartbeat(0)), StepError::WrongRecipient { to: 3, id: 1 });
    assert_eq!(step(7, 1, 2, heartbeat(0)), StepError::UnknownSender { from: 7 });
    assert_eq!(step(1, 1, 2, heartbeat(0)), StepError::UnknownSender { from: 1 });
    assert!(matches!(step(2, 1, 0, vote(0, 0)), StepError::NoTerm { from: 2, kind: "vote" }));
    let place = |error| match error {
        StepError::MalformedEntries { place, .. } => place,
        _ => panic!("{error:?}"),
    };
    assert_eq!(place(step(2, 1, 3, append((1, 1), entries(3, &[3]), 0))), 0);
    assert_eq!(place(step(2, 1, 3, append((1, 1), entries(2, &[3, 2]), 0))), 1);
    assert_eq!(place(step(2, 1, 3, append((1, 1), entries(2, &[3, 4]), 0))), 1);
    assert_eq!(place(step(2, 1, 3, append((1, u64::MAX), entries(0, &[3]), 0))), 0);

    solo.tell(2, 3, heartbeat(0));
    let error = solo.node.step(Message { from: 3, to: 1, term: 3, body: heartbeat(0) });
    assert_eq!(error, Err(StepError::SecondLeader { from: 3, leader: 2, term: 3 }));
    solo.win();
    let term = solo.node.term();
    for body in [accepted(99, 0), accepted(1, 999), Body::HeartbeatReply { round: 999 }] {
        let error = solo.node.step(Message { from: 2, to: 1, term, body });
        assert!(matches!(error, Err(StepError::UnaskedAnswer { from: 2, .. })), "{error:?}");
    }
}
