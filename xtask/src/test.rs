//! `cargo xtask test`: everything that must hold, the quick checks first.

use std::time::Instant;

use crate::problem::{Outcome, Problem};
use crate::run::{cargo, command, run, run_reading, step};
use crate::{build, chromium, node, paths, tidy, tools};

/// Checks everything, stops at the first failure.
pub(crate) fn test() -> Outcome {
    let start = Instant::now();
    step("Format", "seconds", || run(&mut cargo(&["fmt", "--all", "--check"])?))?;
    step("House rules", "seconds", tidy::tidy)?;
    step("Lints, native", "the first time about two minutes", || lint(&["--workspace", "--all-targets"]))?;
    tools::ensure()?;
    step("Lints, the page", "the first time about ten minutes", lint_page)?;
    let native =
        step("Tests of the crates", "the first time about five minutes, then about two", test_crates)?;
    build::build(false)?;
    let browser = test_in_browser()?;
    println!(
        "\nEverything holds: {native} tests of the crates and {browser} browser tests passed, in {} min.",
        start.elapsed().as_secs().div_ceil(60)
    );
    Ok(())
}

fn lint(arguments: &[&str]) -> Outcome {
    run(cargo(&["clippy", "--locked"])?.args(arguments).args(["--", "-D", "warnings"]))
}

/// In the site's own profile, so that build scripts and macros are compiled once for both.
fn lint_page() -> Outcome {
    lint(&["--package", "switchyard-app", "--target", tools::WASM, "--profile", "wasm-release"])
}

fn test_crates() -> Outcome<u32> {
    let mut passed = 0;
    run_reading(&mut cargo(&["test", "--workspace", "--locked"])?, |line| {
        passed += passed_crate_tests(line).unwrap_or(0);
    })?;
    some(passed)
}

fn test_in_browser() -> Outcome<u32> {
    node::ensure_packages()?;
    let browser = chromium::ensure()?;
    step("Browser tests", "about five minutes", || {
        let mut passed = 0;
        let mut command = command("node")?;
        // One browser at a time: it draws on the processor.
        command
            .env("CHROMIUM", &browser)
            .args(["--test", "--test-concurrency=1", "--test-reporter=spec"])
            .args(browser_tests()?);
        run_reading(&mut command, |line| {
            passed += passed_browser_tests(line).unwrap_or(0);
        })?;
        some(passed)
    })
}

/// The files that hold browser tests, in the order of their names.
fn browser_tests() -> Outcome<Vec<String>> {
    let folder = paths::root().join("tests/browser");
    let entries = std::fs::read_dir(&folder)
        .map_err(|error| Problem::new(format!("{} can't be read: {error}.", folder.display())))?;
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.ends_with(".test.mjs"))
        .map(|name| format!("tests/browser/{name}"))
        .collect();
    names.sort();
    Ok(names)
}

/// A run without tests must not look like success.
fn some(passed: u32) -> Outcome<u32> {
    if passed > 0 {
        return Ok(passed);
    }
    Err(Problem::new("No test ran; see above which tests were looked for."))
}

/// `test result: ok. 12 passed; 0 failed; ...`
fn passed_crate_tests(line: &str) -> Option<u32> {
    let counts = line.strip_prefix("test result: ok. ")?;
    counts.split_once(" passed")?.0.parse().ok()
}

/// `ℹ pass 12`, from the last lines of Node's reporter.
fn passed_browser_tests(line: &str) -> Option<u32> {
    let (_, count) = line.split_once("ℹ pass ")?;
    count.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_from_both_runners() {
        let crates = "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured";
        assert_eq!(passed_crate_tests(crates), Some(12));
        assert_eq!(passed_crate_tests("test result: FAILED. 11 passed; 1 failed"), None);
        assert_eq!(passed_browser_tests("ℹ pass 7"), Some(7));
        assert_eq!(passed_browser_tests("✔ page loads (81 ms)"), None);
    }
}
