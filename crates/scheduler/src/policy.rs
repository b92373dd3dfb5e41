//! A scheduling policy as data: an order, a queue discipline and a placement, with a name.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use switchyard_model::SimDuration;
use thiserror::Error;

use crate::{Charge, Discipline, Multifactor, Order, PlacementRule, PlanOn, Preempt, SlurmParams};

/// How to schedule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// What people call it.
    pub name: Arc<str>,
    /// Who is next.
    pub order: Order,
    /// Who may pass whom.
    pub discipline: Discipline,
    /// Where a job goes.
    #[serde(default)]
    pub placement: PlacementRule,
    /// Who has to make room for whom; `None` means nobody.
    #[serde(default)]
    pub preempt: Option<Preempt>,
}

/// Nobody called a policy that.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is no policy \"{name}\"; choose one of {}", Policy::NAMES.join(", "))]
pub struct UnknownPolicy {
    /// What was asked for.
    pub name: String,
}

impl Policy {
    /// The policies that have a name.
    pub const NAMES: [&str; 14] = [
        "fcfs",
        "sjf",
        "easy",
        "easy-machine",
        "easy-aggregate",
        "conservative",
        "conservative-replan",
        "conservative-machine",
        "slurm",
        "seed-lab-v01-off",
        "seed-lab-v01",
        "seed-lab-off",
        "seed-lab-easy",
        "seed-lab",
    ];

    /// The policy that people call `name`:
    /// - `fcfs`: first come, first served, nobody passes;
    /// - `sjf`: the shortest time limit first, nobody passes;
    /// - `easy`: EASY backfill that counts resources;
    /// - `easy-machine`: EASY backfill that reserves certain nodes;
    /// - `easy-aggregate`: EASY backfill by the aggregate shadow time;
    /// - `conservative`: a reservation for every job, which moves up when something becomes free;
    /// - `conservative-replan`: reservations for all, made anew at every event;
    /// - `conservative-machine`: `conservative`, on certain nodes even where any processor would do;
    /// - `slurm`: Slurm's main passes and backfill cycles with its defaults, by arrival;
    /// - `seed-lab-v01`, `seed-lab-v01-off`: the published backfill experiment, with backfill and without;
    /// - `seed-lab-easy`, `seed-lab-off`: the same with Slurm's priorities as the lab has them now;
    /// - `seed-lab`: with these priorities and Slurm's backfill, which is the lab's default now.
    ///
    /// # Errors
    /// When it is none of [`Policy::NAMES`].
    pub fn named(name: &str) -> Result<Policy, UnknownPolicy> {
        let (order, discipline) = match name {
            "fcfs" => (Order::Fifo, Discipline::Strict),
            "sjf" => (Order::Shortest, Discipline::Strict),
            "easy" => (Order::Fifo, Discipline::EasyCount),
            "easy-machine" => (Order::Fifo, Discipline::EasyMachine),
            "easy-aggregate" => (Order::Fifo, Discipline::EasyAggregate),
            "conservative" => (Order::Fifo, Discipline::Conservative),
            "conservative-replan" => (Order::Fifo, Discipline::ConservativeReplan),
            "conservative-machine" => (Order::Fifo, Discipline::ConservativeMachine),
            "slurm" => (Order::Fifo, Discipline::Slurm(SlurmParams::default())),
            "seed-lab-v01-off" => (Order::Multifactor(Multifactor::seed_lab_v01()), Discipline::Strict),
            "seed-lab-v01" => (Order::Multifactor(Multifactor::seed_lab_v01()), Discipline::EasyAggregate),
            "seed-lab-off" => (Order::Multifactor(Multifactor::seed_lab()), Discipline::Strict),
            "seed-lab-easy" => (Order::Multifactor(Multifactor::seed_lab()), Discipline::EasyAggregate),
            "seed-lab" => {
                let params = SlurmParams { plan_on: PlanOn::Lowest, ..SlurmParams::default() };
                (Order::Multifactor(Multifactor::seed_lab()), Discipline::Slurm(params))
            }
            _ => return Err(UnknownPolicy { name: name.to_owned() }),
        };
        Ok(Policy { name: name.into(), order, discipline, placement: PlacementRule::FirstFit, preempt: None })
    }

    /// Where jobs go in the end: where Slurm [plans](PlanOn::WillRun) and nobody asks for a certain placement, to the nodes
    /// that Slurm would choose.
    pub(crate) const fn rule(&self) -> PlacementRule {
        match (self.placement, self.discipline) {
            (PlacementRule::FirstFit, Discipline::Slurm(params))
                if matches!(params.plan_on, PlanOn::WillRun) =>
            {
                PlacementRule::Consecutive
            }
            (placement, _) => placement,
        }
    }

    /// Whether a job may pass another one.
    pub const fn has_backfill(&self) -> bool {
        match self.discipline {
            Discipline::Strict => false,
            Discipline::Slurm(params) => params.has_backfill(),
            _ => true,
        }
    }

