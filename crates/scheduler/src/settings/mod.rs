//! A policy's parts and parameters in words, for all who let people change them: each part by its name, each parameter as
//! `slurm.conf(5)` spells it.

mod about;
mod conf;
mod note;
mod parts;
mod preempt;
mod priority;
#[cfg(test)]
mod tests;

use thiserror::Error;

use crate::{
    Discipline, Multifactor, Order, ParamProblem, PlanOn, Policy, Preempt, PreemptError, PreemptSettingError,
    PriorityError, SlurmParams,
};

pub use conf::SlurmSettings;
pub use note::SettingNote;
pub use parts::PartError;

/// Why a parameter can't be set.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SettingError {
    /// Nobody knows it.
    #[error("there is no parameter \"{key}\"; check its spelling in slurm.conf(5)")]
    Unknown {
        /// What was given.
        key: String,
    },
    /// It belongs to a part that the policy doesn't have.
    #[error("{key} is a parameter of {part}, which the policy {policy} doesn't have; choose {remedy}")]
    NoPart {
        /// The parameter.
        key: String,
        /// What it belongs to.
        part: &'static str,
        /// The policy's name.
        policy: String,
        /// What to choose.
        remedy: &'static str,
    },
    /// Not what it should be.
    #[error("{key} is {expected}; found \"{found}\"")]
    Value {
        /// The parameter.
        key: &'static str,
        /// What would have been right.
        expected: &'static str,
        /// What was given.
        found: String,
    },
    /// Not a whole number in its range.
    #[error("{key} is a whole number from {least} to {most}{}; found \"{found}\"", if *.off { ", or -1 to switch it off" } else { "" })]
    Number {
        /// The parameter.
        key: &'static str,
        /// The smallest number.
        least: i64,
        /// The largest one.
        most: i64,
        /// Whether -1 is allowed as well.
        off: bool,
        /// What was given.
        found: String,
    },
    /// Priorities that can't be calculated.
    #[error(transparent)]
    Priority(#[from] PriorityError),
    /// Rights to preempt that don't go together.
    #[error(transparent)]
    Preempt(#[from] PreemptError),
    /// Not a `PreemptMode`.
    #[error(transparent)]
    PreemptMode(#[from] PreemptSettingError),
}

/// The parameters that are there or not, and what may stand behind them: `bf_licenses` can be switched off as well.
const FLAGS: [(&str, &[&str]); 3] = [
    ("bf_licenses", &["", "1", "yes", "true", "0", "no", "false"]),
    ("preempt_youngest_first", &["", "1", "yes", "true"]),
    ("preempt_strict_order", &["", "1", "yes", "true"]),
];

impl Policy {
    /// Sets one parameter from text, and says so in the policy's name. Keys are those of `slurm.conf(5)` and of its
    /// `SchedulerParameters`, in any case.
    ///
    /// Numbers have to be numbers, unlike in a [`slurm.conf`](SlurmSettings), where what isn't stands for a default. What changes nothing
    /// comes back as notes.
    ///
    /// # Errors
    /// When there is no such parameter, the policy has no part that it belongs to, or the value makes no sense.
    pub fn set(&mut self, key: &str, value: &str) -> Result<Vec<SettingNote>, SettingError> {
        let notes = self.set_quietly(key, value)?;
        self.name = format!("{}+{key}={value}", self.name).into();
        Ok(notes)
    }

    fn set_quietly(&mut self, key: &str, value: &str) -> Result<Vec<SettingNote>, SettingError> {
        if let Some((key, says)) = FLAGS.iter().find(|(flag, _)| flag.eq_ignore_ascii_case(key))
            && !says.contains(&value.trim().to_ascii_lowercase().as_str())
        {
            let expected = "a flag: write it without a value, or leave it out";
            return Err(SettingError::Value { key, expected, found: value.to_owned() });
        }
        if Multifactor::KEYS.iter().any(|known| known.eq_ignore_ascii_case(key)) {
            let Order::Multifactor(rules) = &mut self.order else {
                return Err(self.no_part(key, "multifactor priorities", "the order multifactor"));
            };
            return rules.set(key, value);
        }
        if preempt::is_ours(key) {
            return self.set_preempt(key, value);
        }
        if key.eq_ignore_ascii_case(PlanOn::KEY) {
            let Discipline::Slurm(params) = &mut self.discipline else {
                return Err(self.no_part(key, "Slurm's schedulers", "the discipline slurm"));
            };
            params.plan_on = plan_on(value)?;
            return Ok(Vec::new());
        }
        if let Err(ParamProblem::Unknown { .. }) = SlurmParams::default().set(key, value) {
            return Err(SettingError::Unknown { key: key.to_owned() });
        }
        match &mut self.discipline {
            Discipline::Slurm(params) => {
                exact(value, &SlurmParams::default().set(key, ""))?;
                preempt::note(key, params.set(key, value))
            }
            _ => Err(self.no_part(key, "Slurm's schedulers", "the discipline slurm")),
        }
    }

    fn set_preempt(&mut self, key: &str, value: &str) -> Result<Vec<SettingNote>, SettingError> {
        if !matches!(self.discipline, Discipline::Slurm(_)) {
            return Err(self.no_part(key, "preemption by Slurm's schedulers", "the discipline slurm"));
        }
        if key.eq_ignore_ascii_case("PreemptType") {
            self.preempt = preempt::of_type(value, self.preempt.take())?;
            return Ok(Vec::new());
        }
        match &mut self.preempt {
            Some(rules) => {
                let is_list = key.eq_ignore_ascii_case("PreemptParameters");
                for item in value.split(',').filter(|_| is_list) {
                    let (key, value) = item.split_once('=').unwrap_or((item, ""));
                    exact(value, &Preempt::default().set(key, ""))?;
                }
                exact(value, &Preempt::default().set(key, ""))?;
                preempt::set(rules, key, value)
            }
            None => Err(self.no_part(key, "preemption", "a right to preempt, qos or partition_prio")),
        }
    }

    fn no_part(&self, key: &str, part: &'static str, remedy: &'static str) -> SettingError {
        SettingError::NoPart { key: key.to_owned(), part, policy: self.name.to_string(), remedy }
    }

    /// Whether its parameters go together.
    ///
    /// # Errors
    /// When priorities can't be calculated with them.
    pub fn check(&self) -> Result<(), SettingError> {
        match &self.order {
            Order::Multifactor(rules) => Ok(rules.check()?),
            _ => Ok(()),
        }
    }
}

/// Refuses what is no whole number, where one is needed. `none` is what came of setting none.
fn exact(value: &str, none: &Result<(), ParamProblem>) -> Result<(), SettingError> {
    let &Err(ParamProblem::OutOfRange { key, least, most, off, .. }) = none else { return Ok(()) };
    let fits = |n: &i64| (least..=most).contains(n) || (off && *n == -1);
    match value.trim().parse::<i64>().ok().filter(fits) {
        Some(_) => Ok(()),
        None => Err(SettingError::Number { key, least, most, off, found: value.to_owned() }),
    }
}

fn plan_on(value: &str) -> Result<PlanOn, SettingError> {
    let known = PlanOn::ALL.into_iter().find(|(name, _)| *name == value.trim());
    known.map(|(_, plan_on)| plan_on).ok_or_else(|| SettingError::Value {
        key: PlanOn::KEY,
        expected: "will_run, first_free or lowest",
        found: value.to_owned(),
    })
}
