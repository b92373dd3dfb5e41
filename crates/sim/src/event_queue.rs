//! What happens next: a queue ordered by time, and by the order of asking within one instant, but for what is to come last
//! then.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use switchyard_model::SimTime;

/// Things to come, earliest first; those of one instant in the order in which they were pushed.
#[derive(Clone, Debug)]
pub(crate) struct EventQueue<T> {
    heap: BinaryHeap<Queued<T>>,
    next_sequence: u64,
}

/// Set in the numbers of things that come last in their instant.
const LAST: u64 = 1 << 63;

#[derive(Clone, Debug)]
struct Queued<T> {
    at: SimTime,
    sequence: u64,
    what: T,
}

impl<T> EventQueue<T> {
    pub(crate) fn new() -> Self {
        EventQueue { heap: BinaryHeap::new(), next_sequence: 0 }
    }

    pub(crate) fn push(&mut self, at: SimTime, what: T) {
        self.heap.push(Queued { at, sequence: self.next_sequence, what });
        self.next_sequence += 1;
    }

    /// Comes after everything that is pushed for `at`, be it later than this.
    pub(crate) fn push_last(&mut self, at: SimTime, what: T) {
        self.heap.push(Queued { at, sequence: LAST | self.next_sequence, what });
        self.next_sequence += 1;
    }

    pub(crate) fn next_at(&self) -> Option<SimTime> {
        self.heap.peek().map(|queued| queued.at)
    }

    pub(crate) fn pop(&mut self) -> Option<(SimTime, T)> {
        self.heap.pop().map(|queued| (queued.at, queued.what))
    }
}

impl<T> PartialEq for Queued<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<T> Eq for Queued<T> {}

impl<T> PartialOrd for Queued<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Queued<T> {
    /// Reversed: the heap gives the largest, and we want the earliest.
    fn cmp(&self, other: &Self) -> Ordering {
        (other.at, other.sequence).cmp(&(self.at, self.sequence))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_times_keep_the_order_of_asking() {
        let mut queue = EventQueue::new();
        queue.push(SimTime::from_secs(2), 'c');
        queue.push(SimTime::from_secs(1), 'a');
        queue.push(SimTime::from_secs(1), 'b');
        assert_eq!(queue.next_at(), Some(SimTime::from_secs(1)));
        let order: String = std::iter::from_fn(|| queue.pop()).map(|(_, what)| what).collect();
        assert_eq!(order, "abc");
    }

    #[test]
    fn what_comes_last_waits_for_all_of_its_instant() {
        let mut queue = EventQueue::new();
        queue.push_last(SimTime::from_secs(1), 'y');
        queue.push_last(SimTime::from_secs(1), 'z');
        queue.push(SimTime::from_secs(2), 'c');
        queue.push(SimTime::from_secs(1), 'a');
        let order: String = std::iter::from_fn(|| queue.pop()).map(|(_, what)| what).collect();
        assert_eq!(order, "ayzc");
    }
}
