//! The plan of a cycle as Slurm makes it: a table of times with the nodes that are left in each, and a question to the selection
//! of nodes.
//!
//! The rule is that of `_attempt_backfill` in `src/plugins/sched/backfill/backfill.c` (Slurm 22.05):
//!
//! - The table knows whole nodes. A waiting job's reservation closes its nodes for all others from its start to its end, also what it
//!   doesn't need of them. Running jobs are not in the table.
//! - To find a job's start, the nodes that the table leaves from the moment of the attempt for as long as the job asks are
//!   given to the selection, which says when it could start there as [running jobs end](Departures::start). A
//!   reservation that begins just when the job ends is in its way already.
//! - Advance reservations take their nodes out if they begin before the job would end, and the attempt is made again when one is
//!   over.
//! - That start stands unless nodes come back before it, or it is in the way of a reservation; then the attempt is made again for the
//!   end of that reservation, or for the start that was found.

use std::borrow::Cow;
use std::sync::Arc;

use switchyard_model::{NodeId, Placement, Resources, Shape, SimDuration, SimTime};

use super::PlanOn;
use super::bits;
use super::completing::Held;
use super::departures::Departures;
use super::timeline::{Slot, Timeline, floor, stay};
use crate::cluster::{Kept, Pending};
use crate::pass::Pass;

/// Slurm's plan.
#[derive(Clone, Debug, Default)]
pub(super) struct WillRun {
    departures: Departures,
    now: SimTime,
    resolution: SimDuration,
    kept: Arc<[Kept]>,
    /// In order, without gaps, from now on.
    table: Vec<Row>,
    /// Until when each node is free of reservations from now on.
    clear: Vec<SimTime>,
    /// The nodes that have something free now.
    idle: Vec<NodeId>,
    tightened: bool,
    /// Until then a cycle comes to the same, if nothing happens.
    stands: SimTime,
    /// What a set of nodes is written to.
    scratch: Vec<u64>,
}

/// A stretch of time.
#[derive(Clone, Debug)]
struct Row {
    begin: SimTime,
    /// Of the last one: for ever.
    end: SimTime,
    /// The nodes that are not reserved.
    left: Vec<u64>,
}

impl WillRun {
    pub(super) fn new(resolution: SimDuration) -> Self {
        WillRun { resolution, ..WillRun::default() }
    }

    /// The next cycle doesn't know yet that these have ended.
    pub(super) fn expect(&mut self, held: &[Held]) {
        self.departures.expect(held);
    }

    /// Leaves of the `usable` nodes those that the table leaves from `from` to `to`, and says when it is worth while to try again:
    /// at the first end of a row behind which there are other nodes than are left so far. `None` for the nodes: fewer than `least`.
    fn left(
        &mut self,
        usable: &[u64],
        least: u32,
        from: SimTime,
        to: SimTime,
    ) -> (Option<Vec<u64>>, Option<SimTime>) {
        let mut left = std::mem::take(&mut self.scratch);
        left.clear();
        left.extend_from_slice(usable);
        let mut later = None;
        // Those before are over.
        let first = self.table.partition_point(|row| row.end <= from);
        let mut rows = self.table.get(first..).unwrap_or_default().iter().peekable();
        let mut count = u32::MAX;
        while let Some(row) = rows.next() {
            if later.is_none()
                && let Some(next) = rows.peek()
                && brings(usable, &left, &row.left, &next.left)
            {
                later = Some(row.end);
            }
            if row.begin > to {
                if from == self.now {
                    let stay = to.since(from);
                    self.stands = self.stands.min(SimTime::ZERO + row.begin.since(SimTime::ZERO + stay));
                }
                break;
            }
            count = bits::keep_all(&mut left, &row.left);
            if count < least && later.is_some() {
                break;
            }
        }
        if count < least {
            self.scratch = left;
            return (None, later);
        }
        (Some(left), later)
    }

    /// The nodes that the job may use at all.
    fn usable(&self, job: &Pending) -> Vec<u64> {
        let mut usable = vec![0; self.departures.nodes().div_ceil(64)];
        let nodes = (0..).map(NodeId).take(self.departures.nodes());
        for node in nodes.filter(|&node| self.departures.free(node).is_some() && job.machines.contains(node))
        {
            bits::insert(&mut usable, node.index());
        }
        usable
    }

    /// The advance reservations that keep their nodes from a job that starts then.
    fn shut(&self, job: &Pending, from: SimTime) -> impl Iterator<Item = &Kept> {
        let (own, to) = (job.reservation(), from + stay(job));
        let others = self.kept.iter().enumerate().filter(move |(place, _)| own != Some(*place));
        others.map(|(_, kept)| kept).filter(move |kept| kept.shuts(from, to))
    }

