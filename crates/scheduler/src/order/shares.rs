//! Who shares the cluster with whom: accounts under accounts, users under accounts, each with shares and usage.

use std::collections::BTreeMap;
use std::sync::Arc;

use switchyard_model::Site;

use crate::Usage;

/// The place of an account or a user in the tree.
pub(super) type Place = usize;

/// An account or a user of an account.
#[derive(Clone, Debug)]
pub(super) struct Member {
    /// Where its parent is, always before its own place. The root is its own parent.
    pub(super) parent: Place,
    pub(super) children: Vec<Place>,
    pub(super) shares: u32,
    /// What it and all below it have used.
    pub(super) used: f64,
    /// Its fair-share factor.
    pub(super) factor: f64,
}

impl Member {
    const fn new(parent: Place, shares: u32) -> Member {
        // Nobody knows anything against a newcomer.
        Member { parent, children: Vec::new(), shares, used: 0.0, factor: 1.0 }
    }
}

/// The tree of those who share. Who can have jobs is a leaf of it: a user of an account, or an account without users and
/// accounts below it.
#[derive(Clone, Debug)]
pub(super) struct Shares {
    /// The root first, parents before their children.
    pub(super) members: Vec<Member>,
    accounts: BTreeMap<Arc<str>, Place>,
    users: BTreeMap<Place, BTreeMap<Arc<str>, Place>>,
    /// The leaves of those who are on the books, in the order of the books.
    on_the_books: Vec<Place>,
}

pub(super) const ROOT: Place = 0;

impl Shares {
    /// The accounts of `listed` right under the root, and what `site` says; where both speak of an account, the site counts.
    pub(super) fn new(listed: &BTreeMap<Arc<str>, u32>, site: &Site) -> Shares {
        let mut tree = Shares {
            members: vec![Member::new(ROOT, 1)],
            accounts: BTreeMap::new(),
            users: BTreeMap::new(),
            on_the_books: Vec::new(),
        };
        let mut accounts: BTreeMap<&Arc<str>, (Option<&Arc<str>>, u32)> =
            listed.iter().map(|(account, &shares)| (account, (None, shares))).collect();
        let of_accounts = site.associations.iter().filter(|association| association.user.is_none());
        accounts.extend(of_accounts.map(|one| (&one.account, (one.parent.as_ref(), one.shares))));
        tree.add_accounts(accounts);
        for one in &site.associations {
            if let Some(user) = &one.user {
                let account = tree.account(&one.account);
                tree.add_user(account, user, one.shares);
            }
        }
        tree
    }

    /// Parents first. A parent that isn't listed is the root, and so is one that is below its own child.
    fn add_accounts(&mut self, mut waiting: BTreeMap<&Arc<str>, (Option<&Arc<str>>, u32)>) {
        while !waiting.is_empty() {
            let before = waiting.len();
            let names: Vec<&Arc<str>> = waiting.keys().copied().collect();
            for name in names {
                let Some(&(parent, shares)) = waiting.get(name) else { continue };
                let above = parent.filter(|parent| *parent != name && waiting.contains_key(*parent));
                if above.is_none() {
                    let parent = parent.and_then(|parent| self.accounts.get(parent)).copied();
                    self.add_account(name, parent.unwrap_or(ROOT), shares);
                    waiting.remove(name);
                }
            }
            if waiting.len() == before
                && let Some((name, (_, shares))) = waiting.pop_first()
            {
                self.add_account(name, ROOT, shares);
            }
        }
    }

    fn add_account(&mut self, name: &Arc<str>, parent: Place, shares: u32) -> Place {
        let place = self.add(parent, shares);
        self.accounts.insert(Arc::clone(name), place);
        place
    }

    fn add_user(&mut self, account: Place, name: &Arc<str>, shares: u32) -> Place {
        let place = self.add(account, shares);
        self.users.entry(account).or_default().insert(Arc::clone(name), place);
        place
    }

    fn add(&mut self, parent: Place, shares: u32) -> Place {
        let place = self.members.len();
        self.members.push(Member::new(parent, shares));
        if let Some(parent) = self.members.get_mut(parent) {
            parent.children.push(place);
        }
        place
    }

    /// Where an account is; one that isn't there yet gets one share under the root.
    fn account(&mut self, name: &Arc<str>) -> Place {
        match self.accounts.get(name) {
            Some(&place) => place,
            None => self.add_account(name, ROOT, 1),
        }
    }

    /// The leaf that has the jobs of a user; one that isn't there yet gets one share.
    pub(super) fn know(&mut self, account: &Arc<str>, user: &Arc<str>) -> Place {
        let account = self.account(account);
        if self.members.get(account).is_none_or(|account| account.children.is_empty()) {
            return account;
        }
        match self.users.get(&account).and_then(|users| users.get(user)) {
            Some(&place) => place,
            None => self.add_user(account, user, 1),
        }
    }

    /// The fair-share factor of a user's jobs.
    pub(super) fn factor(&self, account: &str, user: &str) -> f64 {
        let Some(&account) = self.accounts.get(account) else { return 1.0 };
        let user = self.users.get(&account).and_then(|users| users.get(user)).copied();
        self.members.get(user.unwrap_or(account)).map_or(1.0, |member| member.factor)
    }

    /// Takes over what everyone has used.
    pub(super) fn settle(&mut self, usage: &Usage) {
        self.members.iter_mut().for_each(|member| member.used = 0.0);
        // Nobody is ever taken off the books.
        if self.on_the_books.len() != usage.users().count() {
            self.on_the_books = usage.users().map(|(account, user, _)| self.know(account, user)).collect();
        }
        for (place, (_, _, used)) in self.on_the_books.iter().zip(usage.users()) {
            if let Some(member) = self.members.get_mut(*place) {
                member.used += used;
            }
        }
        for place in (ROOT + 1..self.members.len()).rev() {
            let Some(&Member { parent, used, .. }) = self.members.get(place) else { continue };
            if let Some(parent) = self.members.get_mut(parent) {
                parent.used += used;
            }
        }
    }

    /// Shares of a member over those of it and its siblings.
    pub(super) fn normal_shares(&self) -> Vec<f64> {
        let mut sums = vec![0_u64; self.members.len()];
        for member in self.members.iter().skip(1) {
            if let Some(sum) = sums.get_mut(member.parent) {
                *sum += u64::from(member.shares);
            }
        }
        let normal = |member: &Member| match sums.get(member.parent) {
            Some(&sum) if sum > 0 => f64::from(member.shares) / sum as f64,
            _ => 0.0,
        };
        let mut normal: Vec<f64> = self.members.iter().map(normal).collect();
        if let Some(root) = normal.first_mut() {
            *root = 1.0;
        }
        normal
    }
}
