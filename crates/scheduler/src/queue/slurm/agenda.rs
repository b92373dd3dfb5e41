//! The plan of a cycle, kept so that the earliest start of a job is found quickly: time in segments, each with the set of
//! nodes that are kept for someone.

use std::sync::Arc;

use switchyard_model::{NodeId, Placement, Resources, Shape, SimDuration, SimTime};

use super::bits;
use super::holdings::Holdings;
use super::timeline::{Slot, Timeline, stay};
use crate::cluster::{Machines, Pending};
use crate::pass::Pass;
use crate::request::parts_on;

/// When the nodes open for jobs that need the same of a node.
#[derive(Clone, Debug)]
struct Openings {
    need: Resources,
    machines: Arc<Machines>,
    /// For tasks, of which a node takes more and more as it gets things back: when any node does.
    returns: Option<Vec<SimTime>>,
    /// Earliest first, then by number.
    nodes: Vec<(SimTime, NodeId)>,
    /// All of them.
    all: Vec<u64>,
    /// Jobs that were tested in this cycle, and when they start at the earliest ([`SimTime::MAX`]: not before the window ends).
    /// A job as large as one of them and as long can't start before it.
    tested: Vec<Tested>,
}

/// Why a job can't start at some time.
#[derive(Clone, Copy, Debug)]
enum Blocked {
    /// It may be able to when another node opens or the segment ends.
    Here,
    /// Too few nodes are free in this segment even when all have opened: nothing that runs through it can work.
    Through(usize),
}

#[derive(Clone, Copy, Debug)]
struct Tested {
    parts: u32,
    limit: SimDuration,
    at: SimTime,
}

/// The fast plan.
#[derive(Clone, Debug, Default)]
pub(super) struct Agenda {
    holdings: Holdings,
    now: SimTime,
    /// How many words a set of nodes takes.
    words: usize,
    /// Where each segment begins; the first begins before everything.
    begins: Vec<SimTime>,
    /// The nodes that are kept for someone, segment by segment.
    kept: Vec<u64>,
    /// Until when each node is free of reservations from now on.
    clear: Vec<SimTime>,
    /// The nodes that have something free now.
    idle: Vec<NodeId>,
    openings: Vec<Openings>,
    /// The nodes that are open at the time that is looked at, and what is left of them.
    open: Vec<u64>,
    left: Vec<u64>,
}

impl Agenda {
    /// The openings for jobs like this one, by their place.
    fn openings_for(&mut self, job: &Pending) -> usize {
        let need = *job.request.shape.parts().1;
        let are_tasks = matches!(job.request.shape, Shape::Tasks { .. });
        let same = |known: &Openings| {
            let same_kind = known.returns.is_some() == are_tasks;
            same_kind && known.need == need && Arc::ptr_eq(&known.machines, &job.machines)
        };
        if let Some(known) = self.openings.iter().position(same) {
            return known;
        }
        let nodes = (0..).map(NodeId).take(self.holdings.nodes()).filter(|&node| job.machines.contains(node));
        let mut nodes: Vec<(SimTime, NodeId)> =
            nodes.filter_map(|node| Some((self.holdings.opens(node, &need)?, node))).collect();
        nodes.sort_unstable();
        let mut all = vec![0; self.words];
        nodes.iter().for_each(|(_, node)| bits::insert(&mut all, node.index()));
        let returns = are_tasks.then(|| {
            let returns = nodes.iter().flat_map(|(_, node)| self.holdings.returns(*node));
            let mut returns: Vec<SimTime> = returns.map(|back| back.at).collect();
            returns.sort_unstable();
            returns.dedup();
            returns
        });
        let machines = Arc::clone(&job.machines);
        self.openings.push(Openings { need, machines, returns, nodes, all, tested: Vec::new() });
        self.openings.len() - 1
    }

    /// Where the segment with this time is.
    fn segment(&self, at: SimTime) -> usize {
        self.begins.partition_point(|begin| *begin <= at).saturating_sub(1)
    }

