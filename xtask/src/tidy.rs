//! `cargo xtask tidy`: the house rules that a machine can watch.

mod files;
mod imports;
mod sources;
mod traces;
mod version;

use crate::problem::{Outcome, Problem};
use files::File;

/// One breach of a rule: where, and what to do.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Finding {
    path: String,
    /// Counted from one; zero when it is about the whole file.
    line: usize,
    says: String,
}

impl Finding {
    fn new(file: &File, line: usize, says: impl Into<String>) -> Self {
        Self { path: file.path.clone(), line, says: says.into() }
    }
}

/// Checks all files of the repository.
pub(crate) fn tidy() -> Outcome {
    let files = files::all()?;
    let mut findings = Vec::new();
    for file in &files {
        sources::check(file, &mut findings);
        imports::check(file, &mut findings);
        traces::check(file, &mut findings);
        version::check(file, &mut findings);
    }
    findings.sort();
    for finding in &findings {
        println!("{}:{}: {}", finding.path, finding.line, finding.says);
    }
    match findings.len() {
        0 => {
            println!("{} files are tidy.", files.len());
            Ok(())
        }
        count => Err(Problem::new(format!("{count} breaches of the house rules, listed above."))),
    }
}
