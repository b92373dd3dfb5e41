//! Why a table of a sweep can't be gone on with, or put together from its parts.

use std::path::PathBuf;

use thiserror::Error;

#[derive(Debug, Error)]
pub(crate) enum TableError {
    #[error("{} is not the table of this sweep: {problem}; choose another file, or delete it", .path.display())]
    Foreign { path: PathBuf, problem: String },
    #[error("{} is being written by another sweep; wait for its end, or choose another file", .path.display())]
    Locked { path: PathBuf },
    #[error("{}, line {line}: {problem}; {remedy}", .path.display())]
    Row { path: PathBuf, line: usize, problem: String, remedy: &'static str },
    #[error("{} is no shard of a sweep: {problem}; give the files that sweep --shard wrote", .path.display())]
    NoShard { path: PathBuf, problem: &'static str },
    #[error(
        "{} belongs to another sweep than {}; merge the shards of one sweep at a time", .path.display(), .first.display()
    )]
    OtherSweep { path: PathBuf, first: PathBuf },
    #[error("run {run} is in {} and again in {}; give each shard once", .first.display(), .second.display())]
    Double { run: usize, first: PathBuf, second: PathBuf },
    #[error("{missing} of {runs} runs are missing: {which}; give these shards too, or run them again")]
    Missing { missing: usize, runs: usize, which: String },
}
