//! Reading and generating workloads. Parses bytes, opens no files.
//!
//! [`read`] tells the format by the content and returns the jobs together with a [`Report`] of what was skipped or
//! changed. Read are the [Standard Workload Format](https://www.cs.huji.ac.il/labs/parallel/workload/swf.html), what
//! `sacct --parsable2` prints, tables with a header, [Batsim's JSON](https://batsim.readthedocs.io/en/latest/input-workload.html),
//! and what [`write`] writes; each may be packed with gzip. A row is either a job, or skipped for a [`SkipReason`] and counted, or a
//! [`ReadError`] with line, field, what was expected and what stood there:
//!
//! | what | Standard Workload Format | sacct |
//! |---|---|---|
//! | cancelled before it started | skipped (status 5 without a runtime above 0) | skipped (no start, no nodes, or `CANCELLED` after 0 s) |
//! | not ended, `REVOKED`, unknown state | - | skipped |
//! | a part of a job | skipped (status 2 to 4: bursts) | skipped (steps; attempts that were requeued; the same job again) |
//! | no submit time, no runtime | skipped (-1) | skipped (`Unknown`, `None`, empty) |
//! | no processors | skipped (0); 1 is taken when they are unknown (-1) | skipped (0 or empty) |
//! | no time limit | the runtime, at least 1 s | the runtime, at least 1 s; `UNLIMITED` is 365 days |
//! | runtime 0; runtime above the limit | kept and reported | kept and reported |
//! | several tasks in one row | - | one job for each task of `123_[1-5,9%2]` |
//! | still running | - | skipped, or kept with the runtime so far ([`ReadOptions::keep_running`]) |
//! | separators or line breaks in a text | - | repaired where only one reading makes sense, else an error |
//! | jobs out of order, numbers that repeat | sorted; a new number | sorted; a new number |
//! | anything else that isn't what the format says | error | error |
//!
//! Errors of single rows become skipped rows with [`ReadOptions::skip_damaged`]. docs/formats.md has what there is to say about
//! each format, tables included.
//!
//! A job of Batsim is skipped where it has no processors (`res` 0), or a profile that is neither a delay nor a sequence of
//! delays: only a simulated platform tells how long that runs. Without `walltime`, the runtime, at least 1 s, stands in. A
//! job with a name instead of a number gets a number.
//!
//! Pods and GPU nodes come from tables of their own: see [`openb`]; a cluster's configuration from its `slurm.conf`: see
//! [`slurm_conf`].

mod batsim;
mod detect;
mod error;
mod fleet;
mod fleet_yaml;
pub mod generate;
mod inflate;
mod json;
mod kind;
mod limits;
pub mod openb;
mod profile;
mod report;
mod sacct;
mod scale;
pub mod slurm_conf;
mod source;
mod swf;
mod table;
mod transform;
mod unpack;
mod workload;
mod write;

use std::fmt;
use std::io::BufRead;
use std::str::FromStr;

use source::Source;
use thiserror::Error;

pub use error::ReadError;
pub use fleet::{RecordedUse, fleet_for};
pub use fleet_yaml::{FleetYamlError, read_fleet_yaml};
pub use generate::{Generator, Pace, Recipe, RecipeError, UnknownGenerator};
pub use inflate::{DEMAND_MAX, InflateError, inflate, shuffled};
pub use kind::{FileKind, kind_of};
pub use limits::{LimitModel, LimitModelError, limit_by_partition};
pub use profile::{Groups, Profile, Spread};
pub use report::{ChangeKind, Entry, Place, Quirk, Report, SkipReason, Tally, Unmodelled};
pub use scale::scale_to;
pub use slurm_conf::SlurmConf;
pub use transform::{LoadScale, Shake, Slice, TransformError};
pub use workload::{Recorded, Status, SwfRest, Workload};
pub use write::{Lost, UnknownWriteFormat, WriteFormat, WriteReport, write};

/// A format of traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// The Standard Workload Format of the Parallel Workloads Archive.
    Swf,
    /// What `sacct --parsable2` (or `--parsable`) prints.
    Sacct,
    /// Batsim's workloads (JSON).
    Batsim,
    /// A table with a header, one job in each row.
    Csv,
    /// Jobs as [`write`] writes them in JSON.
    Json,
}

