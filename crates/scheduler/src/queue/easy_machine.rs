//! EASY with certain nodes: rule 5 of the reference rules, as Batsim's EASY does it, carried over to nodes that jobs share.

use switchyard_model::{NodeId, Placement, Resources, SimTime};

use crate::place::first_fit;
use crate::releases::Releases;
use crate::request::parts_on;
use crate::room::Room;
use crate::{Pending, PlacementRule};

/// What each node has to spare from now on beyond the shadow time.
#[derive(Clone, Debug)]
pub(crate) struct EasyMachine {
    pub(crate) shadow: SimTime,
    /// Free on each node at the shadow time, without what the head reserves there.
    spare: Vec<Resources>,
}

impl EasyMachine {
    pub(crate) fn open(head: &Pending, room: &Room, releases: &Releases<'_>) -> Option<Self> {
        let (shadow, mut spare) = when_it_fits(head, room, releases)?;
        for (node, reserved) in first_fit(&head.request.shape, spare.iter().copied())? {
            let spare = spare.get_mut(node.index())?;
            *spare = spare.minus(&reserved);
        }
        Some(EasyMachine { shadow, spare })
    }

    pub(crate) fn pass(&mut self, job: &Pending, room: &Room, rule: PlacementRule) -> Option<Placement> {
        let placement = rule.place(job, room, Some(&self.spare))?;
        for share in &placement.0 {
            let spare = self.spare.get_mut(share.node.index())?;
            *spare = spare.minus(&share.resources());
        }
        Some(placement)
    }
}

/// The earliest time at which the head fits on single nodes, and what each node has free then.
///
/// Counts the parts that fit as nodes become free, so that each end costs only the nodes that it touches.
fn when_it_fits(head: &Pending, room: &Room, releases: &Releases<'_>) -> Option<(SimTime, Vec<Resources>)> {
    let nodes = (0..).map(NodeId).take(room.nodes().len());
    let mut free: Vec<Resources> = nodes.map(|node| room.free_for(head, node)).collect();
    let parts = u64::from(head.request.parts());
    let fitting = |free: &Resources| u64::from(parts_on(&head.request.shape, free));
    let mut fits: u64 = free.iter().map(fitting).sum();
    let mut shadow = None;
    for release in releases.iter() {
        if fits >= parts && shadow != Some(release.at) {
            break;
        }
        shadow = Some(release.at);
        for share in &release.placement.0 {
            let node = share.node.index();
            let (Some(free), Some(state)) = (free.get_mut(node), room.nodes().get(node)) else { continue };
            if state.available && head.machines.contains(share.node) {
                fits -= fitting(free);
                *free = free.plus(&share.resources());
                fits += fitting(free);
            }
        }
    }
    // The head doesn't fit yet, so that at least one end comes before.
    if fits >= parts { Some((shadow?, free)) } else { None }
}
