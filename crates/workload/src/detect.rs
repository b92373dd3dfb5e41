//! Tells the format of a file by how it begins.

use crate::error::{ReadError, shown};
use crate::table;
use crate::{Format, sacct};

/// The format of a text that begins like this, by its first line that is no comment.
pub(crate) fn format_of(file: &str, head: &str) -> Result<Format, ReadError> {
    if head.trim_start().starts_with('{') {
        let own = head.trim_start().trim_start_matches(['{', ' ', '\r', '\n', '\t']);
        return Ok(if own.starts_with("\"format\"") { Format::Json } else { Format::Batsim });
    }
    let mut lines = (1u64..).zip(head.lines().map(str::trim)).filter(|(_, line)| !line.is_empty());
    let Some((number, line)) = lines.find(|(_, line)| !line.starts_with(';')) else {
        return Ok(Format::Swf); // comments only
    };
    if let Some(separator) = [',', ';', '\t'].into_iter().find(|&c| sacct::is_header(line, c)) {
        return match table::recognises(line) {
            true => Ok(Format::Csv),
            false => Err(ReadError::OtherSeparator { file: file.to_owned(), separator }),
        };
    }
    if table::recognises(line) {
        return Ok(Format::Csv);
    }
    if line.contains('|') {
        return Ok(Format::Sacct);
    }
    let starts_with_number = line.starts_with(|c: char| c.is_ascii_digit());
    if starts_with_number && line.contains(';') {
        return Err(ReadError::SemicolonFields { file: file.to_owned(), line: number, found: shown(line) });
    }
    if starts_with_number && line.split_whitespace().count() >= 5 && !line.contains(',') {
        return Ok(Format::Swf);
    }
    if number > 1 && head.trim_start().starts_with(';') {
        return Ok(Format::Swf); // a header above it: the reader says what is wrong with the line
    }
    if !starts_with_number && line.split(',').count() >= 3 {
        return Err(ReadError::UnknownTable { file: file.to_owned(), line: number, found: shown(line) });
    }
    Err(ReadError::UnknownFormat { file: file.to_owned(), line: number, found: shown(line) })
}

/// The format of a text whose columns are separated by something unusual.
pub(crate) fn separated(head: &str, delimiter: &str) -> Format {
    let first = head.lines().find(|line| !line.trim().is_empty()).unwrap_or("");
    let jobs = |name: &str| {
        let name = name.split('%').next().unwrap_or("").trim();
        name.eq_ignore_ascii_case("jobid") || name.eq_ignore_ascii_case("jobidraw")
    };
    if first.split(delimiter).any(jobs) { Format::Sacct } else { Format::Csv }
}
