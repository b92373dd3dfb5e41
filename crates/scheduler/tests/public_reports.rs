//! What others reported about their schedulers, as tests of the right behaviour. Each names its source.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod harness;

use std::collections::BTreeMap;
use std::sync::Arc;

use harness::{at, gpu_cluster, gpu_nodes, job, on, pass, plan, site_cluster, spec, started, tasks, told};
use switchyard_model::{
    Domains, Fleet, FleetError, FleetSpec, Job, JobId, LicenceAsk, NodeClass, NodeId, Outcome, Partition,
    Resources, Shape, SimDuration, Site, Terms,
};
use switchyard_scheduler::metrics::{Metrics, MetricsOptions};
use switchyard_scheduler::{
    Cluster, Multifactor, Order, Policy, Reason, ReplayOptions, Run, Scheduler, Weights, replay,
};

const EASY: [&str; 2] = ["easy", "easy-machine"];

fn fleet(nodes: u32) -> Arc<Fleet> {
    let node = Resources { cpus: 8, gpus: 8, memory_mib: 0 };
    Arc::new(FleetSpec::uniform("gpus", nodes, node).build().unwrap())
}

fn run(policy: &str, nodes: u32, site: Site, jobs: &[Job]) -> Run {
    let options = ReplayOptions { site: Arc::new(site), ..ReplayOptions::default() };
    replay(fleet(nodes), jobs, &Policy::named(policy).unwrap(), options).unwrap()
}

/// The second in which each job starts.
fn starts(run: &Run) -> BTreeMap<u64, u64> {
    run.spans.iter().map(|span| (span.job.0, span.start.as_micros() / 1_000_000)).collect()
}

/// flux-framework/flux-sched#197: a job that could not be matched at once got no reservation, so that later ones delayed it.
#[test]
fn who_can_run_later_has_a_reservation_now() {
    for policy in EASY {
        let mut cluster = gpu_cluster(4);
        cluster.submit(spec(1, 0, 100, gpu_nodes(3, 8)), at(0)).unwrap();
        cluster.submit(spec(2, 0, 100, gpu_nodes(4, 8)), at(0)).unwrap();
        cluster.submit(spec(3, 0, 101, gpu_nodes(1, 8)), at(0)).unwrap();
        let plan = pass(policy, &mut cluster, 0);
        assert_eq!(started(&plan), [1], "{policy}: job 3 would delay job 2");
        assert_eq!((plan.reservations[0].job, plan.reservations[0].at), (JobId(2), at(100)), "{policy}");
    }
}

/// flux-framework/flux-sched#224: a missing time limit became 0. It is the partition's default, else its longest.
#[test]
fn a_job_without_a_time_limit_gets_that_of_its_partition() {
    let secs = |secs| Some(SimDuration::from_secs(secs));
    let short = Partition { default_time: secs(50), max_time: secs(90), ..Partition::new("short", None) };
    let long = Partition { max_time: secs(90), ..Partition::new("long", None) };
    let site = Site { partitions: vec![short, long], ..Site::default() };
    let to = |partition: &str, row: Job| Job {
        spec: on(Terms { partition: Some(partition.into()), ..Terms::default() }, row.spec),
        truth: row.truth,
    };
    let jobs = [
        to("short", job(1, 0, 0, 1000, gpu_nodes(1, 8))),
        to("long", job(2, 0, 0, 1000, gpu_nodes(1, 8))),
        to("long", job(3, 0, 0, 20, gpu_nodes(1, 8))),
    ];
    let run = run("easy", 4, site, &jobs);
    let ends: BTreeMap<u64, u64> =
        run.spans.iter().map(|span| (span.job.0, span.end.as_micros() / 1_000_000)).collect();
    assert_eq!(ends, [(1, 50), (2, 90), (3, 20)].into());
}

