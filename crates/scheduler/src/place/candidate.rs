//! A node, or the part of it in one NVSwitch domain, that could take parts of a job.

use switchyard_model::{Fleet, GpuSet, NodeId, Resources};

use crate::amount::Kind;

/// Who could take parts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub(super) node: NodeId,
    /// How many parts it could take, at least one.
    pub(super) parts: u32,
    /// What it has free.
    pub(super) free: Resources,
    /// The GPUs that it may give.
    pub(super) slots: GpuSet,
}

/// Who takes how many parts; distinct nodes, each with at least one.
pub(super) type Taken = Vec<(Candidate, u32)>;

/// Amounts to compare, the one that counts most first.
pub(super) type Left = [u64; 3];

/// The order in which resources count for parts like this one: the scarcest that it asks for, then the others.
pub(super) fn order(each: &Resources) -> [Kind; 3] {
    let asked = Kind::ALL.into_iter().find(|kind| kind.of(each) > 0);
    match asked {
        Some(Kind::Gpus) => Kind::ALL,
        Some(Kind::Memory) => [Kind::Memory, Kind::Gpus, Kind::Cpus],
        Some(Kind::Cpus) | None => [Kind::Cpus, Kind::Gpus, Kind::Memory],
    }
}

impl Candidate {
    /// What it has left after so many parts.
    pub(super) fn left(&self, each: &Resources, parts: u32, order: &[Kind; 3]) -> Left {
        let left = self.free.minus(&each.scaled(parts));
        order.map(|kind| kind.of(&left))
    }
}

/// What groups nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    Node,
    /// An NVSwitch domain of whole nodes, or of a part of one.
    Domain,
    Rack,
    Switch,
}

impl Level {
    /// What one looks at without NVSwitches, the nearest first.
    pub(super) const TREE: [Level; 3] = [Level::Node, Level::Rack, Level::Switch];
    /// The same with them.
    pub(super) const DOMAINS: [Level; 3] = [Level::Domain, Level::Rack, Level::Switch];

    /// The number of the group that a candidate is in.
    pub(super) fn group(self, fleet: &Fleet, candidate: &Candidate) -> u64 {
        let node = candidate.node;
        let rack = || fleet.node(node).map(|node| node.rack);
        match self {
            Level::Node => u64::from(node.0),
            Level::Domain => {
                let slot = candidate.slots.0.trailing_zeros();
                fleet.domain_of(node, slot).map_or(0, |id| u64::from(id.node.0) << 32 | u64::from(id.part))
            }
            Level::Rack => rack().map_or(0, |rack| rack.0.into()),
            Level::Switch => rack().map_or(0, |rack| fleet.switch_of(rack).into()),
        }
    }

    /// Whether the room for parts counts before what is free.
    pub(super) const fn counts_parts(self) -> bool {
        matches!(self, Level::Rack | Level::Switch)
    }
}
