//! What each account has used, fading with time: the ledger behind fair shares.

use std::collections::BTreeMap;
use std::sync::Arc;

use switchyard_model::{SimDuration, SimTime};

/// CPU-seconds per account. All amounts halve in each half-life, so old use is forgiven.
///
/// Only the driver charges: it alone may know how long a job ran (or, for the seed lab's first version, will run).
#[derive(Clone, Debug)]
pub struct Usage {
    half_life: SimDuration,
    as_of: SimTime,
    by_account: BTreeMap<Arc<str>, f64>,
}

impl Usage {
    /// An empty ledger.
    pub(crate) fn new(half_life: SimDuration) -> Self {
        Usage { half_life, as_of: SimTime::ZERO, by_account: BTreeMap::new() }
    }

    /// Puts `account` on the books, so that it counts among those who share.
    pub(crate) fn know(&mut self, account: &Arc<str>) {
        if !self.by_account.contains_key(account) {
            self.by_account.insert(Arc::clone(account), 0.0);
        }
    }

    /// Adds `cpu_seconds` used by `account` at `now`.
    pub(crate) fn charge(&mut self, account: &Arc<str>, cpu_seconds: f64, now: SimTime) {
        self.fade(now);
        *self.by_account.entry(Arc::clone(account)).or_default() += cpu_seconds;
    }

    /// The accounts with their CPU-seconds, as they stood at the last charge. Fading touches all alike, so that shares of
    /// the whole stay right between charges.
    pub fn accounts(&self) -> impl Iterator<Item = (&Arc<str>, f64)> {
        self.by_account.iter().map(|(account, &used)| (account, used))
    }

    /// The sum over all accounts, as it stood at the last charge.
    pub fn total(&self) -> f64 {
        self.by_account.values().sum()
    }

    /// In how much time an amount halves.
    pub const fn half_life(&self) -> SimDuration {
        self.half_life
    }

    fn fade(&mut self, now: SimTime) {
        let passed = now.since(self.as_of);
        self.as_of = self.as_of.max(now);
        if passed.is_zero() || self.half_life.is_zero() {
            return;
        }
        let left = libm::exp2(-(passed.as_secs_f64() / self.half_life.as_secs_f64()));
        self.by_account.values_mut().for_each(|used| *used *= left);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used(usage: &Usage, account: &str) -> f64 {
        usage.accounts().find(|(name, _)| &***name == account).map_or(-1.0, |(_, used)| used)
    }

    #[test]
    fn an_amount_halves_in_each_half_life() {
        let mut usage = Usage::new(SimDuration::from_secs(100));
        usage.charge(&"a".into(), 80.0, SimTime::from_secs(0));
        usage.charge(&"b".into(), 10.0, SimTime::from_secs(200));
        assert!((used(&usage, "a") - 20.0).abs() < 1e-12);
        assert!((usage.total() - 30.0).abs() < 1e-12);
    }

    #[test]
    fn without_a_half_life_nothing_fades_and_a_known_account_has_used_nothing() {
        let mut usage = Usage::new(SimDuration::ZERO);
        usage.know(&"idle".into());
        usage.charge(&"a".into(), 80.0, SimTime::from_secs(0));
        usage.charge(&"a".into(), 1.0, SimTime::from_secs(1_000_000));
        assert!((used(&usage, "a") - 81.0).abs() < 1e-12);
        assert!(used(&usage, "idle").abs() < 1e-12);
    }
}
