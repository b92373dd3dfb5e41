//! The comments at the head of a trace in the Standard Workload Format, `; Label: value`.

use std::collections::BTreeMap;
use std::sync::Arc;

/// A header has a few dozen lines; a file of nothing but comments shall not fill the memory.
const COMMENTS_MAX: usize = 10_000;
/// Longer comments are cut.
const COMMENT_CHARS_MAX: usize = 1_000;
/// More names than this are no header.
const NAMES_MAX: usize = 1_000_000;

/// What is used of the comments; the first of each label counts, but for lists.
#[derive(Debug, Default)]
pub(super) struct Header {
    pub(super) procs: Option<u32>,
    pub(super) nodes: Option<u32>,
    pub(super) records: Option<u64>,
    pub(super) unix_start: Option<u64>,
    pub(super) users: Numbered,
    pub(super) groups: Numbered,
    pub(super) partitions: Numbered,
    pub(super) qos: Numbered,
    /// All of them, but for the lists of names.
    pub(super) comments: Vec<String>,
}

/// Names by their numbers.
#[derive(Debug, Default)]
pub(super) struct Numbered(BTreeMap<u64, Arc<str>>);

impl Numbered {
    pub(super) fn get(&self, number: u64) -> Option<Arc<str>> {
        self.0.get(&number).cloned()
    }

    /// Takes `3 ann`; whether it is that.
    fn take(&mut self, value: &str) -> bool {
        let Some((number, name)) = value.trim().split_once(char::is_whitespace) else { return false };
        let (Ok(number), name) = (number.parse(), name.trim()) else { return false };
        if self.0.len() < NAMES_MAX {
            self.0.entry(number).or_insert_with(|| name.into());
        }
        true
    }
}

impl Header {
    pub(super) fn take(&mut self, comment: &str) {
        if self.label(comment) {
            return;
        }
        if self.comments.len() < COMMENTS_MAX {
            self.comments.push(comment.chars().take(COMMENT_CHARS_MAX).collect());
        }
    }

    /// Whether the comment is one of a list of names.
    fn label(&mut self, comment: &str) -> bool {
        let Some((label, value)) = comment.split_once(':') else { return false };
        let first_word = value.split_whitespace().next().unwrap_or("");
        let count = first_word.parse().ok().filter(|&n| n > 0);
        match label.trim().to_ascii_lowercase().as_str() {
            "maxprocs" => self.procs = self.procs.or(count),
            "maxnodes" => self.nodes = self.nodes.or(count),
            "maxrecords" => self.records = self.records.or(first_word.parse().ok()),
            "unixstarttime" => {
                self.unix_start = self.unix_start.or(first_word.parse().ok().filter(|&secs| secs > 0));
            }
            "user" => return self.users.take(value),
            "group" => return self.groups.take(value),
            "partition" => return self.partitions.take(value),
            "qos" => return self.qos.take(value),
            _ => {}
        }
        false
    }
}
