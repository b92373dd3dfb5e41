//! Time in segments, each with the set of nodes that are kept for someone.

use switchyard_model::{NodeId, SimTime};

use super::bits;

/// From the beginning of time to its end. Which nodes are kept changes only where a segment begins.
#[derive(Clone, Debug, Default)]
pub(super) struct Segments {
    /// How many words a set of nodes takes.
    words: usize,
    begins: Vec<SimTime>,
    /// The nodes that are kept, segment by segment.
    kept: Vec<u64>,
    /// How many are not kept.
    left: Vec<u32>,
}

impl Segments {
    /// Nobody keeps anything.
    pub(super) fn clear(&mut self, nodes: usize) {
        self.words = nodes.div_ceil(64);
        self.begins.clear();
        self.begins.push(SimTime::ZERO);
        self.kept.clear();
        self.kept.resize(self.words, 0);
        self.left.clear();
        self.left.push(u32::try_from(nodes).unwrap_or(u32::MAX));
    }

    /// When a segment begins; `None` behind the last.
    pub(super) fn begin(&self, segment: usize) -> Option<SimTime> {
        self.begins.get(segment).copied()
    }

    /// The segment with this time.
    pub(super) fn at(&self, time: SimTime) -> usize {
        self.begins.partition_point(|begin| *begin <= time).saturating_sub(1)
    }

    /// The segment with this time, which is not before the segment `first`.
    pub(super) fn at_or_after(&self, first: usize, time: SimTime) -> usize {
        let later = self.begins.get(first + 1..).unwrap_or_default();
        first + later.iter().take_while(|begin| **begin <= time).count()
    }

    /// The nodes that are kept in a segment.
    pub(super) fn kept(&self, segment: usize) -> &[u64] {
        let from = segment * self.words;
        self.kept.get(from..from + self.words).unwrap_or_default()
    }

    /// The first segment from this one on in which at least so many nodes are not kept.
    pub(super) fn next_with(&self, segment: usize, nodes: u32) -> Option<usize> {
        let left = self.left.get(segment..)?;
        Some(segment + left.iter().position(|left| *left >= nodes)?)
    }

    /// Whether fewer nodes than that are not kept.
    pub(super) fn is_short(&self, segment: usize, nodes: u32) -> bool {
        self.left.get(segment).is_some_and(|left| *left < nodes)
    }

    /// Keeps nodes from `from` to `to`.
    pub(super) fn keep(&mut self, nodes: &[NodeId], from: SimTime, to: SimTime) {
        let (first, last) = (self.split(from), self.split(to));
        for segment in first..last {
            let range = segment * self.words..(segment + 1) * self.words;
            if let (Some(kept), Some(left)) = (self.kept.get_mut(range), self.left.get_mut(segment)) {
                for node in nodes.iter().map(|node| node.index()) {
                    if !bits::contains(kept, node) {
                        *left = left.saturating_sub(1);
                        bits::insert(kept, node);
                    }
                }
            }
        }
    }

    /// Makes a segment begin at `at`, and returns it.
    fn split(&mut self, at: SimTime) -> usize {
        let segment = self.at(at);
        if self.begins.get(segment) == Some(&at) {
            return segment;
        }
        let (from, to) = (segment * self.words, (segment + 1) * self.words);
        self.begins.insert(segment + 1, at);
        self.left.insert(segment + 1, self.left.get(segment).copied().unwrap_or_default());
        // The last set moves to the end, and all behind it by one.
        let end = self.kept.len();
        self.kept.resize(end + self.words, 0);
        self.kept.copy_within(to..end, to + self.words);
        self.kept.copy_within(from..to, to);
        segment + 1
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn nodes_are_kept_between_two_times() {
        let at = SimTime::from_secs;
        let mut segments = Segments::default();
        segments.clear(70);
        segments.keep(&[NodeId(0), NodeId(69)], at(10), at(30));
        segments.keep(&[NodeId(1)], at(20), at(40));
        let begins: Vec<_> = (0..).map_while(|segment| segments.begin(segment)).collect();
        assert_eq!(begins, [0, 10, 20, 30, 40].map(at));
        let kept: Vec<Vec<usize>> =
            (0..5).map(|segment| bits::iter(segments.kept(segment)).collect()).collect();
        assert_eq!(kept, [vec![], vec![0, 69], vec![0, 1, 69], vec![1], vec![]]);
        assert_eq!((segments.at(at(19)), segments.at(at(20))), (1, 2));
        assert_eq!(segments.next_with(1, 68), Some(1));
        assert_eq!(segments.next_with(1, 69), Some(3));
        assert_eq!(segments.next_with(0, 71), None);
        assert!(segments.is_short(2, 68) && !segments.is_short(2, 67));
        // Twice is as good as once.
        segments.keep(&[NodeId(0)], at(0), at(30));
        assert!(segments.is_short(2, 68) && !segments.is_short(2, 67));
        assert!(segments.is_short(0, 70) && !segments.is_short(0, 69));
    }
}
