//! Tables of jobs: one header, one job in each row, fields separated by commas (or what else the header uses).
//!
//! Columns are found by their names, those of [`write`](crate::write)'s tables, of the k8s lab's traces and of others that are
//! common; or they are named as `MEANING=COLUMN`:
//!
//! | meaning | what it holds | also recognised as |
//! |---|---|---|
//! | `submit` | seconds, or a stamp `2017-10-09 07:01:55`; needed | `submit_time`, `submit_s`, `timestamp` |
//! | `runtime` | seconds, or `[D-]HH:MM:SS`; needed | `duration`, `duration_s`, `run_time` |
//! | `limit` | the same; empty: none | `limit_s`, `time_limit`, `walltime` |
//! | `limit_minutes` | minutes | |
//! | `id` | the job's number or name | `job_id`, `jobid` |
//! | `nodes` | distinct nodes, each giving `cpus`, `gpus`, `memory_mib` | |
//! | `tasks` | pieces anywhere, each with `cpus`, `gpus`, `memory_mib` | |
//! | `cpus`, `gpus`, `memory_mib` | of each node or task; without either, of the job | `num_gpus`, `gpus_per_node`, `mem_mib` |
//! | `procs` | processors of the job, wherever they are | |
//! | `gang` | pods of a gang, each on a node of its own with `gpus` and 1 CPU | `gang_size` |
//! | `priority` | 0 to 500, as the k8s lab has it | |
//! | `user`, `account`, `partition`, `qos` | names | |
//! | `qos_factor` | 0 to 1 | |
//! | `status` | how it ended | `state` |
//! | `wait` | seconds from submission to start | |
//!
//! Rows need not be in order. GPUs without `nodes` or `tasks` may be anywhere: one task for each.

mod columns;
mod job;
mod values;

use crate::ReadOptions;
use crate::error::ReadError;
use crate::report::{ChangeKind, Report, SkipReason, Unmodelled};
use crate::source::Source;
use crate::workload::{JOBS_MAX, Names, Row, Workload, assemble};

use columns::Columns;
use job::{JobReader, Said};

pub(crate) use columns::recognises;

pub(crate) fn read(
    source: &mut Source<'_>,
    options: &ReadOptions,
    report: &mut Report,
) -> Result<Workload, ReadError> {
    let file = source.file().to_owned();
    let Some(columns) = header(source, options)? else { return Err(ReadError::Empty { file }) };
    report.notes.extend(columns.described());
    let mut table = Table { filled: vec![0; columns.len()], ..Table::default() };
    let mut fields = csv::StringRecord::new();
    let mut parser = columns.parser();
    // A quoted field may hold line breaks: lines are joined until its quotes are closed.
    let mut open = String::new();
    let mut first_line = 0;
    while let Some((number, line)) = source.next_line()? {
        if open.is_empty() {
            if line.trim().is_empty() {
                continue;
            }
            first_line = number;
        } else {
            open.push('\n');
        }
        open.push_str(line);
        if open.len() < JOINED_BYTES_MAX && open.bytes().filter(|&byte| byte == b'"').count() % 2 == 1 {
            continue;
        }
        parser.parse(&open, &mut fields);
        if let Err(error) = table.row(&file, first_line, &fields, &columns, report) {
            report.damaged(error, options.skip_damaged)?;
        }
        open.clear();
    }
    if !open.is_empty() {
        parser.parse(&open, &mut fields);
        if let Err(error) = table.row(&file, first_line, &fields, &columns, report) {
            report.damaged(error, options.skip_damaged)?;
        }
    }
    Ok(table.finish(&file, &columns, report))
}

/// A quote that is never closed doesn't take the rest of the file with it.
const JOINED_BYTES_MAX: usize = 1 << 16;

fn header(source: &mut Source<'_>, options: &ReadOptions) -> Result<Option<Columns>, ReadError> {
    let file = source.file().to_owned();
    while let Some((number, line)) = source.next_line()? {
        if !line.trim().is_empty() {
            return Columns::of(&file, number, line, options).map(Some);
        }
    }
    Ok(None)
}

#[derive(Default)]
struct Table {
    rows: Vec<Row>,
    names: Names,
    reader: JobReader,
    /// Rows whose job has a name instead of a number.
    unnumbered: Vec<usize>,
    filled: Vec<u64>,
}

impl Table {
    fn row(
        &mut self,
        file: &str,
        line: u64,
        fields: &csv::StringRecord,
        columns: &Columns,
        report: &mut Report,
    ) -> Result<(), ReadError> {
        report.rows += 1;
        if fields.len() != columns.len() {
            let (expected, found) = (columns.len() as u64, fields.len() as u64);
            return Err(ReadError::FieldCount { file: file.to_owned(), line, expected, found });
        }
        for (count, field) in self.filled.iter_mut().zip(fields) {
            *count += u64::from(!field.is_empty());
        }
        let said = Said { file, line, fields, columns };
        match self.reader.job(&said, &mut self.names, report)? {
            Err(reason) => skip(report, reason, line),
            Ok((row, has_number)) => {
                if self.rows.len() as u64 >= JOBS_MAX {
                    return Err(ReadError::TooManyJobs { file: file.to_owned(), line, limit: JOBS_MAX });
                }
                if !has_number {
                    self.unnumbered.push(self.rows.len());
                }
                self.rows.push(row);
            }
        }
        Ok(())
    }

    fn finish(mut self, file: &str, columns: &Columns, report: &mut Report) -> Workload {
        self.number(columns, report);
        let unused = columns.unused().filter_map(|(index, name)| Some((name, *self.filled.get(index)?)));
        let unused = unused.filter(|&(_, rows)| rows > 0);
        report.unmodelled =
            unused.map(|(field, rows)| Unmodelled { field: field.to_owned(), rows }).collect();
        if self.reader.stamps() {
            report.notes.push("Its times have no zone; they are taken for UTC.".to_owned());
        }
        let made_for = self.reader.fleet(&self.rows, file);
        let unix_start = self.reader.stamps().then_some(0);
        let workload = assemble(file, self.rows, report);
        Workload { made_for, unix_start, ..workload }
    }

    /// Gives the jobs without a number numbers above all others, in their order; from 1 if none has one.
    fn number(&mut self, columns: &Columns, report: &mut Report) {
        let mut last = self.rows.iter().map(|row| row.spec.id.0).max().unwrap_or(0);
        for &index in &self.unnumbered {
            let Some(row) = self.rows.get_mut(index) else { continue };
            last = last.saturating_add(1); // what repeats at the end of all numbers gets a new one later
            std::sync::Arc::make_mut(&mut row.spec).id = switchyard_model::JobId(last);
            if columns.has(columns::Meaning::Id) {
                report.changed.add(ChangeKind::IdNotANumber, row.place);
            }
        }
    }
}

fn skip(report: &mut Report, reason: SkipReason, line: u64) {
    report.skip(reason, line);
}
