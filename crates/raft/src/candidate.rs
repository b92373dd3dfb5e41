//! How a replica comes to power: ask whether it could win, then stand for election.

use std::collections::BTreeMap;

use rand::Rng;

use crate::machine::{Machine, RoleState};
use crate::message::{Body, PeerId, Term};
use crate::quorum::{self, Outcome};
use crate::unstable::Ballot;

/// The answers so far, one per voter; the first one counts. Belongs to one campaign term: a new campaign begins a new tally.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tally {
    answers: BTreeMap<PeerId, bool>,
}

impl Tally {
    pub(crate) fn count(&mut self, voter: PeerId, granted: bool) {
        self.answers.entry(voter).or_insert(granted);
    }

    /// Who answered so, ascending.
    pub(crate) fn who(&self, granted: bool) -> Vec<PeerId> {
        self.answers.iter().filter(|(_, answer)| **answer == granted).map(|(&voter, _)| voter).collect()
    }
}

impl<R: Rng> Machine<R> {
    /// The election timer has fired.
    pub(crate) fn start_campaign(&mut self) {
        if self.config.pre_vote {
            self.become_pre_candidate();
        } else {
            self.become_candidate();
        }
    }

    /// Term and vote stay as they are: a real vote may have been given in this term.
    fn become_pre_candidate(&mut self) {
        self.leader = None;
        self.restart_timer();
        let mut tally = Tally::default();
        tally.count(self.config.id, true);
        self.role = RoleState::PreCandidate(tally);
        let (last_index, last_term) = (self.log.last_index(), self.log.last_term());
        for to in self.others() {
            self.send(to, Body::PreVote { last_index, last_term });
        }
        self.conclude_pre_vote();
    }

    /// The own vote counts when it is durable, like any other. After the last of all terms nobody stands any more.
    fn become_candidate(&mut self) {
        self.ballot = Ballot { term: self.ballot.term.saturating_add(1), vote: Some(self.config.id) };
        self.leader = None;
        self.restart_timer();
        self.role = RoleState::Candidate(Tally::default());
        let (last_index, last_term) = (self.log.last_index(), self.log.last_term());
        for to in self.others() {
            self.send(to, Body::Vote { last_index, last_term });
        }
    }

    pub(crate) fn on_pre_vote_reply(&mut self, from: PeerId, campaign_term: Term, granted: bool) {
        if let RoleState::PreCandidate(tally) = &mut self.role
            && self.ballot.term.checked_add(1) == Some(campaign_term)
        {
            tally.count(from, granted);
            self.conclude_pre_vote();
        }
    }

    pub(crate) fn on_vote_reply(&mut self, from: PeerId, campaign_term: Term, granted: bool) {
        if let RoleState::Candidate(tally) = &mut self.role
            && self.ballot.term == campaign_term
        {
            tally.count(from, granted);
            self.conclude_vote();
        }
    }

    /// Called when the disk has moved on.
    pub(crate) fn count_own_vote(&mut self) {
        if let RoleState::Candidate(tally) = &mut self.role
            && self.log.unstable.durable_ballot() == self.ballot
        {
            tally.count(self.config.id, true);
            self.conclude_vote();
        }
    }

    fn conclude_pre_vote(&mut self) {
        let RoleState::PreCandidate(tally) = &self.role else {
            return;
        };
        match quorum::ballot(&self.config.voters, &tally.answers) {
            Outcome::Won => self.become_candidate(),
            Outcome::Lost => self.become_follower(),
            Outcome::Pending => {}
        }
    }

    fn conclude_vote(&mut self) {
        let RoleState::Candidate(tally) = &self.role else {
            return;
        };
        match quorum::ballot(&self.config.voters, &tally.answers) {
            Outcome::Won => self.become_leader(),
            Outcome::Lost => self.become_follower(),
            Outcome::Pending => {}
        }
    }
}
