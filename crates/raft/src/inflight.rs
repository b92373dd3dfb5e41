//! The window of append messages that one follower hasn't answered yet.

use std::collections::VecDeque;

use crate::message::Index;

/// The last indexes of unanswered appends, ascending.
#[derive(Debug, Clone, Default)]
pub(crate) struct Inflight {
    lasts: VecDeque<Index>,
}

impl Inflight {
    pub(crate) fn len(&self) -> usize {
        self.lasts.len()
    }

    /// An append with entries up to `last` was sent.
    pub(crate) fn add(&mut self, last: Index) {
        debug_assert!(self.lasts.back().is_none_or(|&newest| newest < last));
        self.lasts.push_back(last);
    }

    /// Everything up to `index` is answered.
    pub(crate) fn free_to(&mut self, index: Index) {
        while self.lasts.front().is_some_and(|&last| last <= index) {
            self.lasts.pop_front();
        }
    }

    pub(crate) fn clear(&mut self) {
        self.lasts.clear();
    }
}
