//! Elections that went wrong elsewhere. Each test names the public reports that its schedule comes from.

use switchyard_raft::{Body, Message, PeerId, Restored, Role};

use crate::harness::solo::{append, grants, pre_vote, vote, vote_reply};
use crate::harness::{Cluster, ELECTION_TICKS, HEARTBEAT_TICKS, Solo, guarded, is_vote, on_disk, plain};

fn with_pre_vote(id: PeerId, replicas: PeerId) -> switchyard_raft::Config {
    switchyard_raft::Config { pre_vote: true, ..plain(id, replicas) }
}

/// stateright's Raft example, NodeDB #161, PySyncObj #202: a grant that was not durable is given again after a crash.
#[test]
fn a_vote_that_may_be_forgotten_is_not_sent() {
    let mut cluster = Cluster::new(3, plain);
    cluster.member(2).fast_disk = false;
    cluster.time_out(3);
    let late = cluster.take_where(|message| message.to == 1);
    cluster.deliver_where(|message| message.to == 2);
    assert!(cluster.wire.is_empty(), "{:?}", cluster.wire);
    cluster.crash(2, 0);
    cluster.restart(2);
    cluster.time_out(2);
    cluster.complete_writes(2);
    cluster.deliver_where(|message| message.from == 2 && message.to == 1);
    for message in late {
        cluster.deliver(message);
    }
    cluster.member(2).fast_disk = true;
    cluster.deliver_all();
    assert_eq!(cluster.live().filter(|node| node.role() == Role::Leader).count(), 1);
    assert_eq!(cluster.role(2), Role::Leader);
}

/// The other half: a grant that was sent is remembered.
#[test]
fn a_vote_that_was_sent_survives_a_crash() {
    let mut cluster = Cluster::new(3, plain);
    cluster.time_out(3);
    cluster.deliver_where(|message| message.to == 2);
    cluster.crash(2, 0);
    cluster.restart(2);
    assert_eq!(cluster.node(2).status().vote, Some(3));
    let mut other = Solo::new(plain(2, 3), cluster.members[&2].disk.durable().clone());
    assert!(!grants(&other.tell(1, 1, vote(0, 0))));
    assert!(grants(&other.tell(1, 2, vote(0, 0))));
}

/// CCF #5891, #8094: stepping down within a term must not free the vote.
#[test]
fn a_candidate_that_steps_down_keeps_its_vote() {
    let disks = vec![
        on_disk(2, None, 0, &[]),
        on_disk(2, None, 0, &[1, 2]),
        on_disk(2, None, 0, &[]),
        on_disk(2, None, 0, &[]),
        on_disk(2, None, 0, &[]),
    ];
    let mut cluster = Cluster::restored(disks, plain, 3);
    for id in [1, 2, 4] {
        cluster.time_out(id);
    }
    let late = cluster.take_where(|message| message.from == 4 && message.to == 1);
    cluster.take_where(|message| message.from == 1 || message.from == 4);
    cluster.deliver_where(|message| is_vote(message) && [3, 5].contains(&message.to));
    cluster.deliver_where(|message| message.to == 2);
    assert_eq!(cluster.role(2), Role::Leader);
    cluster.deliver_where(|message| message.from == 2 && message.to == 1);
    assert_eq!((cluster.role(1), cluster.term(1)), (Role::Follower, 3));
    assert_eq!(cluster.node(1).status().vote, Some(1));
    for message in late {
        cluster.deliver(message);
    }
    let answer = cluster.take_where(|message| message.from == 1 && message.to == 4);
    assert!(!grants(&answer));
}

/// CCF `pre_vote_double_leader`, canonical/raft #196: a pre-candidate keeps the vote of its term.
#[test]
fn a_pre_candidate_keeps_its_vote() {
    let mut solo = Solo::new(with_pre_vote(2, 3), on_disk(2, None, 0, &[]));
    assert!(grants(&solo.tell(1, 3, vote(0, 0))));
    solo.time_out();
    assert_eq!((solo.node.role(), solo.node.term()), (Role::PreCandidate, 3));
    assert_eq!(solo.node.status().vote, Some(1));
    assert!(!grants(&solo.tell(3, 3, vote(0, 0))));
    solo.tell(1, 3, append((1, 9), vec![], 0));
    assert_eq!(solo.node.role(), Role::Follower);
    assert!(!grants(&solo.tell(3, 3, vote(0, 0))));
}

/// canonical/raft #196: answers to pre-votes are no votes, and votes no answers to pre-votes.
#[test]
fn pre_votes_and_votes_are_not_confused() {
    let mut solo = Solo::new(with_pre_vote(1, 5), Restored::default());
    let asked = solo.time_out();
    assert!(asked.iter().all(|message| message.body == pre_vote(0, 0) && message.term == 0));
    let yes = |campaign_term| Body::PreVoteReply { granted: true, campaign_term };
    solo.tell(2, 0, yes(9));
    solo.tell(3, 0, yes(2));
    solo.tell(4, 0, yes(0));
    assert_eq!(solo.node.status().granted, [1]);
    solo.tell(2, 0, yes(1));
    solo.tell(2, 0, yes(1));
    assert_eq!(solo.node.role(), Role::PreCandidate);
    solo.tell(3, 0, yes(1));
    assert_eq!((solo.node.role(), solo.node.term()), (Role::Candidate, 1));
    solo.tell(4, 0, yes(1));
    solo.tell(5, 0, yes(1));
    assert_eq!(solo.node.status().granted, [1]);
}

