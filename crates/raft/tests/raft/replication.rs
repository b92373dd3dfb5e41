//! Replication and commit rules that were got wrong elsewhere. Each test names the public reports that it comes from.

use switchyard_raft::{AppendOutcome, Body, Message, Pace, Role, StepError};

use crate::harness::solo::{accepted, append, heartbeat, outcome, rejected};
use crate::harness::{Cluster, HEARTBEAT_TICKS, Solo, entries, guarded, is_vote, log_terms, on_disk, plain};

/// Raft paper, figure 8; logcabin #44: an old term's entry on a majority isn't committed, and may be overwritten.
#[test]
fn figure_8() {
    let start = || {
        // (c): replica 1 has 2 at index 2 along with replica 2; replica 5 wrote 3 there and died.
        let disks = vec![
            on_disk(3, None, 0, &[1, 2]),
            on_disk(3, None, 0, &[1, 2]),
            on_disk(3, None, 0, &[1]),
            on_disk(3, None, 0, &[1]),
            on_disk(3, None, 0, &[1, 3]),
        ];
        let mut cluster = Cluster::restored(disks, plain, 7);
        cluster.crash(5, 0);
        cluster.time_out(1);
        let is_append = |message: &Message| matches!(message.body, Body::Append { .. });
        cluster.deliver_where(|message| !is_append(message));
        assert_eq!((cluster.role(1), cluster.term(1)), (Role::Leader, 4));
        cluster
    };

    // (d): the 2 reaches replica 3, and with that a majority, but nothing of term 4 does. Then 5 wins and overwrites.
    let mut cluster = start();
    let shorten = |mut message: Message| {
        if let Body::Append { entries, .. } = &mut message.body {
            entries.retain(|entry| entry.term < 4);
        }
        message
    };
    for _ in 0..8 {
        for message in cluster.take_where(|message| [1, 2, 3].contains(&message.to)) {
            cluster.deliver(shorten(message));
        }
    }
    assert_eq!(cluster.log(3), [1, 2]);
    let held: Vec<u64> = cluster.node(1).status().peers.iter().map(|peer| peer.match_index).collect();
    assert_eq!(held, [2, 2, 0, 0], "three of five hold the 2, and the leader knows");
    assert_eq!(cluster.commit(1), 0);
    cluster.wire.clear();
    cluster.crash(1, 0);
    cluster.restart(5);
    cluster.time_out(5);
    cluster.deliver_all();
    if cluster.role(5) != Role::Leader {
        cluster.elect(5);
    }
    cluster.pass_for(&[2, 3, 4, 5], 3 * HEARTBEAT_TICKS);
    assert_eq!(cluster.log(3)[..2], [1, 3]);

    // (e): an entry of term 4 reaches the majority, and commits the 2 with it. Replica 5 can't win any more.
    let mut cluster = start();
    cluster.deliver_where(|message| message.to != 4);
    assert_eq!(cluster.commit(1), 3);
    cluster.wire.clear();
    cluster.crash(1, 0);
    cluster.restart(5);
    cluster.time_out(5);
    cluster.deliver_all();
    cluster.time_out(5);
    cluster.deliver_all();
    assert_ne!(cluster.role(5), Role::Leader);
}

/// copycat #265: an empty append vouches for nothing beyond its place.
#[test]
fn a_follower_does_not_commit_an_unverified_tail() {
    let mut solo = Solo::new(plain(1, 3), on_disk(1, None, 0, &[1; 10]));
    let answer = solo.tell(2, 2, append((1, 9), vec![], 11));
    assert_eq!(outcome(&answer), AppendOutcome::Accepted { index: 9 });
    assert_eq!(solo.node.log().commit(), 9);
    solo.tell(2, 2, heartbeat(11));
    assert_eq!(solo.node.log().commit(), 9);
}

/// CCF #8172: nor does one with entries that are already there.
#[test]
fn entries_already_there_verify_only_themselves() {
    let mut solo = Solo::new(plain(1, 3), on_disk(3, None, 0, &[1, 1, 1, 1, 1, 1, 3, 3]));
    solo.tell(2, 4, append((1, 4), entries(5, &[1, 1]), 8));
    assert_eq!(solo.node.log().commit(), 6);
    assert_eq!(log_terms(&solo.node), [1, 1, 1, 1, 1, 1, 3, 3]);
}

