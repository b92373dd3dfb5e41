//! A cluster while pods come in: what is free where, and which node a policy chooses.

use std::collections::BTreeSet;
use std::sync::Arc;

use rand::RngExt as _;
use rand::seq::SliceRandom as _;
use switchyard_model::{GpuSet, PodNode, PodPlacement, PodSpec, Stream, stream};

use super::policy::PodPolicy;
use super::reason::{PodReason, Refusals};
use super::score::{self, Kind, Largest};
use super::score_table::ScoreTable;
use super::shape::{NodeRoom, PodShape};
use super::shape_ids::ShapeIds;
use super::typical::{Fragments, TypicalPods};

/// Which node is taken among equally good ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ties {
    /// The first in the list of nodes.
    AsGiven,
    /// The one with the smallest name.
    ByName,
    /// The first in a random order of the nodes, which depends on the seed and stays the same for the whole run: what the
    /// published experiments do.
    #[default]
    Shuffled,
}

/// A node and what is on it.
#[derive(Clone, Debug)]
struct Host {
    /// Its place in the list of nodes.
    place: u32,
    /// What it has when it is empty.
    all: NodeRoom,
    room: NodeRoom,
    /// The kinds of GPU pods on it.
    kinds: BTreeSet<Kind>,
    fragments: Fragments,
}

/// What is free on all nodes, and the policy that fills them.
#[derive(Clone, Debug)]
pub struct PodCluster {
    rule: Rule,
    /// In the order in which they are preferred among equals.
    hosts: Vec<Host>,
    fragments: Fragments,
    shapes: ShapeIds,
    scores: ScoreTable,
    chance: Stream,
}

/// What a score depends on besides node and pod.
#[derive(Clone, Debug)]
struct Rule {
    policy: PodPolicy,
    typical: Arc<TypicalPods>,
    largest: Largest,
}

impl PodCluster {
    /// Empty nodes.
    pub fn new(
        nodes: &[PodNode],
        typical: Arc<TypicalPods>,
        policy: PodPolicy,
        ties: Ties,
        seed: u64,
    ) -> PodCluster {
        let host = |place: u32| -> Option<Host> {
            let all = NodeRoom::all_of(nodes.get(place as usize)?);
            let (kinds, fragments) = (BTreeSet::new(), typical.fragments(&all));
            Some(Host { place, room: all.clone(), all, kinds, fragments })
        };
        let hosts: Vec<Host> = order(nodes, ties, seed).into_iter().filter_map(host).collect();
        let mut fragments = Fragments::default();
        for host in &hosts {
            fragments += host.fragments;
        }
        PodCluster {
            rule: Rule { policy, typical, largest: Largest::of(nodes) },
            scores: ScoreTable::new(hosts.len()),
            hosts,
            fragments,
            shapes: ShapeIds::default(),
            chance: stream(seed, "pods random"),
        }
    }

    /// How the free GPUs of all nodes divide, to be divided by [`TypicalPods::total`].
    pub const fn fragments(&self) -> Fragments {
        self.fragments
    }

    /// What is free on each node, in the order in which they are preferred among equals, with their places in the list of
    /// nodes.
    pub fn rooms(&self) -> impl Iterator<Item = (u32, &NodeRoom)> {
        self.hosts.iter().map(|host| (host.place, &host.room))
    }

    /// Puts `pod` where the policy says.
    ///
    /// # Errors
    /// The reason when no node can take it; nothing changes then.
    pub fn place(&mut self, pod: &PodSpec) -> Result<PodPlacement, PodReason> {
        let shape = PodShape::of(pod);
        let chosen = match self.rule.policy {
            PodPolicy::Random => self.any(pod, &shape),
            _ => self.best(pod, &shape).map(|(at, _)| at),
        };
        let Some(at) = chosen else { return Err(self.reason(&shape, pod.memory_mib)) };
        let gpus = self.gpus_on(at, &shape);
        Ok(self.take(at, &shape, pod.memory_mib, gpus))
    }

    /// Puts `pod` there without asking the policy, for schedules that were decided elsewhere. `None` when it doesn't fit;
    /// nothing changes then.
    pub fn place_at(&mut self, pod: &PodSpec, to: PodPlacement) -> Option<()> {
        let shape = PodShape::of(pod);
        let at = self.hosts.iter().position(|host| host.place == to.node)?;
        let room = &self.hosts.get(at)?.room;
        let enough =
            |slot: u32| room.gpu_milli.get(slot as usize).is_some_and(|&free| free >= shape.gpu_milli);
        let named = to.gpus.len() == shape.gpus && to.gpus.slots().all(enough);
        if !named || !room.holds(&shape, pod.memory_mib) {
            return None;
        }
        self.take(at, &shape, pod.memory_mib, to.gpus);
        Some(())
    }

    /// The nodes that the policy finds equally good and best for `pod`, the preferred one first, each with the GPUs that it would give.
    /// For [`PodPolicy::Random`], which draws both, these are all nodes that can take it, each without GPUs.
    pub fn best_nodes(&mut self, pod: &PodSpec) -> Vec<PodPlacement> {
        let shape = PodShape::of(pod);
        let Some((_, most)) = self.best(pod, &shape) else { return Vec::new() };
        let drawn = self.rule.policy == PodPolicy::Random;
        let mut placements = Vec::new();
        for at in self.with_score(most, pod, &shape) {
            let gpus = if drawn { GpuSet::default() } else { self.gpus_on(at, &shape) };
            placements.extend(self.hosts.get(at).map(|host| PodPlacement { node: host.place, gpus }));
        }
        placements
    }

    fn any(&mut self, pod: &PodSpec, shape: &PodShape) -> Option<usize> {
        let (_, only) = self.best(pod, shape)?;
        let fitting = self.with_score(only, pod, shape);
        fitting.get(self.chance.random_range(0..fitting.len().max(1) as u32) as usize).copied()
    }

