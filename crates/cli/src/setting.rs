//! From the command line to what a replay needs: the workload, the machines, the site, the policy.

use std::collections::BTreeMap;
use std::sync::Arc;

use switchyard_model::{Fleet, FleetSpec, Job, Qos, Site};
use switchyard_scheduler::{Policy, PreemptBy};
use switchyard_workload::{LimitModel, SlurmConf, Workload, scale_to};

use crate::args_input::{InputArgs, MachineArgs};
use crate::args_policy::PolicyArgs;
use crate::failure::Failure;
use crate::fleet::{self, described};
use crate::{conf, load, policy, show, site};

/// What is replayed.
pub(crate) struct Setting {
    pub(crate) workload: Workload,
    pub(crate) fleet: Arc<Fleet>,
    pub(crate) site: Arc<Site>,
    pub(crate) policy: Policy,
}

/// Reads all files, and says what they don't say themselves.
pub(crate) fn prepare(
    input: &InputArgs,
    machine: &MachineArgs,
    changes: &PolicyArgs,
) -> Result<Setting, Failure> {
    let ground = Ground::read(machine)?;
    let policy = policy::compose(changes, ground.conf.as_ref())?;
    let workload = ground.load(input)?;
    let (_, fleet) = ground.fleet(&workload)?;
    let (workload, note) = fitted(workload, input, &fleet, &input.limits);
    note.iter().for_each(|note| show::say(note));
    let mut site = site::of(machine, ground.conf.as_ref(), &fleet)?;
    if changes.changes.preempt.is_some()
        && let Some(note) = give_rights(&mut site, &workload.jobs, &policy)
    {
        show::say(&note);
    }
    Ok(Setting { workload, fleet: Arc::new(fleet), site: Arc::new(site), policy })
}

/// What the command line says about the machines.
pub(crate) struct Ground {
    pub(crate) conf: Option<SlurmConf>,
    /// The fleet of the options or of the `slurm.conf`; without, it is derived from the workload.
    spec: Option<FleetSpec>,
}

impl Ground {
    pub(crate) fn read(machine: &MachineArgs) -> Result<Ground, Failure> {
        let conf = machine.slurm_conf.as_deref().map(conf::read).transpose()?;
        let spec = match fleet::described_by(machine)? {
            Some(spec) => Some(spec),
            None => conf.as_ref().and_then(SlurmConf::fleet),
        };
        Ok(Ground { conf, spec })
    }

    /// How many processors the described machines have.
    pub(crate) fn processors(&self) -> Option<u32> {
        self.spec.as_ref().map(fleet::processors)
    }

    /// The jobs as they are in the file, or as the generator makes them.
    pub(crate) fn load(&self, input: &InputArgs) -> Result<Workload, Failure> {
        if let Some(recipe) = &input.generate {
            return Ok(recipe.generate(self.processors())?);
        }
        let Some(path) = &input.trace else { return Ok(Workload::new("nothing", Vec::new())) };
        load::file(path, &input.format)
    }

    /// The machines; says so if they are derived.
    pub(crate) fn fleet(&self, workload: &Workload) -> Result<(FleetSpec, Fleet), Failure> {
        if let Some(spec) = &self.spec {
            return Ok((spec.clone(), spec.build()?));
        }
        let name = workload.name.to_string();
        let spec = switchyard_workload::fleet_for(workload);
        let fleet = spec.build().map_err(|source| Failure::Derived { workload: name, source })?;
        show::say(&format!("The fleet is derived from the workload: {}.", described(&fleet)));
        Ok((spec, fleet))
    }
}

/// The jobs fitted to the fleet, if that is asked for, with time limits by the model; and what there is to say about it.
pub(crate) fn fitted(
    mut workload: Workload,
    input: &InputArgs,
    fleet: &Fleet,
    limits: &LimitModel,
) -> (Workload, Option<String>) {
    let mut note = None;
    if input.scale {
        let (scaled, report) = scale_to(&workload, fleet);
        note = Some(format!("Fitted to {}: {report}", described(fleet)));
        workload = scaled;
    }
    limits.apply(&mut workload);
    (workload, note)
}

/// Qualities of service for a site that lists none: each may preempt those of lower priority. Tells what came of it.
pub(crate) fn give_rights(site: &mut Site, jobs: &[Job], policy: &Policy) -> Option<String> {
    let by_qos = policy.preempt.as_ref().is_some_and(|rules| rules.by == PreemptBy::Qos);
    if !by_qos || !site.qos.is_empty() {
        return None;
    }
    let named = |job: &Job| Some((job.spec.terms.qos.clone()?, u32::from(job.spec.qos.0)));
    let ladder: BTreeMap<Arc<str>, u32> = jobs.iter().filter_map(named).collect();
    let below = |priority: u32| {
        let lower = ladder.iter().filter(move |(_, other)| **other < priority);
        lower.map(|(name, _)| Arc::clone(name)).collect::<Vec<_>>()
    };
    let rung = |(name, &priority): (&Arc<str>, &u32)| Qos {
        name: Arc::clone(name),
        priority,
        preempt: below(priority),
        ..Qos::default()
    };
    site.qos = ladder.iter().map(rung).collect();
    Some(match site.qos.len() {
        0 | 1 => "No job may preempt another: they don't have different qualities of service.".to_owned(),
        count => {
            format!("The jobs have {count} qualities of service; each may preempt those of lower priority.")
        }
    })
}
