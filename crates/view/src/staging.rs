//! Sets the stage: what the picture shows, taken from the world as it stands and from what happened since last time.

use switchyard_model::{Job, JobSpec, NodeId, Placement, Shape};
use switchyard_raft::Role as RaftRole;
use switchyard_scheduler::Reservation;
use switchyard_sim::{
    Endpoint, Event, Flight, JobState, MessageKind, NodeState, Replica as SimReplica, World,
};

use crate::accounts::Accounts;
use crate::stage::{
    End, Happening, Health, Kind, Message, Node, Rack, Replica, Role, Run, SLABS_SHOWN, SLOTS_PER_NODE,
    Signal, Slab, Slot, Stage, Tint, Waiting,
};
use crate::words::rack_name;

/// Jobs that stand in the lane; the rest is told as a number.
const QUEUE_SHOWN: usize = 14;
/// Happenings shown of one frame: more at once could not be followed anyway.
const HAPPENINGS_SHOWN: usize = 4;
/// A link glows fully at this many messages per node and frame.
const FULL_TRAFFIC: f32 = 6.0;
/// How much of the old glow stays from frame to frame.
const GLOW_KEPT: f32 = 0.85;

/// What has to be remembered from one stage to the next.
#[derive(Clone, Debug, Default)]
pub struct Staging {
    accounts: Accounts,
    events_seen: u64,
    losses_seen: u64,
    traffic_seen: Vec<u64>,
    glow: Vec<f32>,
}

impl Staging {
    /// For a new run.
    pub fn new(jobs: &[Job]) -> Self {
        Staging { accounts: Accounts::of(jobs), ..Staging::default() }
    }

    /// The accounts of the run.
    pub const fn accounts(&self) -> &Accounts {
        &self.accounts
    }

    /// The stage now. Messages are shown one by one only if time is slow enough to see them (`messages`).
    pub fn stage(&mut self, world: &World, messages: bool) -> Stage {
        self.follow_traffic(world);
        let reference = reference(world);
        let apart = |host: Endpoint| reference.is_some_and(|leader| world.network().separates(leader, host));
        let reservation = world.plan().and_then(|plan| plan.head_reservation());
        let glows = self.glow.iter().copied().fold(0.0f32, f32::max);
        let mut happenings = self.starts(world);
        happenings.extend(self.losses(world, messages));
        Stage {
            racks: self.racks(world, reservation, &apart),
            replicas: world.replicas().iter().map(|replica| replica_of(replica, &apart)).collect(),
            committed: world.highest_applied(),
            spines: vec![glows, glows * 0.8],
            queue: self.queue(world),
            pending: world.counts().pending as usize,
            signal: signal(world),
            messages: if messages { self.messages(world) } else { Vec::new() },
            happenings,
        }
    }

    fn account(&self, spec: &JobSpec) -> u8 {
        self.accounts.number(&spec.account)
    }

    fn follow_traffic(&mut self, world: &World) {
        let racks = world.fleet().racks();
        self.glow.resize(racks.len(), 0.0);
        self.traffic_seen.resize(world.traffic().len(), 0);
        for (rack, glow) in racks.iter().zip(&mut self.glow) {
            let carried: u64 = rack
                .nodes
                .iter()
                .map(|node| {
                    let now = world.traffic().get(node.index()).copied().unwrap_or(0);
                    let seen = self.traffic_seen.get_mut(node.index());
                    seen.map_or(0, |seen| now.saturating_sub(std::mem::replace(seen, now)))
                })
                .sum();
            let full = FULL_TRAFFIC * rack.nodes.len().max(1) as f32;
            *glow = (*glow * GLOW_KEPT + (1.0 - GLOW_KEPT) * (carried as f32 / full)).min(1.0);
        }
    }

    fn racks(
        &self,
        world: &World,
        reservation: Option<&Reservation>,
        apart: &impl Fn(Endpoint) -> bool,
    ) -> Vec<Rack> {
        let head = reservation
            .and_then(|reserved| Some((reserved, self.account(&world.book().job(reserved.job)?.spec))));
        let reserved_for = |node: NodeId| {
            head.and_then(|(reserved, account)| reserved.nodes.contains(&node).then_some(account))
        };
        let racks = world.fleet().racks().iter().zip(&self.glow);
        racks
            .map(|(rack, glow)| Rack {
                id: rack.id,
                name: rack_name(rack.id).into(),
                nodes: rack
                    .nodes
                    .iter()
                    .map(|id| Node {
                        id: *id,
                        health: health(world, *id),
                        slots: self.slots(world, *id),
                        reserved: reserved_for(*id),
                        apart: apart(Endpoint::Node(*id)),
                    })
                    .collect(),
                traffic: *glow,
            })
            .collect()
    }

