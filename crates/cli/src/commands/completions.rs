//! `switchyard completions`: what makes a shell complete this command.

use clap::CommandFactory;

use crate::args::Args;
use crate::args_manual::CompletionsArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::show;

pub(crate) fn run(args: &CompletionsArgs) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "switchyard", &mut script);
    show::result(String::from_utf8_lossy(&script).trim_end_matches('\n'))?;
    Ok(Exit::Ok)
}
