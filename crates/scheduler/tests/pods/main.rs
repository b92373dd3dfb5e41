//! Pods on GPU nodes: cases by hand, the published placements and curves, properties.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod cases;
mod fragments;
mod golden;
mod openb;
mod properties;
mod traces;
