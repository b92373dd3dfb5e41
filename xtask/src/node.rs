//! Node.js and the packages of package.json: the browser tests and wasm-opt come from there.

use std::path::PathBuf;

use crate::problem::{Outcome, Problem};
use crate::run::{answer, command, run, step};
use crate::{apt, paths};

/// The oldest major version that the browser tests run on.
const OLDEST: u32 = 18;

/// Installs Node.js where that is possible, and the packages if they differ from package-lock.json.
pub(crate) fn ensure_packages() -> Outcome {
    ensure_node()?;
    let lock = paths::root().join("package-lock.json");
    let wanted = std::fs::read(&lock)
        .map_err(|error| Problem::new(format!("package-lock.json can't be read: {error}.")))?;
    if std::fs::read(stamp()).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    step("Installing the packages of package.json", "about a minute", || {
        run(command("npm")?.args(["ci", "--no-audit", "--no-fund"]))
    })?;
    std::fs::write(stamp(), wanted)
        .map_err(|error| Problem::new(format!("node_modules can't be written: {error}.")))
}

/// A copy of the lock file as of the last installation.
fn stamp() -> PathBuf {
    paths::root().join("node_modules/.installed-lock")
}

/// Node.js, where it can be installed.
pub(crate) fn ensure_node() -> Outcome {
    if node_major().is_some_and(|major| major >= OLDEST) && answer("npm", &["--version"]).is_some() {
        return Ok(());
    }
    if apt::may_be_used() {
        step("Installing Node.js", "about a minute", || apt::install(&["nodejs", "npm"]))?;
    }
    if node_major().is_some_and(|major| major >= OLDEST) {
        return Ok(());
    }
    Err(Problem::new(format!(
        "Node.js {OLDEST} or later with npm is needed here; install it from your system's packages \
         or from nodejs.org, and try again."
    )))
}

/// `v20.20.2` is 20.
fn node_major() -> Option<u32> {
    let version = answer("node", &["--version"])?;
    version.trim_start_matches('v').split('.').next()?.parse().ok()
}
