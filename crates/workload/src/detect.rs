//! Tells the format of a file by what is in it, and says what a file is that can't be read.

use crate::error::{ReadError, shown};
use crate::{Format, sacct};

/// The text of a file, and how many lines had bytes that are no UTF-8 with the first of them.
pub(crate) struct Text {
    pub(crate) text: String,
    pub(crate) not_utf8: Option<(u64, u64)>,
}

/// The file as text, or why it is none.
pub(crate) fn text_of(file: &str, bytes: &[u8]) -> Result<Text, ReadError> {
    let file = || file.to_owned();
    let packers: [(&[u8], &str); 4] =
        [(b"\x1f\x8b", "gzip"), (b"BZh", "bzip2"), (b"\xfd7zXZ", "xz"), (b"\x28\xb5\x2f\xfd", "zstd")];
    if let Some((_, tool)) = packers.iter().find(|(magic, _)| bytes.starts_with(magic)) {
        return Err(ReadError::Compressed { file: file(), tool });
    }
    if let Some(offset) = bytes.iter().position(|&byte| byte == 0) {
        return Err(ReadError::Binary { file: file(), offset: offset as u64 });
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(ReadError::Empty { file: file() });
    }
    let not_utf8 = std::str::from_utf8(bytes).is_err().then(|| lines_not_utf8(bytes));
    Ok(Text { text: String::from_utf8_lossy(bytes).into_owned(), not_utf8 })
}

fn lines_not_utf8(bytes: &[u8]) -> (u64, u64) {
    let bad = |line: &&[u8]| std::str::from_utf8(line).is_err();
    let lines = bytes.split(|&byte| byte == b'\n');
    let first = lines.clone().position(|line| bad(&line)).unwrap_or(0);
    (lines.filter(bad).count() as u64, first as u64 + 1)
}

/// The format of `text`, by its first line that is no comment.
pub(crate) fn format_of(file: &str, text: &str) -> Result<Format, ReadError> {
    if text.trim_start().starts_with('{') {
        return Ok(Format::Batsim);
    }
    let mut lines = (1u64..).zip(text.lines().map(str::trim)).filter(|(_, line)| !line.is_empty());
    let Some((number, line)) = lines.find(|(_, line)| !line.starts_with(';')) else {
        return Ok(Format::Swf); // comments only
    };
    let starts_with_number = line.starts_with(|c: char| c.is_ascii_digit());
    if line.contains('|') {
        return Ok(Format::Sacct);
    }
    if let Some(separator) = [',', ';', '\t'].into_iter().find(|&c| sacct::is_header(line, c)) {
        return Err(ReadError::OtherSeparator { file: file.to_owned(), separator });
    }
    if starts_with_number && line.contains(';') {
        return Err(ReadError::SemicolonFields { file: file.to_owned(), line: number, found: shown(line) });
    }
    if starts_with_number && line.split_whitespace().count() >= 5 {
        return Ok(Format::Swf);
    }
    if number > 1 && text.trim_start().starts_with(';') {
        return Ok(Format::Swf); // a header above it: the reader says what is wrong with the line
    }
    Err(ReadError::UnknownFormat { file: file.to_owned(), line: number, found: shown(line) })
}