/// Nobody calls a format that.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is no format \"{name}\"; choose one of {}", Format::ALL.map(Format::name).join(", "))]
pub struct UnknownFormat {
    /// What was asked for.
    pub name: String,
}

impl Format {
    /// All of them.
    pub const ALL: [Format; 5] = [Format::Swf, Format::Sacct, Format::Batsim, Format::Csv, Format::Json];

    /// What people call it, in a word.
    pub const fn name(self) -> &'static str {
        match self {
            Format::Swf => "swf",
            Format::Sacct => "sacct",
            Format::Batsim => "batsim",
            Format::Csv => "csv",
            Format::Json => "json",
        }
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        let known = Format::ALL.into_iter().find(|format| format.name() == name);
        known.ok_or_else(|| UnknownFormat { name: name.to_owned() })
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::Swf => "Standard Workload Format",
            Format::Sacct => "sacct",
            Format::Batsim => "Batsim",
            Format::Csv => "table",
            Format::Json => "jobs in JSON",
        })
    }
}

/// What a file doesn't say itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// The format, instead of what the content looks like.
    pub format: Option<Format>,
    /// The columns of a sacct dump in their order, for dumps without a header (`sacct --noheader`). The order of XDMoD's
    /// dumps (26 columns from `jobid` to `jobname`) is recognised without it. For a table `MEANING=COLUMN`, as in
    /// `submit=timestamp`.
    pub columns: Option<Vec<String>>,
    /// What separates the columns of a sacct dump (`sacct --delimiter`) or of a table, if it isn't `|` or a comma.
    pub delimiter: Option<String>,
    /// Whether jobs of a sacct dump that were still running count, with their runtime so far; otherwise they are skipped.
    pub keep_running: bool,
    /// Whether damaged rows are skipped and counted; otherwise the first one is an error.
    pub skip_damaged: bool,
}

/// Reads a trace. `name` is what messages call the file.
///
/// # Errors
/// When the bytes are no trace, when a line is not what its format says, or when no row is a job.
pub fn read(name: &str, bytes: &[u8], options: &ReadOptions) -> Result<(Workload, Report), ReadError> {
    read_from(name, Box::new(bytes), options)
}

/// Reads a trace as it comes, so that a file of any size needs no more memory than its jobs.
///
/// # Errors
/// As [`read`], and when `input` can't be read.
pub fn read_from<'a>(
    name: &str,
    input: Box<dyn BufRead + 'a>,
    options: &ReadOptions,
) -> Result<(Workload, Report), ReadError> {
    let mut source = Source::open(name, input)?;
    let format = match options {
        ReadOptions { format: Some(format), .. } => *format,
        ReadOptions { columns: Some(columns), .. } if columns.iter().any(|column| column.contains('=')) => {
            Format::Csv
        }
        ReadOptions { columns: Some(_), .. } => Format::Sacct,
        ReadOptions { delimiter: Some(delimiter), .. } => detect::separated(source.head(), delimiter),
        _ => detect::format_of(name, source.head())?,
    };
    let mut report = Report { format: Some(format), ..Report::default() };
    let workload = match format {
        Format::Swf => swf::read(&mut source, options, &mut report)?,
        Format::Batsim => batsim::read(&mut source, &mut report)?,
        Format::Sacct => sacct::read(&mut source, options, &mut report)?,
        Format::Csv => table::read(&mut source, options, &mut report)?,
        Format::Json => json::read(&mut source, &mut report)?,
    };
    if let Some((lines, first)) = source.not_utf8() {
        report.changed.add_many(ChangeKind::NotUtf8, lines, Place::Line(first), None);
    }
    if workload.jobs.is_empty() {
        return Err(ReadError::NoJobs { file: name.to_owned(), why: why_none(&report) });
    }
    Ok((workload, report))
}

fn why_none(report: &Report) -> String {
    let reasons: Vec<_> = report
        .skipped
        .iter()
        .map(|(reason, entry)| format!("{} rows {}", entry.count, reason.sentence()))
        .collect();
    if reasons.is_empty() { String::new() } else { format!(": {}", reasons.join("; ")) }
}
