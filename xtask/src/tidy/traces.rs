//! Traces of one machine in the repository's files: absolute paths, addresses of package registries.

use super::Finding;
use super::files::File;

/// Folders of somebody's machine. Spelled in pieces, or this file would be a breach itself.
const MACHINE_PATHS: [&str; 5] = [
    concat!("/ro", "ot/"),
    concat!("/ho", "me/"),
    concat!("/Use", "rs/"),
    concat!("/wo", "rk/"),
    concat!("/tm", "p/"),
];

/// Hosts that a clone elsewhere may not reach: each machine says itself where it fetches packages.
const REGISTRIES: [&str; 5] = [
    concat!("registry.", "npmjs.org"),
    concat!("registry.", "yarnpkg.com"),
    concat!("static.", "crates.io"),
    concat!("index.", "crates.io"),
    concat!("files.", "pythonhosted.org"),
];

pub(super) fn check(file: &File, findings: &mut Vec<Finding>) {
    for (index, line) in file.text.lines().enumerate() {
        for path in MACHINE_PATHS.into_iter().filter(|path| starts_path(line, path)) {
            let says = format!("{path:?} is a path of one machine");
            findings.push(Finding::new(file, index + 1, says));
        }
        for host in REGISTRIES.into_iter().filter(|host| line.contains(host)) {
            let says = format!("{host} is a registry; leave the choice to the machine");
            findings.push(Finding::new(file, index + 1, says));
        }
    }
}

/// Whether an absolute path begins so: `/a/` in `cd /a/b`, but not in `../a/b` or `x.org/a/b`.
fn starts_path(line: &str, path: &str) -> bool {
    line.match_indices(path).any(|(start, _)| {
        let before = line[..start].chars().next_back();
        !before.is_some_and(|character| character.is_alphanumeric() || "._-/}".contains(character))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<usize> {
        let mut findings = Vec::new();
        check(&File::new("README.md", text), &mut findings);
        findings.iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn paths_of_a_machine_are_found_relative_ones_are_not() {
        let home = MACHINE_PATHS[1];
        assert_eq!(found(&format!("first\ncd {home}somebody\n")), [2]);
        assert_eq!(found(&format!("see ..{home}page\nexample.org{home}page\n")), []);
    }

    #[test]
    fn registries_are_found() {
        assert_eq!(found(&format!("\"resolved\": \"https://{}/x\"", REGISTRIES[0])), [1]);
    }
}
