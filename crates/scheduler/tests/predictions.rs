//! What a moment of a replay tells about the time to come: it comes true if limits are exact and nobody else arrives.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod harness;
mod random_sites;

use std::collections::BTreeMap;
use std::sync::Arc;

use harness::{at, gpu_nodes, job, on};
use proptest::prelude::*;
use random_sites::{Case, cases, simple_cases};
use switchyard_model::{
    AdvanceReservation, ArrayTask, Dependency, DependencyKind, FleetSpec, Job, JobId, NodeId, Resources,
    SimTime, Site, Terms, Truth,
};
use switchyard_scheduler::{PassingBy, Policy, Reason, ReplayOptions, Snapshot, replay, replay_until};

/// The same jobs, each of which runs as long as it asks for, and has arrived by second `last`.
fn exact(case: Case, last: u64) -> Case {
    let exact = |job: Job| {
        let mut spec = Arc::unwrap_or_clone(job.spec);
        spec.submit = spec.submit.min(at(last));
        Job { truth: Truth::new(spec.limit), spec: Arc::new(spec) }
    };
    Case { jobs: case.jobs.into_iter().map(exact).collect(), ..case }
}

fn stopped(case: &Case, policy: &Policy, secs: u64) -> Snapshot {
    let options = ReplayOptions { site: Arc::clone(&case.site), ..ReplayOptions::default() };
    replay_until(Arc::clone(&case.fleet), &case.jobs, policy, options, at(secs)).unwrap()
}

fn starts(case: &Case, policy: &Policy) -> BTreeMap<JobId, SimTime> {
    let options = ReplayOptions { site: Arc::clone(&case.site), ..ReplayOptions::default() };
    let run = replay(Arc::clone(&case.fleet), &case.jobs, policy, options).unwrap();
    run.spans.into_iter().map(|span| (span.job, span.start)).collect()
}

fn named() -> impl Strategy<Value = Policy> {
    prop::sample::select(Policy::NAMES.map(|name| Policy::named(name).unwrap()).to_vec())
}

proptest! {
    /// Under every policy, whatever holds a job back.
    #[test]
    fn a_predicted_start_comes_true(case in cases(), policy in named(), now in 20u64..150) {
        let case = exact(case, 20);
        let starts = starts(&case, &policy);
        for waiting in stopped(&case, &policy, now).plan.waiting {
            prop_assert_eq!(waiting.expected, starts.get(&waiting.job).copied(), "job {}: {}", waiting.job, waiting.reason);
        }
    }

    /// The head of EASY on certain nodes starts at its shadow time, and nobody under conservative backfill later than promised.
    #[test]
    fn a_reservation_comes_true(case in simple_cases(), now in 20u64..100) {
        let case = exact(case, 20);
        for name in ["easy-machine", "conservative", "conservative-machine"] {
            let policy = Policy::named(name).unwrap();
            let starts = starts(&case, &policy);
            let snapshot = stopped(&case, &policy, now);
            for (place, promise) in snapshot.plan.reservations.iter().enumerate() {
                let start = starts[&promise.job];
                let is_head = place == 0 && name == "easy-machine";
                prop_assert!(start <= promise.at && (!is_head || start == promise.at),
                    "{name}: job {} starts at {start}, promised for {}", promise.job, promise.at);
            }
        }
    }

    /// What a reason says is so.
    #[test]
    fn a_reason_is_true(case in cases(), policy in named(), now in 0u64..150) {
        let snapshot = stopped(&case, &policy, now);
        let pass_at = snapshot.pass_at.unwrap_or_default();
        for waiting in &snapshot.plan.waiting {
            let place_of = |job: JobId| snapshot.plan.waiting.iter().position(|other| other.job == job);
            match &waiting.reason {
                Reason::WouldDelayReservation { head, until, left, limit } => {
                    prop_assert!(limit > left && *left == until.since(pass_at), "{}", waiting.reason);
                    let promised = snapshot.plan.reservations.iter().find(|promise| promise.job == *head);
                    prop_assert_eq!(promised.map(|promise| promise.at), Some(*until));
                }
                Reason::BehindHead { head, passing } => {
                    prop_assert!(place_of(*head) < place_of(waiting.job));
                    prop_assert_eq!(*passing == PassingBy::Nobody, !policy.has_backfill());
                }
                Reason::Resources(shortage) => {
                    let free = snapshot.cluster.free();
                    prop_assert!(shortage.fits < shortage.ask.parts() && free.covers(&shortage.free), "{}", waiting.reason);
                }
                Reason::FragmentedResources(shortage) => prop_assert!(shortage.fits < shortage.ask.parts()),
                Reason::ReservedNodes { start, end, open, ask, .. } => {
                    prop_assert!(pass_at < *end && start < end && *open < ask.parts());
                }
                Reason::BeginTime { at, .. } => prop_assert!(*at > pass_at),
                Reason::ArrayTaskLimit { running, throttle, .. } => prop_assert!(running >= throttle),
                Reason::Licences { asked, free, .. } => prop_assert!(asked > free),
                Reason::NotIdle { nodes, idle, .. } => prop_assert!(idle < nodes || *nodes > 1 || case.fleet.nodes().len() > 1),
                _ => {}
            }
        }
    }
}

/// One node. Job 1 runs until 100. The others wait for a begin time, for another job, for a task of the same array and for the end of
/// maintenance; each then starts in its turn.
#[test]
fn a_start_is_predicted_whatever_a_job_waits_for() {
    let maintenance = AdvanceReservation {
        name: "maintenance".into(),
        start: at(1000),
        end: at(1500),
        nodes: vec![NodeId(0)],
        users: Vec::new(),
        accounts: Vec::new(),
    };
    let with = |terms, row: Job| Job { spec: on(terms, row.spec), truth: row.truth };
    let task =
        |index| Terms { array: Some(ArrayTask { array: JobId(4), index, throttle: 1 }), ..Terms::default() };
    let after = Dependency { job: JobId(1), kind: DependencyKind::AfterAny };
    let jobs = vec![
        job(1, 0, 100, 60, gpu_nodes(1, 4)),
        with(Terms { begin: at(300), ..Terms::default() }, job(2, 0, 50, 50, gpu_nodes(1, 4))),
        with(Terms { after: vec![after], ..Terms::default() }, job(3, 0, 80, 80, gpu_nodes(1, 2))),
        with(task(0), job(4, 0, 150, 150, gpu_nodes(1, 2))),
        with(task(1), job(5, 0, 150, 150, gpu_nodes(1, 2))),
        job(6, 0, 990, 990, gpu_nodes(1, 2)),
    ];
    let fleet = FleetSpec::uniform("n", 1, Resources { cpus: 8, gpus: 8, memory_mib: 0 }).build().unwrap();
    let case = Case {
        fleet: Arc::new(fleet),
        site: Arc::new(Site { reservations: vec![maintenance], ..Site::default() }),
        jobs,
    };
    // Job 4 starts beside job 1, and job 6 fits, too, but job 1 ends at 100 by its limit. Job 5 follows job 4 at 150.
    let predicted = |policy: &str, secs| -> Vec<(u64, Option<SimTime>)> {
        let plan = stopped(&case, &Policy::named(policy).unwrap(), secs).plan;
        plan.waiting.iter().map(|waiting| (waiting.job.0, waiting.expected)).collect()
    };
    for policy in
        ["fcfs", "easy", "easy-machine", "conservative", "conservative-replan", "conservative-machine"]
    {
        let expected = [(2, 300), (3, 100), (5, 150)].map(|(job, start)| (job, Some(at(start))));
        assert_eq!(predicted(policy, 30), expected, "{policy}");
    }
}
