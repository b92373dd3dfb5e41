//! Opens a `slurm.conf` and the files that it includes.

use std::path::Path;

use switchyard_workload::SlurmConf;

use crate::failure::Failure;
use crate::{open, show};

/// Reads the file, and says what of it is not used.
pub(crate) fn read(path: &Path) -> Result<SlurmConf, Failure> {
    let conf = of_text(path, &open::text_of(path)?)?;
    for note in conf.notes() {
        show::say(&note.to_string());
    }
    Ok(conf)
}

/// What a file says that has this text.
pub(crate) fn of_text(path: &Path, text: &str) -> Result<SlurmConf, Failure> {
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    let mut include =
        |file: &str| std::fs::read_to_string(folder.join(file)).map_err(|error| error.to_string());
    Ok(SlurmConf::read(&open::name_of(path), text, &mut include)?)
}
