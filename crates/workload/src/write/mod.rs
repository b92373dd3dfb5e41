//! Writes jobs to a file: the Standard Workload Format, a table, or JSON.
//!
//! Runtimes are written too, so this module opens what is closed to everyone who schedules; it may, as it makes a trace.

mod json;
mod report;
mod table;

use std::fmt;
use std::io;
use std::str::FromStr;

use thiserror::Error;

use crate::swf;
use crate::workload::Workload;

pub(crate) use report::clean;
pub use report::{Lost, WriteReport};

pub(crate) use json::{FORMAT as JSON_FORMAT, JsonFile, JsonJob};

/// A format that jobs are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteFormat {
    /// The Standard Workload Format: what all simulators read. It has processors, but neither nodes nor GPUs.
    Swf,
    /// A table with a header, separated by commas: nodes, GPUs and memory too. [`read`](crate::read) reads it back.
    Csv,
    /// One JSON object, with all that a job holds. [`read`](crate::read) reads it back.
    Json,
}

/// Nobody calls a format that.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("jobs can't be written as \"{name}\"; choose one of swf, csv, json")]
pub struct UnknownWriteFormat {
    /// What was asked for.
    pub name: String,
}

impl WriteFormat {
    /// All of them.
    pub const ALL: [WriteFormat; 3] = [WriteFormat::Swf, WriteFormat::Csv, WriteFormat::Json];

    /// What people call it, and how the names of such files end.
    pub const fn name(self) -> &'static str {
        match self {
            WriteFormat::Swf => "swf",
            WriteFormat::Csv => "csv",
            WriteFormat::Json => "json",
        }
    }
}

impl FromStr for WriteFormat {
    type Err = UnknownWriteFormat;

    fn from_str(name: &str) -> Result<Self, UnknownWriteFormat> {
        let known = WriteFormat::ALL.into_iter().find(|format| format.name() == name);
        known.ok_or_else(|| UnknownWriteFormat { name: name.to_owned() })
    }
}

impl fmt::Display for WriteFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Writes the jobs, and tells what the format has no place for.
///
/// # Errors
/// When `out` can't be written to.
pub fn write(workload: &Workload, format: WriteFormat, out: &mut dyn io::Write) -> io::Result<WriteReport> {
    let report = match format {
        WriteFormat::Swf => swf::write::write(workload, out)?,
        WriteFormat::Csv => table::write(workload, out)?,
        WriteFormat::Json => json::write(workload, out)?,
    };
    out.flush()?;
    Ok(report)
}

/// Seconds of so many microseconds, with decimals only where there are some.
pub(crate) fn seconds(micros: u64) -> String {
    let (whole, rest) = (micros / 1_000_000, micros % 1_000_000);
    if rest == 0 {
        return whole.to_string();
    }
    format!("{whole}.{rest:06}").trim_end_matches('0').to_owned()
}
