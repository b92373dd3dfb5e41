//! What a replica does for others: hear a leader, take its entries, and give or refuse votes.

use rand::Rng;

use crate::error::StepError;
use crate::machine::{Loyalty, Machine, RoleState};
use crate::message::{AppendOutcome, Body, Entry, Index, PeerId, Term};

/// Before the first tick nobody leads, so no leader's round is 0.
pub(crate) const NO_ROUND: u64 = 0;

impl<R: Rng> Machine<R> {
    /// A message of a leader came in. Returns whether it leads the current term (which may have become so just now);
    /// otherwise it is a leader of the past.
    pub(crate) fn hear_leader(&mut self, from: PeerId, term: Term) -> Result<bool, StepError> {
        if term < self.ballot.term {
            return Ok(false);
        }
        self.adopt(term);
        if let Some(leader) = self.leader.filter(|&leader| leader != from) {
            return Err(StepError::SecondLeader { from, leader, term });
        }
        if !matches!(self.role, RoleState::Follower { .. }) {
            self.become_follower();
        }
        self.leader = Some(from);
        self.timer.elapsed = 0;
        self.loyalty = Some(Loyalty { to: Some(from), since: self.clock });
        Ok(true)
    }

    /// Takes over the leader's entries if the log agrees with the leader's at `prev_index`; answers either way.
    pub(crate) fn on_append(
        &mut self,
        from: PeerId,
        prev_index: Index,
        prev_term: Term,
        entries: Vec<Entry>,
        commit: Index,
        round: u64,
    ) -> Result<(), StepError> {
        if self.log.term_at(prev_index) != Some(prev_term) {
            let at_most = prev_index.min(self.log.last_index());
            let hint_index = self.log.agreement_hint(at_most, prev_term);
            let hint_term = self.log.term_at(hint_index).unwrap_or(0);
            let outcome = AppendOutcome::Rejected { prev_index, hint_index, hint_term };
            self.send(from, Body::AppendReply { outcome, round });
            return Ok(());
        }
        let agreed = entries.last().map_or(prev_index, |entry| entry.index);
        self.log.merge(entries).map_err(|conflict| StepError::CommittedConflict {
            from,
            term: self.ballot.term,
            index: conflict.index,
        })?;
        if let RoleState::Follower { verified } = &mut self.role {
            *verified = agreed.max(*verified);
        }
        self.commit_verified(commit);
        let outcome = AppendOutcome::Accepted { index: agreed };
        self.send(from, Body::AppendReply { outcome, round });
        Ok(())
    }

    /// Tells a leader of the past the current term. The answer names no round: that leader may lead the current term when
    /// it arrives, and must not take it for a sign of loyalty to this reign.
    pub(crate) fn refuse_old_append(&mut self, from: PeerId, prev_index: Index) {
        let outcome = AppendOutcome::Rejected { prev_index, hint_index: 0, hint_term: 0 };
        self.send(from, Body::AppendReply { outcome, round: NO_ROUND });
    }

    /// Takes the leader's word for what is committed, as far as the log is known to be the leader's.
    pub(crate) fn commit_verified(&mut self, commit: Index) {
        if let RoleState::Follower { verified } = self.role {
            self.log.commit_to(commit.min(verified));
        }
    }

    /// Whether this replica must not help `candidate` to power, because a leader may count on it.
    ///
    /// The leader itself may always ask again: it does so only after it has stepped down.
    pub(crate) fn is_loyal_against(&self, candidate: PeerId) -> bool {
        if !self.config.check_quorum {
            return false;
        }
        let election_ticks = u64::from(self.config.election_ticks);
        if let RoleState::Leader(leadership) = &self.role {
            return self.quorum_silence(leadership) < election_ticks;
        }
        self.loyalty.is_some_and(|loyalty| {
            loyalty.to != Some(candidate) && self.clock - loyalty.since < election_ticks
        })
    }

    /// Answers whether a vote in the term after `term` would be granted. Changes nothing here: neither term nor vote.
    pub(crate) fn on_pre_vote(&mut self, from: PeerId, term: Term, last_term: Term, last_index: Index) {
        let Some(campaign_term) = term.checked_add(1) else {
            return;
        };
        let granted = term >= self.ballot.term
            && !self.is_loyal_against(from)
            && self.log.is_covered_by(last_term, last_index);
        self.send(from, Body::PreVoteReply { granted, campaign_term });
    }

    /// Gives this term's vote, at most once; a higher term is adopted first unless a leader may count on this replica.
    pub(crate) fn on_vote(&mut self, from: PeerId, term: Term, last_term: Term, last_index: Index) {
        if term > self.ballot.term && !self.is_loyal_against(from) {
            self.adopt(term);
        }
        let is_free = match self.ballot.vote {
            Some(vote) => vote == from,
            None => self.leader.is_none(),
        };
        let granted = term == self.ballot.term
            && is_free
            && !self.is_loyal_against(from)
            && self.log.is_covered_by(last_term, last_index);
        if granted {
            self.ballot.vote = Some(from);
            self.timer.elapsed = 0;
        }
        self.send(from, Body::VoteReply { granted, campaign_term: term });
    }
}
