//! What is selected, explained: what it is, how it stands, what it touches, and what can be done to it.

mod control;
mod job;
mod machine;

use switchyard_sim::World;

use crate::accounts::Accounts;
use crate::intent::Intent;
use crate::keymap::key_for;
use crate::mark::Mark;
use crate::resolve::has_power;
use crate::stage::Thing;
use crate::words::thing_name;

/// How a chip looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// As usual.
    Plain,
    /// Unknown or late.
    Warn,
    /// Faulty.
    Bad,
    /// The leader.
    Leader,
}

/// A state in a word or two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chip {
    /// The words.
    pub words: String,
    /// How it looks.
    pub tone: Tone,
    /// Its mark.
    pub mark: Option<Mark>,
}

/// One line of facts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// What.
    pub label: &'static str,
    /// Its value, with unit.
    pub value: String,
    /// A link to what it names.
    pub link: Option<Thing>,
    /// How it is defined, where that is not plain.
    pub about: Option<String>,
}

/// Something that can be done to the thing.
#[derive(Clone, Debug, PartialEq)]
pub struct Act {
    /// The wish.
    pub intent: Intent,
    /// The words on the button.
    pub words: String,
    /// The label of its key.
    pub key: Option<String>,
}

/// Free units on each node, against what one node must give.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FreeBars {
    /// Free units by node.
    pub free: Vec<u32>,
    /// What is needed on one node.
    pub need: u32,
    /// What the bars show, in words.
    pub about: String,
    /// Names of the first and the last node.
    pub ends: (String, String),
}

/// What the inspector shows.
#[derive(Clone, Debug, PartialEq)]
pub struct InspectorView {
    /// What it is about.
    pub thing: Thing,
    /// Its name.
    pub title: String,
    /// The number of its account, for a swatch.
    pub account: Option<u8>,
    /// How it stands.
    pub chips: Vec<Chip>,
    /// The one sentence that matters most.
    pub headline: String,
    /// What that rests on.
    pub evidence: String,
    /// Free units by node, for a job that waits.
    pub bars: Option<FreeBars>,
    /// Facts.
    pub facts: Vec<Fact>,
    /// What can be done.
    pub acts: Vec<Act>,
}

impl InspectorView {
    /// Explains a thing of a world; nothing if the world has no such thing.
    pub fn of(world: &World, accounts: &Accounts, thing: Thing) -> Option<Self> {
        match thing {
            Thing::Job(job) => job::view(world, accounts, job),
            Thing::Node(node) => machine::node(world, accounts, node),
            Thing::Slot(node, slot) => machine::slot(world, accounts, node, slot),
            Thing::Rack(rack) => machine::rack(world, rack),
            Thing::Leaf(rack) => machine::leaf(world, rack),
            Thing::Spine(number) => Some(machine::spine(world, number)),
            Thing::Replica(replica) => control::replica(world, replica),
            Thing::Signal => Some(control::signal(world)),
        }
    }

    fn new(world: &World, thing: Thing) -> Self {
        InspectorView {
            thing,
            title: thing_name(world, thing),
            account: None,
            chips: Vec::new(),
            headline: String::new(),
            evidence: String::new(),
            bars: None,
            facts: Vec::new(),
            acts: vec![act(Intent::Frame, "Frame")],
        }
    }

    fn chip(&mut self, words: impl Into<String>, tone: Tone, mark: Option<Mark>) {
        self.chips.push(Chip { words: words.into(), tone, mark });
    }

    fn fact(&mut self, label: &'static str, value: impl Into<String>) {
        self.facts.push(Fact { label, value: value.into(), link: None, about: None });
    }

    /// How the last fact is defined.
    fn about(&mut self, about: impl Into<String>) {
        if let Some(fact) = self.facts.last_mut() {
            fact.about = Some(about.into());
        }
    }

    fn link(&mut self, label: &'static str, value: impl Into<String>, thing: Thing) {
        self.facts.push(Fact { label, value: value.into(), link: Some(thing), about: None });
    }

    /// Kill or restart, and cut off or heal.
    fn acts_of_hosts(&mut self, world: &World, is_cut: bool) {
        let power = if has_power(world, self.thing) { "Kill" } else { "Restart" };
        self.acts.push(act(Intent::KillOrRestartSelected, power));
        self.acts.push(act(Intent::CutSelected, "Cut off"));
        if is_cut {
            self.acts.push(act(Intent::Heal, "Heal"));
        }
    }
}

