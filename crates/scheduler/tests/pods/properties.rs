//! What holds for all clusters, pods and policies.

use std::sync::Arc;

use proptest::prelude::*;
use switchyard_model::{PodNode, PodSpec, WHOLE_GPU};
use switchyard_scheduler::{
    Fragments, NodeRoom, PodCluster, PodOptions, PodPolicy, PodShape, Ties, TypicalPods, run_pods,
};

fn nodes() -> impl Strategy<Value = Vec<PodNode>> {
    let node = (1u64..130, 0u32..9, 0usize..3).prop_map(|(cpus, gpus, model)| PodNode {
        name: "n".into(),
        cpu_milli: cpus * 1000,
        memory_mib: cpus * 4096,
        gpus,
        model: ["T4", "V100", ""][model].into(),
    });
    prop::collection::vec(node, 0..8).prop_map(|mut nodes| {
        for (at, node) in nodes.iter_mut().enumerate() {
            node.name = format!("n{at}").into();
        }
        nodes
    })
}

fn pods() -> impl Strategy<Value = Vec<PodSpec>> {
    let pod = (0u64..40, 0u32..9, 1u32..=1000, 0usize..4, 0u64..100_000).prop_map(
        |(cpus, gpus, part, models, memory_mib)| PodSpec {
            memory_mib,
            models: [vec![], vec!["T4"], vec!["V100", "T4"], vec!["P100"]][models]
                .iter()
                .map(|&model| Arc::from(model))
                .collect(),
            ..PodSpec::with_gpus(
                "p",
                cpus * 500,
                if gpus > 4 { 1 } else { gpus },
                if part > 600 { WHOLE_GPU } else { part },
            )
        },
    );
    // Few different ones, so that shapes occur again.
    let picks = prop::collection::vec(0usize..6, 0..60);
    (prop::collection::vec(pod, 6), picks)
        .prop_map(|(pods, picks)| picks.into_iter().map(|pick| pods[pick].clone()).collect())
}

fn policy() -> impl Strategy<Value = PodPolicy> {
    prop::sample::select(PodPolicy::ALL.to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// No GPU, no node gives more than it has, and pods get what they ask for, of a model that will do.
    #[test]
    fn nothing_is_given_twice(nodes in nodes(), pods in pods(), policy in policy(), seed in 0u64..5) {
        let run = run_pods(&nodes, &pods, policy, &PodOptions { seed, ..PodOptions::default() });
        let mut left: Vec<NodeRoom> = nodes.iter().map(NodeRoom::all_of).collect();
        for (pod, outcome) in pods.iter().zip(&run.outcomes) {
            let Ok(placement) = outcome else {
                let shape = PodShape::of(pod);
                prop_assert!(!left.iter().any(|room| room.holds(&shape, pod.memory_mib)), "there was room for {pod:?}");
                continue;
            };
            let room = &mut left[placement.node as usize];
            prop_assert_eq!(placement.gpus.len(), pod.gpus);
            prop_assert!(pod.gpus == 0 || pod.models.is_empty() || pod.models.contains(&room.model));
            for slot in placement.gpus.slots() {
                let free = &mut room.gpu_milli[slot as usize];
                *free = free.checked_sub(pod.gpu_milli).unwrap();
            }
            room.cpu_milli = room.cpu_milli.checked_sub(pod.cpu_milli).unwrap();
            room.memory_mib = room.memory_mib.checked_sub(pod.memory_mib).unwrap();
        }
        let used: u64 = left.iter().map(NodeRoom::total_gpu_milli).sum();
        prop_assert_eq!(run.end.gpu_milli.0, run.end.gpu_milli.1 - used);
    }

    /// The sum that is kept up to date is the sum over all nodes, and its parts are the free GPU.
    #[test]
    fn fragments_are_of_the_free_gpus(nodes in nodes(), pods in pods(), policy in policy()) {
        let typical = Arc::new(TypicalPods::of(&pods));
        let mut cluster = PodCluster::new(&nodes, Arc::clone(&typical), policy, Ties::Shuffled, 1);
        for pod in &pods {
            let _ = cluster.place(pod);
            let mut sum = Fragments::default();
            let mut free = 0;
            for (_, room) in cluster.rooms() {
                sum += typical.fragments(room);
                free += room.total_gpu_milli();
            }
            prop_assert_eq!(cluster.fragments(), sum);
            prop_assert_eq!(sum.idle(), free * typical.total());
            prop_assert!(sum.fragmented() <= sum.idle());
        }
    }

    /// What is remembered of scores is what a cluster in the same state finds out afresh.
    #[test]
    fn memory_changes_nothing(nodes in nodes(), pods in pods(), policy in policy()) {
        let typical = Arc::new(TypicalPods::of(&pods));
        let new = || PodCluster::new(&nodes, Arc::clone(&typical), policy, Ties::ByName, 1);
        let mut cluster = new();
        let mut placed = Vec::new();
        for pod in &pods {
            let best = cluster.best_nodes(pod);
            if placed.len() < 12 {
                let mut fresh = new();
                for (pod, placement) in &placed {
                    fresh.place_at(pod, *placement).unwrap();
                }
                prop_assert_eq!(&best, &fresh.best_nodes(pod));
            }
            if let Ok(placement) = cluster.place(pod) {
                prop_assert!(policy == PodPolicy::Random || best.first() == Some(&placement));
                prop_assert!(best.iter().any(|equal| equal.node == placement.node));
                placed.push((pod.clone(), placement));
            } else {
                prop_assert_eq!(best, []);
            }
        }
    }

    #[test]
    fn the_same_input_gives_the_same_run(nodes in nodes(), pods in pods(), policy in policy(), seed in 0u64..9) {
        let options = PodOptions { seed, ..PodOptions::default() };
        prop_assert_eq!(run_pods(&nodes, &pods, policy, &options), run_pods(&nodes, &pods, policy, &options));
    }
}
