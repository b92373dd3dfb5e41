//! The rules of the Raft paper (Ongaro, Ousterhout, "In search of an understandable consensus algorithm", extended version),
//! by section, each on one replica with messages made by hand.

use switchyard_raft::{AppendOutcome, Body, Index, Message, Restored, Role, Term};

use crate::harness::solo::{accepted, append, grants, heartbeat, outcome, vote, vote_reply};
use crate::harness::{
    Cluster, ELECTION_TICKS, HEARTBEAT_TICKS, Solo, entries, log_terms, on_disk, plain, start,
};

fn solo(replicas: u64, term: Term, terms: &[Term]) -> Solo {
    Solo::new(plain(1, replicas), on_disk(term, None, 0, terms))
}

/// Section 5.1: a higher term is adopted by every role, from every message.
#[test]
fn a_higher_term_makes_a_follower() {
    let bodies = [
        vote(9, 9),
        vote_reply(9, false),
        append((0, 0), vec![], 0),
        heartbeat(0),
        accepted(1, 0),
        Body::HeartbeatReply { round: 0 },
    ];
    for body in bodies {
        for role in [Role::Follower, Role::Candidate, Role::Leader] {
            let mut solo = solo(3, 1, &[1]);
            match role {
                Role::Candidate => drop(solo.time_out()),
                Role::Leader => drop(solo.win()),
                _ => {}
            }
            assert_eq!(solo.node.role(), role);
            solo.tell(2, 9, body.clone());
            assert_eq!((solo.node.role(), solo.node.term()), (Role::Follower, 9), "{body:?}");
        }
    }
}

/// Section 5.1: an old leader or candidate is told the newer term and has no effect.
#[test]
fn an_old_term_is_refused() {
    let mut solo = solo(3, 5, &[1]);
    let answer = solo.tell(2, 4, append((1, 1), entries(2, &[4]), 2));
    assert!(matches!(outcome(&answer), AppendOutcome::Rejected { .. }));
    assert_eq!(answer[0].term, 5);
    assert_eq!(log_terms(&solo.node), [1]);
    let answer = solo.tell(2, 4, heartbeat(1));
    assert_eq!(answer[0].term, 5);
    assert!(!grants(&solo.tell(2, 4, vote(9, 9))));
    assert_eq!(solo.node.leader(), None);
}

/// Section 5.2: a replica starts as follower, and stands for election when it hears nothing.
#[test]
fn silence_starts_an_election() {
    for role in [Role::Follower, Role::Candidate] {
        let mut solo = solo(3, 0, &[]);
        assert_eq!(solo.node.role(), Role::Follower);
        if role == Role::Candidate {
            solo.time_out();
        }
        let before = solo.node.term();
        let requests = solo.time_out();
        assert_eq!(solo.node.role(), Role::Candidate);
        assert_eq!(solo.node.term(), before + 1);
        assert_eq!(solo.node.status().vote, Some(1));
        let asked: Vec<_> = requests.iter().map(|message| (message.to, message.term)).collect();
        assert_eq!(asked, [(2, before + 1), (3, before + 1)]);
        assert!(requests.iter().all(|message| message.body == vote(0, 0)));
    }
}

