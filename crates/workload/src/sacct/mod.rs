//! What `sacct --parsable2` prints: a header, then one row per job or step, columns separated by `|` without quoting.
//!
//! A job takes what it was *allocated* (whole cores, whole nodes), for that is what the machine gave; where an allocation is
//! not on record, what it asked for. Runtime is `Elapsed`, the limit `Timelimit`. Stamps have no zone; they are
//! taken for UTC (write the dump with `TZ=UTC`).

mod columns;
mod keys;
mod records;
mod row;
pub(crate) mod values;

use std::sync::Arc;

use switchyard_model::{JobId, JobSpec, Terms};

use crate::ReadOptions;
use crate::error::{ReadError, shown};
use crate::fleet::recorded_use;
use crate::report::{ChangeKind, Place, Report, SkipReason, Unmodelled};
use crate::source::Source;
use crate::workload::{JOBS_MAX, Names, Row, Workload, assemble};

use columns::Columns;
use keys::{Key, Keys};
use records::{Record, Records};
use row::{Attempt, Fault, FoundJob, Meaning, Remarks, interpret, quirks};

pub(crate) use columns::is_header;

/// All array ranges of a file together stand for at most this many tasks.
const TASKS_MAX: u64 = 1_000_000;

pub(crate) fn read(
    source: &mut Source<'_>,
    options: &ReadOptions,
    report: &mut Report,
) -> Result<Workload, ReadError> {
    let file = source.file().to_owned();
    let separator = options.delimiter.as_deref().filter(|separator| !separator.is_empty()).unwrap_or("|");
    let (columns, mut records) = open(source, options, separator)?;
    let mut dump = Dump { filled: vec![0; columns.len()], ..Dump::default() };
    while let Some(record) = records.advance(source, &columns)? {
        if let Err(error) = dump.row(&file, record, &columns, report) {
            report.damaged(error, options.skip_damaged)?;
        }
    }
    report.unmodelled = columns
        .unused()
        .filter_map(|(index, name)| Some((name, *dump.filled.get(index)?)))
        .filter(|&(_, rows)| rows > 0)
        .map(|(name, rows)| Unmodelled { field: name.to_owned(), rows })
        .collect();
    let rows = rows_of(dump.found, report);
    let recorded = recorded_use(&rows);
    let workload = assemble(&file, rows, report);
    Ok(Workload { recorded: Some(recorded), unix_start: Some(0), ..workload })
}

/// Reads the header, if there is one.
fn open(
    source: &mut Source<'_>,
    options: &ReadOptions,
    separator: &str,
) -> Result<(Columns, Records), ReadError> {
    let file = source.file().to_owned();
    let named = options.columns.as_deref();
    while let Some((number, line)) = source.next_line()? {
        if !line.trim().is_empty() {
            let (columns, header) = Columns::of(&file, line, named, separator, options.keep_running)?;
            let records = Records::beginning_with(Some((number, line)).filter(|_| !header), &columns);
            return Ok((columns, records));
        }
    }
    Err(ReadError::Empty { file })
}

/// What was read so far.
#[derive(Default)]
struct Dump {
    found: Vec<Found>,
    keys: Keys,
    names: Names,
    /// In how many rows each column says something.
    filled: Vec<u64>,
    /// How many jobs the rows stand for.
    tasks: u64,
}

/// A job, before repeated rows and earlier attempts are taken out.
struct Found {
    key: Key,
    row: Row,
    tasks: u32,
    remarks: Remarks,
    repaired: bool,
    attempt: Attempt,
}

impl Dump {
    fn row(
        &mut self,
        file: &str,
        record: &Record,
        columns: &Columns,
        report: &mut Report,
    ) -> Result<(), ReadError> {
        report.rows += 1;
        let (fields, repaired) = records::fields(file, record, columns)?;
        let line = record.line;
        for quirk in quirks(&fields, columns) {
            report.quirks.add(quirk, Place::Line(line));
        }
        let job = match interpret(&fields, columns).map_err(|fault| located(file, record, columns, &fault))? {
            Meaning::Skip(reason, example) => {
                report.skipped.add_many(reason, 1, Place::Line(line), example.as_deref());
                return Ok(());
            }
            Meaning::Job(job) => job,
        };
        for (count, field) in self.filled.iter_mut().zip(&fields) {
            *count += u64::from(!field.is_empty());
        }
        if job.tasks > TASKS_MAX {
            return Err(ReadError::TooManyTasks { file: file.to_owned(), line, limit: TASKS_MAX });
        }
        self.tasks += job.tasks;
        if self.tasks > JOBS_MAX {
            return Err(ReadError::TooManyJobs { file: file.to_owned(), line, limit: JOBS_MAX });
        }
        self.found.push(Found {
            key: self.keys.key(job.cluster, job.raw, job.id_text),
            tasks: u32::try_from(job.tasks).unwrap_or(u32::MAX),
            remarks: job.remarks,
            repaired,
            attempt: job.attempt,
            row: row(&job, line, &mut self.names),
        });
        Ok(())
    }
}

