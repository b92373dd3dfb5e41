//! Placement rules and NVSwitch domains in whole policies.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod harness;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use harness::{at, job, spec, tasks};
use proptest::prelude::*;
use switchyard_model::{
    Domains, Fleet, FleetSpec, GpuSet, Job, JobId, JobSpec, NodeClass, NodeId, NodeShare, Oracle, Outcome,
    Placement, Resources, Shape, SimTime, Tier,
};
use switchyard_scheduler::{Cluster, PlacementRule, Plan, Policy, Reason, ReplayOptions, Scheduler, replay};

const fn gpus(gpus: u32) -> Shape {
    Shape::Nodes { nodes: 1, per_node: Resources { cpus: 1, gpus, memory_mib: 0 } }
}

fn policy(name: &str, placement: PlacementRule) -> Policy {
    Policy { placement, ..Policy::named(name).unwrap() }
}

fn plan(name: &str, rule: PlacementRule, cluster: &Cluster, now: u64) -> Plan {
    Scheduler::new(policy(name, rule)).plan(cluster, at(now))
}

/// `count` nodes of 8 GPUs in two boards of 4.
fn boards(count: u32) -> Arc<Fleet> {
    let node = Resources { cpus: 16, gpus: 8, memory_mib: 0 };
    let class = NodeClass { domains: Domains::PerNode { gpus: 4 }, ..NodeClass::new("n", count, node) };
    Arc::new(FleetSpec::of("boards", vec![class]).build().unwrap())
}

fn bound(id: u64, limit: u64, shape: Shape) -> Arc<JobSpec> {
    let mut spec = JobSpec::clone(&spec(id, 0, limit, shape));
    spec.terms.one_domain = true;
    Arc::new(spec)
}

/// A job that runs on these GPUs of a node from second 0 on.
fn runs(cluster: &mut Cluster, id: u64, limit: u64, node: u32, slots: u64) {
    let slots = GpuSet(slots);
    cluster.submit(spec(id, 0, limit, gpus(slots.len())), at(0)).unwrap();
    let share = NodeShare { node: NodeId(node), cpus: 1, memory_mib: 0, gpus: slots };
    cluster.start(JobId(id), Placement(vec![share]), at(0)).unwrap();
}

fn told(plan: &Plan, id: u64) -> [String; 3] {
    let reason = &plan.waiting.iter().find(|waiting| waiting.job == JobId(id)).expect("the job waits").reason;
    [reason.to_string(), reason.evidence(), reason.slurm_code().to_owned()]
}

/// Three GPUs are free on the first board and one on the second.
#[test]
fn scattered_over_domains() {
    let mut cluster = Cluster::new(boards(1));
    runs(&mut cluster, 1, 100, 0, 0b1110_0001);
    cluster.submit(bound(2, 100, gpus(4)), at(0)).unwrap();
    for rule in PlacementRule::ALL {
        let plan = plan("easy", rule, &cluster, 0);
        let sentence = "Needs 4 GPUs in one NVSwitch domain; 4 are free, but over 2 domains.";
        assert_eq!(
            told(&plan, 2),
            [sentence, "The fullest choice that one domain offers is 3 GPUs.", "Resources"],
            "{rule:?}"
        );
    }
    // With fewer free GPUs than it needs, that is the reason.
    runs(&mut cluster, 3, 100, 0, 0b0000_0010);
    let reason = plan("easy", PlacementRule::FirstFit, &cluster, 0).waiting.remove(0).reason;
    assert!(matches!(reason, Reason::Resources(_)), "{reason:?}");
}

/// The second board is free, but its CPUs are not: the GPUs are not scattered.
#[test]
fn in_one_domain_but_without_cpus() {
    let mut cluster = Cluster::new(boards(2));
    let taken =
        |node, cpus, slots| NodeShare { node: NodeId(node), cpus, memory_mib: 0, gpus: GpuSet(slots) };
    let share = Resources { cpus: 16, gpus: 4, memory_mib: 0 };
    cluster.submit(spec(1, 0, 100, Shape::Nodes { nodes: 1, per_node: share }), at(0)).unwrap();
    cluster.start(JobId(1), Placement(vec![taken(0, 16, 0b1111)]), at(0)).unwrap();
    runs(&mut cluster, 2, 100, 1, 0b0001_0001);
    cluster.submit(bound(3, 100, gpus(4)), at(0)).unwrap();
    let reason = plan("easy", PlacementRule::FirstFit, &cluster, 0).waiting.remove(0).reason;
    assert!(matches!(reason, Reason::FragmentedResources(_)), "{reason:?}");
}

