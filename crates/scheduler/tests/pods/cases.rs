//! Small clusters worked by hand.

use std::sync::Arc;

use switchyard_model::{GpuSet, PodNode, PodPlacement, PodSpec};
use switchyard_scheduler::{
    PodCluster, PodOptions, PodPolicy, PodReason, PodRun, Ties, TypicalPods, run_pods,
};

use crate::traces::{node, pod};

fn run(nodes: &[PodNode], pods: &[PodSpec], policy: &str) -> PodRun {
    let options = PodOptions { ties: Ties::AsGiven, ..PodOptions::default() };
    run_pods(nodes, pods, PodPolicy::named(policy).unwrap(), &options)
}

/// Node and first GPU of each pod that was placed.
fn places(run: &PodRun) -> Vec<Option<(u32, u32)>> {
    let place = |at: PodPlacement| (at.node, at.gpus.slots().next().unwrap_or(u32::MAX));
    run.outcomes.iter().map(|outcome| outcome.ok().map(place)).collect()
}

/// The quick start of the FGD simulator: two nodes with six GPUs, three kinds of pods, drawn in this order.
#[test]
fn the_quick_start() {
    let nodes = [node("00", 64, 2), node("01", 64, 4)];
    let half = pod("half", 4, 1, 500);
    let cpu = PodSpec::cpu_only("cpu", 8_000);
    let two = pod("two", 12, 2, 1000);
    let kinds = [half.clone(), cpu.clone(), two.clone()];
    let options = PodOptions { typical: Some(Arc::new(TypicalPods::of(&kinds))), ..PodOptions::default() };
    let pods = [half, cpu.clone(), two.clone(), cpu.clone(), two, cpu];
    let run = run_pods(&nodes, &pods, PodPolicy::Fgd, &options);
    let fragmented: Vec<String> =
        run.steps.iter().map(|step| format!("{:.2}", step.fragmented_gpu_milli)).collect();
    assert_eq!(fragmented, ["2000.00", "2000.00", "1333.33", "1333.33", "1000.00", "1000.00"]);
    assert_eq!(run.end.cpu_milli, (52_000, 128_000)); // 40.6 %
    assert_eq!(run.end.gpu_milli, (4_500, 6_000)); // 75 %
    // The half goes where two whole GPUs stay together on both nodes.
    assert_eq!(run.outcomes[0].unwrap().node, 1);
    assert_eq!(run.outcomes[2].unwrap(), PodPlacement { node: 0, gpus: GpuSet(0b11) });
}

/// Nodes with 4, 4 and 2 GPUs, pods with 2, 4 and 4: the pod of two belongs on the node with two.
#[test]
fn packing_leaves_room_for_the_last_pod_and_chance_does_not() {
    let nodes = [node("a", 64, 4), node("b", 64, 4), node("c", 64, 2)];
    let pods = [pod("two", 1, 2, 1000), pod("four", 1, 4, 1000), pod("four more", 1, 4, 1000)];
    for policy in ["dotprod", "packing", "bestfit", "fgd"] {
        let run = run(&nodes, &pods, policy);
        assert_eq!(run.scheduled(), 3, "{policy}");
        assert_eq!(run.outcomes[0].unwrap().node, 2, "{policy}");
    }
    // Without GPU pods anywhere, clustering prefers the node with fewer free GPUs too.
    assert_eq!(run(&nodes, &pods, "clustering").scheduled(), 3);
    let (mut all, mut stranded) = (0, 0);
    for seed in 0..60 {
        let options = PodOptions { seed, ..PodOptions::default() };
        let run = run_pods(&nodes, &pods, PodPolicy::Random, &options);
        match run.outcomes[2] {
            Ok(_) => all += 1,
            Err(reason) => {
                assert!(matches!(reason, PodReason::Fragmented(_)), "{reason:?}");
                let said = format!("{reason} {}", reason.evidence());
                let expected = "Needs 4 GPUs on one node; 4 are free, but no node has enough of everything. \
                    0 of 3 nodes can take it: 3 lack GPU.";
                assert_eq!(said, expected);
                stranded += 1;
            }
        }
    }
    // A third of the draws takes the small node.
    assert!(all > 10 && stranded > 25, "{all} {stranded}");
}

