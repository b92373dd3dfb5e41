//! Writes jobs to a file or to standard output, and says what the format has no place for.

use std::io::{self, BufWriter, ErrorKind, Write};

use switchyard_workload::{Workload, write};

use crate::args_formats::{OutputArgs, RewriteArgs};
use crate::failure::Failure;
use crate::{fleet, show};

/// Changes the jobs as asked for, and writes them.
pub(crate) fn rewritten(mut workload: Workload, args: &RewriteArgs) -> Result<(), Failure> {
    args.change.cut(&mut workload)?;
    let procs = fleet::procs_of(&workload);
    args.change.apply(&mut workload, procs)?;
    args.limits.apply(&mut workload);
    write_to(&args.output, &workload)
}

fn write_to(args: &OutputArgs, workload: &Workload) -> Result<(), Failure> {
    let written = match &args.output {
        Some(path) if path.as_os_str() != "-" => {
            let failed = |source: io::Error| Failure::Write { path: path.clone(), source };
            let file = std::fs::File::create(path).map_err(failed)?;
            write(workload, args.format(), &mut BufWriter::new(file)).map_err(failed)
        }
        _ => {
            let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
            match write(workload, args.format(), &mut out).and_then(|report| out.flush().map(|()| report)) {
                // A reader that has seen enough is no error.
                Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(()),
                written => written.map_err(Failure::Result),
            }
        }
    };
    show::say(&written?.to_string());
    Ok(())
}
