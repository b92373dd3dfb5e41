//! A Raft consensus core without clock, disk or network.
//!
//! Replicas agree on one log of commands, as long as a majority of them lives and can talk. [`RawNode`] is one
//! replica: a pure state machine. Its driver gives it ticks, messages and proposals, and carries out what it hands back
//! in [`Ready`]. The same inputs and the same random generator always give the same outputs.
//!
//! # The driver's duties
//!
//! 1. Call [`RawNode::tick`] at a steady pace, [`RawNode::step`] for each message, [`RawNode::propose`] for each command.
//! 2. While [`RawNode::has_ready`], take [`RawNode::ready`] and
//!    - send [`Ready::messages`], at once;
//!    - write [`Ready::persist`] in the order of the marks, each one all or nothing. When a write is durable, send
//!      [`Persist::messages`] and call [`RawNode::on_persisted`]. Further writes may be handed over meanwhile;
//!    - apply [`Ready::committed`] to the state machine, in order.
//! 3. After a crash, start a new [`RawNode`] with what is durable ([`Restored`]) and an empty state machine.
//!    Completions of writes from before the crash are not for the new one.
//!
//! Messages may be lost, repeated, delayed and reordered at will. The disk may lose what wasn't acknowledged; it may not lose
//! anything else.
//!
//! # Messages
//!
//! | message | from | answered with | leaves |
//! |---|---|---|---|
//! | [`Body::PreVote`] | pre-candidate | [`Body::PreVoteReply`] | once the term is durable |
//! | [`Body::Vote`] | candidate | [`Body::VoteReply`] | once term and own vote are durable |
//! | [`Body::VoteReply`] | anyone | | a grant once the vote is durable |
//! | [`Body::Append`] | leader | [`Body::AppendReply`] | at once; may overlap the leader's own write |
//! | [`Body::AppendReply`] | follower | | an acceptance once the entries are durable |
//! | [`Body::Heartbeat`] | leader | [`Body::HeartbeatReply`] | at once |
//!
//! The header's term is always the sender's own term, durable before the message leaves. A higher term is adopted from every
//! message except a pre-vote, and except a vote that is refused out of loyalty.
//!
//! # Elections and loyalty
//!
//! A replica whose timer fires asks first ([`Config::pre_vote`]), without raising its term. With [`Config::check_quorum`] a replica
//! that heard from a leader less than `election_ticks` ago refuses both kinds of votes, in whatever term they are asked,
//! unless it is that leader who asks (then it has stepped down); and a leader that has heard no quorum for
//! `election_ticks` steps down and falls silent. Loyalty is what makes [`Status::quorum_contact`] a lease, so it must survive
//! a restart: a replica that has ever seen a term refuses votes during its first `election_ticks`, since it forgets whom it heard.
//! The only voter of a group asks nobody, so it never waits for this.

mod config;
mod error;
mod message;
mod raw_node;
mod ready;
mod status;

mod candidate;
mod follower;
mod leader;
mod machine;
mod replicate;

mod inflight;
mod log;
mod outbox;
mod progress;
mod quorum;
mod unstable;

pub use config::{Config, ConfigError};
pub use error::{NewError, ProposeError, StepError};
pub use log::Log;
pub use message::{AppendOutcome, Body, Entry, Index, Message, PeerId, Term};
pub use progress::Pace;
pub use raw_node::RawNode;
pub use ready::{HardState, Persist, PersistMark, Ready, Restored};
pub use status::{PeerStatus, Role, Status};
