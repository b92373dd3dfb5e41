//! The 3D picture as plain data: what stands on the floor at one moment, and in which state.
//!
//! The scene draws a [`Stage`] and nothing else; where each thing stands is the matter of
//! [`layout`](crate::layout). Accounts are small numbers here, given once per run; a colour belongs to each.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use switchyard_model::{JobId, NodeId, RackId, ReplicaId};

/// GPU places on a tray: a 3 x 3 grid whose middle is the NVSwitch.
pub const SLOTS_PER_NODE: usize = 8;

/// Log entries drawn under a replica's head.
pub const SLABS_SHOWN: usize = 11;

/// Everything that the picture shows at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stage {
    /// Racks in the order of their ids.
    pub racks: Vec<Rack>,
    /// Replicas of the control plane, in the order of their ids.
    pub replicas: Vec<Replica>,
    /// Highest log index that a majority has written, as far as any replica that is up knows.
    pub committed: u64,
    /// Spine switches: each one's traffic, 0 to 1.
    pub spines: Vec<f32>,
    /// The first pending jobs in priority order; the first of them stands at the signal.
    pub queue: Vec<Waiting>,
    /// How many jobs are pending, also those that are not in `queue`.
    pub pending: usize,
    /// What the signal before the queue shows.
    pub signal: Signal,
    /// Messages on their way.
    pub messages: Vec<Message>,
    /// What happened since the stage before this one, in order.
    pub happenings: Vec<Happening>,
}

impl Stage {
    /// Whether a partition separates two groups of hosts.
    pub fn is_cut(&self) -> bool {
        let hosts = self.racks.iter().flat_map(|rack| rack.nodes.iter().map(|node| node.apart));
        let mut sides = hosts.chain(self.replicas.iter().map(|replica| replica.apart));
        let Some(first) = sides.next() else { return false };
        sides.any(|side| side != first)
    }

    /// Finds a node with its rack's place in `racks` and its own place in that rack.
    pub fn find_node(&self, id: NodeId) -> Option<(usize, usize)> {
        // Nodes are numbered rack by rack, so the rack is the last one that does not begin after the node.
        let rack = self
            .racks
            .partition_point(|rack| rack.nodes.first().is_none_or(|node| node.id <= id))
            .checked_sub(1)?;
        let place = self.racks[rack].nodes.iter().position(|node| node.id == id)?;
        Some((rack, place))
    }
}

/// A rack: its nodes as trays from below, and its leaf switch on top.
#[derive(Clone, Debug, PartialEq)]
pub struct Rack {
    /// Its id.
    pub id: RackId,
    /// Its short name, as painted on the floor before it.
    pub name: Arc<str>,
    /// Its nodes, in ascending order of their ids.
    pub nodes: Vec<Node>,
    /// Traffic through its leaf switch, 0 to 1.
    pub traffic: f32,
}

impl Rack {
    /// Whether most of the rack's nodes are in the group that was cut off.
    pub fn is_apart(&self) -> bool {
        self.nodes.iter().filter(|node| node.apart).count() * 2 > self.nodes.len()
    }
}

/// A node: one tray.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Its id.
    pub id: NodeId,
    /// How the leader sees it, or what it did to itself.
    pub health: Health,
    /// Its GPUs; at most [`SLOTS_PER_NODE`]. A node with more units shows eight that each stand for a share.
    pub slots: Vec<Slot>,
    /// The account of the job for which the whole node is kept free, if any.
    pub reserved: Option<u8>,
    /// Whether it is in the group that a partition cut off.
    pub apart: bool,
}

/// State of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Health {
    /// Heard of in time.
    #[default]
    Up,
    /// Silent, but its lease may still run: unknown, not dead.
    Suspect,
    /// Takes no new job, still runs old ones.
    Draining,
    /// Out of service, empty.
    Drained,
    /// Could not renew its lease and stopped its jobs itself.
    Fenced,
    /// Without power, or crashed.
    Down,
}

