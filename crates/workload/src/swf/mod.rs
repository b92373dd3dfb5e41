//! The Standard Workload Format 2.2: one line of 18 numbers per job, `;` before comments and headers, -1 for unknown.
//!
//! Processors are the requested ones (field 8), else the allocated ones (field 5); the limit is the requested time
//! (field 9), else the runtime. Account is the group. Both as the reference results of the field read them.
//!
//! Numbers of users, groups and partitions become names where the header has lines `; User: 3 ann`, `; Group: 1 bio`,
//! `; Partition: 2 gpu`, and queues become qualities of service where it has `; QOS: 1 high`. [`write`] makes such lines; only
//! those of partitions are part of the format.

mod header;
pub(crate) mod write;

use std::sync::Arc;

use switchyard_model::{JobId, JobSpec, Resources, Shape, SimDuration, SimTime, Terms};

use crate::ReadOptions;
use crate::error::{ReadError, shown};
use crate::limits::LEAST_LIMIT;
use crate::report::{ChangeKind, Place, Report, SkipReason, Unmodelled};
use crate::source::Source;
use crate::workload::{JOBS_MAX, Names, Row, Status, SwfFields, SwfRest, Workload, assemble};

use header::{Header, Numbered};

const FIELDS: [&str; 18] = [
    "job number",
    "submit time",
    "wait time",
    "run time",
    "allocated processors",
    "average CPU time",
    "used memory",
    "requested processors",
    "requested time",
    "requested memory",
    "status",
    "user",
    "group",
    "executable",
    "queue",
    "partition",
    "preceding job",
    "think time",
];

/// Places in a row, from 0.
mod field {
    pub(super) const ID: usize = 0;
    pub(super) const SUBMIT: usize = 1;
    pub(super) const WAIT: usize = 2;
    pub(super) const RUN: usize = 3;
    pub(super) const ALLOCATED: usize = 4;
    pub(super) const REQUESTED: usize = 7;
    pub(super) const LIMIT: usize = 8;
    pub(super) const STATUS: usize = 10;
    pub(super) const USER: usize = 11;
    pub(super) const GROUP: usize = 12;
    pub(super) const QUEUE: usize = 14;
    pub(super) const PARTITION: usize = 15;
    /// Fields that say something about a job for which the model has no place.
    pub(super) const UNMODELLED: [usize; 8] = [5, 6, 9, 13, 14, 15, 16, 17];
}

pub(crate) fn read(
    source: &mut Source<'_>,
    options: &ReadOptions,
    report: &mut Report,
) -> Result<Workload, ReadError> {
    let file = source.file().to_owned();
    let mut reader = Reader::default();
    while let Some((number, line)) = source.next_line()? {
        let line = line.trim();
        if let Some(comment) = line.strip_prefix(';') {
            reader.header.take(comment);
        } else if !line.is_empty()
            && let Err(error) = reader.row(&file, number, line, report)
        {
            report.damaged(error, options.skip_damaged)?;
        }
    }
    Ok(reader.finish(&file, report))
}

#[derive(Default)]
struct Reader {
    header: Header,
    rows: Vec<Row>,
    /// One entry for each of the rows.
    rest: Vec<SwfFields>,
    names: Names,
    filled: [u64; FIELDS.len()],
}

impl Reader {
    fn row(&mut self, file: &str, line: u64, text: &str, report: &mut Report) -> Result<(), ReadError> {
        report.rows += 1;
        let values = Values::parse(file, line, text, report)?;
        for index in field::UNMODELLED {
            if let (Some(count), Some(value)) = (self.filled.get_mut(index), values.0.get(index)) {
                *count += u64::from(*value >= 0.0);
            }
        }
        let Some(row) = values.row(file, line, &self.header, &mut self.names, report)? else {
            return Ok(());
        };
        if self.rows.len() as u64 >= JOBS_MAX {
            return Err(ReadError::TooManyJobs { file: file.to_owned(), line, limit: JOBS_MAX });
        }
        self.rows.push(row);
        self.rest.push(values.rest());
        Ok(())
    }

