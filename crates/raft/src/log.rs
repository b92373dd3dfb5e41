//! The replicated log of one replica: its entries, and how far they are durable, committed and handed out to be applied.

use crate::message::{Entry, Index, Term};
use crate::unstable::Unstable;

/// A replica's log. Entries have the indexes 1, 2, 3 and so on, with terms that never fall.
#[derive(Debug, Clone)]
pub struct Log {
    entries: Vec<Entry>,
    /// Known to be committed. Only rises; `commit <= last_index`.
    commit: Index,
    /// Handed to the driver to be applied. Only rises; `applied <= min(commit, durable)` when it is raised.
    applied: Index,
    pub(crate) unstable: Unstable,
}

/// The leader's entries contradict what this replica knows to be committed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CommittedConflict {
    pub(crate) index: Index,
}

impl Log {
    pub(crate) fn new(entries: Vec<Entry>, commit: Index, unstable: Unstable) -> Self {
        Self { entries, commit, applied: 0, unstable }
    }

    /// The index of the last entry, 0 if there is none.
    #[must_use]
    pub fn last_index(&self) -> Index {
        self.entries.last().map_or(0, |entry| entry.index)
    }

    /// The term of the last entry, 0 if there is none.
    #[must_use]
    pub fn last_term(&self) -> Term {
        self.entries.last().map_or(0, |entry| entry.term)
    }

    /// The term of the entry at `index`: 0 at index 0, `None` beyond the end.
    #[must_use]
    pub fn term_at(&self, index: Index) -> Option<Term> {
        if index == 0 {
            return Some(0);
        }
        self.entry(index).map(|entry| entry.term)
    }

    /// The entry at `index`.
    #[must_use]
    pub fn entry(&self, index: Index) -> Option<&Entry> {
        let at = usize::try_from(index.checked_sub(1)?).ok()?;
        self.entries.get(at)
    }

    /// The entries from `first` up to and including `last`, as far as they exist.
    #[must_use]
    pub fn entries(&self, first: Index, last: Index) -> &[Entry] {
        let begin = self.position(first.saturating_sub(1));
        let end = self.position(last);
        self.entries.get(begin..end).unwrap_or_default()
    }

    /// Entries up to here are known to be committed.
    #[must_use]
    pub fn commit(&self) -> Index {
        self.commit
    }

    /// Entries up to here were handed out in [`Ready::committed`](crate::Ready::committed).
    #[must_use]
    pub fn applied(&self) -> Index {
        self.applied
    }

    /// Entries up to here survive a crash of this replica.
    #[must_use]
    pub fn durable(&self) -> Index {
        self.unstable.durable()
    }

    /// How many entries lie at or before `index`.
    fn position(&self, index: Index) -> usize {
        usize::try_from(index).unwrap_or(usize::MAX).min(self.entries.len())
    }

    /// Whether a log that ends with (`last_term`, `last_index`) has at least all that this one can have committed
    /// (Raft paper, section 5.4.1).
    pub(crate) fn is_covered_by(&self, last_term: Term, last_index: Index) -> bool {
        (last_term, last_index) >= (self.last_term(), self.last_index())
    }

    /// The greatest index up to `index` whose term is at most `term`: where a log that has `term` at `index` can agree
    /// with this one at best.
    pub(crate) fn agreement_hint(&self, index: Index, term: Term) -> Index {
        let within = &self.entries[..self.position(index)];
        within.partition_point(|entry| entry.term <= term) as Index
    }

    /// Appends one entry of a leader's own.
    pub(crate) fn push(&mut self, entry: Entry) {
        debug_assert_eq!(entry.index, self.last_index() + 1);
        debug_assert!(entry.term >= self.last_term());
        self.entries.push(entry);
    }

