//! A replay that is stopped is the same replay, and knows no more than its scheduler does.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::sync::Arc;

use switchyard_model::{Fleet, FleetSpec, Job, JobId, Oracle, SimDuration, SimTime, Truth};
use switchyard_scheduler::{Charge, Policy, ReplayOptions, Run, Snapshot, replay, replay_until};
use switchyard_workload::Recipe;

const AT: SimTime = SimTime::from_secs(6000);

fn lab() -> (Arc<Fleet>, Vec<Job>) {
    let fleet = Arc::new(FleetSpec::seed_lab().build().unwrap());
    let recipe: Recipe = "seed-lab:100:5".parse().unwrap();
    (fleet, recipe.generate(None).unwrap().jobs)
}

fn whole(policy: &Policy, fleet: &Arc<Fleet>, jobs: &[Job]) -> Run {
    replay(Arc::clone(fleet), jobs, policy, ReplayOptions::default()).unwrap()
}

fn stopped(policy: &Policy, fleet: &Arc<Fleet>, jobs: &[Job]) -> Snapshot {
    replay_until(Arc::clone(fleet), jobs, policy, ReplayOptions::default(), AT).unwrap()
}

fn running(snapshot: &Snapshot) -> Vec<(JobId, SimTime, String)> {
    let row = |job: &switchyard_scheduler::Running| (job.spec.id, job.start, job.placement.to_string());
    let mut rows: Vec<_> = snapshot.cluster.running().map(row).collect();
    rows.sort();
    rows
}

#[test]
fn it_is_the_schedule_of_the_whole_replay() {
    let (fleet, jobs) = lab();
    for name in Policy::NAMES {
        let policy = Policy::named(name).unwrap();
        let (run, snapshot) = (whole(&policy, &fleet, &jobs), stopped(&policy, &fleet, &jobs));
        let ended: Vec<_> = run.spans.iter().filter(|span| span.end <= AT).cloned().collect();
        assert_eq!(snapshot.ended, ended, "{name}");
        let runs = run.spans.iter().filter(|span| span.start <= AT && span.end > AT);
        let mut expected: Vec<_> =
            runs.map(|span| (span.job, span.start, span.placement.to_string())).collect();
        expected.sort();
        assert_eq!(running(&snapshot), expected, "{name}");
        // Whoever has been submitted and doesn't run waits, and has been told why.
        let told: Vec<JobId> = snapshot.plan.waiting.iter().map(|waiting| waiting.job).collect();
        let mut waits: Vec<JobId> = snapshot.cluster.pending().map(|job| job.spec.id).collect();
        assert!(!waits.is_empty());
        for (place, job) in told.iter().enumerate() {
            assert_eq!(snapshot.ahead_of(*job).as_deref(), Some(&told[..place]), "{name}");
        }
        waits.sort();
        let mut told = told;
        told.sort();
        assert_eq!(told, waits, "{name}");
    }
}

/// Jobs that run at that moment may run on as long as they like.
#[test]
fn it_does_not_know_how_long_running_jobs_will_run() {
    let (fleet, jobs) = lab();
    for name in Policy::NAMES {
        let policy = Policy::named(name).unwrap();
        if policy.charge() == Some(Charge::AtDispatch) {
            continue; // charges for the future by its nature
        }
        let snapshot = stopped(&policy, &fleet, &jobs);
        let still = |job: &Job| snapshot.cluster.running_job(job.spec.id).is_some();
        let longer = |job: &Job| match still(job) {
            true => Job { truth: Truth::new(job.spec.limit + SimDuration::from_secs(1)), ..job.clone() },
            false => job.clone(),
        };
        let changed: Vec<Job> = jobs.iter().map(longer).collect();
        let differs =
            |(a, b): (&Job, &Job)| Oracle::new().runtime(&a.truth) != Oracle::new().runtime(&b.truth);
        assert!(jobs.iter().zip(&changed).any(differs));
        let other = stopped(&policy, &fleet, &changed);
        assert_eq!((other.pass_at, &other.plan), (snapshot.pass_at, &snapshot.plan), "{name}");
        assert_eq!((running(&other), other.ended), (running(&snapshot), snapshot.ended), "{name}");
    }
}

#[test]
fn before_the_first_submission_there_is_nothing() {
    let (fleet, mut jobs) = lab();
    for job in &mut jobs {
        Arc::make_mut(&mut job.spec).submit = AT + SimDuration::from_secs(1);
    }
    let snapshot = stopped(&Policy::named("easy").unwrap(), &fleet, &jobs);
    assert_eq!((snapshot.pass_at, snapshot.plan.waiting.len(), snapshot.ended.len()), (None, 0, 0));
}
