//! Starting, refusing, looking: what the face of a single replica promises.

use switchyard_raft::{
    Config, ConfigError, Entry, HardState, NewError, ProposeError, RawNode, Restored, Role,
};

use crate::harness::solo::heartbeat;
use crate::harness::{Solo, entries, guarded, on_disk, plain};

fn error(config: Config, restored: Restored) -> NewError {
    use rand::SeedableRng;
    let rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
    RawNode::new(config, restored, rng).unwrap_err()
}

#[test]
fn senseless_options_are_refused() {
    let change = |change: fn(&mut Config)| {
        let mut config = guarded(1, 3);
        change(&mut config);
        config.validate().unwrap_err()
    };
    assert_eq!(guarded(1, 3).validate(), Ok(()));
    assert_eq!(change(|c| c.id = 9), ConfigError::NotAVoter { id: 9 });
    assert_eq!(change(|c| c.voters.clear()), ConfigError::NotAVoter { id: 1 });
    assert_eq!(change(|c| c.voters.push(2)), ConfigError::DuplicateVoter { id: 2 });
    assert_eq!(change(|c| c.heartbeat_ticks = 0), ConfigError::NoHeartbeat);
    let text = change(|c| c.election_ticks = 2).to_string();
    assert!(text.contains("election_ticks is 2, heartbeat_ticks is 2"), "{text}");
    assert!(matches!(change(|c| c.election_ticks = u32::MAX), ConfigError::ElectionTooLong { .. }));
    let zero = |option| ConfigError::ZeroLimit { option };
    assert_eq!(change(|c| c.max_inflight = 0), zero("max_inflight"));
    assert_eq!(change(|c| c.max_entries_per_message = 0), zero("max_entries_per_message"));
}

#[test]
fn a_damaged_disk_is_refused() {
    let with =
        |entries: Vec<Entry>| Restored { hard_state: HardState { term: 5, vote: None, commit: 0 }, entries };
    let config = || plain(1, 3);
    assert_eq!(error(config(), with(entries(2, &[1]))), NewError::Gap { expected: 1, found: 2 });
    let mut holed = entries(1, &[1, 1, 1]);
    holed.remove(1);
    assert_eq!(error(config(), with(holed)), NewError::Gap { expected: 2, found: 3 });
    assert!(matches!(error(config(), with(entries(1, &[2, 1]))), NewError::FallingTerm { index: 2, .. }));
    assert!(matches!(error(config(), with(entries(1, &[0]))), NewError::FallingTerm { index: 1, .. }));
    assert_eq!(error(config(), with(entries(1, &[6]))), NewError::TermBehindLog { term: 5, last_term: 6 });
    assert_eq!(
        error(config(), on_disk(5, None, 3, &[1, 1])),
        NewError::CommitBeyondLog { commit: 3, last_index: 2 }
    );
}

#[test]
fn only_a_leader_takes_proposals() {
    let mut solo = Solo::new(plain(1, 3), Restored::default());
    let refused = |leader| Err(ProposeError::NotLeader { leader });
    let propose = |solo: &mut Solo| solo.node.propose(b"x".as_slice().into());
    assert_eq!(propose(&mut solo), refused(None));
    solo.tell(2, 1, heartbeat(0));
    assert_eq!(propose(&mut solo), refused(Some(2)));
    let text = propose(&mut solo).unwrap_err().to_string();
    assert!(text.contains("ask replica 2"), "{text}");
    solo.win();
    assert_eq!(propose(&mut solo), Ok((2, 2)));
    assert_eq!(solo.node.propose([].as_slice().into()), Err(ProposeError::Empty));
}

#[test]
fn what_was_committed_is_handed_out_again_after_a_restart() {
    let mut solo = Solo::new(plain(1, 3), on_disk(3, Some(2), 2, &[1, 2, 3]));
    let status = solo.node.status();
    assert_eq!((status.term, status.vote, status.commit), (3, Some(2), 2));
    assert_eq!((status.last_index, status.durable_index), (3, 3));
    solo.take();
    assert_eq!(solo.applied, entries(1, &[1, 2]));
    assert!(!solo.node.has_ready());
}

/// A clone goes on exactly as the original: same messages, same random timeouts.
#[test]
fn a_clone_is_the_same_replica() {
    let mut original = Solo::new(guarded(1, 1), Restored::default());
    original.tick(3);
    let mut copy = Solo { node: original.node.clone(), applied: original.applied.clone(), now: original.now };
    for _ in 0..50 {
        assert_eq!(original.tick(1), copy.tick(1));
        assert_eq!(original.node.status(), copy.node.status());
    }
    assert_eq!(copy.node.role(), Role::Leader);
}

#[test]
fn status_follows_an_election() {
    let mut solo = Solo::new(guarded(1, 5), Restored::default());
    solo.time_out();
    let status = solo.node.status();
    assert_eq!((status.role, status.leader), (Role::PreCandidate, None));
    assert_eq!((status.granted, status.rejected), (vec![1], vec![]));
    let refuse = switchyard_raft::Body::PreVoteReply { granted: false, campaign_term: 1 };
    solo.tell(4, 0, refuse);
    let status = solo.node.status();
    assert_eq!((status.granted, status.rejected), (vec![1], vec![4]));
    assert!(status.election_elapsed < status.election_timeout);
    assert!(status.peers.is_empty());
}
