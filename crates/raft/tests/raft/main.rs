//! Tests of the consensus core from outside, through its public face only.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod harness;

mod durability;
mod elections;
mod hostile;
mod lease;
mod paper;
mod replication;
mod search;
mod single;