/// Of two equal nodes the one in use gets the next pod, for each policy that packs.
#[test]
fn packing_packs_and_does_not_spread() {
    let nodes = [node("a", 64, 4), node("b", 64, 4)];
    for policy in ["dotprod", "clustering", "packing", "bestfit", "fgd"] {
        let mut cluster = PodCluster::new(
            &nodes,
            Arc::new(TypicalPods::of(&[pod("p", 8, 1, 1000), pod("q", 8, 4, 1000)])),
            PodPolicy::named(policy).unwrap(),
            Ties::AsGiven,
            0,
        );
        cluster.place_at(&pod("first", 8, 1, 1000), PodPlacement { node: 1, gpus: GpuSet(1) }).unwrap();
        let best = cluster.best_nodes(&pod("second", 8, 1, 1000));
        assert_eq!(best, [PodPlacement { node: 1, gpus: GpuSet(2) }], "{policy}");
    }
}

/// Node `a` is short of CPU, node `b` of GPU. What packs the scarce resource puts a GPU pod on `b`.
#[test]
fn the_scarce_resource_counts() {
    let nodes = [node("a", 64, 8), node("b", 64, 8)];
    for policy in ["dotprod", "clustering", "packing", "bestfit", "fgd"] {
        let typical = TypicalPods::of(&[pod("p", 1, 1, 1000), pod("q", 1, 8, 1000)]);
        let named = PodPolicy::named(policy).unwrap();
        let mut cluster = PodCluster::new(&nodes, Arc::new(typical), named, Ties::AsGiven, 0);
        let on = |node, gpus| PodPlacement { node, gpus };
        cluster.place_at(&PodSpec::cpu_only("cpu", 8_000), on(0, GpuSet(0))).unwrap();
        for slot in 0..4 {
            cluster.place_at(&pod("gpu", 1, 1, 1000), on(1, GpuSet(1 << slot))).unwrap();
        }
        assert_eq!(cluster.best_nodes(&pod("next", 1, 1, 1000))[0].node, 1, "{policy}");
    }
}

/// A part of a GPU goes to the fullest GPU that still has it, whole ones to the first free ones.
#[test]
fn gpus_of_a_node() {
    let nodes = [node("a", 64, 4)];
    let pods = [
        pod("0.7", 1, 1, 700),
        pod("0.5", 1, 1, 500),
        pod("0.4", 1, 1, 400),
        pod("0.3", 1, 1, 300),
        pod("2", 1, 2, 1000),
        pod("1", 1, 1, 1000),
    ];
    for policy in ["dotprod", "clustering", "packing", "bestfit"] {
        let run = run(&nodes, &pods, policy);
        let gpus: Vec<u64> = run.outcomes.iter().flatten().map(|at| at.gpus.0).collect();
        assert_eq!(gpus, [0b1, 0b10, 0b10, 0b1, 0b1100], "{policy}");
        assert_eq!(run.scheduled(), 5);
    }
}

/// Clustering: parts of GPUs go together, whole ones elsewhere, although the first node has room for all.
#[test]
fn kinds_of_pods_stay_together() {
    let nodes = [node("a", 64, 4), node("b", 64, 4), node("c", 64, 4)];
    let pods = [
        pod("part", 1, 1, 500),
        pod("one", 1, 1, 1000),
        pod("two", 1, 2, 1000),
        pod("part", 1, 1, 500),
        pod("two", 1, 2, 1000),
        pod("one", 1, 1, 1000),
    ];
    let clustering = run(&nodes, &pods, "clustering");
    let nodes_of: Vec<u32> = clustering.outcomes.iter().flatten().map(|at| at.node).collect();
    assert_eq!(nodes_of, [0, 1, 2, 0, 2, 1]);
    let packing = run(&nodes, &pods, "packing");
    assert_eq!(places(&packing)[..4], [Some((0, 0)), Some((0, 1)), Some((0, 2)), Some((0, 0))]);
}

