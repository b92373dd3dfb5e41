//! `switchyard convert`: jobs from one format to another.

use crate::args_formats::ConvertArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::{load, paths, store};

pub(crate) fn run(args: &ConvertArgs) -> Result<Exit, Failure> {
    paths::check(&[&args.file], &[("--output", args.rewrite.output.output.as_deref())])?;
    store::rewritten(load::file(&args.file, &args.format)?, &args.rewrite)?;
    Ok(Exit::Ok)
}
