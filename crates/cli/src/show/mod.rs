//! What is written where: results on standard output, everything else on standard error.

pub(crate) mod compare_html;
pub(crate) mod compare_json;
pub(crate) mod compare_table;
pub(crate) mod explanation;
pub(crate) mod explanation_json;
pub(crate) mod html;
pub(crate) mod inspect_json;
pub(crate) mod inspect_page;
pub(crate) mod metrics;
pub(crate) mod pictures;
pub(crate) mod placements;
pub(crate) mod pods_json;
pub(crate) mod pods_table;
pub(crate) mod policies;
pub(crate) mod progress;
pub(crate) mod replay_json;
pub(crate) mod replay_table;
pub(crate) mod run_page;
pub(crate) mod starts;

use std::io::{self, ErrorKind, Write};

use switchyard_model::{JobId, SimTime};

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

/// In seconds, without needless digits.
pub(crate) fn seconds(at: SimTime) -> String {
    let (whole, rest) = (at.as_micros() / 1_000_000, at.as_micros() % 1_000_000);
    if rest == 0 {
        return whole.to_string();
    }
    format!("{whole}.{rest:06}").trim_end_matches('0').to_owned()
}

/// `figures` as indented JSON.
pub(crate) fn json(figures: &impl serde::Serialize) -> String {
    // Plain structs of numbers and texts always serialise.
    serde_json::to_string_pretty(figures).unwrap_or_default()
}

/// More jobs or nodes than this are counted.
const SHOWN: usize = 8;

/// `job 1`, `jobs 1, 2 and 4 more`.
pub(crate) fn jobs(ids: &[JobId]) -> String {
    format!("{} {}", if ids.len() == 1 { "job" } else { "jobs" }, list(ids.iter()))
}

/// `a, b, c and 4 more`.
pub(crate) fn list<T: ToString>(items: impl ExactSizeIterator<Item = T>) -> String {
    let more = items.len().saturating_sub(SHOWN);
    let shown = items.take(SHOWN).map(|item| item.to_string()).collect::<Vec<_>>().join(", ");
    if more == 0 { shown } else { format!("{shown} and {more} more") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_seconds_have_no_decimals() {
        let said = |micros| seconds(SimTime::from_micros(micros));
        assert_eq!(said(599_850_000_000), "599850");
        assert_eq!(said(2_500_000), "2.5");
        assert_eq!(said(87_772_443), "87.772443");
        assert_eq!(said(10_000_000), "10");
    }
}
