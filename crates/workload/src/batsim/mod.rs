//! Batsim's workloads: one JSON object with jobs, and with profiles that say what the jobs do.
//!
//! A job names its profile. A profile of the type `delay` (`DelayProfile` in later versions) is a runtime, and so is a sequence
//! (`composed`, `SequentialCompositionProfile`) of such profiles. How long all others run is what Batsim simulates a
//! platform for; their jobs are skipped and counted.

mod profiles;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value};
use switchyard_model::{JobId, JobSpec, Resources, Shape, SimDuration, SimTime};

use self::profiles::Profiles;
use crate::error::{ReadError, shown};
use crate::limits::LEAST_LIMIT;
use crate::report::{ChangeKind, Place, Report, SkipReason, Unmodelled};
use crate::source::Source;
use crate::workload::{Row, Status, Workload, assemble};

/// What is used of a job.
const MEMBERS: [&str; 5] = ["id", "subtime", "walltime", "res", "profile"];

pub(crate) fn read(source: &mut Source<'_>, report: &mut Report) -> Result<Workload, ReadError> {
    let (file, text) = (source.file().to_owned(), source.whole()?);
    let file = &*file;
    let document: Value = serde_json::from_str(&text).map_err(|error| json_error(file, &error))?;
    let jobs = document.get("jobs").and_then(Value::as_array);
    let jobs = jobs.ok_or_else(|| wrong(file, "jobs", "Batsim's list of jobs", document.get("jobs")))?;
    let profiles = document.get("profiles").and_then(Value::as_object);
    let profiles = profiles
        .ok_or_else(|| wrong(file, "profiles", "Batsim's table of profiles", document.get("profiles")))?;
    let mut reader = Reader {
        file,
        profiles: Profiles::new(file, profiles),
        nobody: "unknown".into(),
        unused: BTreeMap::new(),
        report,
    };
    let (mut rows, mut names) = (Vec::new(), Vec::new());
    for (index, job) in (0u64..).zip(jobs) {
        let members = job.as_object();
        let members = members.ok_or_else(|| wrong(file, &format!("jobs[{index}]"), "a job", Some(job)))?;
        if let Some((row, name)) = reader.row(index, members)? {
            names.extend(name.map(|name| (rows.len(), name)));
            rows.push(row);
        }
    }
    let unused = reader.unused;
    number(&mut rows, &names, report);
    report.rows = jobs.len() as u64;
    report.unmodelled = unused.into_iter().map(|(field, rows)| Unmodelled { field, rows }).collect();
    let declared_procs = match document.get("nb_res") {
        None => None,
        Some(value) => {
            Some(count(value).ok_or_else(|| wrong(file, "nb_res", "a number of resources", Some(value)))?)
        }
    };
    Ok(Workload { declared_procs: declared_procs.filter(|&procs| procs > 0), ..assemble(file, rows, report) })
}

struct Reader<'a> {
    file: &'a str,
    profiles: Profiles<'a>,
    nobody: Arc<str>,
    /// Members of jobs that are not used, and how often they occur.
    unused: BTreeMap<String, u64>,
    report: &'a mut Report,
}

