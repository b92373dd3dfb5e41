//! Where a job runs: which GPUs and how much else of which nodes.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{NodeId, Resources};

/// A set of GPUs of one node, by their place in it (0 to 63).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct GpuSet(pub u64);

impl GpuSet {
    /// The first `n` GPUs.
    pub const fn first(n: u32) -> Self {
        if n >= 64 { GpuSet(u64::MAX) } else { GpuSet((1 << n) - 1) }
    }

    /// How many GPUs.
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether there is none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether GPU `slot` is in it.
    pub const fn contains(self, slot: u32) -> bool {
        slot < 64 && self.0 >> slot & 1 == 1
    }

    /// Both sets together.
    pub const fn union(self, other: GpuSet) -> GpuSet {
        GpuSet(self.0 | other.0)
    }

    /// What is here and not in `other`.
    pub const fn minus(self, other: GpuSet) -> GpuSet {
        GpuSet(self.0 & !other.0)
    }

    /// What is in both.
    pub const fn intersection(self, other: GpuSet) -> GpuSet {
        GpuSet(self.0 & other.0)
    }

    /// Whether the two share a GPU.
    pub const fn overlaps(self, other: GpuSet) -> bool {
        self.0 & other.0 != 0
    }

    /// The lowest `n` GPUs of the set, or `None` when there are fewer.
    pub fn lowest(self, n: u32) -> Option<GpuSet> {
        if self.len() < n {
            return None;
        }
        let mut rest = self.0;
        for _ in 0..n {
            rest &= rest - 1;
        }
        Some(GpuSet(self.0 & !rest))
    }

    /// The places in the set, lowest first.
    pub fn slots(self) -> impl Iterator<Item = u32> {
        (0..64).filter(move |&slot| self.contains(slot))
    }
}

/// What one node gives to a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeShare {
    /// The node.
    pub node: NodeId,
    /// Processors.
    pub cpus: u32,
    /// Memory in MiB.
    pub memory_mib: u64,
    /// Which GPUs.
    pub gpus: GpuSet,
}

impl NodeShare {
    /// The amounts without the GPUs' names.
    pub const fn resources(&self) -> Resources {
        Resources { cpus: self.cpus, gpus: self.gpus.len(), memory_mib: self.memory_mib }
    }
}

/// What a job holds: shares of distinct nodes, in node order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Placement(pub Vec<NodeShare>);

impl Placement {
    /// The nodes that take part.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> {
        self.0.iter().map(|share| share.node)
    }

    /// The sum over all shares.
    pub fn total(&self) -> Resources {
        self.0.iter().fold(Resources::default(), |sum, share| sum.plus(&share.resources()))
    }

    /// The share of `node`, if it takes part.
    pub fn share_of(&self, node: NodeId) -> Option<&NodeShare> {
        self.0.iter().find(|share| share.node == node)
    }
}

impl fmt::Display for Placement {
    /// Node numbers as ranges, `0-3 7`: the way Batsim and the golden files write host sets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt_nodes(self.nodes(), f)
    }
}

fn fmt_nodes(nodes: impl Iterator<Item = NodeId>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut nodes = nodes.map(|node| node.0).peekable();
    let mut first = true;
    while let Some(from) = nodes.next() {
        let mut to = from;
        while let Some(next) = nodes.next_if(|&next| next == to + 1) {
            to = next;
        }
        let gap = if first { "" } else { " " };
        first = false;
        if from == to {
            write!(f, "{gap}{from}")?;
        } else {
            write!(f, "{gap}{from}-{to}")?;
        }
    }
    Ok(())
}

/// Neighbouring nodes that give the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stretch {
    first: NodeShare,
    nodes: u32,
}

/// A placement for keeping: a million of them fit into memory even where jobs run on hundreds of nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept(Box<[Stretch]>);

impl Kept {
    /// The shares, in node order.
    pub fn shares(&self) -> impl Iterator<Item = NodeShare> + Clone + '_ {
        let share = |first: NodeShare, offset| NodeShare { node: NodeId(first.node.0 + offset), ..first };
        self.0
            .iter()
            .flat_map(move |stretch| (0..stretch.nodes).map(move |offset| share(stretch.first, offset)))
    }

    /// The nodes that take part.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.shares().map(|share| share.node)
    }

    /// The number of nodes that take part.
    pub fn len(&self) -> usize {
        self.0.iter().map(|stretch| stretch.nodes as usize).sum()
    }

    /// Whether no node takes part.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The sum over all shares.
    pub fn total(&self) -> Resources {
        let sum =
            |sum: Resources, stretch: &Stretch| sum.plus(&stretch.first.resources().scaled(stretch.nodes));
        self.0.iter().fold(Resources::default(), sum)
    }

    /// The share of `node`, if it takes part.
    pub fn share_of(&self, node: NodeId) -> Option<NodeShare> {
        self.shares().find(|share| share.node == node)
    }

    /// The placement as decisions are made of it.
    pub fn unpack(&self) -> Placement {
        Placement(self.shares().collect())
    }
}

impl From<&Placement> for Kept {
    fn from(placement: &Placement) -> Kept {
        let mut stretches: Vec<Stretch> = Vec::new();
        for &share in &placement.0 {
            if let Some(Stretch { first, nodes }) = stretches.last_mut()
                && (NodeShare { node: NodeId(first.node.0 + *nodes), ..*first }) == share
            {
                *nodes += 1;
            } else {
                stretches.push(Stretch { first: share, nodes: 1 });
            }
        }
        Kept(stretches.into())
    }
}

impl fmt::Display for Kept {
    /// As [`Placement`] is written.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt_nodes(self.nodes(), f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_gpus_are_taken_first() {
        let free = GpuSet(0b1011_0100);
        assert_eq!(free.lowest(2), Some(GpuSet(0b0001_0100)));
        assert_eq!(free.lowest(5), None);
        assert_eq!(free.minus(GpuSet(0b100)).slots().collect::<Vec<_>>(), [4, 5, 7]);
        assert_eq!(GpuSet::first(64).len(), 64);
    }

    #[test]
    fn what_is_kept_is_what_was_placed() {
        let share =
            |node, cpus, gpus| NodeShare { node: NodeId(node), cpus, memory_mib: 5, gpus: GpuSet(gpus) };
        let placement =
            Placement(vec![share(1, 2, 3), share(2, 2, 3), share(3, 4, 3), share(5, 4, 3), share(6, 4, 1)]);
        let kept = Kept::from(&placement);
        assert_eq!((kept.0.len(), kept.len(), kept.to_string().as_str()), (4, 5, "1-3 5-6"));
        assert_eq!((kept.unpack(), kept.total()), (placement.clone(), placement.total()));
        assert_eq!(kept.share_of(NodeId(5)).as_ref(), placement.share_of(NodeId(5)));
        assert!(Kept::from(&Placement::default()).is_empty());
    }

    #[test]
    fn node_lists_are_written_as_ranges() {
        let on = |nodes: &[u32]| {
            let share = |&node| NodeShare { node: NodeId(node), cpus: 1, memory_mib: 0, gpus: GpuSet(0) };
            Placement(nodes.iter().map(share).collect()).to_string()
        };
        assert_eq!(on(&[0, 1, 2, 3, 7]), "0-3 7");
        assert_eq!(on(&[5]), "5");
        assert_eq!(on(&[]), "");
    }
}
