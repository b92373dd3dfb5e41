//! `switchyard generate`: jobs by a recipe, as a file.

use crate::args_formats::GenerateArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::store;

pub(crate) fn run(args: &GenerateArgs) -> Result<Exit, Failure> {
    store::rewritten(args.recipe.generate(args.procs)?, &args.rewrite)?;
    Ok(Exit::Ok)
}
