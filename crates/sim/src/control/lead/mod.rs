//! The leader's duties: answer clients, run the scheduler, watch nodes, start and stop jobs, requeue what was lost.
//!
//! Everything here is volatile. A decision is real when its entry is committed and applied; orders to nodes go out
//! only then. A new leader begins from its book and from what nodes report.
//!
//! **Why no job runs twice.** A node's agent may run jobs until its lease ends, which it counts from the *sending* of
//! a report that was granted. The leader counts the same length from *hearing* it, which is later. It grants only while
//! a quorum has answered it within an election timeout; with leader stickiness nobody else can have been elected
//! by then, so a new leader that waits a whole lease from its election outlasts every lease its predecessors granted.
//! A job is requeued when each of its parts is known to have stopped: by a confirmed stop, by the end of the lease, or
//! by a new incarnation.

mod alarm;
mod cluster;
mod losses;
mod nodes;
mod passes;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use switchyard_model::{JobId, NodeId, Outcome, ReplicaId, SimDuration, SimTime, Stream};
use switchyard_raft::{RawNode, Term};
use switchyard_scheduler::{Cluster, Plan, Policy, Scheduler};

use self::alarm::Alarm;
use self::cluster::{charge_for_the_past, cluster_of};
use crate::book::{Applied, Book, Entry, Evidence, JobRecord, JobState, NodeState, Op, Request};
use crate::ground::Ground;
use crate::net::Endpoint;
use crate::policies::Policies;
use crate::wire::{LaunchOrder, Part, Wire};

/// A start order that a node did not mention after this long is given again.
const LAUNCH_PATIENCE: SimDuration = SimDuration::from_secs(1);

/// What the leader holds of a node beside the book.
#[derive(Clone, Debug)]
struct Contact {
    last_heard: SimTime,
    /// No lease that the node can hold lasts beyond this.
    lease_bound: SimTime,
    /// How it is known that its life is over: it gets no new lease in it.
    lost: Option<Evidence>,
    /// A change of its state is proposed and not applied yet.
    proposed: bool,
}

/// A job of which a part was lost: its other parts are being stopped.
#[derive(Clone, Debug)]
struct Stopping {
    lost: NodeId,
    evidence: Evidence,
    stopped: BTreeSet<NodeId>,
    proposed: bool,
}

/// The leader of a term.
#[derive(Clone, Debug)]
pub struct Lead {
    replica: ReplicaId,
    term: Term,
    epoch: u32,
    acts: bool,
    alarm: Alarm,
    scheduler: Scheduler,
    /// The book as it will be when everything proposed is applied. `None` until the leader acts.
    cluster: Option<Cluster>,
    plan: Plan,
    contacts: Vec<Contact>,
    /// The highest request proposed for each session.
    asked: BTreeMap<u64, u64>,
    /// Parts that the book has running, per node, and when their start order last went out.
    parts: Vec<BTreeMap<Part, SimTime>>,
    ended: BTreeMap<Part, BTreeMap<NodeId, (Outcome, SimTime)>>,
    finishing: BTreeSet<Part>,
    stopping: BTreeMap<Part, Stopping>,
}

type Core = RawNode<Stream>;

impl Lead {
    pub(crate) fn new(replica: ReplicaId, term: Term, epoch: u32, book: &Book, policies: &Policies) -> Self {
        Lead {
            replica,
            term,
            epoch,
            scheduler: Scheduler::new(policies.in_force(book.setting()).without_foresight()),
            acts: false,
            alarm: Alarm::default(),
            cluster: None,
            plan: Plan::default(),
            contacts: Vec::new(),
            asked: BTreeMap::new(),
            parts: Vec::new(),
            ended: BTreeMap::new(),
            finishing: BTreeSet::new(),
            stopping: BTreeMap::new(),
        }
    }

    /// Its term.
    pub const fn term(&self) -> Term {
        self.term
    }

    /// Whether it has applied everything that earlier leaders left, and so acts.
    pub const fn acts(&self) -> bool {
        self.acts
    }

    /// What its last scheduling pass decided.
    pub const fn plan(&self) -> &Plan {
        &self.plan
    }

    /// How it schedules.
    pub const fn policy(&self) -> &Policy {
        self.scheduler.policy()
    }

    /// What it plans on.
    pub const fn cluster(&self) -> Option<&Cluster> {
        self.cluster.as_ref()
    }

