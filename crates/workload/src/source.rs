//! A file as a stream of lines: unpacked, as text, numbered, and only one line of it in memory.

use std::io::{BufRead, BufReader, Cursor, Read};

use crate::error::ReadError;
use crate::unpack;

/// What a format is recognised by.
const HEAD_BYTES: u64 = 1 << 18;
/// A longer line is no job.
const LINE_MAX_MIB: u64 = 16;
/// Documents that have to be read as a whole.
const WHOLE_MAX_MIB: u64 = 512;
const MIB: u64 = 1 << 20;

/// An open file.
pub(crate) struct Source<'a> {
    file: String,
    input: Box<dyn BufRead + 'a>,
    /// The beginning of the text, and whether it is all of it.
    head: (String, bool),
    line: Vec<u8>,
    mended: String,
    number: u64,
    offset: u64,
    not_utf8: Option<(u64, u64)>,
}

impl<'a> Source<'a> {
    /// Looks at the beginning of a file, and unpacks it if it is packed.
    pub(crate) fn open(file: &str, input: Box<dyn BufRead + 'a>) -> Result<Source<'a>, ReadError> {
        let (head, complete, input) = behead(file, input)?;
        let (head, complete, input) = match unpack::packer(&head) {
            None => (head, complete, input),
            Some("gzip") => {
                let packed = Cursor::new(head).chain(input);
                behead(file, Box::new(BufReader::new(unpack::gzip(file, packed))))?
            }
            Some(tool) => return Err(ReadError::Compressed { file: file.to_owned(), tool }),
        };
        if let Some(offset) = head.iter().position(|&byte| byte == 0) {
            return Err(ReadError::Binary { file: file.to_owned(), offset: offset as u64 });
        }
        let marked = head.starts_with(b"\xef\xbb\xbf");
        let text = if marked { head.get(3..).unwrap_or_default() } else { &head[..] };
        if complete && text.iter().all(u8::is_ascii_whitespace) {
            return Err(ReadError::Empty { file: file.to_owned() });
        }
        let whole_lines = match (complete, text.iter().rposition(|&byte| byte == b'\n')) {
            (false, Some(end)) => text.get(..end).unwrap_or_default(),
            _ => text,
        };
        let shown = String::from_utf8_lossy(whole_lines).into_owned();
        let mut rest = Cursor::new(head);
        if marked {
            rest.set_position(3);
        }
        Ok(Source {
            file: file.to_owned(),
            input: Box::new(rest.chain(input)),
            head: (shown, complete),
            line: Vec::new(),
            mended: String::new(),
            number: 0,
            offset: if marked { 3 } else { 0 },
            not_utf8: None,
        })
    }

    /// What messages call it.
    pub(crate) fn file(&self) -> &str {
        &self.file
    }

    /// The first lines, whole ones.
    pub(crate) fn head(&self) -> &str {
        &self.head.0
    }

    /// The next line without its end, and its number, from 1.
    pub(crate) fn next_line(&mut self) -> Result<Option<(u64, &str)>, ReadError> {
        self.line.clear();
        let most = LINE_MAX_MIB * MIB;
        let mut input = (&mut self.input).take(most + 1);
        let read = input.read_until(b'\n', &mut self.line);
        let read = read.map_err(|error| unpack::read_error(&self.file, error))? as u64;
        if read == 0 {
            return Ok(None);
        }
        self.number += 1;
        if read > most {
            let (file, line) = (self.file.clone(), self.number);
            return Err(ReadError::LongLine { file, line, mebibytes: LINE_MAX_MIB });
        }
        // `contains` is much faster than `position`, and there is hardly ever one.
        if self.line.contains(&0) {
            let at = self.line.iter().position(|&byte| byte == 0).unwrap_or(0);
            return Err(ReadError::Binary { file: self.file.clone(), offset: self.offset + at as u64 });
        }
        self.offset += read;
        let bytes = self.line.strip_suffix(b"\n").unwrap_or(&self.line);
        let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(_) => {
                let (count, _) = self.not_utf8.get_or_insert((0, self.number));
                *count += 1;
                self.mended = String::from_utf8_lossy(bytes).into_owned();
                &self.mended
            }
        };
        Ok(Some((self.number, text)))
    }

