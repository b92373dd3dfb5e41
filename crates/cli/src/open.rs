//! Opens files; `-` is standard input.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use crate::failure::Failure;

const BUFFER_BYTES: usize = 1 << 18;

/// What is in the file.
pub(crate) fn bytes_of(path: &Path) -> Result<Vec<u8>, Failure> {
    let read = if path.as_os_str() == "-" {
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        std::fs::read(path)
    };
    read.map_err(|source| Failure::Open { path: path.to_owned(), source })
}

/// What is in the file, as it comes.
pub(crate) fn reader_of(path: &Path) -> Result<Box<dyn BufRead>, Failure> {
    if path.as_os_str() == "-" {
        return Ok(Box::new(BufReader::with_capacity(BUFFER_BYTES, std::io::stdin())));
    }
    let failed = |source| Failure::Open { path: path.to_owned(), source };
    let file = std::fs::File::open(path).map_err(failed)?;
    if file.metadata().is_ok_and(|data| data.is_dir()) {
        return Err(failed(std::io::ErrorKind::IsADirectory.into()));
    }
    Ok(Box::new(BufReader::with_capacity(BUFFER_BYTES, file)))
}

/// What is in the file, as text; bytes that are none are replaced by a mark.
pub(crate) fn text_of(path: &Path) -> Result<String, Failure> {
    Ok(String::from_utf8_lossy(&bytes_of(path)?).into_owned())
}

/// What the file describes in JSON.
pub(crate) fn json_of<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T, Failure> {
    let file = name_of(path);
    serde_json::from_slice(&bytes_of(path)?).map_err(|source| Failure::Json { file, source })
}

/// What messages call the file.
pub(crate) fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or(OsStr::new("-")).to_string_lossy();
    if name == "-" { "standard input".to_owned() } else { name.into_owned() }
}
