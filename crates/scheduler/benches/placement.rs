//! What it costs to place one job on 4,096 nodes, by each rule: a pass with one job in the queue.
//!
//! `cargo bench -p switchyard-scheduler --bench placement`
#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use std::sync::Arc;

use common::Dice;
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use switchyard_model::{
    Domains, FleetSpec, GpuSet, JobId, JobSpec, NodeClass, NodeId, NodeShare, Partition, Placement,
    Resources, Shape, SimDuration, SimTime, Site,
};
use switchyard_scheduler::{Cluster, PlacementRule, Policy, Scheduler};

const NODES: u32 = 4_096;

const fn amount(cpus: u32, gpus: u32) -> Resources {
    Resources { cpus, gpus, memory_mib: 0 }
}

/// 4,096 nodes of 8 GPUs in two boards, 32 to a rack, 16 racks to a switch; the last 64 nodes are a partition of their own. A
/// third of the nodes is full, a third in part.
fn cluster() -> Cluster {
    let class = NodeClass {
        nodes_per_rack: 32,
        domains: Domains::PerNode { gpus: 4 },
        ..NodeClass::new("n", NODES, amount(64, 8))
    };
    let fleet = FleetSpec { racks_per_switch: 16, ..FleetSpec::of("large", vec![class]) };
    let last = (NODES - 64..NODES).map(NodeId).collect();
    let partitions = vec![Partition::new("all", None), Partition::new("last", Some(last))];
    let site = Site { partitions, ..Site::default() };
    let mut cluster = Cluster::with_site(Arc::new(fleet.build().unwrap()), Arc::new(site));
    let mut dice = Dice::new(1);
    for node in 0..NODES {
        let gpus = match dice.below(3) {
            0 => GpuSet::first(8),
            1 => GpuSet(dice.below(254) + 1),
            _ => continue,
        };
        let id = JobId(1_000 + u64::from(node));
        let shape = Shape::Nodes { nodes: 1, per_node: amount(8 * gpus.len(), gpus.len()) };
        submit(&mut cluster, JobSpec::new(id, SimTime::ZERO, SimDuration::from_secs(3600), shape));
        let share = NodeShare { node: NodeId(node), cpus: 8 * gpus.len(), memory_mib: 0, gpus };
        cluster.start(id, Placement(vec![share]), SimTime::ZERO).unwrap();
    }
    cluster
}

fn submit(cluster: &mut Cluster, spec: JobSpec) {
    cluster.submit(Arc::new(spec), SimTime::ZERO).unwrap();
}

fn placements(criterion: &mut Criterion) {
    let nodes = |nodes, per_node| Shape::Nodes { nodes, per_node };
    let cases = [
        ("1 GPU", nodes(1, amount(8, 1)), None, false),
        ("4 GPUs of one board", nodes(1, amount(8, 4)), None, true),
        ("64 nodes", nodes(64, amount(64, 8)), None, false),
        ("1024 tasks", Shape::Tasks { tasks: 1_024, per_task: amount(8, 1) }, None, false),
        ("CPUs everywhere", Shape::Tasks { tasks: 100_000, per_task: amount(1, 0) }, None, false),
        ("1 GPU of the last 64 nodes", nodes(1, amount(8, 1)), Some("last"), false),
        ("no room", nodes(3_000, amount(8, 1)), None, false),
    ];
    for (name, shape, partition, one_domain) in cases {
        let mut group = criterion.benchmark_group(name);
        for rule in PlacementRule::ALL {
            let mut cluster = cluster();
            let mut spec = JobSpec::new(JobId(1), SimTime::ZERO, SimDuration::from_secs(3600), shape);
            spec.terms.partition = partition.map(Into::into);
            spec.terms.one_domain = one_domain;
            submit(&mut cluster, spec);
            let policy = Policy { placement: rule, ..Policy::named("fcfs").unwrap() };
            let mut scheduler = Scheduler::without_reasons(policy);
            let started = scheduler.plan(&cluster, SimTime::ZERO).starts.len();
            assert_eq!(started == 0, name == "no room");
            group.bench_function(BenchmarkId::from_parameter(rule.name()), |bencher| {
                bencher.iter(|| scheduler.plan(&cluster, SimTime::ZERO));
            });
        }
        group.finish();
    }
}

criterion_group!(benches, placements);
criterion_main!(benches);