    /// The same policy, but nobody passes anybody. It bears the name of the named policy that it equals, if there is one.
    #[must_use]
    pub fn backfill_off(&self) -> Policy {
        if !self.has_backfill() {
            return self.clone();
        }
        let discipline = match self.discipline {
            // Slurm's `sched/builtin`: the main passes alone.
            Discipline::Slurm(params) => Discipline::Slurm(SlurmParams { bf_interval: -1, ..params }),
            _ => Discipline::Strict,
        };
        let off = Policy { discipline, name: format!("{}-off", self.name).into(), ..self.clone() };
        let same = |named: &Policy| {
            named.order == off.order && named.discipline == off.discipline && named.placement == off.placement
        };
        Policy::NAMES.iter().filter_map(|name| Policy::named(name).ok()).find(same).unwrap_or(off)
    }

    /// The same policy, but jobs may pass: the named policy that comes to this one when backfill is [switched
    /// off](Self::backfill_off), the machine-bound EASY if there are several. If there is none, Slurm's cycles where its
    /// discipline was asked for, and the machine-bound EASY elsewhere.
    #[must_use]
    pub fn backfill_on(&self) -> Policy {
        if self.has_backfill() {
            return self.clone();
        }
        let named = || Policy::NAMES.iter().filter_map(|name| Policy::named(name).ok());
        let mut comes_to_this =
            named().filter(|policy| policy.has_backfill() && policy.backfill_off() == *self);
        let any = comes_to_this.clone().next();
        let best = comes_to_this.find(|policy| policy.discipline == Discipline::EasyMachine).or(any);
        best.unwrap_or_else(|| {
            let discipline = match self.discipline {
                Discipline::Slurm(params) => Discipline::Slurm(SlurmParams {
                    bf_interval: SlurmParams::default().bf_interval,
                    ..params
                }),
                _ => Discipline::EasyMachine,
            };
            Policy { discipline, name: format!("{}-on", self.name).into(), ..self.clone() }
        })
    }

    /// The same policy for those who don't know the future: accounts are charged for a job as it ends, not as it starts.
    #[must_use]
    pub fn without_foresight(mut self) -> Policy {
        if let Order::Multifactor(multifactor) = &mut self.order
            && multifactor.charge == Charge::AtDispatch
        {
            multifactor.charge = Charge::AtEnd;
        }
        self
    }

    /// The longest period of its timers: if nothing happens for that long, nothing will.
    pub fn longest_timer(&self) -> SimDuration {
        let of_order = match &self.order {
            Order::Multifactor(multifactor) => multifactor.calc_period,
            _ => SimDuration::ZERO,
        };
        let of_discipline = match self.discipline {
            Discipline::Slurm(params) => params.longest_timer(),
            _ => SimDuration::ZERO,
        };
        of_order.max(of_discipline)
    }

    /// When accounts are charged, if the policy looks at usage.
    pub const fn charge(&self) -> Option<Charge> {
        match &self.order {
            Order::Multifactor(multifactor) => Some(multifactor.charge),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_name_names_a_policy() {
        for name in Policy::NAMES {
            assert_eq!(&*Policy::named(name).unwrap().name, name);
        }
        let said = Policy::named("eazy").unwrap_err().to_string();
        let names = Policy::NAMES.join(", ");
        assert_eq!(said, format!("there is no policy \"eazy\"; choose one of {names}"));
    }

    #[test]
    fn nobody_is_charged_for_the_future_but_in_a_replay() {
        let charge = |name| Policy::named(name).unwrap().without_foresight().charge();
        assert_eq!(charge("seed-lab-v01"), Some(Charge::AtEnd));
        assert_eq!(charge("seed-lab-easy"), Some(Charge::Periodic));
        assert_eq!(Policy::named("easy").unwrap().without_foresight(), Policy::named("easy").unwrap());
    }

    #[test]
    fn backfill_is_switched_off_and_nothing_else() {
        let off = |name| Policy::named(name).unwrap().backfill_off();
        assert_eq!(off("easy"), Policy::named("fcfs").unwrap());
        assert_eq!(off("fcfs"), Policy::named("fcfs").unwrap());
        assert_eq!((&*off("slurm").name, off("slurm").has_backfill()), ("slurm-off", false));
        assert_eq!(off("seed-lab-v01"), Policy::named("seed-lab-v01-off").unwrap());
        assert_eq!(off("seed-lab-easy"), Policy::named("seed-lab-off").unwrap());
        let mut own = Policy::named("seed-lab-v01").unwrap();
        own.name = "mine".into();
        let Order::Multifactor(multifactor) = &mut own.order else { unreachable!() };
        multifactor.weights.age = 7;
        assert_eq!((&*own.backfill_off().name, own.backfill_off().has_backfill()), ("mine-off", false));
    }

    #[test]
    fn backfill_is_switched_on_as_it_would_have_been_switched_off() {
        let on = |name| Policy::named(name).unwrap().backfill_on();
        assert_eq!(on("fcfs"), Policy::named("easy-machine").unwrap());
        assert_eq!(on("easy"), Policy::named("easy").unwrap());
        assert_eq!(on("seed-lab-v01-off"), Policy::named("seed-lab-v01").unwrap());
        let mut own = Policy::named("fcfs").unwrap();
        (own.name, own.order) = ("mine".into(), Order::Shortest);
        assert_eq!(
            (&*own.backfill_on().name, own.backfill_on().discipline),
            ("mine-on", Discipline::EasyMachine)
        );
        let slurm = Policy::named("slurm").unwrap();
        assert_eq!(slurm.backfill_off().backfill_on().discipline, slurm.discipline);
    }
}
