//! The live state that a policy may know, kept up to date by whoever drives.
//!
//! The replay loop tells it about submissions, starts and ends as they happen; the leader rebuilds it from the
//! replicated book. It knows time limits, never true runtimes: a running job is expected to end at its start plus its limit.

mod dependencies;
mod error;
mod holdings;
mod jobs;
mod journal;
mod kept;
mod machines;
mod memory;
mod rules;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound::{Excluded, Unbounded};
use std::sync::Arc;

use switchyard_model::{
    Destination, Fleet, GpuSet, JobId, JobSpec, NodeId, NodeShare, Outcome, Placement, Resources, Shape,
    SimTime, Site, Terms,
};

use crate::Request;
use crate::consumables::Consumables;

pub(crate) use dependencies::Met;
use dependencies::Past;
pub use error::ClusterError;
use holdings::Sums;
pub(crate) use holdings::{Holdings, used};
pub use jobs::{Pending, Running};
use journal::Journal;
pub(crate) use journal::{Bookmark, Change};
pub(crate) use kept::Kept;
use machines::Shelf;
pub use machines::{Machines, NodeSet};
pub(crate) use rules::Rules;

/// What one node has left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeState {
    /// What no job holds.
    pub free: Resources,
    /// Which GPUs no job holds; `free.gpus` is their number.
    pub free_gpus: GpuSet,
    /// Whether new jobs may start here: not down, suspect, drained or fenced.
    pub available: bool,
}

/// Where a live job is kept: part of the key into one of the two maps.
#[derive(Clone, Copy, Debug)]
enum Place {
    Pending { submitted: SimTime },
    Running { expected_end: SimTime },
}

/// Nodes, queue and running jobs.
#[derive(Clone, Debug)]
pub struct Cluster {
    fleet: Arc<Fleet>,
    site: Arc<Site>,
    nodes: Vec<NodeState>,
    /// Sum of `free` over available nodes.
    free: Resources,
    /// Number of nodes with `available == false`.
    unavailable: u32,
    /// By arrival, ties by number.
    pending: BTreeMap<(SimTime, JobId), Pending>,
    /// By expected end, ties by number.
    running: BTreeMap<(SimTime, JobId), Running>,
    places: BTreeMap<JobId, Place>,
    /// What became of jobs, as far as others may wait for that.
    past: Past,
    /// Waiting jobs that have a moment before which they may not start.
    later: BTreeSet<(SimTime, JobId)>,
    /// The machines for each kind of terms that has been seen.
    machines: Shelf,
    sums: Sums,
    /// What the running jobs hold beside their nodes.
    held: Holdings,
    /// The nodes of the site's advance reservations.
    kept: Arc<[Kept]>,
    /// Whether no rule of the site applies to anybody.
    plain_site: bool,
    journal: Journal,
}

impl Cluster {
    /// An idle cluster with all nodes in service, one partition and no limits.
    pub fn new(fleet: Arc<Fleet>) -> Self {
        Cluster::with_site(fleet, Arc::default())
    }

    /// An idle cluster with all nodes in service, run as `site` says.
    pub fn with_site(fleet: Arc<Fleet>, site: Arc<Site>) -> Self {
        let idle = |capacity: Resources| NodeState {
            free: capacity,
            free_gpus: GpuSet::first(capacity.gpus),
            available: true,
        };
        Cluster {
            nodes: fleet.nodes().iter().map(|node| idle(node.capacity)).collect(),
            free: fleet.capacity(),
            machines: Shelf::new(&fleet),
            journal: Journal::new(fleet.nodes().len()),
            kept: Kept::all(&fleet, &site),
            plain_site: site.is_plain(),
            fleet,
            site,
            unavailable: 0,
            pending: BTreeMap::new(),
            running: BTreeMap::new(),
            places: BTreeMap::new(),
            past: Past::default(),
            later: BTreeSet::new(),
            sums: Sums::default(),
            held: Holdings::default(),
        }
    }

    /// Puts a job into the queue. One that can never run on this fleet is kept, and blocks no one. One without a time limit
    /// (a limit of zero) gets that of its partition.
    ///
    /// # Errors
    /// When a live job has the same number.
    pub fn submit(&mut self, spec: Arc<JobSpec>, now: SimTime) -> Result<(), ClusterError> {
        if self.places.contains_key(&spec.id) {
            return Err(ClusterError::Duplicate { job: spec.id });
        }
        let not_before = spec.terms.begin;
        self.enqueue(self.site.with_limit(spec), now, not_before, 1);
        Ok(())
    }

