//! What a workload is like: how many jobs, how large, how long, what load, and how well their users knew.
//!
//! It opens the true runtimes, as whoever looks at a trace may; no policy sees any of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use switchyard_model::{Job, Oracle, SimDuration, SimTime};

use crate::workload::{Recorded, Status, Workload};

/// Short jobs count as this long in bounded slowdown.
const SLOWDOWN_SECS: f64 = 10.0;
/// Users who know better than a minute are not counted as having asked for too little.
const MINUTE: SimDuration = SimDuration::from_secs(60);

/// A distribution. Quantiles are nearest ranks: the smallest value that has at least that part of all at or below it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    /// How many values.
    pub count: u64,
    /// The smallest.
    pub min: f64,
    /// A quarter is at most this.
    pub p25: f64,
    /// Half is at most this.
    pub median: f64,
    /// Three quarters are at most this.
    pub p75: f64,
    /// 95 % are at most this.
    pub p95: f64,
    /// The largest.
    pub max: f64,
    /// The mean.
    pub mean: f64,
}

impl Spread {
    /// Of these values; `None` if there are none.
    pub fn of(mut values: Vec<f64>) -> Option<Spread> {
        values.sort_unstable_by(f64::total_cmp);
        let count = values.len();
        let at = |percent: usize| values.get((count * percent).div_ceil(100).max(1) - 1).copied();
        Some(Spread {
            count: count as u64,
            min: *values.first()?,
            p25: at(25)?,
            median: at(50)?,
            p75: at(75)?,
            p95: at(95)?,
            max: *values.last()?,
            mean: values.iter().sum::<f64>() / count as f64,
        })
    }
}

/// Users, accounts or partitions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Groups {
    /// How many there are.
    pub count: u64,
    /// Those with the most CPU time, with their jobs and the part of all CPU time that they took.
    pub largest: Vec<(Arc<str>, u64, f64)>,
}

/// What a workload is like.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// How many jobs.
    pub jobs: u64,
    /// From the first submission to the last, in seconds.
    pub span_secs: f64,
    /// Seconds between submissions.
    pub gaps: Option<Spread>,
    /// Processors of a job.
    pub cpus: Option<Spread>,
    /// Jobs of one processor.
    pub serial: u64,
    /// Jobs whose processors are a power of two, those of one included.
    pub power_of_two: u64,
    /// Nodes of a job, of those that ask for nodes.
    pub nodes: Option<Spread>,
    /// GPUs of a job, of those that ask for some.
    pub gpus: Option<Spread>,
    /// Runtimes in seconds.
    pub runtimes: Option<Spread>,
    /// Time limits in seconds, of jobs that have one.
    pub limits: Option<Spread>,
    /// Jobs whose limit only stands in for one.
    pub without_limit: u64,
    /// Jobs that ran longer than their limit.
    pub over_limit: u64,
    /// Those that did by more than a minute.
    pub over_limit_by_a_minute: u64,
    /// Jobs of no length.
    pub zero_runtime: u64,
    /// The sum of runtimes over the sum of limits, of jobs that have one.
    pub limit_accuracy: Option<f64>,
    /// CPU hours.
    pub cpu_hours: f64,
    /// GPU hours.
    pub gpu_hours: f64,
    /// The processors of the machine.
    pub procs: u32,
    /// Whether the trace says so; they are derived from its jobs otherwise.
    pub procs_declared: bool,
    /// What is asked for while jobs arrive, as a part of the machine's processors: the sum of CPU time over processors times
    /// the span.
    pub offered_load: Option<f64>,
    /// The part of the recorded machine's processors that was in use, from the first start to the last end.
    pub recorded_utilisation: Option<f64>,
    /// Recorded waits in seconds, where the trace tells them.
    pub waits: Option<Spread>,
    /// The mean of the recorded bounded slowdowns: (wait + runtime) over runtime, at least 1, runtimes of less than 10 s as 10.
    pub recorded_slowdown: Option<f64>,
    /// How many jobs ended how.
    pub statuses: BTreeMap<Status, u64>,
    /// Users.
    pub users: Groups,
    /// Accounts.
    pub accounts: Groups,
    /// Partitions, where jobs name them.
    pub partitions: Groups,
    /// Qualities of service, where jobs name them.
    pub qos: Groups,
}

