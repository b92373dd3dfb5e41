//! Reads files of jobs, and says what of them is not as it stands there.

use std::path::Path;

use switchyard_workload::{Report, Workload, read_from};

use crate::args_formats::FormatArgs;
use crate::failure::Failure;
use crate::{open, show};

/// The jobs of a file.
pub(crate) fn file(path: &Path, format: &FormatArgs) -> Result<Workload, Failure> {
    let (workload, report) = silently(path, format)?;
    show::say(&format!("{}: {report}", open::name_of(path)));
    Ok(workload)
}

/// The jobs of a file, and what there would be to say.
pub(crate) fn silently(path: &Path, format: &FormatArgs) -> Result<(Workload, Report), Failure> {
    Ok(read_from(&open::name_of(path), open::reader_of(path)?, &format.options())?)
}