    /// Takes over a leader's entries, which must follow an index at which the logs agree. Cuts the log only where an entry
    /// really differs: a short old append must not remove what a newer one brought.
    pub(crate) fn merge(&mut self, entries: Vec<Entry>) -> Result<(), CommittedConflict> {
        let agreeing =
            entries.iter().take_while(|entry| self.term_at(entry.index) == Some(entry.term)).count();
        let mut fresh = entries.into_iter().skip(agreeing).peekable();
        let Some(first) = fresh.peek().map(|entry| entry.index) else {
            return Ok(());
        };
        if first <= self.commit {
            return Err(CommittedConflict { index: first });
        }
        debug_assert!(first <= self.last_index() + 1);
        if first <= self.last_index() {
            self.unstable.overwrite(first);
            self.entries.truncate(self.position(first - 1));
        }
        self.entries.extend(fresh);
        Ok(())
    }

    /// Raises the commit index to `index`, if that is higher and exists. Returns whether it rose.
    pub(crate) fn commit_to(&mut self, index: Index) -> bool {
        let index = index.min(self.last_index());
        let rises = index > self.commit;
        if rises {
            self.commit = index;
        }
        rises
    }

    /// The last index that may be applied.
    pub(crate) fn appliable(&self) -> Index {
        self.commit.min(self.unstable.durable())
    }

    /// What may be applied and wasn't handed out yet.
    pub(crate) fn take_committed(&mut self) -> Vec<Entry> {
        let end = self.appliable();
        if end <= self.applied {
            return Vec::new();
        }
        let entries = self.entries(self.applied + 1, end).to_vec();
        self.applied = end;
        entries
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use super::*;
    use crate::unstable::Ballot;

    fn entries(first: Index, terms: &[Term]) -> Vec<Entry> {
        (first..).zip(terms).map(|(index, &term)| Entry { term, index, data: Vec::new().into() }).collect()
    }

    fn log(terms: &[Term]) -> Log {
        let last = terms.len() as Index;
        Log::new(entries(1, terms), 0, Unstable::new(last, Ballot::default()))
    }

    fn terms(log: &Log) -> Vec<Term> {
        log.entries(1, Index::MAX).iter().map(|entry| entry.term).collect()
    }

    #[test]
    fn looking_beyond_either_end_finds_nothing() {
        let log = log(&[1, 1, 2]);
        assert_eq!(log.term_at(0), Some(0));
        assert_eq!(log.term_at(3), Some(2));
        assert_eq!(log.term_at(4), None);
        assert_eq!(log.term_at(Index::MAX), None);
        assert_eq!(log.entries(2, 2).len(), 1);
        assert_eq!(log.entries(0, Index::MAX).len(), 3);
        assert!(log.entries(3, 2).is_empty());
        assert!(log.entries(Index::MAX, Index::MAX).is_empty());
    }

    #[test]
    fn merging_cuts_only_at_a_difference() {
        let mut log = log(&[1, 1, 2, 2]);
        log.merge(entries(2, &[1])).unwrap();
        assert_eq!(terms(&log), [1, 1, 2, 2]);
        log.merge(entries(3, &[2, 2, 3])).unwrap();
        assert_eq!(terms(&log), [1, 1, 2, 2, 3]);
        assert_eq!(log.durable(), 4);
        log.merge(entries(2, &[1, 4])).unwrap();
        assert_eq!(terms(&log), [1, 1, 4]);
        assert_eq!(log.durable(), 2);
    }

    #[test]
    fn what_is_committed_is_never_cut() {
        let mut log = log(&[1, 1, 2]);
        assert!(log.commit_to(2));
        assert_eq!(log.merge(entries(2, &[3])), Err(CommittedConflict { index: 2 }));
        assert_eq!(terms(&log), [1, 1, 2]);
        assert!(!log.commit_to(1));
        assert_eq!(log.commit(), 2);
    }

    #[test]
    fn hints_skip_whole_terms() {
        let log = log(&[1, 1, 4, 4, 5]);
        assert_eq!(log.agreement_hint(5, 5), 5);
        assert_eq!(log.agreement_hint(5, 3), 2);
        assert_eq!(log.agreement_hint(9, 4), 4);
        assert_eq!(log.agreement_hint(2, 4), 2);
        assert_eq!(log.agreement_hint(2, 0), 0);
    }
}
