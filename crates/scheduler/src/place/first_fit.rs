//! First fit: the lowest node numbers that have room.

use std::cmp::Reverse;

use switchyard_model::{NodeId, NodeShare, Placement, Resources, Shape};

use crate::Pending;
use crate::request::parts_on;
use crate::room::Room;

/// First fit on what a room has free, from no more than `cap` on each node; steps over nodes where nothing fits.
pub(super) fn first_fit_in(job: &Pending, room: &Room, cap: Option<&[Resources]>) -> Option<Placement> {
    let (mut left, each) = job.request.shape.parts();
    let mut chosen = Vec::new();
    let mut from = NodeId(0);
    while left > 0 {
        let (node, mut free, gpus) = room.next_for(job, from)?;
        from = NodeId(node.0 + 1);
        if let Some(cap) = cap {
            free = free.min(&cap.get(node.index()).copied().unwrap_or_default());
        }
        let here = parts_on(&job.request.shape, &free).min(left);
        if here > 0 {
            let give = each.scaled(here);
            let gpus = gpus.lowest(give.gpus)?;
            chosen.push(NodeShare { node, cpus: give.cpus, memory_mib: give.memory_mib, gpus });
            left -= here;
        }
    }
    Some(Placement(chosen))
}

/// Tasks on as few nodes as possible: those first that hold the most.
pub(crate) fn densest(job: &Pending, room: &Room, cap: Option<&[Resources]>) -> Option<Placement> {
    let Shape::Tasks { tasks, per_task } = job.request.shape else { return None };
    if job.wants_one_domain() {
        return None;
    }
    let free = |node: NodeId| match cap {
        Some(cap) => room.free_for(job, node).min(&cap.get(node.index()).copied().unwrap_or_default()),
        None => room.free_for(job, node),
    };
    let nodes = (0..).map(NodeId).take(room.nodes().len());
    let mut holds: Vec<(Reverse<u32>, NodeId)> =
        nodes.map(|node| (Reverse(parts_on(&job.request.shape, &free(node))), node)).collect();
    holds.sort_unstable();
    let mut left = tasks;
    let mut shares = Vec::new();
    for (Reverse(parts), node) in holds {
        let here = parts.min(left);
        if here == 0 {
            break;
        }
        left -= here;
        let give = per_task.scaled(here);
        let gpus = room.nodes().get(node.index())?.free_gpus.lowest(give.gpus)?;
        shares.push(NodeShare { node, cpus: give.cpus, memory_mib: give.memory_mib, gpus });
    }
    shares.sort_unstable_by_key(|share| share.node);
    (left == 0).then(|| room.whole(job, Placement(shares)))
}

/// Walks the nodes' free amounts in node order and puts as many parts on each as it can take, until all are placed.
/// Returns what each chosen node gives, or `None` when they don't all fit.
#[allow(dead_code, reason = "for those who try out what would be free")]
pub(crate) fn first_fit(
    shape: &Shape,
    free: impl Iterator<Item = Resources>,
) -> Option<Vec<(NodeId, Resources)>> {
    let (mut left, each) = shape.parts();
    let mut chosen = Vec::new();
    for (node, free) in (0..).map(NodeId).zip(free) {
        if left == 0 {
            break;
        }
        let here = parts_on(shape, &free).min(left);
        if here > 0 {
            chosen.push((node, each.scaled(here)));
            left -= here;
        }
    }
    (left == 0).then_some(chosen)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn tasks_pack_and_nodes_are_distinct() {
        let free = [3, 1, 8].map(Resources::cpus);
        let place = |shape| {
            let chosen = first_fit(&shape, free.into_iter())?;
            Some(chosen.iter().map(|(node, give)| (node.0, give.cpus)).collect::<Vec<_>>())
        };
        let tasks = |tasks, cpus| Shape::Tasks { tasks, per_task: Resources::cpus(cpus) };
        let nodes = |nodes, cpus| Shape::Nodes { nodes, per_node: Resources::cpus(cpus) };
        assert_eq!(place(tasks(6, 1)), Some(vec![(0, 3), (1, 1), (2, 2)]));
        assert_eq!(place(tasks(3, 2)), Some(vec![(0, 2), (2, 4)]));
        assert_eq!(place(tasks(6, 2)), None);
        assert_eq!(place(nodes(2, 2)), Some(vec![(0, 2), (2, 2)]));
        assert_eq!(place(nodes(3, 2)), None);
    }
}
