//! Jobs as a table with a header, separated by commas. The columns are those that [`read`](crate::read) knows by their names.

use std::io;

use switchyard_model::{Oracle, Resources, Shape, SimDuration};

use super::{Lost, WriteReport, seconds};
use crate::limits::LEAST_LIMIT;
use crate::workload::{Status, Workload};

const HEADER: [&str; 16] = [
    "job_id",
    "submit",
    "runtime",
    "limit",
    "nodes",
    "tasks",
    "cpus",
    "gpus",
    "memory_mib",
    "user",
    "account",
    "partition",
    "qos",
    "qos_factor",
    "status",
    "wait",
];

pub(super) fn write(workload: &Workload, out: &mut dyn io::Write) -> io::Result<WriteReport> {
    let mut table = csv::Writer::from_writer(out);
    table.write_record(HEADER)?;
    let mut report = WriteReport::default();
    let oracle = Oracle::new();
    let origin = SimDuration::from_micros(workload.origin.as_micros());
    for (index, job) in workload.jobs.iter().enumerate() {
        let spec = &job.spec;
        let recorded = workload.recorded(index);
        let Resources { cpus, gpus, memory_mib } = *spec.shape.parts().1;
        let (nodes, tasks) = match spec.shape {
            Shape::Nodes { nodes, .. } => (nodes.to_string(), String::new()),
            Shape::Tasks { tasks, .. } => (String::new(), tasks.to_string()),
        };
        let named = |status: Status| if status == Status::Unknown { "" } else { status.name() };
        let factor = if spec.qos.0 == 0 { String::new() } else { spec.qos.as_factor().to_string() };
        let runtime = oracle.runtime(&job.truth);
        // Nothing, where it only stands in for one.
        let assumed = recorded.limit_assumed && spec.limit == runtime.max(LEAST_LIMIT);
        let limit = if assumed { String::new() } else { seconds(spec.limit.as_micros()) };
        table.write_record([
            spec.id.0.to_string(),
            seconds((spec.submit + origin).as_micros()),
            seconds(runtime.as_micros()),
            limit,
            nodes,
            tasks,
            cpus.to_string(),
            gpus.to_string(),
            memory_mib.to_string(),
            spec.user.to_string(),
            spec.account.to_string(),
            spec.terms.partition.as_deref().unwrap_or_default().to_owned(),
            spec.terms.qos.as_deref().unwrap_or_default().to_owned(),
            factor,
            named(recorded.status).to_owned(),
            recorded.wait.map(|wait| seconds(wait.as_micros())).unwrap_or_default(),
        ])?;
        report.count(spec, &[Lost::OtherTerms]);
    }
    table.flush()?;
    Ok(report)
}
