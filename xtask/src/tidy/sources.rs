//! Rules about Rust sources: how a file opens, how long it is, what the crates below the app may not name.

use super::Finding;
use super::files::File;

/// A longer file is about two things.
const MOST_LINES: usize = 500;

/// Crates whose results must be the same bits everywhere.
const DETERMINISTIC: [&str; 6] = ["model", "workload", "scheduler", "raft", "sim", "view"];

/// What they may not name, and why.
const BANNED: [(&str, &str); 6] = [
    ("HashMap", "its order differs between runs; use BTreeMap"),
    ("HashSet", "its order differs between runs; use BTreeSet"),
    ("std::time", "there is no wall clock below the app; use model::SimTime"),
    ("std::thread", "there are no threads below the app"),
    ("std::fs", "there are no files below the app; take bytes or strings"),
    ("std::env", "there is no environment below the app; take a parameter"),
];

/// What no crate may name: only the app draws.
const DRAWING: [&str; 2] = ["bevy", "egui"];

pub(super) fn check(file: &File, findings: &mut Vec<Finding>) {
    if !file.path.ends_with(".rs") {
        return;
    }
    check_shape(file, findings);
    if let Some(library) = file.library() {
        let deterministic = DETERMINISTIC.contains(&library) && !is_test_file(&file.path);
        check_names(file, deterministic, findings);
    }
}

fn check_shape(file: &File, findings: &mut Vec<Finding>) {
    if !file.text.starts_with("//!") {
        let says = "the file must open with a `//!` sentence that says why it exists";
        findings.push(Finding::new(file, 1, says));
    }
    let lines = file.text.lines().count();
    if lines > MOST_LINES {
        let says = format!("{lines} lines; split it, {MOST_LINES} is the most");
        findings.push(Finding::new(file, 0, says));
    }
}

fn check_names(file: &File, deterministic: bool, findings: &mut Vec<Finding>) {
    for (number, line) in code_lines(&file.text) {
        for name in DRAWING {
            if names(line, name) {
                let says = format!("`{name}` is named below the app; only src/ draws");
                findings.push(Finding::new(file, number, says));
            }
        }
        let banned = BANNED.iter().filter(|_| deterministic);
        for (name, why) in banned.filter(|(name, _)| names(line, name)) {
            findings.push(Finding::new(file, number, format!("`{name}`: {why}")));
        }
    }
}

/// Tests may read files and build sets as they like.
fn is_test_file(path: &str) -> bool {
    let mut parts = path.split('/').skip(2);
    parts.any(|part| matches!(part, "tests" | "benches" | "examples" | "tests.rs" | "testing.rs"))
}

/// Lines outside comments and outside `#[cfg(test)] mod ... { }`, with their numbers from one.
fn code_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut after_attribute = false;
    let mut in_tests = false;
    text.lines().enumerate().filter_map(move |(index, line)| {
        if in_tests {
            in_tests = line != "}";
            return None;
        }
        in_tests = after_attribute && line.starts_with("mod ") && line.ends_with('{');
        after_attribute = line == "#[cfg(test)]";
        let code = line.split("//").next().unwrap_or_default();
        (!in_tests && !code.trim().is_empty()).then_some((index + 1, code))
    })
}

/// Whether `name` stands in the line as a whole word.
fn names(line: &str, name: &str) -> bool {
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    line.match_indices(name).any(|(start, _)| {
        let before = line[..start].chars().next_back();
        let after = line[start + name.len()..].chars().next();
        !before.is_some_and(is_word) && !after.is_some_and(is_word)
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
    fn a_file_opens_with_its_reason_and_ends_in_time() {
        assert_eq!(found("src/main.rs", "//! Why.\n"), []);
        assert_eq!(found("src/main.rs", "fn main() {}\n"), [1]);
        let long = format!("//! Why.\n{}", "\n".repeat(MOST_LINES));
        assert_eq!(found("src/main.rs", &long), [0]);
    }

    #[test]
    fn banned_names_are_found_in_code_alone() {
        let text =
            "//! HashMap in words.\nuse std::collections::HashMap;\n// std::fs\nstruct MyHashMapper;\n";
        assert_eq!(found("crates/sim/src/world.rs", text), [2]);
        assert_eq!(found("crates/cli/src/main.rs", text), []);
        assert_eq!(found("crates/sim/tests/golden.rs", text), []);
    }

    #[test]
    fn inline_tests_are_free_but_what_follows_is_not() {
        let text = "//! Why.\n#[cfg(test)]\nmod tests {\n    use std::fs;\n}\nuse std::thread;\n";
        assert_eq!(found("crates/raft/src/log.rs", text), [6]);
        let text = "//! Why.\n#[cfg(test)]\nmod tests;\nuse std::thread;\n";
        assert_eq!(found("crates/raft/src/log.rs", text), [4]);
    }

    #[test]
    fn only_the_app_draws() {
        assert_eq!(found("crates/view/src/lib.rs", "//! No bevy.\nuse bevy::prelude;\n"), [2]);
        assert_eq!(found("src/scene.rs", "//! Why.\nuse bevy::prelude;\n"), []);
    }
}
