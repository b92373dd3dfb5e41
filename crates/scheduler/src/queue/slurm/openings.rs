//! When the nodes open for jobs that need the same of a node.

use std::sync::Arc;

use switchyard_model::{NodeId, Resources, Shape, SimDuration, SimTime};

use super::bits;
use super::holdings::Holdings;
use crate::cluster::{Machines, Pending};

/// From `at` on a node takes so many parts more.
#[derive(Clone, Copy, Debug)]
struct Gain {
    at: SimTime,
    node: NodeId,
    parts: u32,
}

/// How many parts of a job each node takes from which time on, if nobody else comes.
///
/// It stands at a time that is looked at, and moves from there to the next.
#[derive(Clone, Debug)]
pub(super) struct Openings {
    need: Resources,
    machines: Arc<Machines>,
    are_tasks: bool,
    /// Only an idle node takes anything.
    exclusive: bool,
    /// The place of the advance reservation whose nodes are open to them.
    reservation: Option<usize>,
    /// Earliest first, then by number. A node takes at most one part of a job of nodes.
    gains: Vec<Gain>,
    /// How many parts all nodes take after each of the gains.
    sums: Vec<u64>,
    /// So many gains lie behind.
    behind: usize,
    /// The nodes that take something at the time where it stands, and how much each takes.
    open: Vec<u64>,
    parts: Vec<u32>,
    /// The most that one node ever takes.
    most: u32,
    /// Jobs that were tested in this cycle, the latest starts first.
    tested: Vec<Tested>,
}

/// When a job of this size starts at the earliest; [`SimTime::MAX`]: not before the window ends.
#[derive(Clone, Copy, Debug)]
struct Tested {
    parts: u32,
    limit: SimDuration,
    at: SimTime,
}

impl Openings {
    pub(super) fn new(job: &Pending, holdings: &Holdings) -> Openings {
        let need = *job.request.shape.parts().1;
        let are_tasks = matches!(job.request.shape, Shape::Tasks { .. });
        let exclusive = job.is_exclusive();
        let takes = |free: &Resources, node: NodeId| match (exclusive, are_tasks) {
            (true, _) if *free != holdings.capacity(node) => 0,
            (_, true) => free.times(&need),
            (_, false) => u32::from(free.covers(&need)),
        };
        let nodes = holdings.nodes();
        let (mut free, mut parts) = (vec![Resources::default(); nodes], vec![0; nodes]);
        let mut gains = Vec::new();
        // In the order of time, so that the gains are in order, too.
        let all = (0..).map(NodeId).take(nodes);
        let now = all.filter_map(|node| Some((holdings.now(), node, holdings.free(node)?)));
        let later = holdings.returns().iter().map(|back| (back.at, back.node, back.amount));
        for (at, node, amount) in now.chain(later).filter(|(_, node, _)| job.machines.contains(*node)) {
            let place = node.index();
            let (Some(free), Some(parts)) = (free.get_mut(place), parts.get_mut(place)) else { continue };
            if holdings.free(node).is_none() || *parts > 0 && !are_tasks {
                continue;
            }
            *free = free.plus(&amount);
            let more = takes(free, node) - *parts;
            if more > 0 {
                *parts += more;
                gains.push(Gain { at, node, parts: more });
            }
        }
        let most = parts.iter().copied().max().unwrap_or(0);
        let mut sum = 0;
        let sums = gains.iter().map(|gain| {
            sum += u64::from(gain.parts);
            sum
        });
        let sums = sums.collect();
        let open = vec![0; nodes.div_ceil(64)];
        parts.fill(0);
        let machines = Arc::clone(&job.machines);
        Openings {
            need,
            machines,
            are_tasks,
            exclusive,
            reservation: job.reservation(),
            gains,
            sums,
            behind: 0,
            open,
            parts,
            most,
            tested: Vec::new(),
        }
    }

    /// Whether these are the openings for such a job.
    pub(super) fn are_for(&self, job: &Pending) -> bool {
        let are_tasks = matches!(job.request.shape, Shape::Tasks { .. });
        self.need == *job.request.shape.parts().1
            && self.are_tasks == are_tasks
            && self.exclusive == job.is_exclusive()
            && self.reservation == job.reservation()
            && Arc::ptr_eq(&self.machines, &job.machines)
    }

