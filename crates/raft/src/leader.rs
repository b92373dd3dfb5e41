//! What a leader does: open its term, keep its followers, notice when it has lost them, and commit.

use std::collections::BTreeMap;
use std::sync::Arc;

use rand::Rng;

use crate::error::StepError;
use crate::machine::{Machine, RoleState};
use crate::message::{AppendOutcome, Body, Entry, Index, PeerId};
use crate::progress::Progress;
use crate::quorum;

/// What a leader keeps for the length of its term.
#[derive(Debug, Clone)]
pub(crate) struct Leadership {
    /// The tick at which it began; until the first answers, its election counts as the last sign of a quorum.
    pub(crate) since: u64,
    pub(crate) heartbeat_elapsed: u32,
    /// The other voters.
    pub(crate) progress: BTreeMap<PeerId, Progress>,
}

impl<R: Rng> Machine<R> {
    pub(crate) fn become_leader(&mut self) {
        let last = self.log.last_index();
        let progress = self.others().into_iter().map(|peer| (peer, Progress::new(last))).collect();
        self.role = RoleState::Leader(Leadership { since: self.clock, heartbeat_elapsed: 0, progress });
        self.leader = Some(self.config.id);
        self.timer.elapsed = 0;
        // Entries of earlier terms are committed only by an entry of this one.
        self.append_own(Arc::from([]));
    }

    /// Appends an entry of this leader's term.
    pub(crate) fn append_own(&mut self, data: Arc<[u8]>) -> Index {
        let index = self.log.last_index() + 1;
        self.log.push(Entry { term: self.ballot.term, index, data });
        index
    }

    pub(crate) fn tick_leader(&mut self) {
        let RoleState::Leader(leadership) = &self.role else {
            return;
        };
        let silence = self.quorum_silence(leadership);
        if self.config.check_quorum && silence >= u64::from(self.config.election_ticks) {
            self.become_follower();
            return;
        }
        if let RoleState::Leader(leadership) = &mut self.role {
            leadership.heartbeat_elapsed += 1;
            if leadership.heartbeat_elapsed >= self.config.heartbeat_ticks {
                leadership.heartbeat_elapsed = 0;
                self.send_heartbeats();
            }
        }
    }

    fn send_heartbeats(&mut self) {
        let RoleState::Leader(leadership) = &self.role else {
            return;
        };
        let commit = self.log.commit();
        let beats: Vec<(PeerId, Index)> = leadership
            .progress
            .iter()
            .map(|(&peer, progress)| (peer, commit.min(progress.matched)))
            .collect();
        let round = self.clock;
        for (peer, commit) in beats {
            self.send(peer, Body::Heartbeat { commit, round });
        }
    }

    /// The sending tick of the newest round that a quorum has answered, if there is one.
    pub(crate) fn quorum_round(&self, leadership: &Leadership) -> Option<u64> {
        quorum::reached_by_majority(&self.config.voters, |voter| {
            if voter == self.config.id {
                Some(self.clock)
            } else {
                leadership.progress.get(&voter).and_then(|progress| progress.answered)
            }
        })
        .flatten()
    }

    /// Ticks for which no quorum has been heard.
    pub(crate) fn quorum_silence(&self, leadership: &Leadership) -> u64 {
        self.clock - self.quorum_round(leadership).unwrap_or(leadership.since)
    }

    /// Notes that `from` answered `round`. Returns `None` if this replica doesn't lead, or if the answer is a refusal of an
    /// earlier reign of this same replica.
    fn note_answer(
        &mut self,
        from: PeerId,
        round: u64,
        kind: &'static str,
    ) -> Result<Option<&mut Progress>, StepError> {
        let RoleState::Leader(leadership) = &mut self.role else {
            return Ok(None);
        };
        if round < leadership.since {
            return Ok(None);
        }
        if round > self.clock {
            return Err(StepError::UnaskedAnswer { from, kind });
        }
        let mut progress = leadership.progress.get_mut(&from);
        if let Some(progress) = &mut progress {
            progress.answered = progress.answered.max(Some(round));
        }
        Ok(progress)
    }

    pub(crate) fn on_heartbeat_reply(&mut self, from: PeerId, round: u64) -> Result<(), StepError> {
        let last = self.log.last_index();
        if let Some(progress) = self.note_answer(from, round, "heartbeat reply")? {
            progress.on_heartbeat_reply(last);
        }
        Ok(())
    }

    pub(crate) fn on_append_reply(
        &mut self,
        from: PeerId,
        outcome: AppendOutcome,
        round: u64,
    ) -> Result<(), StepError> {
        let kind = "append reply";
        match outcome {
            AppendOutcome::Accepted { index } => {
                if matches!(self.role, RoleState::Leader(_)) && index > self.log.last_index() {
                    return Err(StepError::UnaskedAnswer { from, kind });
                }
                if let Some(progress) = self.note_answer(from, round, kind)? {
                    progress.on_accepted(index);
                    self.advance_commit();
                }
            }
            AppendOutcome::Rejected { prev_index, hint_index, hint_term } => {
                let hint = self.log.agreement_hint(hint_index, hint_term);
                if let Some(progress) = self.note_answer(from, round, kind)? {
                    progress.on_rejected(prev_index, hint);
                }
            }
        }
        Ok(())
    }

    /// Commits what a majority has on disk, if it is of this leader's own term (Raft paper, section 5.4.2).
    pub(crate) fn advance_commit(&mut self) {
        let RoleState::Leader(leadership) = &self.role else {
            return;
        };
        let durable = self.log.durable();
        let reached = quorum::reached_by_majority(&self.config.voters, |voter| {
            if voter == self.config.id {
                durable
            } else {
                leadership.progress.get(&voter).map_or(0, |progress| progress.matched)
            }
        });
        if let Some(index) = reached
            && self.log.term_at(index) == Some(self.ballot.term)
        {
            self.log.commit_to(index);
        }
    }
}