/// flux-framework/flux-sched#572: 4 nodes, 28 nodes' worth of equally short jobs. With their limits, backfill packs them into 7
/// waves of 4.
#[test]
fn backfill_by_limits_packs_equal_jobs_into_as_few_waves_as_possible() {
    let mut rows = vec![(4, 100), (3, 90), (3, 90)];
    rows.extend([(2, 80); 4]);
    rows.extend((0..10).map(|index| (1, 70 - 5 * index)));
    let row = |(id, (nodes, limit)): (u64, (u32, u64))| job(id, 0, limit, 10, gpu_nodes(nodes, 8));
    let jobs: Vec<Job> = (1..).zip(rows).map(row).collect();
    for policy in EASY {
        let run = run(policy, 4, Site::default(), &jobs);
        let last = run.spans.iter().map(|span| span.end).max();
        assert_eq!(last, Some(at(70)), "{policy}");
    }
    // In strict order the gaps beside the jobs of 3 nodes stay empty.
    let strict = run("fcfs", 4, Site::default(), &jobs);
    assert_eq!(strict.spans.iter().map(|span| span.end).max(), Some(at(80)));
}

/// flux-framework/flux-sched#1210: jobs for drained nodes used up the depth of the queue, so that nobody looked at the others.
#[test]
fn jobs_that_cannot_start_do_not_hide_those_that_can() {
    for policy in ["fcfs", "easy", "easy-machine"] {
        let mut cluster = gpu_cluster(4);
        cluster.set_available(NodeId(3), false);
        for id in 1..=600 {
            cluster.submit(spec(id, 0, 100, gpu_nodes(4, 8)), at(0)).unwrap();
        }
        cluster.submit(spec(601, 0, 100, gpu_nodes(3, 8)), at(0)).unwrap();
        assert_eq!(started(&plan(policy, &cluster, 0)), [601], "{policy}");
    }
}

/// flux-framework/flux-sched#670: the first in line needs nodes that are down. It is skipped, not refused, and starts when they
/// are back.
#[test]
fn a_head_for_nodes_that_are_down_is_skipped_and_kept() {
    for policy in ["fcfs", "easy", "easy-machine"] {
        let mut cluster = gpu_cluster(4);
        cluster.set_available(NodeId(0), false);
        cluster.submit(spec(1, 0, 100, gpu_nodes(4, 8)), at(0)).unwrap();
        cluster.submit(spec(2, 0, 900, gpu_nodes(2, 8)), at(0)).unwrap();
        let down = plan(policy, &cluster, 0);
        assert_eq!((started(&down), &*told(&down, 1)[2]), (vec![2], "ReqNodeNotAvail"), "{policy}");
        assert!(down.reservations.is_empty(), "{policy}");
        cluster.set_available(NodeId(0), true);
        assert_eq!(started(&plan(policy, &cluster, 0)), [1], "{policy}");
    }
}

/// aws-samples/aws-eda-slurm-cluster#60: backfill did not look at licences, so that a stream of small jobs starved the one that
/// needed them all. They take part in the reservation.
#[test]
fn backfill_keeps_the_licences_that_the_head_will_need() {
    let site = || Site { licences: [("vcs".into(), 4)].into(), ..Site::default() };
    let vcs = |count, row: Job| {
        let licences = vec![LicenceAsk { name: "vcs".into(), count }];
        Job { spec: on(Terms { licences, ..Terms::default() }, row.spec), truth: row.truth }
    };
    let mut jobs = vec![
        vcs(3, job(1, 0, 100, 100, gpu_nodes(1, 1))),
        vcs(4, job(2, 0, 100, 100, gpu_nodes(1, 1))),
        job(3, 0, 500, 500, gpu_nodes(1, 1)),
        vcs(1, job(4, 0, 90, 90, gpu_nodes(1, 1))),
    ];
    // One after the other, each longer than what is left until the head's turn once job 4 has given its licence back.
    jobs.extend((0..20).map(|n| vcs(1, job(5 + n, 10 * n, 100, 100, gpu_nodes(1, 1)))));
    for policy in EASY {
        let starts = starts(&run(policy, 4, site(), &jobs));
        assert_eq!((starts[&1], starts[&2], starts[&3], starts[&4]), (0, 100, 0, 0), "{policy}");
        assert!((5..25).all(|late| starts[&late] >= 200), "{policy}: {starts:?}");
    }
}

