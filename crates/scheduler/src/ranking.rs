//! The queue in order, in blocks that can be passed over when nobody in them could start.
//!
//! A pass looks for jobs that fit into what is free and end in time. In a long queue nearly all are too large or too long, so
//! each block knows the shortest limit among its small jobs, its middling ones, and so on.

use std::cmp::Reverse;

use switchyard_model::{JobId, Resources, SimDuration, SimTime};

use crate::Pending;

const BLOCK_MAX: usize = 128;
/// Class k holds jobs of up to 2^(k - CLASSES + 1) of the fleet.
const CLASSES: usize = 12;
/// A whole fleet, in the unit of [`Share`].
const WHOLE: u32 = 1 << 24;

/// The largest part of any resource of the fleet that something is, in 2^-24.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Share(u32);

impl Share {
    /// All there is.
    pub(crate) const ALL: Share = Share(WHOLE);

    /// Rounded down. If one amount fits into another, its share is no larger.
    pub(crate) fn of(amount: &Resources, fleet: &Resources) -> Share {
        let part = |amount: u64, whole: u64| {
            let scaled = u128::from(amount) * u128::from(WHOLE);
            let part = scaled.checked_div(u128::from(whole)).unwrap_or(0);
            u32::try_from(part).unwrap_or(WHOLE).min(WHOLE)
        };
        let cpus = part(amount.cpus.into(), fleet.cpus.into());
        let gpus = part(amount.gpus.into(), fleet.gpus.into());
        Share(cpus.max(gpus).max(part(amount.memory_mib, fleet.memory_mib)))
    }

    /// The smallest class that holds everything up to this.
    fn class(self) -> usize {
        (0..CLASSES).find(|&class| self.0 <= WHOLE >> (CLASSES - 1 - class)).unwrap_or(CLASSES - 1)
    }
}

/// What decides first about a place in the queue: higher tiers first, then lower values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Rank {
    tier: Reverse<u16>,
    value: u64,
}

impl Rank {
    /// `value` in the total order of floats.
    pub(crate) const fn new(tier: u16, value: f64) -> Rank {
        let bits = value.to_bits();
        Rank { tier: Reverse(tier), value: if bits >> 63 == 1 { !bits } else { bits | 1 << 63 } }
    }
}

/// A place in the queue: lower ranks first, then earlier arrivals, then lower numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    rank: Rank,
    pub(crate) submitted: SimTime,
    pub(crate) job: JobId,
}

impl Key {
    pub(crate) fn new(rank: Rank, job: &Pending) -> Key {
        Key { rank, submitted: job.submitted, job: job.spec.id }
    }

    /// The rank's value without the tier, in an order of its own: lower first. Equal where only arrival or number tell two jobs
    /// apart.
    pub(crate) const fn value(self) -> u64 {
        self.rank.value
    }

    /// The rank's value as it was given.
    pub(crate) const fn value_as_given(self) -> f64 {
        let value = self.rank.value;
        f64::from_bits(if value >> 63 == 1 { value & !(1 << 63) } else { !value })
    }
}

/// A waiting job, as much of it as tells whether it is worth a look.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) key: Key,
    pub(crate) share: Share,
    pub(crate) limit: SimDuration,
}

impl Entry {
    pub(crate) fn new(key: Key, job: &Pending, fleet: &Resources) -> Entry {
        Entry { key, share: Share::of(&job.request.total, fleet), limit: job.spec.limit }
    }
}

/// Who could start: no larger than `free`, and either no longer than `left` or no larger than `spare`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sieve {
    pub(crate) free: Share,
    pub(crate) left: SimDuration,
    pub(crate) spare: Share,
}

impl Sieve {
    fn lets(&self, entry: &Entry) -> bool {
        entry.share <= self.free && (entry.limit <= self.left || entry.share <= self.spare)
    }

    fn may_let(&self, block: &Block) -> bool {
        let shortest = |share: Share| block.shortest.get(share.class()).copied().flatten();
        shortest(self.free).is_some_and(|shortest| shortest <= self.left)
            || shortest(self.spare.min(self.free)).is_some()
    }
}

#[derive(Clone, Debug, Default)]
struct Block {
    entries: Vec<Entry>,
    /// The shortest limit among the jobs of each class and those below.
    shortest: [Option<SimDuration>; CLASSES],
}

impl Block {
    fn of(entries: Vec<Entry>) -> Block {
        let mut block = Block { entries, ..Block::default() };
        block.survey();
        block
    }

    fn survey(&mut self) {
        self.shortest = [None; CLASSES];
        for entry in &self.entries {
            if let Some(shortest) = self.shortest.get_mut(entry.share.class()) {
                *shortest = Some(shortest.map_or(entry.limit, |least| least.min(entry.limit)));
            }
        }
        let mut least: Option<SimDuration> = None;
        for shortest in &mut self.shortest {
            least = match (least, *shortest) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            };
            *shortest = least;
        }
    }

    fn last(&self) -> Option<Key> {
        self.entries.last().map(|entry| entry.key)
    }
}

/// The waiting jobs in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ranking {
    blocks: Vec<Block>,
    len: usize,
}

