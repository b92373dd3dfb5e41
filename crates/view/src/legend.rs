//! What the colours and marks of the picture mean.

use std::sync::Arc;

use crate::accounts::{Accounts, COLOURS};
use crate::mark::Mark;

/// The legend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LegendView {
    /// Accounts with the numbers that give their colours; at most as many as there are colours.
    pub accounts: Vec<(u8, Arc<str>)>,
    /// How many more accounts there are, which share those colours.
    pub more: usize,
}

impl LegendView {
    /// The legend of a run.
    pub fn of(accounts: &Accounts) -> Self {
        let shown = accounts.names().iter().take(COLOURS).enumerate();
        LegendView {
            accounts: shown.map(|(number, name)| (number as u8, Arc::clone(name))).collect(),
            more: accounts.names().len().saturating_sub(COLOURS),
        }
    }
}

/// The marks, for the help page.
pub const MARKS: [(Mark, &str); 8] = [
    (Mark::Crown, "leader"),
    (Mark::Suspect, "suspect: silent, but its lease may still run"),
    (Mark::Fence, "fenced: stopped its jobs itself"),
    (Mark::Cross, "down: nothing runs there"),
    (Mark::Cut, "cut in the network"),
    (Mark::Election, "election"),
    (Mark::Backfilled, "started past a job that waits before it"),
    (Mark::Switch, "a switch was thrown"),
];
