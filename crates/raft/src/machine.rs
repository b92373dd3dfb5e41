//! The replica's state, its terms, and the dispatch of what comes in to the role that it has.
//!
//! What each role does with it stands in `follower.rs`, `candidate.rs` and `leader.rs`.

use rand::{Rng, RngExt};

use crate::candidate::Tally;
use crate::config::Config;
use crate::error::{NewError, ProposeError, StepError};
use crate::follower::NO_ROUND;
use crate::leader::Leadership;
use crate::log::Log;
use crate::message::{AppendOutcome, Body, Entry, Index, Message, PeerId, Term};
use crate::outbox::Outbox;
use crate::ready::{HardState, Persist, PersistMark, Ready, Restored};
use crate::status::Role;
use crate::unstable::{Ballot, Unstable};

/// What only makes sense in one role.
#[derive(Debug, Clone)]
pub(crate) enum RoleState {
    Follower {
        /// The log agrees with that of this term's leader up to here. Nothing beyond may be taken for committed on the
        /// leader's word.
        verified: Index,
    },
    PreCandidate(Tally),
    Candidate(Tally),
    Leader(Leadership),
}

/// The promise not to help anyone else to power for `election_ticks`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Loyalty {
    /// The leader that was heard; `None` after a restart, when it is forgotten who that was.
    pub(crate) to: Option<PeerId>,
    /// The tick at which it was heard. Outlives changes of the term: a lease is a matter of time.
    pub(crate) since: u64,
}

/// When to stand for election.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ElectionTimer {
    pub(crate) elapsed: u32,
    pub(crate) timeout: u32,
}

#[derive(Debug, Clone)]
pub(crate) struct Machine<R> {
    /// The voters in it are sorted.
    pub(crate) config: Config,
    rng: R,
    pub(crate) ballot: Ballot,
    /// The leader of the current term, once it was heard.
    pub(crate) leader: Option<PeerId>,
    pub(crate) role: RoleState,
    pub(crate) log: Log,
    /// Ticks since the start.
    pub(crate) clock: u64,
    pub(crate) timer: ElectionTimer,
    pub(crate) loyalty: Option<Loyalty>,
    outbox: Outbox,
}

impl<R: Rng> Machine<R> {
    pub(crate) fn new(mut config: Config, restored: Restored, rng: R) -> Result<Self, NewError> {
        config.validate()?;
        check_restored(&restored)?;
        config.voters.sort_unstable();
        let Restored { hard_state, entries } = restored;
        let ballot = Ballot { term: hard_state.term, vote: hard_state.vote };
        let unstable = Unstable::new(entries.len() as Index, ballot);
        // A leader may count on this replica's loyalty from before the restart. Not if the replica never saw a
        // term: it answers no leader before that leader's term is durable.
        let loyalty = (ballot.term > 0).then_some(Loyalty { to: None, since: 0 });
        let mut machine = Self {
            config,
            rng,
            ballot,
            leader: None,
            role: RoleState::Follower { verified: 0 },
            log: Log::new(entries, hard_state.commit, unstable),
            clock: 0,
            timer: ElectionTimer { elapsed: 0, timeout: 0 },
            loyalty,
            outbox: Outbox::default(),
        };
        machine.restart_timer();
        Ok(machine)
    }

    pub(crate) fn tick(&mut self) {
        self.clock += 1;
        if matches!(self.role, RoleState::Leader(_)) {
            self.tick_leader();
        } else {
            self.timer.elapsed = self.timer.elapsed.saturating_add(1);
            if self.timer.elapsed >= self.timer.timeout {
                self.start_campaign();
            }
        }
    }

    pub(crate) fn step(&mut self, message: Message) -> Result<(), StepError> {
        self.check_envelope(&message)?;
        let Message { from, term, body, .. } = message;
        match body {
            Body::PreVote { last_index, last_term } => self.on_pre_vote(from, term, last_term, last_index),
            Body::Vote { last_index, last_term } => self.on_vote(from, term, last_term, last_index),
            Body::PreVoteReply { granted, campaign_term } => {
                self.adopt(term);
                self.on_pre_vote_reply(from, campaign_term, granted);
            }
            Body::VoteReply { granted, campaign_term } => {
                self.adopt(term);
                self.on_vote_reply(from, campaign_term, granted);
            }
            Body::Append { prev_index, prev_term, entries, commit, round } => {
                check_entries(from, term, prev_index, prev_term, &entries)?;
                if self.hear_leader(from, term)? {
                    self.on_append(from, prev_index, prev_term, entries, commit, round)?;
                } else {
                    self.refuse_old_append(from, prev_index);
                }
            }
            Body::Heartbeat { commit, round } => {
                if self.hear_leader(from, term)? {
                    self.commit_verified(commit);
                    self.send(from, Body::HeartbeatReply { round });
                } else {
                    self.send(from, Body::HeartbeatReply { round: NO_ROUND });
                }
            }
            Body::AppendReply { outcome, round } => {
                self.adopt(term);
                if term == self.ballot.term {
                    self.on_append_reply(from, outcome, round)?;
                }
            }
            Body::HeartbeatReply { round } => {
                self.adopt(term);
                if term == self.ballot.term {
                    self.on_heartbeat_reply(from, round)?;
                }
            }
        }
        Ok(())
    }

    pub(crate) fn propose(&mut self, data: std::sync::Arc<[u8]>) -> Result<(Term, Index), ProposeError> {
        if data.is_empty() {
            return Err(ProposeError::Empty);
        }
        if !matches!(self.role, RoleState::Leader(_)) {
            return Err(ProposeError::NotLeader { leader: self.leader });
        }
        Ok((self.ballot.term, self.append_own(data)))
    }

