//! The file that a sweep writes its rows to: as they come, so that an interrupted sweep can go on, and in order at the end.

use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::error::TableError;
use super::table::{self, Key};
use crate::failure::Failure;
use crate::show;

/// What a table has to be to belong to a sweep.
pub(crate) struct Expected<'a> {
    pub(crate) header: &'a str,
    pub(crate) experiment: &'a str,
    pub(crate) runs: usize,
    /// Whether a run belongs into this file.
    pub(crate) holds: &'a dyn Fn(usize) -> bool,
}

/// The file, and the rows that are known.
pub(crate) struct Store {
    path: PathBuf,
    file: File,
    header: String,
    rows: BTreeMap<usize, String>,
}

impl Store {
    /// Opens the file, or makes it. Rows of this sweep that are there already are kept, and a last line that was torn is cut
    /// off.
    pub(crate) fn open(path: &Path, expected: &Expected<'_>) -> Result<Store, Failure> {
        let failed = |source| Failure::Write { path: path.to_owned(), source };
        let options = File::options().read(true).write(true).create(true).truncate(false).open(path);
        let mut file = options.map_err(failed)?;
        // Not every file system has locks.
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Err(TableError::Locked { path: path.to_owned() }.into());
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed)?;
        let foreign =
            |problem: &str| TableError::Foreign { path: path.to_owned(), problem: problem.to_owned() };
        let text = String::from_utf8(bytes).map_err(|_| foreign("it is no text"))?;
        let (lines, torn) = table::complete(&text);
        let header = expected.header;
        let rows = match lines.split_first() {
            None if header.starts_with(torn) => {
                file.set_len(0).map_err(failed)?;
                file.rewind().map_err(failed)?;
                file.write_all(format!("{header}\n").as_bytes()).map_err(failed)?;
                BTreeMap::new()
            }
            None => return Err(foreign("it has no line of its columns").into()),
            Some((first, _)) if *first != header => return Err(foreign(&difference(first, header)).into()),
            Some((_, rows)) => known(path, rows, expected)?,
        };
        if !lines.is_empty() && !torn.is_empty() {
            let whole = (text.len() - torn.len()) as u64;
            file.set_len(whole).map_err(failed)?;
            let line = lines.len() + 1;
            show::say(&format!("{}, line {line}: a torn row is made anew.", path.display()));
        }
        file.seek(SeekFrom::End(0)).map_err(failed)?;
        Ok(Store { path: path.to_owned(), file, header: header.to_owned(), rows })
    }

    /// Whether the run's row is there.
    pub(crate) fn has(&self, run: usize) -> bool {
        self.rows.contains_key(&run)
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Adds a row, for good.
    pub(crate) fn add(&mut self, run: usize, row: String) -> Result<(), Failure> {
        let written = self.file.write_all(format!("{row}\n").as_bytes());
        written.map_err(|source| Failure::Write { path: self.path.clone(), source })?;
        self.rows.insert(run, row);
        Ok(())
    }

    /// Puts the rows in order.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        replace(&self.path, &table::page(&self.header, self.rows.values()))
    }
}

/// Writes the file beside its place and moves it there, so that it is never half there.
pub(crate) fn replace(path: &Path, page: &str) -> Result<(), Failure> {
    let failed = |source| Failure::Write { path: path.to_owned(), source };
    // A pipe or a device has no place to move something to.
    if path.exists() && !path.is_file() {
        return std::fs::write(path, page).map_err(failed);
    }
    // A link stays what it is; what it points to is replaced.
    let place = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let mut beside = place.clone().into_os_string();
    beside.push(".part");
    std::fs::write(&beside, page).and_then(|()| std::fs::rename(&beside, &place)).map_err(failed)
}

/// What is wrong with a header.
fn difference(found: &str, expected: &str) -> String {
    let columns = |line: &str| table::fields(line).unwrap_or_default();
    let (found, expected) = (columns(found), columns(expected));
    match found.iter().find(|column| !expected.contains(column)) {
        Some(column) => format!("it has a column \"{}\" that this sweep hasn't", shortened(column)),
        None => match expected.iter().find(|column| !found.contains(column)) {
            Some(column) => format!("it has no column \"{column}\""),
            None => "its columns are in another order".to_owned(),
        },
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(40).collect()
}

/// The rows of this sweep, by their runs.
fn known(path: &Path, rows: &[&str], expected: &Expected<'_>) -> Result<BTreeMap<usize, String>, TableError> {
    let width = table::fields(expected.header).map_or(0, |columns| columns.len());
    let mut known = BTreeMap::new();
    for (index, row) in rows.iter().enumerate() {
        let problem = |problem: String| TableError::Row {
            path: path.to_owned(),
            line: index + 2,
            problem,
            remedy: "delete this line, or choose another file",
        };
        let fields = table::fields(row).unwrap_or_default();
        if fields.len() != width {
            return Err(problem(format!("expected {width} columns, found {}", fields.len())));
        }
        let Some(key) = Key::of(&fields) else {
            return Err(problem("this is no row of a sweep".to_owned()));
        };
        let foreign =
            |problem: &str| TableError::Foreign { path: path.to_owned(), problem: problem.to_owned() };
        if key.experiment != expected.experiment || key.runs != expected.runs {
            return Err(foreign(
                "its rows are of a sweep with other files, options, values or seeds, or of another version",
            ));
        }
        if !(expected.holds)(key.run) {
            return Err(foreign("its rows are of another shard"));
        }
        if known.insert(key.run, (*row).to_owned()).is_some() {
            return Err(problem(format!("run {} is there twice", key.run)));
        }
    }
    Ok(known)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const EXPECTED: Expected<'_> =
        Expected { header: "experiment,run,runs,x", experiment: "e", runs: 3, holds: &|_| true };

    fn scratch(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("switchyard-{}-{name}", std::process::id()));
        let _ = std::fs::remove_file(&path);
        path
    }

    fn text(path: &Path) -> String {
        std::fs::read_to_string(path).unwrap()
    }

    /// Interrupted twice: a row that follows a torn one must not be glued to it.
    #[test]
    fn a_torn_row_is_cut_off_before_anything_is_added() {
        let path = scratch("torn.csv");
        std::fs::write(&path, "experiment,run,runs,x\ne,2,3,c\ne,0,3").unwrap();
        let mut store = Store::open(&path, &EXPECTED).unwrap();
        assert_eq!([0, 1, 2].map(|run| store.has(run)), [false, false, true]);
        store.add(1, "e,1,3,b".to_owned()).unwrap();
        drop(store);
        assert_eq!(text(&path), "experiment,run,runs,x\ne,2,3,c\ne,1,3,b\n");
        let mut store = Store::open(&path, &EXPECTED).unwrap();
        store.add(0, "e,0,3,a".to_owned()).unwrap();
        store.finish().unwrap();
        assert_eq!(text(&path), "experiment,run,runs,x\ne,0,3,a\ne,1,3,b\ne,2,3,c\n");
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn two_sweeps_do_not_write_into_one_file() {
        let path = scratch("locked.csv");
        let first = Store::open(&path, &EXPECTED).unwrap();
        let second = Store::open(&path, &EXPECTED).err().unwrap().to_string();
        assert!(
            second.ends_with("is being written by another sweep; wait for its end, or choose another file")
        );
        drop(first);
        assert!(Store::open(&path, &EXPECTED).is_ok());
        std::fs::remove_file(&path).unwrap();
    }
}