/// One place for a GPU on a tray.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slot {
    /// The job on it.
    pub run: Option<Run>,
    /// The account of the job that will get it, if it is kept free for one.
    pub reserved: Option<u8>,
}

/// A job that runs on a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Which job.
    pub job: JobId,
    /// Its account, which gives the colour.
    pub account: u8,
}

/// A replica of the control plane, standing on its log.
#[derive(Clone, Debug, PartialEq)]
pub struct Replica {
    /// Its id.
    pub id: ReplicaId,
    /// What it is in the consensus.
    pub role: Role,
    /// Its current term.
    pub term: u64,
    /// Index of its last log entry; 0 with an empty log.
    pub last: u64,
    /// The last entries of its log, oldest first; at most [`SLABS_SHOWN`].
    pub log: Vec<Slab>,
    /// What is left of its election timeout, 0 to 1; not shown for a leader.
    pub timer: f32,
    /// Whether it is in the group that a partition cut off.
    pub apart: bool,
}

/// What a replica is in the consensus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// Follows a leader, or waits for one.
    #[default]
    Follower,
    /// Asks for votes or pre-votes.
    Candidate,
    /// Leads its term.
    Leader,
    /// Crashed.
    Down,
}

/// One log entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slab {
    /// The term in which a leader wrote it.
    pub term: u64,
    /// Whether this replica knows it as committed.
    pub committed: bool,
}

/// A pending job in the queue lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// Which job.
    pub job: JobId,
    /// Its account, which gives the colour.
    pub account: u8,
    /// Nodes it asks for: slices of the block.
    pub nodes: u32,
    /// Slots it asks for on each node, 1 to 8: depth of the block.
    pub slots_per_node: u8,
    /// Time limit in minutes: height of the block.
    pub limit_min: u32,
}

/// What the signal before the queue shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Signal {
    /// No leader, nobody starts jobs.
    #[default]
    Dark,
    /// The first job can't start now.
    Wait,
    /// The first job starts.
    Go,
}

/// Where a message comes from or goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// A replica of the control plane.
    Replica(ReplicaId),
    /// A node's agent.
    Node(NodeId),
    /// A client; clients stand at the signal.
    Client,
}

/// What a message is; each kind has its own shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Log entries from a leader: as many slabs.
    Append(u8),
    /// A leader's heartbeat, or an agent's: a bead.
    Heartbeat,
    /// An answer to either: a wedge.
    Answer,
    /// A request for a vote, or the vote: a square ring.
    Vote,
    /// A snapshot of the log: a drum.
    Snapshot,
    /// A lease or its renewal: a round ring.
    Lease,
    /// The order to start a job: an arrowhead.
    Start,
}

/// The hue of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tint {
    /// The colour of a term.
    Term(u64),
    /// The colour of an account.
    Account(u8),
    /// Neither.
    Plain,
}

/// A message on its way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Message {
    /// What it is.
    pub kind: Kind,
    /// Its hue.
    pub tint: Tint,
    /// From where.
    pub from: End,
    /// To where.
    pub to: End,
    /// How much of its way lies behind it, 0 to 1.
    pub progress: f32,
}

/// Something that is shown once, as a short animation.
#[derive(Clone, Debug, PartialEq)]
pub enum Happening {
    /// A message was lost at its `progress`.
    Lost(Message),
    /// A job left the queue for these slots (node, place on its tray).
    Started {
        /// Which job.
        job: JobId,
        /// Its account.
        account: u8,
        /// Where it will run.
        slots: Vec<(NodeId, u8)>,
    },
}

/// What a pointer can point at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Thing {
    /// A node (its tray).
    Node(NodeId),
    /// A slot of a node: what stands on it, or its empty plate.
    Slot(NodeId, u8),
    /// A replica of the control plane.
    Replica(ReplicaId),
    /// A pending job in the lane.
    Job(JobId),
    /// A rack.
    Rack(RackId),
    /// The leaf switch of a rack.
    Leaf(RackId),
    /// A spine switch, from 0.
    Spine(u8),
    /// The signal before the queue.
    Signal,
}