/// Only nodes with one of the wanted models are looked at, and pods without GPUs may go anywhere.
#[test]
fn models() {
    let t4 = PodNode { model: "T4".into(), ..node("t4", 8, 1) };
    let nodes = [t4, node("v100", 8, 1)];
    let wants = |model: &str| PodSpec { models: vec!["A10".into(), model.into()], ..pod(model, 1, 1, 1000) };
    for policy in PodPolicy::NAMES {
        let pods = [wants("V100"), wants("V100"), wants("T4"), PodSpec::cpu_only("cpu", 7_000)];
        let run = run(&nodes, &pods, policy);
        assert_eq!(places(&run)[..3], [Some((1, 0)), None, Some((0, 0))], "{policy}");
        assert!(run.outcomes[3].is_ok());
        let reason = run.outcomes[1].unwrap_err();
        assert_eq!(reason.to_string(), "Needs 1 GPU; none is free.");
        let evidence = "0 of 2 nodes can take it: 1 has GPUs of another model, 1 lacks GPU.";
        assert_eq!((reason.code(), reason.evidence().as_str()), ("Resources", evidence));
    }
}

#[test]
fn each_reason() {
    let nodes = [node("a", 8, 2), node("b", 8, 2)];
    let reason = |pods: &[PodSpec]| run(&nodes, pods, "bestfit").outcomes.last().unwrap().unwrap_err();
    let never = reason(&[pod("three", 1, 3, 1000)]);
    assert_eq!(
        (never.code(), never.to_string().as_str()),
        ("NeverFits", "No node could hold it, even when empty.")
    );
    let ones: Vec<PodSpec> = (0..4).map(|_| pod("one", 1, 1, 1000)).collect();
    assert_eq!(
        reason(&[&ones[..], &[pod("more", 1, 1, 100)]].concat()).to_string(),
        "Needs 0.1 GPU; none is free."
    );
    // 7 CPUs are gone on each node, one is left on each.
    let cpus = [PodSpec::cpu_only("c", 7_000), PodSpec::cpu_only("d", 7_000)];
    let short = reason(&[&cpus[..], &[pod("gpu", 3, 1, 1000)]].concat());
    assert_eq!(
        (short.code(), short.to_string().as_str()),
        ("Resources", "Less CPU or memory is free than it needs.")
    );
    assert_eq!(short.evidence(), "0 of 2 nodes can take it: 2 lack CPU.");
    let apart = reason(&[&cpus[..], &[PodSpec::cpu_only("e", 2_000)]].concat());
    assert_eq!(apart.code(), "FragmentedResources");
    let heavy = PodSpec { memory_mib: 200_000, ..PodSpec::cpu_only("m", 1_000) };
    let memory = reason(&[heavy.clone(), heavy.clone(), heavy]);
    assert_eq!(memory.evidence(), "0 of 2 nodes can take it: 2 lack memory.");
    assert_eq!(
        run(&[], &[pod("p", 1, 1, 1000)], "fgd").outcomes[0].unwrap_err().evidence(),
        "There are no nodes."
    );
}

#[test]
fn names() {
    for (name, policy) in PodPolicy::NAMES.into_iter().zip(PodPolicy::ALL) {
        assert_eq!(PodPolicy::named(name), Ok(policy));
        assert_eq!(policy.to_string(), name);
    }
    let error = PodPolicy::named("FGD").unwrap_err().to_string();
    assert_eq!(
        error,
        "there is no policy \"FGD\" for pods; choose one of random, dotprod, clustering, packing, bestfit, fgd"
    );
}
