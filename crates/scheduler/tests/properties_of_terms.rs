//! What holds for every workload on every site: partitions, limits, licences, dependencies, reservations, exclusive nodes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod harness;
mod random_sites;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use harness::at;
use proptest::prelude::*;
use random_sites::{Case, cases, simple_cases};
use switchyard_model::{
    DependencyKind, Job, JobId, JobSpec, Limits, Oracle, Outcome, Resources, SimDuration, SimTime, Terms,
};
use switchyard_scheduler::{
    Cluster, Discipline, Plan, PlanOn, Policy, Reason, ReplayOptions, Run, Scheduler, SlurmParams, Span,
    replay,
};

const POLICIES: [&str; 8] = [
    "fcfs",
    "easy",
    "easy-machine",
    "seed-lab-v01",
    "conservative",
    "conservative-replan",
    "conservative-machine",
    "slurm",
];

/// Slurm's in each of its ways to plan.
fn policies() -> impl Strategy<Value = Policy> {
    let named = prop::sample::select(POLICIES.map(|name| Policy::named(name).unwrap()).to_vec());
    (named, any::<bool>(), 0usize..3).prop_map(|(policy, bf_licenses, plan_on)| match policy.discipline {
        Discipline::Slurm(params) => {
            let (_, plan_on) = PlanOn::ALL[plan_on];
            Policy { discipline: Discipline::Slurm(SlurmParams { bf_licenses, plan_on, ..params }), ..policy }
        }
        _ => policy,
    })
}

fn run(case: &Case, policy: &Policy) -> Run {
    let options = ReplayOptions { site: Arc::clone(&case.site), ..ReplayOptions::default() };
    replay(Arc::clone(&case.fleet), &case.jobs, policy, options).unwrap()
}

impl Case {
    fn spec(&self, job: JobId) -> &JobSpec {
        &self.jobs.iter().find(|other| other.spec.id == job).unwrap().spec
    }

    fn terms(&self, job: JobId) -> &Terms {
        &self.spec(job).terms
    }

    fn is_exclusive(&self, job: JobId) -> bool {
        let partition = match self.site.destination(self.terms(job)) {
            switchyard_model::Destination::Partition(place) => self.site.partitions[place].exclusive,
            _ => false,
        };
        self.terms(job).exclusive || partition
    }
}

/// All that runs while `begun` starts, that one included.
fn live<'a>(run: &'a Run, begun: &'a Span) -> impl Iterator<Item = &'a Span> {
    run.spans.iter().filter(|span| span.start <= begun.start && begun.start < span.end)
}

/// What a job adds to limits.
fn sum<'a>(spans: impl Iterator<Item = &'a Span>) -> (u32, Resources, u32) {
    spans.fold((0, Resources::default(), 0), |(jobs, amount, nodes), span| {
        let here = span.placement.len() as u32;
        (jobs + 1, amount.plus(&span.placement.total()), nodes + here)
    })
}

fn check_limits(case: &Case, run: &Run, begun: &Span, limits: &Limits, belongs: &dyn Fn(&JobSpec) -> bool) {
    let spec = case.spec(begun.job);
    if !belongs(spec) {
        return;
    }
    let own = sum(std::iter::once(begun));
    let all = sum(live(run, begun).filter(|span| belongs(case.spec(span.job))));
    let same = |span: &&Span| belongs(case.spec(span.job)) && case.spec(span.job).user == spec.user;
    let of_user = sum(live(run, begun).filter(same));
    assert!(limits.wall.is_none_or(|most| spec.limit <= most));
    assert!(limits.jobs.is_none_or(|most| all.0 <= most));
    assert!(limits.jobs_per_user.is_none_or(|most| of_user.0 <= most));
    for (cap, (_, amount, nodes)) in
        [(limits.per_job, own), (limits.running, all), (limits.running_per_user, of_user)]
    {
        assert!(cap.is_none_or(|cap| cap.allows(&amount, nodes)), "{limits:?} {amount:?} on {nodes}");
    }
}

