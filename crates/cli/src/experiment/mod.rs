//! Experiments: the same workloads under several policies.

pub(crate) mod axis;
pub(crate) mod cell;
pub(crate) mod digest;
pub(crate) mod error;
pub(crate) mod figure;
pub(crate) mod list;
pub(crate) mod pool;
pub(crate) mod replicate;
pub(crate) mod trial;

use std::sync::Arc;

use switchyard_model::{Fleet, FleetSpec, Job, Site};
use switchyard_scheduler::{Policy, SlowdownRule};
use switchyard_workload::{Recipe, Slice, Workload};

use crate::args::SlowdownArgs;
use crate::args_experiment::ReplicateArgs;
use crate::args_input::{InputArgs, MachineArgs};
use crate::failure::Failure;
use crate::setting::{Form, Ground, give_rights};
use crate::{show, site};

use cell::Cell;
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
            Some(Replicate::Seed(recipe)) => (None, generated(&ground, input, recipe)?),
            _ => {
                let trace = ground.load(input)?;
                (Some(trace.clone()), trace)
            }
        };
        let (fleet_spec, fleet) = ground.fleet(&first)?;
        let site = site::of(machine, ground.conf.as_ref(), &fleet)?;
        let (_, notes) = Form::of(input).give(first, input, &fleet, &site)?;
        notes.iter().for_each(|note| show::say(note));
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

    /// The jobs of a replicate, in this form.
    fn workload(&self, replicate: &Replicate, form: &Form) -> Result<Workload, Failure> {
        let workload = match (replicate, &self.trace) {
            (Replicate::Seed(recipe), _) => generated(&self.ground, self.input, recipe)?,
            (&Replicate::Slice { from, to, .. }, Some(trace)) => {
                let mut part = trace.clone();
                Slice::Jobs { from, to }.apply(&mut part)?;
                part
            }
            (_, Some(trace)) => trace.clone(),
            (_, None) => Workload::new("nothing", Vec::new()),
        };
        Ok(form.give(workload, self.input, &self.fleet, &self.site)?.0)
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
            let workload = self.workload(first, &cell.form)?;
            let note = give_rights(&mut self.site.clone(), &workload.jobs, &cell.policy);
            said.extend(note.filter(|note| !said.contains(note)));
        }
        said.iter().for_each(|note| show::say(note));
        Ok(())
    }
}

/// The jobs of a generator, or some of them.
fn generated(ground: &Ground, input: &InputArgs, recipe: &Recipe) -> Result<Workload, Failure> {
    let mut workload = recipe.generate(ground.processors())?;
    input.change.cut(&mut workload)?;
    Ok(workload)
}