    /// All of the text that is left, for formats that can't be read line by line.
    pub(crate) fn whole(&mut self) -> Result<String, ReadError> {
        let mut bytes = Vec::new();
        let read = (&mut self.input).take(WHOLE_MAX_MIB * MIB + 1).read_to_end(&mut bytes);
        let read = read.map_err(|error| unpack::read_error(&self.file, error))? as u64;
        if read > WHOLE_MAX_MIB * MIB {
            return Err(ReadError::TooLarge { file: self.file.clone(), mebibytes: WHOLE_MAX_MIB });
        }
        if let Some(at) = bytes.iter().position(|&byte| byte == 0) {
            return Err(ReadError::Binary { file: self.file.clone(), offset: self.offset + at as u64 });
        }
        String::from_utf8(bytes).or_else(|error| {
            let bytes = error.into_bytes();
            self.not_utf8 = Some(lines_not_utf8(&bytes));
            Ok(String::from_utf8_lossy(&bytes).into_owned())
        })
    }

    /// How many of the lines that were read had bytes that are no UTF-8, and the first of them.
    pub(crate) fn not_utf8(&self) -> Option<(u64, u64)> {
        self.not_utf8
    }
}

/// The first bytes, whether they are all, and the rest.
type Beheaded<'a> = (Vec<u8>, bool, Box<dyn BufRead + 'a>);

fn behead<'a>(file: &str, mut input: Box<dyn BufRead + 'a>) -> Result<Beheaded<'a>, ReadError> {
    let mut head = Vec::new();
    let read = (&mut input).take(HEAD_BYTES).read_to_end(&mut head);
    read.map_err(|error| unpack::read_error(file, error))?;
    let complete = (head.len() as u64) < HEAD_BYTES;
    Ok((head, complete, input))
}

fn lines_not_utf8(bytes: &[u8]) -> (u64, u64) {
    let bad = |line: &&[u8]| std::str::from_utf8(line).is_err();
    let lines = bytes.split(|&byte| byte == b'\n');
    let first = lines.clone().position(|line| bad(&line)).unwrap_or(0);
    (lines.filter(bad).count() as u64, first as u64 + 1)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write as _;

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::new(1));
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn lines(bytes: &[u8]) -> Result<Vec<(u64, String)>, ReadError> {
        let mut source = Source::open("f", Box::new(bytes))?;
        let mut lines = Vec::new();
        while let Some((number, line)) = source.next_line()? {
            lines.push((number, line.to_owned()));
        }
        Ok(lines)
    }

    #[test]
    fn lines_are_the_same_packed_and_unpacked() {
        let long = "12 34 56\n".repeat(100_000);
        for text in ["a\r\n\nb", "a\n", "\u{feff}a\n b \n", long.as_str()] {
            let expected: Vec<(u64, String)> =
                (1..).zip(text.trim_start_matches('\u{feff}').lines().map(str::to_owned)).collect();
            assert_eq!(lines(text.as_bytes()).unwrap(), expected);
            assert_eq!(lines(&packed(text.as_bytes())).unwrap(), expected);
        }
        // Members one behind the other are one file.
        let two = [packed(b"a\n"), packed(b"b\n")].concat();
        assert_eq!(lines(&two).unwrap(), [(1, "a".to_owned()), (2, "b".to_owned())]);
    }

    #[test]
    fn what_is_packed_too_tightly_or_damaged_is_refused() {
        let bomb = packed(&vec![b'\n'; 100 << 20]);
        let said = lines(&bomb).unwrap_err().to_string();
        assert!(said.starts_with("f unpacks to more than 200 times its size ("), "{said}");
        let mut torn = packed("12 34\n".repeat(100_000).as_bytes());
        torn.truncate(torn.len() / 2);
        let said = lines(&torn).unwrap_err().to_string();
        assert!(said.starts_with("f can't be unpacked (gzip): "), "{said}");
        let said = lines(b"\x1f\x8b\x08rest").unwrap_err().to_string();
        assert!(said.starts_with("f can't be unpacked (gzip): "), "{said}");
        assert!(lines(b"BZh9").unwrap_err().to_string().contains("compressed (bzip2)"));
    }

    #[test]
    fn zero_bytes_are_found_anywhere() {
        let mut bytes = b"1 2 3\n".repeat(100_000);
        bytes[500_000] = 0;
        assert_eq!(lines(&bytes).unwrap_err(), ReadError::Binary { file: "f".to_owned(), offset: 500_000 });
    }

    #[test]
    fn a_line_without_end_is_refused() {
        let said = lines(&vec![b'x'; (17 << 20) + 1]).unwrap_err().to_string();
        assert_eq!(said, "f, line 1: the line is longer than 16 MiB; expected one job in each line");
    }
}