    fn slots(&self, world: &World, id: NodeId) -> Vec<Slot> {
        let Some(node) = world.fleet().node(id) else { return Vec::new() };
        let gpus = world.fleet().has_gpus();
        let units = if gpus { node.capacity.gpus } else { node.capacity.cpus };
        let mut slots = vec![Slot::default(); (units as usize).min(SLOTS_PER_NODE)];
        let Some(agent) = world.agents().get(id.index()) else { return slots };
        let mut next_cpu = 0;
        for part in agent.running() {
            let Some(record) = world.book().job(part.job) else { continue };
            let run = Run { job: part.job, account: self.account(&record.spec) };
            let mut put = |unit: u32| {
                // A slot stands for several units where a node has more than there are places on its tray.
                let place = (unit as usize * slots.len()).checked_div(units as usize).unwrap_or(0);
                if let Some(slot) = slots.get_mut(place) {
                    slot.run = Some(run);
                }
            };
            if gpus {
                part.share.gpus.slots().for_each(&mut put);
            } else {
                (next_cpu..next_cpu + part.share.cpus).for_each(&mut put);
                next_cpu += part.share.cpus;
            }
        }
        slots
    }

    fn queue(&self, world: &World) -> Vec<Waiting> {
        let waiting = |spec: &JobSpec| {
            let (nodes, slots_per_node) = footprint(world, spec);
            let limit_min = u32::try_from(spec.limit.as_micros() / 60_000_000).unwrap_or(u32::MAX);
            Waiting { job: spec.id, account: self.account(spec), nodes, slots_per_node, limit_min }
        };
        match world.plan() {
            Some(plan) => {
                let jobs = plan.waiting.iter().filter_map(|waiting| world.book().job(waiting.job));
                let jobs = jobs.filter(|record| record.state == JobState::Pending);
                jobs.take(QUEUE_SHOWN).map(|record| waiting(&record.spec)).collect()
            }
            None => {
                let jobs = world.book().jobs().values().filter(|record| record.state == JobState::Pending);
                jobs.take(QUEUE_SHOWN).map(|record| waiting(&record.spec)).collect()
            }
        }
    }

    fn messages(&self, world: &World) -> Vec<Message> {
        let now = world.now();
        let progress = |flight: &Flight| {
            let whole = flight.arrives.since(flight.sent).as_micros().max(1);
            now.since(flight.sent).as_micros() as f32 / whole as f32
        };
        world
            .flights()
            .values()
            .map(|flight| self.message(world, flight, progress(flight).min(1.0)))
            .collect()
    }

    fn message(&self, world: &World, flight: &Flight, progress: f32) -> Message {
        let account =
            flight.job.and_then(|job| world.book().job(job)).map(|record| self.account(&record.spec));
        let tint = match (flight.term, account) {
            (Some(term), _) => Tint::Term(term),
            (None, Some(account)) => Tint::Account(account),
            (None, None) => Tint::Plain,
        };
        Message { kind: kind(flight.kind), tint, from: end(flight.from), to: end(flight.to), progress }
    }

    fn losses(&mut self, world: &World, messages: bool) -> Vec<Happening> {
        let new = world.losses_total() - std::mem::replace(&mut self.losses_seen, world.losses_total());
        // Without cuts, single losses are seen only in slow motion.
        let network = world.network();
        if !messages && network.partitions().is_empty() && network.cut_links().is_empty() {
            return Vec::new();
        }
        let shown = usize::try_from(new).unwrap_or(usize::MAX).min(HAPPENINGS_SHOWN);
        let new = world.losses().iter().rev().take(shown);
        new.map(|loss| Happening::Lost(self.message(world, &loss.flight, 0.5))).collect()
    }

