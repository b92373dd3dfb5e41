//! What is not on the disk yet: which part of log and ballot has been handed to the driver, and which of that is durable.
//!
//! Writes overlap: while one is under way, a new leader may overwrite what it contains, and a third may bring the same entry
//! (same index, same term) back. The completion of the first write then says nothing about that entry, because the second
//! write removes it from the disk again. So index and term don't identify what is durable (etcd's "append ABA race");
//! instead each overwriting shortens what the writes under way will make durable.

use std::collections::VecDeque;

use crate::message::{Index, PeerId, Term};
use crate::ready::PersistMark;

/// Term and vote, which decide elections and must never go backwards.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Ballot {
    pub(crate) term: Term,
    pub(crate) vote: Option<PeerId>,
}

/// A write that was handed out and isn't acknowledged.
#[derive(Debug, Clone, Copy)]
struct Write {
    mark: PersistMark,
    /// When this write is done, the log on disk agrees with the one in memory at least up to here.
    last: Index,
    ballot: Ballot,
}

/// The border between memory and disk.
#[derive(Debug, Clone)]
pub(crate) struct Unstable {
    /// The log up to here survives a crash. Raised by acknowledged writes, lowered when the log is overwritten.
    durable: Index,
    /// Survives a crash.
    durable_ballot: Ballot,
    /// The first entry that no write contains yet; `durable < unwritten`.
    unwritten: Index,
    /// The ballot in the newest write.
    written_ballot: Ballot,
    writes: VecDeque<Write>,
    next_mark: u64,
}

impl Unstable {
    /// Everything that was restored is durable.
    pub(crate) fn new(last: Index, ballot: Ballot) -> Self {
        Self {
            durable: last,
            durable_ballot: ballot,
            unwritten: last + 1,
            written_ballot: ballot,
            writes: VecDeque::new(),
            next_mark: 1,
        }
    }

    pub(crate) fn durable(&self) -> Index {
        self.durable
    }

    pub(crate) fn durable_ballot(&self) -> Ballot {
        self.durable_ballot
    }

    pub(crate) fn unwritten(&self) -> Index {
        self.unwritten
    }

    pub(crate) fn written_ballot(&self) -> Ballot {
        self.written_ballot
    }

    /// The log is about to be overwritten from `first` on.
    pub(crate) fn overwrite(&mut self, first: Index) {
        let kept = first.saturating_sub(1);
        self.durable = self.durable.min(kept);
        self.unwritten = self.unwritten.min(first);
        for write in &mut self.writes {
            write.last = write.last.min(kept);
        }
    }

    /// A write with everything up to `last` goes to the driver.
    pub(crate) fn write(&mut self, last: Index, ballot: Ballot) -> PersistMark {
        let mark = PersistMark(self.next_mark);
        self.next_mark += 1;
        self.unwritten = last + 1;
        self.written_ballot = ballot;
        self.writes.push_back(Write { mark, last, ballot });
        mark
    }

    /// The write with this mark, and with it all earlier ones, is durable. Marks that aren't under way are ignored.
    pub(crate) fn acknowledge(&mut self, mark: PersistMark) {
        if mark.0 >= self.next_mark {
            return;
        }
        while let Some(write) = self.writes.front().copied().filter(|write| write.mark <= mark) {
            self.durable = self.durable.max(write.last);
            self.durable_ballot = write.ballot;
            self.writes.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ballot(term: Term) -> Ballot {
        Ballot { term, vote: None }
    }

    /// etcd testdata/async_storage_writes_append_aba_race: the entry comes back, the first write doesn't vouch for it.
    #[test]
    fn a_write_does_not_vouch_for_an_entry_that_came_back() {
        let mut unstable = Unstable::new(4, ballot(1));
        let first = unstable.write(5, ballot(1));
        unstable.overwrite(5);
        let second = unstable.write(5, ballot(2));
        unstable.overwrite(5);
        let third = unstable.write(5, ballot(3));
        unstable.acknowledge(first);
        assert_eq!(unstable.durable(), 4);
        unstable.acknowledge(second);
        assert_eq!(unstable.durable(), 4);
        assert_eq!(unstable.durable_ballot(), ballot(2));
        unstable.acknowledge(third);
        assert_eq!(unstable.durable(), 5);
    }

    #[test]
    fn an_acknowledgement_covers_earlier_writes_and_unknown_marks_nothing() {
        let mut unstable = Unstable::new(0, ballot(0));
        unstable.write(1, ballot(1));
        let second = unstable.write(3, ballot(1));
        unstable.write(4, ballot(2));
        unstable.acknowledge(PersistMark(99));
        assert_eq!(unstable.durable(), 0);
        unstable.acknowledge(second);
        assert_eq!((unstable.durable(), unstable.durable_ballot()), (3, ballot(1)));
        unstable.acknowledge(second);
        assert_eq!(unstable.durable(), 3);
    }
}
