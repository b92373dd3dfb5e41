//! A comma-separated table whose columns are found by name, with errors that say where.

use std::cell::RefCell;
use std::collections::BTreeSet;

use csv::StringRecord;

use crate::error::{ReadError, shown};
use crate::report::Unmodelled;
use crate::source::Source;

/// An open table, at the row after its header.
pub(super) struct Table {
    file: String,
    rows: std::vec::IntoIter<(u64, StringRecord)>,
    header: StringRecord,
    /// Names that were seen.
    names: RefCell<BTreeSet<String>>,
    /// Columns that nobody asked for, with the number of rows that fill them.
    pub(super) unused: Vec<Unmodelled>,
    /// Where in the header they stand.
    unused_at: Vec<usize>,
    /// How many lines had bytes that are no UTF-8, and the first of them.
    pub(super) not_utf8: Option<(u64, u64)>,
}

impl Table {
    pub(super) fn open(
        file: &str,
        bytes: &[u8],
        of: &'static str,
        columns: &'static [&'static str],
        optional: &'static [&'static str],
    ) -> Result<Table, ReadError> {
        let empty = || ReadError::NoRows { file: file.to_owned(), rows: of, columns: columns.join(",") };
        let mut source = match Source::open(file, Box::new(bytes)) {
            Err(ReadError::Empty { .. }) => return Err(empty()),
            opened => opened?,
        };
        let (text, not_utf8) = (source.whole()?, source.not_utf8());
        let mut rows = records(file, &text)?.into_iter();
        let Some((line, header)) = rows.next() else { return Err(empty()) };
        if let Some(missing) = columns.iter().find(|&&column| !header.iter().any(|name| name == column)) {
            let (file, columns) = (file.to_owned(), columns.join(","));
            return Err(ReadError::NoColumn { file, line, missing, columns });
        }
        let known = |name: &str| columns.contains(&name) || optional.contains(&name);
        let unused_at: Vec<usize> =
            (0..header.len()).filter(|&at| header.get(at).is_some_and(|name| !known(name))).collect();
        let field = |&at: &usize| Unmodelled { field: shown(header.get(at).unwrap_or("")), rows: 0 };
        let unused = unused_at.iter().map(field).collect();
        let file = file.to_owned();
        Ok(Table { file, rows, header, names: RefCell::default(), unused, unused_at, not_utf8 })
    }

    /// The next row, or `None` after the last.
    pub(super) fn next_row(&mut self) -> Result<Option<Row<'_>>, ReadError> {
        let Some((line, record)) = self.rows.next() else { return Ok(None) };
        if record.len() != self.header.len() {
            let (expected, found) = (self.header.len() as u64, record.len() as u64);
            return Err(ReadError::FieldCount { file: self.file.clone(), line, expected, found });
        }
        for (unused, &at) in self.unused.iter_mut().zip(&self.unused_at) {
            unused.rows += u64::from(record.get(at).is_some_and(|value| !value.is_empty()));
        }
        Ok(Some(Row { table: self, line, record }))
    }
}

/// All records with the lines on which they begin, blanks around their fields taken away.
fn records(file: &str, text: &str) -> Result<Vec<(u64, StringRecord)>, ReadError> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let mut records = Vec::new();
    for record in reader.records() {
        // The text is UTF-8 and rows may have any length, so that nothing is left that could be wrong.
        let record = record.map_err(|error| ReadError::Field {
            file: file.to_owned(),
            line: error.position().map_or(0, csv::Position::line),
            number: 1,
            name: "row".to_owned(),
            expected: "comma-separated fields",
            found: shown(&error.to_string()),
        })?;
        let line = record.position().map_or(0, csv::Position::line);
        records.push((line, record));
    }
    Ok(records)
}

/// A row of a table.
pub(super) struct Row<'a> {
    table: &'a Table,
    pub(super) line: u64,
    record: StringRecord,
}

impl Row<'_> {
    /// What stands in `column`; nothing where there is no such column.
    pub(super) fn text(&self, column: &str) -> &str {
        self.place(column).and_then(|at| self.record.get(at)).unwrap_or("")
    }

    /// Whether the table has this column.
    pub(super) fn has(&self, column: &str) -> bool {
        self.place(column).is_some()
    }

    fn place(&self, column: &str) -> Option<usize> {
        self.table.header.iter().position(|name| name == column)
    }

    /// The text of `column`, which no other row may have and which may not be empty.
    pub(super) fn name(&self, column: &str) -> Result<&str, ReadError> {
        let name = self.text(column);
        if name.is_empty() {
            return Err(self.wrong(column, "a name"));
        }
        if !self.table.names.borrow_mut().insert(name.to_owned()) {
            return Err(self.wrong(column, "a name that no other row has"));
        }
        Ok(name)
    }

    /// The whole number in `column`, at most `most`.
    pub(super) fn number(&self, column: &str, most: u64, expected: &'static str) -> Result<u64, ReadError> {
        let number = self.text(column).parse().ok().filter(|&number: &u64| number <= most);
        number.ok_or_else(|| self.wrong(column, expected))
    }

    /// The error of a field that isn't what it should be.
    pub(super) fn wrong(&self, column: &str, expected: &'static str) -> ReadError {
        ReadError::Field {
            file: self.table.file.clone(),
            line: self.line,
            number: self.place(column).map_or(0, |at| at as u64 + 1),
            name: column.to_owned(),
            expected,
            found: shown(self.text(column)),
        }
    }
}