    /// Makes a segment begin at `at`, and returns it.
    fn split(&mut self, at: SimTime) -> usize {
        let segment = self.segment(at);
        if self.begins.get(segment) == Some(&at) {
            return segment;
        }
        self.begins.insert(segment + 1, at);
        let (from, to) = (segment * self.words, (segment + 1) * self.words);
        self.kept.splice(to..to, vec![0; self.words]);
        self.kept.copy_within(from..to, to);
        segment + 1
    }

    /// Whether enough of the `open` nodes are free from `at`, in segment `segment`, for as long as the job asks. They are in
    /// `left` then.
    fn try_at(&mut self, job: &Pending, openings: usize, at: SimTime, segment: usize) -> Result<(), Blocked> {
        let until = at + stay(job);
        let parts = job.request.parts();
        let whole = matches!(job.request.shape, Shape::Nodes { .. });
        self.left.clear();
        self.left.extend_from_slice(&self.open);
        let mut here = segment;
        loop {
            let kept = self.kept.get(here * self.words..(here + 1) * self.words).unwrap_or_default();
            let count = bits::remove_all(&mut self.left, kept);
            if count == 0 || (whole && count < parts) {
                let all = self.openings.get(openings).map(|openings| openings.all.as_slice());
                let most = bits::count_without(all.unwrap_or_default(), kept);
                let hopeless = most == 0 || (whole && most < parts);
                return Err(if hopeless { Blocked::Through(here) } else { Blocked::Here });
            }
            here += 1;
            if self.begins.get(here).is_none_or(|begin| *begin >= until) {
                break;
            }
        }
        let fits = || {
            let nodes = bits::iter(&self.left);
            let parts_here = |node: usize| {
                let node = NodeId(u32::try_from(node).ok()?);
                Some(u64::from(parts_on(&job.request.shape, &self.holdings.free_at(node, at)?)))
            };
            nodes.filter_map(parts_here).sum::<u64>() >= u64::from(parts)
        };
        if whole || fits() { Ok(()) } else { Err(Blocked::Here) }
    }

    /// The lowest of the nodes in `left` that together take the job.
    fn choose(&self, job: &Pending, at: SimTime) -> Vec<NodeId> {
        let mut missing = job.request.parts();
        let mut chosen = Vec::new();
        for node in bits::iter(&self.left).filter_map(|node| u32::try_from(node).ok()).map(NodeId) {
            if missing == 0 {
                break;
            }
            let parts = match job.request.shape {
                Shape::Nodes { .. } => 1,
                Shape::Tasks { .. } => {
                    self.holdings.free_at(node, at).map_or(0, |free| parts_on(&job.request.shape, &free))
                }
            };
            chosen.push(node);
            missing = missing.saturating_sub(parts);
        }
        chosen
    }

    fn search(&mut self, job: &Pending, openings: usize, from: SimTime, until: SimTime) -> Option<Slot> {
        // Each of the nodes may open later; the job needs so many at least.
        let least = match job.request.shape {
            Shape::Nodes { nodes, .. } => nodes.max(1),
            Shape::Tasks { .. } => 1,
        };
        let known = self.openings.get(openings)?;
        let first = known.nodes.get(usize::try_from(least).ok()?.checked_sub(1)?)?.0;
        let mut at = from.max(first);
        let mut opened = 0;
        bits::clear(&mut self.open);
        loop {
            if at > until {
                return None;
            }
            let known = self.openings.get(openings)?;
            let nodes = known.nodes.get(opened..).unwrap_or_default();
            let new = nodes.iter().take_while(|(opens, _)| *opens <= at);
            for (_, node) in new {
                bits::insert(&mut self.open, node.index());
                opened += 1;
            }
            let next_opening = match &known.returns {
                None => known.nodes.get(opened).map(|(opens, _)| *opens),
                Some(returns) => returns.get(returns.partition_point(|back| *back <= at)).copied(),
            };
            let segment = self.segment(at);
            match self.try_at(job, openings, at, segment) {
                Ok(()) => return Some(Slot { at, nodes: self.choose(job, at) }),
                Err(Blocked::Through(here)) => at = self.begins.get(here + 1).copied()?,
                Err(Blocked::Here) => {
                    let after = self.begins.get(segment + 1).copied();
                    at = [after, next_opening].into_iter().flatten().min()?;
                }
            }
        }
    }
}

