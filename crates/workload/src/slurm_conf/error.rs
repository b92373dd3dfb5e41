//! Why a file is no `slurm.conf`.

use thiserror::Error;

use super::Spot;

/// The first thing in a file that can't be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SlurmConfError {
    /// Not pairs.
    #[error("{at}: expected Key=value, found \"{found}\"")]
    NoPair {
        /// Where.
        at: Spot,
        /// What stood there.
        found: String,
    },
    /// A value that isn't what it should be.
    #[error("{at}: {key} is {expected}; found \"{found}\"")]
    Value {
        /// Where.
        at: Spot,
        /// The key.
        key: String,
        /// What would have been right.
        expected: &'static str,
        /// What stood there.
        found: String,
    },
    /// More hosts than a fleet may have.
    #[error("{at}: \"{found}\" stands for more than {most} nodes")]
    TooManyHosts {
        /// Where.
        at: Spot,
        /// What stood there.
        found: String,
        /// How many are read.
        most: usize,
    },
    /// Two machines of one name.
    #[error("{at}: there is a node {node} already; give each node its own name")]
    NodeTwice {
        /// Where.
        at: Spot,
        /// Its name.
        node: String,
    },
    /// Two partitions of one name.
    #[error("{at}: there is a partition {partition} already; give each partition its own name")]
    PartitionTwice {
        /// Where.
        at: Spot,
        /// Its name.
        partition: String,
    },
    /// A file that can't be opened.
    #[error("{at}: can't include {file}: {problem}")]
    Include {
        /// Where.
        at: Spot,
        /// The file.
        file: String,
        /// Why not.
        problem: String,
    },
    /// Files that include each other.
    #[error(
        "{at}: {file} is included from a file that is included from a file, and so on {depth} times; files may not include each other"
    )]
    TooDeep {
        /// Where.
        at: Spot,
        /// The file.
        file: String,
        /// How deep.
        depth: usize,
    },
}