    /// Those of the `usable` nodes that advance reservations leave to a job that starts then, and when the first of these ends.
    fn beside_kept<'a>(
        &self,
        job: &Pending,
        usable: &'a [u64],
        from: SimTime,
    ) -> (Cow<'a, [u64]>, Option<SimTime>) {
        let mut open = Cow::Borrowed(usable);
        let mut over = None;
        for kept in self.shut(job, from) {
            kept.nodes.iter().for_each(|node| bits::remove(open.to_mut(), node.index()));
            over = over.into_iter().chain([kept.end]).min();
        }
        (open, over)
    }

    /// Whether nodes are reserved for others at some time from `from` to `to`.
    fn overlaps(&self, nodes: &[NodeId], from: SimTime, to: SimTime) -> bool {
        let meets = |row: &&Row| row.end > from && row.begin < to;
        let taken = |row: &Row| nodes.iter().any(|node| !bits::contains(&row.left, node.index()));
        self.table.iter().filter(meets).any(taken)
    }

    /// Makes a row begin at `at`, and returns its place.
    fn split(&mut self, at: SimTime) -> usize {
        let place = self.table.partition_point(|row| row.end <= at);
        match self.table.get_mut(place) {
            Some(row) if row.begin < at => {
                let behind = Row { begin: at, ..row.clone() };
                row.end = at;
                self.table.insert(place + 1, behind);
                place + 1
            }
            _ => place,
        }
    }
}

impl Timeline for WillRun {
    fn begin(&mut self, pass: &Pass<'_>) {
        self.departures.begin(pass);
        self.now = pass.now;
        self.kept = Arc::clone(pass.cluster.kept());
        let nodes = self.departures.nodes();
        let mut all = vec![0; nodes.div_ceil(64)];
        (0..nodes).for_each(|node| bits::insert(&mut all, node));
        self.table.clear();
        self.table.push(Row { begin: floor(pass.now, self.resolution), end: SimTime::MAX, left: all });
        self.clear.clear();
        self.clear.resize(nodes, SimTime::MAX);
        let is_idle = |node: &NodeId| self.departures.free(*node).is_some_and(has_some);
        self.idle = (0..).map(NodeId).take(nodes).filter(is_idle).collect();
        self.tightened = true;
        self.stands = SimTime::MAX;
    }

    fn earliest(&mut self, job: &Pending, from: SimTime, until: SimTime, _on: PlanOn) -> Option<Slot> {
        let least = match job.request.shape {
            Shape::Nodes { nodes, .. } => nodes.max(1),
            Shape::Tasks { .. } => 1,
        };
        let usable = self.usable(job);
        let mut from = from;
        // Each attempt is later than the one before.
        loop {
            if from > until {
                return None;
            }
            let (open, over) = self.beside_kept(job, &usable, from);
            let (left, later) = self.left(&open, least, from, from + stay(job));
            let later = [later, over].into_iter().flatten().min();
            let found = left.and_then(|left| {
                let found = self.departures.start(job, &left);
                self.scratch = left;
                found
            });
            let Some((start, nodes)) = found else {
                from = later?;
                continue;
            };
            let at = start.max(from);
            if at <= self.now {
                return Some(Slot { at, nodes });
            }
            if let Some(later) = later.filter(|later| at > *later) {
                from = later;
                continue;
            }
            if at > until {
                return None;
            }
            let (begin, end) = PlanOn::WillRun.stretch(job, at, self.resolution);
            let shut = at > from
                && nodes.iter().any(|node| self.shut(job, at).any(|kept| kept.nodes.contains(*node)));
            if !shut && !self.overlaps(&nodes, begin, end) {
                return Some(Slot { at, nodes });
            }
            if at <= from {
                return None;
            }
            from = at;
        }
    }

    fn is_open(&self, job: &Pending, node: NodeId) -> bool {
        let fits = self.departures.parts(job, node) > 0;
        fits && self.clear.get(node.index()).is_some_and(|clear| self.now + stay(job) < *clear)
    }

    fn reserve(&mut self, nodes: &[NodeId], from: SimTime, to: SimTime) {
        let from = from.max(self.table.first().map_or(from, |row| row.begin));
        let (first, last) = (self.split(from), self.split(to));
        for row in self.table.get_mut(first..last).unwrap_or_default() {
            nodes.iter().for_each(|node| bits::remove(&mut row.left, node.index()));
        }
        for node in nodes {
            if let Some(clear) = self.clear.get_mut(node.index())
                && from < *clear
            {
                *clear = from;
                self.tightened |= self.departures.free(*node).is_some_and(has_some);
            }
        }
    }

    fn hold(&mut self, placement: &Placement, until: SimTime) {
        self.departures.hold(placement, until);
        let departures = &self.departures;
        self.idle.retain(|node| departures.free(*node).is_some_and(has_some));
        self.tightened = true;
    }

    fn tightened(&mut self) -> bool {
        std::mem::take(&mut self.tightened)
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

    fn stands_until(&self) -> SimTime {
        let (next, overdue) = self.departures.next_end();
        let row = self.table.iter().map(|row| row.end).find(|end| *end > self.now);
        if overdue {
            return self.now;
        }
        self.stands.min(next.unwrap_or(SimTime::MAX)).min(row.unwrap_or(SimTime::MAX))
    }
}

/// Whether the `next` row has usable nodes that are not in the set that is `left` so far and in the row before it.
fn brings(usable: &[u64], left: &[u64], row: &[u64], next: &[u64]) -> bool {
    let words = usable.iter().zip(next).zip(left.iter().zip(row));
    { words }.any(|((usable, next), (left, row))| usable & next & !(left & row) != 0)
}

/// Whether a processor or a GPU is left.
const fn has_some(free: Resources) -> bool {
    free.cpus > 0 || free.gpus > 0
}
