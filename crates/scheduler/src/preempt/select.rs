//! Which of the candidates have to go, so that a job fits.

use std::collections::BTreeSet;

use switchyard_model::{JobId, NodeId, Placement, Resources, Shape};

use super::Preempt;
use crate::place::first_fit;

/// A running job that may have to go.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate<'a> {
    pub(crate) job: JobId,
    pub(crate) placement: &'a Placement,
}

/// One search: gives up candidates in order until the job fits.
struct Search {
    /// How many were given up.
    freed: usize,
    nodes: BTreeSet<NodeId>,
}

/// Which of `candidates`, in this order, have to go; `None` when not even all of them make room.
///
/// `free` is what the job may use of each node now; `None` where it may use nothing whoever goes. `alone` is what each node has when
/// it is idle, if the job shares with nobody. The candidates are given up
/// one by one until the job fits on the lowest numbers; then they are sorted in a way that may need fewer, and it is tried
/// again. In the end those go that were given up and hold a node that was chosen.
///
/// After Slurm's `select/cons_tres`, whose choice of nodes is another one.
pub(crate) fn select(
    shape: &Shape,
    free: &[Option<Resources>],
    alone: Option<&[Resources]>,
    candidates: &[Candidate<'_>],
    rules: &Preempt,
) -> Option<Vec<JobId>> {
    let mut order = candidates.to_vec();
    let mut searches: usize = 0;
    loop {
        let Search { freed, nodes } = search(shape, free, alone, &order)?;
        let before = searches;
        searches += 1;
        if before > rules.reorder_count as usize || order.len() <= searches {
            let given_up = order.iter().take(freed);
            let holds =
                |candidate: &&Candidate<'_>| candidate.placement.nodes().any(|node| nodes.contains(&node));
            return Some(given_up.filter(holds).map(|candidate| candidate.job).collect());
        }
        let last = freed.saturating_sub(1).min(order.len());
        let mut rest = order.split_off(last);
        if !rules.strict_order {
            let overlap = |candidate: &Candidate<'_>| {
                candidate.placement.nodes().filter(|node| nodes.contains(node)).count()
            };
            order.sort_by_key(|candidate| std::cmp::Reverse(overlap(candidate)));
        }
        let later = rest.split_off(1.min(rest.len()));
        rest.extend(order);
        rest.extend(later);
        order = rest;
    }
}