    /// Whether no node ever takes more than one part.
    pub(super) const fn one_each(&self) -> bool {
        self.most <= 1
    }

    /// How many nodes so many parts need at least.
    pub(super) fn nodes_for(&self, parts: u32) -> u32 {
        parts.div_ceil(self.most.max(1)).max(1)
    }

    /// When all nodes together take so many parts, if ever.
    pub(super) fn room_for(&self, parts: u32) -> Option<SimTime> {
        self.after(0, 0, u64::from(parts.max(1)))
    }

    /// When there is room for `more` parts than where it stands.
    pub(super) fn next(&self, more: u64) -> Option<SimTime> {
        let here = self.behind.checked_sub(1).and_then(|last| self.sums.get(last)).copied().unwrap_or(0);
        self.after(self.behind, here, more.max(1))
    }

    /// When there is room for `more` parts than the `here` after `behind` gains.
    fn after(&self, behind: usize, here: u64, more: u64) -> Option<SimTime> {
        // Each gain is one part at least.
        let last = behind.saturating_add(usize::try_from(more).unwrap_or(usize::MAX) - 1);
        if self.one_each() {
            return Some(self.gains.get(last)?.at);
        }
        let last = last.min(self.gains.len());
        let among = self.sums.get(behind..last).unwrap_or_default();
        let place = behind + among.partition_point(|sum| *sum < here + more);
        Some(self.gains.get(place)?.at)
    }

    /// Goes to another time.
    pub(super) fn seek(&mut self, at: SimTime) {
        while let Some(gain) = self.gains.get(self.behind).filter(|gain| gain.at <= at) {
            bits::insert(&mut self.open, gain.node.index());
            if let Some(parts) = self.parts.get_mut(gain.node.index()) {
                *parts += gain.parts;
            }
            self.behind += 1;
        }
        while let Some(gain) = self.behind.checked_sub(1).and_then(|last| self.gains.get(last))
            && gain.at > at
        {
            if let Some(parts) = self.parts.get_mut(gain.node.index()) {
                *parts -= gain.parts;
                if *parts == 0 {
                    bits::remove(&mut self.open, gain.node.index());
                }
            }
            self.behind -= 1;
        }
    }

    /// The nodes that take something at the time where it stands.
    pub(super) fn open(&self) -> &[u64] {
        &self.open
    }

    /// How many parts a node takes at the time where it stands.
    pub(super) fn parts(&self, node: usize) -> u32 {
        self.parts.get(node).copied().unwrap_or(0)
    }

    /// Leaves in `stays` only the nodes that open first: as few as take the job, and all that open at the same time as the last.
    pub(super) fn keep_first(&self, job: &Pending, stays: &mut [u64]) {
        let Shape::Nodes { nodes, .. } = job.request.shape else { return };
        let mut last = None;
        let mut kept = 0;
        for gain in &self.gains {
            if !bits::contains(stays, gain.node.index()) {
                continue;
            }
            if last.is_some_and(|last| gain.at > last) {
                bits::remove(stays, gain.node.index());
            }
            kept += 1;
            if kept == nodes.max(1) {
                last = Some(gain.at);
            }
        }
    }

    /// Before this the job can't start, since one that is no larger and no longer can't.
    pub(super) fn not_before(&self, job: &Pending) -> Option<SimTime> {
        let parts = job.request.parts();
        let smaller = |tested: &&Tested| tested.parts <= parts && tested.limit <= job.spec.limit;
        self.tested.iter().find(smaller).map(|tested| tested.at)
    }

    /// Remembers when a job starts at the earliest. Whoever says no more than that is forgotten.
    pub(super) fn remember(&mut self, job: &Pending, at: SimTime) {
        let (parts, limit) = (job.request.parts(), job.spec.limit);
        let place = self.tested.partition_point(|old| old.at > at);
        let mut behind = self.tested.split_off(place);
        behind.retain(|old| parts > old.parts || limit > old.limit);
        self.tested.push(Tested { parts, limit, at });
        self.tested.append(&mut behind);
    }
}
