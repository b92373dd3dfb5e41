//! EASY with certain nodes: rule 5 of the reference rules, as Batsim's EASY does it, carried over to nodes that jobs share.

use switchyard_model::{NodeId, Placement, Resources, SimTime};

use super::outlook::Outlook;
use crate::Pending;
use crate::room::Room;

/// As much as anybody could want.
const ANY_AMOUNT: Resources = Resources { cpus: u32::MAX, gpus: u32::MAX, memory_mib: u64::MAX };

/// What each node has to spare from now on beyond the shadow time.
#[derive(Clone, Debug)]
pub(crate) struct EasyMachine {
    pub(crate) shadow: SimTime,
    /// Free on each node at the shadow time, without what the head reserves there. Nodes that the head can't use are not
    /// counted.
    pub(super) spare: Vec<Resources>,
    /// What the head reserves there.
    pub(super) reserved: Vec<(NodeId, Resources)>,
}

impl EasyMachine {
    pub(crate) fn open(outlook: &Outlook<'_>) -> Option<Self> {
        let reserved = outlook.choose()?;
        let mut spare: Vec<Resources> = outlook.all_usable().collect();
        let closed = |free: &&mut Resources| **free == Resources::default();
        spare.iter_mut().filter(closed).for_each(|free| *free = ANY_AMOUNT);
        let mut gate = EasyMachine { shadow: outlook.at, spare, reserved: Vec::new() };
        reserved.iter().for_each(|(node, amount)| gate.set_aside(*node, amount));
        Some(EasyMachine { reserved, ..gate })
    }

    fn set_aside(&mut self, node: NodeId, amount: &Resources) {
        if let Some(spare) = self.spare.get_mut(node.index()).filter(|spare| **spare != ANY_AMOUNT) {
            *spare = spare.minus(amount);
        }
    }

    pub(super) fn lets(&self, placement: &Placement) -> bool {
        let spare = |node: NodeId| self.spare.get(node.index());
        placement
            .0
            .iter()
            .all(|share| spare(share.node).is_some_and(|spare| spare.covers(&share.resources())))
    }

    pub(super) fn take(&mut self, placement: &Placement) {
        placement.0.iter().for_each(|share| self.set_aside(share.node, &share.resources()));
    }

    /// What a job that runs beyond the shadow time may use of each node.
    pub(super) fn cap(&self, job: &Pending, room: &Room) -> Vec<Resources> {
        let nodes = (0..).map(NodeId).zip(&self.spare);
        let whole_or_nothing = |(node, spare): (NodeId, &Resources)| match spare.covers(&room.capacity(node))
        {
            true => *spare,
            false => Resources::default(),
        };
        match job.is_exclusive() {
            true => nodes.map(whole_or_nothing).collect(),
            false => self.spare.clone(),
        }
    }
}