/// No domain has 5 GPUs, and two nodes have none in common.
#[test]
fn what_no_domain_holds_never_fits() {
    let mut cluster = Cluster::new(boards(2));
    cluster.submit(bound(1, 100, gpus(5)), at(0)).unwrap();
    let two = Shape::Nodes { nodes: 2, per_node: Resources { cpus: 1, gpus: 1, memory_mib: 0 } };
    cluster.submit(bound(2, 100, two), at(0)).unwrap();
    cluster.submit(bound(3, 100, gpus(4)), at(0)).unwrap();
    let plan = plan("fcfs", PlacementRule::FirstFit, &cluster, 0);
    assert_eq!(plan.starts.iter().map(|start| start.job).collect::<Vec<_>>(), [JobId(3)]);
    let never = "Can never run on this fleet: needs 2 nodes with 1 GPU and 1 CPU each.";
    assert_eq!(told(&plan, 2)[..2], [never, "The whole fleet, if it were empty, could hold 1."]);
    assert_eq!(told(&plan, 1)[2], "BadConstraints");
}

/// The domains of the node that is out of service are the only ones large enough.
#[test]
fn a_domain_out_of_service() {
    let classes = [(1, 8), (3, 2)].map(|(count, gpus)| {
        NodeClass::new(&format!("g{gpus}-"), count, Resources { cpus: 8, gpus, memory_mib: 0 })
    });
    let mut cluster = Cluster::new(Arc::new(FleetSpec::of("mixed", classes.to_vec()).build().unwrap()));
    let four = Shape::Tasks { tasks: 4, per_task: Resources { cpus: 1, gpus: 1, memory_mib: 0 } };
    cluster.submit(bound(1, 100, four), at(0)).unwrap();
    cluster.submit(spec(2, 0, 100, gpus(1)), at(0)).unwrap();
    cluster.set_available(NodeId(0), false);
    let plan = plan("fcfs", PlacementRule::Domain, &cluster, 0);
    let expected = [
        "Needs 4 tasks of 1 GPU and 1 CPU each; 1 node is out of service.",
        "The nodes in service, if they were empty, could hold 2 of them.",
        "ReqNodeNotAvail",
    ];
    assert_eq!(told(&plan, 1), expected);
    assert_eq!(plan.starts.len(), 1);
}

/// All nodes are in use until 100, 200 and 300. A job of two nodes reserves those that its rule is going to choose, at 200 the
/// first two; at 300, when node 2 has more free than they, worst fit takes it.
#[test]
fn the_head_reserves_what_its_rule_would_choose() {
    let node = Resources { cpus: 8, gpus: 0, memory_mib: 0 };
    let mut cluster = Cluster::new(Arc::new(FleetSpec::uniform("f", 3, node).build().unwrap()));
    let on =
        |node, cpus| Placement(vec![NodeShare { node: NodeId(node), cpus, memory_mib: 0, gpus: GpuSet(0) }]);
    for (id, limit, node, cpus) in
        [(1, 100, 0, 6), (2, 100, 1, 8), (3, 100, 2, 5), (4, 900, 0, 1), (5, 900, 2, 2)]
    {
        cluster.submit(spec(id, 0, limit, tasks(cpus)), at(0)).unwrap();
        cluster.start(JobId(id), on(node, cpus), at(0)).unwrap();
    }
    // At 100, 7, 8 and 6 CPUs are free on the three nodes.
    let six = Shape::Nodes { nodes: 1, per_node: Resources::cpus(6) };
    cluster.submit(spec(6, 0, 100, six), at(0)).unwrap();
    for (rule, node) in [
        (PlacementRule::FirstFit, 0),
        (PlacementRule::BestFit, 2),
        (PlacementRule::WorstFit, 1),
        (PlacementRule::Topology, 2),
    ] {
        let reservation = plan("easy-machine", rule, &cluster, 1).reservations.remove(0);
        assert_eq!((reservation.at, reservation.nodes), (at(100), vec![NodeId(node)]), "{rule:?}");
        assert_eq!(reservation.waits_for, [JobId(u64::from(node) + 1)], "{rule:?}");
    }
    // A long job of one CPU may take node 0's free one only if the head is to get 6 of another node.
    cluster.submit(spec(7, 0, 5000, tasks(1)), at(0)).unwrap();
    cluster.submit(spec(8, 0, 5000, tasks(1)), at(0)).unwrap();
    let started = |rule| {
        let plan = plan("easy-machine", rule, &cluster, 1);
        plan.starts.iter().map(|start| (start.job.0, start.placement.to_string())).collect::<Vec<_>>()
    };
    assert_eq!(started(PlacementRule::FirstFit), [(7, "0".to_owned()), (8, "2".to_owned())]);
    assert_eq!(started(PlacementRule::BestFit), [(7, "0".to_owned())]);
}