fn row(job: &FoundJob<'_>, line: u64, names: &mut Names) -> Row {
    let name = |text: &str, names: &mut Names| (!text.is_empty()).then(|| names.get(text));
    let (partition, qos) = (name(job.partition, names), name(job.qos, names));
    let spec = JobSpec {
        user: names.get(job.user),
        account: names.get(job.account),
        terms: Terms { partition, qos, ..Terms::default() },
        ..JobSpec::new(JobId(job.id), job.submit, job.limit, job.shape)
    };
    Row {
        place: Place::Line(line),
        start: job.start,
        runtime: job.runtime,
        status: job.status,
        limit_given: !job.remarks.has(ChangeKind::NoLimit),
        spec: Arc::new(spec),
    }
}

/// One row for each job that counts: repeated rows and earlier attempts go, array ranges become tasks.
fn rows_of(found: Vec<Found>, report: &mut Report) -> Vec<Row> {
    let fates = fates(&found);
    let mut rows = Vec::with_capacity(found.len());
    let mut lost_cpu_secs = 0.0;
    for (one, fate) in found.into_iter().zip(fates) {
        let Place::Line(line) = one.row.place else { continue };
        match fate {
            Fate::Repeated => report.skip(SkipReason::RepeatedRow, line),
            Fate::Earlier => {
                lost_cpu_secs += f64::from(one.row.spec.shape.total().cpus) * one.row.runtime.as_secs_f64();
                report.skip(SkipReason::EarlierAttempt, line);
            }
            Fate::Counts => {
                if one.repaired {
                    report.change(ChangeKind::Repaired, line);
                }
                for kind in one.remarks.iter() {
                    report.change(kind, line);
                }
                if one.tasks > 1 {
                    let tasks = u64::from(one.tasks);
                    report.changed.add_many(ChangeKind::ArrayRange, tasks, Place::Line(line), None);
                }
                rows.extend((1..one.tasks).map(|_| one.row.clone()));
                rows.push(one.row);
            }
        }
    }
    if report.skipped.count(SkipReason::EarlierAttempt) > 0 {
        let hours = lost_cpu_secs / 3600.0;
        report.notes.push(format!(
            "Earlier attempts took {hours:.1} CPU-h, which were lost; a job waits from its last submission."
        ));
    }
    rows
}

/// What becomes of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Counts,
    Repeated,
    Earlier,
}

/// Rows of the same job that were submitted at the same time are the same row; of those that were requeued, only the one that
/// was submitted last counts.
fn fates(found: &[Found]) -> Vec<Fate> {
    let mut fates = vec![Fate::Counts; found.len()];
    let mut order: Vec<u32> = (0..u32::try_from(found.len()).unwrap_or(u32::MAX)).collect();
    let rank = |index: &u32| found.get(*index as usize).map(|one| (one.key, one.row.spec.submit, *index));
    order.sort_unstable_by_key(rank);
    for same in order.chunk_by(|a, b| rank(a).map(|rank| rank.0) == rank(b).map(|rank| rank.0)) {
        let mut last_submit = None;
        let latest = same.last().and_then(|index| found.get(*index as usize)).map(|one| one.row.spec.submit);
        for index in same {
            let (Some(one), Some(fate)) = (found.get(*index as usize), fates.get_mut(*index as usize)) else {
                continue;
            };
            let submit = one.row.spec.submit;
            if last_submit == Some(submit) {
                *fate = Fate::Repeated;
            } else if one.attempt == Attempt::Earlier
                || one.attempt == Attempt::EarlierIfThereIsALater && latest > Some(submit)
            {
                *fate = Fate::Earlier;
            }
            last_submit = Some(submit);
        }
    }
    fates
}

fn located(file: &str, record: &Record, columns: &Columns, fault: &Fault) -> ReadError {
    ReadError::Field {
        file: file.to_owned(),
        line: record.line,
        number: fault.column as u64 + 1,
        name: columns.name(fault.column).to_owned(),
        expected: fault.expected,
        found: shown(&fault.found),
    }
}