    pub(crate) fn on_persisted(&mut self, mark: PersistMark) {
        self.log.unstable.acknowledge(mark);
        match self.role {
            RoleState::Candidate(_) => self.count_own_vote(),
            RoleState::Leader(_) => self.advance_commit(),
            RoleState::Follower { .. } | RoleState::PreCandidate(_) => {}
        }
    }

    pub(crate) fn has_ready(&self) -> bool {
        !self.outbox.now.is_empty()
            || self.needs_write()
            || self.log.appliable() > self.log.applied()
            || self.owes_append()
    }

    pub(crate) fn ready(&mut self) -> Ready {
        self.send_appends();
        Ready {
            messages: std::mem::take(&mut self.outbox.now),
            persist: self.needs_write().then(|| self.take_write()),
            committed: self.log.take_committed(),
        }
    }

    fn needs_write(&self) -> bool {
        !self.outbox.after_write.is_empty()
            || self.log.unstable.unwritten() <= self.log.last_index()
            || self.log.unstable.written_ballot() != self.ballot
    }

    fn take_write(&mut self) -> Persist {
        let last = self.log.last_index();
        let entries = self.log.entries(self.log.unstable.unwritten(), last).to_vec();
        Persist {
            hard_state: HardState {
                term: self.ballot.term,
                vote: self.ballot.vote,
                commit: self.log.commit(),
            },
            entries,
            mark: self.log.unstable.write(last, self.ballot),
            messages: std::mem::take(&mut self.outbox.after_write),
        }
    }

    /// Queues a message; it waits for the disk unless what it says is durable already.
    pub(crate) fn send(&mut self, to: PeerId, body: Body) {
        let durable = self.log.unstable.durable_ballot();
        let may_leave = durable.term == self.ballot.term
            && match body {
                Body::VoteReply { granted: true, .. } => durable == self.ballot,
                Body::AppendReply { outcome: AppendOutcome::Accepted { index }, .. } => {
                    index <= self.log.durable()
                }
                _ => true,
            };
        let message = Message { from: self.config.id, to, term: self.ballot.term, body };
        if may_leave {
            self.outbox.now.push(message);
        } else {
            self.outbox.after_write.push(message);
        }
    }

    /// The other voters, ascending.
    pub(crate) fn others(&self) -> Vec<PeerId> {
        let id = self.config.id;
        let mut others = self.config.voters.clone();
        others.retain(|&voter| voter != id);
        others
    }

    pub(crate) fn role(&self) -> Role {
        match self.role {
            RoleState::Follower { .. } => Role::Follower,
            RoleState::PreCandidate(_) => Role::PreCandidate,
            RoleState::Candidate(_) => Role::Candidate,
            RoleState::Leader(_) => Role::Leader,
        }
    }

    /// Moves on to a higher term, as a follower without a leader. Lower and equal terms change nothing.
    pub(crate) fn adopt(&mut self, term: Term) {
        if term > self.ballot.term {
            self.enter_term(Ballot { term, vote: None });
            self.become_follower();
        }
    }

    /// What waits for the disk was said in the old term and may be overtaken before it is written; it counts as lost.
    pub(crate) fn enter_term(&mut self, ballot: Ballot) {
        debug_assert!(ballot.term > self.ballot.term);
        self.ballot = ballot;
        self.outbox.after_write.clear();
    }

    /// Gives up whatever role there was, within the current term. The vote stays: one replica, one vote, one term.
    pub(crate) fn become_follower(&mut self) {
        self.leader = None;
        self.role = RoleState::Follower { verified: 0 };
        self.restart_timer();
    }

    pub(crate) fn restart_timer(&mut self) {
        let shortest = self.config.election_ticks;
        self.timer = ElectionTimer { elapsed: 0, timeout: self.rng.random_range(shortest..2 * shortest) };
    }

    fn check_envelope(&self, message: &Message) -> Result<(), StepError> {
        let &Message { from, to, .. } = message;
        if to != self.config.id {
            return Err(StepError::WrongRecipient { to, id: self.config.id });
        }
        if from == to || self.config.voters.binary_search(&from).is_err() {
            return Err(StepError::UnknownSender { from });
        }
        let may_be_new = matches!(message.body, Body::PreVote { .. } | Body::PreVoteReply { .. });
        if message.term == 0 && !may_be_new {
            return Err(StepError::NoTerm { from, kind: message.body.kind() });
        }
        Ok(())
    }
}

/// Entries follow `prev_index` without a gap, with terms that never fall and never exceed the sender's.
fn check_entries(
    from: PeerId,
    term: Term,
    prev_index: Index,
    prev_term: Term,
    entries: &[Entry],
) -> Result<(), StepError> {
    let mut before = (prev_index, prev_term);
    for (place, entry) in entries.iter().enumerate() {
        let follows = before.0.checked_add(1) == Some(entry.index);
        if !follows || entry.term < before.1.max(1) || entry.term > term {
            return Err(StepError::MalformedEntries { from, place });
        }
        before = (entry.index, entry.term);
    }
    Ok(())
}

fn check_restored(restored: &Restored) -> Result<(), NewError> {
    let HardState { term, commit, .. } = restored.hard_state;
    let mut previous = 1;
    for (expected, entry) in (1..).zip(&restored.entries) {
        if entry.index != expected {
            return Err(NewError::Gap { expected, found: entry.index });
        }
        if entry.term < previous {
            return Err(NewError::FallingTerm { index: expected, term: entry.term, previous });
        }
        previous = entry.term;
    }
    let last_index = restored.entries.len() as Index;
    let last_term = restored.entries.last().map_or(0, |entry| entry.term);
    if last_term > term {
        return Err(NewError::TermBehindLog { term, last_term });
    }
    if commit > last_index {
        return Err(NewError::CommitBeyondLog { commit, last_index });
    }
    Ok(())
}
