//! More pods of the same kind, or fewer, until they ask for a given multiple of a cluster's GPUs.

use rand::RngExt as _;
use rand::seq::SliceRandom as _;
use switchyard_model::{PodSpec, Stream, stream};
use thiserror::Error;

/// Why pods can't be brought to a demand.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum InflateError {
    /// None of the pods asks for a GPU, so that no number of them asks for enough.
    #[error("none of the {pods} pods asks for a GPU; their GPU demand can't be raised")]
    NoGpuPods {
        /// How many there are.
        pods: u64,
    },
    /// There is nothing that a demand could be a multiple of.
    #[error("the nodes have no GPUs; a GPU demand makes no sense for them")]
    NoGpus,
    /// The demand is no usable number, or so large that the pods would not fit into memory.
    #[error(
        "a demand of {demand} times the GPUs of the cluster makes no sense; choose more than 0, at most {DEMAND_MAX}"
    )]
    Demand {
        /// What was asked for.
        demand: String,
    },
}

/// A larger demand is a mistake.
pub const DEMAND_MAX: u32 = 100;

/// `pods`, in their order, brought to a GPU demand of `demand` times `capacity_gpu_milli`.
///
/// As the published experiments do it, which shuffle the pods before ([`shuffled`]): as long as the demand is too low, pods
/// drawn from the given ones with replacement are appended, until the next one would exceed it. If it is too high, pods drawn
/// at random are taken away. A drawn pod is named after the original, with `-clone-` and a number.
///
/// # Errors
/// When no pod asks for a GPU, there are no GPUs, or the demand is not in (0, [`DEMAND_MAX`]].
pub fn inflate(
    pods: &[PodSpec],
    capacity_gpu_milli: u64,
    demand: f64,
    seed: u64,
) -> Result<Vec<PodSpec>, InflateError> {
    if !(demand > 0.0 && demand <= f64::from(DEMAND_MAX)) {
        return Err(InflateError::Demand { demand: demand.to_string() });
    }
    if capacity_gpu_milli == 0 {
        return Err(InflateError::NoGpus);
    }
    let asked: u64 = pods.iter().map(PodSpec::total_gpu_milli).sum();
    if asked == 0 {
        return Err(InflateError::NoGpuPods { pods: pods.len() as u64 });
    }
    let target = (demand * capacity_gpu_milli as f64) as u64;
    let chance = stream(seed, "pods inflate");
    let mut all = pods.to_vec();
    if asked > target {
        drop_pods(&mut all, asked - target, chance);
    } else {
        add_pods(&mut all, target - asked, chance);
    }
    Ok(all)
}

/// Takes away at least this much.
fn drop_pods(pods: &mut Vec<PodSpec>, too_much: u64, mut chance: Stream) {
    let mut dropped = 0;
    while dropped < too_much && !pods.is_empty() {
        dropped += pods.remove(chance.random_range(0..pods.len() as u32) as usize).total_gpu_milli();
    }
}

/// Adds at most this much.
fn add_pods(pods: &mut Vec<PodSpec>, missing: u64, mut chance: Stream) {
    let mut originals = pods.clone();
    originals.sort_by(|a, b| a.name.cmp(&b.name)); // the order of the file shall not matter
    let mut added = 0;
    for number in 0u64.. {
        let Some(drawn) = originals.get(chance.random_range(0..originals.len() as u32) as usize) else {
            break;
        };
        added += drawn.total_gpu_milli();
        if added > missing {
            break;
        }
        pods.push(PodSpec { name: format!("{}-clone-{number}", drawn.name).into(), ..drawn.clone() });
    }
}

/// The pods in a random order that depends on the seed and their names alone.
pub fn shuffled(pods: &[PodSpec], seed: u64) -> Vec<PodSpec> {
    let mut all = pods.to_vec();
    all.sort_by(|a, b| a.name.cmp(&b.name));
    all.shuffle(&mut stream(seed, "pods order"));
    all
}
