//! Fair shares: who used less than their share goes first.

use std::cmp::Ordering;

use super::shares::{Member, Place, ROOT, Shares};
use super::{FairShare, Multifactor};

/// Gives all who share their factor, from what they have used.
pub(super) fn assess(rule: FairShare, shares: &mut Shares) {
    match rule {
        FairShare::Classic => classic(shares),
        FairShare::FairTree => FairTree::new(shares).rank(),
    }
}

/// Slurm's classic formula: F = 2^(-U/S).
///
/// S is the part of all shares: the product of the normalised shares from the root down. U is the part of all usage; below an
/// account, U = A + (U of the account - A)·s, where A is the member's own part and s its shares among its siblings, so that
/// siblings of a heavy user pay, too.
fn classic(shares: &mut Shares) {
    let normal = shares.normal_shares();
    let all = shares.members.first().map_or(0.0, |root| root.used);
    // S and U of each member.
    let mut parts: Vec<(f64, f64)> = Vec::with_capacity(normal.len());
    for (place, (member, among_siblings)) in shares.members.iter_mut().zip(normal).enumerate() {
        let above = parts.get(member.parent).copied().unwrap_or((1.0, 1.0));
        let own = if all > 0.0 { member.used / all } else { 0.0 };
        let (share, used) = match (place, member.parent) {
            (ROOT, _) => (1.0, own),
            (_, ROOT) => (among_siblings, own),
            _ => (above.0 * among_siblings, own + (above.1 - own) * among_siblings),
        };
        parts.push((share, used));
        member.factor = if share > 0.0 { libm::exp2(-(used / share)) } else { 0.0 };
    }
}

/// Slurm's Fair Tree: an order of all users, from the top of the tree down.
struct FairTree<'a> {
    shares: &'a mut Shares,
    /// S/U of each member among its siblings.
    levels: Vec<f64>,
}

/// Siblings on their way to a rank, the best first.
struct Siblings {
    sorted: Vec<Place>,
    /// How many of them are done.
    done: usize,
    /// The first of them shares its rank with the one that got the last.
    tied: bool,
}

impl<'a> FairTree<'a> {
    fn new(shares: &'a mut Shares) -> Self {
        let normal = shares.normal_shares();
        let level = |(member, share): (&Member, f64)| {
            let all = shares.members.get(member.parent).map_or(0.0, |parent| parent.used);
            if share <= 0.0 {
                0.0
            } else if member.used > 0.0 {
                share / (member.used / all)
            } else {
                f64::INFINITY
            }
        };
        let levels = shares.members.iter().zip(normal).map(level).collect();
        FairTree { shares, levels }
    }

    fn level(&self, place: Place) -> f64 {
        self.levels.get(place).copied().unwrap_or_default()
    }

    fn is_leaf(&self, place: Place) -> bool {
        self.shares.members.get(place).is_none_or(|member| member.children.is_empty())
    }

    /// Of two that are level, who has jobs comes before who has members.
    fn compare(&self, a: Place, b: Place) -> Ordering {
        self.level(b).total_cmp(&self.level(a)).then(self.is_leaf(b).cmp(&self.is_leaf(a)))
    }

    fn siblings(&self, parents: &[Place], tied: bool) -> Siblings {
        let members = parents.iter().filter_map(|parent| self.shares.members.get(*parent));
        let mut sorted: Vec<Place> = members.flat_map(|parent| &parent.children).copied().collect();
        sorted.sort_by(|a, b| self.compare(*a, *b));
        Siblings { sorted, done: 0, tied }
    }

    /// Users get the ranks from the highest down; those that are level share one, and the next gets the rank of its
    /// position. The members of accounts that are level compete as if they were siblings.
    fn rank(&mut self) {
        let leaves =
            (ROOT + 1..self.shares.members.len()).filter(|place| self.is_leaf(*place)).count() as u32;
        let (mut left, mut rank) = (leaves, leaves);
        let mut stack = vec![self.siblings(&[ROOT], false)];
        while let Some(siblings) = stack.last_mut() {
            let Some(&place) = siblings.sorted.get(siblings.done) else {
                stack.pop();
                continue;
            };
            let before = siblings.done.checked_sub(1).and_then(|before| siblings.sorted.get(before));
            let tied = before.map_or(siblings.tied, |before| self.is_level(*before, place));
            if self.is_leaf(place) {
                siblings.done += 1;
                rank = if tied { rank } else { left };
                left = left.saturating_sub(1);
                if let Some(member) = self.shares.members.get_mut(place) {
                    member.factor = f64::from(rank) / f64::from(leaves);
                }
            } else {
                let rest = siblings.sorted.get(siblings.done..).unwrap_or_default();
                let level = rest.iter().take_while(|other| self.is_level(place, **other));
                let accounts: Vec<Place> = level.copied().collect();
                siblings.done += accounts.len();
                let below = self.siblings(&accounts, tied);
                stack.push(below);
            }
        }
    }

