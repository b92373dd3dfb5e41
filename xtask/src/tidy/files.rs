//! The text files of the repository: tracked ones, and new ones that git would track.

use crate::paths;
use crate::problem::{Outcome, Problem};
use crate::run::answer;

/// A text file.
#[derive(Debug)]
pub(super) struct File {
    /// From the root of the workspace, with slashes.
    pub(super) path: String,
    pub(super) text: String,
}

impl File {
    #[cfg(test)]
    pub(super) fn new(path: &str, text: &str) -> Self {
        Self { path: path.to_owned(), text: text.to_owned() }
    }

    /// The crate below `crates/` that it belongs to.
    pub(super) fn library(&self) -> Option<&str> {
        self.path.strip_prefix("crates/")?.split('/').next()
    }
}

/// Reads them all; what isn't text is left out.
pub(super) fn all() -> Outcome<Vec<File>> {
    let arguments = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    let names = answer("git", &arguments).ok_or_else(|| {
        Problem::new("git can't list the files here; install git, and work in a clone of the repository.")
    })?;
    let mut files = Vec::new();
    for path in names.split('\0').filter(|name| !name.is_empty()) {
        // A tracked file may have been deleted a moment ago.
        if let Ok(bytes) = std::fs::read(paths::root().join(path))
            && let Ok(text) = String::from_utf8(bytes)
        {
            files.push(File { path: path.to_owned(), text });
        }
    }
    Ok(files)
}
