//! A search by chance: the seed draws the rates of all faults, then the faults; at the end everything heals and progress is
//! demanded. The judge watches every step.

use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use switchyard_raft::{Config, PeerId, Restored, Role};

use crate::harness::{Cluster, ELECTION_TICKS, guarded, plain};

/// How often things happen, in thousandths of the occasions.
#[derive(Debug)]
struct Rates {
    replicas: PeerId,
    guarded: bool,
    deliver: u32,
    lose: u32,
    duplicate: u32,
    lazy: u32,
    write: u32,
    crash: u32,
    restart: u32,
    cut: u32,
    heal: u32,
    propose: u32,
}

impl Rates {
    fn draw(rng: &mut ChaCha8Rng) -> Self {
        let mut upto = |most: u32| rng.random_range(0..=most);
        Self {
            replicas: PeerId::from(3 + upto(4)),
            guarded: upto(2) > 0,
            deliver: 300 + upto(700),
            lose: upto(200),
            duplicate: upto(200),
            lazy: upto(300),
            write: 20 + upto(600),
            crash: upto(20),
            restart: 20 + upto(200),
            cut: upto(30),
            heal: 2 + upto(30),
            propose: 50 + upto(500),
        }
    }
}

struct Search {
    rng: ChaCha8Rng,
    rates: Rates,
    cluster: Cluster,
    proposed: u32,
}

impl Search {
    fn new(seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let rates = Rates::draw(&mut rng);
        let config: fn(PeerId, PeerId) -> Config = if rates.guarded { guarded } else { plain };
        let disks = vec![Restored::default(); usize::try_from(rates.replicas).unwrap()];
        let mut cluster = Cluster::restored(disks, config, seed);
        for id in cluster.ids() {
            cluster.member(id).fast_disk = false;
        }
        Self { rng, rates, cluster, proposed: 0 }
    }

    fn happens(&mut self, thousandths: u32) -> bool {
        self.rng.random_range(0..1000) < thousandths
    }

    /// One tick of each replica, in a fixed order, with everything else in between: so ticks are equally long everywhere, as
    /// the lease requires.
    fn round(&mut self) {
        for id in self.cluster.ids() {
            self.cluster.tick(id);
            self.network();
            self.disks();
            self.faults(id);
            if self.happens(self.rates.propose) {
                self.proposed += 1;
                self.cluster.propose(id, &format!("command {}", self.proposed));
            }
            if self.rates.guarded {
                let nodes = self.cluster.members.values().filter_map(|member| member.node.as_ref());
                self.cluster.judge.observe_leases(nodes);
            }
        }
    }

    fn network(&mut self) {
        let crossing = self.cluster.wire.len() * 2 / 3 + 1;
        for _ in 0..crossing {
            if self.cluster.wire.is_empty() || !self.happens(self.rates.deliver) {
                continue;
            }
            let at = self.rng.random_range(0..self.cluster.wire.len() as u64);
            let at = usize::try_from(at).unwrap();
            let message = if self.happens(self.rates.duplicate) {
                self.cluster.wire[at].clone()
            } else {
                self.cluster.wire.remove(at)
            };
            if self.happens(self.rates.lose) {
                continue;
            }
            if self.happens(self.rates.lazy) {
                self.cluster.deliver_lazily(message);
            } else {
                self.cluster.deliver(message);
            }
        }
        if self.cluster.wire.len() > 300 {
            self.cluster.wire.drain(..100);
        }
    }

    fn disks(&mut self) {
        for id in self.cluster.ids() {
            while self.happens(self.rates.write) && self.cluster.complete_write(id) {}
        }
    }

