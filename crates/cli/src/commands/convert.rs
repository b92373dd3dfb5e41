//! `switchyard convert`: jobs from one format to another.

use crate::args_formats::ConvertArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::{fleet, load, store};

pub(crate) fn run(args: &ConvertArgs) -> Result<Exit, Failure> {
    let mut workload = load::file(&args.file, &args.format)?;
    args.change.cut(&mut workload)?;
    let procs = fleet::procs_of(&workload);
    args.change.apply(&mut workload, procs)?;
    args.limits.apply(&mut workload);
    store::workload(&workload, &args.output)?;
    Ok(Exit::Ok)
}