/// A pre-candidate that a majority refuses goes back to following, in the same term.
#[test]
fn refused_pre_votes_end_the_attempt() {
    let mut solo = Solo::new(with_pre_vote(1, 3), on_disk(4, Some(3), 0, &[]));
    solo.time_out();
    let no = Body::PreVoteReply { granted: false, campaign_term: 5 };
    solo.tell(2, 4, no.clone());
    assert_eq!(solo.node.role(), Role::PreCandidate);
    solo.tell(3, 4, no);
    assert_eq!((solo.node.role(), solo.node.term()), (Role::Follower, 4));
    assert_eq!(solo.node.status().vote, Some(3));
}

/// akka-raft #45, #46, #50: a voter counts once per term, and votes of an earlier term not at all.
#[test]
fn old_votes_do_not_count() {
    let mut solo = Solo::new(plain(1, 5), Restored::default());
    solo.time_out();
    solo.time_out();
    assert_eq!(solo.node.term(), 2);
    solo.tell(2, 1, vote_reply(1, true));
    solo.tell(3, 1, vote_reply(1, true));
    solo.tell(2, 2, vote_reply(1, true));
    assert_eq!(solo.node.status().granted, [1]);
    solo.tell(2, 2, vote_reply(2, true));
    solo.tell(2, 2, vote_reply(2, true));
    assert_eq!(solo.node.role(), Role::Candidate);
    solo.tell(3, 2, vote_reply(2, true));
    assert_eq!(solo.node.role(), Role::Leader);
}

/// etcd #8243, canonical/raft #279, openraft #142, #1796: a replica left behind in terms must not block elections.
#[test]
fn a_pre_vote_of_a_lower_term_is_answered_with_the_higher_one() {
    let disks = vec![on_disk(5, None, 0, &[1]), on_disk(5, None, 0, &[1]), on_disk(1, None, 0, &[1, 1])];
    let mut cluster = Cluster::restored(disks, guarded, 7);
    cluster.pass(ELECTION_TICKS - 1);
    cluster.crash(2, 0);
    // Replica 1 can't be elected by replica 3, whose log is longer; replica 3 is behind in terms.
    cluster.pass_for(&[1, 3], 6 * ELECTION_TICKS);
    assert_eq!(cluster.leader(), Some(3));
    assert!(cluster.term(3) > 5);
}

/// hashicorp/raft #605, etcd #8334: followers that still believe in a leader must let that one ask again.
#[test]
fn a_leader_that_stepped_down_may_ask_its_followers() {
    let mut cluster = Cluster::new(3, guarded);
    cluster.elect(1);
    cluster.pass(HEARTBEAT_TICKS);
    cluster.crash(3, 0);
    let term = cluster.term(1);
    // Replica 1 hears nothing and steps down; replica 2 hears heartbeats to the end.
    cluster.cut.insert((2, 1));
    for _ in 0..4 * ELECTION_TICKS {
        cluster.tick(1);
        cluster.deliver_all();
        if cluster.role(1) == Role::PreCandidate {
            break;
        }
    }
    assert_eq!((cluster.role(1), cluster.term(1)), (Role::PreCandidate, term));
    assert_eq!(cluster.node(2).leader(), Some(1));
    cluster.heal();
    cluster.elect(1);
    assert_eq!(cluster.term(1), term + 1);
}

/// openraft #2080, #2083: an old leader that reaches one replica of the majority must not keep it from electing.
#[test]
fn a_leader_without_quorum_falls_silent() {
    let mut cluster = Cluster::new(5, guarded);
    cluster.elect(5);
    cluster.pass(HEARTBEAT_TICKS);
    // 1, 2, 3 are linked; 5 reaches only 3; 4 is alone.
    cluster.partition(&[5], &[1, 2]);
    cluster.isolate(4);
    cluster.pass(6 * ELECTION_TICKS);
    assert_ne!(cluster.role(5), Role::Leader);
    let leader = cluster.leader().unwrap();
    assert!([1, 2, 3].contains(&leader));
    let before = cluster.commit(leader);
    cluster.propose(leader, "x");
    cluster.deliver_all();
    assert_eq!(cluster.commit(leader), before + 1);
}

/// Cloudflare's outage of November 2020: a replica that can't see the leader must not disturb those who can.
#[test]
fn a_replica_that_cannot_see_the_leader_does_not_disturb() {
    let mut cluster = Cluster::new(3, guarded);
    cluster.elect(3);
    cluster.pass(HEARTBEAT_TICKS);
    let term = cluster.term(3);
    cluster.partition(&[1], &[3]);
    for _ in 0..20 * ELECTION_TICKS {
        cluster.pass(1);
        assert_eq!((cluster.leader(), cluster.term(3)), (Some(3), term));
        assert_eq!(cluster.term(1), term);
    }
    cluster.heal();
    cluster.propose(3, "x");
    cluster.pass(4 * HEARTBEAT_TICKS);
    assert_eq!(cluster.node(1).leader(), Some(3));
    assert_eq!(cluster.commit(1), cluster.commit(3));
}

