//! Keeps results from being written over what is read, or over each other.

use std::path::{Path, PathBuf};

use crate::args_input::{InputArgs, MachineArgs};
use crate::failure::Failure;

/// The files that a command reads.
pub(crate) fn read_by<'a>(input: &'a InputArgs, machine: &'a MachineArgs) -> Vec<&'a Path> {
    let files = [&input.trace, &machine.fleet, &machine.slurm_conf, &machine.site];
    files.into_iter().flatten().map(PathBuf::as_path).collect()
}

/// Refuses a file that is written and read, or written twice. Each output comes with its option.
pub(crate) fn check(inputs: &[&Path], outputs: &[(&'static str, Option<&Path>)]) -> Result<(), Failure> {
    let read = inputs.iter().filter_map(|path| Some(("", place(path)?)));
    let mut taken: Vec<(&'static str, PathBuf)> = read.collect();
    for (option, path) in outputs.iter().filter_map(|(option, path)| Some((*option, (*path)?))) {
        let Some(place) = place(path) else { continue };
        if let Some((other, _)) = taken.iter().find(|(_, known)| *known == place) {
            let path = path.to_owned();
            return Err(match *other {
                "" => Failure::WritesInput { option, path },
                other => Failure::WritesTwice { option, other, path },
            });
        }
        taken.push((option, place));
    }
    Ok(())
}

/// Where a file is, by whatever name; `None` for what is no file: standard input and output, devices.
fn place(path: &Path) -> Option<PathBuf> {
    if path.as_os_str() == "-" {
        return None;
    }
    match std::fs::canonicalize(path) {
        Ok(known) => known.is_file().then_some(known),
        // It is not there yet.
        Err(_) => {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            let folder = std::fs::canonicalize(folder.unwrap_or(Path::new("."))).ok()?;
            Some(folder.join(path.file_name()?))
        }
    }
}
