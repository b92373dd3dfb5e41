//! Several replicas, the messages on the wire between them, and a judge who sees everything.

use std::collections::{BTreeMap, BTreeSet};

use switchyard_raft::{Body, Config, Entry, Index, Message, PeerId, Restored, Role, Term};

use super::disk::Disk;
use super::judge::Judge;
use super::{Node, log_terms, start};

#[derive(Debug, Clone)]
pub(crate) struct Member {
    config: Config,
    pub(crate) node: Option<Node>,
    pub(crate) disk: Disk,
    /// Writes are durable as soon as they are handed over.
    pub(crate) fast_disk: bool,
    pub(crate) applied: Vec<Entry>,
    starts: u64,
}

#[derive(Debug, Clone)]
pub(crate) struct Cluster {
    pub(crate) members: BTreeMap<PeerId, Member>,
    /// Sent and not yet delivered, oldest first.
    pub(crate) wire: Vec<Message>,
    /// Links (from, to) that lose everything.
    pub(crate) cut: BTreeSet<(PeerId, PeerId)>,
    pub(crate) judge: Judge,
    seed: u64,
}

impl Cluster {
    pub(crate) fn new(replicas: PeerId, config: impl Fn(PeerId, PeerId) -> Config) -> Self {
        Self::restored(vec![Restored::default(); usize::try_from(replicas).unwrap()], config, 7)
    }

    /// Replicas 1, 2, … with what stands on their disks.
    pub(crate) fn restored(
        disks: Vec<Restored>,
        config: impl Fn(PeerId, PeerId) -> Config,
        seed: u64,
    ) -> Self {
        let replicas = disks.len() as PeerId;
        let members = (1..)
            .zip(disks)
            .map(|(id, restored)| {
                let member = Member {
                    config: config(id, replicas),
                    node: None,
                    disk: Disk::new(restored),
                    fast_disk: true,
                    applied: Vec::new(),
                    starts: 0,
                };
                (id, member)
            })
            .collect();
        let mut cluster =
            Self { members, wire: Vec::new(), cut: BTreeSet::new(), judge: Judge::default(), seed };
        for id in cluster.ids() {
            cluster.restart(id);
        }
        cluster
    }

    pub(crate) fn ids(&self) -> Vec<PeerId> {
        self.members.keys().copied().collect()
    }

    pub(crate) fn member(&mut self, id: PeerId) -> &mut Member {
        self.members.get_mut(&id).unwrap()
    }

    pub(crate) fn node(&self, id: PeerId) -> &Node {
        self.members[&id].node.as_ref().unwrap()
    }

    pub(crate) fn is_up(&self, id: PeerId) -> bool {
        self.members[&id].node.is_some()
    }

    pub(crate) fn role(&self, id: PeerId) -> Role {
        self.node(id).role()
    }

    pub(crate) fn term(&self, id: PeerId) -> Term {
        self.node(id).term()
    }

    pub(crate) fn commit(&self, id: PeerId) -> Index {
        self.node(id).log().commit()
    }

    pub(crate) fn log(&self, id: PeerId) -> Vec<Term> {
        log_terms(self.node(id))
    }

    pub(crate) fn live(&self) -> impl Iterator<Item = &Node> + Clone {
        self.members.values().filter_map(|member| member.node.as_ref())
    }

    // What happens to one replica.

    pub(crate) fn restart(&mut self, id: PeerId) {
        let seed = self.seed;
        let member = self.member(id);
        member.starts += 1;
        let seed = seed.wrapping_mul(1000).wrapping_add(member.starts * 10 + id);
        member.node = Some(start(member.config.clone(), member.disk.durable().clone(), seed));
        member.applied.clear();
        self.carry_out(id);
    }

    /// A crash. Of the writes under way the first `reached` made it to the medium.
    pub(crate) fn crash(&mut self, id: PeerId, reached: usize) {
        let member = self.member(id);
        let lost = member.disk.pending().saturating_sub(reached);
        member.disk.crash(reached);
        member.node = None;
        self.judge.on_crash(id, lost);
    }

    pub(crate) fn tick(&mut self, id: PeerId) {
        if let Some(node) = &mut self.member(id).node {
            node.tick();
            self.carry_out(id);
        }
    }

    pub(crate) fn propose(&mut self, id: PeerId, data: &str) -> Option<(Term, Index)> {
        let node = self.member(id).node.as_mut()?;
        let place = node.propose(data.as_bytes().into()).ok();
        self.carry_out(id);
        place
    }

    /// The oldest write of a slow disk becomes durable.
    pub(crate) fn complete_write(&mut self, id: PeerId) -> bool {
        let member = self.member(id);
        let Some(persist) = member.disk.complete_one() else {
            return false;
        };
        if let Some(node) = &mut member.node {
            node.on_persisted(persist.mark);
        }
        for message in persist.messages {
            self.send(message);
        }
        self.carry_out(id);
        true
    }

