//! The scheduling policy: which one is in force, which one was asked for, and what each means.

use std::sync::Arc;

use switchyard_model::SimTime;
use switchyard_scheduler::{Charge, Policy, Reason};
use switchyard_sim::World;

use crate::queue::Why;
use crate::switch::on_its_way;
use crate::topbar::relative;
use crate::words::clock;

/// What is different here from a replay, for policies of which that is so.
const CHARGED_AT_THE_END: &str =
    "Here accounts are charged as a job ends: as it starts, nobody knows how long it will run.";

/// What a predicted start is.
pub const EXPECTED: &str = "When it starts if all jobs run to their time limits and nothing else arrives. Most jobs end before, \
                            so that most start earlier.";

/// A policy that can be chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyChoice {
    /// Its name.
    pub name: Arc<str>,
    /// What it does.
    pub meaning: String,
    /// Whether it is in force.
    pub in_force: bool,
}

/// The policy and what else there is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyView {
    /// The one in force, by what is committed.
    pub name: Arc<str>,
    /// What it does.
    pub meaning: String,
    /// The one that was asked for, and what has to happen until it counts; none while nothing is on its way.
    pub asked: Option<(Arc<str>, &'static str)>,
    /// All that can be chosen.
    pub choices: Vec<PolicyChoice>,
}

impl PolicyView {
    /// The policy of a world.
    pub fn of(world: &World) -> Self {
        let policy = world.policy();
        let asked = policy_wanted(world);
        let choice = |name: &str| {
            let name: Arc<str> = name.into();
            let meaning =
                world.policies().get(&name).map_or_else(|no| no.to_string(), |policy| meaning(&policy));
            PolicyChoice { meaning, in_force: name == policy.name, name }
        };
        PolicyView {
            meaning: meaning(&policy),
            asked: (asked != policy.name).then(|| (asked, on_its_way(world))),
            choices: world.policies().names().map(choice).collect(),
            name: policy.name,
        }
    }

    /// How it stands, in a few words.
    pub fn state(&self) -> String {
        match &self.asked {
            None => self.name.to_string(),
            Some((asked, _)) => format!("{}, {asked} asked", self.name),
        }
    }

    /// The same where there is little room: what was asked for, or else what is in force.
    pub fn short(&self) -> String {
        match &self.asked {
            None => self.name.to_string(),
            Some((asked, _)) => format!("{asked} asked"),
        }
    }

    /// What that means.
    pub fn words(&self) -> String {
        match &self.asked {
            None => self.meaning.clone(),
            Some((asked, still)) => format!("{asked} is asked for. {still}"),
        }
    }
}

/// The name of the policy that will be in force once what was asked for is committed.
pub fn policy_wanted(world: &World) -> Arc<str> {
    world.policies().in_force(&world.asked_setting()).name
}

fn meaning(policy: &Policy) -> String {
    let published = match Policy::meaning(&policy.name) {
        "" => own_meaning(policy),
        published => published.to_owned(),
    };
    match policy.charge() {
        Some(Charge::AtDispatch) => format!("{published} {CHARGED_AT_THE_END}"),
        _ => published,
    }
}

/// A policy that has no published name.
fn own_meaning(policy: &Policy) -> String {
    let order = policy.order.name();
    match policy.has_backfill() {
        true => format!("Of this scenario: order {order}; others may pass the first in line."),
        false => format!("Of this scenario: order {order}; nobody passes the first in line."),
    }
}

/// When a job is expected to start, or why nobody can tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// Then, by the leader's plan.
    At(SimTime),
    /// Nobody can tell, because of this.
    Unknown(&'static str),
}

impl Expected {
    /// What the leader's plan says of a job that waits.
    pub(crate) fn of(planned: Option<SimTime>, why: &Why) -> Self {
        match (planned, why) {
            (_, Why::Starting) => Expected::Unknown("It starts now."),
            (_, Why::NoLeader) => Expected::Unknown("No leader: nobody plans."),
            (_, Why::LeaderCatchesUp) => Expected::Unknown("The new leader has not planned yet."),
            (_, Why::NotSeenYet) => {
                Expected::Unknown("The next scheduling pass plans for it, if the policy does.")
            }
            (Some(at), Why::Reason(_)) => Expected::At(at),
            (None, Why::Reason(Reason::NeverFits { .. })) => {
                Expected::Unknown("It never fits on these machines.")
            }
            (None, Why::Reason(_)) => Expected::Unknown(
                "Nothing in sight lets it start, or it is too far back in the queue to tell.",
            ),
        }
    }

    /// The time in a narrow column; a dash where nobody can tell.
    pub fn short(&self) -> String {
        match self {
            Expected::At(at) => clock(*at),
            Expected::Unknown(_) => "-".to_owned(),
        }
    }

    /// The time, and how long it is until then.
    pub fn long(&self, now: SimTime) -> String {
        match self {
            Expected::At(at) if *at > now => format!("{}, {}", clock(*at), relative(now, *at)),
            Expected::At(_) => "any moment".to_owned(),
            Expected::Unknown(_) => "-".to_owned(),
        }
    }

    /// What the time means, or why there is none.
    pub const fn about(&self) -> &'static str {
        match self {
            Expected::At(_) => EXPECTED,
            Expected::Unknown(why) => why,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::testing::{pass, world};
    use switchyard_sim::Command;

    #[test]
    fn every_policy_says_what_it_means_and_what_is_different_here() {
        let view = PolicyView::of(&world(2, vec![], 30));
        let names: Vec<&str> = view.choices.iter().map(|choice| &*choice.name).collect();
        assert_eq!(names, Policy::NAMES);
        assert!(view.choices.iter().all(|choice| choice.meaning.ends_with('.')));
        assert!(view.choices.iter().all(|choice| choice.in_force == (&*choice.name == "easy-machine")));
        let of = |name: &str| &view.choices.iter().find(|choice| &*choice.name == name).unwrap().meaning;
        assert!(of("seed-lab-v01").ends_with(CHARGED_AT_THE_END), "{}", of("seed-lab-v01"));
        assert!(!of("easy").contains("charged"));
    }

    #[test]
    fn a_policy_that_is_asked_for_is_on_its_way_until_it_is_committed() {
        let mut world = world(2, vec![], 30);
        world.apply(Command::SetPolicy("easy".into())).unwrap();
        let view = PolicyView::of(&world);
        assert_eq!((&*view.name, &*view.state()), ("easy-machine", "easy-machine, easy asked"));
        assert_eq!(view.short(), "easy asked");
        assert!(
            view.words().starts_with("easy is asked for. That counts once a majority"),
            "{}",
            view.words()
        );
        pass(&mut world, 1);
        let view = PolicyView::of(&world);
        assert_eq!((&*view.state(), view.asked), ("easy", None));
        world.apply(Command::SetBackfill(false)).unwrap();
        pass(&mut world, 1);
        assert_eq!(PolicyView::of(&world).state(), "fcfs", "backfill off is a policy with a name");
    }
}
