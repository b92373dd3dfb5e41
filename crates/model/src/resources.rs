//! What a job asks for and a node has.

use serde::{Deserialize, Serialize};

/// An amount of resources: of one node, of one task, or free on a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Resources {
    /// Processors (cores as the scheduler counts them).
    pub cpus: u32,
    /// Whole GPUs.
    #[serde(default)]
    pub gpus: u32,
    /// Memory in MiB.
    #[serde(default)]
    pub memory_mib: u64,
}

impl Resources {
    /// Only processors.
    pub const fn cpus(cpus: u32) -> Self {
        Resources { cpus, gpus: 0, memory_mib: 0 }
    }

    /// Whether `self` holds at least `need` of everything.
    pub const fn covers(&self, need: &Resources) -> bool {
        self.cpus >= need.cpus && self.gpus >= need.gpus && self.memory_mib >= need.memory_mib
    }

    /// How many times `need` goes into `self`; `u32::MAX` when `need` is nothing.
    #[inline]
    pub fn times(&self, need: &Resources) -> u32 {
        let memory = self.memory_mib.checked_div(need.memory_mib);
        let memory = memory.map_or(u32::MAX, |times| u32::try_from(times).unwrap_or(u32::MAX));
        let share = |have: u32, need: u32| have.checked_div(need).unwrap_or(u32::MAX);
        share(self.cpus, need.cpus).min(share(self.gpus, need.gpus)).min(memory)
    }

    /// The sum, saturating.
    pub const fn plus(&self, other: &Resources) -> Resources {
        Resources {
            cpus: self.cpus.saturating_add(other.cpus),
            gpus: self.gpus.saturating_add(other.gpus),
            memory_mib: self.memory_mib.saturating_add(other.memory_mib),
        }
    }

    /// What is left of `self` without `other`; nothing where `other` has more.
    pub const fn minus(&self, other: &Resources) -> Resources {
        Resources {
            cpus: self.cpus.saturating_sub(other.cpus),
            gpus: self.gpus.saturating_sub(other.gpus),
            memory_mib: self.memory_mib.saturating_sub(other.memory_mib),
        }
    }

    /// The smaller amount of each.
    pub fn min(&self, other: &Resources) -> Resources {
        Resources {
            cpus: self.cpus.min(other.cpus),
            gpus: self.gpus.min(other.gpus),
            memory_mib: self.memory_mib.min(other.memory_mib),
        }
    }

    /// `self * n`, saturating.
    pub const fn scaled(&self, n: u32) -> Resources {
        Resources {
            cpus: self.cpus.saturating_mul(n),
            gpus: self.gpus.saturating_mul(n),
            memory_mib: self.memory_mib.saturating_mul(n as u64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scarcest_resource_decides_how_often_a_request_fits() {
        let node = Resources { cpus: 64, gpus: 8, memory_mib: 1 << 20 };
        assert_eq!(node.times(&Resources { cpus: 4, gpus: 1, memory_mib: 0 }), 8);
        assert_eq!(node.times(&Resources { cpus: 12, gpus: 1, memory_mib: 0 }), 5);
        assert_eq!(node.times(&Resources::default()), u32::MAX);
        assert!(!node.covers(&Resources { cpus: 1, gpus: 9, memory_mib: 0 }));
    }
}