/// The account itself or one below it.
fn is_below(case: &Case, account: &str, above: &str) -> bool {
    let parent = |account: &str| {
        let own = |other: &&switchyard_model::Association| other.user.is_none() && &*other.account == account;
        case.site.associations.iter().find(own)?.parent.clone()
    };
    account == above || parent(account).is_some_and(|parent| is_below(case, &parent, above))
}

proptest! {
    #[test]
    fn nodes_and_licences_never_give_more_than_they_have(case in cases(), policy in policies()) {
        let run = run(&case, &policy);
        for begun in run.spans.iter().filter(|span| span.end > span.start) {
            let live: Vec<&Span> = live(&run, begun).collect();
            for node in case.fleet.nodes() {
                let on = live.iter().filter_map(|span| Some((span.job, span.placement.share_of(node.id)?)));
                let on: Vec<_> = on.collect();
                let used = on.iter().fold(Resources::default(), |sum, (_, share)| sum.plus(&share.resources()));
                prop_assert!(node.capacity.covers(&used));
                let alone = on.iter().any(|(job, _)| case.is_exclusive(*job));
                prop_assert!(!alone || on.len() == 1, "{on:?} share node {}", node.id);
                prop_assert!(!alone || used == node.capacity);
            }
            for (name, count) in &case.site.licences {
                let asks = live.iter().flat_map(|span| &case.terms(span.job).licences);
                let held: u32 = asks.filter(|ask| ask.name == *name).map(|ask| ask.count).sum();
                prop_assert!(held <= *count);
            }
        }
    }

    #[test]
    fn nobody_starts_before_it_may_or_where_it_may_not(case in cases(), policy in policies()) {
        let run = run(&case, &policy);
        let of = |job: JobId| run.spans.iter().find(|span| span.job == job);
        for span in &run.spans {
            let terms = case.terms(span.job);
            prop_assert!(span.start >= span.eligible && span.eligible >= terms.begin);
            for after in &terms.after {
                let other = of(after.job).expect("it has run");
                match after.kind {
                    DependencyKind::After => prop_assert!(other.start <= span.start),
                    kind => {
                        prop_assert!(other.end <= span.start && other.end <= span.eligible);
                        let well = other.outcome == Outcome::Completed;
                        prop_assert!(kind == DependencyKind::AfterAny || well == (kind == DependencyKind::AfterOk));
                    }
                }
            }
            if let Some(array) = terms.array.filter(|array| array.throttle > 0) {
                let tasks = live(&run, span).filter(|other| {
                    case.terms(other.job).array.is_some_and(|other| other.array == array.array)
                });
                prop_assert!(tasks.count() <= array.throttle as usize || span.start == span.end);
            }
            for node in span.placement.nodes().map(|node| case.fleet.node(node).unwrap()) {
                prop_assert!(terms.features.iter().all(|feature| node.features.contains(feature)));
                prop_assert!(terms.gpu_models.is_empty() || terms.gpu_models.contains(node.gpu_model.as_ref().unwrap()));
            }
        }
    }

    #[test]
    fn partitions_and_limits_are_kept(case in cases(), policy in policies()) {
        let run = run(&case, &policy);
        for span in run.spans.iter().filter(|span| span.end > span.start) {
            let spec = case.spec(span.job);
            if let switchyard_model::Destination::Partition(place) = case.site.destination(&spec.terms) {
                let partition = &case.site.partitions[place];
                prop_assert!(!partition.down);
                prop_assert!(partition.max_time.is_none_or(|most| spec.limit <= most));
                prop_assert!(partition.max_nodes.is_none_or(|most| span.placement.len() as u32 <= most));
                let nodes = &partition.nodes;
                prop_assert!(nodes.as_ref().is_none_or(|all| span.placement.nodes().all(|node| all.contains(&node))));
            }
            for qos in &case.site.qos {
                check_limits(&case, &run, span, &qos.limits, &|spec| spec.terms.qos.as_ref() == Some(&qos.name));
            }
            for own in &case.site.associations {
                check_limits(&case, &run, span, &own.limits, &|spec| match &own.user {
                    Some(user) => spec.user == *user && spec.account == own.account,
                    None => is_below(&case, &spec.account, &own.account),
                });
            }
        }
    }

    #[test]
    fn reservations_are_never_intruded_upon(case in cases(), policy in policies()) {
        let run = run(&case, &policy);
        for span in &run.spans {
            let spec = case.spec(span.job);
            let limit_ends = span.start + spec.limit;
            for kept in &case.site.reservations {
                let on_kept = span.placement.nodes().any(|node| kept.nodes.contains(&node));
                let meets = span.start < kept.end && limit_ends > kept.start;
                if spec.terms.reservation.as_ref() == Some(&kept.name) {
                    prop_assert!(kept.admits(spec));
                    prop_assert!(kept.start <= span.start && limit_ends <= kept.end);
                    prop_assert!(span.placement.nodes().all(|node| kept.nodes.contains(&node)));
                } else {
                    prop_assert!(!(on_kept && meets), "{span:?} intrudes upon {kept:?}");
                }
            }
        }
    }

    /// Whoever never starts is told so: at the end nothing is short any more.
    #[test]
    fn every_job_runs_once_or_never_can(case in cases(), policy in policies()) {
        let run = run(&case, &policy);
        let mut seen = BTreeSet::new();
        prop_assert!(run.spans.iter().all(|span| seen.insert(span.job)));
        for (job, reason) in &run.never_started {
            prop_assert!(seen.insert(*job));
            let never = match reason {
                Reason::NeverFits { .. }
                | Reason::BadConstraints { .. }
                | Reason::UnknownPartition { .. }
                | Reason::PartitionDown { .. }
                | Reason::PartitionTimeLimit { .. }
                | Reason::PartitionNodeLimit { .. }
                | Reason::Dependency { .. }
                | Reason::DependencyNeverSatisfied { .. }
                | Reason::Reservation { .. } => true,
                Reason::Licences { asked, total, .. } => asked > total,
                Reason::Limit { excess, .. } => excess.asked > excess.most,
                _ => false,
            };
            prop_assert!(never, "{job}: {reason}");
        }
        prop_assert_eq!(seen.len(), case.jobs.len());
    }

    /// The replay, which looks at as little as it can, decides what a scheduler decides that looks at everyone and gives each a
    /// reason.
    #[test]
    fn two_drivers_agree_and_everyone_who_stays_has_one_reason(case in cases(), policy in policies()) {
        let of_replay: Vec<_> =
            run(&case, &policy).spans.into_iter().map(|span| (span.job, span.start, span.placement.unpack(), span.backfilled)).collect();
        let decisions = decisions(&case, &policy);
        for Decision { plan, queue, .. } in &decisions {
            let started = plan.starts.iter().map(|start| start.job);
            let all: Vec<JobId> = started.chain(plan.waiting.iter().map(|waiting| waiting.job)).collect();
            prop_assert_eq!(all.len(), queue.len());
            prop_assert_eq!(&all.into_iter().collect::<BTreeSet<_>>(), queue);
        }
        let starts = decisions.into_iter().flat_map(|decision| {
            let now = decision.now;
            decision.plan.starts.into_iter().map(move |start| (start.job, now, start.placement, start.backfilled))
        });
        prop_assert_eq!(of_replay, starts.collect::<Vec<_>>());
    }

    /// Partitions, node features, licences and exclusive nodes: each head of EASY on certain nodes starts by its shadow time.
    #[test]
    fn easy_by_machine_keeps_its_promises(case in simple_cases()) {
        let decisions = decisions(&case, &Policy::named("easy-machine").unwrap());
        let mut starts = BTreeMap::new();
        for decision in &decisions {
            starts.extend(decision.plan.starts.iter().map(|start| (start.job, decision.now)));
        }
        for decision in &decisions {
            for promise in &decision.plan.reservations {
                let start = starts[&promise.job];
                prop_assert!(start <= promise.at, "job {} was promised {} at {} and started at {start}",
                    promise.job, promise.at, decision.now);
            }
        }
    }
}

