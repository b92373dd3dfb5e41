//! A row of a table as a job.

use std::sync::Arc;

use csv::StringRecord;
use switchyard_model::{FleetSpec, JobId, JobSpec, PerMille, Resources, Shape, SimDuration, SimTime, Terms};

use super::columns::{Columns, Meaning};
use super::values::{self, Moment};
use crate::error::{ReadError, shown};
use crate::generate::K8sJob;
use crate::limits::LEAST_LIMIT;
use crate::report::{ChangeKind, Place, Report, SkipReason};
use crate::workload::{Names, Row};

/// A fleet that is derived from GPU jobs has nodes of so many GPUs, as most GPU clusters do.
const GPUS_PER_NODE: u32 = 8;
/// It is used to this part, in the mean over the trace.
const USED_PART: f64 = 0.8;

/// A row.
pub(super) struct Said<'a> {
    pub(super) file: &'a str,
    pub(super) line: u64,
    pub(super) fields: &'a StringRecord,
    pub(super) columns: &'a Columns,
}

impl Said<'_> {
    /// What stands in the column with this meaning; nothing where there is none.
    fn text(&self, meaning: Meaning) -> &str {
        self.columns.place(meaning).and_then(|place| self.fields.get(place)).unwrap_or("")
    }

    fn wrong(&self, meaning: Meaning, expected: &'static str) -> ReadError {
        ReadError::Field {
            file: self.file.to_owned(),
            line: self.line,
            number: self.columns.place(meaning).map_or(0, |place| place as u64 + 1),
            name: self.columns.column_name(meaning).to_owned(),
            expected,
            found: shown(self.text(meaning)),
        }
    }

    /// What stands there, read by `reader`; `None` if it is missing or empty.
    fn read<T>(
        &self,
        meaning: Meaning,
        expected: &'static str,
        reader: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, ReadError> {
        let text = self.text(meaning);
        if text.is_empty() {
            return Ok(None);
        }
        reader(text).map(Some).ok_or_else(|| self.wrong(meaning, expected))
    }

    fn count(&self, meaning: Meaning) -> Result<Option<u32>, ReadError> {
        let small = |text: &str| u32::try_from(values::count(text)?).ok();
        self.read(meaning, "a whole number below 2^32", small)
    }

    /// A length of time; -1 is none.
    fn time(&self, meaning: Meaning) -> Result<Option<SimDuration>, ReadError> {
        if self.is_none(meaning) {
            return Ok(None);
        }
        self.read(meaning, "seconds, or a duration like 1-02:03:04", values::duration)
    }

    /// Whether -1 stands there.
    fn is_none(&self, meaning: Meaning) -> bool {
        self.text(meaning).parse::<f64>().is_ok_and(|number| number < 0.0)
    }
}

/// Reads rows, and remembers what they have in common.
#[derive(Debug, Default)]
pub(super) struct JobReader {
    any_stamps: bool,
    any_gang: bool,
    /// GPUs anywhere times seconds.
    loose_gpu_secs: f64,
}

/// A job and whether it has a number, or why there is no job.
type Outcome = Result<(Row, bool), SkipReason>;

impl JobReader {
    /// Whether the times are stamps.
    pub(super) const fn stamps(&self) -> bool {
        self.any_stamps
    }

