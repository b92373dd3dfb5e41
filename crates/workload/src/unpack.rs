//! Unpacks gzip, but not what is packed so tightly that it must be meant to fill the memory.

use std::io::{self, BufRead, Read};

use flate2::bufread::MultiGzDecoder;

use crate::error::ReadError;

/// Traces pack ten to fifty times; nothing that is one packs more tightly than this.
const RATIO_MAX: u64 = 200;
/// So much may be unpacked of any file before the ratio counts.
const FREE_BYTES: u64 = 64 << 20;

/// The program that packed a file that begins like this.
pub(crate) fn packer(head: &[u8]) -> Option<&'static str> {
    let packers: [(&[u8], &str); 4] =
        [(b"\x1f\x8b", "gzip"), (b"BZh", "bzip2"), (b"\xfd7zXZ", "xz"), (b"\x28\xb5\x2f\xfd", "zstd")];
    packers.into_iter().find(|(magic, _)| head.starts_with(magic)).map(|(_, tool)| tool)
}

/// What `packed` unpacks to.
pub(crate) fn gzip<'a>(file: &str, packed: impl BufRead + 'a) -> impl Read + 'a {
    let packed = Counted { input: packed, taken: 0 };
    Guarded { file: file.to_owned(), decoder: MultiGzDecoder::new(packed), out: 0 }
}

/// The sentence in an error of reading.
pub(crate) fn read_error(file: &str, error: io::Error) -> ReadError {
    match error.downcast::<ReadError>() {
        Ok(refused) => refused,
        Err(error) => ReadError::Unreadable { file: file.to_owned(), problem: error.to_string() },
    }
}

/// Counts what is taken from it.
struct Counted<R> {
    input: R,
    taken: u64,
}

impl<R: BufRead> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        self.taken += read as u64;
        Ok(read)
    }
}

impl<R: BufRead> BufRead for Counted<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.input.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.taken += amount as u64;
        self.input.consume(amount);
    }
}

struct Guarded<R> {
    file: String,
    decoder: MultiGzDecoder<Counted<R>>,
    out: u64,
}

impl<R: BufRead> Read for Guarded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.decoder.read(buffer).map_err(|error| {
            let problem = error.to_string();
            io::Error::other(ReadError::Unpack { file: self.file.clone(), tool: "gzip", problem })
        })?;
        self.out += read as u64;
        let packed = self.decoder.get_ref().taken.max(1);
        if self.out > FREE_BYTES && self.out / packed > RATIO_MAX {
            let (file, mebibytes) = (self.file.clone(), self.out >> 20);
            return Err(io::Error::other(ReadError::UnpacksTooFar { file, ratio: RATIO_MAX, mebibytes }));
        }
        Ok(read)
    }
}
