//! Who may preempt whom, and what happens to the victim.

use std::cmp::Reverse;

use switchyard_model::{JobSpec, Placement, PreemptMode, Qos, SimDuration, SimTime, Site};

use super::{Preempt, PreemptBy};
use crate::queue::Partitions;

/// The rules on a site.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rights<'a> {
    pub(crate) rules: &'a Preempt,
    pub(crate) site: &'a Site,
}

/// A job and its priority: the lower the value, the higher the priority.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Claim<'a> {
    pub(crate) spec: &'a JobSpec,
    pub(crate) value: u64,
}

impl<'a> Rights<'a> {
    fn qos(&self, job: &JobSpec) -> Option<&'a Qos> {
        let name = job.terms.qos.as_ref()?;
        self.site.qos.iter().find(|qos| qos.name == *name)
    }

    fn tier(&self, job: &JobSpec) -> u16 {
        Partitions::of_site(self.site).get(job).map_or(1, |partition| partition.tier)
    }

    /// Whether `by` has a right over `victim`, whatever that one does.
    pub(crate) fn has_right(&self, by: Claim<'_>, victim: Claim<'_>) -> bool {
        let (higher, lower) = (by.value < victim.value, by.value > victim.value);
        match self.rules.by {
            PreemptBy::PartitionPriority => {
                !(self.rules.priority && lower) && self.tier(victim.spec) < self.tier(by.spec)
            }
            PreemptBy::Qos => {
                let (Some(own), Some(other)) = (self.qos(by.spec), self.qos(victim.spec)) else {
                    return false;
                };
                if own.name == other.name {
                    return self.rules.within && higher;
                }
                own.preempt.contains(&other.name) && (!self.rules.priority || higher)
            }
        }
    }

    /// What happens to a job that is preempted.
    pub(crate) fn mode(&self, victim: &JobSpec) -> PreemptMode {
        let own = match self.rules.by {
            PreemptBy::PartitionPriority => {
                Partitions::of_site(self.site).get(victim).and_then(|partition| partition.preempt)
            }
            PreemptBy::Qos => self.qos(victim).and_then(|qos| qos.preempt_mode),
        };
        match own.unwrap_or(self.rules.mode) {
            PreemptMode::Requeue if victim.terms.no_requeue => PreemptMode::Cancel,
            mode => mode,
        }
    }

    /// How long a preempted job may still run.
    pub(crate) fn grace(&self, victim: &JobSpec) -> SimDuration {
        let own = match self.rules.by {
            PreemptBy::PartitionPriority => {
                Partitions::of_site(self.site).get(victim).map(|partition| partition.grace)
            }
            PreemptBy::Qos => self.qos(victim).map(|qos| qos.grace),
        };
        own.filter(|grace| !grace.is_zero()).unwrap_or(self.rules.grace)
    }

    /// Whether a job may be preempted now by anyone who has the right.
    pub(crate) fn is_exposed(&self, victim: &JobSpec, start: SimTime, now: SimTime) -> bool {
        let set = |exempt: &SimDuration| *exempt != SimDuration::MAX;
        let own = self.qos(victim).and_then(|qos| qos.exempt).filter(set);
        let exempt = own.or(Some(self.rules.exempt).filter(set)).unwrap_or_default();
        self.mode(victim) != PreemptMode::Off && now >= start + exempt
    }

    /// Who goes first: low tier or quality of service, then few nodes; or the youngest.
    pub(crate) fn order(
        &self,
        victim: &JobSpec,
        start: SimTime,
        placement: &Placement,
    ) -> (u64, Reverse<SimTime>) {
        if self.rules.youngest_first {
            return (0, Reverse(start));
        }
        let level = match self.rules.by {
            PreemptBy::PartitionPriority => self.tier(victim).into(),
            PreemptBy::Qos => self.qos(victim).map_or(0, |qos| qos.priority),
        };
        let nodes = placement.0.len() as u64;
        (u64::from(level.min(0xffff)) << 16 | nodes.min(0xffff), Reverse(SimTime::ZERO))
    }
}
