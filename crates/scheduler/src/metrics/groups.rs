//! Accounts and users side by side: who waited how long, and who got which part of what they asked for.

use std::collections::BTreeMap;
use std::sync::Arc;

use switchyard_model::{Job, JobSpec, SimDuration};

use super::amounts::{Resource, ResourceTime};
use super::attempts::{Attempts, delivers};
use super::horizon::Window;
use super::specs::Specs;
use super::statistics::TimeStats;
use crate::Span;

/// What an account or a user asked for and got.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Group {
    /// Its name.
    pub name: Arc<str>,
    /// Its jobs.
    pub jobs: u64,
    /// Those with an attempt.
    pub started: u64,
    /// See [`WAIT`](super::definition::WAIT); over those that started.
    pub wait: TimeStats,
    /// CPU time.
    pub cpus: Demand,
    /// GPU time.
    pub gpus: Demand,
    /// Memory x time.
    pub memory: Demand,
}

impl Group {
    /// Of one resource.
    pub const fn demand(&self, resource: Resource) -> &Demand {
        match resource {
            Resource::Cpus => &self.cpus,
            Resource::Gpus => &self.gpus,
            Resource::Memory => &self.memory,
        }
    }
}

/// What was asked for of one resource, and delivered within the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Demand {
    /// Amount x runtime, to the end or the time limit, over all jobs.
    pub demanded: ResourceTime,
    /// See [`DELIVERED`](super::definition::DELIVERED).
    pub delivered: ResourceTime,
}

impl Demand {
    /// Delivered / demanded.
    pub fn ratio(&self) -> f64 {
        self.delivered.share_of(self.demanded)
    }

    fn add(&mut self, resource: Resource, job: &JobSpec, last: Option<&Span>, length: Length) {
        let finished = last.filter(|span| delivers(span));
        let amount = match finished {
            Some(span) => resource.held(&span.placement),
            None => resource.amount(&job.shape.total()),
        };
        self.demanded +=
            ResourceTime::of(amount, finished.map_or(length.alone, |span| span.end.since(span.start)));
        if let Some(span) = finished {
            self.delivered += ResourceTime::of(amount, length.window.overlap(span.start, span.end));
        }
    }
}

/// How long a job runs if it is let, and the window that counts.
#[derive(Clone, Copy)]
struct Length {
    alone: SimDuration,
    window: Window,
}

/// The groups by name.
pub(super) fn groups(
    attempts: &Attempts<'_>,
    jobs: &[Job],
    specs: &Specs<'_>,
    window: Window,
    name: impl Fn(&JobSpec) -> &Arc<str>,
) -> Vec<Group> {
    let last: BTreeMap<_, &Span> = attempts.last().map(|span| (span.job, span)).collect();
    let mut groups: BTreeMap<&str, (Group, Vec<_>)> = BTreeMap::new();
    for job in jobs.iter().map(|job| &*job.spec) {
        let (group, waits) = groups.entry(name(job)).or_default();
        group.name = Arc::clone(name(job));
        group.jobs += 1;
        let last = last.get(&job.id).copied();
        let length = Length { alone: specs.runtime(job.id), window };
        group.cpus.add(Resource::Cpus, job, last, length);
        group.gpus.add(Resource::Gpus, job, last, length);
        group.memory.add(Resource::Memory, job, last, length);
        waits.extend(last.map(|span| span.start.since(span.submit)));
    }
    let finish = |(mut group, waits): (Group, Vec<_>)| {
        group.wait = TimeStats::of(waits);
        group.started = group.wait.count;
        group
    };
    groups.into_values().map(finish).collect()
}

/// See [`FAIRNESS`](super::definition::FAIRNESS); `None` when nobody was delivered any.
pub fn fairness(groups: &[Group], resource: Resource) -> Option<f64> {
    let ratios = || groups.iter().map(|group| group.demand(resource).ratio()).filter(|&ratio| ratio > 0.0);
    let (least, most) = (ratios().reduce(f64::min)?, ratios().reduce(f64::max)?);
    Some(most / least)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::testing::{at, job, near, preempted, span};
    use super::*;

    /// Account a demands 2 x 100 and 1 x 50 GPU-seconds and gets the first; b demands 40 and gets 20 of them before the
    /// window ends; c's only job was preempted for good.
    #[test]
    fn accounts_are_compared_by_what_they_were_delivered_of_their_demand() {
        let jobs = [
            job(1, "a", 0, 200, 100, 1, 2),
            job(2, "a", 0, 50, 90, 1, 1),
            job(3, "b", 10, 40, 40, 1, 1),
            job(4, "c", 0, 40, 40, 1, 1),
        ];
        let spans = [
            span(1, 0, 0, 100, &[(0, 2, 0b11)]),
            span(3, 10, 80, 120, &[(0, 1, 1)]),
            preempted(4, 0, 30, 40, 40, &[(0, 1, 0b100)]),
        ];
        let window = Window { from: at(0), to: at(100) };
        let of = groups(&Attempts::of(&spans), &jobs, &Specs::of(&jobs), window, |job| &job.account);
        let counts: Vec<_> = of.iter().map(|group| (&*group.name, group.jobs, group.started)).collect();
        assert_eq!(counts, [("a", 2, 1), ("b", 1, 1), ("c", 1, 1)]);
        near(of[0].gpus.ratio(), 200.0 / 250.0);
        near(of[1].gpus.ratio(), 0.5);
        near(of[2].gpus.ratio(), 0.0);
        near(of[1].wait.mean_secs, 70.0);
        near(fairness(&of, Resource::Gpus).unwrap(), 0.8 / 0.5);
        assert_eq!(fairness(&[], Resource::Gpus), None);
    }
}
