//! The table of a sweep as text: a header and one line for each run, in the order of the runs.

/// How every header begins; the columns that identify the sweep and the run in it.
pub(crate) const KEY: [&str; 3] = ["experiment", "run", "runs"];
/// The last column of a shard's table.
pub(crate) const SHARD: &str = "shard";

/// One line, without its end. Values hold no line breaks: a line of the file is a row, so that a torn one is recognised.
pub(crate) fn line(fields: &[String]) -> String {
    let mut writer = csv::WriterBuilder::new().from_writer(Vec::new());
    let plain = fields.iter().map(|field| field.replace(['\n', '\r'], " "));
    // A vector takes everything.
    let _ = writer.write_record(plain);
    let bytes = writer.into_inner().unwrap_or_default();
    String::from_utf8_lossy(&bytes).trim_end_matches('\n').to_owned()
}

/// The fields of a line; none where it isn't one.
pub(crate) fn fields(line: &str) -> Option<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(line.as_bytes());
    let record = reader.records().next()?.ok()?;
    Some(record.iter().map(str::to_owned).collect())
}

/// The lines that were written to their ends, and what follows them.
pub(crate) fn complete(text: &str) -> (Vec<&str>, &str) {
    let end = text.rfind('\n').map_or(0, |at| at + 1);
    let (whole, torn) = text.split_at(end);
    (whole.lines().collect(), torn)
}

/// Which run a row is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) experiment: String,
    pub(crate) run: usize,
    pub(crate) runs: usize,
}

impl Key {
    /// Of a row with as many fields as the header.
    pub(crate) fn of(fields: &[String]) -> Option<Key> {
        let [experiment, run, runs, ..] = fields else { return None };
        let (run, runs) = (run.parse().ok()?, runs.parse().ok()?);
        (run < runs).then(|| Key { experiment: experiment.clone(), run, runs })
    }
}

/// The whole table.
pub(crate) fn page<'a>(header: &str, rows: impl Iterator<Item = &'a String>) -> String {
    let mut page = format!("{header}\n");
    for row in rows {
        page.push_str(row);
        page.push('\n');
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_one_line_and_comes_back() {
        let row = ["a", "1", "2", "x,y", "say \"so\"", "two\nlines", ""].map(str::to_owned);
        let said = line(&row);
        assert_eq!(said, "a,1,2,\"x,y\",\"say \"\"so\"\"\",two lines,");
        let back = fields(&said).unwrap_or_default();
        assert_eq!((back.len(), back.get(4)), (7, row.get(4)));
        assert_eq!(Key::of(&back), Some(Key { experiment: "a".to_owned(), run: 1, runs: 2 }));
        assert_eq!(Key::of(&["a", "2", "2"].map(str::to_owned)), None);
    }

    #[test]
    fn what_follows_the_last_line_end_is_torn() {
        assert_eq!(complete("a\nb\nc"), (vec!["a", "b"], "c"));
        assert_eq!(complete("a\n"), (vec!["a"], ""));
        assert_eq!(complete("a"), (vec![], "a"));
    }
}
