//! One replica: carries out what its Raft core asks for, in the order that safety demands, and applies what commits.

use rand::RngExt as _;
use switchyard_model::{ReplicaId, SimDuration, SimTime, Stream, stream};
use switchyard_raft::{Config, Index, RawNode, Role, Term};

use super::lead::Lead;
use crate::book::{Book, Entry};
use crate::disk::Disk;
use crate::event::Event;
use crate::ground::{Ground, Happening};
use crate::net::Endpoint;
use crate::wire::Wire;

/// Entries that go into one append message, and messages in flight to one follower: a few round trips' worth.
const ENTRIES_PER_MESSAGE: usize = 64;
const MESSAGES_IN_FLIGHT: usize = 16;

/// A replica of the control plane, on a host and with a disk of its own.
#[derive(Clone, Debug)]
pub struct Replica {
    id: ReplicaId,
    replicas: u32,
    seed: u64,
    /// Counts process starts, so that timers of an earlier process are known for what they are.
    epoch: u32,
    /// The running process; `None` while it is down.
    process: Option<Process>,
    disk: Disk,
    disk_chance: Stream,
}

/// What a crash wipes out.
#[derive(Clone, Debug)]
struct Process {
    node: RawNode<Stream>,
    book: Book,
    applied: Index,
    applied_term: Term,
    lead: Option<Lead>,
}

impl Replica {
    pub(crate) fn new(id: ReplicaId, replicas: u32, seed: u64) -> Self {
        Replica {
            id,
            replicas,
            seed,
            epoch: 0,
            process: None,
            disk: Disk::default(),
            disk_chance: stream(seed, &format!("disk {}", id.letter())),
        }
    }

    /// Its number.
    pub const fn id(&self) -> ReplicaId {
        self.id
    }

    /// Whether its process runs.
    pub const fn is_up(&self) -> bool {
        self.process.is_some()
    }

    /// Its Raft core, while the process runs.
    pub fn raft(&self) -> Option<&RawNode<Stream>> {
        self.process.as_ref().map(|process| &process.node)
    }

    /// Its disk.
    pub const fn disk(&self) -> &Disk {
        &self.disk
    }

    /// Its applied state, while the process runs.
    pub fn book(&self) -> Option<&Book> {
        self.process.as_ref().map(|process| &process.book)
    }

    /// The last index that it applied.
    pub fn applied(&self) -> Index {
        self.process.as_ref().map_or(0, |process| process.applied)
    }

    /// Its duties as leader, while it has any and has caught up with its term.
    pub fn lead(&self) -> Option<&Lead> {
        self.process.as_ref()?.lead.as_ref()
    }

    const fn endpoint(&self) -> Endpoint {
        Endpoint::Replica(self.id)
    }

    /// Starts the process from what the disk holds.
    pub(crate) fn start(&mut self, ground: &mut Ground) {
        self.epoch += 1;
        let config = Config {
            id: self.id.0.into(),
            voters: (0..self.replicas).map(u64::from).collect(),
            election_ticks: ground.timing.election_ticks,
            heartbeat_ticks: ground.timing.heartbeat_ticks,
            max_entries_per_message: ENTRIES_PER_MESSAGE,
            max_inflight: MESSAGES_IN_FLIGHT,
            pre_vote: true,
            check_quorum: true,
        };
        let timers = stream(self.seed, &format!("timers {} {}", self.id.letter(), self.epoch));
        // The scenario's timing was validated, and a disk gives back what it was given: a failure here would be a
        // broken core, and the replica stays down for everyone to see.
        let Ok(node) = RawNode::new(config, self.disk.restore(), timers) else { return };
        let book = Book::new(&ground.fleet, ground.policies.first().clone());
        self.process = Some(Process { node, book, applied: 0, applied_term: 0, lead: None });
        // Clocks of different hosts are not in step.
        let phase = ground.timing.tick_micros * (u64::from(self.id.0) + 1) / (u64::from(self.replicas) + 1);
        let tick = Happening::Tick { replica: self.id, epoch: self.epoch };
        ground.after(SimDuration::from_micros(phase.max(1)), tick);
        self.carry_out(ground);
    }

    /// The process dies; the disk keeps what was synced.
    pub(crate) fn crash(&mut self) {
        self.process = None;
        self.disk.crash();
    }

    pub(crate) fn tick(&mut self, epoch: u32, ground: &mut Ground) {
        let Some(process) = self.process.as_mut().filter(|_| epoch == self.epoch) else { return };
        process.node.tick();
        ground.after(ground.timing.tick(), Happening::Tick { replica: self.id, epoch });
        if let Some(lead) = &mut process.lead {
            lead.watch_nodes(&mut process.node, &process.book, ground);
        }
        self.carry_out(ground);
    }

