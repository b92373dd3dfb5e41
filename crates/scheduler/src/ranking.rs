//! The queue in order, in blocks that can be passed over when nobody in them could start.
//!
//! A pass looks for jobs that fit into what is free and end in time. In a long queue nearly all are too large or too long, so
//! each block knows the shortest limit among its small jobs, its middling ones, and so on.

use switchyard_model::{JobId, Resources, SimDuration, SimTime};

use crate::Pending;

const BLOCK_MAX: usize = 128;
/// Class k holds jobs of up to 2^(k - CLASSES + 1) of the fleet.
const CLASSES: usize = 12;
/// A whole fleet, in the unit of [`part`].
const WHOLE: u32 = 1 << 24;

/// The part of the fleet's `whole` that `amount` is, in 2^-24, rounded down: if one amount fits into another, its part is no
/// larger.
fn part(amount: u32, whole: u32) -> u32 {
    let scaled = u64::from(amount) * u64::from(WHOLE);
    let part = scaled.checked_div(u64::from(whole)).unwrap_or(0);
    u32::try_from(part).unwrap_or(WHOLE).min(WHOLE)
}

/// The smallest class that holds all parts up to this.
fn class(part: u32) -> usize {
    (0..CLASSES).find(|&class| part <= WHOLE >> (CLASSES - 1 - class)).unwrap_or(CLASSES - 1)
}

/// What jobs are counted in: those that want GPUs in GPUs, all others in processors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Cpus,
    Gpus,
}

impl Unit {
    const fn of(total: &Resources) -> Unit {
        if total.gpus > 0 { Unit::Gpus } else { Unit::Cpus }
    }

    /// The class of `amount` in this unit.
    fn class(self, amount: &Resources, fleet: &Resources) -> usize {
        match self {
            Unit::Cpus => class(part(amount.cpus, fleet.cpus)),
            Unit::Gpus => class(part(amount.gpus, fleet.gpus)),
        }
    }
}

/// A place in the queue: higher tiers first, then lower ranks, then earlier arrivals, then lower numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    /// Counted down from the highest tier there can be.
    below: u16,
    rank: u64,
    pub(crate) submitted: SimTime,
    pub(crate) job: JobId,
}

impl Key {
    /// `rank` in the total order of floats.
    pub(crate) fn new(rank: f64, job: &Pending) -> Key {
        let bits = rank.to_bits();
        let ordered = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
        Key { below: u16::MAX - job.tier(), rank: ordered, submitted: job.submitted, job: job.spec.id }
    }
}

/// A waiting job, as much of it as tells whether it is worth a look.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) key: Key,
    total: Resources,
    class: u8,
    limit: SimDuration,
}

impl Entry {
    pub(crate) fn new(key: Key, job: &Pending, fleet: &Resources) -> Entry {
        Entry::of(key, job.request.total, job.spec.limit, fleet)
    }

    fn of(key: Key, total: Resources, limit: SimDuration, fleet: &Resources) -> Entry {
        Entry { key, total, class: Unit::of(&total).class(&total, fleet) as u8, limit }
    }
}

/// Who could start: what fits into `free`, and either is no longer than `left` or fits into `spare`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sieve {
    pub(crate) free: Resources,
    pub(crate) left: SimDuration,
    pub(crate) spare: Resources,
    pub(crate) fleet: Resources,
}

impl Sieve {
    fn lets(&self, entry: &Entry) -> bool {
        self.free.covers(&entry.total) && (entry.limit <= self.left || self.spare.covers(&entry.total))
    }

    /// The highest classes of jobs that fit into what is free and into what can be spared, in both units.
    fn classes(&self) -> [(usize, usize); 2] {
        let spare = self.spare.min(&self.free);
        [Unit::Cpus, Unit::Gpus]
            .map(|unit| (unit.class(&self.free, &self.fleet), unit.class(&spare, &self.fleet)))
    }
}

#[derive(Clone, Debug, Default)]
struct Block {
    entries: Vec<Entry>,
    /// By unit: the shortest limit among the jobs of each class and those below.
    shortest: [[Option<SimDuration>; CLASSES]; 2],
}

impl Block {
    fn of(entries: Vec<Entry>) -> Block {
        let mut block = Block { entries, ..Block::default() };
        block.survey();
        block
    }

