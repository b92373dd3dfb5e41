//! Derived fleets, and workloads fitted to chosen ones.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod common;

use common::read_text;
use switchyard_model::{FleetSpec, Resources, Shape};
use switchyard_workload::{ChangeKind, Generator, Recipe, Workload, fleet_for, scale_to};

fn swf(header: &str, procs: &[u32]) -> Workload {
    let rows = procs.iter().enumerate();
    let rows =
        rows.map(|(n, procs)| format!("{n} {n} -1 60 {procs} -1 -1 {procs} 90 -1 1 1 1 -1 -1 -1 -1 -1\n"));
    read_text(&(header.to_owned() + &rows.collect::<String>())).unwrap().0
}

/// Jobs of (start hour, hours, nodes, CPUs, GPUs).
fn sacct(jobs: &[(u32, u32, u32, u32, u32)]) -> Workload {
    let mut text = "JobID|State|Submit|Start|Elapsed|NNodes|NCPUS|AllocTRES\n".to_owned();
    for (id, (start, hours, nodes, cpus, gpus)) in jobs.iter().enumerate() {
        text += &format!(
            "{}|COMPLETED|2020-01-01T00:00:00|2020-01-01T{start:02}:00:00|{hours:02}:00:00|{nodes}|{cpus}|",
            id + 1
        );
        text += &format!("gres/gpu={gpus},mem={}M\n", cpus * 1000);
    }
    read_text(&text).unwrap().0
}

fn tasks(workload: &Workload) -> Vec<u32> {
    workload.jobs.iter().map(|job| job.spec.shape.parts().0).collect()
}

fn node(cpus: u32, gpus: u32, memory_mib: u64) -> Resources {
    Resources { cpus, gpus, memory_mib }
}

#[test]
fn processors_are_declared_or_the_largest_request() {
    assert_eq!(fleet_for(&swf("; MaxProcs: 50\n", &[4, 20])).build().unwrap().capacity().cpus, 50);
    assert_eq!(fleet_for(&swf("", &[4, 20])).build().unwrap().capacity().cpus, 20);
}

/// The published experiment has 16 nodes of 8 CPUs and 2 GPUs: what its jobs ask for at most.
#[test]
fn the_fleet_of_the_published_experiment_is_derived_from_its_jobs() {
    let workload = Recipe::new(Generator::SeedLabV01, 300, 5).generate(None).unwrap();
    for workload in [Workload { made_for: None, ..workload.clone() }, workload] {
        let fleet = fleet_for(&workload).build().unwrap();
        assert_eq!((fleet.nodes().len(), fleet.nodes()[0].capacity), (16, node(8, 2, 0)));
    }
}

#[test]
fn nodes_are_as_large_as_asked_and_as_many_as_were_in_use() {
    // Two 8-CPU jobs at once share a 16-CPU node; at hour 2 the 3-node job runs alone, for [1, 2) is over then.
    let workload = sacct(&[(1, 1, 1, 8, 0), (1, 1, 1, 8, 1), (2, 1, 3, 48, 0)]);
    let class = fleet_for(&workload).classes.remove(0);
    assert_eq!((class.count, class.node), (3, node(16, 1, 16_000)));
    // Five whole nodes at once.
    let workload = sacct(&[(1, 2, 3, 48, 0), (2, 2, 2, 32, 0)]);
    assert_eq!(fleet_for(&workload).classes[0].count, 5);
    // 12 CPUs don't fit twice on 16.
    let workload = sacct(&[(1, 1, 1, 12, 0), (1, 1, 1, 12, 0), (5, 1, 1, 16, 0)]);
    assert_eq!(fleet_for(&workload).classes[0].count, 2);
}

#[test]
fn processors_scale_with_the_fleet() {
    let workload = swf("; MaxProcs: 100\n", &[1, 10, 100]);
    let half = FleetSpec::processors(50).build().unwrap();
    let (scaled, report) = scale_to(&workload, &half);
    assert_eq!(tasks(&scaled), [1, 5, 50]); // 0.5 rounds up to 1
    assert_eq!((report.jobs, report.changed.count(ChangeKind::Resized)), (3, 2));
    let tenth = FleetSpec::processors(10).build().unwrap();
    let (scaled, report) = scale_to(&workload, &tenth);
    assert_eq!(tasks(&scaled), [1, 1, 10]);
    assert_eq!(report.changed.count(ChangeKind::RaisedToOne), 1);
    let same = FleetSpec::processors(100).build().unwrap();
    let (scaled, report) = scale_to(&workload, &same);
    assert_eq!((tasks(&scaled), report.changed.total()), (vec![1, 10, 100], 0));
}

#[test]
fn processors_become_gpus_on_a_fleet_with_gpus() {
    let workload = swf("; MaxProcs: 128\n", &[1, 64, 128]);
    let (scaled, report) = scale_to(&workload, &FleetSpec::yard().build().unwrap());
    assert_eq!(tasks(&scaled), [2, 128, 256]);
    assert_eq!(*scaled.jobs[0].spec.shape.parts().1, node(8, 1, 0)); // 64 CPUs for 8 GPUs
    assert_eq!(report.changed.count(ChangeKind::CpusToGpus), 3);
}

#[test]
fn what_is_larger_than_the_fleet_is_cut() {
    let workload = swf("; MaxProcs: 100\n", &[1, 300]);
    let (scaled, report) = scale_to(&workload, &FleetSpec::processors(100).build().unwrap());
    assert_eq!(tasks(&scaled), [1, 100]);
    assert_eq!(report.changed.count(ChangeKind::CutToFleet), 1);
}

#[test]
fn nodes_scale_in_number_and_size() {
    let workload = sacct(&[(1, 1, 4, 64, 8), (2, 1, 1, 8, 1)]); // 4 nodes of 16 CPUs, 2 GPUs, 16,000 MB
    let fleet = FleetSpec::uniform("big", 8, node(32, 4, 64_000)).build().unwrap();
    let (scaled, report) = scale_to(&workload, &fleet);
    let shapes: Vec<_> = scaled.jobs.iter().map(|job| job.spec.shape).collect();
    assert_eq!(shapes[0], Shape::Nodes { nodes: 8, per_node: node(32, 4, 64_000) });
    assert_eq!(shapes[1], Shape::Nodes { nodes: 2, per_node: node(16, 2, 32_000) });
    assert_eq!(report.changed.count(ChangeKind::Resized), 2);
    // GPUs that the fleet doesn't have are cut, and said so.
    let (scaled, report) =
        scale_to(&workload, &FleetSpec::uniform("cpus", 4, node(16, 0, 16_000)).build().unwrap());
    assert_eq!(scaled.jobs[0].spec.shape, Shape::Nodes { nodes: 4, per_node: node(16, 0, 16_000) });
    assert_eq!(report.changed.count(ChangeKind::CutToFleet), 2);
}

#[test]
fn nodes_without_gpu_jobs_become_gpu_nodes() {
    let workload = sacct(&[(1, 1, 2, 16, 0), (3, 1, 1, 2, 0)]); // 2 nodes of 8 CPUs
    let fleet = FleetSpec::uniform("gpus", 2, node(64, 8, 64_000)).build().unwrap();
    let (scaled, _) = scale_to(&workload, &fleet);
    assert_eq!(scaled.jobs[0].spec.shape, Shape::Nodes { nodes: 2, per_node: node(64, 8, 64_000) });
    assert_eq!(scaled.jobs[1].spec.shape, Shape::Nodes { nodes: 1, per_node: node(16, 2, 16_000) });
}
