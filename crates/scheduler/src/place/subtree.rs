//! The smallest node, rack or switch that holds a job, and as few racks as can be where it takes several.
//!
//! As Slurm's `topology/tree`: the lowest switch with enough, the one with the least to spare among several.

use switchyard_model::Resources;

use super::candidate::{Candidate, Level, Taken, order};
use super::greedy;
use super::ground::Ground;
use crate::amount::Kind;

/// How large a group is, smallest first: how many parts it has room for, and what is free there.
type Size = [u64; 4];

/// How large a group is, and the groups that it lies in, the nearest first.
type Nested = [Size; Level::TREE.len()];

/// Chooses among candidates that have room for all `parts` together. `levels` is what to look at, the nearest first.
pub(super) fn smallest(
    ground: &Ground<'_>,
    each: &Resources,
    levels: &[Level],
    candidates: &[Candidate],
    parts: u32,
) -> Taken {
    let look = Look { ground, each, order: order(each) };
    for (at, _) in levels.iter().enumerate() {
        if let Some(group) = look.smallest_at(levels.get(at..).unwrap_or_default(), candidates, parts) {
            let mut taken = Vec::new();
            look.fill(levels.get(..at).unwrap_or_default(), group, parts, &mut taken);
            return taken;
        }
    }
    let mut taken = Vec::new();
    look.fill(levels, candidates, parts, &mut taken);
    taken
}

/// The smallest group of the first of `levels` that has room for all `parts`; the others are what it lies in.
pub(super) fn smallest_group<'c>(
    ground: &Ground<'_>,
    each: &Resources,
    levels: &[Level],
    candidates: &'c [Candidate],
    parts: u32,
) -> Option<&'c [Candidate]> {
    Look { ground, each, order: order(each) }.smallest_at(levels, candidates, parts)
}

struct Look<'a> {
    ground: &'a Ground<'a>,
    each: &'a Resources,
    order: [Kind; 3],
}

impl Look<'_> {
    fn groups<'c>(&self, level: Level, candidates: &'c [Candidate]) -> impl Iterator<Item = &'c [Candidate]> {
        let fleet = self.ground.fleet;
        candidates.chunk_by(move |a, b| level.group(fleet, a) == level.group(fleet, b))
    }

    fn size(&self, level: Level, group: &[Candidate]) -> Size {
        let parts = room(group);
        let mut free = [0u64; 3];
        for candidate in group {
            for (sum, kind) in free.iter_mut().zip(&self.order) {
                *sum += kind.of(&candidate.free);
            }
        }
        let [first, second, third] = free;
        if level.counts_parts() { [parts, first, second, third] } else { [first, second, third, parts] }
    }

    fn smallest_at<'c>(
        &self,
        levels: &[Level],
        candidates: &'c [Candidate],
        parts: u32,
    ) -> Option<&'c [Candidate]> {
        let mut best = None;
        self.search(levels, candidates, parts, Nested::default(), &mut best);
        best.map(|(_, group)| group)
    }

    /// Looks for smaller groups of the first of `levels` within groups of the others. Ties stay with the first found.
    fn search<'c>(
        &self,
        levels: &[Level],
        candidates: &'c [Candidate],
        parts: u32,
        around: Nested,
        best: &mut Option<(Nested, &'c [Candidate])>,
    ) {
        let Some((level, below)) = levels.split_last() else { return };
        for group in self.groups(*level, candidates) {
            if room(group) < u64::from(parts) {
                continue;
            }
            let mut nested = around;
            if let Some(size) = nested.get_mut(below.len()) {
                *size = self.size(*level, group);
            }
            if !below.is_empty() {
                self.search(below, group, parts, nested, best);
            } else if best.as_ref().is_none_or(|(smallest, _)| nested < *smallest) {
                *best = Some((nested, group));
            }
        }
    }

    /// Takes as few groups as can be: the largest first, for the rest the smallest that is enough; and so on within that.
    fn fill(&self, levels: &[Level], candidates: &[Candidate], mut parts: u32, taken: &mut Taken) {
        let Some((level, below)) = levels.split_last() else {
            return self.fill_bottom(candidates, parts, taken);
        };
        if *level == Level::Node {
            return self.fill_bottom(candidates, parts, taken);
        }
        let mut groups: Vec<(u64, Size, &[Candidate])> = Vec::new();
        for group in self.groups(*level, candidates) {
            groups.push((room(group), self.size(*level, group), group));
        }
        // Stable: the lowest numbers first where groups are alike.
        groups.sort_by(|(a, size_a, _), (b, size_b, _)| b.cmp(a).then_with(|| size_a.cmp(size_b)));
        let mut rest = groups.into_iter().peekable();
        while let Some((_, _, group)) = rest.next_if(|(room, ..)| *room < u64::from(parts)) {
            for candidate in group {
                taken.push((*candidate, candidate.parts));
                parts -= candidate.parts;
            }
        }
        let enough = rest.take_while(|(room, ..)| *room >= u64::from(parts));
        if let Some((.., group)) =
            enough.min_by(|(a, size_a, _), (b, size_b, _)| (a, size_a).cmp(&(b, size_b)))
        {
            self.fill(below, group, parts, taken);
        }
    }

    /// One node if one is enough, else best fit.
    fn fill_bottom(&self, candidates: &[Candidate], parts: u32, taken: &mut Taken) {
        let enough = candidates.iter().filter(|candidate| candidate.parts >= parts);
        match enough.min_by_key(|candidate| candidate.left(self.each, parts, &self.order)) {
            Some(candidate) => taken.push((*candidate, parts)),
            None => taken.extend(greedy::least_left(parts, self.each, candidates)),
        }
    }
}

/// For how many parts there is room.
fn room(group: &[Candidate]) -> u64 {
    group.iter().map(|candidate| u64::from(candidate.parts)).sum()
}
