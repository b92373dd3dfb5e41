//! What happened, as an onlooker would tell it: a closed list.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use switchyard_model::{JobId, NodeId, Outcome, ReplicaId, SimTime};
use switchyard_raft::Term;

use crate::book::Evidence;
use crate::command::Command;

/// Something worth telling.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Event {
    /// Someone from outside did this.
    Intervened(Command),
    /// A replica won an election.
    LeaderElected {
        /// Who.
        replica: ReplicaId,
        /// For which term.
        term: Term,
    },
    /// A leader that lost touch with the majority gave up.
    LeaderStoodDown {
        /// Who.
        replica: ReplicaId,
        /// Its term.
        term: Term,
    },
    /// A job is in the book for good.
    JobAccepted(JobId),
    /// The control plane decided to start a job.
    JobPlaced {
        /// Which.
        job: JobId,
        /// Its how-manieth attempt.
        attempt: u32,
        /// Whether it passed a job that waits before it.
        backfilled: bool,
    },
    /// A job has ended on all its nodes, and that is in the book.
    JobFinished {
        /// Which.
        job: JobId,
        /// How.
        outcome: Outcome,
    },
    /// A job goes back to the queue.
    JobRequeued {
        /// Which.
        job: JobId,
        /// The attempt that is over.
        attempt: u32,
        /// The node that was lost.
        lost: NodeId,
        /// How that is known.
        evidence: Evidence,
    },
    /// A node's agent could not renew its lease and stopped everything.
    NodeFencedItself {
        /// Which node.
        node: NodeId,
        /// How many jobs it stopped.
        stopped: u32,
    },
    /// The control plane takes reports from a node again, or for the first time.
    NodeUp(NodeId),
    /// A node was silent for a while.
    NodeSuspect(NodeId),
    /// A node's lease has ended.
    NodeDown(NodeId),
    /// Backfill is on or off from now on.
    BackfillSet(bool),
    /// Jobs are scheduled by the policy of this name from now on.
    PolicySet(Arc<str>),
}

/// An event and its moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// When.
    pub at: SimTime,
    /// What.
    pub event: Event,
}
