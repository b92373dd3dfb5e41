//! A replica's disk: what was handed to it, and what a crash leaves.
//!
//! Writes are atomic and become durable in order. A crash loses those under way, except that the first few may already have
//! reached the medium without the replica having been told.

use std::collections::VecDeque;

use switchyard_raft::{Entry, HardState, Index, Persist, Restored, Term};

#[derive(Debug, Clone, Default)]
pub(crate) struct Disk {
    durable: Restored,
    pending: VecDeque<Persist>,
}

impl Disk {
    pub(crate) fn new(durable: Restored) -> Self {
        Self { durable, pending: VecDeque::new() }
    }

    pub(crate) fn write(&mut self, persist: Persist) {
        self.pending.push_back(persist);
    }

    pub(crate) fn pending(&self) -> usize {
        self.pending.len()
    }

    /// The oldest write reaches the medium.
    pub(crate) fn complete_one(&mut self) -> Option<Persist> {
        let persist = self.pending.pop_front()?;
        if let Some(first) = persist.entries.first() {
            let kept = usize::try_from(first.index - 1).unwrap();
            assert!(kept <= self.durable.entries.len(), "a write left a gap");
            self.durable.entries.truncate(kept);
            self.durable.entries.extend(persist.entries.iter().cloned());
        }
        self.durable.hard_state = persist.hard_state;
        Some(persist)
    }

    /// A crash; of the writes under way the first `reached` made it.
    pub(crate) fn crash(&mut self, reached: usize) {
        for _ in 0..reached {
            self.complete_one();
        }
        self.pending.clear();
    }

    pub(crate) fn durable(&self) -> &Restored {
        &self.durable
    }

    pub(crate) fn hard_state(&self) -> HardState {
        self.durable.hard_state
    }

    pub(crate) fn last_index(&self) -> Index {
        self.durable.entries.len() as Index
    }

    pub(crate) fn entry(&self, index: Index) -> Option<&Entry> {
        let at = usize::try_from(index.checked_sub(1)?).unwrap();
        self.durable.entries.get(at)
    }

    pub(crate) fn term_at(&self, index: Index) -> Option<Term> {
        self.entry(index).map(|entry| entry.term)
    }
}
