//! Replicas whose messages and writes move only when a test says so.

mod cluster;
mod disk;
mod judge;
pub(crate) mod solo;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use switchyard_raft::{Config, Entry, HardState, Index, PeerId, RawNode, Restored, Term};

pub(crate) use cluster::{Cluster, is_vote};
pub(crate) use judge::Sightings;
pub(crate) use solo::Solo;

pub(crate) type Node = RawNode<ChaCha8Rng>;

pub(crate) const ELECTION_TICKS: u32 = 10;
pub(crate) const HEARTBEAT_TICKS: u32 = 2;

/// Plain Raft as in the paper, without pre-vote and check-quorum.
pub(crate) fn plain(id: PeerId, replicas: PeerId) -> Config {
    Config {
        id,
        voters: (1..=replicas).collect(),
        election_ticks: ELECTION_TICKS,
        heartbeat_ticks: HEARTBEAT_TICKS,
        max_entries_per_message: 4,
        max_inflight: 3,
        pre_vote: false,
        check_quorum: false,
    }
}

/// As it is meant to be used.
pub(crate) fn guarded(id: PeerId, replicas: PeerId) -> Config {
    Config { pre_vote: true, check_quorum: true, ..plain(id, replicas) }
}

pub(crate) fn start(config: Config, restored: Restored, seed: u64) -> Node {
    RawNode::new(config, restored, ChaCha8Rng::seed_from_u64(seed)).unwrap()
}

/// Entries with these terms from `first` on; the data names term and index, so that equal entries are equal in data.
pub(crate) fn entries(first: Index, terms: &[Term]) -> Vec<Entry> {
    (first..)
        .zip(terms)
        .map(|(index, &term)| Entry { term, index, data: format!("{term}/{index}").into_bytes().into() })
        .collect()
}

/// A disk with a log of these terms.
pub(crate) fn on_disk(term: Term, vote: Option<PeerId>, commit: Index, terms: &[Term]) -> Restored {
    Restored { hard_state: HardState { term, vote, commit }, entries: entries(1, terms) }
}

/// The terms of a replica's whole log.
pub(crate) fn log_terms(node: &Node) -> Vec<Term> {
    node.log().entries(1, Index::MAX).iter().map(|entry| entry.term).collect()
}
