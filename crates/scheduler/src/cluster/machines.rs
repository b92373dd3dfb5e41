//! The machines that jobs of one kind may use, and how much those could hold if they were empty.

use std::sync::Arc;

use switchyard_model::{Fleet, NodeId, Resources};

/// A set of nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeSet {
    bits: Vec<u64>,
    len: u32,
}

impl NodeSet {
    /// The nodes of `fleet` that `may`.
    pub(crate) fn of(fleet: &Fleet, mut may: impl FnMut(NodeId) -> bool) -> NodeSet {
        let mut set = NodeSet { bits: vec![0; fleet.nodes().len().div_ceil(64)], len: 0 };
        for node in fleet.nodes().iter().map(|node| node.id).filter(|&node| may(node)) {
            if let Some(word) = set.bits.get_mut(node.index() / 64) {
                *word |= 1 << (node.index() % 64);
                set.len += 1;
            }
        }
        set
    }

    /// Whether `node` is in it.
    pub fn contains(&self, node: NodeId) -> bool {
        self.bits.get(node.index() / 64).is_some_and(|word| word >> (node.index() % 64) & 1 == 1)
    }

    /// How many.
    pub const fn len(&self) -> u32 {
        self.len
    }

    /// Whether there is none.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }
}

/// The nodes that some jobs may use, counted by what they have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machines {
    /// Which nodes; `None` means all.
    pub(crate) only: Option<NodeSet>,
    /// Each kind of node, with its number.
    pub(crate) kinds: Vec<(Resources, u32)>,
    /// The sum over all of them.
    pub(crate) total: Resources,
}

impl Machines {
    pub(crate) fn new(fleet: &Fleet, only: Option<NodeSet>) -> Arc<Machines> {
        let mut kinds: Vec<(Resources, u32)> = Vec::new();
        let mut total = Resources::default();
        let may = |node: NodeId| only.as_ref().is_none_or(|only| only.contains(node));
        for node in fleet.nodes().iter().filter(|node| may(node.id)) {
            total = total.plus(&node.capacity);
            match kinds.iter_mut().find(|(capacity, _)| *capacity == node.capacity) {
                Some((_, count)) => *count += 1,
                None => kinds.push((node.capacity, 1)),
            }
        }
        Arc::new(Machines { only, kinds, total })
    }

    /// Whether `node` is one of them.
    pub fn contains(&self, node: NodeId) -> bool {
        self.only.as_ref().is_none_or(|only| only.contains(node))
    }
}
