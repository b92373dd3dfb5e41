//! The policies that a run can choose from, and how the operator has set the scheduler.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use switchyard_scheduler::Policy;
use thiserror::Error;

use crate::book::Op;

/// How the operator has set the scheduler.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setting {
    /// The name of the policy that was chosen.
    pub policy: Arc<str>,
    /// Whether jobs may pass a job that waits. A policy that is chosen brings its own mind about this along.
    pub backfill: bool,
}

/// What is wrong with a policy.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PolicyProblem {
    /// Nobody called one that.
    #[error("there is no policy \"{name}\"; choose one of {known}")]
    Unknown {
        /// What was asked for.
        name: Arc<str>,
        /// What there is.
        known: String,
    },
    /// Two have one name.
    #[error("the policy \"{name}\" has the name of another one; give it a name of its own")]
    Taken {
        /// The name.
        name: Arc<str>,
    },
    /// Its parameters don't go together.
    #[error("the policy \"{name}\": {problem}")]
    Parameters {
        /// Its name.
        name: Arc<str>,
        /// What is wrong with them.
        problem: String,
    },
    /// Running jobs would have to make room.
    #[error(
        "the policy \"{name}\" lets jobs push others out (preempt), and the agents here can't do that; use replay, or leave preempt out"
    )]
    Preempts {
        /// Its name.
        name: Arc<str>,
    },
}

/// The policies that a run can choose from: the published names, and the scenario's own.
#[derive(Clone, Debug)]
pub struct Policies {
    own: Vec<Policy>,
    first: Setting,
    /// The policy that the run begins with.
    start: Policy,
}

impl Policies {
    /// The published ones and `own`; the run begins with the one called `first`.
    ///
    /// # Errors
    /// When there is none of that name, or one of them can't be had.
    pub fn new(own: &[Policy], first: &Arc<str>) -> Result<Policies, PolicyProblem> {
        let mut known: Vec<Policy> = Vec::new();
        for policy in own {
            let name = || Arc::clone(&policy.name);
            if find(&known, &policy.name).is_some() {
                return Err(PolicyProblem::Taken { name: name() });
            }
            known.push(policy.clone());
        }
        for policy in own {
            usable(&known, &policy.name)?;
        }
        let start = usable(&known, first)?;
        let first = Setting { policy: Arc::clone(first), backfill: start.has_backfill() };
        Ok(Policies { own: known, first, start })
    }

    /// Their names: the published ones, then the scenario's own.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        names(&self.own)
    }

    /// The policy of this name.
    ///
    /// # Errors
    /// When there is none, or it can't be had here.
    pub fn get(&self, name: &Arc<str>) -> Result<Policy, PolicyProblem> {
        usable(&self.own, name)
    }

    /// How the scheduler is set when the run begins.
    pub const fn first(&self) -> &Setting {
        &self.first
    }

    /// What `setting` comes to: the policy as it was chosen, or with backfill switched on or off.
    pub fn in_force(&self, setting: &Setting) -> Policy {
        // No setting names a policy that is not there: neither a scenario nor a command could.
        let chosen = find(&self.own, &setting.policy).unwrap_or_else(|| self.start.clone());
        if setting.backfill { chosen.backfill_on() } else { chosen.backfill_off() }
    }

    /// How the scheduler is set once `op` is carried out; as it was, if that is about something else.
    pub(crate) fn after(&self, setting: &Setting, op: &Op) -> Result<Setting, PolicyProblem> {
        Ok(match op {
            Op::Submit(_) => setting.clone(),
            Op::SetBackfill(on) => Setting { policy: Arc::clone(&setting.policy), backfill: *on },
            Op::SetPolicy(name) => {
                Setting { policy: Arc::clone(name), backfill: self.get(name)?.has_backfill() }
            }
        })
    }
}

fn names(own: &[Policy]) -> impl Iterator<Item = &str> {
    Policy::NAMES.into_iter().chain(own.iter().map(|policy| &*policy.name))
}

fn find(own: &[Policy], name: &str) -> Option<Policy> {
    let own = own.iter().find(|policy| &*policy.name == name).cloned();
    own.or_else(|| Policy::named(name).ok())
}

fn usable(own: &[Policy], name: &Arc<str>) -> Result<Policy, PolicyProblem> {
    let Some(policy) = find(own, name) else {
        let known = names(own).collect::<Vec<_>>().join(", ");
        return Err(PolicyProblem::Unknown { name: Arc::clone(name), known });
    };
    if policy.preempt.is_some() {
        return Err(PolicyProblem::Preempts { name: Arc::clone(name) });
    }
    let parameters = policy.check();
    parameters
        .map_err(|error| PolicyProblem::Parameters { name: Arc::clone(name), problem: error.to_string() })?;
    Ok(policy)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use switchyard_scheduler::{Order, Preempt};

    fn own(name: &str) -> Policy {
        Policy { name: name.into(), order: Order::Wfp3, ..Policy::named("easy").unwrap() }
    }

    fn set(policy: &str, backfill: bool) -> Setting {
        Setting { policy: policy.into(), backfill }
    }

    #[test]
    fn the_switch_goes_there_and_back() {
        let policies = Policies::new(&[own("mine")], &"mine".into()).unwrap();
        let in_force = |policy, backfill| policies.in_force(&set(policy, backfill)).name;
        assert_eq!((&*in_force("easy", true), &*in_force("easy", false)), ("easy", "fcfs"));
        assert_eq!((&*in_force("fcfs", false), &*in_force("fcfs", true)), ("fcfs", "easy-machine"));
        assert_eq!((&*in_force("mine", true), &*in_force("mine", false)), ("mine", "mine-off"));
        assert_eq!(policies.names().last(), Some("mine"));
    }

    #[test]
    fn a_chosen_policy_decides_about_backfill_anew() {
        let policies = Policies::new(&[], &"easy".into()).unwrap();
        let after = |setting, op| policies.after(&setting, &op).unwrap();
        let off = after(policies.first().clone(), Op::SetBackfill(false));
        assert_eq!(off, set("easy", false));
        assert_eq!(after(off.clone(), Op::SetPolicy("easy-machine".into())), set("easy-machine", true));
        assert_eq!(after(off, Op::SetPolicy("fcfs".into())), set("fcfs", false));
    }

    #[test]
    fn what_can_not_be_had_is_refused_in_a_sentence() {
        let said = |own: &[Policy], first: &str| Policies::new(own, &first.into()).unwrap_err().to_string();
        let known = Policy::NAMES.join(", ");
        assert_eq!(
            said(&[own("mine")], "yours"),
            format!("there is no policy \"yours\"; choose one of {known}, mine")
        );
        let taken = "the policy \"easy\" has the name of another one; give it a name of its own";
        assert_eq!(said(&[own("easy")], "easy"), taken);
        let mut dear = Policy { name: "dear".into(), ..Policy::named("seed-lab-off").unwrap() };
        if let Order::Multifactor(rules) = &mut dear.order {
            rules.half_life = switchyard_model::SimDuration::ZERO;
        }
        assert!(said(&[dear], "easy").starts_with("the policy \"dear\": usage never fades"));
        let pushy = Policy { preempt: Some(Preempt::default()), ..own("pushy") };
        assert!(
            said(&[pushy], "easy").starts_with("the policy \"pushy\" lets jobs push others out (preempt)")
        );
    }
}
