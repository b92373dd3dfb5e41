//! Who may import whom, read from the manifests of the crates.

use super::Finding;
use super::files::File;

/// Each crate, and the crates of this house that it may depend on. Tests may reach wider.
const MAY_IMPORT: [(&str, &[&str]); 7] = [
    ("model", &[]),
    ("workload", &["model"]),
    ("scheduler", &["model"]),
    ("raft", &[]),
    ("sim", &["model", "workload", "scheduler", "raft"]),
    ("view", &["model", "workload", "scheduler", "raft", "sim"]),
    ("cli", &["model", "workload", "scheduler", "raft", "sim"]),
];

/// Foreign crates that only the app may use.
const DRAWING: [&str; 5] = ["bevy", "egui", "wasm-bindgen", "web-sys", "js-sys"];

pub(super) fn check(file: &File, findings: &mut Vec<Finding>) {
    let Some(library) = file.library() else {
        return;
    };
    if !file.path.ends_with("/Cargo.toml") {
        return;
    }
    let Some((_, allowed)) = MAY_IMPORT.iter().find(|(name, _)| *name == library) else {
        let says = "a new crate: write down in xtask/src/tidy/imports.rs whom it may import";
        findings.push(Finding::new(file, 0, says));
        return;
    };
    for (line, dependency) in dependencies(&file.text) {
        let ours = dependency.strip_prefix("switchyard-");
        if ours.is_some_and(|name| !allowed.contains(&name)) {
            let says = format!("{library} may not import {dependency}");
            findings.push(Finding::new(file, line, says));
        }
        if DRAWING.iter().any(|name| dependency.starts_with(name)) {
            let says = format!("only the app may use {dependency}");
            findings.push(Finding::new(file, line, says));
        }
    }
}

/// The names under `[dependencies]` and its like, but not under `[dev-dependencies]`, with their lines.
fn dependencies(manifest: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut counts = false;
    manifest.lines().enumerate().filter_map(move |(index, line)| {
        if line.starts_with('[') {
            let section = line.trim().trim_matches(['[', ']']);
            counts = section.ends_with("dependencies") && !section.ends_with("dev-dependencies");
            return None;
        }
        let name = line.split(['.', '=', ' ']).next().unwrap_or_default();
        (counts && !name.is_empty() && !name.starts_with('#')).then_some((index + 1, name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<usize> {
        let mut findings = Vec::new();
        check(&File::new(path, text), &mut findings);
        findings.iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn the_way_up_is_closed() {
        let text = "[dependencies]\nswitchyard-model.workspace = true\nswitchyard-sim.workspace = true\n";
        assert_eq!(found("crates/scheduler/Cargo.toml", text), [3]);
        assert_eq!(found("crates/view/Cargo.toml", text), []);
        assert_eq!(found("Cargo.toml", text), []);
    }

    #[test]
    fn tests_may_reach_wider() {
        let text = "[dev-dependencies]\nswitchyard-workload.workspace = true\n";
        assert_eq!(found("crates/scheduler/Cargo.toml", text), []);
    }

    #[test]
    fn only_the_app_draws() {
        let text = "[target.'cfg(unix)'.dependencies]\nbevy_egui = \"0.42\"\n";
        assert_eq!(found("crates/cli/Cargo.toml", text), [2]);
    }
}
