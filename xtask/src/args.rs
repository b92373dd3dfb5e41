//! What the command line of `cargo xtask` means.

use crate::problem::{Outcome, Problem};

/// The answer to `cargo xtask help`.
pub(crate) const HELP: &str = "\
cargo xtask serve [--port N] [--release]   build the site, serve it on http://127.0.0.1:8080, rebuild on change
cargo xtask build [--release]              build the site into dist/
cargo xtask test                           everything: format, lints, tests, tidy, the site, browser tests
cargo xtask measure                        the scheduler's speed in WebAssembly beside native (needs Node.js)
cargo xtask tidy                           the house rules that a machine can watch
cargo xtask help                           this text

--release   shrink the module with wasm-opt as well (six minutes of work, half the bytes; needs Node.js)
--port N    serve on another port

Missing tools are installed into <target directory>/tools. The first build compiles Bevy: about 25 minutes of
processor time. CARGO_TARGET_DIR chooses where all that is kept.";

/// The port on which the site is served unless the visitor says otherwise.
const PORT: u16 = 8080;

/// One thing that `cargo xtask` can do.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Task {
    /// Print the help text.
    Help,
    /// Build the site.
    Build {
        /// Shrink it with wasm-opt.
        release: bool,
    },
    /// Build the site and serve it.
    Serve {
        /// The port on 127.0.0.1.
        port: u16,
        /// Shrink it with wasm-opt.
        release: bool,
    },
    /// Time the scheduler in WebAssembly beside native.
    Measure,
    /// Check the house rules.
    Tidy,
    /// Check everything.
    Test,
}

/// Reads the arguments after `cargo xtask`.
pub(crate) fn parse(mut arguments: impl Iterator<Item = String>) -> Outcome<Task> {
    let task = arguments.next().unwrap_or_else(|| "help".to_owned());
    let mut release = false;
    let mut port = PORT;
    let takes_release = matches!(task.as_str(), "build" | "serve");
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--release" if takes_release => release = true,
            "--port" if task == "serve" => port = parse_port(arguments.next())?,
            _ => {
                return Err(Problem::new(format!("`cargo xtask {task}` doesn't know {argument:?}.")));
            }
        }
    }
    match task.as_str() {
        "help" | "--help" | "-h" => Ok(Task::Help),
        "build" => Ok(Task::Build { release }),
        "serve" => Ok(Task::Serve { port, release }),
        "measure" => Ok(Task::Measure),
        "tidy" => Ok(Task::Tidy),
        "test" => Ok(Task::Test),
        _ => Err(Problem::new(format!("There is no task {task:?}."))),
    }
}

fn parse_port(value: Option<String>) -> Outcome<u16> {
    let value = value.unwrap_or_default();
    match value.parse() {
        Ok(port) if port > 0 => Ok(port),
        _ => Err(Problem::new(format!("--port wants a number from 1 to 65535, not {value:?}."))),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn parsed(line: &str) -> Outcome<Task> {
        parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn tasks_and_their_options() {
        assert_eq!(parsed("").unwrap(), Task::Help);
        assert_eq!(parsed("test").unwrap(), Task::Test);
        assert_eq!(parsed("build --release").unwrap(), Task::Build { release: true });
        let serve = Task::Serve { port: 9000, release: false };
        assert_eq!(parsed("serve --port 9000").unwrap(), serve);
    }

    #[test]
    fn mistakes_are_named() {
        for (line, named) in [
            ("bild", "bild"),
            ("test --release", "--release"),
            ("serve --port", "--port"),
            ("serve --port 70000", "70000"),
            ("build --port 1", "--port"),
        ] {
            let said = parsed(line).unwrap_err().to_string();
            assert!(said.contains(named), "{line}: {said}");
        }
    }
}
