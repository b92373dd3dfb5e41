//! Definition C: what is free where something is in use, at the level of nodes, racks and switches.

use switchyard_model::{Fleet, NodeShare, SimDuration};

use super::super::amounts::{Resource, ResourceTime};
use super::{Counted, Structural};

/// The domains of one level.
struct Level {
    /// The domain of each node.
    of_node: Vec<u32>,
    /// What each domain has free.
    free: Vec<u64>,
    /// What each domain has in use; 0 means nothing.
    used: Vec<u64>,
    /// The sum of `free` over the domains with something in use.
    carved: u64,
    integral: ResourceTime,
}

impl Level {
    fn new(of_node: Vec<u32>, free_on_nodes: &[u64]) -> Level {
        let domains = of_node.iter().max().map_or(0, |&last| last as usize + 1);
        let mut free = vec![0u64; domains];
        for (&domain, amount) in of_node.iter().zip(free_on_nodes) {
            if let Some(free) = free.get_mut(domain as usize) {
                *free += amount;
            }
        }
        Level { of_node, free, used: vec![0; domains], carved: 0, integral: ResourceTime::default() }
    }

    /// The node gives or gets back so much of what is measured, and of what makes a domain count as in use.
    fn change(&mut self, node: usize, starts: bool, measured: u64, in_use: u64) {
        let Some(&domain) = self.of_node.get(node) else { return };
        let domain = domain as usize;
        let (Some(free), Some(used)) = (self.free.get_mut(domain), self.used.get_mut(domain)) else { return };
        if *used > 0 {
            self.carved = self.carved.saturating_sub(*free);
        }
        if starts {
            (*free, *used) = (free.saturating_sub(measured), *used + in_use);
        } else {
            (*free, *used) = (*free + measured, used.saturating_sub(in_use));
        }
        if *used > 0 {
            self.carved += *free;
        }
    }
}

/// Integrates definition C of one way of counting.
pub(super) struct Carved {
    counted: Counted,
    /// Node, rack, switch.
    levels: [Level; 3],
    free: u64,
    integral: ResourceTime,
}

impl Carved {
    pub(super) fn new(fleet: &Fleet, counted: Counted) -> Carved {
        let nodes = fleet.nodes();
        let amount = |node: &switchyard_model::Node| counted.measured().amount(&node.capacity);
        let free: Vec<u64> = nodes.iter().map(amount).collect();
        let by_node = nodes.iter().map(|node| node.id.0).collect();
        let by_rack = nodes.iter().map(|node| node.rack.0).collect();
        let by_switch = nodes.iter().map(|node| fleet.switch_of(node.rack)).collect();
        Carved {
            counted,
            levels: [by_node, by_rack, by_switch].map(|of_node| Level::new(of_node, &free)),
            free: free.iter().sum(),
            integral: ResourceTime::default(),
        }
    }

    pub(super) fn change(&mut self, share: &NodeShare, starts: bool) {
        let measured = self.counted.measured().given(share);
        let in_use = match self.counted {
            Counted::Cpus => Resource::Cpus.given(share),
            Counted::Gpus => Resource::Gpus.given(share),
            Counted::Any => 1,
        };
        if starts {
            self.free = self.free.saturating_sub(measured);
        } else {
            self.free += measured;
        }
        for level in &mut self.levels {
            level.change(share.node.index(), starts, measured, in_use);
        }
    }

    pub(super) fn hold(&mut self, length: SimDuration) {
        self.integral += ResourceTime::of(self.free, length);
        for level in &mut self.levels {
            level.integral += ResourceTime::of(level.carved, length);
        }
    }

    pub(super) fn result(&self) -> Structural {
        let [node, rack, switch] = self.levels.each_ref().map(|level| level.integral);
        Structural { node, rack, switch, free: self.integral }
    }
}