    fn survey(&mut self) {
        self.shortest = Default::default();
        for entry in &self.entries {
            let of_unit = self.shortest.get_mut(Unit::of(&entry.total) as usize);
            if let Some(shortest) = of_unit.and_then(|classes| classes.get_mut(usize::from(entry.class))) {
                *shortest = Some(shortest.map_or(entry.limit, |least| least.min(entry.limit)));
            }
        }
        for classes in &mut self.shortest {
            let mut least: Option<SimDuration> = None;
            for shortest in classes {
                least = match (least, *shortest) {
                    (Some(a), Some(b)) => Some(a.min(b)),
                    (a, b) => a.or(b),
                };
                *shortest = least;
            }
        }
    }

    fn may_pass(&self, left: SimDuration, classes: &[(usize, usize); 2]) -> bool {
        self.shortest.iter().zip(classes).any(|(shortest, &(free, spare))| {
            let among = |class: usize| shortest.get(class).copied().flatten();
            among(free).is_some_and(|shortest| shortest <= left) || among(spare).is_some()
        })
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

    /// All keys in order.
    pub(crate) fn keys(&self) -> impl Iterator<Item = Key> + '_ {
        self.blocks.iter().flat_map(|block| &block.entries).map(|entry| entry.key)
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
        let mut classes = sieve.classes();
        for block in self.blocks.iter().skip(first) {
            if !block.may_pass(sieve.left, &classes) {
                continue;
            }
            for entry in &block.entries {
                if Some(entry.key) > after && sieve.lets(entry) {
                    match look(entry.key) {
                        Some(next) => (sieve, classes) = (next, next.classes()),
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

    const FLEET: Resources = Resources { cpus: 4096, gpus: 64, memory_mib: 0 };

    fn amount(cpus: u32, gpus: u32) -> Resources {
        Resources { cpus, gpus, memory_mib: 0 }
    }

    fn entry(rank: u64, total: Resources, limit: u64) -> Entry {
        let key = Key { below: 0, rank, submitted: SimTime::ZERO, job: JobId(rank) };
        Entry::of(key, total, SimDuration::from_secs(limit), &FLEET)
    }

    fn amounts() -> impl Strategy<Value = Resources> {
        (0u32..=12, 0u32..=5000, prop_oneof![Just(0), 1u32..=64])
            .prop_map(|(shift, cpus, gpus)| amount((cpus >> shift).min(4096), gpus))
    }

    #[test]
    fn ranks_are_ordered_as_numbers() {
        let job = |rank| {
            let bits = f64::to_bits(rank);
            if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
        };
        let ranks = [f64::NEG_INFINITY, -2.5, -0.0, 0.0, 1e-9, 7.0, f64::INFINITY].map(job);
        assert!(ranks.is_sorted());
    }

    proptest! {
        /// Inserting and removing in any order, then sifting, gives what sorting and filtering gives.
        #[test]
        fn sifting_is_filtering(
            rows in prop::collection::vec((0u64..2000, amounts(), 0u64..100, any::<bool>()), 0..600),
            free in amounts(), spare in amounts(), left in 0u64..100, after in prop::option::of(0u64..2000),
        ) {
            let mut ranking = Ranking::default();
            let mut kept = std::collections::BTreeMap::new();
            for (rank, total, limit, _) in &rows {
                if kept.insert(*rank, (*total, *limit)).is_none() {
                    ranking.insert(entry(*rank, *total, *limit));
                } else {
                    ranking.remove(entry(*rank, Resources::default(), 0).key);
                    ranking.insert(entry(*rank, *total, *limit));
                }
            }
            for (rank, _, _, removed) in &rows {
                if *removed && kept.remove(rank).is_some() {
                    ranking.remove(entry(*rank, Resources::default(), 0).key);
                }
            }
            prop_assert_eq!(ranking.len(), kept.len());
            let keys: Vec<u64> = ranking.keys().map(|key| key.job.0).collect();
            prop_assert_eq!(&keys, &kept.keys().copied().collect::<Vec<_>>());
            let sieve = Sieve { free, left: SimDuration::from_secs(left), spare, fleet: FLEET };
            let mut seen = Vec::new();
            ranking.sift(after.map(|rank| entry(rank, Resources::default(), 0).key), sieve, |key| {
                seen.push(key.job.0);
                Some(sieve)
            });
            let lets = |total: &Resources, limit: u64| free.covers(total) && (limit <= left || spare.covers(total));
            let behind = kept.iter().filter(|(rank, _)| after.is_none_or(|after| **rank > after));
            let expected: Vec<u64> = behind.filter(|(_, (total, limit))| lets(total, *limit)).map(|(rank, _)| *rank).collect();
            prop_assert_eq!(seen, expected);
        }
    }
}