    fn finish(self, file: &str, report: &mut Report) -> Workload {
        let filled = FIELDS.iter().zip(self.filled).filter(|(_, rows)| *rows > 0);
        report.unmodelled =
            filled.map(|(field, rows)| Unmodelled { field: (*field).to_owned(), rows }).collect();
        let header = self.header;
        report.promised_rows = header.records.filter(|&records| records != report.rows);
        let fields = in_order_of_submission(&self.rows, self.rest);
        let workload = assemble(file, self.rows, report);
        Workload {
            declared_procs: header.procs.or(header.nodes),
            unix_start: header.unix_start,
            swf: Some(Box::new(SwfRest { comments: header.comments, fields })),
            ..workload
        }
    }
}

/// As the jobs will stand.
fn in_order_of_submission(rows: &[Row], rest: Vec<SwfFields>) -> Vec<SwfFields> {
    let submit = |row: &Row| row.spec.submit;
    if rows.is_sorted_by_key(submit) {
        return rest;
    }
    let mut pairs: Vec<(SimTime, SwfFields)> = rows.iter().map(submit).zip(rest).collect();
    pairs.sort_by_key(|(submit, _)| *submit); // stable, as the jobs are sorted
    pairs.into_iter().map(|(_, fields)| fields).collect()
}

/// The 18 numbers of a row.
struct Values([f64; FIELDS.len()]);

impl Values {
    fn parse(file: &str, line: u64, text: &str, report: &mut Report) -> Result<Values, ReadError> {
        let mut values = [0.0; FIELDS.len()];
        let mut found = 0;
        for (index, token) in text.split_whitespace().enumerate() {
            found += 1;
            let Some(value) = values.get_mut(index) else { continue };
            *value = token
                .parse()
                .ok()
                .filter(|number: &f64| number.is_finite())
                .ok_or_else(|| bad(file, line, index, expected(index), token))?;
        }
        let expected = FIELDS.len() as u64;
        if found < expected {
            return Err(ReadError::FieldCount { file: file.to_owned(), line, expected, found });
        }
        if found > expected {
            report.change(ChangeKind::ExtraFields, line);
        }
        Ok(Values(values))
    }

    /// The job of this row, or `None` after counting why there is none.
    fn row(
        &self,
        file: &str,
        line: u64,
        header: &Header,
        names: &mut Names,
        report: &mut Report,
    ) -> Result<Option<Row>, ReadError> {
        let value = |index: usize| self.0[index];
        let status = status_of(value(field::STATUS));
        if let Some(reason) = self.skipped() {
            report.skip(reason, line);
            return Ok(None);
        }
        let Some(procs) = self.procs(file, line, report)? else { return Ok(None) };
        let submit = SimTime::ZERO + self.seconds(file, line, field::SUBMIT)?;
        let runtime = self.seconds(file, line, field::RUN)?;
        let limit_given = value(field::LIMIT) > 0.0;
        let limit = if limit_given {
            self.seconds(file, line, field::LIMIT)?
        } else {
            report.change(ChangeKind::NoLimit, line);
            runtime.max(LEAST_LIMIT)
        };
        let start = if value(field::WAIT) >= 0.0 {
            Some(submit + self.seconds(file, line, field::WAIT)?)
        } else {
            None
        };
        let number = |index: usize| whole(value(index));
        let terms = Terms {
            partition: number(field::PARTITION).and_then(|number| header.partitions.get(number)),
            qos: number(field::QUEUE).and_then(|number| header.qos.get(number)),
            ..Terms::default()
        };
        let spec = JobSpec {
            user: self.name(file, line, field::USER, 'u', &header.users, names)?,
            account: self.name(file, line, field::GROUP, 'g', &header.groups, names)?,
            terms,
            ..JobSpec::new(
                JobId(self.whole(file, line, field::ID)?),
                submit,
                limit,
                Shape::Tasks { tasks: procs, per_task: Resources::cpus(1) },
            )
        };
        Ok(Some(Row { place: Place::Line(line), start, runtime, status, limit_given, spec: Arc::new(spec) }))
    }

