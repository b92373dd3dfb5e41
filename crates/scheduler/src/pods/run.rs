//! A list of pods against a policy, one after the other, and the curves of the result.

use std::sync::Arc;

use switchyard_model::{PodNode, PodPlacement, PodSpec};

use super::cluster::{PodCluster, Ties};
use super::policy::PodPolicy;
use super::reason::PodReason;
use super::typical::{Fragments, TypicalPods};

/// How to run.
#[derive(Clone, Debug, Default)]
pub struct PodOptions {
    /// Where chance is involved: it orders the nodes for [`Ties::Shuffled`] and draws for [`PodPolicy::Random`].
    pub seed: u64,
    /// Which node is taken among equally good ones.
    pub ties: Ties,
    /// For whom fragmentation is measured; the pods themselves when not given. The published experiments take the original
    /// pods, not the inflated ones.
    pub typical: Option<Arc<TypicalPods>>,
}

/// What became of a list of pods.
#[derive(Clone, Debug, PartialEq)]
pub struct PodRun {
    /// The policy.
    pub policy: PodPolicy,
    /// All GPUs of the cluster, in thousandths.
    pub capacity_gpu_milli: u64,
    /// What became of each pod, in the order in which they came.
    pub outcomes: Vec<Result<PodPlacement, PodReason>>,
    /// The cluster after each of them.
    pub steps: Vec<PodStep>,
    /// The cluster at the end.
    pub end: PodEnd,
}

/// The cluster after a pod was placed or not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PodStep {
    /// What all pods so far asked for, in thousandths of a GPU.
    pub arrived_gpu_milli: u64,
    /// What those that were placed have.
    pub used_gpu_milli: u64,
    /// The sum of F(n) over all nodes.
    pub fragmented_gpu_milli: f64,
}

/// A point of the curves over demand, all in per cent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PodPoint {
    /// GPU in use, of all GPUs.
    pub allocated: f64,
    /// Sum of F(n), of all GPUs.
    pub fragmented: f64,
    /// Sum of F(n), of the GPUs that aren't in use.
    pub fragmented_of_idle: f64,
}

/// The cluster when all pods have come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PodEnd {
    /// CPU in use and in all, in thousandths of a core.
    pub cpu_milli: (u64, u64),
    /// Memory in use and in all, in MiB.
    pub memory_mib: (u64, u64),
    /// GPUs of which something is in use, and all.
    pub gpus: (u64, u64),
    /// GPU in use and in all, in thousandths.
    pub gpu_milli: (u64, u64),
    /// How the rest divides, to be divided by `typical`.
    pub fragments: Fragments,
    /// How many pods the typical ones stand for.
    pub typical: u64,
}

/// Places `pods` in their order on empty `nodes`; nobody leaves.
pub fn run_pods(nodes: &[PodNode], pods: &[PodSpec], policy: PodPolicy, options: &PodOptions) -> PodRun {
    let typical = options.typical.clone().unwrap_or_else(|| Arc::new(TypicalPods::of(pods)));
    let total = typical.total().max(1) as f64;
    let mut cluster = PodCluster::new(nodes, Arc::clone(&typical), policy, options.ties, options.seed);
    let (mut outcomes, mut steps) = (Vec::with_capacity(pods.len()), Vec::with_capacity(pods.len()));
    let (mut arrived, mut used) = (0, 0);
    for pod in pods {
        let outcome = cluster.place(pod);
        arrived += pod.total_gpu_milli();
        used += if outcome.is_ok() { pod.total_gpu_milli() } else { 0 };
        let fragmented = cluster.fragments().fragmented() as f64 / total;
        steps.push(PodStep {
            arrived_gpu_milli: arrived,
            used_gpu_milli: used,
            fragmented_gpu_milli: fragmented,
        });
        outcomes.push(outcome);
    }
    let end = end_of(nodes, &cluster, typical.total());
    PodRun { policy, capacity_gpu_milli: end.gpu_milli.1, outcomes, steps, end }
}

fn end_of(nodes: &[PodNode], cluster: &PodCluster, typical: u64) -> PodEnd {
    let sum = |of: &dyn Fn(&PodNode) -> u64| nodes.iter().map(of).sum::<u64>();
    let cpu = sum(&|node| node.cpu_milli);
    let memory = sum(&|node| node.memory_mib);
    let gpu_milli = sum(&PodNode::total_gpu_milli);
    let (mut free_cpu, mut free_memory, mut free_gpu, mut touched) = (0, 0, 0, 0);
    for (_, room) in cluster.rooms() {
        free_cpu += room.cpu_milli;
        free_memory += room.memory_mib;
        free_gpu += room.total_gpu_milli();
        touched += room.gpus_touched();
    }
    PodEnd {
        cpu_milli: (cpu - free_cpu, cpu),
        memory_mib: (memory - free_memory, memory),
        gpus: (touched, sum(&|node| node.usable_gpus().into())),
        gpu_milli: (gpu_milli - free_gpu, gpu_milli),
        fragments: cluster.fragments(),
        typical,
    }
}

impl PodRun {
    /// How many pods were placed.
    pub fn scheduled(&self) -> usize {
        self.outcomes.iter().filter(|outcome| outcome.is_ok()).count()
    }

    /// Why the others weren't, in the order in which they came.
    pub fn refused(&self) -> impl Iterator<Item = &PodReason> {
        self.outcomes.iter().filter_map(|outcome| outcome.as_ref().err())
    }

    /// The curves over demand: for each whole per cent of all GPUs the mean over the pods at whose arrival the demand so far
    /// rounds to it; per cents that no arrival rounds to are left out. Nothing for a cluster without GPUs.
    pub fn curve(&self) -> Vec<(u64, PodPoint)> {
        let capacity = self.capacity_gpu_milli as f64;
        if self.capacity_gpu_milli == 0 {
            return Vec::new();
        }
        let percent = |step: &PodStep| libm::round(100.0 * step.arrived_gpu_milli as f64 / capacity) as u64;
        // Demand never falls, so that equal per cents stand together.
        let groups = self.steps.chunk_by(|a, b| percent(a) == percent(b));
        groups.filter_map(|steps| Some((percent(steps.first()?), self.mean(steps)))).collect()
    }

    /// The point of the curves at `percent`.
    pub fn at(&self, percent: u64) -> Option<PodPoint> {
        let curve = self.curve();
        let found = curve.binary_search_by_key(&percent, |&(percent, _)| percent).ok()?;
        curve.get(found).map(|&(_, point)| point)
    }

    fn mean(&self, steps: &[PodStep]) -> PodPoint {
        let capacity = self.capacity_gpu_milli as f64;
        let mean = |of: &dyn Fn(&PodStep) -> f64| steps.iter().map(of).sum::<f64>() / steps.len() as f64;
        let idle = |step: &PodStep| (self.capacity_gpu_milli - step.used_gpu_milli) as f64;
        PodPoint {
            allocated: mean(&|step| 100.0 * step.used_gpu_milli as f64 / capacity),
            fragmented: mean(&|step| 100.0 * step.fragmented_gpu_milli / capacity),
            fragmented_of_idle: mean(&|step| {
                if idle(step) > 0.0 { 100.0 * step.fragmented_gpu_milli / idle(step) } else { 0.0 }
            }),
        }
    }
}
