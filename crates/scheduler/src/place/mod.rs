//! Where a job goes.
//!
//! A rule chooses from candidates: the nodes that could take at least one part of the job now. Whether a job finds room
//! doesn't depend on the rule; only where it goes does.

mod candidate;
mod consecutive;
mod domain;
mod first_fit;
mod greedy;
mod ground;
mod mix;
mod rule;
mod slots;
mod subtree;

#[cfg(test)]
mod cases;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod testing;

pub(crate) use consecutive::{Offer, choose as choose_consecutive};
pub(crate) use first_fit::{densest, first_fit};
pub(crate) use mix::Mix;
pub use rule::PlacementRule;
