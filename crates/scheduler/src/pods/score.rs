//! The scores of the policies: how good a node is for a pod that fits on it, and which of its GPUs it would get.

use std::collections::BTreeSet;

use switchyard_model::{GpuSet, PodNode, WHOLE_GPU};

use super::shape::{NodeRoom, PodShape};
use super::typical::TypicalPods;

/// The best score; the worst is 0.
const BEST: i64 = 100;

/// The largest amounts that a node of the cluster has: what fractions are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Largest {
    cpu_milli: u64,
    gpu_milli: u64,
}

impl Largest {
    pub(super) fn of(nodes: &[PodNode]) -> Largest {
        let cpu = nodes.iter().map(|node| node.cpu_milli).max();
        let gpu = nodes.iter().map(PodNode::total_gpu_milli).max();
        Largest { cpu_milli: cpu.unwrap_or(0).max(1), gpu_milli: gpu.unwrap_or(0).max(1) }
    }

    /// CPU and GPU as fractions.
    fn fractions(self, cpu_milli: u64, gpu_milli: u64) -> (f64, f64) {
        (cpu_milli as f64 / self.cpu_milli as f64, gpu_milli as f64 / self.gpu_milli as f64)
    }
}

/// Pods that pack well together: 0 for those without GPUs, else the same number for the same cut of GPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Kind {
    gpus: u32,
    parts: bool,
}

impl Kind {
    /// `None` without GPUs.
    pub(super) fn of(shape: &PodShape) -> Option<Kind> {
        (shape.gpus > 0).then_some(Kind { gpus: shape.gpus, parts: shape.gpu_milli < WHOLE_GPU })
    }
}

pub(super) fn dot_product(largest: Largest, room: &NodeRoom, shape: &PodShape) -> i64 {
    let (free_cpu, free_gpu) = largest.fractions(room.cpu_milli, room.total_gpu_milli());
    let (cpu, gpu) = largest.fractions(shape.cpu_milli, shape.total_gpu_milli());
    let half = (free_cpu * cpu + free_gpu * gpu) / 2.0;
    (BEST as f64 * (1.0 - half)) as i64
}

pub(super) fn clustering(largest: Largest, room: &NodeRoom, kinds: &BTreeSet<Kind>, shape: &PodShape) -> i64 {
    let Some(kind) = Kind::of(shape) else { return 0 };
    let quarter = match (kinds.contains(&kind), kinds.len()) {
        (true, 1) => 3,
        (true, _) => 2,
        (false, 0) => 1,
        (false, _) => 0,
    };
    let all = largest.gpu_milli;
    let fullness = (BEST as u64 / 4) * all.saturating_sub(room.total_gpu_milli()) / all;
    quarter * (BEST / 4) + fullness as i64
}

pub(super) fn packing(room: &NodeRoom, shape: &PodShape) -> i64 {
    let free = room.gpus_with(WHOLE_GPU);
    if shape.gpus == 0 {
        return 0;
    }
    if free == room.gpu_milli.len() as u32 {
        return (BEST / 3 - i64::from(free)).max(0);
    }
    let taken = || tightest(room, shape).slots().filter_map(|slot| room.gpu_milli.get(slot as usize));
    let idle = taken().filter(|&&free| free == WHOLE_GPU).count() as i64;
    if idle > 0 {
        return (BEST / 2 - idle).max(BEST / 3);
    }
    let left: i64 = taken().map(|&free| i64::from(free) * 100 / i64::from(WHOLE_GPU)).sum();
    (BEST - left / 10).max(BEST / 2)
}

pub(super) fn best_fit(largest: Largest, room: &NodeRoom, shape: &PodShape) -> i64 {
    let cpu = room.cpu_milli.saturating_sub(shape.cpu_milli);
    let gpu = room.total_gpu_milli().saturating_sub(shape.total_gpu_milli());
    let (cpu, gpu) = largest.fractions(cpu, gpu);
    let left = cpu * 0.5 + gpu * 0.5;
    ((1.0 - left) * BEST as f64) as i64
}

/// The score of the fragmentation gradient and the GPUs with which it is reached. `before` is F of the node as it is.
pub(super) fn gradient(
    typical: &TypicalPods,
    room: &NodeRoom,
    shape: &PodShape,
    before: u64,
) -> (i64, GpuSet) {
    let after = |gpus: GpuSet| {
        let mut left = room.clone();
        left.take(shape, gpus);
        sigmoid_score(typical, before, typical.fragments(&left).fragmented())
    };
    if !shape.shares_a_gpu() {
        let gpus = tightest(room, shape);
        return (after(gpus), gpus);
    }
    let mut best: Option<(i64, GpuSet)> = None;
    let mut tried = Vec::new();
    for (slot, &free) in room.gpu_milli.iter().enumerate() {
        // GPUs with equally much free are equally good, and the first of them is wanted.
        if free < shape.gpu_milli || tried.contains(&free) {
            continue;
        }
        tried.push(free);
        let gpus = GpuSet(1 << slot);
        let score = after(gpus);
        if best.is_none_or(|(most, _)| score > most) {
            best = Some((score, gpus));
        }
    }
    best.unwrap_or((0, GpuSet::default()))
}

/// 100 / (1 + e^-x), x the fall of F in whole GPUs.
fn sigmoid_score(typical: &TypicalPods, before: u64, after: u64) -> i64 {
    let fall = before as f64 - after as f64;
    let gpus = fall / typical.total().max(1) as f64 / f64::from(WHOLE_GPU);
    (BEST as f64 / (1.0 + libm::exp(-gpus))) as i64
}

/// The GPUs with the least free that is enough for `shape`, the first among equals; as many as it needs and there are.
pub(super) fn tightest(room: &NodeRoom, shape: &PodShape) -> GpuSet {
    let mut chosen = GpuSet::default();
    for _ in 0..shape.gpus {
        let mut best: Option<(u32, u32)> = None;
        for (slot, &free) in (0u32..).zip(&room.gpu_milli) {
            let better = best.is_none_or(|(_, least)| free < least);
            if free >= shape.gpu_milli && better && !chosen.contains(slot) {
                best = Some((slot, free));
            }
        }
        let Some((slot, _)) = best else { break };
        chosen = chosen.union(GpuSet(1 << slot));
    }
    chosen
}
