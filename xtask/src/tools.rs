//! The tools that a build of the site needs beside cargo: the wasm target, Trunk, wasm-bindgen.
//!
//! They are built from crates.io, because prebuilt ones are not to be had everywhere, and kept in `<target>/tools`.

use std::path::Path;

use crate::problem::{Outcome, Problem};
use crate::run::{answer, cargo, command, run, step};
use crate::{cargo_lock, paths};

/// Later ones up to 0.22.1 need a newer compiler than this project's.
const TRUNK: &str = "0.22.0-beta.1";

/// The platform of the page.
pub(crate) const WASM: &str = "wasm32-unknown-unknown";

/// Installs what is missing.
pub(crate) fn ensure() -> Outcome {
    ensure_wasm_target()?;
    // The generated JavaScript and the library speak a private protocol: the versions must be equal.
    let bindgen = cargo_lock::version_of("wasm-bindgen")?;
    ensure_tool("wasm-bindgen", "wasm-bindgen-cli", &bindgen, 3)?;
    ensure_tool("trunk", "trunk", TRUNK, 8)
}

/// The platform of the page, if it is missing.
pub(crate) fn ensure_wasm_target() -> Outcome {
    let sysroot = answer("rustc", &["--print", "sysroot"]).unwrap_or_default();
    if Path::new(&sysroot).join("lib/rustlib").join(WASM).is_dir() {
        return Ok(());
    }
    if answer("rustup", &["--version"]).is_none() {
        return Err(Problem::new(format!(
            "This compiler has no {WASM}; install Rust by rustup, or add that target to yours."
        )));
    }
    step(&format!("Adding the target {WASM}"), "under a minute", || {
        run(command("rustup")?.args(["target", "add", WASM]))
    })
}

fn ensure_tool(program: &str, package: &str, version: &str, minutes: u32) -> Outcome {
    if has_version(program, version) {
        return Ok(());
    }
    step(
        &format!("Installing {package} {version} into the target directory"),
        &format!("once, about {minutes} minutes"),
        || {
            // A lock file may name a version that a registry's mirror lacks; then cargo chooses.
            run(&mut install(package, version, true)?)
                .or_else(|_| run(&mut install(package, version, false)?))
        },
    )?;
    if has_version(program, version) {
        return Ok(());
    }
    Err(Problem::new(format!(
        "{package} {version} was installed, but `{program} --version` answers otherwise; \
         remove {} and try again.",
        paths::tools().display()
    )))
}

/// `trunk 0.22.0-beta.1`, `wasm-bindgen 0.2.130`: the second word is the version.
fn has_version(program: &str, version: &str) -> bool {
    answer(program, &["--version"]).is_some_and(|words| words.split_whitespace().nth(1) == Some(version))
}

fn install(package: &str, version: &str, locked: bool) -> Outcome<std::process::Command> {
    let mut command = cargo(&["install", package, "--version", version, "--root"])?;
    command.arg(paths::tools());
    if locked {
        command.arg("--locked");
    }
    command.env("CARGO_TARGET_DIR", paths::target().join("tools-build"));
    Ok(command)
}