    pub(super) fn job(
        &mut self,
        said: &Said<'_>,
        names: &mut Names,
        report: &mut Report,
    ) -> Result<Outcome, ReadError> {
        let expected = "seconds, or a time like 2017-10-09 07:01:55";
        let submit = if said.is_none(Meaning::Submit) {
            None
        } else {
            said.read(Meaning::Submit, expected, values::moment)?
        };
        let submit = match submit {
            None => return Ok(Err(SkipReason::NoSubmitTime)),
            Some(Moment::Seconds(at)) => at,
            Some(Moment::Stamp(at)) => {
                self.any_stamps = true;
                at
            }
        };
        let mut remarks = Vec::new();
        let given = limit(said)?;
        let Some(runtime) = runtime(said, given, &mut remarks)? else {
            return Ok(Err(SkipReason::NoRuntime));
        };
        let number = values::count(said.text(Meaning::Id));
        let id = JobId(number.unwrap_or(0));
        let spec = if said.columns.has(Meaning::Gang) {
            self.any_gang = true;
            self.pods(said, id, submit, runtime, names)?
        } else {
            self.plain(said, id, submit, runtime, names)?
        };
        let Some(mut spec) = spec else { return Ok(Err(SkipReason::NoProcessors)) };
        match given {
            Some(limit) => spec.limit = limit.max(LEAST_LIMIT),
            None if self.any_gang => remarks.push(ChangeKind::NoLimitMinutes),
            None => remarks.push(ChangeKind::NoLimit),
        }
        remarks.into_iter().for_each(|kind| report.change(kind, said.line));
        let wait = said.time(Meaning::Wait)?;
        let row = Row {
            place: Place::Line(said.line),
            start: wait.map(|wait| submit + wait),
            runtime,
            status: values::status(said.text(Meaning::Status)),
            limit_given: given.is_some(),
            spec: Arc::new(spec),
        };
        Ok(Ok((row, number.is_some())))
    }

    /// A gang of pods, as a Slurm cluster would get it.
    fn pods(
        &self,
        said: &Said<'_>,
        id: JobId,
        submit: SimTime,
        runtime: SimDuration,
        names: &mut Names,
    ) -> Result<Option<JobSpec>, ReadError> {
        let job = K8sJob {
            id,
            account: name(said, Meaning::Account, names),
            submit,
            duration: runtime,
            gpus: said.count(Meaning::Gpus)?.unwrap_or(0),
            gang: said.count(Meaning::Gang)?.unwrap_or(1),
            priority: said
                .read(Meaning::Priority, "a priority from 0 to 500", |text| {
                    values::count(text)
                        .and_then(|number| u32::try_from(number).ok())
                        .filter(|&number| number <= 500)
                })?
                .unwrap_or(0),
        };
        let cpus = said.count(Meaning::Cpus)?.unwrap_or(1);
        Ok((job.gang > 0).then(|| (*job.on_slurm(cpus).spec).clone()))
    }

    fn plain(
        &mut self,
        said: &Said<'_>,
        id: JobId,
        submit: SimTime,
        runtime: SimDuration,
        names: &mut Names,
    ) -> Result<Option<JobSpec>, ReadError> {
        let Some(shape) = self.shape(said, runtime)? else { return Ok(None) };
        let optional = |meaning, names: &mut Names| {
            let text = said.text(meaning);
            (!text.is_empty()).then(|| names.get(text))
        };
        let factor = said.read(Meaning::QosFactor, "a factor from 0 to 1", |text| {
            let factor: f64 = text.parse().ok()?;
            (0.0..=1.0).contains(&factor).then(|| PerMille(libm::rint(factor * 1000.0) as u16))
        })?;
        let terms = Terms {
            partition: optional(Meaning::Partition, names),
            qos: optional(Meaning::Qos, names),
            ..Terms::default()
        };
        Ok(Some(JobSpec {
            user: name(said, Meaning::User, names),
            account: name(said, Meaning::Account, names),
            qos: factor.unwrap_or_default(),
            terms,
            ..JobSpec::new(id, submit, runtime.max(LEAST_LIMIT), shape)
        }))
    }

    fn shape(&mut self, said: &Said<'_>, runtime: SimDuration) -> Result<Option<Shape>, ReadError> {
        let cpus = said.count(Meaning::Cpus)?;
        let gpus = said.count(Meaning::Gpus)?.unwrap_or(0);
        let memory_mib =
            said.read(Meaning::MemoryMib, "memory in MiB, a whole number", values::count)?.unwrap_or(0);
        let each = Resources { cpus: cpus.unwrap_or(1), gpus, memory_mib };
        if let Some(nodes) = said.count(Meaning::Nodes)? {
            return Ok((nodes > 0).then_some(Shape::Nodes { nodes, per_node: each }));
        }
        let tasks = said.count(Meaning::Tasks)?.or(said.count(Meaning::Procs)?);
        if let Some(tasks) = tasks {
            return Ok((tasks > 0).then_some(Shape::Tasks { tasks, per_task: each }));
        }
        if gpus == 0 {
            let cpus = cpus.unwrap_or(u32::from(said.columns.has(Meaning::Gpus)));
            let per_task =
                Resources { cpus: 1, gpus: 0, memory_mib: memory_mib.div_ceil(u64::from(cpus.max(1))) };
            return Ok((cpus > 0).then_some(Shape::Tasks { tasks: cpus, per_task }));
        }
        self.loose_gpu_secs += f64::from(gpus) * runtime.as_secs_f64();
        let per_task = Resources {
            cpus: cpus.unwrap_or(gpus).div_ceil(gpus).max(1),
            gpus: 1,
            memory_mib: memory_mib.div_ceil(u64::from(gpus)),
        };
        Ok(Some(Shape::Tasks { tasks: gpus, per_task }))
    }

