//! Tables of pods and of GPU nodes, as the "openb" trace of a production cluster has them (comma separated, with a header).
//!
//! Columns are found by their names, in any order; a table may have more.
//!
//! | table | column | meaning |
//! |---|---|---|
//! | nodes | `sn` | name |
//! | | `cpu_milli`, `memory_mib` | CPU in thousandths of a core, memory in MiB |
//! | | `gpu`, `model` | number of GPUs and their model |
//! | pods | `name` | name |
//! | | `cpu_milli`, `memory_mib` | what it asks for |
//! | | `num_gpu`, `gpu_milli` | number of GPUs, and how much of each in thousandths |
//! | | `gpu_spec` | the models that will do, as `V100M16\|V100M32`; empty: all (may be missing) |
//! | | `creation_time`, `scheduled_time`, `deletion_time` | seconds; empty when it never happened (may be missing) |
//!
//! Every row becomes a pod or a node; what can't be one is a [`ReadError`]. Remarks are counted in a [`TableReport`].

mod pods;
mod report;
mod table;

use switchyard_model::{PodNode, PodSpec};

use crate::ReadError;
use crate::report::{Place, Unmodelled};

pub use report::{Remark, TableReport};

use table::Table;

/// Reads a table of pods, in the order of the file. `name` is what messages call the file.
///
/// # Errors
/// When the bytes are no such table, a field is not what it should be, or a name occurs twice.
pub fn read_pods(name: &str, bytes: &[u8]) -> Result<(Vec<PodSpec>, TableReport), ReadError> {
    read(name, bytes, "pods", &pods::COLUMNS, &pods::OPTIONAL, pods::pod)
}

/// Reads a table of GPU nodes, in the order of the file. `name` is what messages call the file.
///
/// # Errors
/// When the bytes are no such table, a field is not what it should be, or a name occurs twice.
pub fn read_nodes(name: &str, bytes: &[u8]) -> Result<(Vec<PodNode>, TableReport), ReadError> {
    read(name, bytes, "nodes", &pods::NODE_COLUMNS, &[], pods::node)
}

fn read<T>(
    name: &str,
    bytes: &[u8],
    of: &'static str,
    columns: &'static [&'static str],
    optional: &'static [&'static str],
    row_of: impl Fn(&table::Row<'_>, &mut TableReport) -> Result<T, ReadError>,
) -> Result<(Vec<T>, TableReport), ReadError> {
    let mut report = TableReport::new(of);
    let mut table = Table::open(name, bytes, of, columns, optional)?;
    if let Some((lines, first)) = table.not_utf8 {
        report.remarks.add_many(Remark::NotUtf8, lines, Place::Line(first), None);
    }
    let mut read = Vec::new();
    while let Some(row) = table.next_row()? {
        report.rows += 1;
        read.push(row_of(&row, &mut report)?);
    }
    if read.is_empty() {
        return Err(ReadError::NoRows { file: name.to_owned(), rows: of, columns: columns.join(",") });
    }
    let unused = table.unused.into_iter().filter(|column| column.rows > 0);
    report.unmodelled = unused.collect::<Vec<Unmodelled>>();
    Ok((read, report))
}
