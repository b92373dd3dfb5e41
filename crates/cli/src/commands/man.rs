//! `switchyard man`: the manual's pages.

use clap::CommandFactory;

use crate::args::Args;
use crate::args_manual::ManArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::show;

pub(crate) fn run(args: &ManArgs) -> Result<Exit, Failure> {
    let failed = |source| Failure::Write { path: args.folder.clone(), source };
    std::fs::create_dir_all(&args.folder).map_err(failed)?;
    clap_mangen::generate_to(Args::command(), &args.folder).map_err(failed)?;
    show::say(&format!("{}: read them with man -l switchyard.1, or with MANPATH.", args.folder.display()));
    Ok(Exit::Ok)
}
