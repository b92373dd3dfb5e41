//! A row of the tables as a pod or a node.

use std::sync::Arc;

use switchyard_model::{PodNode, PodSpec, SimDuration, SimTime, WHOLE_GPU};

use super::report::{Remark, TableReport};
use super::table::Row;
use crate::ReadError;
use crate::report::Place;

pub(super) const NODE_COLUMNS: [&str; 5] = ["sn", "cpu_milli", "memory_mib", "gpu", "model"];
pub(super) const COLUMNS: [&str; 5] = ["name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli"];
pub(super) const OPTIONAL: [&str; 4] = ["gpu_spec", "creation_time", "scheduled_time", "deletion_time"];

/// More than any node has; sums over a million of them still fit into 64 bits.
const AMOUNT_MAX: u64 = 1 << 40;
/// Some 31,000 years.
const SECONDS_MAX: u64 = 1_000_000_000_000;

pub(super) fn node(row: &Row<'_>, report: &mut TableReport) -> Result<PodNode, ReadError> {
    let gpus = row.number("gpu", PodNode::GPUS_MAX.into(), "a number of GPUs, 0 to 64")?;
    let model = row.text("model");
    if gpus > 0 && model.is_empty() {
        report.remarks.add(Remark::NoModel, Place::Line(row.line));
    }
    Ok(PodNode {
        name: row.name("sn")?.into(),
        cpu_milli: cpu(row)?,
        memory_mib: memory(row)?,
        gpus: gpus as u32,
        model: if gpus > 0 { model.into() } else { "".into() },
    })
}

pub(super) fn pod(row: &Row<'_>, report: &mut TableReport) -> Result<PodSpec, ReadError> {
    let mut remark = |remark| report.remarks.add(remark, Place::Line(row.line));
    let gpus = row.number("num_gpu", PodNode::GPUS_MAX.into(), "a number of GPUs, 0 to 64")? as u32;
    let gpu_milli = share(row, gpus)?;
    let models = models(row.text("gpu_spec"));
    if gpus == 0 && !matches!(row.text("gpu_milli"), "" | "0") {
        remark(Remark::ShareWithoutGpu);
    }
    if gpus == 0 && !models.is_empty() {
        remark(Remark::ModelWithoutGpu);
    }
    if gpus > 1 && gpu_milli < WHOLE_GPU {
        remark(Remark::PartsOfSeveralGpus);
    }
    let scheduled = moment(row, "scheduled_time")?;
    if scheduled.is_none() && row.has("scheduled_time") {
        remark(Remark::NeverScheduled);
    }
    Ok(PodSpec {
        name: row.name("name")?.into(),
        cpu_milli: cpu(row)?,
        memory_mib: memory(row)?,
        gpus,
        gpu_milli,
        models: if gpus > 0 { models } else { Vec::new() },
        created: moment(row, "creation_time")?,
        scheduled,
        deleted: moment(row, "deletion_time")?,
    })
}

fn cpu(row: &Row<'_>) -> Result<u64, ReadError> {
    row.number("cpu_milli", AMOUNT_MAX, "CPU in thousandths of a core, a whole number")
}

fn memory(row: &Row<'_>) -> Result<u64, ReadError> {
    row.number("memory_mib", AMOUNT_MAX, "memory in MiB, a whole number")
}

/// How much of each GPU; for a pod without GPUs nothing, whatever the field says.
fn share(row: &Row<'_>, gpus: u32) -> Result<u32, ReadError> {
    if gpus == 0 && row.text("gpu_milli").is_empty() {
        return Ok(0);
    }
    let expected = "thousandths of a GPU, 1 to 1000 (0 only without GPUs)";
    let share = row.number("gpu_milli", WHOLE_GPU.into(), expected)? as u32;
    match (gpus, share) {
        (0, _) => Ok(0),
        (_, 0) => Err(row.wrong("gpu_milli", expected)),
        _ => Ok(share),
    }
}

fn models(text: &str) -> Vec<Arc<str>> {
    text.split('|').map(str::trim).filter(|model| !model.is_empty()).map(Arc::from).collect()
}

fn moment(row: &Row<'_>, column: &str) -> Result<Option<SimTime>, ReadError> {
    if row.text(column).is_empty() {
        return Ok(None);
    }
    let secs = row.number(column, SECONDS_MAX, "whole seconds since the start of the trace, or nothing")?;
    Ok(Some(SimTime::ZERO + SimDuration::from_secs(secs)))
}