    fn starts(&mut self, world: &World) -> Vec<Happening> {
        let first_kept = world.events_dropped();
        let skip = usize::try_from(self.events_seen.saturating_sub(first_kept)).unwrap_or(usize::MAX);
        self.events_seen = first_kept + world.events().len() as u64;
        let placed = world.events().iter().skip(skip).filter_map(|record| match record.event {
            Event::JobPlaced { job, .. } => world.book().job(job),
            _ => None,
        });
        let placed: Vec<_> = placed.take(HAPPENINGS_SHOWN + 1).collect();
        if placed.len() > HAPPENINGS_SHOWN {
            return Vec::new();
        }
        let started = |record: &&switchyard_sim::JobRecord| Happening::Started {
            job: record.spec.id,
            account: self.account(&record.spec),
            slots: slots_of(world, &record.placement),
        };
        placed.iter().map(started).collect()
    }
}

/// The host from which the network is looked at: the leader, or the first replica of the larger side.
fn reference(world: &World) -> Option<Endpoint> {
    if world.network().partitions().is_empty() {
        return None;
    }
    if let Some((leader, _)) = world.leader() {
        return Some(Endpoint::Replica(leader.id()));
    }
    let replicas = || world.replicas().iter().map(|replica| Endpoint::Replica(replica.id()));
    replicas().max_by_key(|from| replicas().filter(|to| !world.network().separates(*from, *to)).count())
}

fn health(world: &World, node: NodeId) -> Health {
    let Some(agent) = world.agents().get(node.index()) else { return Health::Down };
    match world.node_state(node) {
        _ if !agent.is_up() => Health::Down,
        _ if agent.is_fenced() => Health::Fenced,
        Some(NodeState::Down) => Health::Fenced,
        Some(NodeState::Suspect) => Health::Suspect,
        _ => Health::Up,
    }
}

fn replica_of(replica: &SimReplica, apart: &impl Fn(Endpoint) -> bool) -> Replica {
    let apart = apart(Endpoint::Replica(replica.id()));
    let Some(core) = replica.raft() else {
        let entries = replica.disk().entries();
        let log = entries.iter().skip(entries.len().saturating_sub(SLABS_SHOWN));
        return Replica {
            id: replica.id(),
            role: Role::Down,
            term: entries.last().map_or(0, |entry| entry.term),
            last: replica.disk().durable_index(),
            log: log.map(|entry| Slab { term: entry.term, committed: false }).collect(),
            timer: 0.0,
            apart,
        };
    };
    let status = core.status();
    let log = core.log();
    let first = status.last_index.saturating_sub(SLABS_SHOWN as u64) + 1;
    let slab = |index| Some(Slab { term: log.term_at(index)?, committed: index <= status.commit });
    Replica {
        id: replica.id(),
        role: match status.role {
            RaftRole::Follower => Role::Follower,
            RaftRole::PreCandidate | RaftRole::Candidate => Role::Candidate,
            RaftRole::Leader => Role::Leader,
        },
        term: status.term,
        last: status.last_index,
        log: (first..=status.last_index).filter_map(slab).collect(),
        timer: 1.0 - status.election_elapsed as f32 / status.election_timeout.max(1) as f32,
        apart,
    }
}

fn signal(world: &World) -> Signal {
    match world.plan() {
        None => Signal::Dark,
        Some(plan) if plan.waiting.is_empty() => Signal::Go,
        Some(_) => Signal::Wait,
    }
}

/// How a waiting job stands in the lane: nodes and slots of each.
fn footprint(world: &World, spec: &JobSpec) -> (u32, u8) {
    let gpus = world.fleet().has_gpus();
    let node = world.fleet().nodes().first().map(|node| node.capacity).unwrap_or_default();
    let per_node = if gpus { node.gpus } else { node.cpus }.max(1);
    let shown = per_node.min(SLOTS_PER_NODE as u32);
    let slots =
        |units: u32| u8::try_from((units * shown).div_ceil(per_node).clamp(1, shown)).unwrap_or(u8::MAX);
    match spec.shape {
        Shape::Nodes { nodes, per_node: each } => {
            (nodes, slots((if gpus { each.gpus } else { each.cpus }).min(per_node)))
        }
        Shape::Tasks { .. } => {
            let total = spec.shape.total();
            let units = if gpus { total.gpus } else { total.cpus };
            (units.div_ceil(per_node).max(1), slots(units.min(per_node)))
        }
    }
}

