//! What holds for every workload, fleet and policy.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod harness;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use harness::at;
use proptest::prelude::*;
use switchyard_model::{
    Fleet, FleetSpec, GpuSet, Job, JobId, JobSpec, NodeClass, NodeId, Oracle, Outcome, PerMille, Resources,
    Shape, SimDuration, SimTime, Terms, Truth,
};
use switchyard_scheduler::{
    Charge, Cluster, Discipline, Order, PlacementRule, Plan, Policy, ReplayOptions, Run, Scheduler, replay,
};

/// Two classes of nodes, the second often small, so that first fit has something to step over.
fn fleets() -> impl Strategy<Value = Arc<Fleet>> {
    let node = (1u32..=8, 0u32..=4).prop_map(|(cpus, gpus)| Resources { cpus, gpus, memory_mib: 64 });
    prop::collection::vec((1u32..=4, node), 1..=2).prop_map(|classes| {
        let class = |(i, (count, node))| NodeClass::new(&format!("c{i}-"), count, node);
        let classes = classes.into_iter().enumerate().map(class).collect();
        Arc::new(FleetSpec::of("small", classes).build().unwrap())
    })
}

fn shapes() -> impl Strategy<Value = Shape> {
    let piece = (1u32..=6, 0u32..=3, 0u64..=40);
    let piece = piece.prop_map(|(cpus, gpus, memory_mib)| Resources { cpus, gpus, memory_mib });
    (1u32..=5, piece, any::<bool>()).prop_map(|(parts, each, nodes)| match nodes {
        true => Shape::Nodes { nodes: parts, per_node: each },
        false => Shape::Tasks { tasks: parts, per_task: each },
    })
}

fn jobs(shapes: impl Strategy<Value = Shape>) -> impl Strategy<Value = Vec<Job>> {
    let account = prop::sample::select(vec!["research", "trading", "infra", "guest"]);
    let job = (0u64..60, 1u64..50, 0u64..60, shapes, account, 0u16..=1000);
    prop::collection::vec(job, 1..30).prop_map(|rows| {
        let job = |(id, (submit, limit, runtime, shape, account, qos)): (usize, (_, _, _, _, &str, _))| {
            let spec = JobSpec {
                id: JobId(id as u64),
                user: account.into(),
                account: account.into(),
                submit: at(submit),
                limit: SimDuration::from_secs(limit),
                shape,
                qos: PerMille(qos),
                terms: Terms::default(),
            };
            Job { spec: Arc::new(spec), truth: Truth::new(SimDuration::from_secs(runtime)) }
        };
        rows.into_iter().enumerate().map(job).collect()
    })
}

fn policies() -> impl Strategy<Value = Policy> {
    let named = Policy::NAMES.map(|name| Policy::named(name).unwrap());
    let charged_at_end = ["seed-lab-v01-off", "seed-lab-v01"].map(|name| charged_at_end(name, None));
    let on_machines = charged_at_end_on_machines();
    let all = named.into_iter().chain(charged_at_end).chain([on_machines]).chain(reserving());
    let rules = prop::sample::select(PlacementRule::ALL.to_vec());
    (prop::sample::select(all.collect::<Vec<_>>()), rules)
        .prop_map(|(policy, placement)| Policy { placement, ..policy })
}

/// Conservative backfill under orders other than by arrival.
fn reserving() -> Vec<Policy> {
    let disciplines =
        [Discipline::Conservative, Discipline::ConservativeReplan, Discipline::ConservativeMachine];
    let with = |discipline| {
        let shortest = Policy { order: Order::Shortest, discipline, ..Policy::named("easy").unwrap() };
        let wfp3 = Policy { order: Order::Wfp3, ..shortest.clone() };
        [shortest, wfp3, charged_at_end("seed-lab-v01", Some(discipline))]
    };
    disciplines.into_iter().flat_map(with).collect()
}

/// A multifactor policy that doesn't look into the future.
fn charged_at_end(name: &str, discipline: Option<Discipline>) -> Policy {
    let mut policy = Policy::named(name).unwrap();
    let Order::Multifactor(multifactor) = &mut policy.order else { panic!("{name} has no weights") };
    multifactor.charge = Charge::AtEnd;
    policy.discipline = discipline.unwrap_or(policy.discipline);
    policy
}

fn charged_at_end_on_machines() -> Policy {
    charged_at_end("seed-lab-v01", Some(Discipline::EasyMachine))
}

fn run(fleet: &Arc<Fleet>, jobs: &[Job], policy: &Policy) -> Run {
    replay(Arc::clone(fleet), jobs, policy, ReplayOptions::default()).unwrap()
}

fn runtime(job: &Job) -> SimDuration {
    Oracle::new().runtime(&job.truth).min(job.spec.limit)
}

