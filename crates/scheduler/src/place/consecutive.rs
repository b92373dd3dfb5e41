//! Runs of consecutive nodes, the tightest that is enough: how Slurm chooses nodes where it knows no network.
//!
//! The rule is that of `_eval_nodes` in `src/plugins/select/cons_tres/job_test.c` (Slurm 22.05), for nodes of equal weight.
//! What it counts are free CPUs.

use std::ops::Range;

use switchyard_model::{NodeId, Resources, Shape};

use super::candidate::order;
use crate::amount::Kind;

/// A node that could take at least one part of a job.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Offer {
    pub(crate) node: NodeId,
    /// How many parts it could take.
    pub(crate) parts: u32,
    /// What it has free.
    pub(crate) free: Resources,
}

/// What the job still has to get.
#[derive(Clone, Copy, Debug)]
struct Missing {
    parts: u32,
    nodes: i64,
    /// Of what counts. Nodes count with all that they have free, so that this may fall below nothing.
    size: i64,
}

impl Missing {
    const fn nothing(&self) -> bool {
        self.parts == 0 && self.nodes <= 0 && self.size <= 0
    }
}

/// Chooses from offers in node order: the places of those that are taken, with the parts that each takes. `None` if they aren't
/// enough.
///
/// Again and again the best run of neighbours is used up, until nothing is missing. The best is one that is enough and has the least
/// free, the first if there are several. If none is enough, it is the one that has the most free. A run with too few nodes that has
/// more free than one that is enough, and comes after it, is taken for better: so does Slurm. Where one node is left to choose,
/// it is the one in the run that has the least free.
pub(crate) fn choose(shape: &Shape, offers: &[Offer]) -> Option<Vec<(usize, u32)>> {
    let (parts, each) = shape.parts();
    if parts == 0 {
        return Some(Vec::new());
    }
    let kind = if each.cpus > 0 { Kind::Cpus } else { order(each)[0] };
    let size = |offer: &Offer| i64::try_from(kind.of(&offer.free)).unwrap_or(i64::MAX);
    let is_nodes = matches!(shape, Shape::Nodes { .. });
    let mut missing = Missing {
        parts,
        nodes: if is_nodes { parts.into() } else { 1 },
        size: i64::try_from(kind.of(&each.scaled(parts))).unwrap_or(i64::MAX),
    };
    let mut runs = runs(offers);
    let mut taken = Vec::new();
    while missing.parts > 0 {
        let run = runs.remove(best(&runs, offers, &missing, size)?);
        let single = if missing.nodes <= 1 { single(&run, offers, &missing, size) } else { None };
        let range = single.map_or(run, |place| place..place + 1);
        for (place, offer) in range.clone().zip(offers.get(range).unwrap_or_default()) {
            if missing.nothing() {
                break;
            }
            let here = offer.parts.min(missing.parts);
            missing.parts -= here;
            missing.nodes -= 1;
            missing.size = missing.size.saturating_sub(size(offer));
            if here > 0 {
                taken.push((place, here));
            }
        }
    }
    Some(taken)
}

/// The offers of neighbours.
fn runs(offers: &[Offer]) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    let mut last: Option<NodeId> = None;
    for (place, offer) in offers.iter().enumerate() {
        match runs.last_mut() {
            Some(run) if last.is_some_and(|last| last.0 + 1 == offer.node.0) => run.end = place + 1,
            _ => runs.push(place..place + 1),
        }
        last = Some(offer.node);
    }
    runs
}

/// The place of the best run, if there is any.
fn best(
    runs: &[Range<usize>],
    offers: &[Offer],
    missing: &Missing,
    size: impl Fn(&Offer) -> i64,
) -> Option<usize> {
    let mut best: Option<(usize, bool, i64)> = None;
    for (place, run) in runs.iter().enumerate() {
        let offers = offers.get(run.clone()).unwrap_or_default();
        let has = offers.iter().fold(0i64, |sum, offer| sum.saturating_add(size(offer)));
        let parts: u64 = offers.iter().map(|offer| u64::from(offer.parts)).sum();
        let nodes = i64::try_from(offers.len()).unwrap_or(i64::MAX);
        let enough = has >= missing.size && nodes >= missing.nodes && parts >= u64::from(missing.parts);
        let is_better = best.is_none_or(|(_, best_enough, most)| match enough {
            true => !best_enough || has < most,
            false => has > most,
        });
        if is_better {
            best = Some((place, enough, has));
        }
    }
    best.map(|(place, ..)| place)
}

