//! Opens files; `-` is standard input.

use std::ffi::OsStr;
use std::io::Read;
use std::path::Path;

use crate::failure::Failure;

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

/// What messages call the file.
pub(crate) fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or(OsStr::new("-")).to_string_lossy();
    if name == "-" { "standard input".to_owned() } else { name.into_owned() }
}
