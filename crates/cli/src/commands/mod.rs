//! The subcommands, one file each.

pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod convert;
pub(crate) mod explain;
pub(crate) mod generate;
pub(crate) mod inspect;
pub(crate) mod man;
pub(crate) mod merge;
pub(crate) mod pods;
pub(crate) mod policies;
pub(crate) mod replay;
pub(crate) mod run;
pub(crate) mod sweep;