/// ROCm/spur PR#732: busy nodes were left out of the plan, or taken to be busy for 24 h, so that wide jobs never got a reservation.
#[test]
fn a_wide_job_is_planned_for_when_running_jobs_reach_their_limits() {
    for policy in EASY {
        let mut cluster = gpu_cluster(4);
        for (id, limit) in [(1, 300), (2, 100), (3, 200), (4, 400)] {
            cluster.submit(spec(id, 0, limit, gpu_nodes(1, 8)), at(0)).unwrap();
        }
        pass(policy, &mut cluster, 0);
        cluster.submit(spec(5, 1, 100, gpu_nodes(3, 8)), at(1)).unwrap();
        let plan = plan(policy, &cluster, 1);
        let promise = &plan.reservations[0];
        assert_eq!((promise.at, &promise.nodes), (at(300), &[0, 1, 2].map(NodeId).to_vec()), "{policy}");
    }
}

/// oar-team/batsim#4 and #51: jobs ran past their walltime, and the energy of multi-host jobs that had been killed was wrong. Killed
/// at the limit, it is the power of a host times the time in use times the hosts: 203 W x 3 s x 2.
#[test]
fn a_job_killed_at_its_limit_uses_its_nodes_no_longer() {
    let jobs = [job(1, 0, 3, 1000, gpu_nodes(2, 8))];
    let run = run("fcfs", 4, Site::default(), &jobs);
    assert_eq!((run.spans[0].end, run.spans[0].outcome), (at(3), Outcome::TimeLimit));
    let metrics = Metrics::of(&run, &fleet(4), &jobs, MetricsOptions::default());
    let joules = 203.0 * metrics.ledgers.nodes_in_use.as_secs_f64();
    assert!((joules - 1218.0).abs() < 1e-9, "{joules}");
}

/// kai-scheduler#1969 and #1970: a stream of small jobs keeps a wide gang waiting for ever, and ageing should be capped. Whoever has
/// a reservation waits at most for the limits of what ran when it came, however many small jobs come after it.
#[test]
fn a_wide_gang_waits_no_longer_than_the_small_jobs_before_it() {
    let small = |id| job(id, 13 * id, 100, 100, gpu_nodes(1, 8));
    let mut jobs: Vec<Job> = (1..200).map(small).collect();
    jobs.push(job(200, 995, 100, 100, gpu_nodes(8, 8)));
    for policy in
        ["easy", "easy-machine", "conservative", "conservative-replan", "conservative-machine", "slurm"]
    {
        let starts = starts(&run(policy, 8, Site::default(), &jobs));
        // Slurm sees it in a cycle of every 30 s.
        let latest = if policy == "slurm" { 1095 + 30 } else { 1095 };
        assert!((995..=latest).contains(&starts[&200]), "{policy}: {}", starts[&200]);
    }
}

/// The second half of the wish: a job ages up to a bound, and no further.
#[test]
fn ageing_has_a_bound() {
    let weights = Weights { age: 1000, ..Weights::default() };
    let max_age = SimDuration::from_secs(1000);
    let order = Order::Multifactor(Multifactor { weights, max_age, ..Multifactor::slurm() });
    let mut scheduler = Scheduler::new(Policy { order, ..Policy::named("slurm").unwrap() });
    let mut cluster = gpu_cluster(1);
    cluster.submit(spec(1, 0, 5000, gpu_nodes(1, 8)), at(0)).unwrap();
    let begun = scheduler.plan(&cluster, at(0)).starts.remove(0);
    cluster.start(begun.job, begun.placement, at(0)).unwrap();
    cluster.submit(spec(2, 0, 100, gpu_nodes(1, 8)), at(0)).unwrap();
    let mut age = |now| {
        scheduler.plan(&cluster, at(now));
        scheduler.priority_of(&cluster, JobId(2), at(now)).unwrap().age
    };
    // Priorities are calculated every 300 s.
    for (now, expected) in [(0, 0.0), (300, 300.0), (900, 900.0), (1200, 1000.0), (4200, 1000.0)] {
        let age = age(now);
        assert!((age - expected).abs() < 1e-9, "{age} at {now} s");
    }
}

