//! Experiments: the same workloads under several policies.

pub(crate) mod axis;
pub(crate) mod cell;
pub(crate) mod error;
pub(crate) mod figure;
pub(crate) mod list;
pub(crate) mod pool;
pub(crate) mod replicate;
pub(crate) mod trial;

use std::sync::Arc;

use switchyard_model::{Fleet, FleetSpec, Job, Site};
use switchyard_scheduler::{Policy, SlowdownRule};
use switchyard_workload::{LimitModel, Workload};

use crate::args::SlowdownArgs;
use crate::args_experiment::ReplicateArgs;
use crate::args_input::{InputArgs, MachineArgs};
use crate::failure::Failure;
use crate::setting::{Ground, fitted, give_rights};
use crate::{show, site};

use cell::{Cell, Load};
use replicate::Replicate;

/// What all runs of an experiment share.
pub(crate) struct Experiment<'a> {
    pub(crate) input: &'a InputArgs,
    pub(crate) ground: Ground,
    /// The machines, the same for all runs.
    pub(crate) fleet: Arc<Fleet>,
    pub(crate) fleet_spec: FleetSpec,
    pub(crate) site: Site,
    pub(crate) slowdown: SlowdownRule,
    /// The trace; none where workloads are generated.
    pub(crate) trace: Option<Workload>,
    pub(crate) replicates: Vec<Replicate>,
}

impl<'a> Experiment<'a> {
    /// Reads all files, and says what they don't say themselves. Machines that nobody described are derived from the whole
    /// trace, or from the first of the generated workloads.
    pub(crate) fn prepare(
        ground: Ground,
        input: &'a InputArgs,
        machine: &MachineArgs,
        args: &ReplicateArgs,
        slowdown: &SlowdownArgs,
    ) -> Result<Experiment<'a>, Failure> {
        let replicates = replicate::all(input, args);
        let (trace, first) = match replicates.first() {
            Some(Replicate::Seed(recipe)) => (None, recipe.generate(ground.processors())?),
            _ => {
                let trace = ground.load(input)?;
                (Some(trace.clone()), trace)
            }
        };
        let (fleet_spec, fleet) = ground.fleet(&first)?;
        let (_, note) = fitted(first, input, &fleet, &input.limits);
        note.iter().for_each(|note| show::say(note));
        let site = site::of(machine, ground.conf.as_ref(), &fleet)?;
        let replicates = replicate::cut(replicates, trace.as_ref())?;
        let slowdown = slowdown.rule(input.generate.as_ref());
        Ok(Experiment {
            input,
            ground,
            fleet: Arc::new(fleet),
            fleet_spec,
            site,
            slowdown,
            trace,
            replicates,
        })
    }

    /// The jobs of a replicate, at this load and with these limits.
    fn workload(&self, replicate: &Replicate, load: &Load, limits: &LimitModel) -> Result<Workload, Failure> {
        let mut workload = match (replicate, &self.trace) {
            (Replicate::Seed(recipe), _) => recipe.generate(self.ground.processors())?,
            (Replicate::Slice { from, to, .. }, Some(trace)) => replicate::cut_out(trace, *from, *to),
            (_, Some(trace)) => trace.clone(),
            (_, None) => Workload::new("nothing", Vec::new()),
        };
        load.apply(&mut workload);
        Ok(fitted(workload, self.input, &self.fleet, limits).0)
    }

    /// The site, where `--preempt` may give rights that it doesn't list.
    fn site_for(&self, jobs: &[Job], policy: &Policy, rights: bool) -> Arc<Site> {
        let mut site = self.site.clone();
        if rights {
            give_rights(&mut site, jobs, policy);
        }
        Arc::new(site)
    }

    /// Says what would become of preemption in these cells, as `replay` does, once for each sentence.
    pub(crate) fn say_rights(&self, cells: &[Cell]) -> Result<(), Failure> {
        let Some(first) = self.replicates.first() else { return Ok(()) };
        let mut said: Vec<String> = Vec::new();
        for cell in cells.iter().filter(|cell| cell.rights) {
            let workload = self.workload(first, &cell.load, &cell.limits)?;
            let note = give_rights(&mut self.site.clone(), &workload.jobs, &cell.policy);
            said.extend(note.filter(|note| !said.contains(note)));
        }
        said.iter().for_each(|note| show::say(note));
        Ok(())
    }
}
