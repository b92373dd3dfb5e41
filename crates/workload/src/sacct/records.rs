//! Finds the rows and their fields again where a text has separators or line breaks in it; sacct quotes nothing.

use std::borrow::Cow;

use crate::error::ReadError;

use super::columns::{Columns, split};
use super::row::{Meaning, interpret};
use super::values::is_job_id;

/// More ways to divide a row into columns than this are not tried.
const READINGS_MAX: usize = 20_000;

/// A row, possibly over several lines.
#[derive(Clone, Debug)]
pub(super) struct Record<'a> {
    /// Its first line, from 1.
    pub(super) line: u64,
    /// All of it.
    pub(super) text: Cow<'a, str>,
    /// Whether lines were joined.
    joined: bool,
}

/// The rows of `text` from line `first` (from 0) on. A line that doesn't begin with a job belongs to the row above it if
/// that one lacks fields and the line isn't a whole row itself, or if that one ends in a text and the line is mere text.
/// Everything else stands by itself, so that a damaged row is an error in its own line.
pub(super) fn of<'a>(text: &'a str, first: usize, columns: &Columns) -> Vec<Record<'a>> {
    let mut records: Vec<Record<'a>> = Vec::new();
    for (number, line) in (1u64..).zip(text.lines()).skip(first) {
        if line.trim().is_empty() {
            continue;
        }
        match records.last_mut() {
            Some(above) if continues(above, line, columns) => {
                let text = above.text.to_mut();
                text.push('\n');
                text.push_str(line);
                above.joined = true;
            }
            _ => records.push(Record { line: number, text: Cow::Borrowed(line), joined: false }),
        }
    }
    records
}

fn continues(above: &Record<'_>, line: &str, columns: &Columns) -> bool {
    let (fields, complete) = (split(line), split(&above.text).len() >= columns.len());
    let begins_with_job = fields.get(columns.id_index()).is_some_and(|field| is_job_id(field));
    if complete {
        columns.ends_in_free_text() && fields.len() == 1 && !begins_with_job
    } else {
        fields.len() < columns.len() && !begins_with_job
    }
}

/// The fields of a row, one for each column, and whether it had to be repaired.
pub(super) fn fields<'r>(
    file: &str,
    record: &'r Record<'_>,
    columns: &Columns,
) -> Result<(Vec<&'r str>, bool), ReadError> {
    let mut fields = split(&record.text);
    let expected = columns.len();
    if columns.closed() && fields.len() > 1 && fields.last().is_some_and(|last| last.is_empty()) {
        fields.pop();
    }
    if fields.len() == expected {
        return Ok((fields, record.joined));
    }
    let found = fields.len() as u64;
    repair(&record.text, &fields, columns).map(|fields| (fields, true)).ok_or_else(|| ReadError::FieldCount {
        file: file.to_owned(),
        line: record.line,
        expected: expected as u64,
        found,
    })
}

/// Gives the surplus fields back to the free texts in every possible way. If all ways that make sense mean the same job,
/// that is the row.
fn repair<'r>(text: &'r str, fields: &[&'r str], columns: &Columns) -> Option<Vec<&'r str>> {
    let surplus = fields.len().checked_sub(columns.len())?;
    let texts: Vec<usize> = columns.free_texts().collect();
    let mut readings = Vec::new();
    divide(surplus, texts.len(), &mut Vec::new(), &mut readings);
    let mut accepted: Option<(Vec<&str>, Meaning)> = None;
    for reading in &readings {
        let merged = merge(text, fields, columns.len(), &texts, reading);
        if !columns.plausible(&merged) {
            continue;
        }
        match (interpret(&merged, columns), &accepted) {
            (Err(_) | Ok(Meaning::Skip(crate::SkipReason::UnknownState, _)), _) => {}
            (Ok(meaning), None) => accepted = Some((merged, meaning)),
            (Ok(meaning), Some((_, known))) if meaning == *known => {}
            (Ok(_), Some(_)) => return None,
        }
    }
    accepted.map(|(fields, _)| fields)
}

/// All ways to divide `surplus` among `texts` columns; stops at [`READINGS_MAX`].
fn divide(surplus: usize, texts: usize, so_far: &mut Vec<usize>, readings: &mut Vec<Vec<usize>>) {
    if texts == 0 || readings.len() >= READINGS_MAX {
        return;
    }
    if texts == 1 {
        let mut reading = so_far.clone();
        reading.push(surplus);
        readings.push(reading);
        return;
    }
    for here in 0..=surplus {
        so_far.push(here);
        divide(surplus - here, texts - 1, so_far, readings);
        so_far.pop();
    }
}

/// The fields when each text takes so many more of them as the reading says. The fields are parts of `text` with one
/// separator between them, so a longer field is a longer part.
fn merge<'r>(
    text: &'r str,
    fields: &[&'r str],
    columns: usize,
    texts: &[usize],
    reading: &[usize],
) -> Vec<&'r str> {
    let mut merged = Vec::with_capacity(columns);
    let (mut from, mut next) = (0, 0);
    for column in 0..columns {
        let extra = texts.iter().position(|&index| index == column).and_then(|place| reading.get(place));
        let last = next + extra.copied().unwrap_or(0);
        let separators = last - next;
        let length = fields.iter().skip(next).take(separators + 1).map(|field| field.len()).sum::<usize>();
        merged.push(text.get(from..from + length + separators).unwrap_or(""));
        from += length + separators + 1;
        next = last + 1;
    }
    merged
}
