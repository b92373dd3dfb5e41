//! The machines that jobs of one kind may use, and how much those could hold if they were empty.

use std::collections::BTreeMap;
use std::sync::Arc;

use switchyard_model::{Fleet, Node, NodeId, Resources, Shape, Site, Terms};

use crate::Request;
use crate::request::parts_on;

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

    /// Whether they have a node in common.
    pub(crate) fn meets(&self, other: &NodeSet) -> bool {
        self.bits.iter().zip(&other.bits).any(|(a, b)| a & b != 0)
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
    /// Each kind of NVSwitch domain: what each node of it has, with the GPUs of the domain alone, and how many nodes it has.
    domains: Vec<(Resources, u32)>,
    /// Different for different sets of one cluster; 0 are all nodes.
    pub(crate) number: u32,
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
        let domains = domains(fleet, may);
        Arc::new(Machines { only, kinds, total, domains, number: 0 })
    }

    /// How many parts of this shape a single NVSwitch domain could hold.
    pub(crate) fn most_in_one_domain(&self, shape: &Shape) -> u32 {
        let room = |(capacity, nodes): &(Resources, u32)| parts_on(shape, capacity).saturating_mul(*nodes);
        self.domains.iter().map(room).max().unwrap_or(0)
    }

    /// Whether `node` is one of them.
    pub fn contains(&self, node: NodeId) -> bool {
        self.only.as_ref().is_none_or(|only| only.contains(node))
    }

    /// How many they are.
    pub fn count(&self) -> u32 {
        self.kinds.iter().map(|(_, count)| count).sum()
    }

    /// Whether someone could use nodes of both.
    pub(crate) fn meets(&self, other: &Machines) -> bool {
        match (&self.only, &other.only) {
            (Some(a), Some(b)) => a.meets(b),
            (Some(some), None) | (None, Some(some)) => !some.is_empty(),
            (None, None) => true,
        }
    }

    /// How many nodes a job takes at least.
    pub(crate) fn least_nodes(&self, request: &Request) -> u32 {
        let most = self.kinds.iter().map(|(capacity, _)| parts_on(&request.shape, capacity)).max();
        request.parts().div_ceil(most.unwrap_or(1).max(1))
    }

    /// What a job takes at least that gets whole nodes.
    pub(crate) fn least_whole(&self, request: &Request) -> Resources {
        let fitting = || self.kinds.iter().filter(|(capacity, _)| parts_on(&request.shape, capacity) > 0);
        let smallest = fitting().map(|(capacity, _)| *capacity).reduce(|a, b| a.min(&b));
        // Where tasks could go to nodes of several kinds, the smallest sum depends on the mixture.
        let is_sure = fitting().count() == 1 || matches!(request.shape, Shape::Nodes { .. });
        match smallest.filter(|_| is_sure) {
            Some(smallest) => smallest.scaled(self.least_nodes(request)),
            None => request.total,
        }
    }
}

/// The kinds of NVSwitch domains among the nodes that one `may` use.
fn domains(fleet: &Fleet, may: impl Fn(NodeId) -> bool) -> Vec<(Resources, u32)> {
    let mut kinds = Vec::new();
    for domain in fleet.domains() {
        let Some(first) = fleet.node(domain.id.node) else { continue };
        let node = Resources { gpus: domain.gpus.len(), ..first.capacity };
        let nodes = domain.nodes.clone().filter(|&node| may(NodeId(node))).count();
        let kind = (node, u32::try_from(nodes).unwrap_or(u32::MAX));
        if nodes > 0 && !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    kinds
}

/// Which nodes a job's terms leave.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Wish {
    partition: Option<usize>,
    reservation: Option<usize>,
    features: Vec<Arc<str>>,
    gpu_models: Vec<Arc<str>>,
}

impl Wish {
    fn admits(&self, node: &Node, site: &Site) -> bool {
        let in_partition = self.partition.and_then(|place| site.partitions.get(place));
        let in_partition = in_partition.and_then(|partition| partition.nodes.as_ref());
        let reserved = self.reservation.and_then(|place| site.reservations.get(place));
        in_partition.is_none_or(|nodes| nodes.contains(&node.id))
            && reserved.is_none_or(|reservation| reservation.nodes.contains(&node.id))
            && self.features.iter().all(|feature| node.features.contains(feature))
            && (self.gpu_models.is_empty()
                || node.gpu_model.as_ref().is_some_and(|model| self.gpu_models.contains(model)))
    }
}

/// The sets of machines that jobs may use, each made once.
#[derive(Clone, Debug)]
pub(super) struct Shelf {
    all: Arc<Machines>,
    some: BTreeMap<Wish, Arc<Machines>>,
}

impl Shelf {
    pub(super) fn new(fleet: &Fleet) -> Shelf {
        Shelf { all: Machines::new(fleet, None), some: BTreeMap::new() }
    }

    /// All nodes.
    pub(super) const fn all(&self) -> &Arc<Machines> {
        &self.all
    }

    /// Whether every job so far may use all nodes.
    pub(super) fn is_uniform(&self) -> bool {
        self.some.values().all(|machines| machines.only.is_none())
    }

    /// The machines for a job with these terms, in this partition and advance reservation.
    pub(super) fn get(
        &mut self,
        fleet: &Fleet,
        site: &Site,
        terms: &Terms,
        partition: Option<usize>,
        reservation: Option<usize>,
    ) -> Arc<Machines> {
        let sorted = |names: &[Arc<str>]| {
            let mut names = names.to_vec();
            names.sort_unstable();
            names.dedup();
            names
        };
        let features = sorted(&terms.features);
        let wish = Wish { partition, reservation, features, gpu_models: sorted(&terms.gpu_models) };
        if let Some(known) = self.some.get(&wish) {
            return Arc::clone(known);
        }
        let nodes = NodeSet::of(fleet, |id| fleet.node(id).is_some_and(|node| wish.admits(node, site)));
        let machines = match nodes.len() as usize == fleet.nodes().len() {
            true => Arc::clone(&self.all),
            false => self.numbered(Arc::unwrap_or_clone(Machines::new(fleet, Some(nodes)))),
        };
        self.some.insert(wish, Arc::clone(&machines));
        machines
    }

    /// Different wishes can come down to the same nodes.
    fn numbered(&self, machines: Machines) -> Arc<Machines> {
        let same = self.some.values().find(|other| other.only == machines.only);
        let next = || self.some.values().map(|other| other.number).max().unwrap_or(0) + 1;
        same.map_or_else(|| Arc::new(Machines { number: next(), ..machines }), Arc::clone)
    }
}
