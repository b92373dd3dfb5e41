//! The page names the version of the workspace, because its failure report must work when the app doesn't.

use super::Finding;
use super::files::File;

pub(super) fn check(file: &File, findings: &mut Vec<Finding>) {
    let wanted = format!("<meta name=\"version\" content=\"{}\">", env!("CARGO_PKG_VERSION"));
    if file.path == "index.html" && !file.text.contains(&wanted) {
        findings.push(Finding::new(file, 0, format!("it must hold {wanted}")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_version_is_found() {
        let page = |version| format!("<head><meta name=\"version\" content=\"{version}\"></head>");
        for (version, count) in [(env!("CARGO_PKG_VERSION"), 0), ("0.0.0", 1)] {
            let mut findings = Vec::new();
            check(&File::new("index.html", &page(version)), &mut findings);
            assert_eq!(findings.len(), count, "{version}");
        }
    }
}