    fn faults(&mut self, id: PeerId) {
        if self.cluster.is_up(id) {
            if self.happens(self.rates.crash) {
                let pending = self.cluster.members[&id].disk.pending() as u64;
                let reached = self.rng.random_range(0..=pending);
                self.cluster.crash(id, usize::try_from(reached).unwrap());
            }
        } else if self.happens(self.rates.restart) {
            self.cluster.restart(id);
        }
        if self.happens(self.rates.cut) {
            let other = self.rng.random_range(1..=self.rates.replicas);
            match self.rng.random_range(0..4u32) {
                0 => drop(self.cluster.cut.insert((id, other))),
                1 => self.cluster.partition(&[id], &[other]),
                2 => self.cluster.isolate(id),
                _ => {
                    let (left, right): (Vec<PeerId>, Vec<PeerId>) =
                        self.cluster.ids().into_iter().partition(|&peer| peer <= other);
                    self.cluster.partition(&left, &right);
                }
            }
        }
        if self.happens(self.rates.heal) {
            self.cluster.heal();
        }
    }

    /// No more faults: one leader, one more command, and the same log everywhere.
    fn heal_and_converge(&mut self) {
        self.cluster.heal();
        for id in self.cluster.ids() {
            if !self.cluster.is_up(id) {
                self.cluster.restart(id);
            }
            self.cluster.member(id).fast_disk = true;
            self.cluster.complete_writes(id);
        }
        let before = self.cluster.judge.chosen().len();
        for _ in 0..20 {
            self.cluster.pass(2 * ELECTION_TICKS);
            if self.settle() {
                let chosen = self.cluster.judge.chosen();
                assert!(chosen.len() > before);
                assert!(self.cluster.members.values().all(|member| member.applied == chosen));
                return;
            }
        }
        let statuses: Vec<_> = self.cluster.live().map(switchyard_raft::RawNode::status).collect();
        panic!("no progress although all is well: {statuses:#?}");
    }

    fn settle(&mut self) -> bool {
        let Some(leader) = self.cluster.leader() else {
            return false;
        };
        let Some((_, index)) = self.cluster.propose(leader, "the last") else {
            return false;
        };
        self.cluster.pass(ELECTION_TICKS - 1);
        let leaders = self.cluster.live().filter(|node| node.role() == Role::Leader).count();
        leaders == 1
            && self
                .cluster
                .live()
                .all(|node| node.log().applied() == index && node.log().last_index() == index)
    }
}

#[test]
fn random_faults_break_nothing() {
    let mut sum = crate::harness::Sightings::default();
    let mut chosen = 0;
    for seed in 0..300 {
        let mut search = Search::new(seed);
        let rates = format!("seed {seed}: {:?}", search.rates);
        let run = std::panic::AssertUnwindSafe(|| {
            for _ in 0..250 {
                search.round();
            }
            search.heal_and_converge();
            (search.cluster.judge.seen.clone(), search.cluster.judge.chosen().len())
        });
        let (seen, length) = std::panic::catch_unwind(run).unwrap_or_else(|_| panic!("{rates}"));
        sum.add(&seen);
        chosen += length;
    }
    // The runs came near the danger.
    assert!(sum.elections > 500, "{sum:?}");
    assert!(sum.overwritten > 100, "{sum:?}");
    assert!(sum.lost_writes > 200, "{sum:?}");
    assert!(sum.stale_leaders > 300, "{sum:?}");
    assert!(sum.leases > 10_000, "{sum:?}");
    assert!(chosen > 5_000, "{chosen}");
}

/// Leases meet only if a new leader gets its own while the old one doesn't yet know: so links change quickly here, everything
/// else is fast, and replicas restart.
#[test]
fn changing_links_never_give_two_leases() {
    let mut sum = crate::harness::Sightings::default();
    for seed in 0..400 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut cluster = Cluster::restored(vec![Restored::default(); 3], guarded, seed);
        for round in 0..200 {
            if round % 3 == 0 {
                change_links(&mut cluster, &mut rng);
            }
            for id in cluster.ids() {
                cluster.tick(id);
                cluster.deliver_all();
                let nodes = cluster.members.values().filter_map(|member| member.node.as_ref());
                cluster.judge.observe_leases(nodes);
            }
            if rng.random_range(0..30u32) == 0 {
                let id = rng.random_range(1..=3);
                cluster.crash(id, 0);
                cluster.restart(id);
            }
        }
        sum.add(&cluster.judge.seen);
    }
    assert!(sum.elections > 1_000, "{sum:?}");
    assert!(sum.stale_leaders > 10, "{sum:?}");
    assert!(sum.leases > 50_000, "{sum:?}");
}

