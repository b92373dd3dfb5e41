//! Limits on what jobs may hold: of one job, of one user's running jobs, of all running jobs together.

use std::sync::Arc;

use switchyard_model::{Limits, ResourceCap, Resources, SimDuration};

/// Who has a limit: a place in the site's list of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Holder {
    Qos(usize),
    Association(usize),
}

/// What is limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limited {
    /// How many jobs run.
    Jobs,
    /// Processors.
    Cpus,
    /// GPUs.
    Gpus,
    /// Memory in MiB.
    Memory,
    /// Nodes; one that two jobs share counts twice.
    Nodes,
    /// The time limit in seconds, rounded up.
    Wall,
}

/// Over what a limit sums up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitScope {
    /// One job.
    Job,
    /// The running jobs of one user.
    User,
    /// All running jobs.
    Group,
}

/// A limit that a job would exceed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Excess {
    /// What is limited.
    pub limited: Limited,
    /// The limit.
    pub most: u64,
    /// What running jobs hold of it.
    pub used: u64,
    /// What the job asks for.
    pub asked: u64,
}

impl Excess {
    /// What asking for this comes to, if it is too much.
    fn of(limited: Limited, most: Option<u64>, used: u64, asked: u64) -> Option<Excess> {
        let most = most.filter(|&most| used.saturating_add(asked) > most)?;
        Some(Excess { limited, most, used, asked })
    }
}

/// What jobs hold together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Used {
    pub(crate) jobs: u32,
    pub(crate) amount: Resources,
    pub(crate) nodes: u32,
}

impl Used {
    pub(crate) const fn plus(&self, other: &Used) -> Used {
        Used {
            jobs: self.jobs.saturating_add(other.jobs),
            amount: self.amount.plus(&other.amount),
            nodes: self.nodes.saturating_add(other.nodes),
        }
    }

    pub(crate) const fn minus(&self, other: &Used) -> Used {
        Used {
            jobs: self.jobs.saturating_sub(other.jobs),
            amount: self.amount.minus(&other.amount),
            nodes: self.nodes.saturating_sub(other.nodes),
        }
    }
}

/// A limit on a running sum, and which sum that is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cap {
    pub(crate) holder: Holder,
    pub(crate) scope: LimitScope,
    /// The number of the sum.
    pub(crate) sum: u32,
    pub(crate) jobs: Option<u32>,
    pub(crate) amount: ResourceCap,
}

impl Cap {
    /// The limits of `holder` on running sums, each with the user it is for. Sums get their numbers later.
    pub(crate) fn of(holder: Holder, limits: &Limits, user: &Arc<str>) -> Vec<(Cap, Option<Arc<str>>)> {
        let cap = |scope, jobs: Option<u32>, amount: Option<ResourceCap>| {
            let amount = amount.unwrap_or_default();
            let limits = jobs.is_some() || amount != ResourceCap::default();
            limits.then_some(Cap { holder, scope, sum: 0, jobs, amount })
        };
        let group = cap(LimitScope::Group, limits.jobs, limits.running).map(|cap| (cap, None));
        let user = cap(LimitScope::User, limits.jobs_per_user, limits.running_per_user)
            .map(|cap| (cap, Some(Arc::clone(user))));
        group.into_iter().chain(user).collect()
    }

    /// What is exceeded if a job with this starts beside those.
    pub(crate) fn exceeded(&self, used: &Used, asked: &Used) -> Option<Excess> {
        Excess::of(Limited::Jobs, self.jobs.map(u64::from), used.jobs.into(), asked.jobs.into())
            .or_else(|| beyond(&self.amount, used, asked))
    }
}

/// What one job alone exceeds: a limit on a job, or a sum even without others.
pub(crate) fn exceeded_by_one(
    limits: &Limits,
    limit: SimDuration,
    asked: &Used,
) -> Option<(LimitScope, Excess)> {
    let secs = |time: SimDuration| time.as_micros().div_ceil(1_000_000);
    if let Some(wall) = limits.wall.filter(|&wall| limit > wall) {
        let excess = Excess { limited: Limited::Wall, most: secs(wall), used: 0, asked: secs(limit) };
        return Some((LimitScope::Job, excess));
    }
    let caps = [
        (LimitScope::Job, limits.per_job),
        (LimitScope::User, limits.running_per_user),
        (LimitScope::Group, limits.running),
    ];
    caps.into_iter().find_map(|(scope, cap)| Some((scope, beyond(&cap?, &Used::default(), asked)?)))
}

/// What of `cap` is exceeded, the scarcest first.
fn beyond(cap: &ResourceCap, used: &Used, asked: &Used) -> Option<Excess> {
    let (have, want) = (&used.amount, &asked.amount);
    Excess::of(Limited::Gpus, cap.gpus.map(u64::from), have.gpus.into(), want.gpus.into())
        .or_else(|| Excess::of(Limited::Cpus, cap.cpus.map(u64::from), have.cpus.into(), want.cpus.into()))
        .or_else(|| Excess::of(Limited::Memory, cap.memory_mib, have.memory_mib, want.memory_mib))
        .or_else(|| {
            Excess::of(Limited::Nodes, cap.nodes.map(u64::from), used.nodes.into(), asked.nodes.into())
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn gpus(jobs: u32, gpus: u32) -> Used {
        Used { jobs, amount: Resources { cpus: gpus, gpus, memory_mib: 0 }, nodes: 1 }
    }

    #[test]
    fn a_sum_may_reach_its_limit_and_not_pass_it() {
        let amount = ResourceCap { gpus: Some(8), ..ResourceCap::default() };
        let cap = Cap { holder: Holder::Qos(0), scope: LimitScope::Group, sum: 0, jobs: Some(3), amount };
        assert_eq!(cap.exceeded(&gpus(2, 4), &gpus(1, 4)), None);
        let excess = Excess { limited: Limited::Gpus, most: 8, used: 4, asked: 5 };
        assert_eq!(cap.exceeded(&gpus(2, 4), &gpus(1, 5)), Some(excess));
        let excess = Excess { limited: Limited::Jobs, most: 3, used: 3, asked: 1 };
        assert_eq!(cap.exceeded(&gpus(3, 3), &gpus(1, 1)), Some(excess));
    }

    #[test]
    fn a_job_that_alone_exceeds_a_sum_can_never_run() {
        let cap = Some(ResourceCap { nodes: Some(2), ..ResourceCap::default() });
        let wall = Some(SimDuration::from_secs(60));
        let limits = Limits { running_per_user: cap, wall, ..Limits::default() };
        let asked = Used { nodes: 3, ..gpus(1, 1) };
        let exceeded = |secs| {
            let exceeded = exceeded_by_one(&limits, SimDuration::from_secs(secs), &asked);
            exceeded.map(|(scope, excess)| (scope, excess.limited))
        };
        assert_eq!(exceeded(60), Some((LimitScope::User, Limited::Nodes)));
        assert_eq!(exceeded(61), Some((LimitScope::Job, Limited::Wall)));
        assert_eq!(exceeded_by_one(&limits, SimDuration::ZERO, &gpus(1, 9)), None);
    }
}