    /// Moves a job from the queue to where it runs.
    ///
    /// # Errors
    /// When it isn't pending, or the placement is not free or not in service, or licences are short. Nothing is changed then.
    pub fn start(&mut self, job: JobId, placement: Placement, now: SimTime) -> Result<(), ClusterError> {
        let Some(&Place::Pending { submitted }) = self.places.get(&job) else {
            return Err(ClusterError::NotPending { job });
        };
        self.check(job, &placement)?;
        let pending = self.leave_queue(submitted, job)?;
        placement.0.iter().for_each(|share| self.take(share));
        if let Some(rules) = &pending.rules {
            self.held.take(rules, &placement);
        }
        let expected_end = now + pending.spec.limit;
        self.places.insert(job, Place::Running { expected_end });
        let running = Running {
            spec: pending.spec,
            submitted,
            attempt: pending.attempt,
            start: now,
            expected_end,
            placement,
            rules: pending.rules,
        };
        self.running.insert((expected_end, job), running);
        self.journal.note(Change::Job(job));
        Ok(())
    }

    /// Takes a job that ended off its nodes and returns it.
    ///
    /// # Errors
    /// When it isn't running.
    pub fn finish(&mut self, job: JobId, outcome: Outcome) -> Result<Running, ClusterError> {
        let running = self.take_off(job)?;
        self.past.ended(job, outcome);
        Ok(running)
    }

    /// Puts a running job back into the queue, at the place that its arrival gives it.
    ///
    /// # Errors
    /// When it isn't running.
    pub fn requeue(&mut self, job: JobId) -> Result<(), ClusterError> {
        let Running { spec, submitted, attempt, .. } = self.take_off(job)?;
        self.enqueue(spec, submitted, SimTime::ZERO, attempt + 1);
        Ok(())
    }

    /// Puts a running job back into the queue as if it had arrived at `submitted`, to start at `not_before` at the earliest.
    ///
    /// # Errors
    /// When it isn't running.
    pub fn requeue_anew(
        &mut self,
        job: JobId,
        submitted: SimTime,
        not_before: SimTime,
    ) -> Result<(), ClusterError> {
        let Running { spec, attempt, .. } = self.take_off(job)?;
        self.enqueue(spec, submitted, not_before, attempt + 1);
        Ok(())
    }

    /// A running job is going to end at `at` at the latest, if that is before what its limit says.
    ///
    /// # Errors
    /// When it isn't running.
    pub fn shorten(&mut self, job: JobId, at: SimTime) -> Result<(), ClusterError> {
        let Some(Place::Running { expected_end }) = self.places.get_mut(&job) else {
            return Err(ClusterError::NotRunning { job });
        };
        let mut running =
            self.running.remove(&(*expected_end, job)).ok_or(ClusterError::NotRunning { job })?;
        running.expected_end = at.min(*expected_end);
        *expected_end = running.expected_end;
        self.running.insert((running.expected_end, job), running);
        self.journal.note(Change::Job(job));
        Ok(())
    }

    /// Takes a job out of the queue and returns it.
    ///
    /// # Errors
    /// When it isn't pending.
    pub fn cancel(&mut self, job: JobId) -> Result<Pending, ClusterError> {
        let Some(&Place::Pending { submitted }) = self.places.get(&job) else {
            return Err(ClusterError::NotPending { job });
        };
        let pending = self.leave_queue(submitted, job)?;
        self.places.remove(&job);
        self.past.cancelled(job);
        self.journal.note(Change::Job(job));
        Ok(pending)
    }

    /// Takes a node out of service or back. Jobs on it stay until they finish or are requeued.
    pub fn set_available(&mut self, node: NodeId, available: bool) {
        let Some(state) = self.nodes.get_mut(node.index()) else { return };
        if state.available == available {
            return;
        }
        state.available = available;
        self.journal.note(Change::Service(node));
        let free = state.free;
        if available {
            self.free = self.free.plus(&free);
            self.unavailable -= 1;
        } else {
            self.free = self.free.minus(&free);
            self.unavailable += 1;
        }
    }

