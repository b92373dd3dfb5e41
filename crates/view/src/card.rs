//! The card beside the scene: the one thing to do first, the switches, and what is broken and can be mended.

use switchyard_sim::{Command, NodeState, World};

use crate::events::sentence;
use crate::policy::PolicyView;
use crate::stage::Thing;
use crate::switch::SwitchView;
use crate::words::{node_name, side_name};

/// How many dead things get a button of their own.
const DOWN_SHOWN: usize = 4;

/// Something dead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Down {
    /// What.
    pub thing: Thing,
    /// That it is down, in words.
    pub words: String,
}

/// The card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardView {
    /// The sentence on top.
    pub headline: String,
    /// What to look at.
    pub hint: &'static str,
    /// Whether there is a leader to kill.
    pub can_kill: bool,
    /// Whether a leader was killed already, so that the button need not ask for it.
    pub killed_before: bool,
    /// How jobs are scheduled.
    pub policy: PolicyView,
    /// The backfill switch.
    pub backfill: SwitchView,
    /// The cut that stands; nothing while the network is whole.
    pub cut: Option<String>,
    /// What is dead; the first few.
    pub down: Vec<Down>,
    /// How many more are dead.
    pub more_down: usize,
}

impl CardView {
    /// The card of a world.
    pub fn of(world: &World) -> Self {
        let can_kill = world.leader().is_some();
        let killed_before =
            world.interventions().iter().any(|done| matches!(done.command, Command::CrashReplica(_)));
        let mut down = dead(world);
        let more_down = down.len().saturating_sub(DOWN_SHOWN);
        down.truncate(DOWN_SHOWN);
        CardView {
            headline: headline(world, killed_before),
            hint: hint(world, killed_before),
            can_kill,
            killed_before,
            policy: PolicyView::of(world),
            backfill: SwitchView::of(world),
            cut: cut(world),
            down,
            more_down,
        }
    }
}

/// The first sentence; later, what was done last.
fn headline(world: &World, killed_before: bool) -> String {
    if !killed_before && world.interventions().is_empty() {
        return "Five replicas run this cluster. One of them leads.".to_owned();
    }
    let last = world.interventions().last();
    last.map_or_else(String::new, |done| {
        sentence(world, &switchyard_sim::Event::Intervened(done.command.clone()))
    })
}

fn hint(world: &World, killed_before: bool) -> &'static str {
    match (world.leader().is_some(), world.plan().is_some()) {
        (true, _) if !killed_before && world.interventions().is_empty() => {
            "Kill it: what runs, runs on, and the others elect a new one."
        }
        (true, _) if !killed_before => "Now kill the leader: the others elect a new one.",
        (true, true) => "Jobs run on, and the leader starts new ones.",
        (true, false) => "The new leader first applies what the old one left.",
        (false, _) if quorum_is_gone(world) => {
            "Too few replicas run to elect a leader. Nodes stop their jobs when their leases end."
        }
        (false, _) => "Jobs run on. Nothing starts until a new leader is elected.",
    }
}

fn quorum_is_gone(world: &World) -> bool {
    let replicas = world.replicas();
    replicas.iter().filter(|replica| replica.is_up()).count() <= replicas.len() / 2
}

fn cut(world: &World) -> Option<String> {
    let cuts = world.network().partitions();
    let last = cuts.last()?;
    let everyone = world.replicas().len() + world.agents().len() + 1;
    let side = side_name(world.fleet(), last);
    Some(match (cuts.len(), last.len() * 2 > everyone) {
        (1, false) => format!("Cut off: {side}."),
        (1, true) => format!("On one side: {side}."),
        (several, _) => format!("{several} cuts; the last one: {side}."),
    })
}

/// Replicas without a process, then nodes without power or known to be down.
fn dead(world: &World) -> Vec<Down> {
    let replicas = world.replicas().iter().filter(|replica| !replica.is_up()).map(|replica| Down {
        thing: Thing::Replica(replica.id()),
        words: format!("Replica {} is down.", replica.id().letter()),
    });
    let nodes = world.fleet().nodes().iter().zip(world.agents()).filter(|(_, agent)| !agent.is_up());
    let nodes = nodes.map(|(node, _)| {
        let known = world.node_state(node.id) == Some(NodeState::Down);
        let name = node_name(world.fleet(), node.id);
        let words = if known { format!("{name} is down.") } else { format!("{name} has no power.") };
        Down { thing: Thing::Node(node.id), words }
    });
    replicas.chain(nodes).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::testing::{pass, world};
    use switchyard_model::{NodeId, ReplicaId};

    #[test]
    fn the_card_asks_for_one_act_and_then_says_what_became_of_it() {
        let mut world = world(8, vec![], 30);
        let card = CardView::of(&world);
        assert!(card.can_kill && !card.killed_before && card.down.is_empty() && card.cut.is_none());
        let leader = world.leader().unwrap().0.id();
        world.apply(Command::CrashReplica(leader)).unwrap();
        let card = CardView::of(&world);
        assert_eq!(card.headline, format!("You killed replica {}.", leader.letter()));
        assert!(!card.can_kill && card.hint.contains("until a new leader is elected"));
        assert_eq!(card.down.first().unwrap().thing, Thing::Replica(leader));
        for other in (0..2).map(|n| ReplicaId((leader.0 + 1 + n) % 5)) {
            world.apply(Command::CrashReplica(other)).unwrap();
        }
        assert!(CardView::of(&world).hint.starts_with("Too few replicas run"));
        for other in (0..2).map(|n| ReplicaId((leader.0 + 1 + n) % 5)) {
            world.apply(Command::RestartReplica(other)).unwrap();
        }
        pass(&mut world, 30);
        assert_eq!(CardView::of(&world).hint, "Jobs run on, and the leader starts new ones.");
    }

    #[test]
    fn what_is_broken_can_be_mended_from_here() {
        let mut world = world(8, vec![], 30);
        for node in (0..6).map(NodeId) {
            world.apply(Command::CrashNode(node)).unwrap();
        }
        let side = crate::resolve::usual_side(&world);
        world.apply(Command::Partition(side)).unwrap();
        let card = CardView::of(&world);
        assert_eq!((card.down.len(), card.more_down), (4, 2));
        assert_eq!(card.down[0].words, "n1 has no power.");
        assert!(card.cut.as_ref().unwrap().ends_with("and rack R1."), "{:?}", card.cut);
    }
}
