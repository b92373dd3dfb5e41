//! What a leader knows about one follower's log, and what it may send next.

use crate::inflight::Inflight;
use crate::message::Index;

/// How a leader sends to a follower.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Pace {
    /// It isn't known where the logs agree: one append at a time, until one is accepted.
    Probe,
    /// The logs agree: appends are sent ahead of their answers.
    Replicate,
}

/// One follower as its leader sees it.
#[derive(Debug, Clone)]
pub(crate) struct Progress {
    /// The logs agree up to here, on the follower's disk. Raised by accepting answers; never falls within a term.
    pub(crate) matched: Index,
    /// The next entry to send; `matched < next`. In `Replicate` it runs ahead of the answers.
    pub(crate) next: Index,
    pub(crate) pace: Pace,
    /// In `Probe`: one append is on its way. A sign of life lifts it, in case that append was lost.
    pub(crate) waiting: bool,
    pub(crate) inflight: Inflight,
    /// An append is due even if it has no entries, to find out where the follower stands.
    pub(crate) nudge: bool,
    /// The highest commit index that an append told the follower.
    pub(crate) commit_sent: Index,
    /// The newest round that the follower answered.
    pub(crate) answered: Option<u64>,
}

impl Progress {
    /// A follower about which nothing is known, for a leader whose log ends at `last`.
    pub(crate) fn new(last: Index) -> Self {
        Self {
            matched: 0,
            next: last + 1,
            pace: Pace::Probe,
            waiting: false,
            inflight: Inflight::default(),
            nudge: true,
            commit_sent: 0,
            answered: None,
        }
    }

    /// Whether entries must wait for an answer to earlier ones.
    pub(crate) fn is_paused(&self, max_inflight: usize) -> bool {
        match self.pace {
            Pace::Probe => self.waiting,
            Pace::Replicate => self.inflight.len() >= max_inflight,
        }
    }

    /// An append with entries up to `last` (if it had any) goes out.
    pub(crate) fn on_sent(&mut self, last: Option<Index>, commit: Index) {
        self.nudge = false;
        self.commit_sent = self.commit_sent.max(commit);
        match self.pace {
            Pace::Probe => self.waiting = true,
            Pace::Replicate => {
                if let Some(last) = last {
                    self.next = last + 1;
                    self.inflight.add(last);
                }
            }
        }
    }

    /// The follower accepted everything up to `index`.
    pub(crate) fn on_accepted(&mut self, index: Index) {
        if index < self.matched {
            return;
        }
        self.matched = index;
        self.next = self.next.max(index + 1);
        self.inflight.free_to(index);
        if self.pace == Pace::Probe {
            self.pace = Pace::Replicate;
            self.waiting = false;
            self.next = index + 1;
            self.inflight.clear();
        }
    }

    /// The follower rejected an append that followed `prev_index`; at best the logs agree at `hint`. Returns false for
    /// an answer from the past: one that contradicts what is known since, or that doesn't answer the current probe.
    pub(crate) fn on_rejected(&mut self, prev_index: Index, hint: Index) -> bool {
        if prev_index <= self.matched {
            return false;
        }
        match self.pace {
            Pace::Replicate => {
                self.pace = Pace::Probe;
                self.next = self.matched + 1;
                self.inflight.clear();
            }
            Pace::Probe => {
                if prev_index != self.next - 1 {
                    return false;
                }
                self.next = prev_index.min(hint.saturating_add(1)).max(self.matched + 1);
            }
        }
        self.waiting = false;
        self.nudge = true;
        true
    }

    /// The follower answered a message of `round`. If it lacks entries, or isn't known to have them, look again: the append
    /// that should have brought them may be lost.
    pub(crate) fn on_heartbeat_reply(&mut self, last: Index) {
        if self.matched < last || self.pace == Pace::Probe {
            self.waiting = false;
            self.nudge = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// etcd #1207, CCF #5991: an old rejection must not move anything.
    #[test]
    fn rejections_from_the_past_are_ignored() {
        let mut probing = Progress::new(10);
        probing.on_sent(None, 0);
        assert!(!probing.on_rejected(7, 3));
        assert_eq!((probing.next, probing.waiting), (11, true));
        assert!(probing.on_rejected(10, 3));
        assert_eq!((probing.next, probing.waiting), (4, false));

        let mut replicating = Progress::new(10);
        replicating.on_accepted(8);
        replicating.on_sent(Some(9), 0);
        assert!(!replicating.on_rejected(8, 0));
        assert_eq!((replicating.pace, replicating.next), (Pace::Replicate, 10));
        assert!(replicating.on_rejected(9, 0));
        assert_eq!((replicating.pace, replicating.next), (Pace::Probe, 9));
    }

    #[test]
    fn a_hint_never_reaches_below_what_matched_nor_stands_still() {
        let mut progress = Progress::new(10);
        progress.matched = 4;
        assert!(progress.on_rejected(10, 1));
        assert_eq!(progress.next, 5);
        let mut stubborn = Progress::new(10);
        assert!(stubborn.on_rejected(10, Index::MAX));
        assert_eq!(stubborn.next, 10);
    }

    #[test]
    fn the_window_fills_and_frees() {
        let mut progress = Progress::new(0);
        progress.on_accepted(0);
        for last in [2, 4, 6] {
            assert!(!progress.is_paused(3));
            progress.on_sent(Some(last), 0);
        }
        assert!(progress.is_paused(3));
        progress.on_accepted(4);
        assert_eq!((progress.inflight.len(), progress.next), (1, 7));
        progress.on_accepted(2);
        assert_eq!(progress.matched, 4);
    }
}
