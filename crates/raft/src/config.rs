//! What a replica is told when it starts, and the bounds within which that makes sense.

use crate::message::PeerId;

/// How one replica behaves. All durations are counted in calls of [`RawNode::tick`](crate::RawNode::tick).
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Config {
    /// This replica's own id.
    pub id: PeerId,
    /// All voting replicas, this one included, in any order.
    pub voters: Vec<PeerId>,
    /// The shortest election timeout in ticks. Each timeout is drawn from
    /// `election_ticks..2 * election_ticks`. For as long as `election_ticks` after it heard from a leader, a
    /// replica helps nobody else to power (with `check_quorum`).
    pub election_ticks: u32,
    /// Ticks between two heartbeats of a leader; less than `election_ticks`.
    pub heartbeat_ticks: u32,
    /// The most entries that one append message carries.
    pub max_entries_per_message: usize,
    /// The most unanswered append messages with entries to one follower.
    pub max_inflight: usize,
    /// Ask whether an election could be won before raising the term (Raft thesis, section 9.6).
    pub pre_vote: bool,
    /// A leader that hears no quorum for `election_ticks` steps down, and replicas stick to a leader that they hear
    /// (Raft thesis, section 6.2 and 4.2.3). [`Status::quorum_contact`](crate::Status::quorum_contact) is a lease only
    /// with this.
    pub check_quorum: bool,
}

/// Why a [`Config`] was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// The replica isn't one of the voters.
    #[error("voters: replica {id} is not among them; add it")]
    NotAVoter {
        /// The replica's own id.
        id: PeerId,
    },
    /// A voter is listed twice.
    #[error("voters: {id} is listed more than once; list each replica once")]
    DuplicateVoter {
        /// The repeated id.
        id: PeerId,
    },
    /// `heartbeat_ticks` is zero.
    #[error("heartbeat_ticks is 0; give at least 1")]
    NoHeartbeat,
    /// The election timeout doesn't leave room for a heartbeat.
    #[error(
        "election_ticks is {election_ticks}, heartbeat_ticks is {heartbeat_ticks}; an election timeout must be longer than a heartbeat"
    )]
    ElectionNotAboveHeartbeat {
        /// The shortest election timeout.
        election_ticks: u32,
        /// The heartbeat interval.
        heartbeat_ticks: u32,
    },
    /// Twice the election timeout doesn't fit into 32 bits.
    #[error("election_ticks is {election_ticks}; give at most {}", u32::MAX / 2)]
    ElectionTooLong {
        /// The shortest election timeout.
        election_ticks: u32,
    },
    /// A flow-control limit is zero, so that nothing could ever be sent.
    #[error("{option} is 0; give at least 1")]
    ZeroLimit {
        /// The name of the option.
        option: &'static str,
    },
}

impl Config {
    /// Checks the options against each other.
    ///
    /// # Errors
    /// The first rule that is broken, with the option's name.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let mut voters = self.voters.clone();
        voters.sort_unstable();
        if let Some(pair) = voters.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(ConfigError::DuplicateVoter { id: pair[0] });
        }
        if voters.binary_search(&self.id).is_err() {
            return Err(ConfigError::NotAVoter { id: self.id });
        }
        if self.heartbeat_ticks == 0 {
            return Err(ConfigError::NoHeartbeat);
        }
        if self.election_ticks <= self.heartbeat_ticks {
            return Err(ConfigError::ElectionNotAboveHeartbeat {
                election_ticks: self.election_ticks,
                heartbeat_ticks: self.heartbeat_ticks,
            });
        }
        if self.election_ticks > u32::MAX / 2 {
            return Err(ConfigError::ElectionTooLong { election_ticks: self.election_ticks });
        }
        if self.max_entries_per_message == 0 {
            return Err(ConfigError::ZeroLimit { option: "max_entries_per_message" });
        }
        if self.max_inflight == 0 {
            return Err(ConfigError::ZeroLimit { option: "max_inflight" });
        }
        Ok(())
    }
}
