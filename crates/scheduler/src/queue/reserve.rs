//! What a reservation means in nodes and jobs, for those who look at it.

use std::collections::{BTreeMap, BTreeSet};

use switchyard_model::{GpuSet, NodeId, NodeShare, SimTime};

use crate::Reservation;
use crate::cluster::{NodeState, Pending};
use crate::place::bound_to_domain;
use crate::releases::{Release, Releases};
use crate::request::parts_on;
use crate::room::{Room, usable_by};

/// Where the head would run at its shadow time, and which jobs have to end there first.
///
/// Where the shadow time is a matter of sums, the head may not fit on single nodes then. The reservation then names all
/// that becomes free by then.
pub(crate) fn reservation(
    head: &Pending,
    shadow: SimTime,
    room: &Room,
    releases: &Releases<'_>,
) -> Reservation {
    let ending: Vec<Release<'_>> = releases.iter().take_while(|release| release.at <= shadow).collect();
    let mut then: Vec<NodeState> = room.nodes().to_vec();
    for share in ending.iter().flat_map(|release| &release.placement.0) {
        if let Some(state) = then.get_mut(share.node.index()) {
            state.free = state.free.plus(&share.resources());
            state.free_gpus = state.free_gpus.union(share.gpus);
        }
    }
    let (nodes, waits_for) = match room.rule().place_at(head, room, &then) {
        Some(placement) => {
            let short =
                placement.0.iter().filter_map(|share| Some((share.node, short_of(head, room, share)?)));
            let short: BTreeMap<NodeId, Short> = short.collect();
            let in_the_way = |theirs: &NodeShare| match short.get(&theirs.node) {
                Some(Short::Gpus(gpus)) => gpus.overlaps(theirs.gpus),
                Some(Short::Amounts) => true,
                None => false,
            };
            let holds = |release: &&Release<'_>| release.placement.0.iter().any(in_the_way);
            (placement.nodes().collect(), ending.iter().filter(holds).map(|release| release.job).collect())
        }
        None => {
            let all: BTreeSet<NodeId> = ending.iter().flat_map(|release| release.placement.nodes()).collect();
            (all.into_iter().collect(), ending.iter().map(|release| release.job).collect())
        }
    };
    Reservation { job: head.spec.id, at: shadow, nodes, waits_for }
}

/// What a node doesn't have now of what the head is to get there.
enum Short {
    /// Enough is free; but not these GPUs, which it needs.
    Gpus(GpuSet),
    Amounts,
}

fn short_of(head: &Pending, room: &Room, share: &NodeShare) -> Option<Short> {
    let now = room.nodes().get(share.node.index())?;
    let free = usable_by(head, share.node, now).unwrap_or_default();
    if !free.covers(&share.resources()) || parts_on(&head.request.shape, &free) == 0 {
        return Some(Short::Amounts);
    }
    let missing = share.gpus.minus(now.free_gpus);
    (bound_to_domain(&head.spec) && !missing.is_empty()).then_some(Short::Gpus(missing))
}
