//! Classic fair shares: who used less than their share goes first.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::Usage;

/// The fair-share factor of each account.
///
/// Classic formula of Slurm: F = 2^(-U/S), where S is the account's part of all shares and U its part of all usage. Without
/// any usage F is 1 for everyone; without shares it is 0; an account that used exactly its share has 0.5.
///
/// An account without an entry in `shares` has one share. Only accounts that are listed or have been seen count.
pub(crate) fn classic(shares: &BTreeMap<Arc<str>, u32>, usage: &Usage) -> BTreeMap<Arc<str>, f64> {
    let mut parts: BTreeMap<Arc<str>, (u32, f64)> =
        shares.iter().map(|(account, &shares)| (Arc::clone(account), (shares, 0.0))).collect();
    for (account, used) in usage.accounts() {
        parts.entry(Arc::clone(account)).or_insert((1, 0.0)).1 = used;
    }
    let all_shares: u64 = parts.values().map(|&(shares, _)| u64::from(shares)).sum();
    let all_used = usage.total();
    let factor = |(shares, used): (u32, f64)| {
        if shares == 0 {
            0.0
        } else if all_used > 0.0 {
            let share = f64::from(shares) / all_shares as f64;
            libm::exp2(-(used / all_used / share))
        } else {
            1.0
        }
    };
    parts.into_iter().map(|(account, part)| (account, factor(part))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use switchyard_model::{SimDuration, SimTime};

    fn factors(shares: &[(&str, u32)], used: &[(&str, f64)]) -> Vec<f64> {
        let mut usage = Usage::new(SimDuration::ZERO);
        used.iter().for_each(|&(account, amount)| usage.charge(&account.into(), amount, SimTime::ZERO));
        let shares = shares.iter().map(|&(account, shares)| (account.into(), shares)).collect();
        classic(&shares, &usage).into_values().collect()
    }

    /// The cases of the formula's description: no usage, exactly the share, more, less, no shares.
    #[test]
    fn the_factor_follows_the_classic_formula() {
        assert_eq!(factors(&[("a", 1), ("b", 1)], &[]), [1.0, 1.0]);
        assert_eq!(factors(&[("a", 1), ("b", 3)], &[("a", 10.0), ("b", 30.0)]), [0.5, 0.5]);
        assert_eq!(factors(&[("a", 1), ("b", 1)], &[("a", 10.0)]), [0.25, 1.0]);
        assert_eq!(factors(&[("a", 0), ("b", 1)], &[("b", 10.0)]), [0.0, 0.5]);
    }

    #[test]
    fn an_account_that_is_not_listed_has_one_share() {
        assert_eq!(factors(&[("a", 1)], &[("a", 10.0), ("guest", 10.0)]), [0.5, 0.5]);
        assert_eq!(factors(&[], &[("a", 10.0), ("b", 0.0)]), [0.25, 1.0]);
    }
}