/// What one leader has verified says nothing about the next one's log.
#[test]
fn a_new_leader_verifies_anew() {
    let mut solo = Solo::new(plain(1, 3), on_disk(1, None, 0, &[]));
    solo.tell(2, 1, append((0, 0), entries(1, &[1, 1, 1]), 0));
    solo.tell(3, 2, heartbeat(3));
    assert_eq!(solo.node.log().commit(), 0);
    solo.tell(3, 2, append((1, 1), vec![], 3));
    assert_eq!(solo.node.log().commit(), 1);
}

/// akka-raft #66, old-raft-rs #113, "Fuzzing Raft": an old, shorter append must not cut what a newer one brought.
#[test]
fn a_late_append_cuts_nothing() {
    let mut solo = Solo::new(plain(1, 3), on_disk(1, None, 0, &[]));
    solo.tell(2, 1, append((0, 0), entries(1, &[1, 1]), 0));
    let answer = solo.tell(2, 1, append((0, 0), entries(1, &[1]), 0));
    assert_eq!(outcome(&answer), AppendOutcome::Accepted { index: 1 });
    assert_eq!(log_terms(&solo.node), [1, 1]);
}

/// CCF #6001, #6016: an acknowledgement covers what was compared, not all that is there.
#[test]
fn an_acknowledgement_is_exact() {
    let mut solo = Solo::new(plain(1, 3), on_disk(1, None, 0, &[1, 1, 1, 1]));
    let answer = solo.tell(2, 2, append((1, 1), entries(2, &[1]), 0));
    assert_eq!(outcome(&answer), AppendOutcome::Accepted { index: 2 });
    let answer = solo.tell(2, 2, append((1, 1), vec![], 0));
    assert_eq!(outcome(&answer), AppendOutcome::Accepted { index: 1 });
}

/// CCF #5991, #5927, etcd #1207: late rejections move nothing; and what is committed is never cut.
#[test]
fn late_rejections_are_ignored() {
    let mut solo = Solo::new(plain(1, 3), on_disk(1, None, 0, &[1; 5]));
    solo.win();
    solo.tell(2, 2, accepted(6, solo.now));
    let before = solo.node.status().peers[0].clone();
    assert_eq!((before.match_index, before.pace), (6, Pace::Replicate));
    let answers = solo.tell(2, 2, rejected(5, (0, 0), solo.now));
    assert_eq!(solo.node.status().peers[0].next_index, 7);
    assert!(answers.is_empty(), "{answers:?}");
    // A rejection of an earlier term doesn't even count as a sign of life.
    solo.tell(3, 1, rejected(5, (0, 0), solo.now));
    assert_eq!(solo.node.status().peers[1].contact, None);
}

/// CCF #5991: a leader that would replace committed entries is refused.
#[test]
fn committed_entries_are_not_replaced() {
    let mut solo = Solo::new(plain(1, 3), on_disk(1, None, 3, &[1; 4]));
    let error =
        solo.node.step(Message { from: 2, to: 1, term: 2, body: append((1, 2), entries(3, &[2]), 0) });
    assert_eq!(error, Err(StepError::CommittedConflict { from: 2, term: 2, index: 3 }));
    assert_eq!(log_terms(&solo.node), [1; 4]);
}

/// openraft #1802: one follower that runs ahead twice doesn't carry the commit index with it.
#[test]
fn two_of_five_do_not_commit() {
    let mut solo = Solo::new(plain(1, 5), on_disk(0, None, 0, &[]));
    solo.win();
    for at in 0..5_u8 {
        solo.node.propose([at].as_slice().into()).unwrap();
    }
    solo.take();
    for index in [1, 2, 4, 6] {
        solo.tell(2, 1, accepted(index, solo.now));
        assert_eq!(solo.node.log().commit(), 0);
    }
    solo.tell(3, 1, accepted(3, solo.now));
    assert_eq!(solo.node.log().commit(), 3);
    solo.tell(2, 1, accepted(6, solo.now));
    assert_eq!(solo.node.log().commit(), 3);
}

