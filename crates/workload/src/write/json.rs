//! Jobs as one JSON object with all that they hold; times in seconds.

use std::borrow::Cow;
use std::io;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use switchyard_model::{FleetSpec, JobSpec, Oracle, PerMille, Resources, Shape, SimDuration, SimTime, Terms};

use super::WriteReport;
use crate::workload::{Status, Workload};

/// What the member `format` says.
pub(crate) const FORMAT: &str = "switchyard-jobs";

/// The file as it is read back.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct JsonFile {
    pub(crate) format: String,
    #[serde(default)]
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) unix_start_s: Option<u64>,
    #[serde(default)]
    pub(crate) processors: Option<u32>,
    #[serde(default)]
    pub(crate) fleet: Option<FleetSpec>,
    pub(crate) jobs: Vec<JsonJob<'static>>,
}

/// The head of the file.
#[derive(Serialize)]
struct Head<'a> {
    format: &'a str,
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    unix_start_s: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    processors: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fleet: Option<&'a FleetSpec>,
}

/// A job.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct JsonJob<'a> {
    pub(crate) id: u64,
    pub(crate) submit_s: f64,
    pub(crate) runtime_s: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) limit_s: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) nodes: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) tasks: Option<u32>,
    /// Of each node or task.
    pub(crate) each: Resources,
    #[serde(default)]
    pub(crate) user: Cow<'a, str>,
    #[serde(default)]
    pub(crate) account: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) qos_factor_per_mille: PerMille,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) terms: Cow<'a, Terms>,
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub(crate) status: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) wait_s: Option<f64>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) limit_assumed: bool,
}

fn is_zero(factor: &PerMille) -> bool {
    factor.0 == 0
}

fn is_default(terms: &Terms) -> bool {
    *terms == Terms::default()
}

pub(super) fn write(workload: &Workload, out: &mut dyn io::Write) -> io::Result<WriteReport> {
    let head = Head {
        format: FORMAT,
        name: &workload.name,
        unix_start_s: workload.unix_start,
        processors: workload.declared_procs,
        fleet: workload.made_for.as_ref(),
    };
    let head = serde_json::to_string(&head)?;
    write!(out, "{},\"jobs\":[", head.strip_suffix('}').unwrap_or(&head))?;
    let mut report = WriteReport::default();
    let oracle = Oracle::new();
    for (index, job) in workload.jobs.iter().enumerate() {
        out.write_all(if index == 0 { b"\n" } else { b",\n" })?;
        let runtime = oracle.runtime(&job.truth);
        serde_json::to_writer(&mut *out, &json_job(workload, index, &job.spec, runtime))?;
        report.count(&job.spec, &[]);
    }
    out.write_all(b"\n]}\n")?;
    Ok(report)
}

fn json_job<'a>(
    workload: &Workload,
    index: usize,
    spec: &'a Arc<JobSpec>,
    runtime: SimDuration,
) -> JsonJob<'a> {
    let recorded = workload.recorded(index);
    let origin = SimDuration::from_micros(workload.origin.as_micros());
    let (nodes, tasks) = match spec.shape {
        Shape::Nodes { nodes, .. } => (Some(nodes), None),
        Shape::Tasks { tasks, .. } => (None, Some(tasks)),
    };
    let status = if recorded.status == Status::Unknown { "" } else { recorded.status.name() };
    // What a job asks for in time stands in the clock of the run.
    let begin = if spec.terms.begin == SimTime::ZERO { SimTime::ZERO } else { spec.terms.begin + origin };
    let terms = if begin == spec.terms.begin {
        Cow::Borrowed(&spec.terms)
    } else {
        Cow::Owned(Terms { begin, ..spec.terms.clone() })
    };
    JsonJob {
        id: spec.id.0,
        submit_s: (spec.submit + origin).as_secs_f64(),
        runtime_s: runtime.as_secs_f64(),
        limit_s: Some(spec.limit.as_secs_f64()),
        nodes,
        tasks,
        each: *spec.shape.parts().1,
        user: Cow::Borrowed(&spec.user),
        account: Cow::Borrowed(&spec.account),
        qos_factor_per_mille: spec.qos,
        terms,
        status: Cow::Borrowed(status),
        wait_s: recorded.wait.map(SimDuration::as_secs_f64),
        limit_assumed: recorded.limit_assumed,
    }
}
