//! Build, serve and test Switchyard for people who have only cargo: one file per task, the standard library alone.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a build tool talks to the person who started it"
)]

mod apt;
mod args;
mod build;
mod cargo_lock;
mod chromium;
mod measure;
mod node;
mod paths;
mod problem;
mod run;
mod serve;
mod test;
mod tidy;
mod tools;

use std::process::ExitCode;

use args::Task;
use problem::Outcome;

fn main() -> ExitCode {
    let task = match args::parse(std::env::args().skip(1)) {
        Ok(task) => task,
        Err(problem) => {
            eprintln!("{problem}\n\n{}", args::HELP);
            return ExitCode::from(2);
        }
    };
    match perform(&task) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("\nxtask: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn perform(task: &Task) -> Outcome {
    match *task {
        Task::Help => {
            println!("{}", args::HELP);
            Ok(())
        }
        Task::Build { release } => build::build(release).map(|_| ()),
        Task::Serve { port, release } => serve::serve(port, release),
        Task::Measure => measure::measure(),
        Task::Tidy => tidy::tidy(),
        Task::Test => test::test(),
    }
}
