//! Digests of what an experiment is made of, so that two of them can be told apart.

use switchyard_model::RunDigest;
use switchyard_workload::{Workload, WriteFormat, write};

/// Of the jobs that were read.
pub(crate) fn of_jobs(workload: &Workload) -> String {
    let mut digest = Digesting::default();
    // What takes digests refuses nothing.
    let _ = write(workload, WriteFormat::Json, &mut digest);
    digest.finish()
}

/// Of what can be written as JSON.
pub(crate) fn of(what: &impl serde::Serialize) -> String {
    let mut digest = RunDigest::default();
    digest.absorb(&serde_json::to_vec(what).unwrap_or_default());
    digest.to_string()
}

/// Takes a digest of what is written, in pieces of one size, so that it doesn't depend on how it is written.
#[derive(Default)]
struct Digesting {
    digest: RunDigest,
    piece: Vec<u8>,
}

const PIECE_BYTES: usize = 1 << 16;

impl Digesting {
    fn finish(mut self) -> String {
        self.digest.absorb(&self.piece);
        self.digest.to_string()
    }
}

impl std::io::Write for Digesting {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let room = PIECE_BYTES - self.piece.len();
        let taken = bytes.get(..room.min(bytes.len())).unwrap_or_default();
        self.piece.extend_from_slice(taken);
        if self.piece.len() == PIECE_BYTES {
            self.digest.absorb(&self.piece);
            self.piece.clear();
        }
        Ok(taken.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
