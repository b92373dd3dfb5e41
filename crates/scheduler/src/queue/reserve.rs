//! What a reservation means in nodes and jobs, for those who look at it.

use std::collections::BTreeSet;

use switchyard_model::{NodeId, Resources, SimTime};

use crate::Reservation;
use crate::cluster::Pending;
use crate::place::first_fit;
use crate::releases::{Release, Releases};
use crate::request::parts_on;
use crate::room::Room;

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
    let shape = &head.request.shape;
    let nodes = (0..).map(NodeId).take(room.nodes().len());
    let mut free: Vec<Resources> = nodes.map(|node| room.free_for(head, node)).collect();
    let now = free.clone();
    for share in ending.iter().flat_map(|release| &release.placement.0) {
        let usable = room.nodes().get(share.node.index()).is_some_and(|state| state.available)
            && head.machines.contains(share.node);
        if let (true, Some(free)) = (usable, free.get_mut(share.node.index())) {
            *free = free.plus(&share.resources());
        }
    }
    let (nodes, short) = match first_fit(shape, free.into_iter()) {
        Some(chosen) => {
            let is_short = |&&(node, need): &&(NodeId, Resources)| {
                now.get(node.index()).is_none_or(|free| !free.covers(&need) || parts_on(shape, free) == 0)
            };
            let short: BTreeSet<NodeId> = chosen.iter().filter(is_short).map(|&(node, _)| node).collect();
            (chosen.into_iter().map(|(node, _)| node).collect(), short)
        }
        None => {
            let all: BTreeSet<NodeId> = ending.iter().flat_map(|release| release.placement.nodes()).collect();
            (all.iter().copied().collect(), all)
        }
    };
    let holds = |release: &&Release<'_>| release.placement.nodes().any(|node| short.contains(&node));
    let waits_for = ending.iter().filter(holds).map(|release| release.job).collect();
    Reservation { job: head.spec.id, at: shadow, nodes, waits_for }
}
