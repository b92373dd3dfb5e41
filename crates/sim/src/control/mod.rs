//! The control plane: replicas that drive Raft over the simulated network and disks, and the leader among them.

mod lead;
mod replica;

pub use lead::Lead;
pub use replica::Replica;
