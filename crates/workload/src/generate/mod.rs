//! Workloads made by a program instead of recorded.
//!
//! Generators that reproduce published figures draw from the generator behind those figures ([`mersenne`]); nothing else
//! does.

mod lab;
mod mersenne;

pub use lab::seed_lab_v01;
