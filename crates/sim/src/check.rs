//! The judge: hears what happens, keeps a history of its own, and says when an invariant breaks.
//!
//! It never asks the components what they believe. What it knows of jobs on nodes it heard from their starts and ends,
//! and what it knows of the log it heard from what replicas applied.

use std::collections::{BTreeMap, BTreeSet};

use switchyard_model::{GpuSet, JobId, NodeId, NodeShare, ReplicaId, Resources, SimTime};
use switchyard_raft::{Entry, Index, Term};

use crate::book::Book;
use crate::wire::Part;

/// A rule that holds at every moment of every run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Invariant {
    /// At most one leader is ever elected in a term.
    ElectionSafety,
    /// A leader's log holds everything that was ever applied.
    LeaderCompleteness,
    /// All replicas apply the same entry at an index.
    StateMachineSafety,
    /// What a client was promised is in the book of every later leader.
    AcceptedSurvives,
    /// No GPU, processor or byte of memory serves two jobs at once.
    Exclusive,
    /// No job runs in two attempts at once.
    RunsOnce,
}

impl Invariant {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Invariant; 6] = [
        Invariant::ElectionSafety,
        Invariant::LeaderCompleteness,
        Invariant::StateMachineSafety,
        Invariant::AcceptedSurvives,
        Invariant::Exclusive,
        Invariant::RunsOnce,
    ];

    /// Its name in the field.
    pub const fn name(self) -> &'static str {
        match self {
            Invariant::ElectionSafety => "Election safety",
            Invariant::LeaderCompleteness => "Leader completeness",
            Invariant::StateMachineSafety => "State machine safety",
            Invariant::AcceptedSurvives => "Accepted jobs survive",
            Invariant::Exclusive => "Exclusive allocation",
            Invariant::RunsOnce => "A job runs once",
        }
    }

    /// What it says.
    pub const fn statement(self) -> &'static str {
        match self {
            Invariant::ElectionSafety => "At most one leader is elected in a term.",
            Invariant::LeaderCompleteness => "A new leader's log holds every entry that was ever applied.",
            Invariant::StateMachineSafety => "All replicas apply the same entry at the same index.",
            Invariant::AcceptedSurvives => "A job that was accepted is in the book of every later leader.",
            Invariant::Exclusive => "No GPU, processor or byte of memory serves two jobs at once.",
            Invariant::RunsOnce => "No job runs in two attempts at the same time, and no attempt runs twice.",
        }
    }
}

/// An invariant that did not hold, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// When.
    pub at: SimTime,
    /// Which.
    pub invariant: Invariant,
    /// What was seen, in a sentence.
    pub seen: String,
}

/// Keeps at most this many violations; the first ones tell the story.
const KEPT: usize = 100;

/// The history that verdicts rest on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Judge {
    leaders: BTreeMap<Term, ReplicaId>,
    /// Term and content of what was first applied at each index, from index 1.
    applied: Vec<Entry>,
    promised: BTreeSet<JobId>,
    running: BTreeMap<NodeId, Vec<(Part, NodeShare)>>,
    attempts: BTreeMap<JobId, Vec<(u32, NodeId)>>,
    /// Every part that ever started, and where.
    started: BTreeSet<(Part, NodeId)>,
    violations: Vec<Violation>,
}

impl Judge {
    pub(crate) fn violations(&self) -> &[Violation] {
        &self.violations
    }

    fn broken(&mut self, at: SimTime, invariant: Invariant, seen: String) {
        if self.violations.len() < KEPT {
            self.violations.push(Violation { at, invariant, seen });
        }
    }

    /// Hears of a new leader; `term_at` reads its log.
    pub(crate) fn leader_elected(
        &mut self,
        at: SimTime,
        replica: ReplicaId,
        term: Term,
        term_at: impl Fn(Index) -> Option<Term>,
    ) {
        let first = *self.leaders.entry(term).or_insert(replica);
        if first != replica {
            let seen = format!("{} and {} both lead term {term}", first.letter(), replica.letter());
            self.broken(at, Invariant::ElectionSafety, seen);
        }
        let lacks = self.applied.iter().find(|entry| term_at(entry.index) != Some(entry.term));
        if let Some(index) = lacks.map(|entry| entry.index) {
            let seen = format!("leader {} of term {term} lacks entry {index}", replica.letter());
            self.broken(at, Invariant::LeaderCompleteness, seen);
        }
    }

    /// Hears that a replica applied an entry; tells whether it is the first to do so.
    pub(crate) fn applied(&mut self, at: SimTime, replica: ReplicaId, entry: &Entry) -> bool {
        let place = usize::try_from(entry.index.saturating_sub(1)).unwrap_or(usize::MAX);
        match self.applied.get(place) {
            Some(first) if first == entry => false,
            Some(_) => {
                let seen = format!("{} applies another entry at index {}", replica.letter(), entry.index);
                self.broken(at, Invariant::StateMachineSafety, seen);
                false
            }
            None if place == self.applied.len() => {
                self.applied.push(entry.clone());
                true
            }
            None => {
                let seen = format!("{} applies index {} before the one below", replica.letter(), entry.index);
                self.broken(at, Invariant::StateMachineSafety, seen);
                false
            }
        }
    }

    pub(crate) fn highest_applied(&self) -> Index {
        self.applied.len() as Index
    }

    pub(crate) fn promised(&mut self, job: JobId) {
        self.promised.insert(job);
    }

