//! One replica against messages made by hand, with a disk that is done at once.

use switchyard_raft::{AppendOutcome, Body, Config, Entry, Index, Message, PeerId, Restored, Role, Term};

use super::{Node, start};

pub(crate) struct Solo {
    pub(crate) node: Node,
    pub(crate) applied: Vec<Entry>,
    /// Its ticks so far: the round that its messages bear now.
    pub(crate) now: u64,
}

impl Solo {
    pub(crate) fn new(config: Config, restored: Restored) -> Self {
        Self { node: start(config, restored, 1), applied: Vec::new(), now: 0 }
    }

    /// Everything that it has to say, with each write durable immediately.
    pub(crate) fn take(&mut self) -> Vec<Message> {
        let mut messages = Vec::new();
        while self.node.has_ready() {
            let ready = self.node.ready();
            messages.extend(ready.messages);
            self.applied.extend(ready.committed);
            if let Some(persist) = ready.persist {
                messages.extend(persist.messages);
                self.node.on_persisted(persist.mark);
            }
        }
        messages
    }

    /// Lets a message in and returns the answers.
    pub(crate) fn tell(&mut self, from: PeerId, term: Term, body: Body) -> Vec<Message> {
        let to = self.node.id();
        self.node.step(Message { from, to, term, body }).unwrap();
        self.take()
    }

    pub(crate) fn tick(&mut self, ticks: u32) -> Vec<Message> {
        let mut messages = Vec::new();
        for _ in 0..ticks {
            self.node.tick();
            self.now += 1;
            messages.extend(self.take());
        }
        messages
    }

    /// Ticks until the election timer fires.
    pub(crate) fn time_out(&mut self) -> Vec<Message> {
        let status = self.node.status();
        self.tick(status.election_timeout - status.election_elapsed)
    }

    /// Makes it leader of the next term with everybody's votes, and returns the appends with which it begins.
    pub(crate) fn win(&mut self) -> Vec<Message> {
        self.time_out();
        let term = self.node.term();
        let others: Vec<PeerId> = self.others();
        let mut messages = Vec::new();
        for from in others {
            if self.node.role() == Role::Candidate {
                messages = self.tell(from, term, vote_reply(term, true));
            }
        }
        assert_eq!(self.node.role(), Role::Leader);
        messages
    }

    pub(crate) fn others(&self) -> Vec<PeerId> {
        let id = self.node.id();
        let voters = self.node.config().voters.iter().copied();
        voters.filter(|&voter| voter != id).collect()
    }
}

pub(crate) fn vote(last_term: Term, last_index: Index) -> Body {
    Body::Vote { last_index, last_term }
}

pub(crate) fn pre_vote(last_term: Term, last_index: Index) -> Body {
    Body::PreVote { last_index, last_term }
}

pub(crate) fn vote_reply(campaign_term: Term, granted: bool) -> Body {
    Body::VoteReply { granted, campaign_term }
}

pub(crate) fn append(prev: (Term, Index), entries: Vec<Entry>, commit: Index) -> Body {
    Body::Append { prev_index: prev.1, prev_term: prev.0, entries, commit, round: 0 }
}

pub(crate) fn heartbeat(commit: Index) -> Body {
    Body::Heartbeat { commit, round: 0 }
}

pub(crate) fn accepted(index: Index, round: u64) -> Body {
    Body::AppendReply { outcome: AppendOutcome::Accepted { index }, round }
}

pub(crate) fn rejected(prev_index: Index, hint: (Term, Index), round: u64) -> Body {
    Body::AppendReply {
        outcome: AppendOutcome::Rejected { prev_index, hint_index: hint.1, hint_term: hint.0 },
        round,
    }
}

/// Whether the only answer grants a (pre-)vote.
pub(crate) fn grants(messages: &[Message]) -> bool {
    match messages {
        [message] => match message.body {
            Body::VoteReply { granted, .. } | Body::PreVoteReply { granted, .. } => granted,
            _ => panic!("{message:?} is no answer to a vote"),
        },
        _ => panic!("one answer expected: {messages:?}"),
    }
}

/// The only answer's outcome.
pub(crate) fn outcome(messages: &[Message]) -> AppendOutcome {
    match messages {
        [Message { body: Body::AppendReply { outcome, .. }, .. }] => *outcome,
        _ => panic!("one answer to an append expected: {messages:?}"),
    }
}