    /// The first node with the highest score, and that score.
    fn best(&mut self, pod: &PodSpec, shape: &PodShape) -> Option<(usize, i8)> {
        let mut best: Option<(usize, i8)> = None;
        let (scores, hosts) = self.scores_for(pod, shape);
        for (at, &score) in scores.iter().enumerate() {
            let better = score > best.map_or(-1, |(_, most)| most);
            if better && hosts.get(at).is_some_and(|host| host.room.memory_mib >= pod.memory_mib) {
                best = Some((at, score));
            }
        }
        best
    }

    fn with_score(&mut self, wanted: i8, pod: &PodSpec, shape: &PodShape) -> Vec<usize> {
        let (scores, hosts) = self.scores_for(pod, shape);
        let memory = |at: usize| hosts.get(at).is_some_and(|host| host.room.memory_mib >= pod.memory_mib);
        let equal = scores.iter().enumerate().filter(|&(at, &score)| score == wanted && memory(at));
        equal.map(|(at, _)| at).collect()
    }

    /// The score of each node, negative where CPU or GPUs don't suffice; memory is not looked at.
    fn scores_for(&mut self, pod: &PodSpec, shape: &PodShape) -> (&[i8], &[Host]) {
        let (hosts, rule) = (&self.hosts, &self.rule);
        let scores = self.scores.scores(self.shapes.id(pod), |at| {
            hosts.get(at).filter(|host| host.room.holds(shape, 0)).map(|host| rule.score(host, shape))
        });
        (scores, hosts)
    }

    /// The GPUs that the policy takes on the node at `at`, which has them.
    fn gpus_on(&mut self, at: usize, shape: &PodShape) -> GpuSet {
        let Some(Host { room, fragments, .. }) = self.hosts.get(at) else { return GpuSet::default() };
        match self.rule.policy {
            PodPolicy::Fgd => score::gradient(&self.rule.typical, room, shape, fragments.fragmented()).1,
            PodPolicy::Random if shape.shares_a_gpu() => {
                let all = (0u32..).zip(&room.gpu_milli);
                let fitting = all.filter(|&(_, &free)| free >= shape.gpu_milli);
                let slots: Vec<u32> = fitting.map(|(slot, _)| slot).collect();
                let drawn = self.chance.random_range(0..slots.len().max(1) as u32);
                slots.get(drawn as usize).map_or(GpuSet::default(), |slot| GpuSet(1 << slot))
            }
            _ => score::tightest(room, shape),
        }
    }

    fn take(&mut self, at: usize, shape: &PodShape, memory_mib: u64, gpus: GpuSet) -> PodPlacement {
        let Some(host) = self.hosts.get_mut(at) else { return PodPlacement { node: 0, gpus } };
        host.room.take(shape, gpus);
        host.room.memory_mib = host.room.memory_mib.saturating_sub(memory_mib);
        host.kinds.extend(Kind::of(shape));
        self.fragments -= host.fragments;
        host.fragments = self.rule.typical.fragments(&host.room);
        self.fragments += host.fragments;
        self.scores.forget(at);
        PodPlacement { node: host.place, gpus }
    }

    /// Why no node can take it.
    fn reason(&self, shape: &PodShape, memory_mib: u64) -> PodReason {
        let mut refusals = Refusals { ask_gpu_milli: shape.total_gpu_milli(), ..Refusals::default() };
        let (mut cpu, mut memory, mut ever) = (0, 0, false);
        for Host { all, room, .. } in &self.hosts {
            ever = ever || all.holds(shape, memory_mib);
            if shape.gpus > 0 && !shape.accepts(&room.model) {
                refusals.model += 1;
                continue;
            }
            refusals.free_gpu_milli += room.total_gpu_milli();
            cpu += room.cpu_milli;
            memory += room.memory_mib;
            match (room.has_gpus(shape), room.cpu_milli >= shape.cpu_milli) {
                (false, false) => refusals.both += 1,
                (false, true) => refusals.gpu += 1,
                (true, false) => refusals.cpu += 1,
                (true, true) => refusals.memory += 1,
            }
        }
        let gpu = refusals.free_gpu_milli >= refusals.ask_gpu_milli;
        let enough = gpu && cpu >= shape.cpu_milli && memory >= memory_mib;
        match (ever, enough) {
            (false, _) => PodReason::NeverFits(refusals),
            (true, false) => PodReason::Resources(refusals),
            (true, true) => PodReason::Fragmented(refusals),
        }
    }
}

impl Rule {
    fn score(&self, host: &Host, shape: &PodShape) -> i64 {
        let room = &host.room;
        match self.policy {
            PodPolicy::Random => 0,
            PodPolicy::DotProd => score::dot_product(self.largest, room, shape),
            PodPolicy::Clustering => score::clustering(self.largest, room, &host.kinds, shape),
            PodPolicy::Packing => score::packing(room, shape),
            PodPolicy::BestFit => score::best_fit(self.largest, room, shape),
            PodPolicy::Fgd => score::gradient(&self.typical, room, shape, host.fragments.fragmented()).0,
        }
    }
}

/// The places of the nodes in the order in which they are preferred among equals.
fn order(nodes: &[PodNode], ties: Ties, seed: u64) -> Vec<u32> {
    let mut places: Vec<u32> = (0u32..).zip(nodes).map(|(place, _)| place).collect();
    if ties == Ties::AsGiven {
        return places;
    }
    places.sort_by_key(|&place| nodes.get(place as usize).map(|node| &node.name));
    if ties == Ties::Shuffled {
        places.shuffle(&mut stream(seed, "pods ties"));
    }
    places
}
