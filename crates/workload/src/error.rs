//! Why a file is no workload: where, what was expected, what stood there.

use thiserror::Error;

/// Longer texts are cut in messages.
const SHOWN_CHARS: usize = 60;

/// The first thing in a file that can't be read. Each message is one sentence with place and remedy.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReadError {
    /// Nothing in it.
    #[error(
        "{file} is empty; expected jobs in the Standard Workload Format, from sacct --parsable2, in a table, or in JSON"
    )]
    Empty {
        /// The file's name.
        file: String,
    },
    /// Packed.
    #[error("{file} is compressed ({tool}); unpack it first")]
    Compressed {
        /// The file's name.
        file: String,
        /// The program that made it.
        tool: &'static str,
    },
    /// Packed, but damaged.
    #[error("{file} can't be unpacked ({tool}): {problem}; pack it again, or give the unpacked file")]
    Unpack {
        /// The file's name.
        file: String,
        /// The program that made it.
        tool: &'static str,
        /// What is wrong.
        problem: String,
    },
    /// Packed so tightly that it must be meant to fill the memory.
    #[error(
        "{file} unpacks to more than {ratio} times its size ({mebibytes} MiB and more); no trace does that; if this one does, unpack it first"
    )]
    UnpacksTooFar {
        /// The file's name.
        file: String,
        /// How many times its size.
        ratio: u64,
        /// How far it was unpacked.
        mebibytes: u64,
    },
    /// The file ends in an error of the machine.
    #[error("{file} can't be read to its end: {problem}")]
    Unreadable {
        /// The file's name.
        file: String,
        /// What went wrong.
        problem: String,
    },
    /// A line that no trace has.
    #[error("{file}, line {line}: the line is longer than {mebibytes} MiB; expected one job in each line")]
    LongLine {
        /// The file's name.
        file: String,
        /// The line, from 1.
        line: u64,
        /// How long a line may be.
        mebibytes: u64,
    },
    /// A document that is read as a whole and larger than can be.
    #[error("{file} is larger than {mebibytes} MiB; a file of this kind is read as a whole, so split it")]
    TooLarge {
        /// The file's name.
        file: String,
        /// How large it may be.
        mebibytes: u64,
    },
    /// More jobs than fit into the memory of a usual machine.
    #[error("{file}, line {line}: more than {limit} jobs; split the file, for example by month")]
    TooManyJobs {
        /// The file's name.
        file: String,
        /// The line, from 1.
        line: u64,
        /// How many are read.
        limit: u64,
    },
    /// Not text.
    #[error(
        "{file} is no text: it has a zero byte at offset {offset}; expected jobs in the Standard Workload Format, from sacct --parsable2, in a table, or in JSON"
    )]
    Binary {
        /// The file's name.
        file: String,
        /// Where the first zero byte is.
        offset: u64,
    },
    /// No format that is known.
    #[error(
        "{file}, line {line}: this is neither the Standard Workload Format (18 numbers separated by blanks) nor sacct --parsable2 (columns separated by \"|\") nor a table with a header nor JSON; found \"{found}\""
    )]
    UnknownFormat {
        /// The file's name.
        file: String,
        /// The line, from 1.
        line: u64,
        /// What stood there.
        found: String,
    },
    /// A file that stands beside a `slurm.conf`, and isn't read.
    #[error("{file}: this is a {kind}, which is not read: {remedy}")]
    BesideSlurmConf {
        /// The file's name.
        file: String,
        /// What it is called.
        kind: &'static str,
        /// What to do instead.
        remedy: &'static str,
    },
    /// A table whose columns say nothing here.
    #[error(
        "{file}, line {line}: this is a table, but which of its columns mean what is not known; name them, as in --columns submit=COLUMN,runtime=COLUMN,procs=COLUMN; found \"{found}\""
    )]
    UnknownTable {
        /// The file's name.
        file: String,
        /// The line, from 1.
        line: u64,
        /// What stood there.
        found: String,
    },
    /// A table that doesn't say something that every job needs.
    #[error(
        "{file}, line {line}: no column is known to be {meaning}; name it, as in --columns {meaning}=COLUMN,...; found \"{found}\""
    )]
    NoMeaning {
        /// The file's name.
        file: String,
        /// The header's line, from 1.
        line: u64,
        /// What is missing.
        meaning: &'static str,
        /// The header.
        found: String,
    },
    /// A meaning that no column of a table can have, or a column that the table doesn't have.
    #[error("{file}: \"{found}\" names no column: {problem}")]
    ColumnMeaning {
        /// The file's name.
        file: String,
        /// What was given.
        found: String,
        /// What is wrong with it.
        problem: String,
    },
    /// Nearly the Standard Workload Format, but with semicolons.
    #[error(
        "{file}, line {line}: this is not the Standard Workload Format although its rows look like it: its fields are separated by \";\", which begins a comment there, instead of by blanks; found \"{found}\""
    )]
    SemicolonFields {
        /// The file's name.
        file: String,
        /// The line, from 1.
        line: u64,
        /// What stood there.
        found: String,
    },
    /// sacct's columns, but not separated by `|`.
    #[error(
        "{file}, line 1: these are columns of sacct, but separated by \"{separator}\" instead of \"|\"; write the file with sacct --parsable2, or name it with --delimiter"
    )]
    OtherSeparator {
        /// The file's name.
        file: String,
        /// What separates them.
        separator: char,
    },
    /// A field that isn't what it should be.
    #[error("{file}, line {line}, field {number} ({name}): expected {expected}, found \"{found}\"")]
    Field {
        /// The file's name.
        file: String,
        /// The line, from 1.
        line: u64,
        /// The field's place in its row, from 1.
        number: u64,
        /// The field's name.
        name: String,
        /// What would have been right.
        expected: &'static str,
        /// What stood there.
        found: String,
    },
    /// Too few fields, or more than can be explained.
    #[error("{file}, line {line}: expected {expected} fields, found {found}")]
    FieldCount {
        /// The file's name.
        file: String,
        /// The line, from 1.
        line: u64,
        /// How many a row has.
        expected: u64,
        /// How many there are.
        found: u64,
    },
    /// Not JSON, although it begins like it.
    #[error("{file}, line {line}, column {column}: this is no JSON: {problem}")]
    Json {
        /// The file's name.
        file: String,
        /// The line, from 1.
        line: u64,
        /// The column, from 1.
        column: u64,
        /// What is wrong there.
        problem: String,
    },
    /// A member of a JSON file that isn't what it should be.
    #[error("{file}, {member}: expected {expected}, found \"{found}\"")]
    Member {
        /// The file's name.
        file: String,
        /// Where it is, as in `jobs[3].res`; entries count from 0.
        member: String,
        /// What would have been right.
        expected: &'static str,
        /// What stood there.
        found: String,
    },
    /// A dump without a header whose columns aren't known.
    #[error(
        "{file}, line 1: there is no header, and {found} columns in an order that is not known; name the columns in their order (JobID,Submit,...), or write the file with sacct --parsable2 and without --noheader"
    )]
    NoHeader {
        /// The file's name.
        file: String,
        /// How many columns there are.
        found: u64,
    },
    /// Columns without which a job can't be told.
    #[error(
        "{file}: no column {missing}; write the file with sacct --parsable2 --format=JobID,User,Account,Submit,Start,Elapsed,Timelimit,State,NNodes,NCPUS,AllocTRES,NodeList"
    )]
    MissingColumn {
        /// The file's name.
        file: String,
        /// The column, or the columns of which one is needed.
        missing: &'static str,
    },
    /// An array range so long that it must be a mistake.
    #[error("{file}, line {line}: the array range stands for more than {limit} tasks")]
    TooManyTasks {
        /// The file's name.
        file: String,
        /// The line, from 1.
        line: u64,
        /// How many are read.
        limit: u64,
    },
    /// A table without a column that it needs.
    #[error("{file}, line {line}: there is no column {missing}; expected a header with {columns}")]
    NoColumn {
        /// The file's name.
        file: String,
        /// The header's line, from 1.
        line: u64,
        /// The column.
        missing: &'static str,
        /// All columns that are needed.
        columns: String,
    },
    /// A table without rows.
    #[error("{file} has no {rows}; expected at least one row below a header with {columns}")]
    NoRows {
        /// The file's name.
        file: String,
        /// What its rows would be.
        rows: &'static str,
        /// All columns that are needed.
        columns: String,
    },
    /// All rows were skipped, or there are none.
    #[error(
        "{file} has no job that could run{why}; expected at least one row of a job that started and ended"
    )]
    NoJobs {
        /// The file's name.
        file: String,
        /// What was skipped, beginning with a colon; empty when there were no rows.
        why: String,
    },
}

impl ReadError {
    /// The line of a row that is damaged by itself: the file could be read without it.
    pub(crate) fn damaged_line(&self) -> Option<u64> {
        match self {
            ReadError::Field { line, .. } | ReadError::FieldCount { line, .. } => Some(*line),
            _ => None,
        }
    }
}

/// `text` in one line and short enough for a message.
pub(crate) fn shown(text: &str) -> String {
    let mut chars = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let mut short: String = chars.by_ref().take(SHOWN_CHARS).collect();
    if chars.next().is_some() {
        short.push('…');
    }
    short
}