    pub(crate) fn synced(&mut self, epoch: u32, ground: &mut Ground) {
        let Some(process) = self.process.as_mut().filter(|_| epoch == self.epoch) else { return };
        let Some(persist) = self.disk.synced() else { return };
        process.node.on_persisted(persist.mark);
        for message in persist.messages {
            send_raft(self.id, message, ground);
        }
        self.carry_out(ground);
    }

    pub(crate) fn pass(&mut self, epoch: u32, ground: &mut Ground) {
        let Some(process) = self.process.as_mut().filter(|_| epoch == self.epoch) else { return };
        if let Some(lead) = &mut process.lead {
            lead.pass(&mut process.node, &process.book, ground);
        }
        self.carry_out(ground);
    }

    pub(crate) fn receive(&mut self, from: Endpoint, wire: Wire, ground: &mut Ground) {
        let me = self.endpoint();
        let Some(process) = self.process.as_mut() else { return };
        match wire {
            // A message that a core refuses (wrong peer, absurd index) is as good as lost.
            Wire::Raft(message) => drop(process.node.step(message)),
            wire => match &mut process.lead {
                Some(lead) => lead.receive(from, wire, &mut process.node, &process.book, ground),
                None if matches!(wire, Wire::Request(_) | Wire::Report(_)) => {
                    let leader = process.node.leader().and_then(|leader| u32::try_from(leader).ok());
                    let leader = leader.map(ReplicaId).filter(|leader| *leader != self.id);
                    ground.send(me, from, Wire::NotLeader { leader });
                }
                None => {}
            },
        }
        self.carry_out(ground);
    }

    /// Empties the core's outbox: messages that may leave at once, writes, entries to apply.
    fn carry_out(&mut self, ground: &mut Ground) {
        loop {
            let Some(process) = self.process.as_mut() else { return };
            Self::follow_role(self.id, self.epoch, process, ground);
            if !process.node.has_ready() {
                return;
            }
            let ready = process.node.ready();
            if let Some(persist) = ready.persist {
                let jitter = self.disk_chance.random_range(0..=ground.timing.fsync_jitter_micros);
                let latency = SimDuration::from_micros(ground.timing.fsync_micros + jitter);
                let done: SimTime = self.disk.write(persist, ground.now, latency);
                ground.queue.push(done, Happening::Synced { replica: self.id, epoch: self.epoch });
            }
            for message in ready.messages {
                send_raft(self.id, message, ground);
            }
            for entry in ready.committed {
                process.apply(self.id, &entry, ground);
            }
        }
    }

    /// Takes up or lays down the leader's duties as the core's role changes.
    fn follow_role(id: ReplicaId, epoch: u32, process: &mut Process, ground: &mut Ground) {
        let (role, term) = (process.node.role(), process.node.term());
        let leads = role == Role::Leader;
        if let Some(lead) = process.lead.take_if(|lead| !leads || lead.term() != term) {
            ground.tell(Event::LeaderStoodDown { replica: id, term: lead.term() });
        }
        if leads && process.lead.is_none() {
            let log = process.node.log();
            ground.judge.leader_elected(ground.now, id, term, |index| log.term_at(index));
            ground.tell(Event::LeaderElected { replica: id, term });
            process.lead = Some(Lead::new(id, term, epoch, &process.book, &ground.policies));
        }
        // Entries of earlier terms may still be on their way; acting on an old book could start a job twice.
        let caught_up = process.applied_term == term;
        if let Some(lead) = process.lead.as_mut().filter(|lead| caught_up && !lead.acts()) {
            ground.judge.leader_acts(ground.now, id, &process.book);
            lead.begin(&process.book, ground);
        }
    }
}

impl Process {
    fn apply(&mut self, id: ReplicaId, entry: &switchyard_raft::Entry, ground: &mut Ground) {
        let first = ground.judge.applied(ground.now, id, entry);
        self.applied = entry.index;
        self.applied_term = entry.term;
        // An empty entry is a new leader's first word and says nothing to the book.
        let Some(said) = Entry::decode(&entry.data).filter(|_| !entry.data.is_empty()) else { return };
        let applied = self.book.apply(&said, &ground.fleet, &ground.policies);
        if first {
            let Ground { now, fleet, policies, recorder, .. } = ground;
            recorder.committed(*now, &said, fleet, policies);
        }
        if let Some(lead) = &mut self.lead {
            lead.applied(&said, applied, &self.book, ground);
        }
    }
}

fn send_raft(from: ReplicaId, message: switchyard_raft::Message, ground: &mut Ground) {
    if let Ok(to) = u32::try_from(message.to) {
        ground.send(Endpoint::Replica(from), Endpoint::Replica(ReplicaId(to)), Wire::Raft(message));
    }
}
