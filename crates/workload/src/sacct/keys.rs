//! Which rows are of the same job: a short key in place of three texts, so that a large dump stays small.

use std::collections::BTreeMap;

/// The same for all rows of a job, and for no two jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    cluster: u32,
    /// The raw id, if it is a plain number.
    raw: u64,
    id: u64,
    /// What stands behind the number of the id and in a raw id that is no number.
    rest: u32,
}

/// Texts that were seen, by what they are known as.
#[derive(Debug, Default)]
pub(super) struct Keys {
    known: BTreeMap<String, u32>,
}

impl Keys {
    /// The key of a row.
    pub(super) fn key(&mut self, cluster: &str, raw: &str, id: &str) -> Key {
        let (number, behind) = divided(id);
        let (raw_number, raw_behind) = divided(raw);
        let rest = match (behind, raw_behind) {
            ("", "") => 0,
            // Most array tasks: their index needs no memory.
            (task, "") if small_task(task).is_some() => small_task(task).unwrap_or(0),
            _ => self.of(&format!("{behind} {raw_behind}")) | TEXT,
        };
        Key { cluster: self.of(cluster), raw: raw_number, id: number, rest }
    }

    fn of(&mut self, text: &str) -> u32 {
        if let Some(&known) = self.known.get(text) {
            return known;
        }
        let fresh = u32::try_from(self.known.len()).unwrap_or(u32::MAX) & !TEXT;
        self.known.insert(text.to_owned(), fresh);
        fresh
    }
}

/// Marks what stands for a text.
const TEXT: u32 = 1 << 31;

/// The number that an id begins with, and what stands behind it; all of it if the number has no place.
fn divided(id: &str) -> (u64, &str) {
    let end = id.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(id.len());
    let (digits, rest) = id.split_at(end);
    match digits.parse() {
        Ok(number) if number < u64::MAX => (number, rest),
        _ if digits.is_empty() => (u64::MAX, rest),
        _ => (u64::MAX, id),
    }
}

/// The index in `_12`, plus 1, so that it differs from nothing.
fn small_task(text: &str) -> Option<u32> {
    let digits = text.strip_prefix('_')?;
    let index: u32 = digits.parse().ok()?;
    (index < TEXT - 1 && index.to_string() == digits).then_some(index + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_jobs_have_different_keys() {
        let mut keys = Keys::default();
        let rows = [
            ("c", "1", "1"),
            ("d", "1", "1"),
            ("c", "2", "1"),
            ("c", "1", "2"),
            ("c", "1", "1_0"),
            ("c", "1", "1_1"),
            ("c", "1", "1_01"),
            ("c", "1", "1+1"),
            ("c", "1", "1_[1-3]"),
            ("c", "", "1"),
            ("c", "0", "1"),
            ("c", "99999999999999999999", "1"),
            ("c", "18446744073709551615", "1"),
        ];
        let mut made: Vec<Key> = rows.iter().map(|(cluster, raw, id)| keys.key(cluster, raw, id)).collect();
        let again: Vec<Key> = rows.iter().map(|(cluster, raw, id)| keys.key(cluster, raw, id)).collect();
        assert_eq!(made, again);
        made.sort_unstable();
        made.dedup();
        assert_eq!(made.len(), rows.len());
    }
}
