//! What a reservation means in nodes and jobs, for those who look at it.

use std::collections::BTreeSet;

use switchyard_model::{NodeId, Resources, SimTime};

use super::outlook::Outlook;
use crate::Reservation;
use crate::cluster::Pending;
use crate::consumables::Consumables;
use crate::releases::{Release, Releases};
use crate::request::parts_on;
use crate::room::Room;

/// Where the head would run at its shadow time, and which jobs have to end there first. `kept` is what is kept for it, if certain
/// nodes are.
///
/// Where the shadow time is a matter of sums, the head may not fit on single nodes then. The reservation then names all
/// that becomes free by then.
pub(crate) fn reservation(
    head: &Pending,
    shadow: SimTime,
    room: &Room,
    releases: &Releases<'_>,
    kept: Option<Vec<(NodeId, Resources)>>,
) -> Reservation {
    let ending: Vec<Release<'_>> = releases.iter().take_while(|release| release.at <= shadow).collect();
    let shape = &head.request.shape;
    let (nodes, short) = match kept.or_else(|| Outlook::at(head, room, releases, shadow).choose()) {
        Some(chosen) => {
            let is_short = |&&(node, need): &&(NodeId, Resources)| {
                let free = room.free_for(head, node);
                !free.covers(&need) || parts_on(shape, &free) == 0
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

/// Whoever ends by then and holds a licence that the head is short of has to end first too. `free` are the licences that are
/// free now.
pub(super) fn add_holders_of_licences(
    reservation: &mut Reservation,
    head: &Pending,
    free: &Consumables,
    releases: &Releases<'_>,
) {
    let is_short = |kind| head.licences().iter().any(|need| need.kind == kind && free.of(kind) < need.count);
    let ending = releases.iter().take_while(|release| release.at <= reservation.at);
    let holds = |release: &Release<'_>| release.licences.iter().any(|held| is_short(held.kind));
    let waits_for = ending.filter(|release| holds(release) || reservation.waits_for.contains(&release.job));
    reservation.waits_for = waits_for.map(|release| release.job).collect();
}
