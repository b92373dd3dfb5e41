//! The disk of one replica: a write is safe only when its fsync has completed.
//!
//! What a crash may destroy: every write whose fsync is still running. What survives: every write before that, whole
//! and in order. Recovery reads nothing but what is durable here.

use std::collections::VecDeque;

use switchyard_model::SimTime;
use switchyard_raft::{Entry, HardState, Index, Persist, Restored, Term};

/// What the replica has written, durable and not.
#[derive(Clone, Debug, Default)]
pub struct Disk {
    hard_state: HardState,
    entries: Vec<Entry>,
    unsynced: VecDeque<Persist>,
    /// When the newest write will be durable: writes are synced in order.
    busy_until: SimTime,
}

impl Disk {
    /// Takes a write; it will be durable at the moment that is returned.
    pub(crate) fn write(
        &mut self,
        persist: Persist,
        now: SimTime,
        latency: switchyard_model::SimDuration,
    ) -> SimTime {
        self.busy_until = self.busy_until.max(now) + latency;
        self.unsynced.push_back(persist);
        self.busy_until
    }

    /// The oldest write is durable now; hands it back, so that what waited for it can go on.
    pub(crate) fn synced(&mut self) -> Option<Persist> {
        let persist = self.unsynced.pop_front()?;
        self.hard_state = persist.hard_state;
        if let Some(first) = persist.entries.first() {
            // Raft logs start at index 1, without gaps.
            let keep = usize::try_from(first.index.saturating_sub(1)).unwrap_or(usize::MAX);
            self.entries.truncate(keep);
            self.entries.extend_from_slice(&persist.entries);
        }
        Some(persist)
    }

    /// Power is gone: whatever was not synced is lost.
    pub(crate) fn crash(&mut self) {
        self.unsynced.clear();
        self.busy_until = SimTime::ZERO;
    }

    /// What recovery reads.
    pub(crate) fn restore(&self) -> Restored {
        Restored { hard_state: self.hard_state, entries: self.entries.clone() }
    }

    /// The term that would survive a crash now.
    pub const fn term(&self) -> Term {
        self.hard_state.term
    }

    /// The log that would survive a crash now.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The last index that would survive a crash now.
    pub fn durable_index(&self) -> Index {
        self.entries.last().map_or(0, |entry| entry.index)
    }
}
