//! What is worth knowing about a table of pods or nodes before one believes a result.

use std::fmt;

use crate::report::{Tally, Unmodelled, lines, rows, write_first};

/// Something about a row that isn't as one would expect; the row counts all the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Remark {
    /// A pod that the recorded cluster never scheduled.
    NeverScheduled,
    /// It asks for a part of each of several GPUs.
    PartsOfSeveralGpus,
    /// It names a share of a GPU but no GPU.
    ShareWithoutGpu,
    /// It names GPU models but no GPU.
    ModelWithoutGpu,
    /// A node with GPUs of no model; pods that ask for a model can't use it.
    NoModel,
    /// Bytes that are no UTF-8; they were replaced by a mark.
    NotUtf8,
}

impl Remark {
    /// The remark as the end of a sentence that begins "3 rows:".
    pub const fn sentence(self) -> &'static str {
        match self {
            Remark::NeverScheduled => "never scheduled in the trace (no scheduled_time); kept",
            Remark::PartsOfSeveralGpus => "a part of each of several GPUs; different GPUs are given",
            Remark::ShareWithoutGpu => "gpu_milli without a GPU; ignored",
            Remark::ModelWithoutGpu => "gpu_spec without a GPU; ignored",
            Remark::NoModel => "GPUs without a model; no pod that asks for a model can use them",
            Remark::NotUtf8 => "bytes that are no UTF-8; replaced by a mark",
        }
    }
}

/// What became of the rows of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableReport {
    /// What the rows are: "pods" or "nodes".
    pub of: &'static str,
    /// How many there are; each became one.
    pub rows: u64,
    /// What is worth knowing.
    pub remarks: Tally<Remark>,
    /// Columns that are not used.
    pub unmodelled: Vec<Unmodelled>,
}

impl TableReport {
    pub(super) fn new(of: &'static str) -> TableReport {
        TableReport { of, rows: 0, remarks: Tally::default(), unmodelled: Vec::new() }
    }
}

impl fmt::Display for TableReport {
    /// One sentence in each line; the last one without a line break.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Read {} {} from {}.", self.rows, self.of, rows(self.rows))?;
        for (remark, entry) in self.remarks.iter() {
            let counted = if remark == Remark::NotUtf8 { lines(entry.count) } else { rows(entry.count) };
            write!(f, "\n{counted}: {} (", remark.sentence())?;
            write_first(f, entry)?;
        }
        if !self.unmodelled.is_empty() {
            let names: Vec<_> = self
                .unmodelled
                .iter()
                .map(|field| format!("{} ({})", field.field, rows(field.rows)))
                .collect();
            write!(f, "\nNot used: {}.", names.join(", "))?;
        }
        Ok(())
    }
}