    fn enqueue(&mut self, spec: Arc<JobSpec>, submitted: SimTime, not_before: SimTime, attempt: u32) {
        let id = spec.id;
        let (request, machines, rules) = self.measure(&spec);
        self.places.insert(id, Place::Pending { submitted });
        if not_before > submitted {
            self.later.insert((not_before, id));
        }
        self.past.waits_for(&spec.terms.after);
        let pending = Pending { spec, submitted, not_before, attempt, request, machines, rules };
        self.pending.insert((submitted, id), pending);
        self.journal.note(Change::Job(id));
    }

    /// What a job asks for, where, and under which rules.
    fn measure(&mut self, spec: &JobSpec) -> (Request, Arc<Machines>, Option<Arc<Rules>>) {
        if self.plain_site && spec.terms == Terms::default() {
            let machines = Arc::clone(self.machines.all());
            return (Request::new(spec.shape, &machines), machines, None);
        }
        let partition = match self.site.destination(&spec.terms) {
            Destination::Partition(place) => Some(place),
            Destination::Anywhere | Destination::Unknown => None,
        };
        let reserved = spec.terms.reservation.as_ref();
        let reservation =
            reserved.and_then(|name| self.site.reservations.iter().position(|other| other.name == *name));
        let machines = self.machines.get(&self.fleet, &self.site, &spec.terms, partition, reservation);
        let mut request = Request::new(spec.shape, &machines);
        let at = partition.and_then(|place| self.site.partitions.get(place));
        if rules::is_exclusive(spec, at) {
            request.total = machines.least_whole(&request);
        }
        if rules::wants_one_domain(spec) {
            request.possible = machines.most_in_one_domain(&spec.shape).min(request.parts());
        }
        let rules = Rules::of(&self.site, spec, &request, &machines, &mut self.sums);
        (request, machines, rules)
    }

    fn leave_queue(&mut self, submitted: SimTime, job: JobId) -> Result<Pending, ClusterError> {
        let pending = self.pending.remove(&(submitted, job)).ok_or(ClusterError::NotPending { job })?;
        self.later.remove(&(pending.not_before, job));
        self.past.no_longer_waits_for(&pending.spec.terms.after);
        Ok(pending)
    }

    fn take_off(&mut self, job: JobId) -> Result<Running, ClusterError> {
        let Some(&Place::Running { expected_end }) = self.places.get(&job) else {
            return Err(ClusterError::NotRunning { job });
        };
        self.places.remove(&job);
        let running = self.running.remove(&(expected_end, job)).ok_or(ClusterError::NotRunning { job })?;
        running.placement.0.iter().for_each(|share| self.give_back(share));
        if let Some(rules) = &running.rules {
            self.held.give_back(rules, &running.placement);
        }
        self.journal.note(Change::Job(job));
        Ok(running)
    }

    fn check(&self, job: JobId, placement: &Placement) -> Result<(), ClusterError> {
        if self.pending_job(job).is_some_and(|pending| !self.licences().covers(pending.licences())) {
            return Err(ClusterError::NoLicences { job });
        }
        let mut previous = None;
        for share in &placement.0 {
            let node = share.node;
            let state = self.node(node).ok_or(ClusterError::NoSuchNode { node })?;
            if !state.available {
                return Err(ClusterError::NodeUnavailable { job, node });
            }
            let free = state.free.covers(&share.resources()) && share.gpus.minus(state.free_gpus).is_empty();
            // Shares are of distinct nodes, in order; a repeated node would be checked twice against the same room.
            if !free || previous >= Some(node) {
                return Err(ClusterError::NoRoom { job, node });
            }
            previous = Some(node);
        }
        Ok(())
    }

    fn take(&mut self, share: &NodeShare) {
        let Some(state) = self.nodes.get_mut(share.node.index()) else { return };
        state.free = state.free.minus(&share.resources());
        state.free_gpus = state.free_gpus.minus(share.gpus);
        if state.available {
            self.free = self.free.minus(&share.resources());
        }
        self.journal.note(Change::Node(share.node));
    }

    fn give_back(&mut self, share: &NodeShare) {
        let Some(state) = self.nodes.get_mut(share.node.index()) else { return };
        state.free = state.free.plus(&share.resources());
        state.free_gpus = state.free_gpus.union(share.gpus);
        if state.available {
            self.free = self.free.plus(&share.resources());
        }
        self.journal.note(Change::Node(share.node));
    }
}

