//! From a wish to a deed: who leads, what is selected, what stands already. A plain function of what there is.
//!
//! A deed names ids, so that a replay does not depend on who leads then or on what was selected.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use switchyard_model::{NodeId, RackId};
use switchyard_sim::{Command, Endpoint, JobState, World};

use crate::events::EventFilter;
use crate::intent::{FleetChoice, Intent, Tab};
use crate::pace;
use crate::policy::policy_wanted;
use crate::refusal::Refusal;
use crate::stage::Thing;
use crate::switch::backfill_wanted;
use crate::words::{rack_name, thing_name};

/// A deed.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// To the world, in this order: part of the run's identity.
    Apply(Vec<Command>),
    /// Time passes from now on, or does not.
    SetPlaying(bool),
    /// Time stops, after one step.
    Step(Step),
    /// Simulated seconds per second, within the range.
    SetSpeed(f64),
    /// The first screen's scenario from the start.
    NewRun {
        /// The seed of all chance.
        seed: u64,
    },
    /// The browser asks for a file.
    OpenFilePicker,
    /// A new run with the trace that was read.
    RunImported {
        /// On which machines.
        fleet: FleetChoice,
    },
    /// The import report is put away.
    CloseImport,
    /// This is selected, or nothing is.
    Select(Option<Thing>),
    /// The camera shows the whole yard.
    Home,
    /// The camera shows this.
    Frame(Thing),
    /// The list of keys appears or goes away.
    ToggleHelp,
    /// The policies to choose from appear, or go away.
    ShowPolicies(bool),
    /// Dark or light.
    ToggleTheme,
    /// A tab of the dock.
    OpenTab(Tab),
    /// Which events the tab of events shows.
    FilterEvents(EventFilter),
    /// The dock folds away or comes back.
    ToggleDock,
    /// Whatever is on top goes away.
    Dismiss,
}

/// How far a step goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// To the next event.
    Event,
    /// To the next scheduling pass.
    Pass,
}

/// What a wish is measured against.
#[derive(Clone, Copy, Debug)]
pub struct Situation<'a> {
    /// The world.
    pub world: &'a World,
    /// What is selected.
    pub selection: Option<Thing>,
    /// Whether time passes.
    pub playing: bool,
    /// The wished speed.
    pub speed: f64,
    /// Whether a trace was read and could be run.
    pub imported: bool,
}

