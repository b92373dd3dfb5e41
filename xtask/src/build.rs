//! `cargo xtask build`: the site, by Trunk.

use std::path::PathBuf;
use std::process::Command;

use crate::problem::Outcome;
use crate::run::{cargo, command, run, step};
use crate::{node, paths, tools};

/// Builds the site and answers where it lies.
pub(crate) fn build(release: bool) -> Outcome<PathBuf> {
    prepare(release)?;
    let how_long = if release {
        "the first time up to 30 minutes, then about 7"
    } else {
        "the first time up to 25 minutes, then about one"
    };
    step("Building the site", how_long, || run(&mut trunk("build", release)?))?;
    println!("The site is in {}.", paths::site().display());
    Ok(paths::site())
}

/// Fetches all that a build needs, so that Trunk itself can stay off the network.
pub(crate) fn prepare(release: bool) -> Outcome {
    tools::ensure()?;
    if release {
        node::ensure_packages()?;
    }
    step("Fetching the crates of the page", "seconds if they are there", || {
        run(&mut cargo(&["fetch", "--locked", "--target", tools::WASM])?)
    })
}

/// Trunk, told not to download tools: it would fetch other builds of them than those that `prepare` installed.
pub(crate) fn trunk(task: &str, release: bool) -> Outcome<Command> {
    let mut command = command("trunk")?;
    command.args([task, "--offline"]);
    if release {
        command.arg("--release");
    }
    // Trunk reads NO_COLOR as a boolean and refuses the customary "1".
    command.env_remove("NO_COLOR");
    Ok(command)
}
