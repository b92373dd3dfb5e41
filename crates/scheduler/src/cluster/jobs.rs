//! A job as the cluster keeps it: while it waits, and while it runs.

use std::sync::Arc;

use switchyard_model::{JobSpec, Placement, Resources, SimTime};

use super::{Machines, Rules};
use crate::Request;
use crate::consumables::LicenceNeed;

/// A job that waits.
#[derive(Clone, Debug)]
pub struct Pending {
    /// What its user asked for.
    pub spec: Arc<JobSpec>,
    /// Its place in the queue: when it arrived here, or was requeued if that sends it to the end.
    pub submitted: SimTime,
    /// It may not start before this: its begin time, or the end of its requeue delay.
    pub not_before: SimTime,
    /// Which attempt this is going to be, from 1.
    pub attempt: u32,
    /// What it asks for, measured against the machines that it may use.
    pub request: Request,
    /// The machines that it may use.
    pub machines: Arc<Machines>,
    /// What the site's rules mean for it; `None` where nothing but room can hold it back.
    pub(crate) rules: Option<Arc<Rules>>,
}

impl Pending {
    /// When it could have started at the earliest: its arrival, or the end of what held it back.
    pub fn eligible(&self) -> SimTime {
        self.submitted.max(self.not_before)
    }

    /// Whether it shares its nodes with nobody.
    pub fn is_exclusive(&self) -> bool {
        self.rules.as_ref().is_some_and(|rules| rules.exclusive)
    }

    /// Whether its GPUs must be of a single NVSwitch domain.
    pub fn wants_one_domain(&self) -> bool {
        self.rules.as_ref().is_some_and(|rules| rules.one_domain)
    }

    /// How far its partition's tier is above the lowest one (1): jobs of higher tiers go first.
    pub(crate) fn tier(&self) -> u16 {
        self.rules.as_ref().map_or(0, |rules| rules.tier)
    }

    /// The place of the advance reservation that it runs in.
    pub(crate) fn reservation(&self) -> Option<usize> {
        self.rules.as_ref().and_then(|rules| rules.reservation)
    }

    /// The licences that it holds while it runs.
    pub(crate) fn licences(&self) -> &[LicenceNeed] {
        self.rules.as_ref().map_or(&[], |rules| &rules.licences)
    }

    /// Whether all that it needs is room on any nodes, with others.
    pub(crate) fn is_plain(&self) -> bool {
        self.rules.is_none() && self.machines.only.is_none()
    }
}

/// A job that runs.
#[derive(Clone, Debug)]
pub struct Running {
    /// What its user asked for.
    pub spec: Arc<JobSpec>,
    /// Its place in the queue while it waited.
    pub submitted: SimTime,
    /// Which attempt this is, from 1.
    pub attempt: u32,
    /// When it started.
    pub start: SimTime,
    /// Start plus time limit: the latest end that its user promised.
    pub expected_end: SimTime,
    /// Where it runs.
    pub placement: Placement,
    pub(crate) rules: Option<Arc<Rules>>,
}

impl Running {
    /// The licences that it holds.
    pub(crate) fn licences(&self) -> &[LicenceNeed] {
        self.rules.as_ref().map_or(&[], |rules| &rules.licences)
    }

    /// What it holds of its nodes.
    pub(crate) fn held(&self) -> Resources {
        match self.rules.as_ref().is_some_and(|rules| rules.exclusive) {
            true => self.placement.total(),
            false => self.spec.shape.total(),
        }
    }
}
