//! Pods and GPU nodes: what one-at-a-time placement with fractional GPUs is about.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{GpuSet, SimTime};

/// A whole GPU in thousandths.
pub const WHOLE_GPU: u32 = 1000;

/// What a pod asks for.
///
/// A pod takes `gpu_milli` thousandths of each of `gpus` different GPUs of one node, so that a pod with two GPUs of 500
/// doesn't fit on a single one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PodSpec {
    /// Its name.
    pub name: Arc<str>,
    /// CPU in thousandths of a core.
    pub cpu_milli: u64,
    /// Memory in MiB.
    #[serde(default)]
    pub memory_mib: u64,
    /// On how many GPUs.
    #[serde(default)]
    pub gpus: u32,
    /// How much of each of them, in thousandths; 0 for a pod without GPUs.
    #[serde(default)]
    pub gpu_milli: u32,
    /// The GPU models that will do, in the order of the request; empty when every model does.
    #[serde(default)]
    pub models: Vec<Arc<str>>,
    /// When it was created, if that is known.
    #[serde(default)]
    pub created: Option<SimTime>,
    /// When it was scheduled, if that is known and it was.
    #[serde(default)]
    pub scheduled: Option<SimTime>,
    /// When it was deleted, if that is known.
    #[serde(default)]
    pub deleted: Option<SimTime>,
}

impl PodSpec {
    /// A pod that shares a node's CPUs only.
    pub fn cpu_only(name: &str, cpu_milli: u64) -> PodSpec {
        PodSpec {
            name: name.into(),
            cpu_milli,
            memory_mib: 0,
            gpus: 0,
            gpu_milli: 0,
            models: Vec::new(),
            created: None,
            scheduled: None,
            deleted: None,
        }
    }

    /// A pod with `gpu_milli` thousandths of each of `gpus` GPUs, of any model.
    pub fn with_gpus(name: &str, cpu_milli: u64, gpus: u32, gpu_milli: u32) -> PodSpec {
        PodSpec { gpus, gpu_milli, ..PodSpec::cpu_only(name, cpu_milli) }
    }

    /// What it asks of all its GPUs together, in thousandths of a GPU.
    pub const fn total_gpu_milli(&self) -> u64 {
        self.gpus as u64 * self.gpu_milli as u64
    }

    /// Whether it asks for a part of a single GPU.
    pub const fn shares_a_gpu(&self) -> bool {
        self.gpus == 1 && self.gpu_milli < WHOLE_GPU
    }
}

/// A node that pods are placed on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PodNode {
    /// Its name.
    pub name: Arc<str>,
    /// CPU in thousandths of a core.
    pub cpu_milli: u64,
    /// Memory in MiB.
    pub memory_mib: u64,
    /// How many GPUs, at most [`PodNode::GPUS_MAX`].
    pub gpus: u32,
    /// The model of its GPUs; empty for a node without.
    pub model: Arc<str>,
}

impl PodNode {
    /// More GPUs than that don't fit into a [`GpuSet`].
    pub const GPUS_MAX: u32 = 64;

    /// How many GPUs can be given away: all but those above [`PodNode::GPUS_MAX`].
    pub const fn usable_gpus(&self) -> u32 {
        if self.gpus > PodNode::GPUS_MAX { PodNode::GPUS_MAX } else { self.gpus }
    }

    /// What its GPUs have together, in thousandths of a GPU.
    pub const fn total_gpu_milli(&self) -> u64 {
        self.usable_gpus() as u64 * WHOLE_GPU as u64
    }
}

/// Where a pod runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PodPlacement {
    /// The node, by its place in the list of nodes, from 0.
    pub node: u32,
    /// Which of its GPUs.
    pub gpus: GpuSet,
}
