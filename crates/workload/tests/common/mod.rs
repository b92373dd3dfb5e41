//! The traces that tests read, and shorthands.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

use std::path::PathBuf;

use switchyard_model::{Job, Oracle};
use switchyard_workload::{ReadError, ReadOptions, Report, Workload, read};

/// The folder of traces beside the checkout; `None`, with a note, where there is none.
pub(crate) fn traces() -> Option<PathBuf> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/traces"));
    let present = folder.is_dir();
    if !present {
        eprintln!("skipped: no traces in {}", folder.display());
    }
    present.then_some(folder)
}

pub(crate) fn read_text(text: &str) -> Result<(Workload, Report), ReadError> {
    read("test", text.as_bytes(), &ReadOptions::default())
}

pub(crate) fn error_of(text: &str) -> String {
    read_text(text).expect_err("this should be refused").to_string()
}

pub(crate) fn runtime_secs(job: &Job) -> u64 {
    Oracle::new().runtime(&job.truth).as_micros() / 1_000_000
}

pub(crate) fn limit_secs(job: &Job) -> u64 {
    job.spec.limit.as_micros() / 1_000_000
}