/// What a wish comes to.
///
/// # Errors
/// When it makes no sense here; the refusal says why.
pub fn resolve(intent: &Intent, now: &Situation<'_>) -> Result<Action, Refusal> {
    Ok(match intent {
        Intent::PlayPause => Action::SetPlaying(!now.playing),
        Intent::Play => Action::SetPlaying(true),
        Intent::Pause => Action::SetPlaying(false),
        Intent::StepEvent => Action::Step(Step::Event),
        Intent::StepPass => Action::Step(Step::Pass),
        Intent::SetSpeed(speed) if *speed > 0.0 => Action::SetSpeed(pace::clamp(*speed)),
        Intent::SetSpeed(speed) => return Err(Refusal::Speed { found: *speed }),
        Intent::Faster => Action::SetSpeed(pace::faster(now.speed)),
        Intent::Slower => Action::SetSpeed(pace::slower(now.speed)),
        Intent::KillLeader => Action::Apply(vec![kill_leader(now.world)?]),
        Intent::Kill(thing) => Action::Apply(power(now.world, *thing, false)?),
        Intent::Restart(thing) => Action::Apply(power(now.world, *thing, true)?),
        Intent::KillOrRestartSelected => {
            let thing = now.selection.ok_or(Refusal::NothingSelected)?;
            Action::Apply(power(now.world, thing, !has_power(now.world, thing))?)
        }
        Intent::Partition(side) => Action::Apply(vec![partition(now.world, side.iter().copied().collect())?]),
        Intent::CutSelected => {
            let side = match now.selection {
                Some(thing) => side_of(now.world, thing)?,
                None => usual_side(now.world),
            };
            Action::Apply(vec![partition(now.world, side)?])
        }
        Intent::Heal => Action::Apply(vec![Command::Heal]),
        Intent::ToggleBackfill => Action::Apply(vec![Command::SetBackfill(!backfill_wanted(now.world))]),
        Intent::SetPolicy(name) if *name == policy_wanted(now.world) => {
            return Err(Refusal::PolicyStands { name: Arc::clone(name) });
        }
        Intent::SetPolicy(name) => Action::Apply(vec![Command::SetPolicy(Arc::clone(name))]),
        Intent::ShowPolicies(show) => Action::ShowPolicies(*show),
        Intent::Select(Some(thing)) => Action::Select(Some(known(now.world, *thing)?)),
        Intent::Select(None) => Action::Select(None),
        Intent::OpenFilePicker => Action::OpenFilePicker,
        Intent::RunImported { .. } if !now.imported => return Err(Refusal::NothingImported),
        Intent::RunImported { fleet } => Action::RunImported { fleet: *fleet },
        Intent::CloseImport => Action::CloseImport,
        Intent::NewRun { seed } => Action::NewRun { seed: *seed },
        Intent::Home => Action::Home,
        Intent::Frame => Action::Frame(now.selection.ok_or(Refusal::NothingSelected)?),
        Intent::ToggleHelp => Action::ToggleHelp,
        Intent::ToggleTheme => Action::ToggleTheme,
        Intent::OpenTab(tab) => Action::OpenTab(*tab),
        Intent::FilterEvents(filter) => Action::FilterEvents(*filter),
        Intent::ToggleDock => Action::ToggleDock,
        Intent::Dismiss => Action::Dismiss,
    })
}

fn kill_leader(world: &World) -> Result<Command, Refusal> {
    if let Some((leader, _)) = world.leader() {
        return Ok(Command::CrashReplica(leader.id()));
    }
    let replicas = world.replicas().len();
    let up = world.replicas().iter().filter(|replica| replica.is_up()).count();
    let quorum = replicas / 2 + 1;
    Err(if up < quorum { Refusal::NoQuorum { up, replicas, quorum } } else { Refusal::NoLeader })
}

/// Whether a thing has power: a rack has it while any of its nodes has.
pub fn has_power(world: &World, thing: Thing) -> bool {
    match thing {
        Thing::Replica(id) => world.replicas().get(id.index()).is_some_and(switchyard_sim::Replica::is_up),
        Thing::Node(node) | Thing::Slot(node, _) => node_is_up(world, node),
        Thing::Rack(rack) => nodes_of(world, rack).iter().any(|node| node_is_up(world, *node)),
        Thing::Job(_) | Thing::Leaf(_) | Thing::Spine(_) | Thing::Signal => true,
    }
}

fn power(world: &World, thing: Thing, on: bool) -> Result<Vec<Command>, Refusal> {
    let node = |id| if on { Command::RestartNode(id) } else { Command::CrashNode(id) };
    match known(world, thing)? {
        Thing::Replica(id) if on => Ok(vec![Command::RestartReplica(id)]),
        Thing::Replica(id) => Ok(vec![Command::CrashReplica(id)]),
        Thing::Node(id) | Thing::Slot(id, _) => Ok(vec![node(id)]),
        Thing::Rack(rack) => {
            let nodes = nodes_of(world, rack).iter().filter(|node| node_is_up(world, **node) != on);
            let commands: Vec<Command> = nodes.map(|id| node(*id)).collect();
            match (commands.is_empty(), on) {
                (false, _) => Ok(commands),
                (true, true) => Err(Refusal::RackIsUp { rack: rack_name(rack) }),
                (true, false) => Err(Refusal::RackIsDown { rack: rack_name(rack) }),
            }
        }
        other => Err(Refusal::NoPowerSwitch { thing: thing_name(world, other) }),
    }
}

