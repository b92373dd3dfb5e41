//! What must be on disk before it is said or counted, with disks that take their time.

use switchyard_raft::{Body, Message, Role};

use crate::harness::solo::append;
use crate::harness::{Cluster, Solo, entries, guarded, log_terms, on_disk, plain, start};

/// NATS #7564, etcd #12589, dragonboat #201: nothing acknowledged is lost by a crash of everybody.
#[test]
fn acknowledged_entries_survive_a_crash_of_all() {
    let mut cluster = Cluster::new(3, guarded);
    cluster.elect(1);
    for at in 0..10 {
        cluster.propose(1, &format!("command {at}"));
    }
    cluster.deliver_all();
    let chosen = cluster.judge.chosen();
    assert_eq!(chosen.len(), 11);
    for id in 1..=3 {
        cluster.crash(id, 0);
    }
    cluster.wire.clear();
    for id in 1..=3 {
        cluster.restart(id);
    }
    cluster.pass(60);
    let leader = cluster.leader().unwrap();
    let applied = &cluster.members[&leader].applied;
    assert_eq!(applied[..11], chosen);
    assert_eq!(applied.len(), 12);
}

/// An entry counts for a follower only when its disk has it.
#[test]
fn a_follower_acknowledges_after_its_write() {
    let mut cluster = Cluster::new(3, plain);
    cluster.elect(1);
    cluster.member(2).fast_disk = false;
    cluster.isolate(3);
    cluster.propose(1, "x");
    cluster.deliver_all();
    assert_eq!(cluster.log(2).len(), 2);
    assert_eq!((cluster.node(2).log().durable(), cluster.commit(1)), (1, 1));
    cluster.complete_writes(2);
    cluster.deliver_all();
    assert_eq!(cluster.commit(1), 2);
}

/// A leader sends before its own write is done, but counts itself only afterwards; followers alone may commit without it.
#[test]
fn a_leader_counts_itself_after_its_write() {
    let mut cluster = Cluster::new(3, plain);
    cluster.elect(1);
    cluster.member(1).fast_disk = false;
    cluster.isolate(3);
    cluster.propose(1, "x");
    cluster.deliver_all();
    assert_eq!(cluster.node(2).log().durable(), 2);
    assert_eq!(cluster.commit(1), 1);
    cluster.complete_writes(1);
    assert_eq!(cluster.commit(1), 2);

    cluster.heal();
    cluster.pass(4);
    cluster.propose(1, "y");
    cluster.deliver_all();
    assert_eq!((cluster.node(1).log().durable(), cluster.commit(1)), (2, 3));
    assert_eq!(cluster.members[&1].applied.len(), 2, "applied what isn't on its disk");
    cluster.complete_writes(1);
    assert_eq!(cluster.members[&1].applied.len(), 3);
}

/// etcd #14370: the only voter commits when its disk has the entry, not before.
#[test]
fn a_single_voter_commits_after_its_write() {
    let mut cluster = Cluster::new(1, guarded);
    cluster.member(1).fast_disk = false;
    cluster.time_out(1);
    assert_eq!(cluster.role(1), Role::Candidate, "its vote isn't durable");
    cluster.complete_write(1);
    assert_eq!(cluster.role(1), Role::Leader);
    cluster.complete_writes(1);
    assert_eq!(cluster.commit(1), 1);
    cluster.propose(1, "x");
    assert_eq!(cluster.commit(1), 1);
    assert!(cluster.members[&1].applied.len() < 2);
    cluster.crash(1, 0);
    cluster.restart(1);
    assert_eq!(cluster.log(1).len(), 1);
    cluster.time_out(1);
    cluster.complete_writes(1);
    cluster.propose(1, "y");
    cluster.complete_writes(1);
    assert_eq!(cluster.commit(1), 3);
}

/// A candidate asks for votes when its own is durable.
#[test]
fn a_candidate_asks_after_its_write() {
    let mut cluster = Cluster::new(3, plain);
    cluster.member(1).fast_disk = false;
    cluster.time_out(1);
    assert_eq!(cluster.role(1), Role::Candidate);
    assert!(cluster.wire.is_empty());
    assert!(cluster.node(1).status().granted.is_empty());
    cluster.complete_writes(1);
    assert_eq!(cluster.wire.len(), 2);
    assert_eq!(cluster.node(1).status().granted, [1]);
}

