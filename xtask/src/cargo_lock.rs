//! Which version of a package Cargo.lock holds.

use crate::paths;
use crate::problem::{Outcome, Problem};

/// The locked version of `package`; tools that must match a library exactly are chosen by it.
pub(crate) fn version_of(package: &str) -> Outcome<String> {
    let path = paths::root().join("Cargo.lock");
    let text = std::fs::read_to_string(&path)
        .map_err(|error| Problem::new(format!("Cargo.lock can't be read: {error}.")))?;
    find(&text, package).ok_or_else(|| {
        Problem::new(format!("Cargo.lock holds no {package}; run `cargo update --workspace` and try again."))
    })
}

fn find(lock: &str, package: &str) -> Option<String> {
    let name = format!("name = \"{package}\"");
    let mut lines = lock.lines().skip_while(|line| *line != name);
    lines.next()?;
    let version = lines.next()?.strip_prefix("version = \"")?;
    Some(version.trim_end_matches('"').to_owned())
}

#[cfg(test)]
mod tests {
    use super::find;

    const LOCK: &str = "[[package]]\nname = \"wasm-bindgen-macro\"\nversion = \"0.1.0\"\n\n\
                        [[package]]\nname = \"wasm-bindgen\"\nversion = \"0.2.130\"\n";

    #[test]
    fn the_exact_name_counts() {
        assert_eq!(find(LOCK, "wasm-bindgen").as_deref(), Some("0.2.130"));
        assert_eq!(find(LOCK, "wasm"), None);
    }
}
