//! A part of a sweep: every N-th run.

use std::fmt;
use std::str::FromStr;

/// The I-th of N parts, I from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Shard {
    pub(crate) index: usize,
    pub(crate) of: usize,
}

impl Shard {
    /// Whether the run with this number, from 0, is in it. Runs are dealt like cards, so that costly ones spread.
    pub(crate) const fn holds(self, run: usize) -> bool {
        run % self.of == self.index - 1
    }

    /// That of `of` parts which holds the run.
    pub(crate) const fn of_run(run: usize, of: usize) -> Shard {
        Shard { index: run % of + 1, of }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts =
            text.split_once('/').and_then(|(index, of)| Some((index.parse().ok()?, of.parse().ok()?)));
        match parts {
            Some((index, of)) if index >= 1 && index <= of => Ok(Shard { index, of }),
            Some((_, of)) if of >= 1 => {
                Err(format!("shards are counted from 1: choose 1/{of} to {of}/{of}; found \"{text}\""))
            }
            _ => Err(format!("write I/N, for example 1/4 for the first of four parts; found \"{text}\"")),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_run_is_in_one_shard() {
        let shards = [1, 2, 3].map(|index| Shard { index, of: 3 });
        for run in 0..10 {
            let holders: Vec<_> = shards.iter().filter(|shard| shard.holds(run)).collect();
            assert_eq!(holders, [&Shard::of_run(run, 3)]);
        }
    }

    #[test]
    fn a_shard_is_read_as_it_is_written() {
        assert_eq!("2/3".parse::<Shard>().unwrap().to_string(), "2/3");
        let said = |text: &str| text.parse::<Shard>().unwrap_err();
        assert_eq!(said("0/3"), "shards are counted from 1: choose 1/3 to 3/3; found \"0/3\"");
        assert!(said("4/3").starts_with("shards are counted from 1"));
        for text in ["3", "1/0", "a/b", "1/2/3", ""] {
            assert!(said(text).starts_with("write I/N"), "{text}");
        }
    }
}