    fn is_level(&self, a: Place, b: Place) -> bool {
        self.level(a).total_cmp(&self.level(b)).is_eq()
    }
}

impl Multifactor {
    /// Whether the factor is taken before usage is brought up to date.
    pub(super) fn trails(&self) -> bool {
        self.fair_share == FairShare::Classic
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::float_cmp)] // exact, by hand
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use super::*;
    use crate::Usage;
    use proptest::prelude::*;
    use switchyard_model::{Association, Limits, SimDuration, Site};

    /// Accounts under the root with shares, and what they used.
    fn flat(rule: FairShare, shares: &[(&str, u32)], used: &[(&str, f64)]) -> Vec<f64> {
        let mut usage = Usage::new(SimDuration::ZERO);
        used.iter().for_each(|&(account, amount)| usage.add(&account.into(), &"".into(), amount));
        let listed: BTreeMap<Arc<str>, u32> =
            shares.iter().map(|&(account, shares)| (account.into(), shares)).collect();
        let mut tree = Shares::new(&listed, &Site::default());
        tree.settle(&usage);
        assess(rule, &mut tree);
        let names: std::collections::BTreeSet<&str> =
            shares.iter().map(|row| row.0).chain(used.iter().map(|row| row.0)).collect();
        names.into_iter().map(|name| tree.factor(name, "")).collect()
    }

    /// The cases of the formula's description: no usage, exactly the share, more, less, no shares.
    #[test]
    fn the_factor_follows_the_classic_formula() {
        let factors = |shares: &[_], used: &[_]| flat(FairShare::Classic, shares, used);
        assert_eq!(factors(&[("a", 1), ("b", 1)], &[]), [1.0, 1.0]);
        assert_eq!(factors(&[("a", 1), ("b", 3)], &[("a", 10.0), ("b", 30.0)]), [0.5, 0.5]);
        assert_eq!(factors(&[("a", 1), ("b", 1)], &[("a", 10.0)]), [0.25, 1.0]);
        assert_eq!(factors(&[("a", 0), ("b", 1)], &[("b", 10.0)]), [0.0, 0.5]);
    }

    #[test]
    fn an_account_that_is_not_listed_has_one_share() {
        let factors = |shares: &[_], used: &[_]| flat(FairShare::Classic, shares, used);
        assert_eq!(factors(&[("a", 1)], &[("a", 10.0), ("guest", 10.0)]), [0.5, 0.5]);
        assert_eq!(factors(&[], &[("a", 10.0), ("b", 0.0)]), [0.25, 1.0]);
    }

    #[test]
    fn the_fair_tree_of_one_level_ranks_by_share_over_usage() {
        let factors = |shares: &[_], used: &[_]| flat(FairShare::FairTree, shares, used);
        let three = [("a", 1), ("b", 1), ("c", 1)];
        assert_eq!(factors(&three, &[]), [1.0, 1.0, 1.0]);
        assert_eq!(factors(&three, &[("a", 5.0), ("b", 9.0), ("c", 1.0)]), [2.0 / 3.0, 1.0 / 3.0, 1.0]);
        // Competition ranking: the two that used nothing share the first rank, and the third is third.
        assert_eq!(factors(&three, &[("b", 9.0)]), [1.0, 1.0 / 3.0, 1.0]);
        assert_eq!(factors(&three, &[("a", 1.0), ("b", 9.0), ("c", 9.0)]), [1.0, 2.0 / 3.0, 2.0 / 3.0]);
        // 3/4 of the shares and 2/3 of the usage is better than 1/4 and 1/3; no shares at all is worst.
        assert_eq!(factors(&[("a", 1), ("b", 3)], &[("a", 1.0), ("b", 2.0)]), [0.5, 1.0]);
        assert_eq!(factors(&[("a", 0), ("b", 1)], &[("b", 2.0)]), [0.5, 1.0]);
    }

    fn member(account: &str, user: Option<&str>, parent: Option<&str>, shares: u32) -> Association {
        Association {
            account: account.into(),
            user: user.map(Into::into),
            parent: parent.map(Into::into),
            shares,
            limits: Limits::default(),
        }
    }

    fn tree(rule: FairShare, associations: Vec<Association>, used: &[(&str, &str, f64)]) -> Shares {
        let site = Site { associations, ..Site::default() };
        let mut usage = Usage::new(SimDuration::ZERO);
        used.iter().for_each(|&(account, user, amount)| usage.add(&account.into(), &user.into(), amount));
        let mut tree = Shares::new(&BTreeMap::new(), &site);
        tree.settle(&usage);
        assess(rule, &mut tree);
        tree
    }

    /// Physics with ada and bob, chemistry with cy and dan, half the cluster each.
    fn two_departments() -> Vec<Association> {
        vec![
            member("physics", None, Some("science"), 1),
            member("chemistry", None, Some("science"), 1),
            member("science", None, None, 1),
            member("physics", Some("ada"), None, 1),
            member("physics", Some("bob"), None, 1),
            member("chemistry", Some("cy"), None, 1),
            member("chemistry", Some("dan"), None, 1),
        ]
    }

    const USED: [(&str, &str, f64); 4] = [
        ("physics", "ada", 30.0),
        ("physics", "bob", 40.0),
        ("chemistry", "cy", 5.0),
        ("chemistry", "dan", 25.0),
    ];

    /// Everyone in the department that used less comes before everyone in the other, even dan before ada.
    #[test]
    fn in_the_fair_tree_an_account_decides_before_its_users() {
        let tree = tree(FairShare::FairTree, two_departments(), &USED);
        let factors = [("chemistry", "cy"), ("chemistry", "dan"), ("physics", "ada"), ("physics", "bob")];
        assert_eq!(factors.map(|(account, user)| tree.factor(account, user)), [1.0, 0.75, 0.5, 0.25]);
    }

    /// S = 1/4 for each. U of ada: science has 1, physics 0.7 + (1 - 0.7)/2 = 0.85, ada 0.3 + (0.85 - 0.3)/2 = 0.575.
    #[test]
    fn classic_shares_below_the_root_pay_for_their_siblings() {
        let tree = tree(FairShare::Classic, two_departments(), &USED);
        let factor = |used: f64| libm::exp2(-(used / 0.25));
        for ((account, user), used) in
            [(("physics", "ada"), 0.575), (("physics", "bob"), 0.625), (("chemistry", "cy"), 0.35)]
        {
            assert!((tree.factor(account, user) - factor(used)).abs() < 1e-12, "{user}");
        }
    }

    /// Two departments that used alike: their users compete as if there were one.
    #[test]
    fn users_of_accounts_that_are_level_compete_with_each_other() {
        let used = [
            ("physics", "ada", 10.0),
            ("physics", "bob", 40.0),
            ("chemistry", "cy", 10.0),
            ("chemistry", "dan", 40.0),
        ];
        let tree = tree(FairShare::FairTree, two_departments(), &used);
        let factors = [("physics", "ada"), ("chemistry", "cy"), ("physics", "bob"), ("chemistry", "dan")];
        assert_eq!(factors.map(|(account, user)| tree.factor(account, user)), [1.0, 1.0, 0.5, 0.5]);
    }

    #[test]
    fn who_is_not_listed_gets_one_share_where_they_belong() {
        let tree =
            tree(FairShare::FairTree, two_departments(), &[("physics", "eve", 1.0), ("guests", "gil", 1.0)]);
        // The guests have half the shares and half the usage of the root, and so has science; who has jobs comes first.
        assert_eq!(tree.factor("guests", "gil"), 1.0);
        // Level with gil, as the first of science: chemistry used nothing.
        assert_eq!(tree.factor("chemistry", "cy"), 1.0);
        assert_eq!(tree.factor("physics", "ada"), 3.0 / 6.0);
        assert_eq!(tree.factor("physics", "eve"), 1.0 / 6.0);
    }

    #[test]
    fn accounts_that_are_above_each_other_are_under_the_root() {
        let circle = vec![
            member("a", None, Some("b"), 1),
            member("b", None, Some("a"), 1),
            member("c", None, Some("c"), 1),
        ];
        let tree = tree(FairShare::FairTree, circle, &[("b", "u", 1.0)]);
        assert_eq!(tree.members.len(), 4);
        assert_eq!(tree.factor("c", ""), 1.0);
        assert_eq!(tree.factor("b", ""), 0.5);
    }

    proptest! {
        /// On one level, a rank is one plus the number of those that are worse or level, less the ties above.
        #[test]
        fn competition_ranking(used in prop::collection::vec(0u32..6, 1..20)) {
            let names: Vec<String> = (0..used.len()).map(|n| format!("{n:02}")).collect();
            let rows: Vec<(&str, f64)> = names.iter().map(String::as_str).zip(used.iter().map(|u| f64::from(*u))).collect();
            let factors = flat(FairShare::FairTree, &[], &rows);
            let n = used.len() as f64;
            for (used_here, factor) in used.iter().zip(factors) {
                let better = used.iter().filter(|other| *other < used_here).count() as f64;
                prop_assert!((factor - (n - better) / n).abs() < 1e-12);
            }
        }
    }
}
