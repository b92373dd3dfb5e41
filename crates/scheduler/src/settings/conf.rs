//! The policy that a cluster's `slurm.conf` describes.

use super::{SettingError, SettingNote, preempt};
use crate::{
    Discipline, Multifactor, Order, PlacementRule, PlanOn, Policy, Preempt, PreemptSetting, SlurmParams,
    Weights,
};

/// Takes the settings of a `slurm.conf` one by one, in any order, and makes a policy of them.
///
/// What isn't set has Slurm's default: multifactor priorities without weights, which is the order of arrival; main passes and
/// backfill cycles; no preemption. Plans are made [as Slurm makes them](PlanOn::WillRun), since that is what whoever has a
/// `slurm.conf` asks for.
#[derive(Clone, Debug)]
pub struct SlurmSettings {
    priority: Multifactor,
    /// `priority/basic`.
    basic: bool,
    params: SlurmParams,
    /// `sched/builtin`.
    builtin: bool,
    preempt_type: String,
    mode: PreemptSetting,
    rules: Preempt,
}

impl Default for SlurmSettings {
    fn default() -> Self {
        SlurmSettings {
            priority: Multifactor::slurm(),
            basic: false,
            params: SlurmParams::default(),
            builtin: false,
            preempt_type: "preempt/none".to_owned(),
            mode: PreemptSetting::default(),
            rules: Preempt::default(),
        }
    }
}

impl SlurmSettings {
    /// Takes a setting; the key in any case. What Slurm would only warn about comes back as notes.
    ///
    /// # Errors
    /// When it is no setting of the scheduler, or the value makes no sense.
    pub fn set(&mut self, key: &str, value: &str) -> Result<Vec<SettingNote>, SettingError> {
        let lower = value.trim().to_ascii_lowercase();
        let wrong = |key, expected| SettingError::Value { key, expected, found: value.to_owned() };
        match key.to_ascii_lowercase().as_str() {
            "prioritytype" => {
                self.basic = match lower.as_str() {
                    "priority/basic" => true,
                    "priority/multifactor" => false,
                    _ => return Err(wrong("PriorityType", "priority/basic or priority/multifactor")),
                };
            }
            "schedulertype" => {
                self.builtin = match lower.as_str() {
                    "sched/builtin" => true,
                    "sched/backfill" => false,
                    _ => return Err(wrong("SchedulerType", "sched/backfill or sched/builtin")),
                };
            }
            "schedulerparameters" => return Ok(self.set_parameters(value)),
            "preempttype" => value.clone_into(&mut self.preempt_type),
            "preemptmode" => {
                self.mode = value.parse()?;
                let gang = || SettingNote::NotModelled { key: "PreemptMode", value: "GANG".to_owned() };
                return Ok(self.mode.gang.then(gang).into_iter().collect());
            }
            _ if preempt::is_ours(key) => return preempt::set(&mut self.rules, key, value),
            _ => return self.priority.set(key, value),
        }
        Ok(Vec::new())
    }

    /// Some parameters of preemption stand among those of the scheduler.
    fn set_parameters(&mut self, list: &str) -> Vec<SettingNote> {
        let is_preemption = |item: &&str| preempt::is_ours(item.split('=').next().unwrap_or(item).trim());
        let items = || list.split(',').map(str::trim).filter(|item| !item.is_empty());
        let mut notes = Vec::new();
        for item in items().filter(is_preemption) {
            let (key, value) = item.split_once('=').unwrap_or((item, ""));
            notes.extend(self.rules.set(key.trim(), value.trim()).err().map(SettingNote::Scheduler));
        }
        let rest: Vec<&str> = items().filter(|item| !is_preemption(item)).collect();
        let (params, problems) = SlurmParams::parse(&rest.join(","));
        self.params = params;
        notes.extend(problems.into_iter().map(SettingNote::Scheduler));
        notes
    }

    /// The policy, named `slurm`.
    ///
    /// # Errors
    /// When settings don't go together.
    pub fn policy(self) -> Result<Policy, SettingError> {
        let mut priority = self.priority;
        if self.basic {
            priority.weights = Weights::default();
        }
        let bf_interval = if self.builtin { -1 } else { self.params.bf_interval };
        let configured = Preempt::configured(&self.preempt_type, &self.mode)?;
        let rules = self.rules;
        let policy = Policy {
            name: "slurm".into(),
            order: Order::Multifactor(priority),
            discipline: Discipline::Slurm(SlurmParams {
                bf_interval,
                plan_on: PlanOn::WillRun,
                ..self.params
            }),
            placement: PlacementRule::FirstFit,
            preempt: configured.map(|fresh| Preempt {
                by: fresh.by,
                mode: fresh.mode,
                within: fresh.within,
                priority: fresh.priority,
                ..rules
            }),
        };
        policy.check()?;
        Ok(policy)
    }
}
