//! Nodes, their GPUs, racks and switches, explained.

use switchyard_model::{NodeId, RackId, ReplicaId};
use switchyard_sim::{Agent, Endpoint, NodeState, World};

use super::{InspectorView, Tone};
use crate::accounts::Accounts;
use crate::mark::Mark;
use crate::stage::{SLOTS_PER_NODE, Thing};
use crate::topbar::relative;
use crate::words::{clock, counted, grouped, node_name, rack_name, span, unit, units_of};

pub(super) fn node(world: &World, accounts: &Accounts, id: NodeId) -> Option<InspectorView> {
    let node = world.fleet().node(id)?;
    let agent = world.agents().get(id.index())?;
    let mut view = InspectorView::new(world, Thing::Node(id));
    state(world, id, agent, &mut view);
    let busy: u32 = agent.running().map(|part| units_of(world.fleet(), &part.share.resources())).sum();
    let all = units_of(world.fleet(), &node.capacity);
    view.fact("busy", format!("{busy} of {}", counted(all.into(), unit(world.fleet()))));
    for part in agent.running() {
        let units = units_of(world.fleet(), &part.share.resources());
        let words = format!("job {}, {}", part.job, counted(units.into(), unit(world.fleet())));
        view.link("runs", words, Thing::Job(part.job));
    }
    if let [only] = agent.running().collect::<Vec<_>>().as_slice() {
        view.account = world.book().job(only.job).map(|record| accounts.number(&record.spec.account));
    }
    let lease = |until| format!("until {}, {}", clock(until), relative(world.now(), until));
    view.fact("lease", agent.lease_until().map_or_else(|| "none: it may run no job".to_owned(), lease));
    let life = world.book().node(id).map_or(0, |record| record.incarnation);
    view.fact("life", format!("{life}, counted up at each boot and self-fencing"));
    view.link("rack", rack_name(node.rack), Thing::Rack(node.rack));
    view.acts_of_hosts(world, is_cut(world, Endpoint::Node(id)));
    Some(view)
}

/// What the control plane holds of the node, and what is true; the two may differ for a while.
fn state(world: &World, id: NodeId, agent: &Agent, view: &mut InspectorView) {
    let known = world.node_state(id).unwrap_or(NodeState::Joining);
    match known {
        NodeState::Joining => view.chip("joining", Tone::Plain, None),
        NodeState::Up => view.chip("up", Tone::Plain, None),
        NodeState::Suspect => view.chip("suspect", Tone::Warn, Some(Mark::Suspect)),
        NodeState::Down => view.chip("down", Tone::Bad, Some(Mark::Cross)),
    }
    if agent.is_fenced() {
        view.chip("fenced", Tone::Bad, Some(Mark::Fence));
    }
    if is_cut(world, Endpoint::Node(id)) {
        view.chip("cut off", Tone::Bad, Some(Mark::Cut));
    }
    let lease = span(world.timing().lease());
    let (headline, evidence) = match (known, agent.is_up(), agent.is_fenced()) {
        (NodeState::Down, false, _) => {
            ("It has no power.", "Its lease has ended, so its jobs went back to the queue.".to_owned())
        }
        (_, false, _) => (
            "It has no power, and the control plane does not know yet.",
            format!("Silence is not death: its jobs are requeued when its lease of {lease} must have ended."),
        ),
        (_, true, true) => (
            "It could not renew its lease, stopped its jobs and fenced itself.",
            "So its jobs can safely start elsewhere. It takes jobs again once a leader hears it.".to_owned(),
        ),
        (NodeState::Suspect, true, false) => (
            "Nothing was heard of it for a while: unknown, not dead.",
            format!("It gets no new jobs. Those it has are safe until its lease of {lease} ends."),
        ),
        (NodeState::Down, true, false) => {
            ("It runs, and is to be welcomed back.", "Its next report begins a new life.".to_owned())
        }
        (NodeState::Joining, true, false) => {
            ("It has not reported yet.", "It gets jobs after its first report.".to_owned())
        }
        (NodeState::Up, true, false) => (
            "It reports and takes jobs.",
            format!("Each report that is answered renews its lease of {lease}."),
        ),
    };
    view.headline = headline.to_owned();
    view.evidence = evidence;
}

/// Whether a cut stands between this end and the leader, or any replica if nobody leads.
pub(super) fn is_cut(world: &World, end: Endpoint) -> bool {
    let net = world.network();
    match world.leader() {
        Some((leader, _)) => net.is_cut(end, Endpoint::Replica(leader.id())),
        None => (0..world.replicas().len() as u32).any(|id| {
            Endpoint::Replica(ReplicaId(id)) != end && net.is_cut(end, Endpoint::Replica(ReplicaId(id)))
        }),
    }
}