fn partition(world: &World, side: BTreeSet<Endpoint>) -> Result<Command, Refusal> {
    let other: BTreeSet<Endpoint> = everyone(world).filter(|endpoint| !side.contains(endpoint)).collect();
    let stands = world.network().partitions().iter().any(|cut| *cut == side || *cut == other);
    if stands {
        return Err(Refusal::CutStands);
    }
    Ok(Command::Partition(side))
}

/// The hosts that are cut off together with a thing.
fn side_of(world: &World, thing: Thing) -> Result<BTreeSet<Endpoint>, Refusal> {
    let side: BTreeSet<Endpoint> = match known(world, thing)? {
        Thing::Replica(id) => BTreeSet::from([Endpoint::Replica(id)]),
        Thing::Node(id) | Thing::Slot(id, _) => BTreeSet::from([Endpoint::Node(id)]),
        Thing::Rack(rack) | Thing::Leaf(rack) => {
            nodes_of(world, rack).iter().copied().map(Endpoint::Node).collect()
        }
        Thing::Job(job) => {
            let record = world.book().job(job).filter(|record| record.state == JobState::Running);
            let nodes = record.into_iter().flat_map(|record| record.placement.nodes());
            nodes.map(Endpoint::Node).collect()
        }
        Thing::Spine(_) | Thing::Signal => BTreeSet::new(),
    };
    if side.is_empty() {
        return Err(Refusal::NotCuttable { thing: thing_name(world, thing) });
    }
    Ok(side)
}

/// The cut that shows the most: the leader is in the minority, and so is the first rack. So a new leader is elected,
/// and what is cut off from it must fence itself.
pub fn usual_side(world: &World) -> BTreeSet<Endpoint> {
    let cut = usual_minority(world);
    let replicas = world.replicas().iter().skip(cut.start).take(cut.len());
    let replicas = replicas.map(|replica| Endpoint::Replica(replica.id()));
    let rack = nodes_of(world, RackId(0)).iter().copied().map(Endpoint::Node);
    replicas.chain(rack).collect()
}

/// Neighbouring replicas, the leader among them, so that one curtain can part them from the rest; as many as may be
/// missing from those that run while the rest can still elect a leader.
fn usual_minority(world: &World) -> Range<usize> {
    let replicas = world.replicas();
    let (count, quorum) = (replicas.len(), replicas.len() / 2 + 1);
    let leader = world.leader().map(|(leader, _)| leader.id().index());
    let running = |cut: &Range<usize>| {
        replicas.iter().enumerate().filter(|(place, replica)| replica.is_up() && !cut.contains(place)).count()
    };
    let largest = (count - quorum).max(1);
    let cuts = (1..=largest).rev().flat_map(|size| (0..=count - size).map(move |begin| begin..begin + size));
    let mut with_leader = cuts.filter(|cut| leader.is_none_or(|leader| cut.contains(&leader)));
    with_leader.find(|cut| running(cut) >= quorum).unwrap_or(0..largest)
}

fn everyone(world: &World) -> impl Iterator<Item = Endpoint> + '_ {
    let replicas = world.replicas().iter().map(|replica| Endpoint::Replica(replica.id()));
    let nodes = world.fleet().nodes().iter().map(|node| Endpoint::Node(node.id));
    replicas.chain(nodes).chain([Endpoint::Login])
}

fn nodes_of(world: &World, rack: RackId) -> &[NodeId] {
    let rack = world.fleet().racks().get(rack.0 as usize);
    rack.map_or(&[], |rack| rack.nodes.as_slice())
}

fn node_is_up(world: &World, node: NodeId) -> bool {
    world.agents().get(node.index()).is_some_and(switchyard_sim::Agent::is_up)
}

