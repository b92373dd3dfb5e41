//! What each account and user has used, fading with time: the ledger behind fair shares.

use std::collections::BTreeMap;
use std::sync::Arc;

use switchyard_model::{SimDuration, SimTime};

/// CPU-seconds per account and user. All amounts halve in each half-life, so old use is forgiven.
///
/// Only the driver charges: it alone may know how long a job ran (or, for the seed lab's first version, will run).
#[derive(Clone, Debug)]
pub struct Usage {
    half_life: SimDuration,
    as_of: SimTime,
    by_account: BTreeMap<Arc<str>, BTreeMap<Arc<str>, f64>>,
}

impl Usage {
    /// An empty ledger.
    pub(crate) fn new(half_life: SimDuration) -> Self {
        Usage { half_life, as_of: SimTime::ZERO, by_account: BTreeMap::new() }
    }

    /// Puts a user of `account` on the books, so that both count among those who share.
    pub(crate) fn know(&mut self, account: &Arc<str>, user: &Arc<str>) {
        *self.entry(account, user) += 0.0;
    }

    /// Adds `cpu_seconds` used at `now`.
    pub(crate) fn charge(&mut self, account: &Arc<str>, user: &Arc<str>, cpu_seconds: f64, now: SimTime) {
        self.fade(now);
        self.add(account, user, cpu_seconds);
    }

    /// Adds `cpu_seconds` as they count at the moment as of which the ledger stands.
    pub(crate) fn add(&mut self, account: &Arc<str>, user: &Arc<str>, cpu_seconds: f64) {
        *self.entry(account, user) += cpu_seconds;
    }

    /// Lets all amounts fade until `now`.
    pub(crate) fn fade(&mut self, now: SimTime) {
        let left = self.left_after(now.since(self.as_of));
        self.as_of = self.as_of.max(now);
        self.amounts().for_each(|used| *used *= left);
    }

    /// Forgets all amounts, but not who is on the books.
    pub(crate) fn reset(&mut self) {
        self.amounts().for_each(|used| *used = 0.0);
    }

    /// The part of an amount that is left after `passed`.
    pub(crate) fn left_after(&self, passed: SimDuration) -> f64 {
        if passed.is_zero() || self.half_life.is_zero() {
            return 1.0;
        }
        libm::exp2(-(passed.as_secs_f64() / self.half_life.as_secs_f64()))
    }

    /// The accounts with their CPU-seconds, as they stood at the last charge. Fading touches all alike, so that shares of
    /// the whole stay right between charges.
    pub fn accounts(&self) -> impl Iterator<Item = (&Arc<str>, f64)> {
        self.by_account.iter().map(|(account, users)| (account, users.values().sum()))
    }

    /// The same for each user of each account: account, user, CPU-seconds.
    pub fn users(&self) -> impl Iterator<Item = (&Arc<str>, &Arc<str>, f64)> {
        self.by_account
            .iter()
            .flat_map(|(account, users)| users.iter().map(move |(user, &used)| (account, user, used)))
    }

    /// The sum over all accounts, as it stood at the last charge.
    pub fn total(&self) -> f64 {
        self.accounts().map(|(_, used)| used).sum()
    }

    /// In how much time an amount halves.
    pub const fn half_life(&self) -> SimDuration {
        self.half_life
    }

    pub(crate) const fn set_half_life(&mut self, half_life: SimDuration) {
        self.half_life = half_life;
    }

    fn entry(&mut self, account: &Arc<str>, user: &Arc<str>) -> &mut f64 {
        self.by_account.entry(Arc::clone(account)).or_default().entry(Arc::clone(user)).or_default()
    }

    fn amounts(&mut self) -> impl Iterator<Item = &mut f64> {
        self.by_account.values_mut().flat_map(BTreeMap::values_mut)
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
        usage.charge(&"a".into(), &"ada".into(), 80.0, SimTime::from_secs(0));
        usage.charge(&"b".into(), &"bob".into(), 10.0, SimTime::from_secs(200));
        assert!((used(&usage, "a") - 20.0).abs() < 1e-12);
        assert!((usage.total() - 30.0).abs() < 1e-12);
    }

    #[test]
    fn without_a_half_life_nothing_fades_and_a_known_account_has_used_nothing() {
        let mut usage = Usage::new(SimDuration::ZERO);
        usage.know(&"idle".into(), &"ida".into());
        usage.charge(&"a".into(), &"ada".into(), 80.0, SimTime::from_secs(0));
        usage.charge(&"a".into(), &"eve".into(), 1.0, SimTime::from_secs(1_000_000));
        assert!((used(&usage, "a") - 81.0).abs() < 1e-12);
        assert!(used(&usage, "idle").abs() < 1e-12);
        usage.reset();
        assert!(usage.total().abs() < 1e-12);
        assert_eq!((usage.accounts().count(), usage.users().count()), (2, 3));
    }
}
