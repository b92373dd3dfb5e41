//! The subcommands, one file each.

pub(crate) mod pods;
pub(crate) mod replay;
pub(crate) mod run;
