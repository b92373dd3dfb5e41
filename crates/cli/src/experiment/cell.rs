//! One combination of what is compared or varied: a policy, time limits, a load.

use switchyard_scheduler::Policy;
use switchyard_workload::SlurmConf;

use super::error::ExperimentError;
use crate::args_policy::PolicyChangeArgs;
use crate::failure::Failure;
use crate::setting::Form;
use crate::{policy, show};

/// What is run on each of the workloads.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub(crate) policy: Policy,
    /// Whether preemption was asked for by an option, which gives rights where the site lists none.
    pub(crate) rights: bool,
    /// What is made of the jobs.
    pub(crate) form: Form,
    /// Remarks about its parameters.
    pub(crate) notes: Vec<String>,
    /// The parameters that have been set, in small letters.
    given: Vec<String>,
}

impl Cell {
    pub(crate) fn new(policy: Policy, form: Form) -> Cell {
        Cell { policy, rights: false, form, notes: Vec::new(), given: Vec::new() }
    }

    /// The policy that is written as `easy+order=shortest+placement=best-fit`, before any other change.
    pub(crate) fn written(text: &str, form: Form, conf: Option<&SlurmConf>) -> Result<Cell, Failure> {
        let mut parts = text.split('+');
        let name = parts.next().unwrap_or_default();
        let base = match (name, conf) {
            ("slurm-conf", Some(conf)) => policy::of_conf(conf)?,
            ("slurm-conf", None) => return Err(ExperimentError::NoSlurmConf.into()),
            _ => Policy::named(name)?,
        };
        let mut cell = Cell::new(base, form);
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
            "policy" => *self = Cell::written(value, self.form.clone(), conf)?,
            "order" => self.policy = policy.with_order(value)?,
            "discipline" => self.policy = policy.with_discipline(value)?,
            "placement" => self.policy = policy.with_placement(value)?,
            "limits" => self.form.limits = value.parse()?,
            "load" => self.form.load = Some(value.parse()?),
            "shake" => self.form.shake = Some(value.parse()?),
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
    pub(crate) fn change(&mut self, args: &PolicyChangeArgs) -> Result<(), Failure> {
        self.policy = policy::with_parts(self.policy.clone(), args)?;
        self.set_parameters(args)?;
        Ok(self.policy.check()?)
    }

    /// The part of it that needs parts of the policy.
    pub(crate) fn set_parameters(&mut self, args: &PolicyChangeArgs) -> Result<(), Failure> {
        let rights = args.preempt.map(|_| "PreemptType");
        for key in args.params.iter().map(|(key, _)| key.as_str()).chain(rights) {
            self.once(key)?;
        }
        let notes = policy::set_parameters(&mut self.policy, args)?;
        self.rights |= args.preempt.is_some();
        self.notes.extend(notes.iter().map(|note| format!("{note}.")));
        Ok(())
    }

    /// Refuses a parameter that has been set before.
    fn once(&mut self, key: &str) -> Result<(), Failure> {
        let key = key.to_ascii_lowercase();
        if self.given.contains(&key) {
            return Err(Failure::RepeatedParameter { key });
        }
        self.given.push(key);
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
        self.once(key)?;
        let notes = self.policy.set(key, value)?;
        self.notes.extend(notes.iter().map(|note| format!("{note}.")));
        Ok(())
    }
}