/// What a policy decided at one instant.
struct Decision {
    now: SimTime,
    plan: Plan,
    /// Everyone who was waiting.
    queue: BTreeSet<JobId>,
}

/// A driver of its own, simpler than the replay: it keeps every plan, with the reasons.
fn decisions(case: &Case, policy: &Policy) -> Vec<Decision> {
    let mut cluster = Cluster::with_site(Arc::clone(&case.fleet), Arc::clone(&case.site));
    let mut scheduler = Scheduler::new(policy.clone());
    let mut ends: BTreeSet<(SimTime, JobId)> = BTreeSet::new();
    let by_id: BTreeMap<JobId, &Job> = case.jobs.iter().map(|job| (job.spec.id, job)).collect();
    let mut instants: BTreeSet<SimTime> = case.jobs.iter().map(|job| job.spec.submit).collect();
    let mut decisions = Vec::new();
    let mut submitted = BTreeSet::new();
    let runtime = |job: &Job| Oracle::new().runtime(&job.truth).min(job.spec.limit);
    let outcome = |job: &Job| match Oracle::new().runtime(&job.truth) > job.spec.limit {
        true => Outcome::TimeLimit,
        false => Outcome::Completed,
    };
    while let Some(now) = instants.pop_first() {
        while let Some(&(end, job)) = ends.first().filter(|(end, _)| *end <= now) {
            cluster.finish(job, outcome(by_id[&job])).unwrap();
            ends.remove(&(end, job));
        }
        for job in case.jobs.iter().filter(|job| job.spec.submit <= now && submitted.insert(job.spec.id)) {
            cluster.submit(Arc::clone(&job.spec), now).unwrap();
        }
        let queue = cluster.pending().map(|job| job.spec.id).collect();
        let plan = scheduler.plan(&cluster, now);
        for start in &plan.starts {
            cluster.start(start.job, start.placement.clone(), now).unwrap();
            let job = by_id[&start.job];
            if policy.charge() == Some(switchyard_scheduler::Charge::AtDispatch) {
                let cpus = f64::from(start.placement.total().cpus);
                scheduler.charge(&job.spec, cpus * runtime(job).as_secs_f64(), now);
            }
            ends.insert((now + runtime(job), start.job));
            instants.insert(now + runtime(job));
        }
        instants.extend(scheduler.wake_at(&cluster, now).filter(|wake| *wake < at(100_000)));
        decisions.push(Decision { now, plan, queue });
    }
    decisions
}

