//! The browser for the browser tests.

use std::path::{Path, PathBuf};

use crate::apt;
use crate::problem::{Outcome, Problem};
use crate::run::step;

/// Where systems keep it.
const PLACES: [&str; 5] = [
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
    "/usr/bin/google-chrome-stable",
    "/usr/bin/google-chrome",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/// Names the browser to test with, installing it where that is possible.
pub(crate) fn ensure() -> Outcome<PathBuf> {
    if let Some(chosen) = std::env::var_os("CHROMIUM") {
        return Ok(chosen.into());
    }
    if let Some(found) = find() {
        return Ok(found);
    }
    if apt::may_be_used() {
        step("Installing Chromium", "about two minutes", || apt::install(&["chromium"]))?;
    }
    find().ok_or_else(|| {
        Problem::new(
            "The browser tests need Chromium; install it from your system's packages, \
             or set CHROMIUM to the path of one.",
        )
    })
}

fn find() -> Option<PathBuf> {
    PLACES.iter().map(Path::new).find(|path| path.exists()).map(Path::to_path_buf)
}
