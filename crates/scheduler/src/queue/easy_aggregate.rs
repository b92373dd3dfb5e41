//! EASY as the seed lab's first version has it: sums, and what a longer job may use is counted now, not at the shadow time.

use std::sync::Arc;

use switchyard_model::{NodeId, Placement, Resources, SimTime};

use super::easy_count::shadow;
use super::outlook::Outlook;
use crate::releases::Releases;
use crate::room::Room;
use crate::{Machines, Pending, Request};

/// What has to stay free for the head.
#[derive(Clone, Debug)]
pub(crate) struct EasyAggregate {
    pub(crate) shadow: SimTime,
    reserved: Resources,
    /// The nodes that the head may use; `None` means all.
    among: Option<Arc<Machines>>,
}

impl EasyAggregate {
    pub(crate) fn open(head: &Request, room: &Room, releases: &Releases<'_>, now: SimTime) -> Option<Self> {
        let reserved = without_memory(head.total);
        let (shadow, _) = shadow(&reserved, room, releases, now)?;
        Some(EasyAggregate { shadow, reserved, among: None })
    }

    /// For a head to which not all nodes are alike: when it fits on single nodes.
    pub(crate) fn open_at(head: &Pending, outlook: &Outlook<'_>) -> Self {
        let among = head.machines.only.is_some().then(|| Arc::clone(&head.machines));
        EasyAggregate { shadow: outlook.at, reserved: without_memory(head.request.total), among }
    }

    /// What a job that runs beyond the shadow time may use in sum, where that is a matter of all nodes.
    pub(super) fn spare(&self, free: &Resources) -> Option<Resources> {
        // Memory is not looked at.
        let spare = Resources { memory_mib: free.memory_mib, ..free.minus(&self.reserved) };
        self.among.is_none().then_some(spare)
    }

    /// Whether such a job may have this.
    pub(super) fn lets(&self, placement: &Placement, room: &Room) -> bool {
        let Some(among) = &self.among else {
            return room.free().covers(&self.reserved.plus(&without_memory(placement.total())));
        };
        let shares = placement.0.iter().filter(|share| among.contains(share.node));
        let amount = shares.fold(Resources::default(), |sum, share| sum.plus(&share.resources()));
        let states = (0..).map(NodeId).zip(room.nodes());
        let usable = states.filter(|(node, state)| state.available && among.contains(*node));
        let free = usable.fold(Resources::default(), |sum, (_, state)| sum.plus(&state.free));
        amount == Resources::default() || free.covers(&self.reserved.plus(&without_memory(amount)))
    }
}

const fn without_memory(amount: Resources) -> Resources {
    Resources { memory_mib: 0, ..amount }
}
