//! From the command line to what a replay needs: the workload, the machines, the site, the policy.

use std::collections::BTreeMap;
use std::sync::Arc;

use switchyard_model::{Fleet, Job, Qos, Site};
use switchyard_scheduler::{Policy, PreemptBy};
use switchyard_workload::{SlurmConf, Workload, limit_by_partition, scale_to};

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
    let conf = machine.slurm_conf.as_deref().map(conf::read).transpose()?;
    let policy = policy::compose(changes, conf.as_ref())?;
    let spec = match fleet::described_by(machine)? {
        Some(spec) => Some(spec),
        None => conf.as_ref().and_then(SlurmConf::fleet),
    };
    let mut workload = load(input, spec.as_ref().map(fleet::processors))?;
    input.change.cut(&mut workload)?;
    let fleet = match &spec {
        Some(spec) => spec.build()?,
        None => {
            let name = workload.name.to_string();
            let built = switchyard_workload::fleet_for(&workload).build();
            let fleet = built.map_err(|source| Failure::Derived { workload: name, source })?;
            show::say(&format!("The fleet is derived from the workload: {}.", described(&fleet)));
            fleet
        }
    };
    input.change.apply(&mut workload, fleet.capacity().cpus)?;
    if input.scale {
        let (scaled, report) = scale_to(&workload, &fleet);
        show::say(&format!("Fitted to {}: {report}", described(&fleet)));
        workload = scaled;
    }
    let mut site = site::of(machine, conf.as_ref(), &fleet)?;
    match limit_by_partition(&mut workload, &site) {
        0 => {}
        1 => show::say("1 job without a limit gets that of its partition."),
        jobs => show::say(&format!("{jobs} jobs without a limit get that of their partition.")),
    }
    input.limits.apply(&mut workload);
    if changes.preempt.is_some() {
        give_rights(&mut site, &workload.jobs, &policy);
    }
    Ok(Setting { workload, fleet: Arc::new(fleet), site: Arc::new(site), policy })
}

fn load(input: &InputArgs, processors: Option<u32>) -> Result<Workload, Failure> {
    if let Some(recipe) = &input.generate {
        return Ok(recipe.generate(processors)?);
    }
    let Some(path) = &input.trace else { return Ok(Workload::new("nothing", Vec::new())) };
    load::file(path, &input.format)
}

/// Qualities of service for a site that lists none: each may preempt those of lower priority.
fn give_rights(site: &mut Site, jobs: &[Job], policy: &Policy) {
    let by_qos = policy.preempt.as_ref().is_some_and(|rules| rules.by == PreemptBy::Qos);
    if !by_qos || !site.qos.is_empty() {
        return;
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
    show::say(&match site.qos.len() {
        0 | 1 => "No job may preempt another: they don't have different qualities of service.".to_owned(),
        count => {
            format!("The jobs have {count} qualities of service; each may preempt those of lower priority.")
        }
    });
}
