//! The live state that a policy may know, kept up to date by whoever drives.
//!
//! The replay loop tells it about submissions, starts and ends as they happen; the leader rebuilds it from the
//! replicated book. It knows time limits, never true runtimes: a running job is expected to end at its start plus its limit.

mod error;
mod journal;
mod machines;

use std::collections::BTreeMap;
use std::sync::Arc;

use switchyard_model::{
    Fleet, GpuSet, JobId, JobSpec, NodeId, NodeShare, Outcome, Placement, Resources, SimTime, Site,
};

use crate::Request;

pub use error::ClusterError;
use journal::Journal;
pub(crate) use journal::{Bookmark, Change};
pub use machines::{Machines, NodeSet};

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

/// A job that waits.
#[derive(Clone, Debug)]
pub struct Pending {
    /// What its user asked for.
    pub spec: Arc<JobSpec>,
    /// Its place in the queue: when it arrived here, or was requeued if that sends it to the end.
    pub submitted: SimTime,
    /// It may not start before this: its begin time, or the end of its requeue delay.
    pub not_before: SimTime,
    /// Which attempt this is going to be, from 1.
    pub attempt: u32,
    /// What it asks for, measured against the machines that it may use.
    pub request: Request,
    /// The machines that it may use.
    pub machines: Arc<Machines>,
}

impl Pending {
    /// When it could have started at the earliest: its arrival, or the end of what held it back.
    pub fn eligible(&self) -> SimTime {
        self.submitted.max(self.not_before)
    }
}

