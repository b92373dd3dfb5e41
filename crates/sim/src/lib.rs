//! The deterministic world that joins scheduler, consensus, network, disks and machines.
//!
//! [`World::new`] sets it up from a [`Scenario`], [`World::run_until`] moves time, [`World::apply`] does something to
//! it, and everything else looks. The same scenario, seed and interventions give the same [`World::digest`] on every
//! platform, however the time was cut into steps.

mod agent;
mod book;
mod check;
mod client;
mod command;
mod control;
mod disk;
mod event;
mod event_queue;
mod ground;
mod net;
mod policies;
mod record;
mod scenario;
mod timing;
mod wire;
mod world;

pub use agent::{Agent, RunningPart};
pub use book::{
    Applied, Book, Entry, Evidence, JobRecord, JobState, NodeRecord, NodeState, Op, Reply, Request,
};
pub use check::{Invariant, Violation};
pub use client::Login;
pub use command::{Command, Intervention, Refusal};
pub use control::{Lead, Replica};
pub use disk::Disk;
pub use event::{Event, Record};
pub use ground::{Flight, Loss};
pub use net::{Endpoint, Network};
pub use policies::{Policies, PolicyProblem, Setting};
pub use record::{Counts, Sample};
pub use scenario::{SCENARIO_VERSION, Scenario, ScenarioError, WorkloadSource};
pub use timing::Timing;
pub use wire::MessageKind;
pub use world::{Progress, World};