/// The one node of a run that has the least free and is enough.
fn single(
    run: &Range<usize>,
    offers: &[Offer],
    missing: &Missing,
    size: impl Fn(&Offer) -> i64,
) -> Option<usize> {
    let places = run.clone().zip(offers.get(run.clone()).unwrap_or_default());
    let enough = places.filter(|(_, offer)| size(offer) >= missing.size && offer.parts >= missing.parts);
    enough.min_by_key(|(place, offer)| (size(offer), *place)).map(|(place, _)| place)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// On nodes with so many CPUs free each.
    fn on(shape: Shape, free: &[u32]) -> Option<Vec<(u32, u32)>> {
        let offer = |(node, &cpus): (u32, &u32)| {
            let free = Resources::cpus(cpus);
            let parts = crate::request::parts_on(&shape, &free);
            (parts > 0).then_some(Offer { node: NodeId(node), parts, free })
        };
        let offers: Vec<Offer> = (0..).zip(free).filter_map(offer).collect();
        let taken = choose(&shape, &offers)?;
        Some(taken.into_iter().map(|(place, parts)| (offers[place].node.0, parts)).collect())
    }

    fn nodes(nodes: u32, cpus: u32, free: &[u32]) -> Option<Vec<u32>> {
        let mut taken = on(Shape::Nodes { nodes, per_node: Resources::cpus(cpus) }, free)?;
        taken.sort_unstable();
        Some(taken.into_iter().map(|(node, _)| node).collect())
    }

    #[test]
    fn the_tightest_run_that_is_enough() {
        assert_eq!(nodes(1, 1, &[2, 2, 2, 2]), Some(vec![0]));
        // One run of one node, one of two.
        assert_eq!(nodes(1, 1, &[2, 0, 2, 2]), Some(vec![0]));
        assert_eq!(nodes(1, 1, &[2, 2, 0, 2]), Some(vec![3]));
        assert_eq!(nodes(2, 1, &[2, 0, 2, 2]), Some(vec![2, 3]));
        assert_eq!(nodes(2, 2, &[2, 0, 2, 1]), Some(vec![0, 2]));
        assert_eq!(nodes(3, 2, &[2, 0, 2, 1]), None);
        // Within a run, the node that has the least left for a job of one, and the lowest for others.
        assert_eq!(nodes(1, 1, &[2, 2, 1, 2]), Some(vec![2]));
        assert_eq!(nodes(2, 1, &[2, 2, 1, 2]), Some(vec![0, 1]));
    }

    #[test]
    fn a_larger_run_behind_that_is_not_enough_goes_first() {
        // Three nodes with 1 free are enough, two with 2 are not and have more. Then one is missing, from the first run.
        assert_eq!(nodes(3, 1, &[1, 1, 1, 0, 2, 2]), Some(vec![0, 4, 5]));
        assert_eq!(nodes(3, 1, &[2, 2, 0, 1, 1, 1]), Some(vec![3, 4, 5]));
    }

    #[test]
    fn tasks_fill_one_node_if_one_holds_them() {
        let tasks = |tasks, cpus| Shape::Tasks { tasks, per_task: Resources::cpus(cpus) };
        assert_eq!(on(tasks(3, 1), &[2, 4, 3, 8]), Some(vec![(2, 3)]));
        assert_eq!(on(tasks(6, 1), &[2, 4, 3, 3]), Some(vec![(0, 2), (1, 4)]));
        assert_eq!(on(tasks(5, 2), &[3, 3, 0, 8]), Some(vec![(3, 4), (0, 1)]));
        assert_eq!(on(tasks(7, 2), &[3, 3, 0, 8]), None);
        assert_eq!(on(tasks(0, 2), &[3]), Some(vec![]));
    }
}
