//! What a replica hands to its driver, and what the driver gives back after a restart.
//!
//! What may leave at once and what must wait for the disk are two different fields, so that a driver can't mix them.

use crate::message::{Entry, Index, Message, PeerId, Term};

/// What must survive a crash besides the entries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct HardState {
    /// The highest term that the replica has seen.
    pub term: Term,
    /// Whom it voted for in that term.
    pub vote: Option<PeerId>,
    /// An index up to which the log is known to be committed. It may lag: it is written along with the rest, never on
    /// its own account.
    pub commit: Index,
}

/// What the disk gave back at the start. A replica that never ran before starts from the default.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Restored {
    /// The newest durable hard state.
    pub hard_state: HardState,
    /// The durable log from index 1 on.
    pub entries: Vec<Entry>,
}

/// The name of one [`Persist`]. Later writes have greater marks. A mark is meaningful only to the replica
/// that issued it, until that replica is restarted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct PersistMark(pub(crate) u64);

/// One write, all or nothing. Writes become durable in the order in which they were handed out.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Persist {
    /// Replaces the hard state on disk.
    pub hard_state: HardState,
    /// Replaces the log on disk from `entries[0].index` on; if empty, the log stays as it is.
    pub entries: Vec<Entry>,
    /// To be given to [`RawNode::on_persisted`](crate::RawNode::on_persisted) once the write is durable.
    pub mark: PersistMark,
    /// To be sent once the write is durable, and not before. Lost with the write if the replica crashes.
    pub messages: Vec<Message>,
}

/// What there is to do for the driver, in any order, except that writes must stay in order among themselves, and so must
/// committed entries.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Ready {
    /// Messages that may leave at once.
    pub messages: Vec<Message>,
    /// The next write, if there is something to write or a message that waits for earlier ones.
    pub persist: Option<Persist>,
    /// Entries to apply to the state machine: committed, and durable on this replica.
    pub committed: Vec<Entry>,
}
