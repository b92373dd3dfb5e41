//! What changed, so that a scheduler that looked before need not look at everything again.

use std::collections::VecDeque;
use std::sync::Arc;

use switchyard_model::{JobId, NodeId};

/// So many changes are kept beside two for each node; who is further behind looks at everything.
const KEPT: usize = 1 << 14;

/// One change. The cluster says how things stand now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// A job arrived, started, ended, went back or left.
    Job(JobId),
    /// What a node has free.
    Node(NodeId),
    /// A node went out of service or came back.
    Service(NodeId),
}

/// The last changes of one cluster. A copy of a cluster has a history of its own.
#[derive(Debug, Default)]
pub(crate) struct Journal {
    of: Arc<()>,
    /// The number of the first change that is still kept.
    first: u64,
    changes: VecDeque<Change>,
    spare: usize,
}

/// How far someone has read.
#[derive(Clone, Debug)]
pub(crate) struct Bookmark {
    of: Arc<()>,
    next: u64,
}

impl Journal {
    pub(crate) fn new(nodes: usize) -> Self {
        Journal { spare: 2 * nodes, ..Journal::default() }
    }

    pub(crate) fn note(&mut self, change: Change) {
        if self.changes.len() >= KEPT + self.spare {
            self.changes.pop_front();
            self.first += 1;
        }
        self.changes.push_back(change);
    }

    pub(crate) fn bookmark(&self) -> Bookmark {
        Bookmark { of: Arc::clone(&self.of), next: self.first + self.changes.len() as u64 }
    }

    /// The changes since `bookmark`, or `None` when it belongs to another cluster or they are no longer kept.
    pub(crate) fn since(&self, bookmark: &Bookmark) -> Option<impl Iterator<Item = Change> + '_> {
        let read = bookmark.next.checked_sub(self.first)?;
        let read = usize::try_from(read).ok().filter(|&read| read <= self.changes.len())?;
        Arc::ptr_eq(&self.of, &bookmark.of).then(|| self.changes.range(read..).copied())
    }
}

impl Clone for Journal {
    fn clone(&self) -> Self {
        Journal::new(self.spare / 2)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_reader_gets_what_is_new_or_hears_that_it_is_too_late() {
        let mut journal = Journal::new(0);
        let start = journal.bookmark();
        journal.note(Change::Job(JobId(1)));
        let middle = journal.bookmark();
        journal.note(Change::Node(NodeId(7)));
        let read = |journal: &Journal, mark| journal.since(mark).map(Iterator::collect::<Vec<_>>);
        assert_eq!(read(&journal, &middle).unwrap(), [Change::Node(NodeId(7))]);
        assert_eq!(read(&journal, &start).unwrap().len(), 2);
        assert_eq!(read(&journal.clone(), &start), None);
        for _ in 0..KEPT {
            journal.note(Change::Job(JobId(2)));
        }
        assert_eq!(read(&journal, &start), None);
        assert_eq!(read(&journal, &journal.bookmark()).unwrap(), []);
    }
}