/// etcd `async_storage_writes_append_aba_race`: an entry is overwritten and comes back while writes are under way. The
/// first write doesn't vouch for it, because the second removes it again.
#[test]
fn an_entry_that_came_back_is_durable_with_its_last_write() {
    let mut node = start(plain(1, 5), on_disk(1, None, 0, &[1]), 1);
    let tell = |node: &mut crate::harness::Node, from, term, body| {
        node.step(Message { from, to: 1, term, body }).unwrap();
        node.ready().persist.unwrap()
    };
    let first = tell(&mut node, 2, 1, append((1, 1), entries(2, &[1]), 0));
    let second = tell(&mut node, 3, 2, append((1, 1), entries(2, &[2]), 0));
    let third = tell(&mut node, 4, 3, append((1, 1), entries(2, &[1]), 0));
    assert_eq!(log_terms(&node), [1, 1]);
    assert!(first.mark < second.mark && second.mark < third.mark);
    node.on_persisted(first.mark);
    assert_eq!(node.log().durable(), 1);
    assert!(node.ready().committed.is_empty());
    node.on_persisted(second.mark);
    assert_eq!(node.log().durable(), 1);
    node.on_persisted(third.mark);
    assert_eq!(node.log().durable(), 2);
}

/// A grant waits for the vote even if the term is durable already.
#[test]
fn a_grant_waits_for_the_vote() {
    let mut node = start(plain(1, 3), on_disk(4, None, 0, &[]), 1);
    let body = crate::harness::solo::vote(0, 0);
    node.step(Message { from: 2, to: 1, term: 4, body }).unwrap();
    let ready = node.ready();
    assert!(ready.messages.is_empty());
    let persist = ready.persist.unwrap();
    assert_eq!(persist.hard_state.vote, Some(2));
    assert!(crate::harness::solo::grants(&persist.messages));
}

/// Writes overlap: several are under way, and their answers come with their own write.
#[test]
fn answers_wait_for_their_own_write() {
    let mut cluster = Cluster::new(3, plain);
    cluster.elect(1);
    cluster.deliver_all();
    cluster.member(2).fast_disk = false;
    cluster.isolate(3);
    for at in 0..3 {
        cluster.propose(1, &format!("command {at}"));
        cluster.deliver_all();
    }
    assert_eq!(cluster.members[&2].disk.pending(), 3);
    for commit in 2..=4 {
        assert!(cluster.complete_write(2));
        cluster.deliver_all();
        assert_eq!(cluster.commit(1), commit);
    }
}

/// An acceptance that waits for the disk when the term changes is dropped: it may be overtaken before it is written.
#[test]
fn a_new_term_silences_what_waits() {
    let mut solo = Solo::new(plain(1, 3), on_disk(1, None, 0, &[1]));
    let step = |solo: &mut Solo, from, term, body| {
        let message = Message { from, to: 1, term, body };
        solo.node.step(message).unwrap();
    };
    step(&mut solo, 2, 1, append((1, 1), entries(2, &[1]), 0));
    step(&mut solo, 3, 2, append((1, 1), entries(2, &[2]), 0));
    let answers = solo.take();
    assert_eq!(answers.len(), 1);
    assert_eq!((answers[0].to, answers[0].term), (3, 2));
    assert!(matches!(answers[0].body, Body::AppendReply { .. }));
}

/// A crash may leave writes on the medium that nobody acknowledged; the replica starts from them.
#[test]
fn unacknowledged_writes_may_survive() {
    let mut cluster = Cluster::new(3, plain);
    cluster.elect(1);
    cluster.member(2).fast_disk = false;
    for at in 0..3 {
        cluster.propose(1, &format!("command {at}"));
        cluster.deliver_where(|message| message.to == 2);
    }
    let pending = cluster.members[&2].disk.pending();
    assert!(pending >= 2);
    cluster.crash(2, pending - 1);
    cluster.restart(2);
    let kept = cluster.log(2).len();
    assert!((1..4).contains(&kept), "{kept}");
    cluster.member(2).fast_disk = true;
    cluster.pass(10);
    assert_eq!(cluster.log(2), cluster.log(1));
}