/// A job that runs.
#[derive(Clone, Debug)]
pub struct Running {
    /// What its user asked for.
    pub spec: Arc<JobSpec>,
    /// Its place in the queue while it waited.
    pub submitted: SimTime,
    /// Which attempt this is, from 1.
    pub attempt: u32,
    /// When it started.
    pub start: SimTime,
    /// Start plus time limit: the latest end that its user promised.
    pub expected_end: SimTime,
    /// Where it runs.
    pub placement: Placement,
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
    /// How the jobs ended that did.
    ended: BTreeMap<JobId, Outcome>,
    /// The machines for each kind of terms that has been seen; the first is all of them.
    machines: Vec<Arc<Machines>>,
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
            machines: vec![Machines::new(&fleet, None)],
            journal: Journal::new(fleet.nodes().len()),
            fleet,
            site,
            unavailable: 0,
            pending: BTreeMap::new(),
            running: BTreeMap::new(),
            places: BTreeMap::new(),
            ended: BTreeMap::new(),
        }
    }

    /// Puts a job into the queue. One that can never run on this fleet is kept, and blocks no one.
    ///
    /// # Errors
    /// When a live job has the same number.
    pub fn submit(&mut self, spec: Arc<JobSpec>, now: SimTime) -> Result<(), ClusterError> {
        if self.places.contains_key(&spec.id) {
            return Err(ClusterError::Duplicate { job: spec.id });
        }
        let not_before = spec.terms.begin;
        self.enqueue(spec, now, not_before, 1);
        Ok(())
    }

    /// Moves a job from the queue to where it runs.
    ///
    /// # Errors
    /// When it isn't pending, or the placement is not free or not in service. Nothing is changed then.
    pub fn start(&mut self, job: JobId, placement: Placement, now: SimTime) -> Result<(), ClusterError> {
        let Some(&Place::Pending { submitted }) = self.places.get(&job) else {
            return Err(ClusterError::NotPending { job });
        };
        self.check(job, &placement)?;
        let Some(pending) = self.pending.remove(&(submitted, job)) else {
            return Err(ClusterError::NotPending { job });
        };
        placement.0.iter().for_each(|share| self.take(share));
        let expected_end = now + pending.spec.limit;
        self.places.insert(job, Place::Running { expected_end });
        let running = Running {
            spec: pending.spec,
            submitted,
            attempt: pending.attempt,
            start: now,
            expected_end,
            placement,
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
        self.ended.insert(job, outcome);
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
        self.places.remove(&job);
        self.journal.note(Change::Job(job));
        self.pending.remove(&(submitted, job)).ok_or(ClusterError::NotPending { job })
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
        let machines = self.machines_for(&spec);
        let request = Request::of(&spec, &machines);
        let id = spec.id;
        self.places.insert(id, Place::Pending { submitted });
        let pending = Pending { spec, submitted, not_before, attempt, request, machines };
        self.pending.insert((submitted, id), pending);
        self.journal.note(Change::Job(id));
    }

    fn machines_for(&mut self, _spec: &JobSpec) -> Arc<Machines> {
        match self.machines.first() {
            Some(all) => Arc::clone(all),
            None => Machines::new(&self.fleet, None),
        }
    }

    fn take_off(&mut self, job: JobId) -> Result<Running, ClusterError> {
        let Some(&Place::Running { expected_end }) = self.places.get(&job) else {
            return Err(ClusterError::NotRunning { job });
        };
        self.places.remove(&job);
        let running = self.running.remove(&(expected_end, job)).ok_or(ClusterError::NotRunning { job })?;
        running.placement.0.iter().for_each(|share| self.give_back(share));
        self.journal.note(Change::Job(job));
        Ok(running)
    }

    fn check(&self, job: JobId, placement: &Placement) -> Result<(), ClusterError> {
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
        self.ended.get(&job).copied()
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
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use switchyard_model::{FleetSpec, PerMille, Shape, SimDuration, Terms};

    const GPU: Resources = Resources { cpus: 1, gpus: 1, memory_mib: 0 };

    /// Two nodes of 4 CPUs and 4 GPUs.
    fn cluster() -> Cluster {
        let node = Resources { cpus: 4, gpus: 4, memory_mib: 0 };
        Cluster::new(Arc::new(FleetSpec::uniform("two", 2, node).build().unwrap()))
    }

    fn spec(id: u64) -> Arc<JobSpec> {
        Arc::new(JobSpec {
            id: JobId(id),
            user: "ada".into(),
            account: "research".into(),
            submit: SimTime::ZERO,
            limit: SimDuration::from_secs(100),
            shape: Shape::Tasks { tasks: 1, per_task: GPU },
            qos: PerMille(0),
            terms: Terms::default(),
        })
    }

    fn on(node: u32, gpus: u64) -> Placement {
        let cpus = gpus.count_ones();
        Placement(vec![NodeShare { node: NodeId(node), cpus, memory_mib: 0, gpus: GpuSet(gpus) }])
    }

    fn at(secs: u64) -> SimTime {
        SimTime::from_secs(secs)
    }

    #[test]
    fn a_job_takes_its_gpus_and_gives_them_back() {
        let mut cluster = cluster();
        cluster.submit(spec(1), at(3)).unwrap();
        cluster.start(JobId(1), on(1, 0b0110), at(5)).unwrap();
        assert_eq!(cluster.nodes()[1].free_gpus, GpuSet(0b1001));
        assert_eq!((cluster.free().gpus, cluster.pending().len()), (6, 0));
        let running = cluster.running_job(JobId(1)).unwrap();
        assert_eq!((running.submitted, running.expected_end), (at(3), at(105)));
        cluster.finish(JobId(1), Outcome::Completed).unwrap();
        assert_eq!((cluster.free(), cluster.running().len()), (cluster.capacity(), 0));
        assert_eq!(cluster.nodes()[1].free_gpus, GpuSet::first(4));
    }

    #[test]
    fn a_requeued_job_gets_its_old_place_in_the_queue() {
        let mut cluster = cluster();
        cluster.submit(spec(1), at(3)).unwrap();
        cluster.start(JobId(1), on(0, 1), at(3)).unwrap();
        cluster.submit(spec(2), at(4)).unwrap();
        cluster.requeue(JobId(1)).unwrap();
        let queue: Vec<_> = cluster.pending().map(|job| (job.spec.id.0, job.submitted)).collect();
        assert_eq!(queue, [(1, at(3)), (2, at(4))]);
        assert_eq!(cluster.free(), cluster.capacity());
        cluster.cancel(JobId(1)).unwrap();
        assert!(cluster.pending_job(JobId(1)).is_none());
    }

    #[test]
    fn a_node_out_of_service_takes_no_jobs_and_keeps_those_it_has() {
        let mut cluster = cluster();
        cluster.submit(spec(1), at(0)).unwrap();
        cluster.submit(spec(2), at(0)).unwrap();
        cluster.start(JobId(1), on(0, 1), at(0)).unwrap();
        cluster.set_available(NodeId(0), false);
        cluster.set_available(NodeId(0), false);
        assert_eq!((cluster.free().gpus, cluster.unavailable()), (4, 1));
        let (job, node) = (JobId(2), NodeId(0));
        let refused = cluster.start(job, on(0, 0b10), at(0));
        assert_eq!(refused, Err(ClusterError::NodeUnavailable { job, node }));
        cluster.finish(JobId(1), Outcome::Completed).unwrap();
        assert_eq!(cluster.free().gpus, 4);
        cluster.set_available(NodeId(0), true);
        assert_eq!((cluster.free().gpus, cluster.unavailable()), (8, 0));
    }

    #[test]
    fn what_is_impossible_is_refused_and_changes_nothing() {
        let mut cluster = cluster();
        let job = JobId(1);
        cluster.submit(spec(1), at(0)).unwrap();
        assert_eq!(cluster.submit(spec(1), at(9)), Err(ClusterError::Duplicate { job }));
        assert_eq!(cluster.finish(job, Outcome::Completed).unwrap_err(), ClusterError::NotRunning { job });
        let node = NodeId(9);
        assert_eq!(cluster.start(job, on(9, 1), at(0)), Err(ClusterError::NoSuchNode { node }));
        let node = NodeId(0);
        assert_eq!(cluster.start(job, on(0, 0b1_0000), at(0)), Err(ClusterError::NoRoom { job, node }));
        let mut twice = on(0, 0b11);
        twice.0.extend(on(0, 0b11).0);
        assert_eq!(cluster.start(job, twice, at(0)), Err(ClusterError::NoRoom { job, node }));
        assert_eq!((cluster.free(), cluster.pending().len()), (cluster.capacity(), 1));
        cluster.start(job, on(0, 1), at(0)).unwrap();
        assert_eq!(cluster.start(job, on(0, 2), at(0)), Err(ClusterError::NotPending { job }));
        assert_eq!(cluster.cancel(job).unwrap_err(), ClusterError::NotPending { job });
        let said = ClusterError::NoRoom { job, node }.to_string();
        assert_eq!(said, "job 1 can't start on node 0: not enough is free there");
    }
}