fn act(intent: Intent, words: &str) -> Act {
    Act { key: key_for(&intent), intent, words: words.to_owned() }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::testing::{job, pass, world};
    use switchyard_model::{JobId, NodeId, RackId, ReplicaId};
    use switchyard_sim::Command;

    fn view(world: &World, thing: Thing) -> InspectorView {
        InspectorView::of(world, &Accounts::of(world.jobs()), thing).unwrap()
    }

    fn fact<'a>(view: &'a InspectorView, label: &str) -> &'a str {
        &view.facts.iter().find(|fact| fact.label == label).unwrap().value
    }

    #[test]
    fn every_thing_of_a_world_is_explained_and_nothing_else() {
        let world = world(4, vec![job(7, "a", 1, 600, 2), job(8, "a", 2, 600, 4)], 60);
        let things = [
            Thing::Job(JobId(7)),
            Thing::Job(JobId(8)),
            Thing::Node(NodeId(0)),
            Thing::Slot(NodeId(3), 7),
            Thing::Rack(RackId(1)),
            Thing::Leaf(RackId(1)),
            Thing::Spine(0),
            Thing::Replica(ReplicaId(4)),
            Thing::Signal,
        ];
        for thing in things {
            let view = view(&world, thing);
            assert!(
                !view.title.is_empty() && !view.facts.is_empty() && !view.headline.is_empty(),
                "{view:?}"
            );
        }
        let accounts = Accounts::default();
        for thing in [
            Thing::Job(JobId(99)),
            Thing::Node(NodeId(4)),
            Thing::Replica(ReplicaId(5)),
            Thing::Rack(RackId(2)),
        ] {
            assert_eq!(InspectorView::of(&world, &accounts, thing), None);
        }
    }

    #[test]
    fn a_waiting_job_shows_its_reason_the_free_units_and_when_it_starts() {
        let world = world(4, vec![job(7, "a", 1, 600, 3), job(8, "b", 2, 600, 4)], 60);
        let view = view(&world, Thing::Job(JobId(8)));
        assert_eq!(view.headline, "Needs 4 empty nodes; 1 is.");
        let bars = view.bars.as_ref().unwrap();
        assert_eq!((bars.free.as_slice(), bars.need), ([0, 0, 0, 8].as_slice(), 8));
        assert_eq!(fact(&view, "asks"), "4 nodes × 8 GPUs, 10 min");
        assert!(fact(&view, "starts by").starts_with("00:10:0"), "{}", fact(&view, "starts by"));
        assert_eq!(fact(&view, "waits for"), "job 7, which ends by then at the latest");
        assert_eq!(view.chips[0].words, "pending, 1st");
    }

    #[test]
    fn a_running_job_names_its_nodes_and_its_latest_end() {
        let world = world(4, vec![job(7, "a", 1, 600, 3)], 60);
        let view = view(&world, Thing::Job(JobId(7)));
        assert_eq!(view.chips[0].words, "running");
        assert_eq!(fact(&view, "runs on"), "n1 to n3");
        assert!(view.headline.starts_with("Ends by 00:10:0"), "{}", view.headline);
    }

    #[test]
    fn a_silent_node_is_unknown_before_it_is_down() {
        let mut world = world(4, vec![job(7, "a", 1, 600, 1)], 60);
        world.apply(Command::CrashNode(NodeId(0))).unwrap();
        let now = view(&world, Thing::Node(NodeId(0)));
        assert_eq!(now.headline, "It has no power, and the control plane does not know yet.");
        pass(&mut world, 15);
        let later = view(&world, Thing::Node(NodeId(0)));
        assert_eq!((later.chips[0].words.as_str(), later.chips[0].mark), ("suspect", Some(Mark::Suspect)));
        pass(&mut world, 60);
        let last = view(&world, Thing::Node(NodeId(0)));
        assert_eq!(last.chips[0].words, "down");
        assert!(last.acts.iter().any(|act| act.words == "Restart" && act.key.as_deref() == Some("X")));
    }

    #[test]
    fn the_leader_wears_its_mark_and_knows_its_followers() {
        let mut world = world(4, vec![], 60);
        let leader = world.leader().unwrap().0.id();
        let shown = view(&world, Thing::Replica(leader));
        assert_eq!((shown.chips[0].words.as_str(), shown.chips[0].tone), ("leader", Tone::Leader));
        assert!(shown.facts.iter().filter(|fact| fact.label.starts_with("follower")).count() == 4);
        world.apply(Command::CrashReplica(leader)).unwrap();
        let dead = view(&world, Thing::Replica(leader));
        assert_eq!(dead.chips[0].words, "down");
        assert!(dead.headline.contains("disk"), "{}", dead.headline);
    }
}