    const fn endpoint(&self) -> Endpoint {
        Endpoint::Replica(self.replica)
    }

    /// Begins to act on a book that holds everything committed before this term.
    pub(crate) fn begin(&mut self, book: &Book, ground: &mut Ground) {
        self.acts = true;
        // What it learned as it caught up counts, not what stood in its book when it was elected.
        self.scheduler = Scheduler::new(ground.policies.in_force(book.setting()).without_foresight());
        charge_for_the_past(book, &mut self.scheduler);
        self.cluster = Some(cluster_of(book, ground));
        let heard = Contact {
            last_heard: ground.now,
            lease_bound: ground.now + ground.timing.lease(),
            lost: None,
            proposed: false,
        };
        self.contacts = vec![heard; book.nodes().len()];
        self.parts = vec![BTreeMap::new(); book.nodes().len()];
        for (job, record) in book.jobs().iter().filter(|(_, record)| record.state == JobState::Running) {
            self.note_parts(*job, record, ground.now);
        }
        for index in 0..self.contacts.len() {
            let node = NodeId(index as u32);
            if book.node(node).is_some_and(|record| record.state == NodeState::Down) {
                self.lose(node, Evidence::LeaseEnded { at: ground.now }, book, ground);
            }
            ground.send(self.endpoint(), Endpoint::Node(node), Wire::Greeting { term: self.term });
        }
        for index in 0..self.parts.len() {
            self.lose_parts_of_past_lives(NodeId(index as u32), book, ground);
        }
        self.want_pass(ground);
    }

    fn note_parts(&mut self, job: JobId, record: &JobRecord, now: SimTime) {
        let part = Part { job, attempt: record.attempt };
        for node in record.placement.nodes() {
            if let Some(parts) = self.parts.get_mut(node.index()) {
                parts.insert(part, now);
            }
        }
    }

    fn forget_parts(&mut self, job: JobId, record: &JobRecord) {
        let part = Part { job, attempt: record.attempt };
        for node in record.placement.nodes() {
            if let Some(parts) = self.parts.get_mut(node.index()) {
                parts.remove(&part);
            }
        }
        self.ended.remove(&part);
        self.finishing.remove(&part);
        self.stopping.remove(&part);
    }

    /// Whether a quorum has answered recently enough that nobody else can lead.
    fn holds_quorum(core: &Core, ground: &Ground) -> bool {
        core.quorum_contact().is_some_and(|ticks| ticks < ground.timing.election_ticks)
    }

    fn propose(core: &mut Core, entry: &Entry) -> bool {
        entry.encode().is_some_and(|data| core.propose(data).is_ok())
    }

    pub(crate) fn receive(
        &mut self,
        from: Endpoint,
        wire: Wire,
        core: &mut Core,
        book: &Book,
        ground: &mut Ground,
    ) {
        if !self.acts {
            return;
        }
        match wire {
            Wire::Request(request) => self.request(from, request, core, book, ground),
            Wire::Report(report) if Self::holds_quorum(core, ground) => {
                self.report(&report, core, book, ground);
            }
            Wire::Ended { node, part, outcome, at }
                if !self.part_ended(node, part, outcome, at, core, book) =>
            {
                ground.send(self.endpoint(), from, Wire::EndHeard { part });
            }
            Wire::Stopped { node, part } => self.part_stopped(node, part, core, book, ground),
            _ => {}
        }
    }

    fn request(
        &mut self,
        from: Endpoint,
        request: Request,
        core: &mut Core,
        book: &Book,
        ground: &mut Ground,
    ) {
        let Request { session, seq, .. } = request;
        if let Some(reply) = book.answer(session, seq) {
            ground.send(self.endpoint(), from, Wire::Reply { seq, reply });
            return;
        }
        let in_work = self.asked.get(&session).is_some_and(|asked| seq <= *asked);
        if !in_work && !book.is_past(session, seq) && Self::propose(core, &Entry::Request(request)) {
            self.asked.insert(session, seq);
        }
    }

