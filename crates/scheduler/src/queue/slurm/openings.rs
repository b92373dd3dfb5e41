//! When the nodes open for jobs that need the same of a node.

use std::sync::Arc;

use switchyard_model::{NodeId, Resources, Shape, SimDuration, SimTime};

use super::bits;
use super::holdings::Holdings;
use crate::cluster::{Machines, Pending};

/// After so many nodes the set of those that are open is written down.
const STRIDE: usize = 32;

/// The nodes by the time from which on each has what a part of a job needs, if nobody else comes.
#[derive(Clone, Debug)]
pub(super) struct Openings {
    need: Resources,
    machines: Arc<Machines>,
    /// For tasks, of which a node takes more and more as it gets things back: when any node does.
    returns: Option<Vec<SimTime>>,
    /// Earliest first, then by number.
    nodes: Vec<(SimTime, NodeId)>,
    /// The sets of the first [`STRIDE`] nodes, of twice as many, and so on, from none on.
    strides: Vec<u64>,
    words: usize,
    /// Jobs of whole nodes that were tested in this cycle, the latest starts first.
    tested: Vec<Tested>,
}

/// When a job of this size starts at the earliest; [`SimTime::MAX`]: not before the window ends.
#[derive(Clone, Copy, Debug)]
struct Tested {
    nodes: u32,
    limit: SimDuration,
    at: SimTime,
}

impl Openings {
    pub(super) fn new(job: &Pending, holdings: &Holdings) -> Openings {
        let need = *job.request.shape.parts().1;
        let nodes = (0..).map(NodeId).take(holdings.nodes()).filter(|&node| job.machines.contains(node));
        let mut nodes: Vec<(SimTime, NodeId)> =
            nodes.filter_map(|node| Some((holdings.opens(node, &need)?, node))).collect();
        nodes.sort_unstable();
        let returns = matches!(job.request.shape, Shape::Tasks { .. }).then(|| {
            let returns = nodes.iter().flat_map(|(_, node)| holdings.returns(*node));
            let mut returns: Vec<SimTime> = returns.map(|back| back.at).collect();
            returns.sort_unstable();
            returns.dedup();
            returns
        });
        let words = holdings.nodes().div_ceil(64);
        let mut set = vec![0; words];
        let mut strides = set.clone();
        for stride in nodes.chunks_exact(STRIDE) {
            stride.iter().for_each(|(_, node)| bits::insert(&mut set, node.index()));
            strides.extend_from_slice(&set);
        }
        let machines = Arc::clone(&job.machines);
        Openings { need, machines, returns, nodes, strides, words, tested: Vec::new() }
    }

    /// Whether these are the openings for such a job.
    pub(super) fn are_for(&self, job: &Pending) -> bool {
        let are_tasks = matches!(job.request.shape, Shape::Tasks { .. });
        self.need == *job.request.shape.parts().1
            && self.returns.is_some() == are_tasks
            && Arc::ptr_eq(&self.machines, &job.machines)
    }

    /// When so many nodes are open, if ever.
    pub(super) fn nth(&self, nodes: u32) -> Option<SimTime> {
        let place = usize::try_from(nodes.max(1)).ok()? - 1;
        Some(self.nodes.get(place)?.0)
    }

    /// Fills `open` with the nodes that are open at `at`, and returns how many.
    pub(super) fn open_at(&self, at: SimTime, open: &mut [u64]) -> usize {
        let count = self.nodes.partition_point(|(opens, _)| *opens <= at);
        let strides = count / STRIDE;
        let written = self.strides.get(strides * self.words..(strides + 1) * self.words);
        open.copy_from_slice(written.unwrap_or_default());
        for (_, node) in self.nodes.get(strides * STRIDE..count).unwrap_or_default() {
            bits::insert(open, node.index());
        }
        count
    }

    /// Adds to `open`, which holds the first `count` nodes, those that are open at `at`; how many there are then.
    pub(super) fn open_more(&self, count: usize, at: SimTime, open: &mut [u64]) -> usize {
        let rest = self.nodes.get(count..).unwrap_or_default();
        let mut count = count;
        for (_, node) in rest.iter().take_while(|(opens, _)| *opens <= at) {
            bits::insert(open, node.index());
            count += 1;
        }
        count
    }

    /// When `more` nodes are open than at `at`, by which `count` are; for tasks, when there is any more room.
    pub(super) fn next(&self, count: usize, more: u32, at: SimTime) -> Option<SimTime> {
        match &self.returns {
            None => self.nodes.get(count + (more as usize).saturating_sub(1)).map(|(opens, _)| *opens),
            Some(returns) => returns.get(returns.partition_point(|back| *back <= at)).copied(),
        }
    }

    /// Leaves in `stays` only the nodes that open first: as few as take the job, and all that open at the same time as the last.
    pub(super) fn keep_first(&self, job: &Pending, stays: &mut [u64]) {
        let Shape::Nodes { nodes, .. } = job.request.shape else { return };
        let mut last = None;
        let mut kept = 0;
        for (opens, node) in &self.nodes {
            if !bits::contains(stays, node.index()) {
                continue;
            }
            if last.is_some_and(|last| *opens > last) {
                bits::remove(stays, node.index());
            }
            kept += 1;
            if kept == nodes.max(1) {
                last = Some(*opens);
            }
        }
    }

    /// Before this the job can't start, since one that is no larger and no longer can't.
    pub(super) fn not_before(&self, job: &Pending) -> Option<SimTime> {
        let Shape::Nodes { nodes, .. } = job.request.shape else { return None };
        let smaller = |tested: &&Tested| tested.nodes <= nodes && tested.limit <= job.spec.limit;
        self.tested.iter().find(smaller).map(|tested| tested.at)
    }

    /// Remembers when a job starts at the earliest. Whoever says no more than that is forgotten.
    pub(super) fn remember(&mut self, job: &Pending, at: SimTime) {
        let Shape::Nodes { nodes, .. } = job.request.shape else { return };
        let limit = job.spec.limit;
        let place = self.tested.partition_point(|old| old.at > at);
        let mut behind = self.tested.split_off(place);
        behind.retain(|old| nodes > old.nodes || limit > old.limit);
        self.tested.push(Tested { nodes, limit, at });
        self.tested.append(&mut behind);
    }
}