/// Looking.
impl Cluster {
    /// The machines.
    pub fn fleet(&self) -> &Arc<Fleet> {
        &self.fleet
    }

    /// The jobs that wait, by arrival.
    pub fn pending(&self) -> impl ExactSizeIterator<Item = &Pending> {
        self.pending.values()
    }

    /// The jobs that run, by expected end.
    pub fn running(&self) -> impl ExactSizeIterator<Item = &Running> {
        self.running.values()
    }

    /// The waiting job with this number.
    pub fn pending_job(&self, job: JobId) -> Option<&Pending> {
        match self.places.get(&job)? {
            &Place::Pending { submitted } => self.pending.get(&(submitted, job)),
            Place::Running { .. } => None,
        }
    }

    /// The waiting job with this number that is queued at this moment.
    pub(crate) fn pending_at(&self, submitted: SimTime, job: JobId) -> Option<&Pending> {
        self.pending.get(&(submitted, job))
    }

    /// The running job with this number.
    pub fn running_job(&self, job: JobId) -> Option<&Running> {
        match self.places.get(&job)? {
            &Place::Running { expected_end } => self.running.get(&(expected_end, job)),
            Place::Pending { .. } => None,
        }
    }

    /// What a node has left.
    pub fn node(&self, node: NodeId) -> Option<&NodeState> {
        self.nodes.get(node.index())
    }

    /// What each node has left, in node order.
    pub fn nodes(&self) -> &[NodeState] {
        &self.nodes
    }

    /// What is free on the nodes that are in service.
    pub const fn free(&self) -> Resources {
        self.free
    }

    /// What all nodes have, in service or not.
    pub fn capacity(&self) -> Resources {
        self.fleet.capacity()
    }

    /// How many nodes are out of service.
    pub const fn unavailable(&self) -> u32 {
        self.unavailable
    }

    /// How the site is run.
    pub fn site(&self) -> &Arc<Site> {
        &self.site
    }

    /// How a job ended, if it did.
    pub fn outcome(&self, job: JobId) -> Option<Outcome> {
        self.past.outcome(job)
    }

    /// The licences that no running job holds, by place in the site's list.
    pub(crate) fn licences(&self) -> Consumables {
        self.licences_beside(&Holdings::default())
    }

    /// The same without what jobs hold that are about to start.
    pub(crate) fn licences_beside(&self, taken: &Holdings) -> Consumables {
        let held = |kind| self.held.licences(kind).saturating_add(taken.licences(kind));
        let counts = (0..).zip(self.site.licences.values());
        Consumables::new(counts.map(|(kind, count)| count.saturating_sub(held(kind))))
    }

    /// Whether the whole fleet could run a job of this shape if it were empty.
    pub(crate) fn fits_whole_fleet(&self, shape: &Shape) -> bool {
        Request::new(*shape, self.machines.all()).fits_fleet()
    }

    /// What the running jobs hold beside their nodes.
    pub(crate) const fn held(&self) -> &Holdings {
        &self.held
    }

    /// The nodes of the site's advance reservations, in its order.
    pub(crate) const fn kept(&self) -> &Arc<[Kept]> {
        &self.kept
    }

    /// Whether all jobs so far may use all nodes at any time.
    pub(crate) fn is_uniform(&self) -> bool {
        self.kept.is_empty() && self.machines.is_uniform()
    }

    /// The first moment after `now` at which someone who waits may become eligible, or lose or regain the right to nodes.
    pub(crate) fn next_opening(&self, now: SimTime) -> Option<SimTime> {
        let after = (Excluded((now, JobId(u64::MAX))), Unbounded);
        let begins = self.later.range(after).next().map(|&(begin, _)| begin);
        [begins, kept::next_turn(&self.kept, now)].into_iter().flatten().min()
    }

    pub(crate) fn bookmark(&self) -> Bookmark {
        self.journal.bookmark()
    }

    /// What changed since then, or `None` when that can't be told.
    pub(crate) fn changes_since(&self, bookmark: &Bookmark) -> Option<impl Iterator<Item = Change> + '_> {
        self.journal.since(bookmark)
    }
}

#[cfg(test)]
mod tests;