    /// Hears that an entry was applied to the book.
    pub(crate) fn applied(&mut self, entry: &Entry, applied: Applied, book: &Book, ground: &mut Ground) {
        if !self.acts {
            return;
        }
        match entry {
            Entry::Request(request) => self.request_applied(request, applied, book, ground),
            Entry::Start { job, .. } => self.start_applied(*job, applied, book, ground),
            Entry::Finish { job, .. } | Entry::Requeue { job, .. } if applied == Applied::Done => {
                let requeued = matches!(entry, Entry::Requeue { .. });
                self.job_left(*job, requeued, book, ground);
            }
            Entry::Finish { .. } | Entry::Requeue { .. } => {}
            Entry::Node { node, state, evidence, .. } => {
                let Some(contact) = self.contacts.get_mut(node.index()) else { return };
                contact.proposed = false;
                if applied != Applied::Done {
                    return;
                }
                let up = *state == NodeState::Up;
                if up && matches!(evidence, Evidence::NewIncarnation { .. }) {
                    *contact = Contact {
                        last_heard: ground.now,
                        lease_bound: ground.now + ground.timing.lease(),
                        lost: None,
                        proposed: false,
                    };
                    // It waits for a lease: let it ask again at once.
                    ground.send(self.endpoint(), Endpoint::Node(*node), Wire::Greeting { term: self.term });
                }
                if let Some(cluster) = &mut self.cluster {
                    cluster.set_available(*node, up);
                }
                // A start that was proposed for the old life may have been applied a moment ago.
                self.lose_parts_of_past_lives(*node, book, ground);
                self.want_pass(ground);
            }
        }
    }

    fn request_applied(&mut self, request: &Request, applied: Applied, book: &Book, ground: &mut Ground) {
        if let Some(reply) = book.answer(request.session, request.seq) {
            ground.send(self.endpoint(), Endpoint::Login, Wire::Reply { seq: request.seq, reply });
        }
        if applied != Applied::Done {
            return;
        }
        match &request.op {
            Op::Submit(spec) => {
                if let Some(cluster) = &mut self.cluster {
                    // The book has accepted it, so its number is new here too.
                    drop(cluster.submit(Arc::clone(spec), spec.submit));
                }
            }
            Op::SetBackfill(_) | Op::SetPolicy(_) => self.follow_setting(book, ground),
        }
        self.want_pass(ground);
    }

    fn start_applied(&mut self, job: JobId, applied: Applied, book: &Book, ground: &mut Ground) {
        if applied != Applied::Done {
            if let Some(cluster) = &mut self.cluster {
                // What was planned did not come to be; back to the queue with it, if it is still there to go.
                drop(cluster.requeue(job));
            }
            self.want_pass(ground);
            return;
        }
        let Some(record) = book.job(job) else { return };
        self.note_parts(job, record, ground.now);
        let part = Part { job, attempt: record.attempt };
        let lost = |node: NodeId| Some((node, self.contacts.get(node.index())?.lost?));
        if let Some((node, evidence)) = record.placement.nodes().find_map(lost) {
            // It was lost between the decision and now.
            self.lose_part(part, node, evidence, book, ground);
            return;
        }
        for node in record.placement.nodes() {
            if let Some(order) = launch_order(part, record, node) {
                ground.send(self.endpoint(), Endpoint::Node(node), Wire::Launch(order));
            }
        }
    }

    fn job_left(&mut self, job: JobId, requeued: bool, book: &Book, ground: &mut Ground) {
        let Some(record) = book.job(job) else { return };
        self.forget_parts(job, record);
        let Some(cluster) = &mut self.cluster else { return };
        if requeued {
            drop(cluster.requeue(job));
        } else {
            let outcome = match record.state {
                JobState::Finished(outcome) => outcome,
                _ => Outcome::Completed,
            };
            drop(cluster.finish(job, outcome));
            let part = Part { job, attempt: record.attempt };
            for node in record.placement.nodes() {
                ground.send(self.endpoint(), Endpoint::Node(node), Wire::EndHeard { part });
            }
        }
        self.want_pass(ground);
    }
}

/// The record of the job, if the book has just this attempt running.
fn running(book: &Book, part: Part) -> Option<&JobRecord> {
    book.job(part.job).filter(|record| record.state == JobState::Running && record.attempt == part.attempt)
}

fn launch_order(part: Part, record: &JobRecord, node: NodeId) -> Option<LaunchOrder> {
    let place = record.placement.0.iter().position(|share| share.node == node)?;
    Some(LaunchOrder {
        part,
        incarnation: *record.incarnations.get(place)?,
        share: *record.placement.0.get(place)?,
        limit: record.spec.limit,
    })
}
