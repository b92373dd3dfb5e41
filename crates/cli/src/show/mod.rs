//! What is written where: results on standard output, everything else on standard error.

pub(crate) mod placements;
pub(crate) mod pods_json;
pub(crate) mod pods_table;
pub(crate) mod progress;
pub(crate) mod replay_json;
pub(crate) mod replay_table;
pub(crate) mod run_page;
pub(crate) mod starts;

use std::io::{self, ErrorKind, Write};

use crate::failure::Failure;

/// Says something that is no result. Nobody may be listening; that is no error.
pub(crate) fn say(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Writes the result. A reader that has seen enough and closed the pipe is no error.
pub(crate) fn result(page: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match writeln!(out, "{page}").and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// A table of names and values, the values in one column.
pub(crate) fn table(rows: &[(&str, String)]) -> String {
    let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let lines: Vec<String> = rows.iter().map(|(name, value)| format!("{name:width$}  {value}")).collect();
    lines.join("\n")
}

/// `figures` as indented JSON.
pub(crate) fn json(figures: &impl serde::Serialize) -> String {
    // Plain structs of numbers and texts always serialise.
    serde_json::to_string_pretty(figures).unwrap_or_default()
}
