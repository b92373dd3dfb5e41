//! Why a replica refuses to start, to take a message, or to take a proposal.

use crate::config::ConfigError;
use crate::message::{Index, PeerId, Term};

/// Why a replica could not be started.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NewError {
    /// The configuration makes no sense.
    #[error("configuration: {0}")]
    Config(#[from] ConfigError),
    /// The restored log has a hole, or doesn't begin at index 1.
    #[error("restored log: entry {expected} is missing, {found} stands in its place; the disk has lost data")]
    Gap {
        /// The index that should stand there.
        expected: Index,
        /// The index that does.
        found: Index,
    },
    /// The terms in the restored log fall.
    #[error(
        "restored log: entry {index} has term {term} after term {previous}; the disk has mixed up its writes"
    )]
    FallingTerm {
        /// Where.
        index: Index,
        /// The term there.
        term: Term,
        /// The term before it (1 at the beginning: terms start there).
        previous: Term,
    },
    /// The log has entries of a term that the hard state hasn't seen.
    #[error(
        "restored hard state: term {term} is behind the log's last term {last_term}; they were not written together"
    )]
    TermBehindLog {
        /// The hard state's term.
        term: Term,
        /// The log's last term.
        last_term: Term,
    },
    /// The log ends before what is known to be committed.
    #[error("restored log: it ends at {last_index}, but {commit} is committed; the disk has lost data")]
    CommitBeyondLog {
        /// The hard state's commit index.
        commit: Index,
        /// The log's last index.
        last_index: Index,
    },
}

/// Why a message was refused. The log and the vote are as they were before.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StepError {
    /// The message is for someone else.
    #[error("message for replica {to} was delivered to {id}; check the routing")]
    WrongRecipient {
        /// Whom it is for.
        to: PeerId,
        /// Who got it.
        id: PeerId,
    },
    /// The sender isn't one of the other voters.
    #[error("message from {from}, which is not another voter; check the list of voters")]
    UnknownSender {
        /// The sender.
        from: PeerId,
    },
    /// A message of this kind can't have term 0.
    #[error("{kind} from {from} has term 0, but terms start with 1")]
    NoTerm {
        /// The sender.
        from: PeerId,
        /// The kind of message.
        kind: &'static str,
    },
    /// The entries of an append don't follow each other, or have impossible terms.
    #[error(
        "append from {from}: the entry at place {place} doesn't fit the one before it or the sender's term"
    )]
    MalformedEntries {
        /// The sender.
        from: PeerId,
        /// Which of the entries, from 0.
        place: usize,
    },
    /// Two replicas claim to lead the same term: the other one broke the rules, or its disk lied.
    #[error("{from} and {leader} both claim to lead term {term}; a vote was lost or given twice")]
    SecondLeader {
        /// The sender.
        from: PeerId,
        /// The leader known so far.
        leader: PeerId,
        /// The term.
        term: Term,
    },
    /// A leader wants to replace an entry that is committed here.
    #[error(
        "leader {from} of term {term} would replace entry {index}, which is committed here; committed data was lost"
    )]
    CommittedConflict {
        /// The sender.
        from: PeerId,
        /// Its term.
        term: Term,
        /// The first entry it would replace.
        index: Index,
    },
    /// An answer speaks of something that this leader has never sent.
    #[error("{kind} from {from} answers something that was never sent")]
    UnaskedAnswer {
        /// The sender.
        from: PeerId,
        /// The kind of message.
        kind: &'static str,
    },
}

/// Why a proposal was not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProposeError {
    /// Only the leader takes proposals.
    #[error("this replica does not lead; {}", match leader { Some(id) => format!("ask replica {id}"), None => "no leader is known, try again later".to_owned() })]
    NotLeader {
        /// Whom to ask instead, if known.
        leader: Option<PeerId>,
    },
    /// Empty data marks the entry that opens a leader's term.
    #[error("the proposal is empty; give it at least one byte")]
    Empty,
}