fn search(
    shape: &Shape,
    free: &[Option<Resources>],
    alone: Option<&[Resources]>,
    order: &[Candidate<'_>],
) -> Option<Search> {
    let mut free = free.to_vec();
    for (place, candidate) in order.iter().enumerate() {
        for share in &candidate.placement.0 {
            if let Some(Some(free)) = free.get_mut(share.node.index()) {
                *free = free.plus(&share.resources());
            }
        }
        let is_closed = |node, free| alone.is_some_and(|all| all.get(node) != Some(free));
        let usable = free.iter().enumerate().map(|(node, free)| match free {
            Some(free) if !is_closed(node, free) => *free,
            _ => Resources::default(),
        });
        if let Some(chosen) = first_fit(shape, usable) {
            let nodes = chosen.into_iter().map(|(node, _)| node).collect();
            return Some(Search { freed: place + 1, nodes });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use switchyard_model::{GpuSet, NodeShare};

    fn on(nodes: &[u32]) -> Placement {
        let share = |&node| NodeShare { node: NodeId(node), cpus: 1, memory_mib: 0, gpus: GpuSet(0) };
        Placement(nodes.iter().map(share).collect())
    }

    fn victims(need: u32, nodes: usize, placements: &[&[u32]], rules: &Preempt) -> Option<Vec<u64>> {
        let placements: Vec<Placement> = placements.iter().map(|nodes| on(nodes)).collect();
        let busy = |node: u32| placements.iter().any(|placement| placement.share_of(NodeId(node)).is_some());
        let free = |node| Some(if busy(node) { Resources::default() } else { Resources::cpus(1) });
        let free: Vec<_> = (0..).take(nodes).map(free).collect();
        let candidate = |(job, placement)| Candidate { job: JobId(job), placement };
        let candidates: Vec<_> = (0..).zip(&placements).map(candidate).collect();
        let shape = Shape::Nodes { nodes: need, per_node: Resources::cpus(1) };
        let chosen = select(&shape, &free, None, &candidates, rules)?;
        Some(chosen.into_iter().map(|job| job.0).collect())
    }

    /// One node with 2 CPUs has two jobs, another one. A job that wants one CPU of a node for itself makes all go from that.
    #[test]
    fn a_job_that_shares_with_nobody_frees_whole_nodes() {
        let capacity = [Resources::cpus(2), Resources::cpus(2)];
        let free = [Some(Resources::cpus(0)), Some(Resources::cpus(1))];
        let shape = Shape::Nodes { nodes: 1, per_node: Resources::cpus(1) };
        let placements = [on(&[1]), on(&[0]), on(&[0])];
        let candidate = |(job, placement)| Candidate { job: JobId(job), placement };
        let candidates: Vec<_> = (0..).zip(&placements).map(candidate).collect();
        let rules = Preempt { reorder_count: 0, ..Preempt::default() };
        let victims = |alone, candidates| select(&shape, &free, alone, candidates, &rules);
        assert_eq!(victims(Some(&capacity[..]), &candidates), Some(vec![JobId(0)]));
        assert_eq!(victims(Some(&capacity), &candidates[1..]), Some(vec![JobId(2), JobId(1)]));
        assert_eq!(victims(Some(&capacity), &candidates[1..2]), None);
    }

    /// Two nodes are needed. Giving up 0, then 1 makes room on nodes 0 and 1; in the second search 1 alone does.
    #[test]
    fn a_second_search_spares_whoever_is_not_needed() {
        let rules = Preempt::default();
        let strict = Preempt { strict_order: true, ..Preempt::default() };
        let placements: [&[u32]; 2] = [&[0], &[1, 2]];
        assert_eq!(victims(2, 3, &placements, &rules), Some(vec![1]));
        assert_eq!(victims(2, 3, &placements, &strict), Some(vec![1]));
        // The second search begins with the one that completed the first.
        assert_eq!(
            victims(2, 3, &[&[0], &[1], &[2]], &Preempt { reorder_count: 0, ..rules }),
            Some(vec![1, 0])
        );
    }

    #[test]
    fn one_candidate_is_taken_as_it_is_and_too_few_are_none() {
        let rules = Preempt::default();
        assert_eq!(victims(1, 2, &[&[0, 1]], &rules), Some(vec![0]));
        assert_eq!(victims(3, 2, &[&[0, 1]], &rules), None);
        assert_eq!(victims(1, 2, &[], &rules), None);
    }

    /// Needs 2 of 5 nodes, node 4 is free: 0 is given up first and completes the fit alone; nobody else is touched.
    #[test]
    fn free_nodes_count() {
        assert_eq!(victims(2, 5, &[&[0], &[1], &[2, 3]], &Preempt::default()), Some(vec![0]));
    }

    /// Needs 3 nodes; candidates hold 0, 1, and 2-3. The first search gives up all three and chooses 0, 1 and 2; the second
    /// begins with 2-3 and is complete with 0, on 0, 2 and 3; the third begins with 0, and 1 is spared.
    #[test]
    fn the_completing_one_comes_first_then_those_on_the_chosen_nodes() {
        assert_eq!(victims(3, 4, &[&[0], &[1], &[2, 3]], &Preempt::default()), Some(vec![0, 2]));
        let once = Preempt { reorder_count: 0, ..Preempt::default() };
        assert_eq!(victims(3, 4, &[&[0], &[1], &[2, 3]], &once), Some(vec![2, 0]));
    }
}