/// volcano-sh/volcano#5751: 6 GPUs are free in one domain and 2 in another, which is no room for 8 in one domain; and a domain may
/// span nodes (NVL72: 18 nodes of 4).
#[test]
fn capacity_is_counted_per_domain_and_not_per_sum() {
    let class = |domains, count, gpus| NodeClass {
        domains,
        nodes_per_rack: 18,
        ..NodeClass::new("n", count, Resources { cpus: 16, gpus, memory_mib: 0 })
    };
    let one_domain = || Terms { one_domain: true, ..Terms::default() };
    let fleet = |class| Arc::new(FleetSpec::of("f", vec![class]).build().unwrap());
    let mut cluster = Cluster::new(fleet(class(Domains::Nodes { nodes: 2 }, 4, 4)));
    // Two domains of two nodes with 8 GPUs. Job 1 takes 2 GPUs, job 2 takes 6.
    cluster.submit(spec(1, 0, 100, gpu_nodes(1, 2)), at(0)).unwrap();
    pass("easy", &mut cluster, 0);
    cluster.set_available(NodeId(0), false);
    cluster.set_available(NodeId(1), false);
    cluster.submit(spec(2, 0, 100, gpu_nodes(2, 3)), at(0)).unwrap();
    pass("easy", &mut cluster, 0);
    cluster.set_available(NodeId(0), true);
    cluster.set_available(NodeId(1), true);
    let eight = Shape::Tasks { tasks: 8, per_task: Resources { cpus: 1, gpus: 1, memory_mib: 0 } };
    cluster.submit(on(one_domain(), spec(3, 1, 100, eight)), at(1)).unwrap();
    let plan = plan("easy", &cluster, 1);
    assert!(matches!(plan.waiting[0].reason, Reason::ScatteredDomains { free: 8, domains: 2, most: 6, .. }));
    let sentence = "Needs 8 GPUs in one NVSwitch domain; 8 are free, but over 2 domains.";
    let evidence = "The fullest choice that one domain offers is 6 GPUs.";
    assert_eq!(told(&plan, 3), [sentence, evidence, "Resources"]);
    assert_eq!(plan.reservations[0].at, at(100));

    let mut rack = Cluster::new(fleet(class(Domains::Nodes { nodes: 18 }, 36, 4)));
    rack.submit(on(one_domain(), spec(1, 0, 100, gpu_nodes(18, 4))), at(0)).unwrap();
    rack.submit(on(one_domain(), spec(2, 0, 100, gpu_nodes(19, 4))), at(0)).unwrap();
    let plan = harness::plan("easy", &rack, 0);
    assert_eq!(started(&plan), [1], "18 nodes are one domain");
    let sentence = "Can never run on this fleet: needs 76 GPUs in one NVSwitch domain.";
    assert_eq!(told(&plan, 2)[..2], [sentence, "The largest domain that it may use has 72 GPUs."]);
}