/// The same without pre-vote and loyalty: the rules above are what keeps the leader in power.
#[test]
fn without_the_guards_it_disturbs() {
    let mut cluster = Cluster::new(3, plain);
    cluster.elect(3);
    let term = cluster.term(3);
    cluster.partition(&[1], &[3]);
    cluster.pass(2 * ELECTION_TICKS);
    assert!(cluster.term(2) > term);
    assert_ne!(cluster.leader(), Some(3));
}

/// cockroach #79699, neo4j #8236: a leader that can send but not receive steps down within two election timeouts.
#[test]
fn a_deaf_leader_steps_down() {
    let mut cluster = Cluster::new(3, guarded);
    cluster.elect(1);
    cluster.pass(HEARTBEAT_TICKS);
    for peer in [2, 3] {
        cluster.cut.insert((peer, 1));
    }
    cluster.pass(2 * ELECTION_TICKS);
    assert_ne!(cluster.role(1), Role::Leader);
    cluster.pass(4 * ELECTION_TICKS);
    let leader = cluster.leader().unwrap();
    assert!([2, 3].contains(&leader));
    cluster.heal();
    cluster.pass(HEARTBEAT_TICKS);
    assert_eq!(cluster.node(1).leader(), Some(leader));
}

/// old-raft-rs #27: a replica that can send but not hear must not raise the terms of the others.
#[test]
fn a_deaf_replica_does_not_disturb() {
    let mut cluster = Cluster::new(3, guarded);
    cluster.elect(1);
    cluster.pass(HEARTBEAT_TICKS);
    let term = cluster.term(1);
    for peer in [1, 2] {
        cluster.cut.insert((peer, 3));
    }
    cluster.pass(10 * ELECTION_TICKS);
    assert_eq!((cluster.role(1), cluster.term(1)), (Role::Leader, term));
}

/// A cut-off replica that raised its term (no pre-vote) must get back in: the leader learns of the term and a new
/// election follows, in which everybody takes part again.
#[test]
fn a_replica_with_a_higher_term_is_not_shut_out() {
    let without_pre_vote =
        |id, replicas| switchyard_raft::Config { pre_vote: false, ..guarded(id, replicas) };
    let mut cluster = Cluster::new(3, without_pre_vote);
    cluster.elect(1);
    cluster.pass(HEARTBEAT_TICKS);
    cluster.isolate(3);
    cluster.pass(5 * ELECTION_TICKS);
    let raised = cluster.term(3);
    assert!(raised > cluster.term(1));
    cluster.heal();
    cluster.pass(6 * ELECTION_TICKS);
    let leader = cluster.leader().unwrap();
    for id in 1..=3 {
        assert_eq!(cluster.node(id).leader(), Some(leader));
        assert!(cluster.term(id) >= raised);
    }
}

/// A higher term that reaches a follower by another way than a vote doesn't end its loyalty: a lease is a matter of time.
#[test]
fn loyalty_outlives_the_term() {
    let mut solo = Solo::new(guarded(1, 5), on_disk(1, None, 0, &[]));
    solo.tick(ELECTION_TICKS);
    solo.tell(2, 1, crate::harness::solo::heartbeat(0));
    solo.tell(4, 3, vote_reply(3, false));
    assert_eq!((solo.node.term(), solo.node.leader()), (3, None));
    assert!(!grants(&solo.tell(3, 4, vote(0, 0))));
    assert!(!grants(&solo.tell(3, 4, pre_vote(0, 0))));
    assert_eq!(solo.node.term(), 3);
    solo.tick(ELECTION_TICKS - 1);
    assert!(!grants(&solo.tell(3, 4, vote(0, 0))));
    assert!(grants(&solo.tell(2, 4, pre_vote(0, 0))));
    solo.tick(1);
    assert!(grants(&solo.tell(3, 4, pre_vote(0, 0))));
    assert!(grants(&solo.tell(3, 4, vote(0, 0))));
}

/// A leader with an active quorum refuses too, and doesn't take over the term.
#[test]
fn a_leader_with_its_quorum_is_loyal_to_itself() {
    let mut cluster = Cluster::new(3, guarded);
    cluster.elect(1);
    cluster.pass(HEARTBEAT_TICKS);
    let term = cluster.term(1);
    let ask = |body| Message { from: 3, to: 1, term: term + 5, body };
    let mut leader = cluster.node(1).clone();
    for body in [pre_vote(9, 9), vote(9, 9)] {
        leader.step(ask(body)).unwrap();
        assert!(!grants(&leader.ready().messages));
        assert_eq!((leader.role(), leader.term()), (Role::Leader, term));
    }
}