/// What a policy decided at one instant.
struct Decision {
    at: SimTime,
    plan: Plan,
    /// Everyone who was waiting.
    queue: BTreeSet<JobId>,
}

/// A driver of its own, simpler than the replay: it keeps every plan, with the reasons.
fn decisions(fleet: &Arc<Fleet>, jobs: &[Job], policy: &Policy) -> Vec<Decision> {
    let mut cluster = Cluster::new(Arc::clone(fleet));
    let mut scheduler = Scheduler::new(policy.clone());
    let mut ends: BTreeSet<(SimTime, JobId)> = BTreeSet::new();
    let by_id: BTreeMap<JobId, &Job> = jobs.iter().map(|job| (job.spec.id, job)).collect();
    let mut instants: BTreeSet<SimTime> = jobs.iter().map(|job| job.spec.submit).collect();
    let mut decisions = Vec::new();
    let mut submitted = BTreeSet::new();
    let mut wake: Option<SimTime> = None;
    while let Some(now) = wake.take().or_else(|| instants.pop_first()) {
        while let Some(&(end, job)) = ends.first().filter(|(end, _)| *end <= now) {
            cluster.finish(job, Outcome::Completed).unwrap();
            ends.remove(&(end, job));
        }
        for job in jobs.iter().filter(|job| job.spec.submit <= now && submitted.insert(job.spec.id)) {
            cluster.submit(Arc::clone(&job.spec), now).unwrap();
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
        }
        decisions.push(Decision { at: now, plan, queue });
        let next = instants.first().copied();
        wake = scheduler.wake_at(&cluster, now).filter(|wake| next.is_some_and(|next| *wake < next));
    }
    decisions
}

/// The promise to a head: once told a shadow time, it starts no later.
fn heads_start_by_their_shadow_time(fleet: &Arc<Fleet>, jobs: &[Job], policy: &Policy) {
    let decisions = decisions(fleet, jobs, policy);
    let mut starts = BTreeMap::new();
    for decision in &decisions {
        starts.extend(decision.plan.starts.iter().map(|start| (start.job, decision.at)));
    }
    for decision in &decisions {
        if let Some(promise) = decision.plan.head_reservation() {
            let start = starts[&promise.job];
            assert!(
                start <= promise.at,
                "{}: job {} was promised {} at {} and started at {start}",
                policy.name,
                promise.job,
                promise.at,
                decision.at
            );
        }
    }
}

