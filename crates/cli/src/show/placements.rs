//! Where each pod went, as a table: `seq,pod,node,gpu_index,fragmented_gpu_milli,used_gpu_milli,reason`.
//!
//! Pods stand in the order in which they came; GPUs are numbered from 0 and joined by `-`. Fragmented and used GPU are of the whole
//! cluster after the pod. A pod without a node has a reason.

use std::io;
use std::path::Path;

use switchyard_model::GpuSet;
use switchyard_scheduler::PodRun;

use crate::commands::pods::Setting;
use crate::failure::Failure;

pub(crate) fn write(path: &Path, setting: &Setting, run: &PodRun) -> Result<(), Failure> {
    let failed = |source: io::Error| Failure::Write { path: path.to_owned(), source };
    let file = std::fs::File::create(path).map_err(failed)?;
    write_to(io::BufWriter::new(file), setting, run).map_err(failed)
}

fn write_to(out: impl io::Write, setting: &Setting, run: &PodRun) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(out);
    table.write_record([
        "seq",
        "pod",
        "node",
        "gpu_index",
        "fragmented_gpu_milli",
        "used_gpu_milli",
        "reason",
    ])?;
    let results = run.outcomes.iter().zip(&run.steps);
    for (seq, (pod, (outcome, step))) in setting.pods.iter().zip(results).enumerate() {
        let (node, gpus, reason) = match outcome {
            Ok(placement) => {
                let node = setting.nodes.get(placement.node as usize).map_or("", |node| &*node.name);
                (node, slots(placement.gpus), "")
            }
            Err(reason) => ("", String::new(), reason.code()),
        };
        table.write_record([
            &seq.to_string(),
            &*pod.name,
            node,
            &gpus,
            &format!("{:.2}", step.fragmented_gpu_milli),
            &step.used_gpu_milli.to_string(),
            reason,
        ])?;
    }
    table.flush()
}

fn slots(gpus: GpuSet) -> String {
    gpus.slots().map(|slot| slot.to_string()).collect::<Vec<_>>().join("-")
}
