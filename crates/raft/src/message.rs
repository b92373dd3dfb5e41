//! What replicas say to each other: the entries of the log and the messages that carry them.

use std::sync::Arc;

/// A replica's name. Never used again for another replica, nor for the same one with an emptied disk.
pub type PeerId = u64;
/// A leader's reign; at most one replica leads in a term. The first term is 1.
pub type Term = u64;
/// A place in the log. The first entry has index 1; 0 stands for "before the log".
pub type Index = u64;

/// One command in the log.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Entry {
    /// The term of the leader that appended it first.
    pub term: Term,
    /// Its place in the log.
    pub index: Index,
    /// The command; empty for the entry with which a new leader opens its term, which changes nothing.
    pub data: Arc<[u8]>,
}

/// One message from replica to replica. The network may lose, delay, repeat and reorder messages.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Message {
    /// The sender.
    pub from: PeerId,
    /// The replica that it is meant for.
    pub to: PeerId,
    /// The sender's own term, on its disk before the message leaves.
    pub term: Term,
    /// What it says.
    pub body: Body,
}

/// What a message says.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Body {
    /// "Would you vote for me in the term after mine?" Nobody's term changes.
    PreVote {
        /// The last index of the sender's log.
        last_index: Index,
        /// The term of that entry.
        last_term: Term,
    },
    /// The answer to [`Body::PreVote`]. A refusal may come with a higher term, which the asker then adopts.
    PreVoteReply {
        /// Whether the sender would vote for the asker.
        granted: bool,
        /// The term for which the asker wanted votes.
        campaign_term: Term,
    },
    /// "Vote for me in this term."
    Vote {
        /// The last index of the candidate's log.
        last_index: Index,
        /// The term of that entry.
        last_term: Term,
    },
    /// The answer to [`Body::Vote`]; a grant is on the voter's disk before it leaves.
    VoteReply {
        /// Whether the sender has voted for the asker.
        granted: bool,
        /// The term for which the asker wanted votes.
        campaign_term: Term,
    },
    /// The leader's entries that follow `prev_index`, or none, to look where the logs agree or to tell the commit index.
    Append {
        /// The index before the first of `entries`.
        prev_index: Index,
        /// The term of the leader's entry at `prev_index`.
        prev_term: Term,
        /// Entries with the indexes `prev_index + 1` and following.
        entries: Vec<Entry>,
        /// The leader's commit index, which may be beyond `entries`.
        commit: Index,
        /// The leader's tick when it sent this; the answer brings it back.
        round: u64,
    },
    /// The answer to [`Body::Append`].
    AppendReply {
        /// What the follower did with it.
        outcome: AppendOutcome,
        /// The `round` of the append; 0 to a leader of an earlier term.
        round: u64,
    },
    /// "I still lead."
    Heartbeat {
        /// The leader's commit index, but no more than it knows the follower to hold.
        commit: Index,
        /// The leader's tick when it sent this; the answer brings it back.
        round: u64,
    },
    /// The answer to [`Body::Heartbeat`].
    HeartbeatReply {
        /// The `round` of the heartbeat; 0 to a leader of an earlier term.
        round: u64,
    },
}

/// What a follower did with an append.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum AppendOutcome {
    /// The follower's log agrees with the leader's up to `index`, on its disk.
    Accepted {
        /// `prev_index` plus the number of entries of the append that is answered; never more, even if the
        /// follower's log is longer, because what lies beyond has not been compared.
        index: Index,
    },
    /// The follower has no entry, or another one, at `prev_index`.
    Rejected {
        /// The `prev_index` of the append that is answered.
        prev_index: Index,
        /// The highest index at which the logs can still agree, as far as the follower can tell.
        hint_index: Index,
        /// The term of the follower's entry there (0 at index 0).
        hint_term: Term,
    },
}

impl Body {
    /// The kind of message, in the words of the Raft literature.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::PreVote { .. } => "pre-vote",
            Self::PreVoteReply { .. } => "pre-vote reply",
            Self::Vote { .. } => "vote",
            Self::VoteReply { .. } => "vote reply",
            Self::Append { .. } => "append",
            Self::AppendReply { .. } => "append reply",
            Self::Heartbeat { .. } => "heartbeat",
            Self::HeartbeatReply { .. } => "heartbeat reply",
        }
    }
}