proptest! {
    #[test]
    fn no_node_ever_gives_more_than_it_has(fleet in fleets(), jobs in jobs(shapes()), policy in policies()) {
        let run = run(&fleet, &jobs, &policy);
        for begun in &run.spans {
            let live = run.spans.iter().filter(|span| span.start <= begun.start && begun.start < span.end);
            let mut used: BTreeMap<NodeId, (Resources, GpuSet)> = BTreeMap::new();
            for share in live.flat_map(|span| span.placement.shares()) {
                let (sum, gpus) = used.entry(share.node).or_default();
                *sum = sum.plus(&share.resources());
                prop_assert!(!gpus.overlaps(share.gpus), "a GPU of node {} twice", share.node);
                *gpus = gpus.union(share.gpus);
            }
            for (node, (sum, gpus)) in used {
                let capacity = fleet.node(node).unwrap().capacity;
                prop_assert!(capacity.covers(&sum), "node {node} gives {sum:?} of {capacity:?}");
                prop_assert!(gpus.minus(GpuSet::first(capacity.gpus)).is_empty());
            }
        }
    }

    #[test]
    fn every_job_runs_once_as_it_asked_or_never_fits(
        fleet in fleets(), jobs in jobs(shapes()), policy in policies(),
    ) {
        let run = run(&fleet, &jobs, &policy);
        prop_assert_eq!(run.spans.len() + run.never_started.len(), jobs.len());
        let spans: BTreeMap<_, _> = run.spans.iter().map(|span| (span.job, span)).collect();
        let never: BTreeSet<_> = run.never_started.iter().map(|(job, _)| *job).collect();
        for job in &jobs {
            let Some(span) = spans.get(&job.spec.id) else {
                prop_assert!(never.contains(&job.spec.id));
                continue;
            };
            prop_assert!(span.start >= job.spec.submit);
            prop_assert_eq!(span.end.since(span.start), runtime(job));
            let over = Oracle::new().runtime(&job.truth) > job.spec.limit;
            prop_assert_eq!(span.outcome == Outcome::TimeLimit, over);
            prop_assert_eq!(span.placement.total(), job.spec.shape.total());
            if let Shape::Nodes { nodes, per_node } = job.spec.shape {
                prop_assert_eq!(span.placement.len(), nodes as usize);
                prop_assert!(span.placement.shares().all(|share| share.resources() == per_node));
            }
        }
        prop_assert!(run.never_started.iter().all(|(_, reason)| reason.slurm_code() == "BadConstraints"));
    }

    #[test]
    fn the_same_input_gives_the_same_output(fleet in fleets(), jobs in jobs(shapes()), policy in policies()) {
        let mut shuffled = jobs.clone();
        shuffled.reverse();
        prop_assert_eq!(run(&fleet, &jobs, &policy), run(&fleet, &shuffled, &policy));
    }

    #[test]
    fn two_drivers_agree(fleet in fleets(), jobs in jobs(shapes()), policy in policies()) {
        let of_replay = run(&fleet, &jobs, &policy).spans;
        let of_replay: Vec<_> = of_replay.iter().map(|s| (s.job, s.start, s.placement.unpack(), s.backfilled)).collect();
        let decisions = decisions(&fleet, &jobs, &policy);
        let starts = decisions.iter().flat_map(|d| d.plan.starts.iter().map(|start| (d.at, start)));
        let ours: Vec<_> = starts.map(|(at, s)| (s.job, at, s.placement.clone(), s.backfilled)).collect();
        prop_assert_eq!(of_replay, ours);
    }

    /// On one resource that any task can use, counting is exact.
    #[test]
    fn easy_by_counting_keeps_its_promise(
        procs in 1u32..40, jobs in jobs((1u32..40).prop_map(harness::tasks)),
    ) {
        let fleet = Arc::new(FleetSpec::processors(procs).build().unwrap());
        heads_start_by_their_shadow_time(&fleet, &jobs, &Policy::named("easy").unwrap());
    }

    #[test]
    fn easy_by_machine_keeps_its_promise(fleet in fleets(), jobs in jobs(shapes())) {
        heads_start_by_their_shadow_time(&fleet, &jobs, &Policy::named("easy-machine").unwrap());
    }

    /// Under conservative backfill with compression everyone has a reservation from the first pass on, and keeps it or gets a
    /// better one, whatever the order of the queue.
    #[test]
    fn reservations_never_move_later(
        fleet in fleets(), jobs in jobs(shapes()),
        discipline in prop::sample::select(vec![Discipline::Conservative, Discipline::ConservativeMachine]),
        order in prop::sample::select(vec![Order::Fifo, Order::Shortest, Order::Largest, Order::Wfp3]),
    ) {
        let policy = Policy { order, discipline, ..Policy::named("conservative").unwrap() };
        let mut promised: BTreeMap<JobId, SimTime> = BTreeMap::new();
        for decision in decisions(&fleet, &jobs, &policy) {
            let plan = &decision.plan;
            let starts = plan.starts.iter().map(|start| (start.job, decision.at));
            let reserved = plan.reservations.iter().map(|reservation| (reservation.job, reservation.at));
            for (job, at) in starts.chain(reserved) {
                let before = promised.insert(job, at);
                prop_assert!(before.is_none_or(|before| at <= before), "job {job} moved from {before:?} to {at}");
            }
            let never = plan.waiting.iter().filter(|waiting| waiting.reason.slurm_code() == "BadConstraints");
            prop_assert_eq!(plan.reservations.len() + never.count(), plan.waiting.len());
        }
    }

    /// Jobs that are not eligible yet have no reservation, and stand in nobody's way.
    #[test]
    fn under_conservative_backfill_nobody_starts_before_the_begin_time(
        fleet in fleets(), jobs in jobs(shapes()), begins in prop::collection::vec(0u64..90, 30),
        discipline in prop::sample::select(vec![
            Discipline::Conservative, Discipline::ConservativeReplan, Discipline::ConservativeMachine,
        ]),
    ) {
        let with_begin = |(job, begin): (&Job, &u64)| {
            let terms = Terms { begin: at(*begin), ..Terms::default() };
            Job { spec: Arc::new(JobSpec { terms, ..JobSpec::clone(&job.spec) }), truth: job.truth }
        };
        let jobs: Vec<Job> = jobs.iter().zip(&begins).map(with_begin).collect();
        let policy = Policy { discipline, ..Policy::named("conservative").unwrap() };
        let run = run(&fleet, &jobs, &policy);
        let begin: BTreeMap<_, _> = jobs.iter().map(|job| (job.spec.id, job.spec.terms.begin)).collect();
        prop_assert!(run.spans.iter().all(|span| span.start >= begin[&span.job]));
        prop_assert!(run.never_started.iter().all(|(_, reason)| reason.slurm_code() == "BadConstraints"));
    }

    /// Until the first job whose runtime was changed ends, nobody can know.
    #[test]
    fn true_runtimes_of_running_jobs_change_no_plan(
        fleet in fleets(), jobs in jobs(shapes()), policy in policies(),
        changed in prop::collection::vec(prop::option::of(0u64..60), 30),
    ) {
        prop_assume!(policy.charge() != Some(Charge::AtDispatch));
        let change = |(job, changed): (&Job, &Option<u64>)| Job {
            truth: changed.map_or(job.truth, |secs| Truth::new(SimDuration::from_secs(secs))),
            spec: Arc::clone(&job.spec),
        };
        let others: Vec<Job> = jobs.iter().zip(&changed).map(change).collect();
        let (ours, theirs) = (decisions(&fleet, &jobs, &policy), decisions(&fleet, &others, &policy));
        let differs: BTreeMap<JobId, SimDuration> = jobs
            .iter()
            .zip(&others)
            .filter(|(a, b)| runtime(a) != runtime(b))
            .map(|(a, b)| (a.spec.id, runtime(a).min(runtime(b))))
            .collect();
        let begun = ours.iter().flat_map(|d| d.plan.starts.iter().map(|start| (start.job, d.at)));
        let known = begun.filter_map(|(job, at)| differs.get(&job).map(|&shorter| at + shorter)).min();
        for (a, b) in ours.iter().zip(&theirs).take_while(|(a, _)| known.is_none_or(|known| a.at < known)) {
            prop_assert_eq!(a.at, b.at);
            prop_assert_eq!(&a.plan, &b.plan);
        }
    }

    #[test]
    fn everyone_who_stays_has_one_reason(fleet in fleets(), jobs in jobs(shapes()), policy in policies()) {
        for decision in decisions(&fleet, &jobs, &policy) {
            let plan = &decision.plan;
            let started = plan.starts.iter().map(|start| start.job);
            let all: Vec<JobId> = started.chain(plan.waiting.iter().map(|waiting| waiting.job)).collect();
            prop_assert_eq!(all.len(), decision.queue.len());
            prop_assert_eq!(all.into_iter().collect::<BTreeSet<_>>(), decision.queue);
        }
    }

    #[test]
    fn a_scheduler_without_reasons_starts_the_same(
        fleet in fleets(), jobs in jobs(shapes()), policy in policies(),
    ) {
        let mut cluster = Cluster::new(fleet);
        for job in &jobs {
            cluster.submit(Arc::clone(&job.spec), job.spec.submit).unwrap();
        }
        let with = Scheduler::new(policy.clone()).plan(&cluster, at(60));
        let without = Scheduler::without_reasons(policy).plan(&cluster, at(60));
        prop_assert_eq!(&with.starts, &without.starts);
        let shadow = |plan: &Plan| plan.head_reservation().map(|r| (r.job, r.at));
        prop_assert_eq!(shadow(&with), shadow(&without));
        prop_assert!(without.waiting.is_empty());
    }

    /// Starts, ends, requeues, cancellations, nodes that come and go: what is kept in sums stays true.
    #[test]
    fn the_cluster_counts_right(
        fleet in fleets(), jobs in jobs(shapes()), policy in policies(),
        deeds in prop::collection::vec((0u8..6, any::<prop::sample::Index>()), 0..60),
    ) {
        let mut cluster = Cluster::new(Arc::clone(&fleet));
        let mut scheduler = Scheduler::new(policy);
        for (now, (deed, index)) in deeds.into_iter().enumerate() {
            let now = at(now as u64);
            let job = &jobs[index.index(jobs.len())];
            let node = NodeId(index.index(fleet.nodes().len()) as u32);
            match deed {
                0 | 1 => drop(cluster.submit(Arc::clone(&job.spec), now)),
                2 => drop(cluster.finish(job.spec.id, Outcome::Completed)),
                3 => drop(cluster.requeue(job.spec.id)),
                4 => drop(cluster.cancel(job.spec.id)),
                _ => cluster.set_available(node, !cluster.node(node).unwrap().available),
            }
            for start in scheduler.plan(&cluster, now).starts {
                cluster.start(start.job, start.placement, now).unwrap();
            }
            check_sums(&fleet, &cluster);
        }
    }
}

/// Counts everything anew from the running jobs.
fn check_sums(fleet: &Fleet, cluster: &Cluster) {
    let mut sum = Resources::default();
    for (node, state) in fleet.nodes().iter().zip(cluster.nodes()) {
        let shares = cluster.running().filter_map(|running| running.placement.share_of(node.id));
        let used = shares.fold(Resources::default(), |sum, share| sum.plus(&share.resources()));
        assert_eq!(state.free, node.capacity.minus(&used));
        assert_eq!(state.free_gpus.len(), state.free.gpus);
        if state.available {
            sum = sum.plus(&state.free);
        }
    }
    assert_eq!(cluster.free(), sum);
    let down = cluster.nodes().iter().filter(|state| !state.available).count();
    assert_eq!(cluster.unavailable() as usize, down);
}
