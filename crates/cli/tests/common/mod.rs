//! Runs the command and looks at what it says.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// What the command left behind.
pub(crate) struct Said {
    pub(crate) out: String,
    pub(crate) err: String,
    pub(crate) code: i32,
}

/// Runs `switchyard` with these arguments, and `input` as its standard input.
pub(crate) fn switchyard_with(args: &[&str], input: &str) -> Said {
    let mut command = Command::new(env!("CARGO_BIN_EXE_switchyard"));
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    Said {
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
        code: output.status.code().unwrap(),
    }
}

pub(crate) fn switchyard(args: &[&str]) -> Said {
    switchyard_with(args, "")
}

/// Runs it with `--json` and takes the object apart.
pub(crate) fn figures(args: &[&str]) -> serde_json::Value {
    let said = switchyard(&[args, &["--json"]].concat());
    assert_eq!(said.code, 0, "{}", said.err);
    serde_json::from_str(&said.out).unwrap()
}

/// A file of the shared traces; `None`, with a note, where there are none.
pub(crate) fn shared(name: &str) -> Option<String> {
    let path = format!("{}/../../../shared/traces/{name}", env!("CARGO_MANIFEST_DIR"));
    let present = std::fs::exists(&path).unwrap();
    if !present {
        eprintln!("skipped: no {path}");
    }
    present.then_some(path)
}

/// A file of this test's own.
pub(crate) fn scratch(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    std::fs::create_dir_all(&folder).unwrap();
    folder.join(name)
}

/// A file of this test's own with this content.
pub(crate) fn file(name: &str, content: &str) -> String {
    let path = scratch(name);
    std::fs::write(&path, content).unwrap();
    path.to_str().unwrap().to_owned()
}