/// Conflict-term back-off: a long divergence costs one exchange per term, not per entry.
#[test]
fn a_long_divergence_is_skipped_by_terms() {
    let leader: Vec<u64> = [vec![1; 5], vec![6; 60]].concat();
    let follower: Vec<u64> = [vec![1; 5], vec![3; 40], vec![4; 40]].concat();
    let disks = vec![on_disk(6, None, 0, &leader), on_disk(6, None, 0, &follower), on_disk(6, None, 0, &[])];
    let mut cluster = Cluster::restored(disks, plain, 7);
    cluster.isolate(3);
    cluster.elect(1);
    assert_eq!(cluster.log(2), cluster.log(1));
    assert!(cluster.judge.seen.rejected_appends <= 2, "{:?}", cluster.judge.seen);
}

/// Proposals made together travel together, within the limits: 4 entries a message, 3 messages unanswered.
#[test]
fn appends_respect_the_window() {
    let mut solo = Solo::new(plain(1, 3), on_disk(0, None, 0, &[]));
    solo.win();
    solo.tell(2, 1, accepted(1, solo.now));
    for at in 0..30_u8 {
        solo.node.propose([at].as_slice().into()).unwrap();
    }
    let sizes = |messages: &[Message], to| -> Vec<usize> {
        let to_peer = messages.iter().filter(|message| message.to == to);
        to_peer
            .filter_map(|message| match &message.body {
                Body::Append { entries, .. } => Some(entries.len()),
                _ => None,
            })
            .collect()
    };
    let messages = solo.take();
    assert_eq!(sizes(&messages, 2), [4, 4, 4]);
    assert!(sizes(&messages, 3).is_empty(), "the probe isn't answered");
    assert_eq!(solo.node.status().peers[0].inflight, 3);
    let messages = solo.tell(2, 1, accepted(5, solo.now));
    assert_eq!(sizes(&messages, 2), [4]);
    // A full window still lets an empty append through after a heartbeat, in case all were lost (etcd #14633).
    let messages = solo.tell(2, 1, Body::HeartbeatReply { round: solo.now });
    assert_eq!(sizes(&messages, 2), [0]);
    let messages = solo.tell(2, 1, rejected(17, (1, 5), solo.now));
    assert_eq!(solo.node.status().peers[0].pace, Pace::Probe);
    assert_eq!(sizes(&messages, 2), [4]);
}

/// etcd `heartbeat_resp_recovers_from_probing`, `lagging_commit`: whatever is lost, heartbeats repair it.
#[test]
fn heartbeats_repair_losses() {
    let mut cluster = Cluster::new(3, guarded);
    cluster.elect(1);
    for at in 0..20 {
        cluster.propose(1, &format!("command {at}"));
    }
    cluster.take_where(|message| message.to == 3);
    cluster.deliver_all();
    cluster.take_where(|_| true);
    cluster.pass(6 * HEARTBEAT_TICKS);
    for id in 1..=3 {
        assert_eq!((cluster.commit(id), cluster.log(id).len()), (21, 21));
    }
    let status = cluster.node(1).status();
    assert!(status.peers.iter().all(|peer| peer.pace == Pace::Replicate && peer.inflight == 0));
}

/// A heartbeat names no commit index that its follower isn't known to hold (etcd raft #138).
#[test]
fn heartbeats_do_not_promise_too_much() {
    let mut solo = Solo::new(plain(1, 3), on_disk(1, None, 0, &[1, 1]));
    solo.win();
    solo.tell(2, 2, accepted(3, solo.now));
    assert_eq!(solo.node.log().commit(), 3);
    let told: Vec<(u64, u64)> = solo
        .tick(HEARTBEAT_TICKS)
        .iter()
        .filter_map(|message| match message.body {
            Body::Heartbeat { commit, .. } => Some((message.to, commit)),
            _ => None,
        })
        .collect();
    assert_eq!(told, [(2, 3), (3, 0)]);
}

/// Once everything is told, the cluster is quiet except for heartbeats.
#[test]
fn a_settled_cluster_is_quiet() {
    let mut cluster = Cluster::new(3, guarded);
    cluster.elect(1);
    cluster.propose(1, "x");
    cluster.pass(4 * HEARTBEAT_TICKS);
    assert!(cluster.live().all(|node| !node.has_ready()));
    for _ in 0..HEARTBEAT_TICKS {
        cluster.tick(1);
    }
    assert!(cluster.wire.iter().all(|message| matches!(message.body, Body::Heartbeat { .. })));
    assert_eq!(cluster.wire.len(), 2);
    cluster.deliver_all();
    assert!(cluster.wire.is_empty() && !cluster.wire.iter().any(is_vote));
}
