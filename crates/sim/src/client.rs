//! The login host: users submit from here, the operator gives orders from here, one request at a time.
//!
//! A request is repeated, elsewhere if need be, until it is answered. Its number makes the repetition harmless.

use std::collections::VecDeque;

use switchyard_model::{ReplicaId, SimDuration};

use crate::book::{Op, Reply, Request};
use crate::ground::{Ground, Happening};
use crate::net::Endpoint;
use crate::wire::Wire;

/// The session that all requests of the login host belong to.
const SESSION: u64 = 1;

/// The login host.
#[derive(Clone, Debug)]
pub struct Login {
    waiting: VecDeque<Op>,
    asking: Option<Request>,
    tries: u32,
    next_seq: u64,
    leader: ReplicaId,
    replicas: u32,
    refused: u32,
}

impl Login {
    pub(crate) const fn new(replicas: u32) -> Self {
        Login {
            waiting: VecDeque::new(),
            asking: None,
            tries: 0,
            next_seq: 1,
            leader: ReplicaId(0),
            replicas,
            refused: 0,
        }
    }

    /// Requests that are not answered yet.
    pub fn unanswered(&self) -> usize {
        self.waiting.len() + usize::from(self.asking.is_some())
    }

    /// What is asked for and not answered yet, in the order of asking.
    pub fn asked(&self) -> impl Iterator<Item = &Op> {
        self.asking.iter().map(|request| &request.op).chain(&self.waiting)
    }

    /// Requests that were answered with a refusal (a job number that exists already).
    pub const fn refused(&self) -> u32 {
        self.refused
    }

    pub(crate) fn ask(&mut self, op: Op, ground: &mut Ground) {
        self.waiting.push_back(op);
        self.ask_next(ground);
    }

    fn ask_next(&mut self, ground: &mut Ground) {
        if self.asking.is_some() {
            return;
        }
        let Some(op) = self.waiting.pop_front() else { return };
        self.asking = Some(Request { session: SESSION, seq: self.next_seq, op });
        self.next_seq += 1;
        self.tries = 0;
        self.send(ground);
    }

    fn send(&mut self, ground: &mut Ground) {
        let Some(request) = &self.asking else { return };
        self.tries += 1;
        let seq = request.seq;
        let to = Endpoint::Replica(self.leader);
        ground.send(Endpoint::Login, to, Wire::Request(request.clone()));
        let patience = SimDuration::from_micros(ground.timing.client_retry_micros);
        ground.after(patience, Happening::Retry { seq, tries: self.tries });
    }

    pub(crate) fn retry(&mut self, seq: u64, tries: u32, ground: &mut Ground) {
        let same = self.asking.as_ref().is_some_and(|request| request.seq == seq) && self.tries == tries;
        if same {
            self.leader = ReplicaId((self.leader.0 + 1) % self.replicas.max(1));
            self.send(ground);
        }
    }

    pub(crate) fn receive(&mut self, from: Endpoint, wire: Wire, ground: &mut Ground) {
        match (wire, from) {
            (Wire::Reply { seq, reply }, _) => {
                let Some(request) = self.asking.take_if(|request| request.seq == seq) else { return };
                match (reply, request.op) {
                    (Reply::Accepted, Op::Submit(spec)) => ground.judge.promised(spec.id),
                    (Reply::Accepted, Op::SetBackfill(_) | Op::SetPolicy(_)) => {}
                    (Reply::DuplicateJob | Reply::NoSuchPolicy, _) => self.refused += 1,
                }
                self.ask_next(ground);
            }
            (Wire::NotLeader { leader: Some(leader) }, Endpoint::Replica(asked))
                if asked == self.leader && leader != asked =>
            {
                self.leader = leader;
                self.send(ground);
            }
            _ => {}
        }
    }
}
