//! What the run's digest takes in of everything that happens.

use switchyard_model::SimTime;

use crate::ground::Happening;
use crate::net::Endpoint;

/// What the digest takes in of a happening: its moment, its kind, and enough to tell two of a kind apart.
pub(super) fn fingerprint(at: SimTime, happening: &Happening) -> [u8; 40] {
    let end = |endpoint: &Endpoint| match endpoint {
        Endpoint::Replica(id) => u64::from(id.0),
        Endpoint::Node(id) => 1 << 32 | u64::from(id.0),
        Endpoint::Login => 2 << 32,
    };
    let [kind, a, b, c] = match happening {
        Happening::Arrives { from, to, wire, .. } => {
            let [x, y] = wire.fingerprint();
            [1 | end(from) << 8, end(to), x, y]
        }
        Happening::Tick { replica, epoch } => [2, replica.0.into(), (*epoch).into(), 0],
        Happening::Synced { replica, epoch } => [3, replica.0.into(), (*epoch).into(), 0],
        Happening::Pass { replica, epoch } => [4, replica.0.into(), (*epoch).into(), 0],
        Happening::ReportDue { node, boot } => [5, node.0.into(), (*boot).into(), 0],
        Happening::LeaseEnds { node, boot } => [6, node.0.into(), (*boot).into(), 0],
        Happening::PartEnds { node, incarnation, part } => {
            [7, node.0.into(), (*incarnation).into(), part.job.0 ^ u64::from(part.attempt) << 48]
        }
        Happening::Submit { next } => [8, (*next).into(), 0, 0],
        Happening::Retry { seq, tries } => [9, *seq, (*tries).into(), 0],
    };
    let mut bytes = [0; 40];
    let words = [at.as_micros(), kind, a, b, c];
    for (place, word) in bytes.chunks_exact_mut(8).zip(words) {
        place.copy_from_slice(&word.to_le_bytes());
    }
    bytes
}