/// How many of the largest users, accounts and partitions are named.
const LARGEST: usize = 5;

impl Profile {
    /// Of a workload, on a machine of `procs` processors: those that the trace declares, or that are derived from it.
    pub fn of(workload: &Workload, procs: u32) -> Profile {
        let seen: Vec<Seen<'_>> = Seen::all(workload);
        let count = |which: &dyn Fn(&Seen<'_>) -> bool| seen.iter().filter(|job| which(job)).count() as u64;
        let spread =
            |value: &dyn Fn(&Seen<'_>) -> Option<f64>| Spread::of(seen.iter().filter_map(value).collect());
        let submits: Vec<f64> = seen.iter().map(|job| job.job.spec.submit.as_secs_f64()).collect();
        let span_secs = submits.last().copied().unwrap_or(0.0);
        let cpu_secs: f64 = seen.iter().map(Seen::cpu_secs).sum();
        let limited = || seen.iter().filter(|job| !job.recorded.limit_assumed);
        let asked: f64 = limited().map(|job| job.job.spec.limit.as_secs_f64()).sum();
        let used: f64 = limited().map(|job| job.runtime.as_secs_f64()).sum();
        let mut statuses = BTreeMap::new();
        for job in &seen {
            *statuses.entry(job.recorded.status).or_insert(0) += 1;
        }
        Profile {
            jobs: seen.len() as u64,
            span_secs,
            gaps: Spread::of(submits.iter().zip(submits.iter().skip(1)).map(|(a, b)| b - a).collect()),
            cpus: spread(&|job| Some(job.cpus().into())),
            serial: count(&|job| job.cpus() == 1),
            power_of_two: count(&|job| job.cpus().is_power_of_two()),
            nodes: spread(&|job| job.nodes()),
            gpus: spread(&|job| Some(job.gpus()).filter(|&gpus| gpus > 0).map(f64::from)),
            runtimes: spread(&|job| Some(job.runtime.as_secs_f64())),
            limits: spread(&|job| (!job.recorded.limit_assumed).then(|| job.job.spec.limit.as_secs_f64())),
            without_limit: count(&|job| job.recorded.limit_assumed),
            over_limit: count(&|job| job.runtime > job.job.spec.limit),
            over_limit_by_a_minute: count(&|job| job.runtime > job.job.spec.limit + MINUTE),
            zero_runtime: count(&|job| job.runtime.is_zero()),
            limit_accuracy: (asked > 0.0).then(|| used / asked),
            cpu_hours: cpu_secs / 3600.0,
            gpu_hours: seen.iter().map(|job| f64::from(job.gpus()) * job.runtime.as_secs_f64()).sum::<f64>()
                / 3600.0,
            procs,
            procs_declared: workload.declared_procs == Some(procs),
            offered_load: part(cpu_secs, f64::from(procs) * span_secs),
            recorded_utilisation: recorded_utilisation(&seen, procs),
            waits: spread(&|job| job.recorded.wait.map(SimDuration::as_secs_f64)),
            recorded_slowdown: recorded_slowdown(&seen),
            statuses,
            users: groups(&seen, cpu_secs, |job| Some(&job.spec.user)),
            accounts: groups(&seen, cpu_secs, |job| Some(&job.spec.account)),
            partitions: groups(&seen, cpu_secs, |job| job.spec.terms.partition.as_ref()),
            qos: groups(&seen, cpu_secs, |job| job.spec.terms.qos.as_ref()),
        }
    }
}

/// A job and what is known of it.
struct Seen<'a> {
    job: &'a Job,
    runtime: SimDuration,
    recorded: Recorded,
}

impl Seen<'_> {
    fn all(workload: &Workload) -> Vec<Seen<'_>> {
        let oracle = Oracle::new();
        let jobs = workload.jobs.iter().enumerate();
        let seen = jobs.map(|(index, job)| Seen {
            job,
            runtime: oracle.runtime(&job.truth),
            recorded: workload.recorded(index),
        });
        seen.collect()
    }

    fn cpus(&self) -> u32 {
        self.job.spec.shape.total().cpus
    }

    fn gpus(&self) -> u32 {
        self.job.spec.shape.total().gpus
    }

    fn nodes(&self) -> Option<f64> {
        match self.job.spec.shape {
            switchyard_model::Shape::Nodes { nodes, .. } => Some(nodes.into()),
            switchyard_model::Shape::Tasks { .. } => None,
        }
    }

    fn cpu_secs(&self) -> f64 {
        f64::from(self.cpus()) * self.runtime.as_secs_f64()
    }
}

