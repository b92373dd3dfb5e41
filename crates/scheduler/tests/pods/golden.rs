//! Every 20th node and 475 pods of openb, as the simulator of the FGD paper placed them.
//!
//! That program prefers nodes in a random order among equals, and the files don't say which. But each choice among equals says
//! something about the order; here one order is found that explains all choices of all policies, and with it every pod must get the
//! node and the GPUs that it got there.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use switchyard_model::{GpuSet, PodNode, PodPlacement, PodSpec};
use switchyard_scheduler::{PodCluster, PodOptions, PodPolicy, PodRun, Ties, TypicalPods, run_pods};

use crate::traces;

const FILES: [(&str, &str); 5] = [
    ("dotprod", "DotProd"),
    ("clustering", "GpuClustering"),
    ("packing", "GpuPacking"),
    ("bestfit", "BestFit"),
    ("fgd", "FGD"),
];

struct Golden {
    nodes: Vec<PodNode>,
    /// In the order in which they came.
    pods: Vec<PodSpec>,
    rows: BTreeMap<&'static str, Vec<Row>>,
}

struct Row {
    placement: Option<PodPlacement>,
    fragmented: f64,
    used: u64,
}

fn golden() -> Option<Golden> {
    let (nodes, mut pods) = traces::trace("golden/fgd_sub_nodes.csv", "golden/fgd_sub_pods.csv")?;
    pods.sort_by(|a, b| a.name.cmp(&b.name));
    let mut rows = BTreeMap::new();
    for (policy, file) in FILES {
        let path = traces::folder()?.join(format!("golden/fgd_sub_golden_{file}.csv"));
        let text = std::fs::read_to_string(path).unwrap();
        let read = text.lines().skip(1).zip(&pods).map(|(line, pod)| row(line, pod, &nodes)).collect();
        rows.insert(policy, read);
    }
    Some(Golden { nodes, pods, rows })
}

fn row(line: &str, pod: &PodSpec, nodes: &[PodNode]) -> Row {
    let fields: Vec<&str> = line.split(',').collect();
    assert_eq!(fields[1], &*pod.name);
    let node = nodes.iter().position(|node| &*node.name == fields[2]);
    let slots = fields[3].split('-').filter(|slot| !slot.is_empty());
    let gpus = GpuSet(slots.map(|slot| 1 << slot.parse::<u32>().unwrap()).sum());
    Row {
        placement: node.map(|node| PodPlacement { node: node as u32, gpus }),
        fragmented: fields[4].parse().unwrap(),
        used: fields[6].parse().unwrap(),
    }
}

impl Golden {
    fn typical(&self) -> Arc<TypicalPods> {
        Arc::new(TypicalPods::of(&self.pods))
    }

    /// Follows the published placements: each must be among the best, with the same GPUs. Returns which node was preferred to which.
    fn follow(&self, policy: &str) -> BTreeSet<(u32, u32)> {
        let named = PodPolicy::named(policy).unwrap();
        let mut cluster = PodCluster::new(&self.nodes, self.typical(), named, Ties::AsGiven, 0);
        let mut preferred = BTreeSet::new();
        for (pod, row) in self.pods.iter().zip(&self.rows[policy]) {
            let best = cluster.best_nodes(pod);
            let Some(placement) = row.placement else {
                assert_eq!(best, [], "{policy} {}: no node had room", pod.name);
                continue;
            };
            assert!(best.contains(&placement), "{policy} {}: {placement:?}, ours {best:?}", pod.name);
            let others = best.iter().filter(|other| other.node != placement.node);
            preferred.extend(others.map(|other| (placement.node, other.node)));
            cluster.place_at(pod, placement).unwrap();
        }
        preferred
    }

