//! Watches a whole cluster and keeps its own history; knows the replicas only from outside.
//!
//! The numbers are those of the invariants in the Raft literature: election safety, leader append-only, log matching, leader
//! completeness and state-machine safety (Raft paper, figure 3), and beyond them: one vote per term across crashes,
//! a commit needs a majority of *disks*, and nothing is said before it is durable.

use std::collections::BTreeMap;

use switchyard_raft::{AppendOutcome, Body, Entry, Index, Message, PeerId, Role, Term};

use super::disk::Disk;
use super::{ELECTION_TICKS, Node};

/// What was first seen committed at an index.
#[derive(Debug, Clone)]
struct Chosen {
    entry: Entry,
    /// The term of the leader that committed it.
    by: Term,
}

/// How often something remarkable happened, so that a test can show that its run came near the danger.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Sightings {
    pub(crate) elections: usize,
    pub(crate) overwritten: usize,
    pub(crate) lost_writes: usize,
    pub(crate) stale_leaders: usize,
    pub(crate) leases: usize,
    pub(crate) rejected_appends: usize,
}

impl Sightings {
    pub(crate) fn add(&mut self, other: &Self) {
        self.elections += other.elections;
        self.overwritten += other.overwritten;
        self.lost_writes += other.lost_writes;
        self.stale_leaders += other.stale_leaders;
        self.leases += other.leases;
        self.rejected_appends += other.rejected_appends;
    }
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Judge {
    leaders: BTreeMap<Term, PeerId>,
    leader_logs: BTreeMap<Term, Vec<Entry>>,
    grants: BTreeMap<(PeerId, Term), PeerId>,
    chosen: Vec<Chosen>,
    commits: BTreeMap<PeerId, Index>,
    lasts: BTreeMap<PeerId, (Index, Term)>,
    durable_terms: BTreeMap<PeerId, Term>,
    pub(crate) seen: Sightings,
}

impl Judge {
    /// A message leaves a replica whose disk holds `disk`.
    pub(crate) fn on_send(&mut self, message: &Message, disk: &Disk) {
        let Message { from, to, term, body } = message;
        let durable = disk.hard_state();
        assert!(*term <= durable.term, "term not durable: {message:?}, {durable:?}");
        match body {
            Body::Vote { .. } | Body::VoteReply { granted: true, .. } => {
                let candidate = if matches!(body, Body::Vote { .. }) { from } else { to };
                assert!(
                    durable.term > *term || durable.vote == Some(*candidate),
                    "vote not durable: {message:?}, {durable:?}"
                );
                let vote = *self.grants.entry((*from, *term)).or_insert(*candidate);
                assert_eq!(vote, *candidate, "{from} voted twice in term {term}");
            }
            Body::AppendReply { outcome: AppendOutcome::Accepted { index }, .. } => {
                assert!(*index <= disk.last_index(), "acknowledged before durable: {message:?}");
                let leader_log = &self.leader_logs[term];
                for index in 1..=*index {
                    let at = usize::try_from(index - 1).unwrap();
                    assert_eq!(
                        disk.entry(index),
                        leader_log.get(at),
                        "acknowledged what the leader doesn't have: {message:?}"
                    );
                }
            }
            Body::AppendReply { .. } => self.seen.rejected_appends += 1,
            _ => {}
        }
    }

    /// Entries are applied; `before` were already.
    pub(crate) fn on_apply(&self, id: PeerId, before: usize, applied: &[Entry], disk: &Disk) {
        for (at, entry) in (before..).zip(applied) {
            assert_eq!(entry.index, at as Index + 1, "{id} applied out of order");
            let chosen = self.chosen.get(at).map(|chosen| &chosen.entry);
            assert_eq!(chosen, Some(entry), "{id} applied what wasn't chosen");
            assert_eq!(disk.term_at(entry.index), Some(entry.term), "{id} applied before durable");
        }
    }

    /// A crash: what it knew beyond its disk is gone.
    pub(crate) fn on_crash(&mut self, id: PeerId, lost_writes: usize) {
        self.commits.remove(&id);
        self.lasts.remove(&id);
        self.seen.lost_writes += lost_writes;
    }

