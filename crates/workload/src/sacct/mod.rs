//! What `sacct --parsable2` prints: a header, then one row per job or step, columns separated by `|` without quoting.
//!
//! A job takes what it was *allocated* (whole cores, whole nodes), for that is what the machine gave; where an allocation is
//! not on record, what it asked for. Runtime is `Elapsed`, the limit `Timelimit`. Stamps have no zone; they are
//! taken for UTC (write the dump with `TZ=UTC`).

mod columns;
mod records;
mod row;
mod values;

use std::collections::BTreeMap;

use switchyard_model::{SimTime, Terms};

use crate::error::{ReadError, shown};
use crate::fleet::recorded_use;
use crate::report::{ChangeKind, Place, Report, SkipReason, Unmodelled};
use crate::workload::{Names, Row, Workload, assemble};

use columns::Columns;
use records::Record;
use row::{Fault, FoundJob, Meaning, interpret};

pub(crate) use columns::is_header;

/// All array ranges of a file together stand for at most this many tasks.
const TASKS_MAX: u64 = 1_000_000;

pub(crate) fn read(
    file: &str,
    text: &str,
    named: Option<&[String]>,
    report: &mut Report,
) -> Result<Workload, ReadError> {
    let (columns, first_row) = Columns::of(file, text, named)?;
    let mut found = Vec::new();
    let mut filled = vec![0u64; columns.len()];
    let mut names = Names::default();
    let mut tasks = 0u64;
    for record in records::of(text, first_row, &columns) {
        report.rows += 1;
        let (fields, repaired) = records::fields(file, &record, &columns)?;
        let line = record.line;
        match interpret(&fields, &columns).map_err(|fault| located(file, &record, &columns, &fault))? {
            Meaning::Skip(reason, example) => {
                report.skipped.add_many(reason, 1, Place::Line(line), example.as_deref());
            }
            Meaning::Job(job) => {
                for (count, field) in filled.iter_mut().zip(&fields) {
                    *count += u64::from(!field.is_empty());
                }
                tasks += job.tasks;
                if tasks > TASKS_MAX {
                    return Err(ReadError::TooManyTasks { file: file.to_owned(), line, limit: TASKS_MAX });
                }
                found.push(Found { line, repaired, job });
            }
        }
    }
    report.unmodelled = columns
        .unused()
        .filter(|&(index, _)| filled[index] > 0)
        .map(|(index, name)| Unmodelled { field: name.to_owned(), rows: filled[index] })
        .collect();
    let rows = rows_of(found, &mut names, report);
    let recorded = recorded_use(&rows);
    let workload = assemble(file, rows, report);
    Ok(Workload { recorded: Some(recorded), ..workload })
}

struct Found {
    line: u64,
    repaired: bool,
    job: Box<FoundJob>,
}

/// One row for each job that counts: repeated rows and earlier attempts go, array ranges become tasks.
fn rows_of(found: Vec<Found>, names: &mut Names, report: &mut Report) -> Vec<Row> {
    let mut last = BTreeMap::new();
    let mut seen = BTreeMap::new();
    for (index, Found { job, .. }) in found.iter().enumerate() {
        let submitted: SimTime = job.submit;
        seen.entry((job.key.clone(), submitted)).or_insert(index);
        let latest = last.entry(job.key.clone()).or_insert((submitted, index));
        *latest = (*latest).max((submitted, index));
    }
    let mut rows = Vec::new();
    for (index, Found { line, repaired, job }) in found.into_iter().enumerate() {
        if seen.get(&(job.key.clone(), job.submit)) != Some(&index) {
            report.skip(SkipReason::RepeatedRow, line);
            continue;
        }
        if job.was_requeued && last.get(&job.key).is_some_and(|&(_, latest)| latest != index) {
            report.skip(SkipReason::EarlierAttempt, line);
            continue;
        }
        if repaired {
            report.change(ChangeKind::Repaired, line);
        }
        for &kind in &job.remarks {
            report.change(kind, line);
        }
        if job.tasks > 1 {
            report.changed.add_many(ChangeKind::ArrayRange, job.tasks, Place::Line(line), None);
        }
        let name = |text: &str, names: &mut Names| (!text.is_empty()).then(|| names.get(text));
        let (partition, qos) = (name(&job.partition, names), name(&job.qos, names));
        let row = Row {
            place: Place::Line(line),
            id: job.id,
            user: names.get(&job.user),
            account: names.get(&job.account),
            submit: job.submit,
            start: job.start,
            runtime: job.runtime,
            limit: job.limit,
            shape: job.shape,
            terms: Terms { partition, qos, ..Terms::default() },
        };
        rows.extend((0..job.tasks).map(|_| row.clone()));
    }
    rows
}

fn located(file: &str, record: &Record<'_>, columns: &Columns, fault: &Fault) -> ReadError {
    ReadError::Field {
        file: file.to_owned(),
        line: record.line,
        number: fault.column as u64 + 1,
        name: columns.name(fault.column).to_owned(),
        expected: fault.expected,
        found: shown(&fault.found),
    }
}
