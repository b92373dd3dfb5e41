//! What an onlooker may see of a replica: plain data, copied out.

use crate::message::{Index, PeerId, Term};
use crate::progress::Pace;

/// What a replica is at the moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub enum Role {
    /// Follows a leader, or waits for one.
    Follower,
    /// Asks whether an election could be won.
    PreCandidate,
    /// Stands for election.
    Candidate,
    /// Leads its term.
    Leader,
}

/// A replica at a glance.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Status {
    /// The replica.
    pub id: PeerId,
    /// What it is.
    pub role: Role,
    /// Its term.
    pub term: Term,
    /// Whom it voted for in this term.
    pub vote: Option<PeerId>,
    /// The leader of this term, if known.
    pub leader: Option<PeerId>,
    /// The log is known to be committed up to here.
    pub commit: Index,
    /// Entries up to here were handed out to be applied.
    pub applied: Index,
    /// The log ends here.
    pub last_index: Index,
    /// The log survives a crash up to here.
    pub durable_index: Index,
    /// Ticks since the election timer was last reset. A leader has none: 0.
    pub election_elapsed: u32,
    /// The tick count at which the election timer fires next, drawn at random.
    pub election_timeout: u32,
    /// Leaders: ticks since the last heartbeat; others: 0.
    pub heartbeat_elapsed: u32,
    /// (Pre-)candidates: who granted a vote, ascending.
    pub granted: Vec<PeerId>,
    /// (Pre-)candidates: who refused, ascending.
    pub rejected: Vec<PeerId>,
    /// Leaders: the other replicas, ascending by id.
    pub peers: Vec<PeerStatus>,
    /// Leaders: how old, in ticks, the newest sign is that a quorum (the leader included) was still loyal; 0 if the leader
    /// is the only voter; `None` for all others and for a leader whose first round isn't answered by a quorum yet.
    ///
    /// The age is counted from the *sending* of the round (heartbeat or append) that the quorum answered, and the tick that
    /// has begun counts in full, so it is never too small. With `check_quorum` it is a lease: as long as it is below
    /// `election_ticks` no other replica can have become leader, provided that ticks are equally long on all replicas and
    /// none are skipped (the driver of a replica that was paused makes up for the missed ticks first). A leader without
    /// such a value must not act as leader towards others.
    pub quorum_contact: Option<u32>,
}

/// One follower, as its leader sees it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct PeerStatus {
    /// The follower.
    pub id: PeerId,
    /// The follower's disk agrees with the leader's log up to here.
    pub match_index: Index,
    /// The next entry to send.
    pub next_index: Index,
    /// How appends are sent.
    pub pace: Pace,
    /// Unanswered appends with entries.
    pub inflight: u32,
    /// Ticks since the sending of the newest message that it answered; `None` if it never answered in this term.
    pub contact: Option<u32>,
}