pub(super) fn slot(world: &World, accounts: &Accounts, id: NodeId, slot: u8) -> Option<InspectorView> {
    let fleet = world.fleet();
    let node = fleet.node(id)?;
    let agent = world.agents().get(id.index())?;
    let mut view = InspectorView::new(world, Thing::Slot(id, slot));
    let units = units_of(fleet, &node.capacity);
    let range = units_of_slot(units, slot);
    if range.len() > 1 {
        view.title = format!("{}s {} to {} of {}", unit(fleet), range.start + 1, range.end, node.name);
    }
    // GPUs have numbers; processors are taken in the order of the jobs.
    let mut before = 0;
    let job = agent.running().find(|part| {
        if fleet.has_gpus() {
            return range.clone().any(|unit| part.share.gpus.contains(unit));
        }
        let mine = before..before + part.share.cpus;
        before = mine.end;
        mine.start < range.end && range.start < mine.end
    });
    match job {
        Some(part) => {
            view.chip("busy", Tone::Plain, None);
            view.headline = format!("Job {} runs here since {}.", part.job, clock(part.since));
            view.link("runs", format!("job {}", part.job), Thing::Job(part.job));
            view.account = world.book().job(part.job).map(|record| accounts.number(&record.spec.account));
        }
        None => {
            view.chip("idle", Tone::Plain, None);
            let kept = world.plan().and_then(|plan| plan.head_reservation());
            match kept.filter(|kept| kept.nodes.contains(&id)) {
                Some(kept) => {
                    view.headline =
                        format!("Kept free for job {}, which starts by {}.", kept.job, clock(kept.at));
                    view.link("kept for", format!("job {}", kept.job), Thing::Job(kept.job));
                }
                None => view.headline = "No job runs here.".to_owned(),
            }
        }
    }
    view.link("node", node.name.to_string(), Thing::Node(id));
    view.acts_of_hosts(world, is_cut(world, Endpoint::Node(id)));
    Some(view)
}

/// The units that a slot of the picture stands for: one, or a share of many.
pub(super) fn units_of_slot(units: u32, slot: u8) -> std::ops::Range<u32> {
    let slots = SLOTS_PER_NODE as u32;
    if units <= slots {
        return u32::from(slot)..u32::from(slot) + 1;
    }
    let at =
        |slot: u32| u32::try_from(u64::from(units) * u64::from(slot) / u64::from(slots)).unwrap_or(units);
    at(u32::from(slot))..at(u32::from(slot) + 1)
}

pub(super) fn rack(world: &World, id: RackId) -> Option<InspectorView> {
    let rack = world.fleet().racks().get(id.0 as usize)?;
    let mut view = InspectorView::new(world, Thing::Rack(id));
    let agents = || rack.nodes.iter().filter_map(|node| world.agents().get(node.index()));
    let up = agents().filter(|agent| agent.is_up()).count();
    let busy: u32 =
        agents().flat_map(Agent::running).map(|part| units_of(world.fleet(), &part.share.resources())).sum();
    let all: u32 = rack
        .nodes
        .iter()
        .filter_map(|node| world.fleet().node(*node))
        .map(|node| units_of(world.fleet(), &node.capacity))
        .sum();
    view.headline = format!("{} of {} have power.", up, counted(rack.nodes.len() as u64, "node"));
    view.evidence = "They share a power feed and a leaf switch.".to_owned();
    view.fact("busy", format!("{busy} of {}", counted(all.into(), unit(world.fleet()))));
    for node in &rack.nodes {
        let word = match world.node_state(*node) {
            Some(NodeState::Up) => "up",
            Some(NodeState::Suspect) => "suspect",
            Some(NodeState::Down) => "down",
            Some(NodeState::Joining) | None => "joining",
        };
        view.link("node", format!("{}, {word}", node_name(world.fleet(), *node)), Thing::Node(*node));
    }
    view.link("switch", "leaf switch", Thing::Leaf(id));
    let cut = rack.nodes.iter().any(|node| is_cut(world, Endpoint::Node(*node)));
    if cut {
        view.chip("cut off", Tone::Bad, Some(Mark::Cut));
    }
    view.acts_of_hosts(world, cut);
    Some(view)
}

pub(super) fn leaf(world: &World, id: RackId) -> Option<InspectorView> {
    let rack = world.fleet().racks().get(id.0 as usize)?;
    let mut view = InspectorView::new(world, Thing::Leaf(id));
    let carried: u64 = rack.nodes.iter().filter_map(|node| world.traffic().get(node.index())).sum();
    view.headline = format!("Joins the nodes of {} to the spine.", rack_name(id));
    view.evidence = "Its cable glows with the messages that it carries.".to_owned();
    view.fact("carried", counted(carried, "message"));
    view.fact("joins", counted(rack.nodes.len() as u64, "node"));
    view.link("rack", rack_name(id), Thing::Rack(id));
    view.acts.push(super::act(crate::intent::Intent::CutSelected, "Cut off the rack"));
    Some(view)
}

pub(super) fn spine(world: &World, number: u8) -> InspectorView {
    let mut view = InspectorView::new(world, Thing::Spine(number));
    let carried: u64 = world.traffic().iter().sum();
    view.headline = "Joins all leaf switches, the control plane and the login host.".to_owned();
    view.evidence =
        format!("A message takes {} µs or a little more.", grouped(world.timing().latency_micros));
    view.fact("carried", format!("{} to and from nodes, over all spines", counted(carried, "message")));
    view.fact("on the way", counted(world.flights().len() as u64, "message"));
    view.fact("cuts", counted(world.network().partitions().len() as u64, "partition"));
    view
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slots_of_a_node_stand_for_all_its_units_and_each_once() {
        for units in [1, 8, 9, 64, 100] {
            let slots = 0..(units.min(8) as u8);
            let all: Vec<u32> = slots.flat_map(|slot| units_of_slot(units, slot)).collect();
            assert_eq!(all, (0..units).collect::<Vec<_>>());
        }
    }
}
