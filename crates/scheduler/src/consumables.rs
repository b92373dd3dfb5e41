//! Licences: what a cluster has a number of and no node holds.

/// Some licences of one kind: a place in the site's list of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LicenceNeed {
    pub(crate) kind: usize,
    pub(crate) count: u32,
}

/// How many of each kind there are at some moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Consumables(Vec<u32>);

impl Consumables {
    pub(crate) fn new(counts: impl Iterator<Item = u32>) -> Consumables {
        Consumables(counts.collect())
    }

    /// As many as these ask for.
    pub(crate) fn enough_for(needs: &[LicenceNeed]) -> Consumables {
        let kinds = needs.iter().map(|need| need.kind + 1).max().unwrap_or(0);
        let mut all = Consumables(vec![0; kinds]);
        all.give(needs);
        all
    }

    /// How many of this kind.
    pub(crate) fn of(&self, kind: usize) -> u32 {
        self.0.get(kind).copied().unwrap_or(0)
    }

    /// Whether there is enough of everything.
    pub(crate) fn covers(&self, needs: &[LicenceNeed]) -> bool {
        self.short(needs).is_none()
    }

    /// The first of these of which there is not enough.
    pub(crate) fn short(&self, needs: &[LicenceNeed]) -> Option<LicenceNeed> {
        needs.iter().copied().find(|need| self.of(need.kind) < need.count)
    }

    /// A job takes these.
    pub(crate) fn take(&mut self, needs: &[LicenceNeed]) {
        self.change(needs, u32::saturating_sub);
    }

    /// A job gives these back.
    pub(crate) fn give(&mut self, needs: &[LicenceNeed]) {
        self.change(needs, u32::saturating_add);
    }

    fn change(&mut self, needs: &[LicenceNeed], how: impl Fn(u32, u32) -> u32) {
        for need in needs {
            if let Some(count) = self.0.get_mut(need.kind) {
                *count = how(*count, need.count);
            }
        }
    }
}
