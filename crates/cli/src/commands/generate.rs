//! `switchyard generate`: jobs by a recipe, as a file.

use crate::args_formats::GenerateArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::{fleet, store};

pub(crate) fn run(args: &GenerateArgs) -> Result<Exit, Failure> {
    let mut workload = args.recipe.generate(args.procs)?;
    args.change.cut(&mut workload)?;
    let procs = fleet::procs_of(&workload);
    args.change.apply(&mut workload, procs)?;
    args.limits.apply(&mut workload);
    store::workload(&workload, &args.output)?;
    Ok(Exit::Ok)
}