impl Reader<'_> {
    /// The job of this entry and its name if it has no number, or `None` after counting why there is no job.
    fn row(
        &mut self,
        index: u64,
        job: &Map<String, Value>,
    ) -> Result<Option<(Row, Option<String>)>, ReadError> {
        let at = Place::Entry(index);
        for member in job.keys().filter(|member| !MEMBERS.contains(&member.as_str())) {
            *self.unused.entry(member.clone()).or_default() += 1;
        }
        let file = self.file;
        let refuse = |name: &str, expected| wrong(file, &format!("{at}.{name}"), expected, job.get(name));
        let submit = job.get("subtime").and_then(seconds).ok_or_else(|| refuse("subtime", SECONDS))?;
        let procs = job.get("res").and_then(count).ok_or_else(|| refuse("res", "a number of resources"))?;
        let profile = job.get("profile").and_then(Value::as_str).filter(|name| self.profiles.has(name));
        let profile = profile.ok_or_else(|| refuse("profile", "the name of a profile"))?;
        let id = job.get("id").ok_or_else(|| refuse("id", "a number or a name"))?;
        let limit = match job.get("walltime") {
            // Batsim writes no limit as -1.
            None | Some(Value::Null) => None,
            Some(value) if value.as_f64().is_some_and(|secs| secs <= 0.0) => None,
            Some(value) => Some(seconds(value).ok_or_else(|| refuse("walltime", SECONDS))?),
        };
        if procs == 0 {
            self.report.skipped.add(SkipReason::NoProcessors, at);
            return Ok(None);
        }
        let Some(runtime) = self.profiles.runtime(profile)? else {
            let kind = self.profiles.kind(profile);
            self.report.skipped.add_many(SkipReason::NeedsPlatform, 1, at, kind);
            return Ok(None);
        };
        if limit.is_none() {
            self.report.changed.add(ChangeKind::NoLimit, at);
        }
        let number = id.as_u64().or_else(|| id.as_str()?.trim().parse().ok());
        let row = Row {
            place: at,
            start: None,
            runtime,
            status: Status::Unknown,
            limit_given: limit.is_some(),
            spec: Arc::new(JobSpec {
                user: Arc::clone(&self.nobody),
                account: Arc::clone(&self.nobody),
                ..JobSpec::new(
                    JobId(number.unwrap_or(0)),
                    SimTime::ZERO + submit,
                    limit.unwrap_or(runtime.max(LEAST_LIMIT)),
                    Shape::Tasks { tasks: procs, per_task: Resources::cpus(1) },
                )
            }),
        };
        Ok(Some((row, number.is_none().then(|| text_of(Some(id))))))
    }
}

/// Gives the rows at these places, which have names, numbers above all that are taken, in their order.
fn number(rows: &mut [Row], names: &[(usize, String)], report: &mut Report) {
    let mut fresh = rows.iter().map(|row| row.spec.id.0).max().unwrap_or(0);
    for (index, name) in names {
        let Some(row) = rows.get_mut(*index) else { continue };
        fresh = fresh.saturating_add(1); // what repeats at the end of all numbers gets a new one later
        Arc::make_mut(&mut row.spec).id = JobId(fresh);
        report.changed.add_many(ChangeKind::IdNotANumber, 1, row.place, Some(name));
    }
}

const SECONDS: &str = "a number of seconds from 0 to 9.2e12";

/// Seconds from 0 to 292,000 years; some of Batsim's own tests go beyond.
fn seconds(value: &Value) -> Option<SimDuration> {
    SimDuration::from_secs_f64(value.as_f64()?)
}

/// A whole number from 0; some programs write 4 as 4.0.
fn count(value: &Value) -> Option<u32> {
    let number = value.as_f64()?;
    let whole = number as u32;
    // The same number again, or it had a fraction or was out of range.
    (number.to_bits() == f64::from(whole).to_bits()).then_some(whole)
}

fn wrong(file: &str, member: &str, expected: &'static str, found: Option<&Value>) -> ReadError {
    ReadError::Member {
        file: file.to_owned(),
        member: shown(member),
        expected,
        found: shown(&text_of(found)),
    }
}

fn text_of(value: Option<&Value>) -> String {
    match value {
        None => "nothing".to_owned(),
        Some(Value::Array(_)) => "a list".to_owned(),
        Some(Value::Object(_)) => "an object".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(plain) => plain.to_string(),
    }
}

pub(crate) fn json_error(file: &str, error: &serde_json::Error) -> ReadError {
    let said = error.to_string();
    ReadError::Json {
        file: file.to_owned(),
        line: error.line() as u64,
        column: error.column() as u64,
        problem: said.split(" at line ").next().unwrap_or(&said).to_owned(),
    }
}