impl Timeline for Agenda {
    fn begin(&mut self, pass: &Pass<'_>) {
        self.holdings.begin(pass);
        self.now = pass.now;
        let nodes = self.holdings.nodes();
        self.words = nodes.div_ceil(64);
        self.begins.clear();
        self.begins.push(SimTime::ZERO);
        for set in [&mut self.kept, &mut self.open, &mut self.left] {
            set.clear();
            set.resize(self.words, 0);
        }
        self.clear.clear();
        self.clear.resize(nodes, SimTime::MAX);
        let has_some =
            |node: &NodeId| self.holdings.free(*node).is_some_and(|free| free.cpus > 0 || free.gpus > 0);
        self.idle.clear();
        self.idle.extend((0..).map(NodeId).take(nodes).filter(has_some));
        self.openings.clear();
    }

    fn earliest(&mut self, job: &Pending, until: SimTime) -> Option<Slot> {
        let openings = self.openings_for(job);
        let tested = self.openings.get(openings).map(|known| known.tested.as_slice()).unwrap_or_default();
        let (parts, limit) = (job.request.parts(), job.spec.limit);
        let same_kind = matches!(job.request.shape, Shape::Nodes { .. });
        let smaller = |tested: &&Tested| same_kind && tested.parts <= parts && tested.limit <= limit;
        let from = tested.iter().filter(smaller).map(|tested| tested.at).max().unwrap_or(self.now);
        let slot = self.search(job, openings, from, until);
        let at = slot.as_ref().map_or(SimTime::MAX, |slot| slot.at);
        if let (true, Some(known)) = (same_kind, self.openings.get_mut(openings)) {
            known.tested.retain(|old| !(parts <= old.parts && limit <= old.limit && at >= old.at));
            known.tested.push(Tested { parts, limit, at });
        }
        slot
    }

    fn is_open(&self, job: &Pending, node: NodeId) -> bool {
        let free = self.holdings.free(node).filter(|_| job.machines.contains(node));
        let fits = free.is_some_and(|free| parts_on(&job.request.shape, &free) > 0);
        fits && self.clear.get(node.index()).is_some_and(|clear| self.now + stay(job) <= *clear)
    }

    fn reserve(&mut self, nodes: &[NodeId], from: SimTime, to: SimTime) {
        let (first, last) = (self.split(from), self.split(to));
        for segment in first..last {
            let range = segment * self.words..(segment + 1) * self.words;
            let Some(kept) = self.kept.get_mut(range) else { continue };
            nodes.iter().for_each(|node| bits::insert(kept, node.index()));
        }
        for node in nodes {
            if let Some(clear) = self.clear.get_mut(node.index()) {
                *clear = from.min(*clear);
            }
        }
    }

    fn hold(&mut self, placement: &Placement, until: SimTime) {
        self.holdings.hold(placement, until);
        self.openings.clear();
        let holdings = &self.holdings;
        self.idle.retain(|&node| holdings.free(node).is_some_and(|free| free.cpus > 0 || free.gpus > 0));
    }

    fn longest(&self) -> SimDuration {
        let clear = self.idle.iter().filter_map(|node| self.clear.get(node.index()));
        clear.max().map_or(SimDuration::ZERO, |clear| clear.since(self.now))
    }

    fn could_start(&self, job: &Pending) -> bool {
        let mut open = self.idle.iter().filter(|node| self.is_open(job, **node));
        match job.request.shape {
            Shape::Nodes { nodes, .. } => open.take(nodes as usize).count() == nodes as usize,
            Shape::Tasks { .. } => open.next().is_some(),
        }
    }
}
