//! The cluster's book: the state that all replicas keep alike by applying the same entries in the same order.
//!
//! An entry is a wish until it is applied. [`Book::apply`] checks each against the book as it stands then, because a
//! proposal may be old by the time it commits: its leader may have been deposed, its job requeued, its node gone.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use switchyard_model::{
    Fleet, GpuSet, JobId, JobSpec, NodeId, NodeShare, Outcome, Placement, Resources, SimTime,
};

use crate::policies::{Policies, Setting};

/// What a client asks of the control plane.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Op {
    /// Take this job.
    Submit(Arc<JobSpec>),
    /// Switch backfill on or off.
    SetBackfill(bool),
    /// Schedule by the policy of this name.
    SetPolicy(Arc<str>),
}

/// A request with its name: `seq` counts up within a session, so that a retry is known for what it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// Who asks.
    pub session: u64,
    /// Its how-manieth request this is, from 1.
    pub seq: u64,
    /// What is asked.
    pub op: Op,
}

/// What a client is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reply {
    /// It is in the book for good.
    Accepted,
    /// There is a job with this number already.
    DuplicateJob,
    /// There is no policy of this name.
    NoSuchPolicy,
}

/// Why a node's state is changed, or a job requeued: silence alone is never enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Evidence {
    /// The node reported.
    Report,
    /// Nothing was heard since then. Good for suspicion, not for more.
    Silence {
        /// When its last report came in, or when this leader began to listen.
        since: SimTime,
    },
    /// Its lease must have ended: an agent stops its jobs by then at the latest.
    LeaseEnded {
        /// The end of the last lease that it can hold.
        at: SimTime,
    },
    /// It came back as a new incarnation, which starts without jobs.
    NewIncarnation {
        /// The new incarnation.
        incarnation: u32,
    },
}

/// One line of the replicated log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Entry {
    /// A client's request.
    Request(Request),
    /// The leader's scheduler starts a job.
    Start {
        /// Which job.
        job: JobId,
        /// Its how-manieth attempt, from 1.
        attempt: u32,
        /// On what.
        placement: Placement,
        /// When this was decided.
        at: SimTime,
        /// Whether it passed a job that waits before it.
        backfilled: bool,
    },
    /// All parts of a job have ended.
    Finish {
        /// Which job.
        job: JobId,
        /// Which attempt.
        attempt: u32,
        /// How it ended.
        outcome: Outcome,
        /// When its last part ended.
        at: SimTime,
    },
    /// A running job goes back to the queue.
    Requeue {
        /// Which job.
        job: JobId,
        /// The attempt that is over.
        attempt: u32,
        /// The node that was lost, and how that is known.
        lost: NodeId,
        /// See [`Evidence`].
        evidence: Evidence,
        /// When this was decided.
        at: SimTime,
    },
    /// A node changes its state.
    Node {
        /// Which node.
        node: NodeId,
        /// The life that this is about: a node's restarts and self-fencings are counted.
        incarnation: u32,
        /// Its state from now on.
        state: NodeState,
        /// See [`Evidence`].
        evidence: Evidence,
        /// When this was decided.
        at: SimTime,
    },
}

/// What the control plane holds of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NodeState {
    /// Has not reported since the cluster was set up.
    Joining,
    /// Reports; takes jobs.
    Up,
    /// Silent for a while. Its jobs may run or not; it takes no new ones.
    Suspect,
    /// Its lease has ended: nothing runs there.
    Down,
}

/// What stands in the book about a node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NodeRecord {
    /// Its state.
    pub state: NodeState,
    /// Its current life; 0 before it first reported.
    pub incarnation: u32,
    used: Resources,
    used_gpus: GpuSet,
}

/// Where a job stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobState {
    /// Waits.
    Pending,
    /// Was started and has not ended yet.
    Running,
    /// Has ended.
    Finished(Outcome),
}