/// A limit of no time would end a job where it starts; the cases have none.
#[test]
fn the_cases_are_worth_looking_at() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut codes: BTreeMap<&str, u32> = BTreeMap::new();
    let (mut ran, mut all) = (0, 0);
    for _ in 0..300 {
        let case = cases().new_tree(&mut runner).unwrap().current();
        assert!(case.jobs.iter().all(|job| job.spec.limit > SimDuration::ZERO));
        all += case.jobs.len();
        let decisions = decisions(&case, &Policy::named("easy").unwrap());
        for decision in decisions {
            ran += decision.plan.starts.len();
            for waiting in decision.plan.waiting {
                *codes.entry(waiting.reason.slurm_code()).or_default() += 1;
            }
        }
    }
    assert!(ran * 2 > all, "{ran} of {all} ran: {codes:?}");
    for code in [
        "Resources",
        "Priority",
        "BeginTime",
        "Dependency",
        "DependencyNeverSatisfied",
        "JobArrayTaskLimit",
        "PartitionDown",
        "PartitionTimeLimit",
        "PartitionNodeLimit",
        "Licenses",
        "Reservation",
        "BadConstraints",
        "ReqNodeNotAvail, May be reserved for other job",
        "QOSGrpJobsLimit",
        "QOSMaxCpuPerUserLimit",
        "AssocGrpCpuLimit",
    ] {
        assert!(codes.get(code).is_some_and(|seen| *seen >= 20), "{code} is rare: {codes:?}");
    }
}
