//! The simulated network: who can talk to whom, how long a message takes, what is lost.
//!
//! Every directed link draws from a stream of its own, so that cutting one leaves the weather on all others as it
//! was. Cuts compose: a message passes only if no cut that stands between its ends is in force when it is sent and
//! when it arrives.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use rand::RngExt as _;
use serde::{Deserialize, Serialize};
use switchyard_model::{NodeId, ReplicaId, SimDuration, Stream, stream};

use crate::timing::Timing;

/// Something with an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Endpoint {
    /// A replica of the control plane, on a host of its own.
    Replica(ReplicaId),
    /// The agent on a compute node.
    Node(NodeId),
    /// The login host, from where users submit and the operator gives orders.
    Login,
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Endpoint::Replica(replica) => write!(f, "replica {}", replica.letter()),
            Endpoint::Node(node) => write!(f, "node {}", node.0),
            Endpoint::Login => write!(f, "login host"),
        }
    }
}

/// Links and cuts.
#[derive(Clone, Debug)]
pub struct Network {
    seed: u64,
    links: BTreeMap<(Endpoint, Endpoint), Stream>,
    partitions: Vec<BTreeSet<Endpoint>>,
    cut_links: BTreeSet<(Endpoint, Endpoint)>,
}

impl Network {
    pub(crate) fn new(seed: u64) -> Self {
        Network { seed, links: BTreeMap::new(), partitions: Vec::new(), cut_links: BTreeSet::new() }
    }

    /// The time that the next message on this link takes, or `None` if the link loses it.
    pub(crate) fn draw(&mut self, from: Endpoint, to: Endpoint, timing: &Timing) -> Option<SimDuration> {
        let seed = self.seed;
        let chance =
            self.links.entry((from, to)).or_insert_with(|| stream(seed, &format!("link {from} > {to}")));
        // Both draws are made for every message: loss on or off leaves the latencies as they were.
        let lost = chance.random_range(0..1_000_000u32) < timing.loss_ppm;
        let jitter = chance.random_range(0..=timing.jitter_micros);
        (!lost).then(|| SimDuration::from_micros(timing.latency_micros + jitter))
    }

    /// Whether a cut stands between the two, in this direction.
    pub fn is_cut(&self, from: Endpoint, to: Endpoint) -> bool {
        self.cut_links.contains(&(from, to)) || self.separates(from, to)
    }

    /// Whether the two are on different sides of a partition.
    pub fn separates(&self, one: Endpoint, other: Endpoint) -> bool {
        self.partitions.iter().any(|side| side.contains(&one) != side.contains(&other))
    }

    /// The partitions in force: each is the set of those on its one side.
    pub fn partitions(&self) -> &[BTreeSet<Endpoint>] {
        &self.partitions
    }

    /// Single links that are cut, each in one direction.
    pub fn cut_links(&self) -> &BTreeSet<(Endpoint, Endpoint)> {
        &self.cut_links
    }

    pub(crate) fn partition(&mut self, side: BTreeSet<Endpoint>) {
        self.partitions.push(side);
    }

    pub(crate) fn cut_link(&mut self, from: Endpoint, to: Endpoint) {
        self.cut_links.insert((from, to));
    }

    /// Takes all cuts back; tells whether there was one.
    pub(crate) fn heal(&mut self) -> bool {
        let cut = !self.partitions.is_empty() || !self.cut_links.is_empty();
        self.partitions.clear();
        self.cut_links.clear();
        cut
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Endpoint = Endpoint::Replica(ReplicaId(0));
    const B: Endpoint = Endpoint::Replica(ReplicaId(1));
    const N: Endpoint = Endpoint::Node(NodeId(0));

    #[test]
    fn cuts_compose_and_heal_together() {
        let mut net = Network::new(1);
        net.partition(BTreeSet::from([A]));
        net.cut_link(B, N);
        assert!(net.is_cut(A, B) && net.is_cut(N, A) && net.is_cut(B, N));
        assert!(!net.is_cut(N, B), "a cut link is cut in one direction");
        net.partition(BTreeSet::from([A, N]));
        assert!(net.is_cut(A, N), "the first partition still stands");
        assert!(net.heal() && !net.heal());
        assert!(!net.is_cut(A, B) && !net.is_cut(B, N));
    }

    #[test]
    fn a_link_draws_the_same_whatever_happens_on_others_and_with_loss_on_or_off() {
        let timing = Timing::default();
        let mut alone = Network::new(7);
        let mut busy = Network::new(7);
        let lossless: Vec<_> = (0..50).map(|_| alone.draw(A, B, &timing)).collect();
        let lossy = Timing { loss_ppm: 300_000, ..timing.clone() };
        let mixed: Vec<_> = (0..50)
            .map(|_| {
                busy.draw(B, A, &timing);
                busy.draw(A, B, &lossy)
            })
            .collect();
        let arrived = mixed.iter().flatten().count();
        assert!((10..50).contains(&arrived), "{arrived} of 50 arrived at 30 % loss");
        for (sure, maybe) in lossless.iter().zip(&mixed) {
            assert!(maybe.is_none() || maybe == sure);
        }
    }
}
