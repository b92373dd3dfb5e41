//! `quorum_contact` as a lease: how it is counted, and that nobody else can lead while it lasts.

use switchyard_raft::{Body, Message, Role};

use crate::harness::solo::{accepted, grants, pre_vote, vote};
use crate::harness::{Cluster, ELECTION_TICKS, HEARTBEAT_TICKS, Solo, guarded, on_disk, plain};

fn leader_of_three() -> Solo {
    let mut solo = Solo::new(guarded(1, 3), on_disk(0, None, 0, &[]));
    solo.time_out();
    let granted = Body::PreVoteReply { granted: true, campaign_term: 1 };
    solo.tell(2, 0, granted);
    solo.tell(2, 1, crate::harness::solo::vote_reply(1, true));
    assert_eq!(solo.node.role(), Role::Leader);
    solo
}

fn rounds(messages: &[Message]) -> Vec<u64> {
    messages
        .iter()
        .filter_map(|message| match message.body {
            Body::Heartbeat { round, .. } if message.to == 2 => Some(round),
            _ => None,
        })
        .collect()
}

/// The age counts from the sending of the newest answered round, and the running tick counts in full.
#[test]
fn the_age_counts_from_the_sending() {
    let mut solo = leader_of_three();
    assert_eq!(solo.node.quorum_contact(), None);
    let sent = rounds(&solo.tick(3 * HEARTBEAT_TICKS));
    assert_eq!(sent.len(), 3);
    let answer = |round| Body::HeartbeatReply { round };
    solo.tell(2, 1, answer(sent[0]));
    assert_eq!(solo.node.quorum_contact(), Some(2 * HEARTBEAT_TICKS + 1));
    solo.tell(2, 1, answer(sent[2]));
    assert_eq!(solo.node.quorum_contact(), Some(1));
    solo.tell(2, 1, answer(sent[1]));
    solo.tell(3, 1, answer(sent[0]));
    assert_eq!(solo.node.quorum_contact(), Some(1));
    solo.tick(1);
    assert_eq!(solo.node.quorum_contact(), Some(2));
}

/// Answers to appends count as well; the other replicas' roles have none.
#[test]
fn appends_count_as_contact() {
    let mut solo = leader_of_three();
    let round = u64::from(solo.node.status().election_elapsed);
    assert_eq!(round, 0);
    let appends = {
        solo.node.propose(b"x".as_slice().into()).unwrap();
        solo.tick(HEARTBEAT_TICKS)
    };
    let beat = rounds(&appends)[0];
    solo.tell(3, 1, accepted(1, beat));
    assert_eq!(solo.node.quorum_contact(), Some(1));
}

/// A single voter needs nobody; a follower has no lease.
#[test]
fn the_extremes() {
    let mut alone = Solo::new(guarded(1, 1), on_disk(0, None, 0, &[]));
    assert_eq!(alone.node.quorum_contact(), None);
    alone.time_out();
    assert_eq!(alone.node.quorum_contact(), Some(0));
    alone.tick(5 * ELECTION_TICKS);
    assert_eq!((alone.node.role(), alone.node.quorum_contact()), (Role::Leader, Some(0)));
}

/// The lease ends before the leader steps down, and the leader steps down without a quorum.
#[test]
fn the_lease_ends_before_the_reign() {
    let mut solo = leader_of_three();
    let sent = rounds(&solo.tick(HEARTBEAT_TICKS));
    solo.tell(2, 1, Body::HeartbeatReply { round: sent[0] });
    let mut ages = Vec::new();
    for _ in 0..3 * ELECTION_TICKS {
        ages.extend(solo.node.quorum_contact());
        solo.tick(1);
    }
    assert_ne!(solo.node.role(), Role::Leader);
    assert_eq!(ages, (1..=ELECTION_TICKS).collect::<Vec<_>>());
}

/// A restarted replica forgets whom it heard, so it helps nobody until every lease that counted on it is over.
#[test]
fn a_restarted_replica_waits_before_it_votes() {
    let mut solo = Solo::new(guarded(1, 3), on_disk(4, None, 0, &[]));
    for _ in 0..ELECTION_TICKS {
        assert!(!grants(&solo.tell(2, 4, pre_vote(9, 9))));
        assert!(!grants(&solo.tell(2, 5, vote(9, 9))));
        assert_eq!(solo.node.term(), 4);
        assert_eq!(solo.node.role(), Role::Follower);
        solo.node.tick();
    }
    solo.take();
    assert!(grants(&solo.tell(2, 5, vote(9, 9))) || solo.node.role() != Role::Follower);
}

/// One that never saw a term never answered a leader, so it needn't wait.
#[test]
fn a_new_replica_votes_at_once() {
    let mut solo = Solo::new(guarded(1, 3), on_disk(0, None, 0, &[]));
    assert!(grants(&solo.tell(2, 1, vote(0, 0))));
}

/// What the wait is for: leader 1 is cut off right after a round; its only other supporter restarts and would elect 3.
#[test]
fn a_restart_does_not_cut_a_lease_short() {
    let mut cluster = Cluster::new(3, guarded);
    cluster.elect(1);
    cluster.cut.insert((1, 3));
    cluster.cut.insert((3, 1));
    for _ in 0..3 * ELECTION_TICKS {
        cluster.pass(1);
        cluster.judge.observe_leases(cluster.members.values().filter_map(|m| m.node.as_ref()));
    }
    assert_eq!(cluster.leader(), Some(1));
    cluster.isolate(1);
    cluster.crash(2, 0);
    cluster.restart(2);
    let mut lease_ended = false;
    for _ in 0..6 * ELECTION_TICKS {
        cluster.pass(1);
        cluster.judge.observe_leases(cluster.members.values().filter_map(|m| m.node.as_ref()));
        let holds =
            |node: &crate::harness::Node| node.quorum_contact().is_some_and(|age| age < ELECTION_TICKS);
        lease_ended |= !holds(cluster.node(1));
        assert!(lease_ended || cluster.leader() == Some(1));
    }
    assert!([Some(2), Some(3)].contains(&cluster.leader()));
}

/// A refusal of an old reign may arrive when the same replica leads again, after a restart even with a lower tick count.
/// It is no sign of loyalty.
#[test]
fn a_refusal_of_an_old_reign_is_no_contact() {
    let mut voter = Solo::new(guarded(2, 3), on_disk(2, Some(1), 0, &[]));
    let old_beat = Body::Heartbeat { commit: 0, round: 15 };
    let old_append = Body::Append { prev_index: 0, prev_term: 0, entries: vec![], commit: 0, round: 15 };
    let mut refusals = voter.tell(1, 1, old_beat);
    refusals.extend(voter.tell(1, 1, old_append));
    assert_eq!(refusals.len(), 2);

    let mut leader = Solo::new(plain(1, 3), on_disk(1, None, 0, &[]));
    leader.win();
    leader.tick(20);
    assert_eq!((leader.node.role(), leader.node.term()), (Role::Leader, 2));
    for refusal in refusals {
        leader.node.step(refusal).unwrap();
    }
    assert_eq!(leader.node.quorum_contact(), None);
}