    /// Something happened on `node`. Called after each thing that happens.
    pub(crate) fn observe(&mut self, node: &Node, disks: &BTreeMap<PeerId, &Disk>) {
        let id = node.id();
        let term = disks[&id].hard_state().term;
        let before = self.durable_terms.insert(id, term).unwrap_or(0);
        assert!(before <= term, "{id}: durable term fell from {before} to {term}");
        if node.role() == Role::Leader {
            self.observe_leader(node);
        }
        self.observe_commit(node, disks);
        let last = (node.log().last_index(), node.log().last_term());
        if let Some(before) = self.lasts.insert(id, last)
            && node.log().term_at(before.0) != Some(before.1)
        {
            self.seen.overwritten += 1;
        }
    }

    fn observe_leader(&mut self, node: &Node) {
        let (id, term) = (node.id(), node.term());
        let log = node.log().entries(1, Index::MAX);
        let leader = *self.leaders.entry(term).or_insert(id);
        assert_eq!(leader, id, "two leaders in term {term}");
        if let Some(before) = self.leader_logs.get(&term) {
            assert!(log.starts_with(before), "leader {id} of {term} changed its log");
            if before.len() == log.len() {
                return;
            }
        } else {
            self.seen.elections += 1;
            for chosen in self.chosen.iter().filter(|chosen| chosen.by < term) {
                let held = node.log().entry(chosen.entry.index);
                assert_eq!(held, Some(&chosen.entry), "leader {id} of {term} lacks a chosen entry");
            }
        }
        self.leader_logs.insert(term, log.to_vec());
    }

    fn observe_commit(&mut self, node: &Node, disks: &BTreeMap<PeerId, &Disk>) {
        let (id, commit) = (node.id(), node.log().commit());
        let before = self.commits.insert(id, commit).unwrap_or(0);
        assert!(before <= commit, "{id}: commit fell from {before} to {commit}");
        for index in before + 1..=commit {
            let entry = node.log().entry(index).expect("committed but not there");
            let at = usize::try_from(index - 1).unwrap();
            if let Some(chosen) = self.chosen.get(at) {
                assert_eq!(&chosen.entry, entry, "{id} committed another entry");
                continue;
            }
            assert_eq!(node.role(), Role::Leader, "{id} committed before any leader");
            let on_disk = disks.values().filter(|disk| disk.entry(index) == Some(entry)).count();
            assert!(on_disk * 2 > disks.len(), "{id} committed {index}, on {on_disk} disks");
            self.chosen.push(Chosen { entry: entry.clone(), by: node.term() });
        }
        if before < commit && node.role() == Role::Leader {
            assert_eq!(
                node.log().term_at(commit),
                Some(node.term()),
                "{id} committed an old term's entry by counting"
            );
        }
    }

    /// Log matching and at most one lease, over all live replicas.
    pub(crate) fn observe_all<'a>(&mut self, nodes: &(impl Iterator<Item = &'a Node> + Clone)) {
        let leaders = nodes.clone().filter(|node| node.role() == Role::Leader).count();
        self.seen.stale_leaders += leaders.saturating_sub(1);
        for (at, a) in nodes.clone().enumerate() {
            for b in nodes.clone().skip(at + 1) {
                log_matching(a, b);
            }
        }
    }

    /// At most one replica may believe that it holds the lease, if ticks are equally long everywhere.
    pub(crate) fn observe_leases<'a>(&mut self, nodes: impl Iterator<Item = &'a Node>) {
        let holders: Vec<(PeerId, Term)> = nodes
            .filter(|node| node.quorum_contact().is_some_and(|age| age < ELECTION_TICKS))
            .map(|node| (node.id(), node.term()))
            .collect();
        assert!(holders.len() <= 1, "two leases: {holders:?}");
        self.seen.leases += holders.len();
    }

    pub(crate) fn chosen(&self) -> Vec<Entry> {
        self.chosen.iter().map(|chosen| chosen.entry.clone()).collect()
    }
}

/// Where two logs have the same term at an index, they are equal up to it.
fn log_matching(a: &Node, b: &Node) {
    let (left, right) = (a.log().entries(1, Index::MAX), b.log().entries(1, Index::MAX));
    let agreeing = left.iter().zip(right).rposition(|(x, y)| x.term == y.term);
    if let Some(at) = agreeing {
        assert_eq!(left[..=at], right[..=at], "logs of {} and {} don't match", a.id(), b.id());
    }
}
