//! Reads back the jobs that [`write`](crate::write) wrote as JSON.

use std::sync::Arc;

use switchyard_model::{JobId, JobSpec, Shape, SimDuration, SimTime, Terms};

use crate::batsim::json_error;
use crate::error::{ReadError, shown};
use crate::limits::LEAST_LIMIT;
use crate::report::{ChangeKind, Place, Report};
use crate::source::Source;
use crate::workload::{Names, Row, Status, Workload, assemble};
use crate::write::{JSON_FORMAT, JsonFile, JsonJob};

const SECONDS: &str = "a number of seconds from 0 to 9.2e12";

pub(crate) fn read(source: &mut Source<'_>, report: &mut Report) -> Result<Workload, ReadError> {
    let (file, text) = (source.file().to_owned(), source.whole()?);
    let document: JsonFile = serde_json::from_str(&text).map_err(|error| json_error(&file, &error))?;
    if document.format != JSON_FORMAT {
        return Err(wrong(&file, "format", JSON_FORMAT, &document.format));
    }
    let mut names = Names::default();
    report.rows = document.jobs.len() as u64;
    let rows = (0u64..).zip(document.jobs).map(|(index, job)| row(&file, index, job, &mut names, report));
    let rows = rows.collect::<Result<Vec<Row>, ReadError>>()?;
    let mut workload = assemble(&file, rows, report);
    for job in &mut workload.jobs {
        if job.spec.terms.begin > SimTime::ZERO {
            let begin = SimTime::ZERO + job.spec.terms.begin.since(workload.origin);
            Arc::make_mut(&mut job.spec).terms.begin = begin;
        }
    }
    if !document.name.is_empty() {
        workload.name = document.name.into();
    }
    Ok(Workload {
        declared_procs: document.processors,
        unix_start: document.unix_start_s,
        made_for: document.fleet,
        ..workload
    })
}

fn row(
    file: &str,
    index: u64,
    job: JsonJob<'static>,
    names: &mut Names,
    report: &mut Report,
) -> Result<Row, ReadError> {
    let at = Place::Entry(index);
    let time = |name: &str, secs: f64| {
        let time = SimDuration::from_secs_f64(secs);
        time.ok_or_else(|| wrong(file, &format!("{at}.{name}"), SECONDS, &secs.to_string()))
    };
    let submit = SimTime::ZERO + time("submit_s", job.submit_s)?;
    let runtime = time("runtime_s", job.runtime_s)?;
    let limit = job.limit_s.map(|secs| time("limit_s", secs)).transpose()?;
    if limit.is_none() || job.limit_assumed {
        report.changed.add(ChangeKind::NoLimit, at);
    }
    let wait = job.wait_s.map(|secs| time("wait_s", secs)).transpose()?;
    let shape = match (job.nodes, job.tasks) {
        (Some(nodes), None) => Shape::Nodes { nodes, per_node: job.each },
        (None, Some(tasks)) => Shape::Tasks { tasks, per_task: job.each },
        _ => return Err(wrong(file, &format!("{at}.nodes"), "either nodes or tasks", "both or neither")),
    };
    let status = if job.status.is_empty() { Some(Status::Unknown) } else { Status::named(&job.status) };
    let status =
        status.ok_or_else(|| wrong(file, &format!("{at}.status"), "a status like completed", &job.status))?;
    let terms = job.terms.into_owned();
    let spec = JobSpec {
        user: names.get(&job.user),
        account: names.get(&job.account),
        qos: job.qos_factor_per_mille,
        terms: Terms {
            partition: terms.partition.as_deref().map(|name| names.get(name)),
            qos: terms.qos.as_deref().map(|name| names.get(name)),
            ..terms
        },
        ..JobSpec::new(JobId(job.id), submit, limit.unwrap_or(runtime.max(LEAST_LIMIT)), shape)
    };
    Ok(Row {
        place: at,
        start: wait.map(|wait| submit + wait),
        runtime,
        status,
        limit_given: limit.is_some() && !job.limit_assumed,
        spec: Arc::new(spec),
    })
}

fn wrong(file: &str, member: &str, expected: &'static str, found: &str) -> ReadError {
    ReadError::Member { file: file.to_owned(), member: member.to_owned(), expected, found: shown(found) }
}