/// The head needs a board of node 0, of which two GPUs are free now and two at 100; of the other board two are free for
/// long. Four are free in all, but a long job may have none: who counts GPUs can't tell the boards apart.
#[test]
fn the_gpus_of_a_reserved_board_are_kept() {
    let mut cluster = Cluster::new(boards(1));
    runs(&mut cluster, 1, 100, 0, 0b0000_1100);
    runs(&mut cluster, 2, 900, 0, 0b0011_0000);
    cluster.submit(bound(3, 100, gpus(4)), at(0)).unwrap();
    cluster.submit(spec(4, 0, 5000, gpus(2)), at(0)).unwrap();
    for rule in PlacementRule::ALL {
        let plan = plan("easy-machine", rule, &cluster, 1);
        assert_eq!(plan.head_reservation().unwrap().at, at(100), "{rule:?}");
        assert_eq!(plan.head_reservation().unwrap().waits_for, [JobId(1)], "{rule:?}");
        assert_eq!(plan.starts.len(), 0, "{rule:?}");
        let reason = &plan.waiting.last().unwrap().reason;
        assert!(matches!(reason, Reason::WouldDelayReservation { head: JobId(3), .. }), "{rule:?}");
    }
}

/// Least fragmentation looks at the jobs of the moment: once those of 2 GPUs are gone, pairs need not be kept.
#[test]
fn the_mix_follows_the_queue() {
    let node = Resources { cpus: 8, gpus: 4, memory_mib: 0 };
    let mut cluster = Cluster::new(Arc::new(FleetSpec::uniform("f", 2, node).build().unwrap()));
    for (id, node, slots) in [(1, 0, 0b0001), (2, 0, 0b0010), (5, 1, 0b0001)] {
        runs(&mut cluster, id, 900, node, slots);
    }
    let pairs = Shape::Tasks { tasks: 40, per_task: Resources { cpus: 1, gpus: 2, memory_mib: 0 } };
    cluster.submit(spec(3, 0, 100, pairs), at(0)).unwrap();
    cluster.submit(spec(4, 0, 100, gpus(1)), at(0)).unwrap();
    let mut scheduler = Scheduler::new(policy("easy", PlacementRule::LeastFragmentation));
    let first = scheduler.plan(&cluster, at(1)).starts.remove(0);
    assert_eq!((first.job, first.placement.to_string()), (JobId(4), "1".to_owned()));
    cluster.cancel(JobId(3)).unwrap();
    let third = scheduler.plan(&cluster, at(2)).starts.remove(0);
    assert_eq!((third.job, third.placement.to_string()), (JobId(4), "0".to_owned()));
}

fn fleets() -> impl Strategy<Value = Arc<Fleet>> {
    let domains = [Domains::Node, Domains::PerNode { gpus: 2 }, Domains::Nodes { nodes: 2 }];
    (1u32..=5, 1u32..=4, prop::sample::select(domains.to_vec())).prop_map(|(count, gpus, domains)| {
        let node = Resources { cpus: 6, gpus, memory_mib: 0 };
        let class = NodeClass { domains, nodes_per_rack: 2, ..NodeClass::new("n", count, node) };
        Arc::new(FleetSpec { racks_per_switch: 1, ..FleetSpec::of("f", vec![class]) }.build().unwrap())
    })
}