    /// All writes of a slow disk become durable.
    pub(crate) fn complete_writes(&mut self, id: PeerId) {
        while self.complete_write(id) {}
    }

    fn send(&mut self, message: Message) {
        self.judge.on_send(&message, &self.members[&message.from].disk);
        self.wire.push(message);
    }

    /// What a driver does, until there is nothing left to do.
    fn carry_out(&mut self, id: PeerId) {
        loop {
            self.observe(id);
            let member = self.member(id);
            let Some(node) = member.node.as_mut().filter(|node| node.has_ready()) else {
                return;
            };
            let ready = node.ready();
            let before = member.applied.len();
            member.applied.extend(ready.committed.iter().cloned());
            if let Some(persist) = ready.persist {
                member.disk.write(persist);
            }
            let is_fast = member.fast_disk;
            let disk = &self.members[&id].disk;
            self.judge.on_apply(id, before, &ready.committed, disk);
            for message in ready.messages {
                self.send(message);
            }
            if is_fast {
                self.complete_writes(id);
            }
        }
    }

    fn observe(&mut self, id: PeerId) {
        let disks = self.members.iter().map(|(&id, member)| (id, &member.disk)).collect();
        if let Some(node) = &self.members[&id].node {
            self.judge.observe(node, &disks);
        }
        let live = self.members.values().filter_map(|member| member.node.as_ref());
        self.judge.observe_all(&live);
    }

    // What happens on the wire.

    /// Delivers one message, unless its link is cut or its recipient down.
    pub(crate) fn deliver(&mut self, message: Message) {
        let to = message.to;
        if self.cut.contains(&(message.from, to)) {
            return;
        }
        if let Some(node) = &mut self.member(to).node {
            node.step(message).unwrap();
            self.carry_out(to);
        }
    }

    /// Delivers one message, but lets the driver be late: what the replica has to say waits for its next event.
    pub(crate) fn deliver_lazily(&mut self, message: Message) {
        let to = message.to;
        if self.cut.contains(&(message.from, to)) {
            return;
        }
        if let Some(node) = &mut self.member(to).node {
            node.step(message).unwrap();
            self.observe(to);
        }
    }

    /// Delivers everything, also what is sent meanwhile, until the wire is empty.
    pub(crate) fn deliver_all(&mut self) {
        self.deliver_where(|_| true);
    }

    /// Delivers what `wanted` admits, also what is sent meanwhile; the rest stays on the wire.
    pub(crate) fn deliver_where(&mut self, wanted: impl Fn(&Message) -> bool) {
        while let Some(at) = self.wire.iter().position(&wanted) {
            let message = self.wire.remove(at);
            self.deliver(message);
        }
    }

    /// Takes messages off the wire: lost, or held back by the test.
    pub(crate) fn take_where(&mut self, wanted: impl Fn(&Message) -> bool) -> Vec<Message> {
        let (taken, kept) = std::mem::take(&mut self.wire).into_iter().partition(wanted);
        self.wire = kept;
        taken
    }

    /// Cuts all links between the two groups.
    pub(crate) fn partition(&mut self, left: &[PeerId], right: &[PeerId]) {
        for &a in left {
            for &b in right {
                self.cut.insert((a, b));
                self.cut.insert((b, a));
            }
        }
    }

    pub(crate) fn isolate(&mut self, id: PeerId) {
        let others: Vec<PeerId> = self.ids().into_iter().filter(|&other| other != id).collect();
        self.partition(&[id], &others);
    }

    pub(crate) fn heal(&mut self) {
        self.cut.clear();
    }

    // Longer stretches.

    /// Lets time pass for these replicas; everything is delivered between ticks.
    pub(crate) fn pass_for(&mut self, ids: &[PeerId], ticks: u32) {
        for _ in 0..ticks {
            for &id in ids {
                self.tick(id);
            }
            self.deliver_all();
        }
    }

    pub(crate) fn pass(&mut self, ticks: u32) {
        let ids = self.ids();
        self.pass_for(&ids, ticks);
    }

    /// Lets one replica's election timer fire; nothing is delivered.
    pub(crate) fn time_out(&mut self, id: PeerId) {
        let status = self.node(id).status();
        for _ in status.election_elapsed..status.election_timeout {
            self.tick(id);
        }
    }

    /// Lets one replica win an election on the links that work.
    pub(crate) fn elect(&mut self, id: PeerId) {
        self.time_out(id);
        self.deliver_all();
        assert_eq!(self.role(id), Role::Leader, "{:?}", self.node(id).status());
    }

    /// The leader of the highest term among the live.
    pub(crate) fn leader(&self) -> Option<PeerId> {
        self.live().filter(|node| node.role() == Role::Leader).max_by_key(|node| node.term()).map(Node::id)
    }
}

pub(crate) fn is_vote(message: &Message) -> bool {
    matches!(message.body, Body::Vote { .. })
}