    /// The machines for jobs that say nothing of nodes: those of the k8s lab for gangs; for GPUs anywhere nodes of 8, as many
    /// as the largest job needs, and as are used to 80 % by all of them in the mean.
    pub(super) fn fleet(&self, rows: &[Row], file: &str) -> Option<FleetSpec> {
        if self.any_gang {
            return Some(FleetSpec::k8s_lab()).filter(|fleet| fits(fleet, rows));
        }
        if self.loose_gpu_secs <= 0.0 {
            return None;
        }
        let tasks = || rows.iter().map(|row| row.spec.shape.parts());
        let largest = tasks().filter(|(_, each)| each.gpus > 0).map(|(tasks, _)| tasks).max().unwrap_or(1);
        let widest = tasks().map(|(_, each)| each.cpus.max(1)).max().unwrap_or(1);
        let memory = tasks().map(|(_, each)| each.memory_mib).max().unwrap_or(0);
        let first = rows.iter().map(|row| row.spec.submit).min().unwrap_or_default();
        let last = rows.iter().map(|row| row.spec.submit + row.runtime).max().unwrap_or_default();
        let span = last.since(first).as_secs_f64().max(1.0);
        let mean = (self.loose_gpu_secs / span / USED_PART).min(1e6) as u32;
        let nodes = largest.max(mean).div_ceil(GPUS_PER_NODE);
        let node = Resources {
            cpus: widest.saturating_mul(GPUS_PER_NODE),
            gpus: GPUS_PER_NODE,
            memory_mib: memory.saturating_mul(GPUS_PER_NODE.into()),
        };
        Some(FleetSpec::uniform(file, nodes, node))
    }
}

fn fits(fleet: &FleetSpec, rows: &[Row]) -> bool {
    let Ok(fleet) = fleet.build() else { return false };
    rows.iter().all(|row| {
        let (parts, each) = row.spec.shape.parts();
        let nodes = fleet.nodes().iter().filter(|node| node.capacity.covers(each));
        nodes.count() as u64 >= u64::from(parts)
    })
}

fn name(said: &Said<'_>, meaning: Meaning, names: &mut Names) -> Arc<str> {
    let text = said.text(meaning);
    names.get(if text.is_empty() { "unknown" } else { text })
}

fn limit(said: &Said<'_>) -> Result<Option<SimDuration>, ReadError> {
    if let Some(limit) = said.time(Meaning::Limit)? {
        return Ok(Some(limit));
    }
    if said.is_none(Meaning::LimitMinutes) {
        return Ok(None);
    }
    let minutes = said.read(Meaning::LimitMinutes, "a number of minutes", |text| {
        SimDuration::from_secs_f64(text.parse::<f64>().ok()? * 60.0)
    })?;
    Ok(minutes)
}

/// How long it runs; -1 where there is a limit means until it is stopped.
fn runtime(
    said: &Said<'_>,
    limit: Option<SimDuration>,
    remarks: &mut Vec<ChangeKind>,
) -> Result<Option<SimDuration>, ReadError> {
    match (said.time(Meaning::Runtime)?, limit) {
        (None, Some(limit)) if said.is_none(Meaning::Runtime) => {
            remarks.push(ChangeKind::RunsToLimit);
            Ok(Some(limit))
        }
        (runtime, _) => Ok(runtime),
    }
}
