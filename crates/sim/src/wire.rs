//! What travels over the network.

use std::sync::Arc;

use switchyard_model::{JobId, NodeId, NodeShare, Outcome, ReplicaId, SimDuration, SimTime};
use switchyard_raft::Term;

use crate::book::{Reply, Request};

/// A message between two endpoints.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Wire {
    /// Between replicas.
    Raft(switchyard_raft::Message),
    /// From the login host: a request.
    Request(Request),
    /// To the login host: what became of request `seq`.
    Reply { seq: u64, reply: Reply },
    /// To the login host or a node: ask someone else.
    NotLeader { leader: Option<ReplicaId> },
    /// From a new leader to every node: report to me.
    Greeting { term: Term },
    /// From a node: I live, and this is what I have.
    Report(Report),
    /// To a node: its report was heard.
    ReportHeard(ReportHeard),
    /// To a node: run your part of this job.
    Launch(LaunchOrder),
    /// To a node: stop your part of this job, and never start it.
    Kill { part: Part },
    /// From a node: that part does not run here and never will again.
    Stopped { node: NodeId, part: Part },
    /// From a node: that part has ended.
    Ended { node: NodeId, part: Part, outcome: Outcome, at: SimTime },
    /// To a node: the end of that part is in the book; forget it.
    EndHeard { part: Part },
}

/// The order to run a part of a job.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LaunchOrder {
    pub part: Part,
    /// The life of the node that the order is for; an agent in another life ignores it.
    pub incarnation: u32,
    pub share: NodeShare,
    pub limit: SimDuration,
}

/// One attempt of a job, as a node knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Part {
    pub job: JobId,
    pub attempt: u32,
}

/// What a leader answers to a report.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ReportHeard {
    /// Of the report.
    pub incarnation: u32,
    /// Of the report: a granted lease counts from here.
    pub sent_at: SimTime,
    pub verdict: Verdict,
    /// Ended parts that the node may forget.
    pub acknowledged: Vec<Part>,
}

/// Whether a node may go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It has a lease.
    Granted,
    /// Its new life is not in the book yet.
    Wait,
    /// The book holds this life for over: its last lease has ended.
    Over,
}

/// What a node tells the leader.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Report {
    pub node: NodeId,
    pub incarnation: u32,
    /// By the node's clock, at sending: a lease counts from here, so that a slow answer never stretches it.
    pub sent_at: SimTime,
    pub running: Arc<[Part]>,
    /// Ended parts whose end the leader has not confirmed yet.
    pub ended: Arc<[(Part, Outcome, SimTime)]>,
}

/// What kind of message is on its way: what an onlooker can tell from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageKind {
    /// Log entries, with how many.
    Append(u32),
    /// A leader's sign of life.
    Heartbeat,
    /// Answer of a follower.
    Answer,
    /// Asking for a vote, or for the promise of one.
    VoteRequest,
    /// A vote, or its refusal.
    Vote,
    /// A client's request.
    Request,
    /// An answer to a client.
    Reply,
    /// A node's report.
    Report,
    /// An answer to a report: a lease.
    Lease,
    /// A start order.
    Launch,
    /// A stop order, or its confirmation.
    Stop,
    /// The end of a job's part.
    Ended,
    /// Anything else that keeps the parts acquainted.
    Notice,
}

impl Wire {
    pub(crate) fn kind(&self) -> MessageKind {
        use switchyard_raft::Body;
        match self {
            Wire::Raft(message) => match &message.body {
                Body::Append { entries, .. } => {
                    MessageKind::Append(u32::try_from(entries.len()).unwrap_or(u32::MAX))
                }
                Body::Heartbeat { .. } => MessageKind::Heartbeat,
                Body::PreVote { .. } | Body::Vote { .. } => MessageKind::VoteRequest,
                Body::PreVoteReply { .. } | Body::VoteReply { .. } => MessageKind::Vote,
                Body::AppendReply { .. } | Body::HeartbeatReply { .. } => MessageKind::Answer,
            },
            Wire::Request(_) => MessageKind::Request,
            Wire::Reply { .. } => MessageKind::Reply,
            Wire::NotLeader { .. } | Wire::Greeting { .. } | Wire::EndHeard { .. } => MessageKind::Notice,
            Wire::Report(_) => MessageKind::Report,
            Wire::ReportHeard(_) => MessageKind::Lease,
            Wire::Launch(_) => MessageKind::Launch,
            Wire::Kill { .. } | Wire::Stopped { .. } => MessageKind::Stop,
            Wire::Ended { .. } => MessageKind::Ended,
        }
    }

    /// What the run's digest takes in of a message beside its ends: enough to tell two runs apart where they part.
    pub(crate) fn fingerprint(&self) -> [u64; 2] {
        let of = |part: &Part| part.job.0 ^ u64::from(part.attempt) << 48;
        match self {
            Wire::Raft(message) => raft_fingerprint(message),
            Wire::Request(request) => [request.seq, 1],
            Wire::Reply { seq, .. } => [*seq, 2],
            Wire::NotLeader { leader } => [leader.map_or(u64::MAX, |leader| leader.0.into()), 3],
            Wire::Greeting { term } => [*term, 4],
            Wire::Report(report) => [report.sent_at.as_micros(), 5 + (report.running.len() as u64) * 16],
            Wire::ReportHeard(heard) => [heard.sent_at.as_micros(), 6 + heard.verdict as u64 * 16],
            Wire::Launch(order) => [of(&order.part), 7],
            Wire::Kill { part } => [of(part), 8],
            Wire::Stopped { part, .. } => [of(part), 9],
            Wire::Ended { part, at, .. } => [of(part), 10 + (at.as_micros() << 4)],
            Wire::EndHeard { part } => [of(part), 11],
        }
    }
}

/// Term, kind, and the place in the log or the answer that a Raft message speaks of.
fn raft_fingerprint(message: &switchyard_raft::Message) -> [u64; 2] {
    use switchyard_raft::{AppendOutcome, Body};
    let (kind, about) = match &message.body {
        Body::PreVote { last_index, .. } => (1, *last_index),
        Body::PreVoteReply { granted, .. } => (2, u64::from(*granted)),
        Body::Vote { last_index, .. } => (3, *last_index),
        Body::VoteReply { granted, .. } => (4, u64::from(*granted)),
        Body::Append { prev_index, entries, commit, .. } => {
            (5, (prev_index + entries.len() as u64) ^ (commit << 28))
        }
        Body::AppendReply { outcome: AppendOutcome::Accepted { index }, .. } => (6, *index),
        Body::AppendReply { outcome: AppendOutcome::Rejected { hint_index, .. }, .. } => (7, *hint_index),
        Body::Heartbeat { commit, .. } => (8, *commit),
        Body::HeartbeatReply { round } => (9, *round),
    };
    [message.term, (about << 4) ^ (kind << 60)]
}
