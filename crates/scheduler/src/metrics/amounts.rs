//! Amounts of resources without an upper bound, and their integrals over time.

use std::iter::Sum;
use std::ops::{Add, AddAssign};

use switchyard_model::{Kept, NodeShare, Resources, SimDuration};

/// An amount held for a time, exact: CPU-seconds, GPU-seconds, MiB-seconds, node-seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ResourceTime(u128);

impl ResourceTime {
    /// `amount` for `length`.
    pub const fn of(amount: u64, length: SimDuration) -> ResourceTime {
        ResourceTime(amount as u128 * length.as_micros() as u128)
    }

    /// In resource-microseconds.
    pub const fn as_micros(self) -> u128 {
        self.0
    }

    /// In resource-seconds.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// In resource-hours.
    pub fn as_hours_f64(self) -> f64 {
        self.0 as f64 / 3.6e9
    }

    /// Its part of `whole`; 0 of nothing.
    pub fn share_of(self, whole: ResourceTime) -> f64 {
        if whole.0 == 0 { 0.0 } else { self.0 as f64 / whole.0 as f64 }
    }
}

impl Add for ResourceTime {
    type Output = ResourceTime;
    fn add(self, rhs: ResourceTime) -> ResourceTime {
        ResourceTime(self.0.saturating_add(rhs.0))
    }
}

impl AddAssign for ResourceTime {
    fn add_assign(&mut self, rhs: ResourceTime) {
        *self = *self + rhs;
    }
}

impl Sum for ResourceTime {
    fn sum<I: Iterator<Item = ResourceTime>>(items: I) -> ResourceTime {
        items.fold(ResourceTime::default(), Add::add)
    }
}

/// A resource of which nodes give jobs amounts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Resource {
    /// Processors.
    Cpus,
    /// GPUs.
    Gpus,
    /// Memory in MiB.
    Memory,
}

impl Resource {
    /// All.
    pub const ALL: [Resource; 3] = [Resource::Cpus, Resource::Gpus, Resource::Memory];

    /// What it is called in exports.
    pub const fn name(self) -> &'static str {
        match self {
            Resource::Cpus => "cpus",
            Resource::Gpus => "gpus",
            Resource::Memory => "memory",
        }
    }

    /// How much of it is in these.
    pub const fn amount(self, resources: &Resources) -> u64 {
        match self {
            Resource::Cpus => resources.cpus as u64,
            Resource::Gpus => resources.gpus as u64,
            Resource::Memory => resources.memory_mib,
        }
    }

    /// How much of it a placement holds.
    pub(super) fn held(self, placement: &Kept) -> u64 {
        self.amount(&placement.total())
    }

    /// How much of it a node gives.
    pub(super) const fn given(self, share: &NodeShare) -> u64 {
        self.amount(&share.resources())
    }
}
