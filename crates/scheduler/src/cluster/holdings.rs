//! What running jobs hold beside their nodes: licences, parts of limits, places of their arrays.

use std::collections::BTreeMap;
use std::sync::Arc;

use switchyard_model::{JobId, Placement};

use super::Rules;
use crate::limits::{Holder, Used};

/// What some jobs hold. Costs nothing as long as no job holds anything.
#[derive(Clone, Debug, Default)]
pub(crate) struct Holdings {
    /// By the number of the sum.
    sums: BTreeMap<u32, Used>,
    /// By kind.
    licences: BTreeMap<usize, u32>,
    /// Running tasks, by array.
    tasks: BTreeMap<JobId, u32>,
}

impl Holdings {
    /// A job starts.
    pub(crate) fn take(&mut self, rules: &Rules, placement: &Placement) {
        if !rules.caps.is_empty() {
            let used = used(placement);
            for cap in &rules.caps {
                let sum = self.sums.entry(cap.sum).or_default();
                *sum = sum.plus(&used);
            }
        }
        for need in &rules.licences {
            *self.licences.entry(need.kind).or_default() += need.count;
        }
        if let Some(array) = rules.array {
            *self.tasks.entry(array.array).or_default() += 1;
        }
    }

    /// A job ends.
    pub(crate) fn give_back(&mut self, rules: &Rules, placement: &Placement) {
        if !rules.caps.is_empty() {
            let used = used(placement);
            for cap in &rules.caps {
                let sum = self.sums.entry(cap.sum).or_default();
                *sum = sum.minus(&used);
            }
        }
        for need in &rules.licences {
            let held = self.licences.entry(need.kind).or_default();
            *held = held.saturating_sub(need.count);
        }
        if let Some(array) = rules.array {
            let running = self.tasks.entry(array.array).or_default();
            *running = running.saturating_sub(1);
            if *running == 0 {
                self.tasks.remove(&array.array);
            }
        }
    }

    pub(crate) fn sum(&self, sum: u32) -> Used {
        self.sums.get(&sum).copied().unwrap_or_default()
    }

    pub(crate) fn licences(&self, kind: usize) -> u32 {
        self.licences.get(&kind).copied().unwrap_or(0)
    }

    pub(crate) fn tasks(&self, array: JobId) -> u32 {
        self.tasks.get(&array).copied().unwrap_or(0)
    }
}

/// What a job on these nodes adds to a sum.
pub(crate) fn used(placement: &Placement) -> Used {
    Used { jobs: 1, amount: placement.total(), nodes: u32::try_from(placement.0.len()).unwrap_or(u32::MAX) }
}

/// The numbers of the sums: one for each limit's holder, and one for each user of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Sums(BTreeMap<(Holder, Option<Arc<str>>), u32>);

impl Sums {
    pub(super) fn number(&mut self, holder: Holder, user: Option<Arc<str>>) -> u32 {
        let next = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
        *self.0.entry((holder, user)).or_insert(next)
    }
}