    /// A leader has caught up with its term and begins to act on this book.
    pub(crate) fn leader_acts(&mut self, at: SimTime, replica: ReplicaId, book: &Book) {
        if let Some(job) = self.promised.iter().find(|job| book.job(**job).is_none()) {
            let seen = format!("leader {} does not know the accepted job {job}", replica.letter());
            self.broken(at, Invariant::AcceptedSurvives, seen);
        }
    }

    pub(crate) fn part_starts(&mut self, at: SimTime, part: Part, share: NodeShare, capacity: Resources) {
        let Part { job, attempt } = part;
        if !self.started.insert((part, share.node)) {
            let seen = format!("attempt {attempt} of job {job} starts twice on node {}", share.node.0);
            self.broken(at, Invariant::RunsOnce, seen);
        }
        let attempts = self.attempts.entry(job).or_default();
        let other = attempts.iter().find(|(other, _)| *other != attempt).copied();
        attempts.push((attempt, share.node));
        if let Some((other, node)) = other {
            let seen = format!(
                "job {job} runs as attempt {attempt} on node {} while attempt {other} runs on node {}",
                share.node.0, node.0
            );
            self.broken(at, Invariant::RunsOnce, seen);
        }
        let here = self.running.entry(share.node).or_default();
        let gpus = here.iter().fold(GpuSet::default(), |sum, (_, share)| sum.union(share.gpus));
        let cpus: u32 = here.iter().map(|(_, share)| share.cpus).sum();
        let memory: u64 = here.iter().map(|(_, share)| share.memory_mib).sum();
        here.push((part, share));
        if gpus.overlaps(share.gpus)
            || cpus + share.cpus > capacity.cpus
            || memory + share.memory_mib > capacity.memory_mib
        {
            let seen = format!("job {job} takes resources of node {} that are in use", share.node.0);
            self.broken(at, Invariant::Exclusive, seen);
        }
    }

    pub(crate) fn part_ends(&mut self, part: Part, node: NodeId) {
        if let Some(here) = self.running.get_mut(&node) {
            here.retain(|(other, _)| *other != part);
        }
        if let Some(attempts) = self.attempts.get_mut(&part.job) {
            attempts.retain(|one| *one != (part.attempt, node));
            if attempts.is_empty() {
                self.attempts.remove(&part.job);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(node: u32, gpus: u64) -> NodeShare {
        NodeShare { node: NodeId(node), cpus: 1, memory_mib: 0, gpus: GpuSet(gpus) }
    }

    const NODE: Resources = Resources { cpus: 8, gpus: 8, memory_mib: 0 };
    const NOW: SimTime = SimTime::ZERO;

    fn broken(judge: &Judge) -> Vec<Invariant> {
        judge.violations().iter().map(|violation| violation.invariant).collect()
    }

    #[test]
    fn two_attempts_at_once_are_seen_and_one_after_the_other_is_fine() {
        let part = |attempt| Part { job: JobId(1), attempt };
        let mut judge = Judge::default();
        judge.part_starts(NOW, part(1), share(0, 1), NODE);
        judge.part_starts(NOW, part(1), share(1, 1), NODE);
        judge.part_ends(part(1), NodeId(0));
        judge.part_ends(part(1), NodeId(1));
        judge.part_starts(NOW, part(2), share(0, 1), NODE);
        assert_eq!(broken(&judge), []);
        judge.part_starts(NOW, part(3), share(1, 1), NODE);
        assert_eq!(broken(&judge), [Invariant::RunsOnce]);
    }

    #[test]
    fn an_attempt_that_starts_again_where_it_ran_is_seen() {
        let part = Part { job: JobId(1), attempt: 1 };
        let mut judge = Judge::default();
        judge.part_starts(NOW, part, share(0, 1), NODE);
        judge.part_ends(part, NodeId(0));
        assert_eq!(broken(&judge), []);
        judge.part_starts(NOW, part, share(0, 1), NODE);
        assert_eq!(broken(&judge), [Invariant::RunsOnce]);
    }

    #[test]
    fn a_gpu_in_two_jobs_and_too_many_cpus_are_seen() {
        let part = |job| Part { job: JobId(job), attempt: 1 };
        let mut judge = Judge::default();
        judge.part_starts(NOW, part(1), share(0, 0b011), NODE);
        judge.part_starts(NOW, part(2), share(0, 0b100), NODE);
        assert_eq!(broken(&judge), []);
        judge.part_starts(NOW, part(3), share(0, 0b110), NODE);
        assert_eq!(broken(&judge), [Invariant::Exclusive]);
        let greedy = NodeShare { cpus: 6, ..share(0, 0) };
        judge.part_starts(NOW, part(4), greedy, NODE);
        assert_eq!(broken(&judge), [Invariant::Exclusive, Invariant::Exclusive]);
    }

    #[test]
    fn two_leaders_of_a_term_and_a_lost_entry_are_seen() {
        let entry = |index, term, data: &[u8]| Entry { term, index, data: data.into() };
        let mut judge = Judge::default();
        let empty = |_| None;
        judge.leader_elected(NOW, ReplicaId(0), 1, empty);
        judge.leader_elected(NOW, ReplicaId(0), 2, empty);
        assert!(judge.applied(NOW, ReplicaId(0), &entry(1, 2, b"a")));
        assert!(!judge.applied(NOW, ReplicaId(1), &entry(1, 2, b"a")));
        assert_eq!(broken(&judge), []);
        judge.leader_elected(NOW, ReplicaId(1), 2, empty);
        judge.applied(NOW, ReplicaId(2), &entry(1, 2, b"b"));
        let all = [Invariant::ElectionSafety, Invariant::LeaderCompleteness, Invariant::StateMachineSafety];
        assert_eq!(broken(&judge), all);
    }
}
