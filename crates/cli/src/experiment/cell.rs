//! One combination of what is compared or varied: a policy, time limits, a load.

use std::sync::Arc;

use switchyard_model::SimTime;
use switchyard_scheduler::Policy;
use switchyard_workload::{LimitModel, SlurmConf, Workload};

use super::error::ExperimentError;
use crate::args_policy::ChangeArgs;
use crate::failure::Failure;
use crate::{policy, show};

/// What is run on each of the workloads.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub(crate) policy: Policy,
    /// Whether preemption was asked for by an option, which gives rights where the site lists none.
    pub(crate) rights: bool,
    pub(crate) limits: LimitModel,
    pub(crate) load: Load,
    /// Remarks about its parameters.
    pub(crate) notes: Vec<String>,
}

impl Cell {
    pub(crate) fn new(policy: Policy, limits: LimitModel) -> Cell {
        Cell { policy, rights: false, limits, load: Load::default(), notes: Vec::new() }
    }

    /// The policy that is written as `easy+order=shortest+placement=best-fit`, before any other change.
    pub(crate) fn written(text: &str, limits: LimitModel, conf: Option<&SlurmConf>) -> Result<Cell, Failure> {
        let mut parts = text.split('+');
        let name = parts.next().unwrap_or_default();
        let base = match (name, conf) {
            ("slurm-conf", Some(conf)) => policy::of_conf(conf)?,
            ("slurm-conf", None) => return Err(ExperimentError::NoSlurmConf.into()),
            _ => Policy::named(name)?,
        };
        let mut cell = Cell::new(base, limits);
        for part in parts {
            let Some((key, value)) = part.split_once('=') else {
                return Err(
                    ExperimentError::PolicyText { text: text.to_owned(), part: part.to_owned() }.into()
                );
            };
            cell.set(key.trim(), value.trim(), conf)?;
        }
        cell.policy.check()?;
        Ok(cell)
    }

    /// Changes one thing. `policy` begins anew, so it comes first.
    pub(crate) fn set(&mut self, key: &str, value: &str, conf: Option<&SlurmConf>) -> Result<(), Failure> {
        let policy = self.policy.clone();
        match key {
            "policy" => *self = Cell::written(value, self.limits, conf)?,
            "order" => self.policy = policy.with_order(value)?,
            "discipline" => self.policy = policy.with_discipline(value)?,
            "placement" => self.policy = policy.with_placement(value)?,
            "limits" => self.limits = value.parse()?,
            "load" => self.load = Load::parse(value)?,
            "preempt" => {
                let right = match value {
                    "qos" => "preempt/qos",
                    "partition" => "preempt/partition_prio",
                    "none" => "preempt/none",
                    _ => return Err(ExperimentError::PreemptText { found: value.to_owned() }.into()),
                };
                self.rights = value != "none";
                self.set_parameter("PreemptType", right)?;
            }
            _ => self.set_parameter(key, value)?,
        }
        Ok(())
    }

    /// What the options change in every policy.
    pub(crate) fn change(&mut self, args: &ChangeArgs) -> Result<(), Failure> {
        self.policy = policy::with_parts(self.policy.clone(), args)?;
        self.set_parameters(args)?;
        Ok(self.policy.check()?)
    }

    /// The part of it that needs parts of the policy.
    pub(crate) fn set_parameters(&mut self, args: &ChangeArgs) -> Result<(), Failure> {
        let notes = policy::set_parameters(&mut self.policy, args)?;
        self.rights |= args.preempt.is_some();
        self.notes.extend(notes.iter().map(|note| format!("{note}.")));
        Ok(())
    }

    /// Says all remarks, each once.
    pub(crate) fn say_notes(cells: &[Cell]) {
        let mut said: Vec<&String> = Vec::new();
        for note in cells.iter().flat_map(|cell| &cell.notes) {
            if !said.contains(&note) {
                show::say(note);
                said.push(note);
            }
        }
    }

    fn set_parameter(&mut self, key: &str, value: &str) -> Result<(), Failure> {
        let notes = self.policy.set(key, value)?;
        self.notes.extend(notes.iter().map(|note| format!("{note}.")));
        Ok(())
    }
}

/// How fast the jobs come, by the measure of how fast they come in the trace.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Load {
    text: String,
    factor: f64,
}

impl Default for Load {
    fn default() -> Self {
        Load { text: "1".to_owned(), factor: 1.0 }
    }
}

impl Load {
    fn parse(text: &str) -> Result<Load, Failure> {
        let factor = text.parse().ok().filter(|factor: &f64| factor.is_finite() && *factor > 0.0);
        let factor = factor.ok_or_else(|| ExperimentError::LoadText { found: text.to_owned() })?;
        Ok(Load { text: text.to_owned(), factor })
    }

    /// As it was written.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Divides the times between submissions by the factor; runtimes and requests stay.
    pub(super) fn apply(&self, workload: &mut Workload) {
        if self.text == "1" {
            return;
        }
        let moved = |at: SimTime| {
            let secs = at.since(SimTime::ZERO).as_secs_f64() / self.factor;
            SimTime::from_secs_f64(secs).unwrap_or(at)
        };
        for job in &mut workload.jobs {
            let spec = Arc::make_mut(&mut job.spec);
            spec.submit = moved(spec.submit);
            spec.terms.begin = moved(spec.terms.begin);
        }
    }
}
