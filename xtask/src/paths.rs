//! Where things lie: the workspace, what is built, the tools that were installed.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::problem::{Outcome, Problem};

/// The folder of the workspace.
pub(crate) fn root() -> PathBuf {
    // Asked at run time: a target directory that two checkouts share may hold a binary that the other one built.
    let here = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    let here = Path::new(&here);
    here.parent().unwrap_or(here).to_path_buf()
}

/// The folder that cargo builds into.
pub(crate) fn target() -> PathBuf {
    let chosen = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    root().join(chosen)
}

/// The `--root` of the tools that xtask installs; their programs are in `bin` below it.
pub(crate) fn tools() -> PathBuf {
    target().join("tools")
}

/// The folder with the built site.
pub(crate) fn site() -> PathBuf {
    root().join("dist")
}

/// `PATH` with the folders that hold this project's own tools in front.
pub(crate) fn search_path() -> Outcome<OsString> {
    let inherited = std::env::var_os("PATH").unwrap_or_default();
    let own = [tools().join("bin"), root().join("node_modules/.bin")];
    std::env::join_paths(own.into_iter().chain(std::env::split_paths(&inherited))).map_err(|_| {
        Problem::new(
            "The target directory has a character that PATH cannot hold; \
             set CARGO_TARGET_DIR to a folder without it.",
        )
    })
}
