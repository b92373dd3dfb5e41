//! Definitions A and B: what is free on nodes that have too little of it for a request.

use std::collections::BTreeMap;

use switchyard_model::{Fleet, NodeShare, SimDuration};

use super::super::amounts::{Resource, ResourceTime};
use super::Stranded;
use super::prefix_sums::PrefixSums;

/// Integrates definitions A and B of one resource.
pub(super) struct TooLittle {
    resource: Resource,
    /// What each node has free.
    nodes: Vec<u32>,
    sums: PrefixSums,
    free: u64,
    capacity: u64,
    /// How many pending jobs ask for so much on a node, without those that ask for none.
    pending: BTreeMap<u32, u64>,
    /// The largest request per node of the workload.
    reference: u32,
    result: Stranded,
}

impl TooLittle {
    /// `reference` is the largest request per node of the workload.
    pub(super) fn new(fleet: &Fleet, resource: Resource, reference: u32) -> TooLittle {
        let amount = |node: &switchyard_model::Node| narrow(resource.amount(&node.capacity));
        let nodes: Vec<u32> = fleet.nodes().iter().map(amount).collect();
        let mut sums = PrefixSums::new(nodes.iter().max().copied().unwrap_or(0));
        nodes.iter().for_each(|&free| sums.set(free, true));
        let free = nodes.iter().map(|&free| u64::from(free)).sum();
        let result = Stranded { reference, ..Stranded::default() };
        TooLittle { resource, nodes, sums, free, capacity: free, pending: BTreeMap::new(), reference, result }
    }

    pub(super) fn change(&mut self, share: &NodeShare, starts: bool) {
        let given = narrow(self.resource.given(share));
        let Some(free) = self.nodes.get_mut(share.node.index()).filter(|_| given > 0) else { return };
        self.sums.set(*free, false);
        let before = u64::from(*free);
        *free = if starts { free.saturating_sub(given) } else { free.saturating_add(given) };
        self.sums.set(*free, true);
        self.free = (self.free + u64::from(*free)).saturating_sub(before);
    }

    /// A job that asks for `amount` on each node begins or ceases to wait.
    pub(super) fn queue(&mut self, amount: u32, joins: bool) {
        if amount == 0 {
            return;
        }
        let count = self.pending.entry(amount).or_default();
        *count = if joins { *count + 1 } else { count.saturating_sub(1) };
        if *count == 0 {
            self.pending.remove(&amount);
        }
    }

    pub(super) fn hold(&mut self, length: SimDuration) {
        let smallest = self.pending.first_key_value().map_or(0, |(&amount, _)| amount);
        let result = &mut self.result;
        result.queue += ResourceTime::of(self.sums.below(smallest), length);
        result.largest += ResourceTime::of(self.sums.below(self.reference), length);
        result.free += ResourceTime::of(self.free, length);
        result.capacity += ResourceTime::of(self.capacity, length);
    }

    pub(super) const fn result(&self) -> Stranded {
        self.result
    }
}

/// CPUs and GPUs of a node are u32 by their type.
fn narrow(amount: u64) -> u32 {
    u32::try_from(amount).unwrap_or(u32::MAX)
}
