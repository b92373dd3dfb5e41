//! Running other programs, and saying beforehand what is run and how long it may take.

use std::io::{BufRead, BufReader, ErrorKind};
use std::process::{Command, ExitStatus, Stdio};
use std::time::Instant;

use crate::paths;
use crate::problem::{Outcome, Problem};

/// Announces a piece of work, does it, and says how long it took.
pub(crate) fn step<T>(what: &str, how_long: &str, work: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
    println!("\n== {what} ({how_long})");
    let start = Instant::now();
    let result = work()?;
    println!("== done in {} s: {what}", start.elapsed().as_secs());
    Ok(result)
}

/// A command that runs in the workspace and finds this project's own tools first.
pub(crate) fn command(program: &str) -> Outcome<Command> {
    let mut command = Command::new(program);
    command.current_dir(paths::root()).env("PATH", paths::search_path()?).stdin(Stdio::null());
    Ok(command)
}

/// `cargo` with these arguments.
pub(crate) fn cargo(arguments: &[&str]) -> Outcome<Command> {
    let mut command = command("cargo")?;
    command.args(arguments);
    Ok(command)
}

/// Runs to the end, its output for all to see.
pub(crate) fn run(command: &mut Command) -> Outcome {
    println!("$ {}", spelled(command));
    let status = command.status().map_err(|error| not_run(command, &error))?;
    if status.success() {
        return Ok(());
    }
    Err(failed(command, status))
}

/// Runs instead of this process, so that what interrupts or ends this one ends the program as well.
#[cfg(unix)]
pub(crate) fn become_program(command: &mut Command) -> Outcome {
    use std::os::unix::process::CommandExt as _;
    println!("$ {}", spelled(command));
    let error = command.exec();
    Err(not_run(command, &error))
}

/// Other systems can't replace a process; there the program is waited for.
#[cfg(not(unix))]
pub(crate) fn become_program(command: &mut Command) -> Outcome {
    run(command)
}

/// Runs to the end, shows each line of standard output and hands it to `read` as well.
pub(crate) fn run_reading(command: &mut Command, mut read: impl FnMut(&str)) -> Outcome {
    println!("$ {}", spelled(command));
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(|error| not_run(command, &error))?;
    if let Some(output) = child.stdout.take() {
        for line in BufReader::new(output).split(b'\n').map_while(Result::ok) {
            let line = String::from_utf8_lossy(&line);
            println!("{line}");
            read(&line);
        }
    }
    let status = child.wait().map_err(|error| not_run(command, &error))?;
    if status.success() {
        return Ok(());
    }
    Err(failed(command, status))
}

/// What the program printed, or nothing if it isn't there or fails.
pub(crate) fn answer(program: &str, arguments: &[&str]) -> Option<String> {
    let output = command(program).ok()?.args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn spelled(command: &Command) -> String {
    let mut words = vec![command.get_program().to_string_lossy().into_owned()];
    words.extend(command.get_args().map(|argument| argument.to_string_lossy().into_owned()));
    words.join(" ")
}

fn failed(command: &Command, status: ExitStatus) -> Problem {
    let command = spelled(command);
    match status.code() {
        Some(_) => Problem::new(format!("`{command}` failed; its own words above say why.")),
        None => Problem::new(format!(
            "`{command}` was ended from outside ({status}); perhaps memory ran out. Try again."
        )),
    }
}

fn not_run(command: &Command, error: &std::io::Error) -> Problem {
    let program = command.get_program().to_string_lossy();
    if error.kind() == ErrorKind::NotFound {
        Problem::new(format!("`{program}` isn't on this machine; install it and try again."))
    } else {
        Problem::new(format!("`{program}` can't be started: {error}."))
    }
}
