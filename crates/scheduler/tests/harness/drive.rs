//! A driver of its own, simpler than the replay: it keeps every plan, with the reasons.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use switchyard_model::{Fleet, Job, JobId, Oracle, Outcome, SimDuration, SimTime};
use switchyard_scheduler::{Charge, Cluster, Plan, Policy, Scheduler};

/// What a policy decided at one instant.
pub(crate) struct Decision {
    pub(crate) at: SimTime,
    pub(crate) plan: Plan,
    /// Everyone who was waiting.
    pub(crate) queue: BTreeSet<JobId>,
}

pub(crate) fn runtime(job: &Job) -> SimDuration {
    Oracle::new().runtime(&job.truth).min(job.spec.limit)
}

/// Runs all jobs; nobody is preempted.
pub(crate) fn decisions(fleet: &Arc<Fleet>, jobs: &[Job], policy: &Policy) -> Vec<Decision> {
    let mut cluster = Cluster::new(Arc::clone(fleet));
    let mut scheduler = Scheduler::new(policy.clone());
    let mut ends: BTreeSet<(SimTime, JobId)> = BTreeSet::new();
    let by_id: BTreeMap<JobId, &Job> = jobs.iter().map(|job| (job.spec.id, job)).collect();
    let mut instants: BTreeSet<SimTime> = jobs.iter().map(|job| job.spec.submit).collect();
    let mut decisions = Vec::new();
    let mut submitted = BTreeSet::new();
    let mut stirred = SimTime::ZERO;
    let mut wake = None;
    while let Some(now) = instants.first().copied().into_iter().chain(wake).min() {
        instants.remove(&now);
        while let Some(&(end, job)) = ends.first().filter(|(end, _)| *end <= now) {
            cluster.finish(job, Outcome::Completed).unwrap();
            ends.remove(&(end, job));
            stirred = now;
        }
        for job in jobs.iter().filter(|job| job.spec.submit <= now && submitted.insert(job.spec.id)) {
            cluster.submit(Arc::clone(&job.spec), now).unwrap();
            stirred = now;
        }
        let queue = cluster.pending().map(|job| job.spec.id).collect();
        let plan = scheduler.plan(&cluster, now);
        for start in &plan.starts {
            cluster.start(start.job, start.placement.clone(), now).unwrap();
            let job = by_id[&start.job];
            let end = now + runtime(job);
            if policy.charge() == Some(Charge::AtDispatch) {
                let cpus = f64::from(start.placement.total().cpus);
                scheduler.charge(&job.spec, cpus * runtime(job).as_secs_f64(), now);
            }
            ends.insert((end, start.job));
            instants.insert(end);
            stirred = now;
        }
        decisions.push(Decision { at: now, plan, queue });
        let last_hope = stirred + policy.longest_timer().saturating_mul(2);
        // As the replay does: what was to wake it before does so no longer.
        wake = scheduler.wake_at(&cluster, now).filter(|wake| !instants.is_empty() || *wake <= last_hope);
    }
    decisions
}
