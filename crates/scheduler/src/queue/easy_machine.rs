//! EASY with certain nodes: rule 5 of the reference rules, as Batsim's EASY does it, carried over to nodes that jobs share.
//!
//! The head reserves the nodes that the policy's placement rule would choose at the shadow time. Any nodes that hold it would
//! keep the promise, since whether it finds room doesn't depend on the rule; but these are the ones that it is going to be
//! given, so that those who pass it are kept off nothing else. Under first fit, they are the lowest-numbered.

use switchyard_model::{NodeId, Placement, Resources, SimTime};

use crate::cluster::NodeState;
use crate::place::{Held, bound_to_domain, room_in_domain};
use crate::releases::Releases;
use crate::request::parts_on;
use crate::room::{Room, usable_by};
use crate::{Pending, PlacementRule};

/// What each node has to spare from now on beyond the shadow time.
#[derive(Clone, Debug)]
pub(crate) struct EasyMachine {
    pub(crate) shadow: SimTime,
    /// Free on each node at the shadow time, without what the head reserves there.
    spare: Vec<Resources>,
    /// The GPUs that the head reserves where it is not enough to count them: those of a part of a node.
    held: Option<Held>,
}

impl EasyMachine {
    pub(crate) fn open(head: &Pending, room: &Room, releases: &Releases<'_>) -> Option<Self> {
        let (shadow, nodes) = when_it_fits(head, room, releases)?;
        let reserved = room.rule().place_at(head, room, &nodes)?;
        let mut spare: Vec<Resources> = nodes.iter().map(|state| state.free).collect();
        for share in &reserved.0 {
            let spare = spare.get_mut(share.node.index())?;
            *spare = spare.minus(&share.resources());
        }
        Some(EasyMachine { shadow, spare, held: held(head, room, &nodes, &reserved) })
    }

    pub(crate) fn pass(&mut self, job: &Pending, room: &Room, rule: PlacementRule) -> Option<Placement> {
        let placement = rule.place_beside(job, room, Some(&self.spare), self.held)?;
        for share in &placement.0 {
            let spare = self.spare.get_mut(share.node.index())?;
            *spare = spare.minus(&share.resources());
        }
        Some(placement)
    }
}

/// Which GPUs to keep for a head that needs a certain part of a node: of those, the ones that are in use now, as far as
/// they go, so that nobody is kept from more than is needed.
fn held(head: &Pending, room: &Room, then: &[NodeState], reserved: &Placement) -> Option<Held> {
    let share = reserved.0.first().filter(|_| bound_to_domain(&head.spec))?;
    let node = share.node;
    let domain = room.fleet()?.domains_at(node).find(|domain| domain.gpus.overlaps(share.gpus))?;
    let (now, then) = (room.nodes().get(node.index())?.free_gpus, then.get(node.index())?.free_gpus);
    let busy = then.intersection(domain.gpus).minus(now);
    let need = share.gpus.len();
    let late = busy.lowest(need.min(busy.len()))?;
    let early = now.intersection(domain.gpus).lowest(need - late.len())?;
    Some(Held { node, gpus: late.union(early) })
}

/// The earliest time at which the head fits on single nodes, and the nodes as they are then.
///
/// Counts the parts that fit as nodes become free, so that each end costs only the nodes that it touches.
fn when_it_fits(head: &Pending, room: &Room, releases: &Releases<'_>) -> Option<(SimTime, Vec<NodeState>)> {
    let mut nodes = room.nodes().to_vec();
    let parts = u64::from(head.request.parts());
    let mut fits = Fits::new(head, room, &nodes);
    let mut shadow = None;
    for release in releases.iter() {
        if fits.most >= parts && shadow != Some(release.at) {
            break;
        }
        shadow = Some(release.at);
        for share in &release.placement.0 {
            fits.release(share.node, &mut nodes, |state| {
                state.free = state.free.plus(&share.resources());
                state.free_gpus = state.free_gpus.union(share.gpus);
            });
        }
    }
    // The head doesn't fit yet, so that at least one end comes before.
    if fits.most >= parts { Some((shadow?, nodes)) } else { None }
}

/// For how many parts of a job there is room while nodes become free: in sum, or in the best NVSwitch domain.
struct Fits<'a> {
    job: &'a Pending,
    room: &'a Room,
    one_domain: bool,
    most: u64,
}

impl<'a> Fits<'a> {
    fn new(job: &'a Pending, room: &'a Room, nodes: &[NodeState]) -> Self {
        let one_domain = bound_to_domain(&job.spec);
        let mut fits = Fits { job, room, one_domain, most: 0 };
        fits.most = match (one_domain, room.fleet()) {
            (true, Some(fleet)) => {
                fleet.domains().map(|domain| fits.within(&domain, nodes)).max().unwrap_or(0)
            }
            (true, None) => 0,
            (false, _) => (0..).map(NodeId).zip(nodes).map(|(node, state)| fits.on(node, state)).sum(),
        };
        fits
    }

    fn on(&self, node: NodeId, state: &NodeState) -> u64 {
        let free = usable_by(self.job, node, state);
        free.map_or(0, |free| u64::from(parts_on(&self.job.request.shape, &free)))
    }

    fn within(&self, domain: &switchyard_model::DomainSpan, nodes: &[NodeState]) -> u64 {
        room_in_domain(self.job, domain, |node| nodes.get(node.index()).copied())
    }

    /// A node becomes freer by what `change` does to it.
    fn release(&mut self, node: NodeId, nodes: &mut [NodeState], change: impl FnOnce(&mut NodeState)) {
        let Some(state) = nodes.get_mut(node.index()) else { return };
        let before = *state;
        change(state);
        let after = *state;
        if !self.one_domain {
            self.most = self.most + self.on(node, &after) - self.on(node, &before);
        } else if let Some(fleet) = self.room.fleet() {
            let here = fleet.domains_at(node).map(|domain| self.within(&domain, nodes)).max();
            self.most = self.most.max(here.unwrap_or(0));
        }
    }
}
