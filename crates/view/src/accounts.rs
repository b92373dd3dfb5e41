//! The accounts of a run by name, each with the number that gives its colour.

use std::collections::BTreeSet;
use std::sync::Arc;

use switchyard_model::Job;

/// Accounts with a colour of their own; the ninth and later ones share them.
pub const COLOURS: usize = 8;

/// All accounts of a workload, by name. The order never changes in a run, so a colour stays with its account.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Accounts {
    names: Vec<Arc<str>>,
}

impl Accounts {
    /// The accounts that occur in these jobs.
    pub fn of(jobs: &[Job]) -> Self {
        let names: BTreeSet<&Arc<str>> = jobs.iter().map(|job| &job.spec.account).collect();
        Accounts { names: names.into_iter().cloned().collect() }
    }

    /// The account's number. Numbers start again at 0 after 255; an account that is not of this run has 0.
    pub fn number(&self, account: &str) -> u8 {
        let place = self.names.binary_search_by(|name| (**name).cmp(account)).unwrap_or(0);
        (place % 256) as u8
    }

    /// All names, by number.
    pub fn names(&self) -> &[Arc<str>] {
        &self.names
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::job;

    #[test]
    fn numbers_follow_the_names_and_not_the_jobs() {
        let jobs = [job(1, "vision", 0, 60, 1), job(2, "climate", 5, 60, 1), job(3, "vision", 9, 60, 1)];
        let accounts = Accounts::of(&jobs);
        assert_eq!((accounts.number("climate"), accounts.number("vision")), (0, 1));
        assert_eq!(accounts.names().len(), 2);
    }
}
