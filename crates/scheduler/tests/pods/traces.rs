//! Nodes and pods for the tests, by hand and from the traces beside the checkout.
#![allow(clippy::print_stderr)]

use std::path::PathBuf;

use switchyard_model::{PodNode, PodSpec};
use switchyard_workload::openb::{read_nodes, read_pods};

/// A node with `gpus` GPUs and much memory.
pub(crate) fn node(name: &str, cpus: u64, gpus: u32) -> PodNode {
    let model = if gpus > 0 { "V100" } else { "" };
    PodNode { name: name.into(), cpu_milli: cpus * 1000, memory_mib: 256_000, gpus, model: model.into() }
}

/// A pod with `gpu_milli` of each of `gpus` GPUs.
pub(crate) fn pod(name: &str, cpus: u64, gpus: u32, gpu_milli: u32) -> PodSpec {
    PodSpec::with_gpus(name, cpus * 1000, gpus, gpu_milli)
}

/// The folder of traces; `None`, with a note, where there is none.
pub(crate) fn folder() -> Option<PathBuf> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/traces"));
    let present = folder.is_dir();
    if !present {
        eprintln!("skipped: no traces in {}", folder.display());
    }
    present.then_some(folder)
}

/// Nodes and pods from these files of the folder.
pub(crate) fn trace(nodes: &str, pods: &str) -> Option<(Vec<PodNode>, Vec<PodSpec>)> {
    let folder = folder()?;
    let bytes = |name: &str| std::fs::read(folder.join(name)).unwrap();
    let nodes = read_nodes(nodes, &bytes(nodes)).unwrap().0;
    Some((nodes, read_pods(pods, &bytes(pods)).unwrap().0))
}

/// What a cluster of `nodes` has.
pub(crate) fn capacity(nodes: &[PodNode]) -> u64 {
    nodes.iter().map(PodNode::total_gpu_milli).sum()
}
