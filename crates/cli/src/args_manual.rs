//! The command line's part about the command line itself.

use std::path::PathBuf;

use clap_complete::Shell;

/// Prints the script; where it goes depends on the shell, as the examples show.
#[derive(Debug, clap::Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: Shell,
}

/// One page for the command and one for each of its subcommands.
#[derive(Debug, clap::Args)]
pub(crate) struct ManArgs {
    /// Write the pages into this folder, for example ~/.local/share/man/man1
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: PathBuf,
}