/// What stands in the book about a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JobRecord {
    /// What was asked.
    pub spec: Arc<JobSpec>,
    /// Where it stands.
    pub state: JobState,
    /// How often it was started so far.
    pub attempt: u32,
    /// What it holds, or held last.
    pub placement: Placement,
    /// The life of each node of the placement when the job was started there.
    pub incarnations: Vec<u32>,
    /// When its last start was decided.
    pub started_at: SimTime,
    /// When it ended.
    pub ended_at: SimTime,
    /// Whether its last start passed a job that waits before it.
    pub backfilled: bool,
}

/// What became of an entry when it was applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Applied {
    /// It holds.
    Done,
    /// A retry of something that holds already.
    Duplicate,
    /// It came too late and changes nothing.
    Stale,
}

/// The replicated state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Book {
    jobs: BTreeMap<JobId, JobRecord>,
    nodes: Vec<NodeRecord>,
    sessions: BTreeMap<u64, (u64, Reply)>,
    setting: Setting,
}

impl Entry {
    /// As bytes for the log.
    pub fn encode(&self) -> Option<Arc<[u8]>> {
        postcard::to_stdvec(self).ok().map(Into::into)
    }

    /// From the bytes of the log.
    pub fn decode(data: &[u8]) -> Option<Entry> {
        postcard::from_bytes(data).ok()
    }
}

impl Book {
    /// An empty book for these machines, with the scheduler set like this.
    pub fn new(fleet: &Fleet, setting: Setting) -> Self {
        let node = NodeRecord {
            state: NodeState::Joining,
            incarnation: 0,
            used: Resources::default(),
            used_gpus: GpuSet::default(),
        };
        Book {
            jobs: BTreeMap::new(),
            nodes: vec![node; fleet.nodes().len()],
            sessions: BTreeMap::new(),
            setting,
        }
    }

    /// All jobs that were ever accepted, by number.
    pub const fn jobs(&self) -> &BTreeMap<JobId, JobRecord> {
        &self.jobs
    }

    /// One job.
    pub fn job(&self, job: JobId) -> Option<&JobRecord> {
        self.jobs.get(&job)
    }

    /// All nodes, by number.
    pub fn nodes(&self) -> &[NodeRecord] {
        &self.nodes
    }

    /// One node.
    pub fn node(&self, node: NodeId) -> Option<&NodeRecord> {
        self.nodes.get(node.index())
    }

    /// How the operator has set the scheduler.
    pub const fn setting(&self) -> &Setting {
        &self.setting
    }

    /// The answer to a request that was applied already.
    pub fn answer(&self, session: u64, seq: u64) -> Option<Reply> {
        let (last, reply) = self.sessions.get(&session)?;
        (*last == seq).then_some(*reply)
    }

    /// Whether a request of this session is older than what was answered last.
    pub fn is_past(&self, session: u64, seq: u64) -> bool {
        self.sessions.get(&session).is_some_and(|(last, _)| seq < *last)
    }

    /// Applies the next entry of the log. Deterministic: replicas that apply the same entries hold equal books.
    pub fn apply(&mut self, entry: &Entry, fleet: &Fleet, policies: &Policies) -> Applied {
        match entry {
            Entry::Request(request) => self.apply_request(request, policies),
            Entry::Start { job, attempt, placement, at, backfilled } => {
                self.apply_start(*job, *attempt, placement, *at, *backfilled, fleet)
            }
            Entry::Finish { job, attempt, outcome, at } => {
                self.leave(*job, *attempt, JobState::Finished(*outcome), *at)
            }
            Entry::Requeue { job, attempt, at, .. } => self.leave(*job, *attempt, JobState::Pending, *at),
            Entry::Node { node, incarnation, state, .. } => self.apply_node(*node, *incarnation, *state),
        }
    }

