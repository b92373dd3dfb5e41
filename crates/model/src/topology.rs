//! Which GPUs share an NVSwitch domain, which nodes a rack or a switch, and how far a job is spread.

use std::ops::Range;

use crate::{Domains, Fleet, GpuSet, NodeId, Placement, RackId};

/// An NVSwitch domain: the node with which it begins, and which of that node's domains it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DomainId {
    /// The first node.
    pub node: NodeId,
    /// Counted from 0 on that node.
    pub part: u32,
}

/// An NVSwitch domain and what belongs to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DomainSpan {
    /// Which.
    pub id: DomainId,
    /// Its nodes: those of these numbers.
    pub nodes: Range<u32>,
    /// Its GPUs on each of them.
    pub gpus: GpuSet,
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

    /// The domains that the GPUs of a node belong to, lowest GPU first; none where a node has no GPUs.
    pub fn domains_at(&self, node: NodeId) -> impl Iterator<Item = DomainSpan> {
        let mut left = GpuSet::first(self.node(node).map_or(0, |node| node.capacity.gpus));
        std::iter::from_fn(move || {
            let slot = left.slots().next()?;
            let span = self.span_of(node, slot)?;
            left = left.minus(span.gpus);
            Some(span)
        })
    }

    /// All domains, each once, in node order.
    pub fn domains(&self) -> impl Iterator<Item = DomainSpan> {
        let first = |span: &DomainSpan, node: NodeId| span.id.node == node;
        let at = move |node| self.domains_at(node).filter(move |span| first(span, node));
        self.nodes().iter().flat_map(move |node| at(node.id))
    }

    fn span_of(&self, node: NodeId, slot: u32) -> Option<DomainSpan> {
        let id = self.domain_of(node, slot)?;
        let at = self.node(node)?;
        let all = GpuSet::first(at.capacity.gpus);
        let alone = id.node.0..id.node.0 + 1;
        let (nodes, gpus) = match *self.domains.get(at.class as usize)? {
            Domains::Node => (alone, all),
            Domains::None => (alone, GpuSet::first(slot + 1).minus(GpuSet::first(slot))),
            Domains::PerNode { gpus } => {
                let from = id.part * gpus.max(1);
                let to = from.saturating_add(gpus.max(1));
                (alone, all.intersection(GpuSet::first(to)).minus(GpuSet::first(from)))
            }
            Domains::Nodes { nodes } => {
                // The last domain of a rack is as long as the rack goes.
                let top = self.racks().get(at.rack.0 as usize)?.nodes.last()?.0 + 1;
                (id.node.0..id.node.0.saturating_add(nodes.max(1)).min(top), all)
            }
        };
        Some(DomainSpan { id, nodes, gpus })
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

    /// Racks of 3 nodes with 6 GPUs.
    #[test]
    fn each_gpu_is_in_one_domain() {
        let node = Resources { cpus: 8, gpus: 6, memory_mib: 0 };
        let domains = |domains| {
            let class = NodeClass { domains, nodes_per_rack: 3, ..NodeClass::new("n", 4, node) };
            let spec = FleetSpec::of("f", vec![NodeClass::new("cpu", 1, Resources::cpus(1)), class]);
            let fleet = spec.build().unwrap();
            for span in fleet.domains() {
                for (node, slot) in
                    span.nodes.clone().flat_map(|node| span.gpus.slots().map(move |slot| (node, slot)))
                {
                    assert_eq!(fleet.domain_of(NodeId(node), slot), Some(span.id));
                }
            }
            let all = fleet.domains().map(|span| (span.nodes, span.gpus.0));
            all.collect::<Vec<_>>()
        };
        assert_eq!(domains(Domains::Node), [(1..2, 63), (2..3, 63), (3..4, 63), (4..5, 63)]);
        assert_eq!(domains(Domains::Nodes { nodes: 2 }), [(1..3, 63), (3..4, 63), (4..5, 63)]);
        assert_eq!(
            domains(Domains::PerNode { gpus: 4 })[..3],
            [(1..2, 0b1111), (1..2, 0b11_0000), (2..3, 0b1111)]
        );
        assert_eq!(domains(Domains::None).len(), 24);
        assert_eq!(domains(Domains::None)[5], (1..2, 0b10_0000));
    }
}
