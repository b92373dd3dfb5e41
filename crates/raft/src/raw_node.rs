//! The face of a replica: each call goes straight to the machine; there is no rule in here.

use std::sync::Arc;

use rand::Rng;

use crate::config::Config;
use crate::error::{NewError, ProposeError, StepError};
use crate::log::Log;
use crate::machine::{Machine, RoleState};
use crate::message::{Index, Message, PeerId, Term};
use crate::ready::{PersistMark, Ready, Restored};
use crate::status::{PeerStatus, Role, Status};

/// One replica. A clone is a replica in the same state, down to its future random timeouts.
#[derive(Debug, Clone)]
pub struct RawNode<R> {
    machine: Machine<R>,
}

impl<R: Rng> RawNode<R> {
    /// Starts a replica with what its disk gave back. The state machine it drives starts empty: the log is handed out again
    /// from the beginning.
    ///
    /// # Errors
    /// If the configuration makes no sense or the disk has lost data.
    pub fn new(config: Config, restored: Restored, rng: R) -> Result<Self, NewError> {
        let machine = Machine::new(config, restored, rng)?;
        Ok(Self { machine })
    }

    /// A tick has passed.
    pub fn tick(&mut self) {
        self.machine.tick();
    }

    /// A message came in.
    ///
    /// # Errors
    /// If the message can't come from a replica that keeps the rules, or isn't for this one. Log and vote
    /// are then untouched; the sender's higher term may have been adopted.
    pub fn step(&mut self, message: Message) -> Result<(), StepError> {
        self.machine.step(message)
    }

    /// Appends a command to the leader's log. Returns its term and index: it is committed when [`Ready::committed`] brings
    /// an entry with both, and lost when it brings one with that index and another term.
    ///
    /// # Errors
    /// If this replica doesn't lead, or `data` is empty.
    pub fn propose(&mut self, data: Arc<[u8]>) -> Result<(Term, Index), ProposeError> {
        self.machine.propose(data)
    }

    /// Whether [`RawNode::ready`] has something to do for the driver.
    #[must_use]
    pub fn has_ready(&self) -> bool {
        self.machine.has_ready()
    }

    /// What the driver has to do now; each thing is handed out once.
    pub fn ready(&mut self) -> Ready {
        self.machine.ready()
    }

    /// The write with this mark is durable, and with it all earlier ones. Unknown marks are ignored.
    pub fn on_persisted(&mut self, mark: PersistMark) {
        self.machine.on_persisted(mark);
    }

    /// The replica's log.
    #[must_use]
    pub fn log(&self) -> &Log {
        &self.machine.log
    }

    /// The options it was started with; the voters ascending.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.machine.config
    }

    /// Its own id.
    #[must_use]
    pub fn id(&self) -> PeerId {
        self.machine.config.id
    }

    /// What it is at the moment.
    #[must_use]
    pub fn role(&self) -> Role {
        self.machine.role()
    }

    /// Its term.
    #[must_use]
    pub fn term(&self) -> Term {
        self.machine.ballot.term
    }

    /// The leader of its term, if known.
    #[must_use]
    pub fn leader(&self) -> Option<PeerId> {
        self.machine.leader
    }

    /// See [`Status::quorum_contact`].
    #[must_use]
    pub fn quorum_contact(&self) -> Option<u32> {
        let RoleState::Leader(leadership) = &self.machine.role else {
            return None;
        };
        if self.machine.config.voters.len() == 1 {
            return Some(0);
        }
        let round = self.machine.quorum_round(leadership)?;
        Some(ticks(self.machine.clock - round).saturating_add(1))
    }

    /// Everything an onlooker may want to know.
    #[must_use]
    pub fn status(&self) -> Status {
        let machine = &self.machine;
        let (granted, rejected) = match &machine.role {
            RoleState::PreCandidate(tally) | RoleState::Candidate(tally) => {
                (tally.who(true), tally.who(false))
            }
            RoleState::Follower { .. } | RoleState::Leader(_) => (Vec::new(), Vec::new()),
        };
        let (heartbeat_elapsed, peers) = match &machine.role {
            RoleState::Leader(leadership) => (leadership.heartbeat_elapsed, self.peers()),
            _ => (0, Vec::new()),
        };
        Status {
            id: machine.config.id,
            role: machine.role(),
            term: machine.ballot.term,
            vote: machine.ballot.vote,
            leader: machine.leader,
            commit: machine.log.commit(),
            applied: machine.log.applied(),
            last_index: machine.log.last_index(),
            durable_index: machine.log.durable(),
            election_elapsed: machine.timer.elapsed,
            election_timeout: machine.timer.timeout,
            heartbeat_elapsed,
            granted,
            rejected,
            peers,
            quorum_contact: self.quorum_contact(),
        }
    }

    fn peers(&self) -> Vec<PeerStatus> {
        let RoleState::Leader(leadership) = &self.machine.role else {
            return Vec::new();
        };
        leadership
            .progress
            .iter()
            .map(|(&id, progress)| PeerStatus {
                id,
                match_index: progress.matched,
                next_index: progress.next,
                pace: progress.pace,
                inflight: u32::try_from(progress.inflight.len()).unwrap_or(u32::MAX),
                contact: progress.answered.map(|round| ticks(self.machine.clock - round)),
            })
            .collect()
    }
}

fn ticks(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