    /// The nodes in an order that explains all choices.
    fn order(&self) -> Vec<PodNode> {
        let preferred: BTreeSet<(u32, u32)> =
            FILES.iter().flat_map(|(policy, _)| self.follow(policy)).collect();
        let mut left: BTreeSet<u32> = (0..self.nodes.len() as u32).collect();
        let mut order = Vec::new();
        while !left.is_empty() {
            let after = |&node: &u32| preferred.iter().any(|&(a, b)| b == node && left.contains(&a));
            let next = left.iter().copied().find(|node| !after(node));
            let next = next.expect("no single order of the nodes explains all choices");
            left.remove(&next);
            order.push(self.nodes[next as usize].clone());
        }
        order
    }

    fn run(&self, nodes: &[PodNode], policy: &str, ties: Ties, seed: u64) -> PodRun {
        let options = PodOptions { seed, ties, typical: Some(self.typical()) };
        run_pods(nodes, &self.pods, PodPolicy::named(policy).unwrap(), &options)
    }
}

#[test]
fn every_pod_gets_the_node_and_the_gpus_that_it_got_there() {
    let Some(golden) = golden() else { return };
    let order = golden.order();
    for (policy, rows) in &golden.rows {
        let run = golden.run(&order, policy, Ties::AsGiven, 0);
        assert_eq!(rows.len(), 475);
        for ((outcome, row), pod) in run.outcomes.iter().zip(rows).zip(&golden.pods) {
            let name = |nodes: &[PodNode], at: u32| nodes[at as usize].name.clone();
            let ours = outcome.ok().map(|placement| (name(&order, placement.node), placement.gpus));
            let theirs = row.placement.map(|placement| (name(&golden.nodes, placement.node), placement.gpus));
            assert_eq!(ours, theirs, "{policy} {}", pod.name);
        }
        for (step, row) in run.steps.iter().zip(rows) {
            assert_eq!(step.used_gpu_milli, row.used);
            assert!((step.fragmented_gpu_milli - row.fragmented).abs() < 0.0051, "{policy}: {step:?}");
        }
    }
}

/// Scheduled pods, GPU, CPU and fragmented share of the idle GPU in per cent.
#[test]
fn the_end_is_the_published_one_within_half_a_point() {
    let Some(golden) = golden() else { return };
    let order = golden.order();
    for (policy, scheduled, gpu, cpu, fragmented) in [
        ("fgd", 394, 93.4, 72.3, 99.87),
        ("bestfit", 395, 93.8, 72.8, 95.56),
        ("dotprod", 383, 90.4, 70.0, 100.0),
        ("packing", 391, 92.6, 71.7, 100.0),
        ("clustering", 391, 92.4, 71.1, 99.88),
    ] {
        let run = golden.run(&order, policy, Ties::AsGiven, 0);
        let percent = |(used, all): (u64, u64)| 100.0 * used as f64 / all as f64;
        let fragments = run.end.fragments;
        let of_idle = 100.0 * fragments.fragmented() as f64 / fragments.idle() as f64;
        assert_eq!(run.scheduled(), scheduled, "{policy}");
        assert!((percent(run.end.gpu_milli) - gpu).abs() < 0.06, "{policy}: {:?}", run.end);
        assert!((percent(run.end.cpu_milli) - cpu).abs() < 0.06, "{policy}: {:?}", run.end);
        assert!((of_idle - fragmented).abs() < 0.006, "{policy}: {of_idle}");
    }
}

/// Another order among equals is another run, but not another result.
#[test]
fn the_order_among_equals_matters_little() {
    let Some(golden) = golden() else { return };
    let theirs = golden.order();
    for (policy, _) in FILES {
        let same = golden.run(&theirs, policy, Ties::AsGiven, 0).end.gpu_milli.0 as f64;
        let mean = (0..10)
            .map(|seed| golden.run(&golden.nodes, policy, Ties::Shuffled, seed).end.gpu_milli.0 as f64)
            .sum::<f64>()
            / 10.0;
        assert!((same - mean).abs() / 3140.0 < 1.5, "{policy}: {same}, in the mean {mean}");
    }
}
