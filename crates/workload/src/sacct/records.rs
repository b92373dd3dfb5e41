//! Finds the rows and their fields again where a text has separators or line breaks in it; sacct quotes nothing.

use crate::error::ReadError;
use crate::source::Source;

use super::columns::Columns;
use super::row::{Meaning, interpret};
use super::values::is_job_id;

/// More ways to divide a row into columns than this are not tried.
const READINGS_MAX: usize = 20_000;

/// A row, possibly over several lines.
#[derive(Clone, Debug, Default)]
pub(super) struct Record {
    /// Its first line, from 1.
    pub(super) line: u64,
    /// All of it.
    pub(super) text: String,
    /// Whether lines were joined.
    joined: bool,
    /// How many fields it has.
    fields: usize,
}

/// The rows of a dump. A line that doesn't begin with a job belongs to the row above it if that one lacks fields and the line
/// isn't a whole row itself, or if that one ends in a text and the line is mere text. Everything else stands by itself, so
/// that a damaged row is an error in its own line.
#[derive(Debug, Default)]
pub(super) struct Records {
    current: Record,
    /// The row that begins after it, if one does; its line is 0 if not.
    next: Record,
}

impl Records {
    /// Rows of which the first begins with this line, if there is one.
    pub(super) fn beginning_with(first: Option<(u64, &str)>, columns: &Columns) -> Records {
        let mut records = Records::default();
        if let Some((line, text)) = first {
            records.begin(line, text, columns.count(text));
        }
        records
    }

    fn begin(&mut self, line: u64, text: &str, fields: usize) {
        self.next.fields = fields;
        self.next.line = line;
        self.next.text.clear();
        self.next.text.push_str(text);
        self.next.joined = false;
    }

    /// The next row, or `None` after the last.
    pub(super) fn advance(
        &mut self,
        source: &mut Source<'_>,
        columns: &Columns,
    ) -> Result<Option<&Record>, ReadError> {
        loop {
            let Some((line, text)) = source.next_line()? else {
                std::mem::swap(&mut self.current, &mut self.next);
                self.next.line = 0;
                return Ok((self.current.line > 0).then_some(&self.current));
            };
            if text.trim().is_empty() {
                continue;
            }
            let fields = columns.count(text);
            if self.next.line == 0 {
                self.begin(line, text, fields);
            } else if continues(&self.next, text, fields, columns) {
                self.next.fields += fields - 1;
                self.next.text.push('\n');
                self.next.text.push_str(text);
                self.next.joined = true;
            } else {
                std::mem::swap(&mut self.current, &mut self.next);
                self.begin(line, text, fields);
                return Ok(Some(&self.current));
            }
        }
    }
}

fn continues(above: &Record, line: &str, fields: usize, columns: &Columns) -> bool {
    if above.fields >= columns.len() {
        columns.ends_in_free_text() && fields == 1 && !begins_with_job(line, columns)
    } else {
        fields < columns.len() && !begins_with_job(line, columns)
    }
}

fn begins_with_job(line: &str, columns: &Columns) -> bool {
    columns.split(line).get(columns.id_index()).is_some_and(|field| is_job_id(field))
}

/// The fields of a row, one for each column, and whether it had to be repaired.
pub(super) fn fields<'r>(
    file: &str,
    record: &'r Record,
    columns: &Columns,
) -> Result<(Vec<&'r str>, bool), ReadError> {
    let mut fields = columns.split(&record.text);
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
    let mut accepted: Option<(Vec<&str>, Meaning<'_>)> = None;
    for reading in &readings {
        let merged = merge(text, fields, columns, &texts, reading);
        if !columns.plausible(&merged) {
            continue;
        }
        match (interpret(&merged, columns), &accepted) {
            (Err(_) | Ok(Meaning::Skip(crate::SkipReason::UnknownState, _)), _) => {}
            (Ok(meaning), None) => accepted = Some((merged, meaning)),
            (Ok(meaning), Some((_, known))) if meaning.is_same_job(known) => {}
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
    columns: &Columns,
    texts: &[usize],
    reading: &[usize],
) -> Vec<&'r str> {
    let mut merged = Vec::with_capacity(columns.len());
    let (mut from, mut next) = (0, 0);
    let separator = columns.separator_len();
    for column in 0..columns.len() {
        let extra = texts.iter().position(|&index| index == column).and_then(|place| reading.get(place));
        let last = next + extra.copied().unwrap_or(0);
        let parts = fields.iter().skip(next).take(last - next + 1).map(|field| field.len());
        let length = parts.sum::<usize>() + (last - next) * separator;
        merged.push(text.get(from..from + length).unwrap_or(""));
        from += length + separator;
        next = last + 1;
    }
    merged
}