/// Each link is heard of anew: mostly it stays as it was.
fn change_links(cluster: &mut Cluster, rng: &mut ChaCha8Rng) {
    let ids = cluster.ids();
    for &from in &ids {
        for &to in &ids {
            match rng.random_range(0..10u32) {
                0 => drop(cluster.cut.insert((from, to))),
                1 => drop(cluster.cut.remove(&(from, to))),
                _ => {}
            }
        }
    }
}

/// One thing that a visitor of the cluster can do; numbers are taken modulo what there is.
#[derive(Debug, Clone)]
enum Deed {
    Tick(u8),
    TimeOut(u8),
    Deliver(u8),
    DeliverTo(u8),
    Duplicate(u8),
    Lose(u8),
    Write(u8),
    Propose(u8),
    CrashAndRestart(u8, u8),
}

fn deed() -> impl Strategy<Value = Deed> {
    let at = any::<u8>();
    prop_oneof![
        2 => at.prop_map(Deed::Tick),
        2 => at.prop_map(Deed::TimeOut),
        6 => at.prop_map(Deed::Deliver),
        6 => at.prop_map(Deed::DeliverTo),
        1 => at.prop_map(Deed::Duplicate),
        1 => at.prop_map(Deed::Lose),
        6 => at.prop_map(Deed::Write),
        3 => at.prop_map(Deed::Propose),
        1 => (at, 0u8..3).prop_map(|(at, reached)| Deed::CrashAndRestart(at, reached)),
    ]
}

fn carry_out(cluster: &mut Cluster, deed: &Deed) {
    let ids = cluster.ids();
    let id = |at: u8| ids[usize::from(at) % ids.len()];
    let place = |cluster: &Cluster, at: u8| match cluster.wire.len() {
        0 => None,
        length => Some(usize::from(at) % length),
    };
    match *deed {
        Deed::Tick(at) => cluster.tick(id(at)),
        Deed::TimeOut(at) if cluster.role(id(at)) != Role::Leader => cluster.time_out(id(at)),
        Deed::TimeOut(_) => {}
        Deed::Deliver(at) => {
            if let Some(at) = place(cluster, at) {
                let message = cluster.wire.remove(at);
                cluster.deliver(message);
            }
        }
        Deed::DeliverTo(at) => {
            let waiting = cluster.take_where(|message| message.to == id(at));
            for message in waiting {
                cluster.deliver(message);
            }
        }
        Deed::Duplicate(at) => {
            if let Some(at) = place(cluster, at) {
                let message = cluster.wire[at].clone();
                cluster.deliver(message);
            }
        }
        Deed::Lose(at) => {
            if let Some(at) = place(cluster, at) {
                cluster.wire.remove(at);
            }
        }
        Deed::Write(at) => cluster.complete_writes(id(at)),
        Deed::Propose(at) => drop(cluster.propose(id(at), "command")),
        Deed::CrashAndRestart(at, reached) => {
            let pending = cluster.members[&id(at)].disk.pending();
            cluster.crash(id(at), usize::from(reached).min(pending));
            cluster.restart(id(at));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// The same judge over short schedules that shrink to what matters.
    #[test]
    fn no_schedule_breaks_a_rule(
        replicas in 3u64..=5,
        guards in any::<bool>(),
        deeds in prop::collection::vec(deed(), 1..200),
    ) {
        let config: fn(PeerId, PeerId) -> Config = if guards { guarded } else { plain };
        let mut cluster = Cluster::new(replicas, config);
        for id in cluster.ids() {
            cluster.member(id).fast_disk = false;
        }
        for deed in &deeds {
            carry_out(&mut cluster, deed);
        }
    }
}