fn jobs() -> impl Strategy<Value = Vec<Job>> {
    let row = (0u64..60, 1u64..50, 0u64..60, (1u32..=3, 1u32..=3, 0u32..=3), any::<(bool, bool)>(), 0u8..8);
    prop::collection::vec(row, 1..30).prop_map(|rows| {
        let job = |(id, (submit, limit, runtime, (parts, cpus, gpus), (nodes, bound), exclusive))| {
            let each = Resources { cpus, gpus, memory_mib: 0 };
            let shape = match nodes {
                true => Shape::Nodes { nodes: parts, per_node: each },
                false => Shape::Tasks { tasks: parts, per_task: each },
            };
            let mut job = job(id, submit, limit, runtime, shape);
            let terms = &mut Arc::make_mut(&mut job.spec).terms;
            (terms.one_domain, terms.exclusive) = (bound, exclusive == 0);
            job
        };
        (1..).zip(rows).map(job).collect()
    })
}

proptest! {
    #[test]
    fn bound_jobs_run_in_one_domain(
        fleet in fleets(),
        jobs in jobs(),
        name in prop::sample::select(vec!["fcfs", "easy", "easy-machine"]),
        rule in prop::sample::select(PlacementRule::ALL.to_vec()),
    ) {
        let run = replay(Arc::clone(&fleet), &jobs, &policy(name, rule), ReplayOptions::default()).unwrap();
        prop_assert_eq!(run.spans.len() + run.never_started.len(), jobs.len());
        for (_, reason) in &run.never_started {
            prop_assert_eq!(reason.slurm_code(), "BadConstraints");
        }
        let spec: BTreeMap<JobId, &JobSpec> = jobs.iter().map(|job| (job.spec.id, &*job.spec)).collect();
        for span in &run.spans {
            let spec = spec[&span.job];
            if spec.terms.exclusive {
                prop_assert!(span.placement.total().covers(&spec.shape.total()));
                for share in span.placement.shares() {
                    prop_assert_eq!(share.resources(), fleet.node(share.node).unwrap().capacity);
                }
                continue;
            }
            prop_assert_eq!(span.placement.total(), spec.shape.total());
            if spec.terms.one_domain && spec.shape.total().gpus > 0 {
                prop_assert_eq!(fleet.tier(&span.placement.unpack()), Tier::Domain);
            }
        }
    }

    /// Under every rule, and for jobs that need one domain too: a head starts by the shadow time that it was told.
    #[test]
    fn easy_by_machine_keeps_its_promise(
        fleet in fleets(),
        jobs in jobs(),
        rule in prop::sample::select(PlacementRule::ALL.to_vec()),
    ) {
        let mut cluster = Cluster::new(fleet);
        let mut scheduler = Scheduler::new(policy("easy-machine", rule));
        let mut instants: BTreeSet<SimTime> = jobs.iter().map(|job| job.spec.submit).collect();
        let mut ends: BTreeSet<(SimTime, JobId)> = BTreeSet::new();
        let mut submitted = BTreeSet::new();
        let mut promised: BTreeMap<JobId, SimTime> = BTreeMap::new();
        while let Some(now) = instants.pop_first() {
            while let Some(&(_, job)) = ends.first().filter(|(end, _)| *end <= now) {
                cluster.finish(job, Outcome::Completed).unwrap();
                ends.pop_first();
            }
            for job in jobs.iter().filter(|job| job.spec.submit == now && submitted.insert(job.spec.id)) {
                cluster.submit(Arc::clone(&job.spec), now).unwrap();
            }
            let plan = scheduler.plan(&cluster, now);
            for start in plan.starts {
                let job = jobs.iter().find(|job| job.spec.id == start.job).unwrap();
                let end = now + Oracle::new().runtime(&job.truth).min(job.spec.limit);
                cluster.start(start.job, start.placement, now).unwrap();
                ends.insert((end, start.job));
                instants.insert(end);
                let by = promised.get(&start.job).copied().unwrap_or(now);
                prop_assert!(now <= by, "{rule:?}: job {} was promised {by}, starts {now}", start.job);
            }
            for reservation in plan.reservations {
                let by = promised.entry(reservation.job).or_insert(reservation.at);
                *by = reservation.at.min(*by);
            }
        }
    }
}
