//! Which GPUs share an NVSwitch domain, which nodes a rack or a switch, and how far a job is spread.

use crate::{Domains, Fleet, NodeId, Placement, RackId};

/// An NVSwitch domain: the node with which it begins, and which of that node's domains it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DomainId {
    /// The first node.
    pub node: NodeId,
    /// Counted from 0 on that node.
    pub part: u32,
}

/// How far the nodes of a job are apart: the smallest thing that holds them all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// One NVSwitch domain.
    Domain,
    /// One node.
    Node,
    /// One rack: one leaf switch.
    Rack,
    /// One switch above the racks.
    Switch,
    /// More than one of those.
    Fleet,
}

impl Tier {
    /// All, the nearest first.
    pub const ALL: [Tier; 5] = [Tier::Domain, Tier::Node, Tier::Rack, Tier::Switch, Tier::Fleet];

    /// What people call it.
    pub const fn name(self) -> &'static str {
        match self {
            Tier::Domain => "domain",
            Tier::Node => "node",
            Tier::Rack => "rack",
            Tier::Switch => "switch",
            Tier::Fleet => "fleet",
        }
    }
}

impl Fleet {
    /// The domain of the GPU in this place of the node, or `None` where there is no such node.
    pub fn domain_of(&self, node: NodeId, slot: u32) -> Option<DomainId> {
        let at = self.node(node)?;
        let here = |part| DomainId { node, part };
        Some(match self.domains.get(at.class as usize)? {
            Domains::Node => here(0),
            Domains::None => here(slot),
            Domains::PerNode { gpus } => here(slot / (*gpus).max(1)),
            Domains::Nodes { nodes } => {
                let offset = at.tray % (*nodes).max(1);
                DomainId { node: NodeId(node.0.saturating_sub(offset)), part: 0 }
            }
        })
    }

    /// The switch above a rack, counted from 0.
    pub fn switch_of(&self, rack: RackId) -> u32 {
        rack.0.checked_div(self.racks_per_switch).unwrap_or(0)
    }

    /// How many switches there are above the racks.
    pub fn switches(&self) -> u32 {
        self.racks().last().map_or(0, |rack| self.switch_of(rack.id) + 1)
    }

    /// How far a placement is spread. A job without GPUs is in no domain, so that one node is its nearest tier.
    pub fn tier(&self, placement: &Placement) -> Tier {
        let mut domains = placement
            .0
            .iter()
            .flat_map(|share| share.gpus.slots().filter_map(|slot| self.domain_of(share.node, slot)));
        let has_gpus = placement.0.iter().all(|share| !share.gpus.is_empty());
        if let Some(first) = domains.next()
            && has_gpus
            && domains.all(|domain| domain == first)
        {
            return Tier::Domain;
        }
        if placement.0.len() <= 1 {
            return Tier::Node;
        }
        let mut racks = placement.nodes().filter_map(|node| Some(self.node(node)?.rack));
        let Some(first) = racks.next() else { return Tier::Node };
        racks.fold(Tier::Rack, |tier, rack| match rack {
            _ if rack == first => tier,
            _ if self.switch_of(rack) == self.switch_of(first) => tier.max(Tier::Switch),
            _ => Tier::Fleet,
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::{FleetSpec, GpuSet, NodeClass, NodeShare, Resources};

    fn on(shares: &[(u32, u64)]) -> Placement {
        let share =
            |&(node, gpus)| NodeShare { node: NodeId(node), cpus: 1, memory_mib: 0, gpus: GpuSet(gpus) };
        Placement(shares.iter().map(share).collect())
    }

    /// Racks of 4 nodes, 2 racks to a switch; nodes of 8 GPUs in two boards of 4.
    #[test]
    fn a_placement_is_as_far_apart_as_the_smallest_thing_that_holds_it() {
        let node = Resources { cpus: 8, gpus: 8, memory_mib: 0 };
        let class = NodeClass { domains: Domains::PerNode { gpus: 4 }, ..NodeClass::new("n", 16, node) };
        let fleet = FleetSpec { racks_per_switch: 2, ..FleetSpec::of("f", vec![class]) }.build().unwrap();
        let tier = |shares: &[(u32, u64)]| fleet.tier(&on(shares));
        assert_eq!(tier(&[(0, 0b1111)]), Tier::Domain);
        assert_eq!(tier(&[(0, 0b1_1111)]), Tier::Node);
        assert_eq!(tier(&[(0, 0)]), Tier::Node);
        assert_eq!(tier(&[(0, 1), (3, 1)]), Tier::Rack);
        assert_eq!(tier(&[(0, 1), (4, 1)]), Tier::Switch);
        assert_eq!(tier(&[(0, 1), (4, 1), (8, 1), (9, 1)]), Tier::Fleet);
        assert_eq!(fleet.switches(), 2);
    }

    /// An NVL72: 18 nodes of 4 GPUs.
    #[test]
    fn a_domain_can_span_nodes() {
        let node = Resources { cpus: 8, gpus: 4, memory_mib: 0 };
        let class = NodeClass {
            domains: Domains::Nodes { nodes: 18 },
            nodes_per_rack: 18,
            ..NodeClass::new("n", 36, node)
        };
        let fleet = FleetSpec::of("f", vec![class]).build().unwrap();
        assert_eq!(fleet.tier(&on(&[(0, 15), (17, 15)])), Tier::Domain);
        assert_eq!(fleet.tier(&on(&[(17, 15), (18, 15)])), Tier::Switch);
    }
}