/// `thing`, if this run has it: wishes come from outside, too.
fn known(world: &World, thing: Thing) -> Result<Thing, Refusal> {
    let fleet = world.fleet();
    let (there, kind) = match thing {
        Thing::Node(id) | Thing::Slot(id, _) => (fleet.node(id).is_some(), "node"),
        Thing::Replica(id) => (id.index() < world.replicas().len(), "replica"),
        Thing::Job(id) => (world.book().job(id).is_some() || world.job(id).is_some(), "job"),
        Thing::Rack(id) | Thing::Leaf(id) => ((id.0 as usize) < fleet.racks().len(), "rack"),
        Thing::Spine(_) | Thing::Signal => (true, "switch"),
    };
    if there { Ok(thing) } else { Err(Refusal::NoSuchThing { kind }) }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]
    use super::*;
    use crate::testing::{job, pass, world};
    use switchyard_model::{JobId, ReplicaId};

    fn at(world: &World, selection: Option<Thing>) -> Situation<'_> {
        Situation { world, selection, playing: true, speed: 60.0, imported: false }
    }

    #[test]
    fn killing_the_leader_names_the_replica_and_without_a_leader_says_so() {
        let mut world = world(4, vec![], 30);
        let leader = world.leader().unwrap().0.id();
        let action = resolve(&Intent::KillLeader, &at(&world, None)).unwrap();
        assert_eq!(action, Action::Apply(vec![Command::CrashReplica(leader)]));
        world.apply(Command::CrashReplica(leader)).unwrap();
        let refusal = resolve(&Intent::KillLeader, &at(&world, None)).unwrap_err();
        assert_eq!(refusal, Refusal::NoLeader);
        for id in (0..5).map(ReplicaId).filter(|id| *id != leader).take(2) {
            world.apply(Command::CrashReplica(id)).unwrap();
        }
        let refusal = resolve(&Intent::KillLeader, &at(&world, None)).unwrap_err();
        let said = "There is no leader to kill: 2 of 5 replicas run, and 3 are needed to elect one.";
        assert_eq!(refusal.to_string(), said);
    }

    #[test]
    fn one_key_kills_what_runs_and_restarts_what_does_not() {
        let mut world = world(4, vec![], 30);
        let node = Thing::Slot(NodeId(1), 3);
        let wish = Intent::KillOrRestartSelected;
        let first = resolve(&wish, &at(&world, Some(node))).unwrap();
        assert_eq!(first, Action::Apply(vec![Command::CrashNode(NodeId(1))]));
        world.apply(Command::CrashNode(NodeId(1))).unwrap();
        let second = resolve(&wish, &at(&world, Some(node))).unwrap();
        assert_eq!(second, Action::Apply(vec![Command::RestartNode(NodeId(1))]));
        // The rack's other node still runs, so the rack is killed, and only that one is.
        let rack = resolve(&wish, &at(&world, Some(Thing::Rack(RackId(0))))).unwrap();
        assert_eq!(rack, Action::Apply(vec![Command::CrashNode(NodeId(0))]));
        assert_eq!(resolve(&wish, &at(&world, None)), Err(Refusal::NothingSelected));
        let said = resolve(&Intent::Kill(Thing::Signal), &at(&world, None)).unwrap_err().to_string();
        assert!(said.starts_with("The signal has no power switch"), "{said}");
    }

    #[test]
    fn the_usual_cut_leaves_the_leader_in_a_minority_and_is_made_once() {
        let mut world = world(4, vec![], 30);
        let leader = world.leader().unwrap().0.id();
        let Action::Apply(commands) = resolve(&Intent::CutSelected, &at(&world, None)).unwrap() else {
            panic!()
        };
        let [Command::Partition(side)] = commands.as_slice() else { panic!("{commands:?}") };
        let replicas = side.iter().filter(|end| matches!(end, Endpoint::Replica(_))).count();
        assert_eq!(
            (replicas, side.len()),
            (2, 4),
            "two of five replicas, and the two nodes of the first rack"
        );
        assert!(side.contains(&Endpoint::Replica(leader)) && side.contains(&Endpoint::Node(NodeId(0))));
        world.apply(commands[0].clone()).unwrap();
        let others = everyone(&world).filter(|end| !side.contains(end)).collect();
        assert_eq!(resolve(&Intent::Partition(others), &at(&world, None)), Err(Refusal::CutStands));
    }

    #[test]
    fn the_usual_cut_leaves_the_rest_able_to_elect_a_leader_even_when_one_is_dead() {
        let mut world = world(4, vec![], 30);
        let leader = world.leader().unwrap().0.id();
        world.apply(Command::CrashReplica(leader)).unwrap();
        let cut = usual_side(&world);
        let up_outside = world
            .replicas()
            .iter()
            .filter(|replica| replica.is_up() && !cut.contains(&Endpoint::Replica(replica.id())));
        assert_eq!(up_outside.count(), 3);
        assert!(cut.iter().any(|end| matches!(end, Endpoint::Replica(_))));
    }

    #[test]
    fn a_job_is_cut_off_with_its_nodes_while_it_runs() {
        let mut world = world(4, vec![job(7, "a", 1, 600, 2)], 60);
        let wish = Intent::CutSelected;
        let Action::Apply(commands) = resolve(&wish, &at(&world, Some(Thing::Job(JobId(7))))).unwrap() else {
            panic!()
        };
        assert!(matches!(commands.as_slice(), [Command::Partition(side)] if side.len() == 2));
        pass(&mut world, 700);
        assert!(resolve(&wish, &at(&world, Some(Thing::Job(JobId(7))))).is_err(), "it has ended");
    }

    #[test]
    fn backfill_toggles_what_was_asked_for_last_even_before_it_is_committed() {
        let mut world = world(2, vec![], 30);
        for on in [false, true, false] {
            let action = resolve(&Intent::ToggleBackfill, &at(&world, None)).unwrap();
            assert_eq!(action, Action::Apply(vec![Command::SetBackfill(on)]));
            world.apply(Command::SetBackfill(on)).unwrap();
        }
    }

    #[test]
    fn a_policy_is_asked_for_once() {
        let mut world = world(2, vec![], 30);
        let wish = |name: &str| Intent::SetPolicy(name.into());
        assert_eq!(
            resolve(&wish("easy-machine"), &at(&world, None)).unwrap_err().to_string(),
            "The policy is easy-machine already, or on its way."
        );
        let action = resolve(&wish("fcfs"), &at(&world, None)).unwrap();
        assert_eq!(action, Action::Apply(vec![Command::SetPolicy("fcfs".into())]));
        world.apply(Command::SetPolicy("fcfs".into())).unwrap();
        assert!(resolve(&wish("fcfs"), &at(&world, None)).is_err(), "it is on its way");
        assert!(resolve(&wish("easy-machine"), &at(&world, None)).is_ok(), "a mind can be changed");
    }

    #[test]
    fn what_comes_from_outside_is_checked() {
        let world = world(2, vec![], 1);
        let refused = |intent| resolve(&intent, &at(&world, None)).unwrap_err().to_string();
        assert_eq!(refused(Intent::SetSpeed(f64::NAN)), "A speed is a number above 0; NaN is none.");
        assert_eq!(
            refused(Intent::Select(Some(Thing::Node(NodeId(99))))),
            "There is no such node in this run."
        );
        assert_eq!(refused(Intent::Kill(Thing::Rack(RackId(9)))), "There is no such rack in this run.");
        let run = Intent::RunImported { fleet: FleetChoice::Yard };
        assert_eq!(refused(run), "There is no trace to run; drop a file on the page first.");
        let fast = resolve(&Intent::SetSpeed(1e9), &at(&world, None)).unwrap();
        assert_eq!(fast, Action::SetSpeed(3_600.0));
    }
}