impl Ranking {
    /// All of these, in any order.
    pub(crate) fn of(mut entries: Vec<Entry>) -> Ranking {
        entries.sort_unstable_by_key(|entry| entry.key);
        let blocks = entries.chunks(BLOCK_MAX / 2).map(|chunk| Block::of(chunk.to_vec())).collect();
        Ranking { blocks, len: entries.len() }
    }

    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn insert(&mut self, entry: Entry) {
        let place = self.blocks.partition_point(|block| block.last() < Some(entry.key));
        let place = place.min(self.blocks.len().saturating_sub(1));
        self.len += 1;
        let Some(block) = self.blocks.get_mut(place) else {
            self.blocks.push(Block::of(vec![entry]));
            return;
        };
        let at = block.entries.partition_point(|other| other.key < entry.key);
        block.entries.insert(at, entry);
        if block.entries.len() > BLOCK_MAX {
            // Queues mostly grow at the end: a full last block is left as it is.
            let at_end = at == BLOCK_MAX;
            let tail = block.entries.split_off(if at_end { BLOCK_MAX } else { BLOCK_MAX / 2 });
            block.survey();
            self.blocks.insert(place + 1, Block::of(tail));
        } else {
            block.survey();
        }
    }

    pub(crate) fn remove(&mut self, key: Key) {
        let place = self.blocks.partition_point(|block| block.last() < Some(key));
        let Some(block) = self.blocks.get_mut(place) else { return };
        let Ok(at) = block.entries.binary_search_by_key(&key, |entry| entry.key) else { return };
        block.entries.remove(at);
        self.len -= 1;
        if block.entries.is_empty() {
            self.blocks.remove(place);
        } else {
            block.survey();
        }
    }

    /// All jobs in order.
    pub(crate) fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.blocks.iter().flat_map(|block| &block.entries)
    }

    /// All keys in order.
    pub(crate) fn keys(&self) -> impl Iterator<Item = Key> + '_ {
        self.entries().map(|entry| entry.key)
    }

    /// Gives the jobs behind `after` (all, if `None`) to `look` that the sieve lets through; `look` says how the sieve is from
    /// then on, or `None` to stop.
    pub(crate) fn sift(
        &self,
        after: Option<Key>,
        mut sieve: Sieve,
        mut look: impl FnMut(Key) -> Option<Sieve>,
    ) {
        let first = self.blocks.partition_point(|block| block.last() <= after);
        for block in self.blocks.iter().skip(first) {
            if !sieve.may_let(block) {
                continue;
            }
            for entry in &block.entries {
                if Some(entry.key) > after && sieve.lets(entry) {
                    match look(entry.key) {
                        Some(next) => sieve = next,
                        None => return,
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn entry(rank: u64, share: u32, limit: u64) -> Entry {
        Entry {
            key: Key { rank: Rank::new(1, rank as f64), submitted: SimTime::ZERO, job: JobId(rank) },
            share: Share(share),
            limit: SimDuration::from_secs(limit),
        }
    }

    #[test]
    fn ranks_are_ordered_as_numbers() {
        let values = [f64::NEG_INFINITY, -2.5, -0.0, 0.0, 1e-9, 7.0, f64::INFINITY];
        assert!(values.map(|value| Rank::new(1, value)).is_sorted());
        assert!(Rank::new(2, 7.0) < Rank::new(1, 1e-9));
        for value in values {
            let key = Key { rank: Rank::new(1, value), submitted: SimTime::ZERO, job: JobId(1) };
            assert_eq!(key.value_as_given().to_bits(), value.to_bits());
        }
    }

    proptest! {
        /// Inserting and removing in any order, then sifting, gives what sorting and filtering gives.
        #[test]
        fn sifting_is_filtering(
            rows in prop::collection::vec((0u64..2000, 0..=WHOLE, 0u64..100, any::<bool>()), 0..600),
            free in 0..=WHOLE, spare in 0..=WHOLE, left in 0u64..100, after in prop::option::of(0u64..2000),
        ) {
            let mut ranking = Ranking::default();
            let mut kept = std::collections::BTreeMap::new();
            for (rank, share, limit, _) in &rows {
                if kept.insert(*rank, (*share, *limit)).is_none() {
                    ranking.insert(entry(*rank, *share, *limit));
                } else {
                    ranking.remove(entry(*rank, 0, 0).key);
                    ranking.insert(entry(*rank, *share, *limit));
                }
            }
            for (rank, _, _, removed) in &rows {
                if *removed && kept.remove(rank).is_some() {
                    ranking.remove(entry(*rank, 0, 0).key);
                }
            }
            prop_assert_eq!(ranking.len(), kept.len());
            let keys: Vec<u64> = ranking.keys().map(|key| key.job.0).collect();
            prop_assert_eq!(&keys, &kept.keys().copied().collect::<Vec<_>>());
            let sieve = Sieve { free: Share(free), left: SimDuration::from_secs(left), spare: Share(spare) };
            let mut seen = Vec::new();
            ranking.sift(after.map(|rank| entry(rank, 0, 0).key), sieve, |key| {
                seen.push(key.job.0);
                Some(sieve)
            });
            let lets = |share: u32, limit: u64| share <= free && (limit <= left || share <= spare);
            let behind = kept.iter().filter(|(rank, _)| after.is_none_or(|after| **rank > after));
            let expected: Vec<u64> = behind.filter(|(_, (share, limit))| lets(*share, *limit)).map(|(rank, _)| *rank).collect();
            prop_assert_eq!(seen, expected);
        }
    }
}