/// The places on the trays to which a starting job flies.
fn slots_of(world: &World, placement: &Placement) -> Vec<(NodeId, u8)> {
    let gpus = world.fleet().has_gpus();
    let of_node = |share: &switchyard_model::NodeShare| {
        let node = share.node;
        let capacity = world.fleet().node(node).map(|node| node.capacity).unwrap_or_default();
        let units = if gpus { capacity.gpus } else { capacity.cpus }.max(1);
        let shown = units.min(SLOTS_PER_NODE as u32);
        let place = move |unit: u32| (node, u8::try_from(unit * shown / units).unwrap_or(u8::MAX));
        let mut places: Vec<_> = if gpus {
            share.gpus.slots().map(place).collect()
        } else {
            (0..share.cpus.min(units)).map(place).collect()
        };
        places.dedup();
        places
    };
    placement.0.iter().flat_map(of_node).collect()
}

const fn end(endpoint: Endpoint) -> End {
    match endpoint {
        Endpoint::Replica(id) => End::Replica(id),
        Endpoint::Node(id) => End::Node(id),
        Endpoint::Login => End::Client,
    }
}

fn kind(kind: MessageKind) -> Kind {
    match kind {
        MessageKind::Append(entries) => Kind::Append(u8::try_from(entries).unwrap_or(u8::MAX)),
        MessageKind::Heartbeat | MessageKind::Report => Kind::Heartbeat,
        MessageKind::VoteRequest | MessageKind::Vote => Kind::Vote,
        MessageKind::Lease => Kind::Lease,
        MessageKind::Launch | MessageKind::Request => Kind::Start,
        MessageKind::Answer
        | MessageKind::Reply
        | MessageKind::Stop
        | MessageKind::Ended
        | MessageKind::Notice => Kind::Answer,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::testing::{job, pass, world};
    use switchyard_model::JobId;
    use switchyard_sim::Command;

    #[test]
    fn running_jobs_stand_on_their_slots_and_the_head_has_its_frames() {
        let jobs = vec![job(1, "a", 5, 500, 3), job(2, "b", 6, 100, 2), job(3, "a", 7, 50, 1)];
        let mut staging = Staging::new(&jobs);
        let world = world(4, jobs, 20);
        let stage = staging.stage(&world, false);
        let runs: Vec<_> =
            stage.racks.iter().flat_map(|rack| &rack.nodes).map(|node| node.slots[0].run).collect();
        let run = |job, account| Some(Run { job: JobId(job), account });
        assert_eq!(runs, [run(1, 0), run(1, 0), run(1, 0), run(3, 0)]);
        let waiting: Vec<_> = stage.queue.iter().map(|waiting| (waiting.job, waiting.nodes)).collect();
        assert_eq!(waiting, [(JobId(2), 2)]);
        let framed = stage.racks.iter().flat_map(|rack| &rack.nodes).filter(|node| node.reserved == Some(1));
        assert_eq!(framed.count(), 2);
        let started = stage.happenings.iter().filter(|one| matches!(one, Happening::Started { .. }));
        assert_eq!(started.count(), 2);
        assert_eq!(staging.stage(&world, false).happenings, [], "what was shown is not shown again");
    }

    #[test]
    fn the_leader_wears_the_crown_and_the_dead_lie_down_with_their_logs() {
        let mut world = world(2, vec![job(1, "a", 5, 500, 1)], 20);
        let mut staging = Staging::new(world.jobs());
        let leader = world.leader().unwrap().0.id();
        let stage = staging.stage(&world, true);
        assert_eq!(stage.replicas[leader.index()].role, Role::Leader);
        assert!(stage.replicas[leader.index()].log.iter().all(|slab| slab.committed));
        world.apply(Command::CrashReplica(leader)).unwrap();
        let stage = staging.stage(&world, true);
        assert_eq!(stage.replicas[leader.index()].role, Role::Down);
        assert!(!stage.replicas[leader.index()].log.is_empty());
        assert_eq!(stage.signal, Signal::Dark);
    }

    #[test]
    fn a_cut_is_seen_from_the_leader_and_its_losses_burst() {
        let mut world = world(2, Vec::new(), 20);
        let mut staging = Staging::new(&[]);
        staging.stage(&world, false);
        let side = [Endpoint::Node(NodeId(1))].into();
        world.apply(Command::Partition(side)).unwrap();
        pass(&mut world, 12);
        let stage = staging.stage(&world, false);
        let apart: Vec<_> = stage.racks.iter().flat_map(|rack| &rack.nodes).map(|node| node.apart).collect();
        assert_eq!(apart, [false, true]);
        assert!(stage.is_cut());
        assert!(stage.happenings.iter().any(|one| matches!(one, Happening::Lost(_))));
        assert_eq!(stage.racks[0].nodes[1].health, Health::Suspect);
    }
}
