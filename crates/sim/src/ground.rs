//! The ground that all components stand on: the clock, the queue of what is to come, the network, the onlookers.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use switchyard_model::{Fleet, JobId, NodeId, ReplicaId, SimDuration, SimTime, Truth};
use switchyard_raft::Term;

use crate::book::Book;
use crate::check::Judge;
use crate::event::Event;
use crate::event_queue::EventQueue;
use crate::net::{Endpoint, Network};
use crate::policies::Policies;
use crate::record::Recorder;
use crate::timing::Timing;
use crate::wire::{MessageKind, Part, Wire};

/// What is to come.
#[derive(Clone, Debug)]
pub(crate) enum Happening {
    /// A message arrives.
    Arrives { flight: u64, from: Endpoint, to: Endpoint, wire: Wire },
    /// A replica's Raft clock ticks.
    Tick { replica: ReplicaId, epoch: u32 },
    /// The oldest write of a replica is durable.
    Synced { replica: ReplicaId, epoch: u32 },
    /// A leader's scheduler may be due.
    Pass { replica: ReplicaId, epoch: u32 },
    /// A node's report is due.
    ReportDue { node: NodeId, boot: u32 },
    /// A node's lease may end now.
    LeaseEnds { node: NodeId, boot: u32 },
    /// A part has done its work, or is at its limit.
    PartEnds { node: NodeId, incarnation: u32, part: Part },
    /// The next job of the workload is submitted.
    Submit { next: u32 },
    /// The login host has waited long enough for its answer.
    Retry { seq: u64, tries: u32 },
}

/// A message on its way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flight {
    /// Sender.
    pub from: Endpoint,
    /// Receiver.
    pub to: Endpoint,
    /// What kind of message.
    pub kind: MessageKind,
    /// The Raft term that it speaks of, if any.
    pub term: Option<Term>,
    /// The job that it speaks of, if any.
    pub job: Option<JobId>,
    /// When it was sent.
    pub sent: SimTime,
    /// When it will arrive.
    pub arrives: SimTime,
}

/// A message that was lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// The message, as it was under way.
    pub flight: Flight,
    /// When.
    pub at: SimTime,
}

/// How many lost messages are remembered for the picture.
const LOSSES_KEPT: usize = 64;

/// The shared part of the world; components get it as an argument and keep no hold of it.
#[derive(Clone, Debug)]
pub(crate) struct Ground {
    pub(crate) now: SimTime,
    pub(crate) timing: Arc<Timing>,
    pub(crate) fleet: Arc<Fleet>,
    pub(crate) policies: Arc<Policies>,
    pub(crate) truths: Arc<BTreeMap<JobId, Truth>>,
    pub(crate) queue: EventQueue<Happening>,
    pub(crate) net: Network,
    pub(crate) recorder: Recorder,
    pub(crate) judge: Judge,
    pub(crate) flights: BTreeMap<u64, Flight>,
    pub(crate) losses: VecDeque<Loss>,
    /// Messages that were lost so far.
    pub(crate) losses_total: u64,
    /// Messages carried for each node, in both directions.
    pub(crate) traffic: Vec<u64>,
    /// Scheduling passes that were run.
    pub(crate) passes: u64,
    next_flight: u64,
}

impl Ground {
    pub(crate) fn new(
        seed: u64,
        timing: Timing,
        fleet: Arc<Fleet>,
        policies: Policies,
        truths: BTreeMap<JobId, Truth>,
    ) -> Self {
        let recorder = Recorder::new(Book::new(&fleet, policies.first().clone()));
        let traffic = vec![0; fleet.nodes().len()];
        Ground {
            now: SimTime::ZERO,
            timing: Arc::new(timing),
            fleet,
            policies: Arc::new(policies),
            truths: Arc::new(truths),
            queue: EventQueue::new(),
            net: Network::new(seed),
            recorder,
            judge: Judge::default(),
            flights: BTreeMap::new(),
            losses: VecDeque::new(),
            losses_total: 0,
            traffic,
            passes: 0,
            next_flight: 0,
        }
    }

    /// A leader's scheduler is due at `at`, after everything else that happens then.
    pub(crate) fn pass_at(&mut self, at: SimTime, replica: ReplicaId, epoch: u32) {
        self.queue.push_last(at, Happening::Pass { replica, epoch });
    }

    /// Something will happen after `delay`.
    pub(crate) fn after(&mut self, delay: SimDuration, what: Happening) {
        self.queue.push(self.now + delay, what);
    }

    pub(crate) fn tell(&mut self, event: Event) {
        self.recorder.tell(self.now, event);
    }

    /// Puts a message on the network. It may be lost at once, or later if a cut comes before it arrives.
    pub(crate) fn send(&mut self, from: Endpoint, to: Endpoint, wire: Wire) {
        let latency = self.net.draw(from, to, &self.timing);
        let (term, job) = match &wire {
            Wire::Raft(message) => (Some(message.term), None),
            Wire::Launch(order) => (None, Some(order.part.job)),
            Wire::Ended { part, .. } => (None, Some(part.job)),
            _ => (None, None),
        };
        let arrives = self.now + latency.unwrap_or_default();
        let flight = Flight { from, to, kind: wire.kind(), term, job, sent: self.now, arrives };
        if latency.is_none() || self.net.is_cut(from, to) {
            self.lose(flight);
            return;
        }
        for end in [from, to] {
            if let Endpoint::Node(node) = end
                && let Some(carried) = self.traffic.get_mut(node.index())
            {
                *carried += 1;
            }
        }
        let id = self.next_flight;
        self.next_flight += 1;
        self.flights.insert(id, flight);
        self.queue.push(arrives, Happening::Arrives { flight: id, from, to, wire });
    }

    pub(crate) fn lose(&mut self, flight: Flight) {
        if self.losses.len() == LOSSES_KEPT {
            self.losses.pop_front();
        }
        self.losses_total += 1;
        self.losses.push_back(Loss { flight, at: self.now });
    }
}
