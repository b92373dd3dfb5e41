//! The command `switchyard`: replays traces and runs the simulated cluster without a picture.

mod args;
mod args_experiment;
mod args_formats;
mod args_input;
mod args_manual;
mod args_pods;
mod args_policy;
mod chart;
mod commands;
mod conf;
mod examples;
mod exit;
mod experiment;
mod failure;
mod fleet;
mod load;
mod open;
mod paths;
mod policy;
mod setting;
mod show;
mod site;
mod site_check;
mod store;
mod sweep;

use std::process::ExitCode;

use clap::Parser;

use args::{Args, Command};

fn main() -> ExitCode {
    let result = match Args::parse().command {
        Command::Replay(args) => commands::replay::run(&args),
        Command::Explain(args) => commands::explain::run(&args),
        Command::Compare(args) => commands::compare::run(&args),
        Command::Sweep(args) => commands::sweep::run(&args),
        Command::Merge(args) => commands::merge::run(&args),
        Command::Policies => commands::policies::run(),
        Command::Run(args) => commands::run::run(&args),
        Command::Inspect(args) => commands::inspect::run(&args),
        Command::Convert(args) => commands::convert::run(&args),
        Command::Generate(args) => commands::generate::run(&args),
        Command::Completions(args) => commands::completions::run(&args),
        Command::Man(args) => commands::man::run(&args),
        Command::Pods(args) => commands::pods::run(&args),
    };
    let exit = result.unwrap_or_else(|failure| {
        show::say(&format!("error: {failure}"));
        failure.exit()
    });
    ExitCode::from(exit as u8)
}

/// This call as it can be given again.
fn command_line() -> String {
    let arguments: Vec<String> =
        std::env::args().skip(1).map(|argument| sweep::submit::quoted(&argument)).collect();
    format!("switchyard {}", arguments.join(" "))
}