/// Section 5.2: one round decides. (replicas, answers by voter, outcome)
#[test]
fn an_election_is_decided_by_a_majority() {
    type Answers<'a> = &'a [(u64, bool)];
    let cases: [(u64, Answers<'_>, Role); 11] = [
        (1, &[], Role::Leader),
        (3, &[(2, true), (3, true)], Role::Leader),
        (3, &[(2, true)], Role::Leader),
        (3, &[(2, false), (3, true)], Role::Leader),
        (3, &[(2, false), (3, false)], Role::Follower),
        (3, &[], Role::Candidate),
        (4, &[(2, true)], Role::Candidate),
        (4, &[(2, true), (3, true)], Role::Leader),
        (5, &[(2, true), (3, false)], Role::Candidate),
        (5, &[(2, true), (2, true), (2, true)], Role::Candidate),
        (5, &[(2, false), (3, false), (4, false)], Role::Follower),
    ];
    for (replicas, answers, role) in cases {
        let mut solo = solo(replicas, 0, &[]);
        solo.time_out();
        for &(voter, granted) in answers {
            solo.tell(voter, 1, vote_reply(1, granted));
        }
        assert_eq!(solo.node.role(), role, "{replicas} replicas, {answers:?}");
        assert_eq!(solo.node.term(), 1);
    }
}

/// Section 5.2: one vote per term, first come first served; the same candidate may ask again.
#[test]
fn a_vote_is_given_once_per_term() {
    let mut solo = solo(3, 0, &[]);
    assert!(grants(&solo.tell(2, 1, vote(0, 0))));
    assert!(!grants(&solo.tell(3, 1, vote(0, 0))));
    assert!(grants(&solo.tell(2, 1, vote(0, 0))));
    assert!(grants(&solo.tell(3, 2, vote(0, 0))));
    assert_eq!(solo.node.status().vote, Some(3));
}

/// Section 5.2: who gives a vote waits anew; who refuses goes on.
#[test]
fn a_grant_restarts_the_timer() {
    let mut solo = solo(3, 1, &[]);
    solo.tick(ELECTION_TICKS - 1);
    assert!(grants(&solo.tell(2, 1, vote(0, 0))));
    assert_eq!(solo.node.status().election_elapsed, 0);
    solo.tick(3);
    assert!(!grants(&solo.tell(3, 1, vote(0, 0))));
    assert_eq!(solo.node.status().election_elapsed, 3);
}

/// Section 5.2: a candidate that hears the leader of its term, or of a later one, follows it.
#[test]
fn a_candidate_recognises_the_leader() {
    for term in [1, 2] {
        let mut solo = solo(3, 0, &[]);
        solo.time_out();
        solo.tell(2, term, append((0, 0), vec![], 0));
        assert_eq!((solo.node.role(), solo.node.term()), (Role::Follower, term));
        assert_eq!(solo.node.leader(), Some(2));
    }
}

/// Section 5.2: a leader sends heartbeats, and they keep elections away.
#[test]
fn heartbeats_keep_the_leader() {
    let mut leader = solo(3, 0, &[]);
    leader.win();
    let beats = leader.tick(HEARTBEAT_TICKS);
    let kinds: Vec<_> = beats.iter().map(|message| (message.to, message.body.kind())).collect();
    assert_eq!(kinds, [(2, "heartbeat"), (3, "heartbeat")]);

    let mut follower = solo(3, 1, &[]);
    for _ in 0..20 {
        follower.tick(ELECTION_TICKS - 1);
        follower.tell(2, 1, heartbeat(0));
    }
    assert_eq!((follower.node.role(), follower.node.term()), (Role::Follower, 1));
}

/// Section 5.2: timeouts are spread over the whole range, and differ between replicas more often than not.
#[test]
fn timeouts_are_random() {
    let mut seen = std::collections::BTreeMap::new();
    for seed in 0..400 {
        let node = start(plain(1, 3), Restored::default(), seed);
        *seen.entry(node.status().election_timeout).or_insert(0) += 1;
    }
    let range: Vec<u32> = seen.keys().copied().collect();
    assert_eq!(range, (ELECTION_TICKS..2 * ELECTION_TICKS).collect::<Vec<_>>());
    assert!(seen.values().all(|&count| count > 10), "{seen:?}");

    let mut solo = solo(3, 0, &[]);
    let mut drawn = std::collections::BTreeSet::new();
    for _ in 0..30 {
        solo.time_out();
        drawn.insert(solo.node.status().election_timeout);
    }
    assert!(drawn.len() > 4, "{drawn:?}");
}

/// Section 5.3: the leader appends, replicates, commits on a majority, and tells the followers.
#[test]
fn a_command_is_replicated_and_committed() {
    let mut solo = solo(3, 0, &[]);
    let first = solo.win();
    assert_eq!(first.len(), 2);
    solo.tell(2, 1, accepted(1, solo.now));
    assert_eq!(solo.node.log().commit(), 1);
    assert_eq!(solo.node.propose(b"x".as_slice().into()), Ok((1, 2)));
    let appends = solo.take();
    let Body::Append { prev_index, prev_term, entries, commit, .. } = &appends[0].body else {
        panic!("{appends:?}")
    };
    assert_eq!((*prev_index, *prev_term, *commit, entries.len()), (1, 1, 1, 1));
    assert_eq!(solo.node.log().commit(), 1);
    let news = solo.tell(3, 1, accepted(2, solo.now));
    assert_eq!(solo.node.log().commit(), 2);
    let told = |message: &Message| matches!(message.body, Body::Append { commit: 2, .. });
    assert!(news.iter().any(told), "{news:?}");
    let applied: Vec<&[u8]> = solo.applied.iter().map(|entry| &*entry.data).collect();
    assert_eq!(applied, [b"".as_slice(), b"x".as_slice()]);
}

/// Section 5.3: a follower commits what the leader says, no more than it has.
#[test]
fn a_follower_commits_on_the_leaders_word() {
    let cases: [(&[Term], Index, Index); 4] = [(&[1], 1, 1), (&[1, 1], 2, 2), (&[1, 1], 1, 1), (&[1], 9, 1)];
    for (terms, told, expected) in cases {
        let mut solo = solo(3, 1, &[]);
        solo.tell(2, 1, append((0, 0), entries(1, terms), told));
        assert_eq!(solo.node.log().commit(), expected);
        assert_eq!(solo.applied, entries(1, terms)[..usize::try_from(expected).unwrap()]);
    }
}

/// Section 5.3: the consistency check. (place of the append, outcome), for a log 1, 2 (terms).
#[test]
fn an_append_must_follow_what_is_there() {
    let accept = |index| AppendOutcome::Accepted { index };
    let reject =
        |prev_index, hint_index, hint_term| AppendOutcome::Rejected { prev_index, hint_index, hint_term };
    let cases = [
        ((0, 0), accept(0)),
        ((1, 1), accept(1)),
        ((2, 2), accept(2)),
        ((1, 2), reject(2, 1, 1)),
        ((3, 3), reject(3, 2, 2)),
        ((3, Index::MAX), reject(Index::MAX, 2, 2)),
    ];
    for (prev, expected) in cases {
        let mut solo = solo(3, 2, &[1, 2]);
        let answer = solo.tell(2, 3, append(prev, vec![], 0));
        assert_eq!(outcome(&answer), expected, "{prev:?}");
    }
}

/// Section 5.3: conflicting entries are replaced, agreeing ones kept. (place, entries' terms, log after), for a log 1, 2.
#[test]
fn conflicting_entries_are_replaced() {
    type Terms<'a> = &'a [Term];
    let cases: [((Term, Index), Terms<'_>, Terms<'_>); 5] = [
        ((2, 2), &[3], &[1, 2, 3]),
        ((1, 1), &[3, 4], &[1, 3, 4]),
        ((0, 0), &[1], &[1, 2]),
        ((0, 0), &[3], &[3]),
        ((1, 1), &[2], &[1, 2]),
    ];
    for (prev, terms, expected) in cases {
        let mut solo = solo(3, 2, &[1, 2]);
        solo.tell(2, 4, append(prev, entries(prev.1 + 1, terms), 0));
        assert_eq!(log_terms(&solo.node), expected);
    }
}

/// Section 5.3, figure 7: a leader of term 8 brings each of the logs (a) to (f) in line.
#[test]
fn the_logs_of_figure_7_are_repaired() {
    let leader: &[Term] = &[1, 1, 1, 4, 4, 5, 5, 6, 6, 6];
    let followers: [&[Term]; 6] = [
        &[1, 1, 1, 4, 4, 5, 5, 6, 6],
        &[1, 1, 1, 4],
        &[1, 1, 1, 4, 4, 5, 5, 6, 6, 6, 6],
        &[1, 1, 1, 4, 4, 5, 5, 6, 6, 6, 7, 7],
        &[1, 1, 1, 4, 4, 4, 4],
        &[1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 3],
    ];
    for follower in followers {
        // The third replica is empty and gives the vote that the follower may refuse.
        let disks =
            vec![on_disk(7, None, 0, leader), on_disk(7, None, 0, follower), on_disk(7, None, 0, &[])];
        let mut cluster = Cluster::restored(disks, plain, 7);
        cluster.elect(1);
        cluster.pass(3 * HEARTBEAT_TICKS);
        let expected: Vec<Term> = leader.iter().copied().chain([8]).collect();
        for id in 1..=3 {
            assert_eq!(cluster.log(id), expected, "replica {id}, {follower:?}");
            assert_eq!(cluster.commit(id), 11);
        }
    }
}

/// Section 5.4.1: only a log that is at least as up to date gets the vote. (own log, candidate's last (term, index))
#[test]
fn a_vote_needs_an_up_to_date_log() {
    let cases: [(&[Term], (Term, Index), bool); 8] = [
        (&[1], (1, 1), true),
        (&[1], (1, 2), true),
        (&[1, 1], (1, 1), false),
        (&[1], (2, 1), true),
        (&[1], (2, 2), true),
        (&[1, 1], (2, 1), true),
        (&[2], (1, 1), false),
        (&[2], (1, 2), false),
    ];
    for (terms, (last_term, last_index), expected) in cases {
        let mut solo = solo(3, 2, terms);
        assert_eq!(grants(&solo.tell(2, 3, vote(last_term, last_index))), expected);
    }
}

/// Section 5.4.2: entries of earlier terms are not committed by counting, only along with one of the own term.
#[test]
fn only_the_own_term_commits_by_counting() {
    let mut solo = solo(3, 2, &[1, 2]);
    solo.win();
    assert_eq!(solo.node.term(), 3);
    for index in [1, 2] {
        solo.tell(2, 3, accepted(index, solo.now));
        assert_eq!(solo.node.log().commit(), 0, "after {index}");
    }
    solo.tell(2, 3, accepted(3, solo.now));
    assert_eq!(solo.node.log().commit(), 3);
}
