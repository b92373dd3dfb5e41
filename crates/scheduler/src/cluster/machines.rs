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

    /// The first of its nodes from `from` on.
    pub(crate) fn next(&self, from: NodeId) -> Option<NodeId> {
        let mut at = from.index() / 64;
        let mut word = self.bits.get(at)? & u64::MAX << (from.index() % 64);
        while word == 0 {
            at += 1;
            word = *self.bits.get(at)?;
        }
        u32::try_from(at).ok().map(|at| NodeId(at * 64 + word.trailing_zeros()))
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
    /// Each kind of NVSwitch domain: what each node of it has, with the GPUs of the domain alone, and how many there are.
    pub(crate) domains: Vec<(Resources, u32)>,
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
        let mut domains: Vec<(Resources, u32)> = Vec::new();
        for domain in fleet.domains() {
            let nodes = domain.nodes.clone().map(NodeId).filter(|&node| may(node)).count();
            let capacity = fleet.node(domain.id.node).map_or(Resources::default(), |node| node.capacity);
            let kind = (Resources { gpus: domain.gpus.len(), ..capacity }, u32::try_from(nodes).unwrap_or(0));
            if nodes > 0 && !domains.contains(&kind) {
                domains.push(kind);
            }
        }
        Arc::new(Machines { only, kinds, total, domains })
    }

    /// Whether `node` is one of them.
    pub fn contains(&self, node: NodeId) -> bool {
        self.only.as_ref().is_none_or(|only| only.contains(node))
    }
}