fn part(some: f64, all: f64) -> Option<f64> {
    (all > 0.0).then(|| some / all)
}

/// Where all starts are on record.
fn recorded_utilisation(seen: &[Seen<'_>], procs: u32) -> Option<f64> {
    let starts: Option<Vec<SimTime>> =
        seen.iter().map(|job| Some(job.job.spec.submit + job.recorded.wait?)).collect();
    let starts = starts?;
    let first = starts.iter().min()?;
    let last = starts.iter().zip(seen).map(|(start, job)| *start + job.runtime).max()?;
    part(seen.iter().map(Seen::cpu_secs).sum(), f64::from(procs) * last.since(*first).as_secs_f64())
}

fn recorded_slowdown(seen: &[Seen<'_>]) -> Option<f64> {
    let slowdown = |job: &Seen<'_>| {
        let (wait, runtime) = (job.recorded.wait?.as_secs_f64(), job.runtime.as_secs_f64());
        Some(((wait + runtime) / runtime.max(SLOWDOWN_SECS)).max(1.0))
    };
    let all: Vec<f64> = seen.iter().filter_map(slowdown).collect();
    part(all.iter().sum(), all.len() as f64)
}

fn groups(seen: &[Seen<'_>], cpu_secs: f64, name: impl Fn(&Job) -> Option<&Arc<str>>) -> Groups {
    let mut by_name: BTreeMap<&Arc<str>, (u64, f64)> = BTreeMap::new();
    for job in seen {
        if let Some(name) = name(job.job) {
            let entry = by_name.entry(name).or_default();
            entry.0 += 1;
            entry.1 += job.cpu_secs();
        }
    }
    let mut largest: Vec<_> =
        by_name.iter().map(|(name, &(jobs, secs))| (Arc::clone(name), jobs, secs)).collect();
    largest.sort_by(|a, b| b.2.total_cmp(&a.2).then_with(|| b.1.cmp(&a.1)));
    largest.truncate(LARGEST);
    let share = |secs: f64| part(secs, cpu_secs).unwrap_or(0.0);
    Groups {
        count: by_name.len() as u64,
        largest: largest.into_iter().map(|(name, jobs, secs)| (name, jobs, share(secs))).collect(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn quantiles_are_nearest_ranks() {
        let spread = Spread::of(vec![4.0, 1.0, 3.0, 2.0]).unwrap();
        let all = [spread.min, spread.p25, spread.median, spread.p75, spread.p95, spread.max, spread.mean];
        assert_eq!(all.map(f64::to_bits), [1.0, 1.0, 2.0, 3.0, 4.0, 4.0, 2.5].map(f64::to_bits));
        assert_eq!(Spread::of(Vec::new()), None);
        assert_eq!(Spread::of(vec![7.0]).unwrap().p25.to_bits(), 7.0f64.to_bits());
    }
}
