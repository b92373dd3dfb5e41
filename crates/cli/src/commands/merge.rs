//! `switchyard merge`: the shards of a sweep as one table, the same that one machine would have written.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::args_experiment::MergeArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::sweep::error::TableError;
use crate::sweep::shard::Shard;
use crate::sweep::store;
use crate::sweep::table::{self, Key};
use crate::{open, show};

/// The rows so far.
#[derive(Default)]
struct Merged {
    /// Of the first file: its path and its columns.
    first: Option<(PathBuf, String)>,
    /// Of the first row: the sweep and its number of runs.
    sweep: Option<(String, usize)>,
    rows: BTreeMap<usize, (PathBuf, String)>,
    /// Into how many parts the sweep was cut.
    parts: BTreeSet<usize>,
}

pub(crate) fn run(args: &MergeArgs) -> Result<Exit, Failure> {
    let mut merged = Merged::default();
    for path in &args.shards {
        let bytes = open::bytes_of(path)?;
        let text = String::from_utf8(bytes)
            .map_err(|_| TableError::NoShard { path: path.clone(), problem: "it is no text" })?;
        merged.take(path, &text)?;
    }
    merged.check()?;
    let header = merged.first.as_ref().map_or("", |(_, header)| header);
    let page = table::page(header, merged.rows.values().map(|(_, row)| row));
    match args.output.as_deref().filter(|path| path.as_os_str() != "-") {
        Some(path) => {
            store::replace(path, &page)?;
            show::say(&format!("{}: {} runs.", path.display(), merged.rows.len()));
        }
        None => show::result(page.trim_end_matches('\n'))?,
    }
    Ok(Exit::Ok)
}

impl Merged {
    fn take(&mut self, path: &Path, text: &str) -> Result<(), TableError> {
        let no_shard = |problem| TableError::NoShard { path: path.to_owned(), problem };
        let (lines, torn) = table::complete(text);
        let Some((header, rows)) = lines.split_first() else {
            return Err(no_shard("it has no line of columns"));
        };
        if !header.starts_with(&format!("{},", table::KEY.join(","))) {
            return Err(no_shard("it doesn't begin with the columns experiment, run and runs"));
        }
        let Some(columns) = header.strip_suffix(&format!(",{}", table::SHARD)) else {
            return Err(no_shard("it is a whole table, without the column shard"));
        };
        let (first, known) = self.first.get_or_insert_with(|| (path.to_owned(), columns.to_owned()));
        if known != columns {
            return Err(TableError::OtherSweep { path: path.to_owned(), first: first.clone() });
        }
        let width = table::fields(header).map_or(0, |columns| columns.len());
        for (index, row) in rows.iter().enumerate() {
            self.row(path, index + 2, row, width)?;
        }
        let complete = torn.is_empty();
        if complete { Ok(()) } else { Err(row_problem(path, lines.len() + 1, "the row is torn".to_owned())) }
    }

    fn row(&mut self, path: &Path, line: usize, row: &str, width: usize) -> Result<(), TableError> {
        let fields = table::fields(row).unwrap_or_default();
        if fields.len() != width {
            let problem = format!("expected {width} columns, found {}", fields.len());
            return Err(row_problem(path, line, problem));
        }
        let shard: Option<Shard> = fields.last().and_then(|shard| shard.parse().ok());
        let (Some(key), Some(shard)) = (Key::of(&fields), shard) else {
            return Err(row_problem(path, line, "this is no row of a shard".to_owned()));
        };
        if !shard.holds(key.run) {
            let problem = format!("run {} is not in shard {shard}", key.run);
            return Err(row_problem(path, line, problem));
        }
        let sweep = self.sweep.get_or_insert_with(|| (key.experiment.clone(), key.runs));
        if *sweep != (key.experiment.clone(), key.runs) {
            let first = self.first.as_ref().map(|(first, _)| first.clone()).unwrap_or_default();
            return Err(TableError::OtherSweep { path: path.to_owned(), first });
        }
        self.parts.insert(shard.of);
        let suffix = format!(",{shard}");
        let whole = row.strip_suffix(&suffix).unwrap_or(row).to_owned();
        match self.rows.insert(key.run, (path.to_owned(), whole)) {
            Some((first, _)) => Err(TableError::Double { run: key.run, first, second: path.to_owned() }),
            None => Ok(()),
        }
    }

    /// Whether all runs are there.
    fn check(&self) -> Result<(), TableError> {
        let runs = self.sweep.as_ref().map_or(0, |(_, runs)| *runs);
        let missing: Vec<usize> = (0..runs).filter(|run| !self.rows.contains_key(run)).collect();
        if missing.is_empty() && runs > 0 {
            return Ok(());
        }
        let which = match (self.parts.len(), self.parts.first()) {
            (1, Some(&of)) => {
                let shards: BTreeSet<Shard> = missing.iter().map(|&run| Shard::of_run(run, of)).collect();
                list("shard", "shards", &shards.iter().map(ToString::to_string).collect::<Vec<_>>())
            }
            (0, _) => "there is no row in any of the files".to_owned(),
            _ => list("run", "runs", &missing.iter().map(ToString::to_string).collect::<Vec<_>>()),
        };
        Err(TableError::Missing { missing: missing.len(), runs, which })
    }
}

fn row_problem(path: &Path, line: usize, problem: String) -> TableError {
    let remedy = "run this shard again with the same output file";
    TableError::Row { path: path.to_owned(), line, problem, remedy }
}

/// The first of them, in a sentence.
fn list(one: &str, many: &str, items: &[String]) -> String {
    const SHOWN: usize = 8;
    let shown: Vec<&str> = items.iter().take(SHOWN).map(String::as_str).collect();
    let more = items.len().saturating_sub(SHOWN);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{} {}{rest}", if items.len() == 1 { one } else { many }, shown.join(", "))
}