    /// Why this row is no job.
    fn skipped(&self) -> Option<SkipReason> {
        let value = |index: usize| self.0[index];
        let status = value(field::STATUS);
        if (2.0..=4.0).contains(&status) {
            Some(SkipReason::Burst)
        } else if is(status, 5.0) && value(field::RUN) <= 0.0 {
            Some(SkipReason::CancelledBeforeStart)
        } else if value(field::SUBMIT) < 0.0 {
            Some(SkipReason::NoSubmitTime)
        } else if value(field::RUN) < 0.0 {
            Some(SkipReason::NoRuntime)
        } else {
            None
        }
    }

    /// What the job has no place for.
    fn rest(&self) -> SwfFields {
        let value = |index: usize| self.0[index];
        SwfFields {
            allocated: value(field::ALLOCATED),
            requested: value(field::REQUESTED),
            cpu_secs: value(5),
            used_memory: value(6),
            memory: value(9),
            executable: value(13),
            queue: value(field::QUEUE),
            partition: value(field::PARTITION),
            preceding: value(16),
            think_secs: value(17),
        }
    }

    fn procs(&self, file: &str, line: u64, report: &mut Report) -> Result<Option<u32>, ReadError> {
        let (requested, allocated) = (self.0[field::REQUESTED], self.0[field::ALLOCATED]);
        let index = if requested > 0.0 { field::REQUESTED } else { field::ALLOCATED };
        if self.0[index] > 0.0 {
            if requested > 0.0 && allocated > 0.0 && !is(requested, allocated) {
                report.change(ChangeKind::AllocationDiffers, line);
            }
            let procs = u32::try_from(self.whole(file, line, index)?);
            return procs.map(Some).map_err(|_| self.wrong(file, line, index));
        }
        if is(requested, 0.0) || is(allocated, 0.0) {
            report.skip(SkipReason::NoProcessors, line);
            return Ok(None);
        }
        report.change(ChangeKind::ProcessorsUnknown, line);
        Ok(Some(1))
    }

    fn seconds(&self, file: &str, line: u64, index: usize) -> Result<SimDuration, ReadError> {
        SimDuration::from_secs_f64(self.0[index]).ok_or_else(|| self.wrong(file, line, index))
    }

    fn whole(&self, file: &str, line: u64, index: usize) -> Result<u64, ReadError> {
        whole(self.0[index]).ok_or_else(|| self.wrong(file, line, index))
    }

    fn name(
        &self,
        file: &str,
        line: u64,
        index: usize,
        letter: char,
        named: &Numbered,
        names: &mut Names,
    ) -> Result<Arc<str>, ReadError> {
        if self.0[index] < 0.0 {
            return Ok(names.get("unknown"));
        }
        let number = self.whole(file, line, index)?;
        Ok(named.get(number).unwrap_or_else(|| names.get(&format!("{letter}{number}"))))
    }

    fn wrong(&self, file: &str, line: u64, index: usize) -> ReadError {
        bad(file, line, index, expected(index), &self.0[index].to_string())
    }
}

/// The number, if it is a whole one from 0.
fn whole(value: f64) -> Option<u64> {
    // Up to 2^53 a float holds every whole number.
    let fits = (0.0..=9_007_199_254_740_992.0).contains(&value) && is(value, value as u64 as f64);
    fits.then_some(value as u64)
}

fn status_of(value: f64) -> Status {
    match whole(value) {
        Some(0) => Status::Failed,
        Some(1) => Status::Completed,
        Some(5) => Status::Cancelled,
        _ => Status::Unknown,
    }
}

/// Exact equality: the numbers are compared with what stands in the file, nothing is computed.
#[allow(clippy::float_cmp)]
fn is(value: f64, other: f64) -> bool {
    value == other
}

fn expected(index: usize) -> &'static str {
    match index {
        field::SUBMIT | field::WAIT | field::RUN | field::LIMIT => "a number of seconds",
        field::ALLOCATED | field::REQUESTED => "a number of processors",
        field::ID | field::USER | field::GROUP => "a whole number",
        _ => "a number",
    }
}

fn bad(file: &str, line: u64, index: usize, expected: &'static str, found: &str) -> ReadError {
    ReadError::Field {
        file: file.to_owned(),
        line,
        number: index as u64 + 1,
        name: FIELDS.get(index).copied().unwrap_or_default().to_owned(),
        expected,
        found: shown(found),
    }
}
