//! The backfill switch: how it stands by what is committed, and what was asked for since.

use switchyard_sim::World;

/// The switch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SwitchView {
    /// Whether backfill is on, by what is committed.
    pub on: bool,
    /// How it was asked to be, while that is not committed.
    pub asked: Option<bool>,
    /// What throwing it does, as the words of a button.
    pub act: String,
    /// What that means.
    pub words: String,
}

impl SwitchView {
    /// The switch of a world.
    pub fn of(world: &World) -> Self {
        let on = world.setting().backfill;
        let wanted = backfill_wanted(world);
        let asked = (wanted != on).then_some(wanted);
        let meaning = match on {
            true => "Jobs may pass the first in line if that does not delay it.",
            false => "Jobs start strictly in order.",
        };
        SwitchView {
            on,
            asked,
            act: match asked {
                None => format!("Turn backfill {}", word(!on)),
                Some(wanted) => format!("Backfill {}: asked", word(wanted)),
            },
            words: match asked {
                None => meaning.to_owned(),
                Some(wanted) => format!("It is asked to be {}. {}", word(wanted), on_its_way(world)),
            },
        }
    }

    /// How it stands, in a word or two.
    pub fn state(&self) -> String {
        match self.asked {
            None => format!("Backfill {}", word(self.on)),
            Some(wanted) => format!("Backfill {}, {} asked", word(self.on), word(wanted)),
        }
    }
}

const fn word(on: bool) -> &'static str {
    if on { "on" } else { "off" }
}

/// Whether backfill is on, or will be once what was asked for is committed.
pub fn backfill_wanted(world: &World) -> bool {
    world.asked_setting().backfill
}

/// What is still to happen to something that was asked for.
pub(crate) fn on_its_way(world: &World) -> &'static str {
    match world.leader() {
        Some(_) => "That counts once a majority of the replicas has written it.",
        None => "There is no leader to write it down; it is asked again until there is one.",
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::testing::{pass, world};
    use switchyard_sim::Command;

    #[test]
    fn the_switch_shows_what_is_committed_and_says_what_is_on_its_way() {
        let mut world = world(2, vec![], 30);
        let leader = world.leader().unwrap().0.id();
        world.apply(Command::SetBackfill(false)).unwrap();
        let view = SwitchView::of(&world);
        assert_eq!((view.on, view.asked, &*view.state()), (true, Some(false), "Backfill on, off asked"));
        assert_eq!(
            view.words,
            "It is asked to be off. That counts once a majority of the replicas has written it."
        );
        pass(&mut world, 1);
        let view = SwitchView::of(&world);
        assert_eq!((view.on, view.asked, &*view.act), (false, None, "Turn backfill on"));
        world.apply(Command::CrashReplica(leader)).unwrap();
        world.apply(Command::SetBackfill(true)).unwrap();
        let view = SwitchView::of(&world);
        assert_eq!((view.on, &*view.act), (false, "Backfill on: asked"));
        assert!(view.words.contains("no leader"), "{}", view.words);
        pass(&mut world, 30);
        assert_eq!(SwitchView::of(&world).state(), "Backfill on");
    }
}
