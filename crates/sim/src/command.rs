//! What a hand from outside may do to the world: part of a run's identity.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use switchyard_model::{NodeId, ReplicaId, SimTime};
use thiserror::Error;

use crate::net::Endpoint;
use crate::policies::PolicyProblem;

/// A deed. In a scenario file: `{"crash_replica": 2}`, `"heal"`, `{"set_backfill": false}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Command {
    /// A replica's process dies; what its disk had not synced is lost.
    CrashReplica(ReplicaId),
    /// It starts again from its disk.
    RestartReplica(ReplicaId),
    /// A compute node loses power; what runs there is gone.
    CrashNode(NodeId),
    /// It boots, without jobs.
    RestartNode(NodeId),
    /// The network splits: those named on one side, all others on the other.
    Partition(BTreeSet<Endpoint>),
    /// One link stops carrying messages, in one direction.
    CutLink {
        /// From here …
        from: Endpoint,
        /// … to here.
        to: Endpoint,
    },
    /// All cuts are mended.
    Heal,
    /// The operator asks the control plane to switch backfill on or off.
    SetBackfill(bool),
    /// The operator asks the control plane to schedule by the policy of this name.
    SetPolicy(Arc<str>),
}

/// A deed and its moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Intervention {
    /// When, in microseconds since the start.
    pub at: SimTime,
    /// What.
    #[serde(rename = "do")]
    pub command: Command,
}

/// Why a deed can't be done, in one sentence.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Refusal {
    /// It is dead already.
    #[error("Replica {} is down already; restart it first.", .0.letter())]
    ReplicaIsDown(ReplicaId),
    /// It runs already.
    #[error("Replica {} is running; there is nothing to restart.", .0.letter())]
    ReplicaIsUp(ReplicaId),
    /// No such replica.
    #[error("There is no replica number {}; this control plane has {replicas}.", .replica.0)]
    NoSuchReplica {
        /// What was named.
        replica: ReplicaId,
        /// How many there are.
        replicas: usize,
    },
    /// It is dead already.
    #[error("Node {0} is down already; restart it first.")]
    NodeIsDown(String),
    /// It runs already.
    #[error("Node {0} is running; there is nothing to restart.")]
    NodeIsUp(String),
    /// No such node.
    #[error("There is no node number {}; this fleet has {nodes}.", .node.0)]
    NoSuchNode {
        /// What was named.
        node: NodeId,
        /// How many there are.
        nodes: usize,
    },
    /// Everyone would be on one side.
    #[error("A partition needs someone on both sides.")]
    OneSided,
    /// No cut anywhere.
    #[error("No link is cut; there is nothing to heal.")]
    NothingToHeal,
    /// No such policy, or none for a world like this.
    #[error("{}", sentence(.0))]
    Policy(PolicyProblem),
}

/// Half a sentence, made whole.
fn sentence(problem: &PolicyProblem) -> String {
    let said = problem.to_string();
    let mut letters = said.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).chain(['.']).collect()
}
