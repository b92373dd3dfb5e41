//! Pods that ask for the same thing, and GPU models as small numbers.

use std::sync::Arc;

use switchyard_model::{GpuSet, PodNode, PodSpec, WHOLE_GPU};

/// What a pod asks for without its memory, which neither the fragmentation metric nor any score looks at.
///
/// The order is by CPU, share of a GPU, number of GPUs, models.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PodShape {
    /// CPU in thousandths of a core.
    pub cpu_milli: u64,
    /// How much of each GPU, in thousandths.
    pub gpu_milli: u32,
    /// On how many GPUs.
    pub gpus: u32,
    /// The models that will do; empty when all do.
    pub models: Vec<Arc<str>>,
}

impl PodShape {
    /// The shape of `pod`.
    pub fn of(pod: &PodSpec) -> PodShape {
        let PodSpec { cpu_milli, gpu_milli, gpus, .. } = *pod;
        PodShape { cpu_milli, gpu_milli, gpus, models: pod.models.clone() }
    }

    /// What it asks of all its GPUs together.
    pub const fn total_gpu_milli(&self) -> u64 {
        self.gpus as u64 * self.gpu_milli as u64
    }

    /// Whether it asks for a part of a single GPU.
    pub const fn shares_a_gpu(&self) -> bool {
        self.gpus == 1 && self.gpu_milli < WHOLE_GPU
    }

    /// Whether GPUs of `model` will do.
    pub fn accepts(&self, model: &str) -> bool {
        self.models.is_empty() || self.models.iter().any(|accepted| &**accepted == model)
    }
}

/// What is free on a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeRoom {
    /// CPU in thousandths of a core.
    pub cpu_milli: u64,
    /// Memory in MiB.
    pub memory_mib: u64,
    /// Of each GPU, in thousandths.
    pub gpu_milli: Vec<u32>,
    /// The model of the GPUs.
    pub model: Arc<str>,
}

impl NodeRoom {
    /// All of `node`.
    pub fn all_of(node: &PodNode) -> NodeRoom {
        NodeRoom {
            cpu_milli: node.cpu_milli,
            memory_mib: node.memory_mib,
            gpu_milli: vec![WHOLE_GPU; node.usable_gpus() as usize],
            model: Arc::clone(&node.model),
        }
    }

    /// What is free of all GPUs together.
    pub fn total_gpu_milli(&self) -> u64 {
        self.gpu_milli.iter().copied().map(u64::from).sum()
    }

    /// On how many GPUs at least `milli` is free.
    pub fn gpus_with(&self, milli: u32) -> u32 {
        self.gpu_milli.iter().fold(0, |count, &free| count + u32::from(free >= milli))
    }

    /// Whether the GPUs that `shape` asks for are free; true for a shape without.
    pub fn has_gpus(&self, shape: &PodShape) -> bool {
        self.gpus_with(shape.gpu_milli) >= shape.gpus
    }

    /// Whether `shape` fits, with `memory_mib` of memory.
    pub fn holds(&self, shape: &PodShape, memory_mib: u64) -> bool {
        self.cpu_milli >= shape.cpu_milli
            && self.memory_mib >= memory_mib
            && (shape.gpus == 0 || (self.has_gpus(shape) && shape.accepts(&self.model)))
    }

    /// GPUs of which something is in use.
    pub fn gpus_touched(&self) -> u64 {
        self.gpu_milli.iter().filter(|&&free| free < WHOLE_GPU).count() as u64
    }

    /// Gives away the CPU of `shape` and its share of these GPUs.
    pub(super) fn take(&mut self, shape: &PodShape, gpus: GpuSet) {
        self.cpu_milli = self.cpu_milli.saturating_sub(shape.cpu_milli);
        for slot in gpus.slots() {
            if let Some(free) = self.gpu_milli.get_mut(slot as usize) {
                *free = free.saturating_sub(shape.gpu_milli);
            }
        }
    }
}