    fn apply_request(&mut self, request: &Request, policies: &Policies) -> Applied {
        if self.sessions.get(&request.session).is_some_and(|(last, _)| request.seq <= *last) {
            return Applied::Duplicate;
        }
        let reply = match &request.op {
            op @ (Op::SetBackfill(_) | Op::SetPolicy(_)) => match policies.after(&self.setting, op) {
                Ok(setting) => {
                    self.setting = setting;
                    Reply::Accepted
                }
                Err(_) => Reply::NoSuchPolicy,
            },
            Op::Submit(spec) if self.jobs.contains_key(&spec.id) => Reply::DuplicateJob,
            Op::Submit(spec) => {
                self.jobs.insert(spec.id, JobRecord::submitted(Arc::clone(spec)));
                Reply::Accepted
            }
        };
        self.sessions.insert(request.session, (request.seq, reply));
        if reply == Reply::Accepted { Applied::Done } else { Applied::Stale }
    }

    fn apply_start(
        &mut self,
        job: JobId,
        attempt: u32,
        placement: &Placement,
        at: SimTime,
        backfilled: bool,
        fleet: &Fleet,
    ) -> Applied {
        let Some(record) = self.jobs.get_mut(&job) else { return Applied::Stale };
        let due = record.state == JobState::Pending && record.attempt + 1 == attempt;
        let room = placement.0.iter().all(|share| has_room(&self.nodes, fleet, share));
        if !due || !room || placement.0.is_empty() {
            return Applied::Stale;
        }
        record.state = JobState::Running;
        record.attempt = attempt;
        record.started_at = at;
        record.backfilled = backfilled;
        record.placement = placement.clone();
        record.incarnations.clear();
        for share in &placement.0 {
            let Some(node) = self.nodes.get_mut(share.node.index()) else { continue };
            record.incarnations.push(node.incarnation);
            node.used.cpus += share.cpus;
            node.used.memory_mib += share.memory_mib;
            node.used_gpus = node.used_gpus.union(share.gpus);
        }
        Applied::Done
    }

    fn leave(&mut self, job: JobId, attempt: u32, next: JobState, at: SimTime) -> Applied {
        let Some(record) = self.jobs.get_mut(&job) else { return Applied::Stale };
        if record.state != JobState::Running || record.attempt != attempt {
            return Applied::Stale;
        }
        record.state = next;
        record.ended_at = at;
        for share in &record.placement.0 {
            let Some(node) = self.nodes.get_mut(share.node.index()) else { continue };
            node.used.cpus -= share.cpus;
            node.used.memory_mib -= share.memory_mib;
            node.used_gpus = node.used_gpus.minus(share.gpus);
        }
        Applied::Done
    }

    fn apply_node(&mut self, node: NodeId, incarnation: u32, state: NodeState) -> Applied {
        let Some(record) = self.nodes.get_mut(node.index()) else { return Applied::Stale };
        // A node that is down stays so in this life: its agent has stopped everything and must begin a new one.
        let over = record.state == NodeState::Down && incarnation == record.incarnation;
        if incarnation < record.incarnation || over {
            return Applied::Stale;
        }
        if record.incarnation == incarnation && record.state == state {
            return Applied::Duplicate;
        }
        record.incarnation = incarnation;
        record.state = state;
        Applied::Done
    }
}

impl JobRecord {
    fn submitted(spec: Arc<JobSpec>) -> Self {
        JobRecord {
            spec,
            state: JobState::Pending,
            attempt: 0,
            placement: Placement::default(),
            incarnations: Vec::new(),
            started_at: SimTime::ZERO,
            ended_at: SimTime::ZERO,
            backfilled: false,
        }
    }
}

/// Whether a node is up and has this share free, by the book.
fn has_room(nodes: &[NodeRecord], fleet: &Fleet, share: &NodeShare) -> bool {
    let (Some(record), Some(node)) = (nodes.get(share.node.index()), fleet.node(share.node)) else {
        return false;
    };
    record.state == NodeState::Up
        && !record.used_gpus.overlaps(share.gpus)
        && share.gpus.minus(GpuSet::first(node.capacity.gpus)).is_empty()
        && record.used.cpus.saturating_add(share.cpus) <= node.capacity.cpus
        && record.used.memory_mib.saturating_add(share.memory_mib) <= node.capacity.memory_mib
}
