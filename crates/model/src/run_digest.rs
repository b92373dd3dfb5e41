//! The fingerprint of a run: two runs are the same if and only if (but for hash collisions) their digests are.

use std::fmt;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// A hash chain over everything that happened so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RunDigest(pub u64);

impl RunDigest {
    /// Takes in the next happening, as bytes.
    pub fn absorb(&mut self, bytes: &[u8]) {
        self.0 = xxh3_64_with_seed(bytes, self.0);
    }
}

impl fmt::Display for RunDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_and_content_both_matter() {
        let of = |parts: &[&[u8]]| {
            let mut digest = RunDigest::default();
            parts.iter().for_each(|part| digest.absorb(part));
            digest
        };
        assert_ne!(of(&[b"a", b"b"]), of(&[b"b", b"a"]));
        assert_ne!(of(&[b"a", b"b"]), of(&[b"ab"]));
        assert_eq!(of(&[b"a", b"b"]), of(&[b"a", b"b"]));
    }
}