/// opendc-simulator#4: tasks that went to machines without processing units never ended. Alibaba open-simulator PR#34: a pod that
/// could not be placed kept the simulation from ending.
#[test]
fn nodes_without_capacity_are_no_candidates_and_what_fits_nowhere_ends_the_run() {
    let none = FleetSpec::uniform("none", 4, Resources { cpus: 0, gpus: 8, memory_mib: 0 });
    assert!(matches!(none.build(), Err(FleetError::NoCpus { .. })));
    let classes = vec![
        NodeClass::new("cpu", 2, Resources::cpus(8)),
        NodeClass::new("gpu", 1, Resources { cpus: 8, gpus: 2, memory_mib: 0 }),
    ];
    let fleet = Arc::new(FleetSpec::of("mixed", classes).build().unwrap());
    let jobs = [
        job(1, 0, 10, 10, gpu_nodes(2, 1)),
        job(2, 0, 10, 10, gpu_nodes(1, 2)),
        job(3, 0, 10, 10, gpu_nodes(1, 2)),
        job(4, 0, 10, 10, tasks(25)),
    ];
    for policy in ["fcfs", "easy", "easy-machine"] {
        let policy = Policy::named(policy).unwrap();
        let run = replay(Arc::clone(&fleet), &jobs, &policy, ReplayOptions::default()).unwrap();
        assert_eq!(starts(&run), [(2, 0), (3, 10)].into());
        assert!(run.spans.iter().all(|span| span.placement.to_string() == "2"));
        let never: Vec<_> = run.never_started.iter().map(|(job, why)| (job.0, why.slurm_code())).collect();
        assert_eq!(never, [(1, "BadConstraints"), (4, "BadConstraints")]);
    }
}

/// volcano-sh/volcano#1086: a job that can't be placed stopped the pass for all behind it. Here only a strict order does, and
/// only where both could use the same nodes.
#[test]
fn a_blocked_job_stops_only_those_that_want_the_same_nodes() {
    let nodes = |from: u32| Some(vec![NodeId(from), NodeId(from + 1)]);
    let partitions = vec![Partition::new("a", nodes(0)), Partition::new("b", nodes(2))];
    let to = |partition: &str| Terms { partition: Some(partition.into()), ..Terms::default() };
    for policy in ["fcfs", "easy", "easy-machine"] {
        let mut cluster = site_cluster(4, Site { partitions: partitions.clone(), ..Site::default() });
        for (id, partition, limit, nodes) in [
            (1, "a", 100, 1),
            (2, "a", 100, 2),
            (3, "a", 200, 1),
            (4, "b", 900, 1),
            (5, "b", 900, 2),
            (6, "b", 901, 1),
        ] {
            cluster.submit(on(to(partition), spec(id, 0, limit, gpu_nodes(nodes, 8))), at(0)).unwrap();
        }
        let plan = plan(policy, &cluster, 0);
        assert_eq!(started(&plan), [1, 4], "{policy}");
        assert!(!plan.starts[1].backfilled, "{policy}: nobody in its partition is before it");
        assert_eq!((&*told(&plan, 3)[2], &*told(&plan, 6)[2]), ("Priority", "Priority"), "{policy}");
        let promised: Vec<_> = plan.reservations.iter().map(|promise| (promise.job.0, promise.at)).collect();
        let expected = if policy == "fcfs" { vec![] } else { vec![(2, at(100)), (5, at(900))] };
        assert_eq!(promised, expected, "{policy}");
    }
}

/// aliyun/SimAI#60: the modelled NVSwitch topology and bandwidth were not those of a real H100 node, and nobody could tell where
/// they came from. Each fleet that has a name says what it is modelled on.
#[test]
fn named_fleets_cite_the_source_of_their_numbers() {
    for name in FleetSpec::NAMES {
        let about = FleetSpec::about(name).unwrap();
        assert!(
            ["slurm-scheduler-lab", "k8s-gpu-scheduler-lab", "datasheet"]
                .iter()
                .any(|source| about.contains(source)),
            "{name}: {about}"
        );
        let fleet = FleetSpec::named(name).unwrap().build().unwrap();
        assert!(about.starts_with(&format!("{} nodes of", fleet.nodes().len())), "{name}: {about}");
    }
}
