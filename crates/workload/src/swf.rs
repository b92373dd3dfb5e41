//! The Standard Workload Format 2.2: one line of 18 numbers per job, `;` before comments and headers, -1 for unknown.
//!
//! Processors are the requested ones (field 8), else the allocated ones (field 5); the limit is the requested time
//! (field 9), else the runtime. Account is the group. Both as the reference results of the field read them.

use switchyard_model::{Resources, Shape, SimDuration, SimTime, Terms};

use crate::error::{ReadError, shown};
use crate::limits::LEAST_LIMIT;
use crate::report::{ChangeKind, Place, Report, SkipReason, Unmodelled};
use crate::workload::{Names, Row, Workload, assemble};

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
    /// Fields that say something about a job for which the model has no place.
    pub(super) const UNMODELLED: [usize; 8] = [5, 6, 9, 13, 14, 15, 16, 17];
}

pub(crate) fn read(file: &str, text: &str, report: &mut Report) -> Result<Workload, ReadError> {
    let mut header = Header::default();
    let mut rows = Vec::new();
    let mut names = Names::default();
    let mut filled = [0u64; FIELDS.len()];
    for (number, line) in (1u64..).zip(text.lines()) {
        let line = line.trim();
        if let Some(comment) = line.strip_prefix(';') {
            header.take(comment);
        } else if !line.is_empty() {
            report.rows += 1;
            let values = Values::parse(file, number, line, report)?;
            for index in field::UNMODELLED {
                filled[index] += u64::from(values.0[index] >= 0.0);
            }
            rows.extend(values.row(file, number, &mut names, report)?);
        }
    }
    let used = field::UNMODELLED.into_iter().filter(|&index| filled[index] > 0);
    report.unmodelled =
        used.map(|index| Unmodelled { field: FIELDS[index].to_owned(), rows: filled[index] }).collect();
    report.promised_rows = header.records.filter(|&records| records != report.rows);
    let workload = assemble(file, rows, report);
    Ok(Workload { declared_procs: header.procs.or(header.nodes), ..workload })
}

/// What is used of `; Label: value`; the first of each label counts.
#[derive(Debug, Default)]
struct Header {
    procs: Option<u32>,
    nodes: Option<u32>,
    records: Option<u64>,
}

impl Header {
    fn take(&mut self, comment: &str) {
        let Some((label, value)) = comment.split_once(':') else { return };
        let first_word = value.split_whitespace().next().unwrap_or("");
        let count = first_word.parse().ok().filter(|&n| n > 0);
        match label.trim().to_ascii_lowercase().as_str() {
            "maxprocs" => self.procs = self.procs.or(count),
            "maxnodes" => self.nodes = self.nodes.or(count),
            "maxrecords" => self.records = self.records.or(first_word.parse().ok()),
            _ => {}
        }
    }
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
        names: &mut Names,
        report: &mut Report,
    ) -> Result<Option<Row>, ReadError> {
        let value = |index: usize| self.0[index];
        let status = value(field::STATUS);
        let reason = if (2.0..=4.0).contains(&status) {
            Some(SkipReason::Burst)
        } else if is(status, 5.0) && value(field::RUN) <= 0.0 {
            Some(SkipReason::CancelledBeforeStart)
        } else if value(field::SUBMIT) < 0.0 {
            Some(SkipReason::NoSubmitTime)
        } else if value(field::RUN) < 0.0 {
            Some(SkipReason::NoRuntime)
        } else {
            None
        };
        if let Some(reason) = reason {
            report.skip(reason, line);
            return Ok(None);
        }
        let Some(procs) = self.procs(file, line, report)? else { return Ok(None) };
        let submit = SimTime::ZERO + self.seconds(file, line, field::SUBMIT)?;
        let runtime = self.seconds(file, line, field::RUN)?;
        let limit = if value(field::LIMIT) > 0.0 {
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
        Ok(Some(Row {
            place: Place::Line(line),
            id: self.whole(file, line, field::ID)?,
            user: self.name(file, line, field::USER, 'u', names)?,
            account: self.name(file, line, field::GROUP, 'g', names)?,
            submit,
            start,
            runtime,
            limit,
            shape: Shape::Tasks { tasks: procs, per_task: Resources::cpus(1) },
            terms: Terms::default(),
        }))
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
        let value = self.0[index];
        // Up to 2^53 a float holds every whole number.
        let fits = (0.0..=9_007_199_254_740_992.0).contains(&value) && is(value, value as u64 as f64);
        if fits { Ok(value as u64) } else { Err(self.wrong(file, line, index)) }
    }

    fn name(
        &self,
        file: &str,
        line: u64,
        index: usize,
        letter: char,
        names: &mut Names,
    ) -> Result<std::sync::Arc<str>, ReadError> {
        if self.0[index] < 0.0 {
            return Ok(names.get("unknown"));
        }
        Ok(names.get(&format!("{letter}{}", self.whole(file, line, index)?)))
    }

    fn wrong(&self, file: &str, line: u64, index: usize) -> ReadError {
        bad(file, line, index, expected(index), &self.0[index].to_string())
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
