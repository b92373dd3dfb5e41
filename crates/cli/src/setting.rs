//! From the command line to what a replay needs: the workload, the machines, the site, the policy.

use std::collections::BTreeMap;
use std::sync::Arc;

use switchyard_model::{Fleet, FleetSpec, Job, Qos, Site};
use switchyard_scheduler::{Policy, PreemptBy};
use switchyard_workload::{LimitModel, LoadScale, Shake, SlurmConf, Workload, limit_by_partition, scale_to};

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
    let mut site = site::of(machine, ground.conf.as_ref(), &fleet)?;
    let form = Form::of(input);
    let (workload, notes) = form.give(workload, input, &fleet, &site)?;
    notes.iter().for_each(|note| show::say(note));
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

    /// The jobs as they are in the file, or as the generator makes them, or some of them.
    pub(crate) fn load(&self, input: &InputArgs) -> Result<Workload, Failure> {
        let mut workload = match (&input.generate, &input.trace) {
            (Some(recipe), _) => recipe.generate(self.processors())?,
            (None, Some(path)) => load::file(path, &input.format)?,
            (None, None) => Workload::new("nothing", Vec::new()),
        };
        input.change.cut(&mut workload)?;
        Ok(workload)
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

/// What is made of the jobs, once the machines are known.
#[derive(Clone, Debug)]
pub(crate) struct Form {
    pub(crate) load: Option<LoadScale>,
    pub(crate) shake: Option<Shake>,
    pub(crate) limits: LimitModel,
}

impl Form {
    pub(crate) fn of(input: &InputArgs) -> Form {
        Form { load: input.change.load, shake: input.change.shake, limits: input.limits }
    }

    /// The jobs in this form, and what there is to say about it.
    pub(crate) fn give(
        &self,
        mut workload: Workload,
        input: &InputArgs,
        fleet: &Fleet,
        site: &Site,
    ) -> Result<(Workload, Vec<String>), Failure> {
        let mut notes = Vec::new();
        if let Some(load) = &self.load {
            load.apply(&mut workload, fleet.capacity().cpus)?;
        }
        if let Some(shake) = &self.shake {
            shake.apply(&mut workload);
        }
        if input.scale {
            let (scaled, report) = scale_to(&workload, fleet);
            notes.push(format!("Fitted to {}: {report}", described(fleet)));
            workload = scaled;
        }
        match limit_by_partition(&mut workload, site) {
            0 => {}
            1 => notes.push("1 job without a limit gets that of its partition.".to_owned()),
            jobs => notes.push(format!("{jobs} jobs without a limit get that of their partition.")),
        }
        notes.extend(memory_note(&workload, fleet));
        self.limits.apply(&mut workload);
        Ok((workload, notes))
    }
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

/// What to say where jobs ask for memory that the machines are not described with.
fn memory_note(workload: &Workload, fleet: &Fleet) -> Option<String> {
    let asks = |job: &&Job| job.spec.shape.total().memory_mib > 0;
    let jobs = workload.jobs.iter().filter(asks).count();
    let any_amount = fleet.nodes().iter().all(|node| node.capacity.memory_mib >= fleet::AMPLE_MEMORY_MIB);
    (jobs > 0 && any_amount).then(|| {
        let ask = if jobs == 1 { "1 job asks".to_owned() } else { format!("{jobs} jobs ask") };
        format!("{ask} for memory, which limits nothing here: the machines are described without it; a --fleet file can say how much they have.")
    })
}
