//! Slurm's two schedulers: a strict main pass on each event, and backfill cycles on a timer of their own.
//!
//! - A *main pass* follows each submission and end. It starts what fits, in order, and in each partition stops at the first
//!   job that doesn't fit. It looks at a limited number of jobs, but for one pass in `sched_interval`.
//! - A *backfill cycle* comes every `bf_interval` while jobs wait. It plans each of them as early as it can start without
//!   moving those before it, and starts those that can start now.
//!
//! Where both come every second or so, a pass that finds a node free comes a moment after the end of its job (see
//! [`SlurmParams::lag`]), and a cycle with it.
//!
//! Timers are on grids from the first submission. At one moment: ends, submissions, main pass, cycle; after a preemption that
//! frees nodes at once, the cycle waits for the main pass that follows from that.
//!
//! Sources: Slurm's Scheduling Configuration Guide and `slurm.conf(5)`; the public repository slurm-scheduler-lab for what
//! they leave open.

#[cfg(test)]
mod against_plain;
mod agenda;
mod bits;
mod caps;
mod completing;
mod cycle;
mod departures;
mod held;
mod holdings;
mod licences;
mod line;
mod main_pass;
mod openings;
mod params;
mod partitions;
#[cfg(test)]
mod plain;
mod preemptor;
mod segments;
mod settings;
#[cfg(test)]
mod tests;
mod timeline;
mod timer;
mod verdicts;
mod will_run;
#[cfg(test)]
mod will_run_cases;

use std::collections::{BTreeMap, BTreeSet};

use switchyard_model::{JobId, Limits, SimTime, Terms};

use crate::Cluster;
use crate::cluster::Pending;
use crate::pass::Pass;
use crate::ranking::Entry;

use agenda::Agenda;
use caps::Caps;
use completing::Completing;
use cycle::{Outcome, Queue};
use held::Held;
use main_pass::Turn;
use preemptor::Preemptor;
use timeline::Slot;
use timer::Timer;
use will_run::WillRun;

pub use params::{PlanOn, SlurmParams};
pub(crate) use partitions::Partitions;
pub use settings::ParamProblem;
pub(crate) use settings::lenient;

/// Slurm's schedulers at work.
#[derive(Clone, Debug, Default)]
pub(crate) struct Slurm {
    params: SlurmParams,
    /// The timers; `None` until the first job is seen.
    timers: Option<Timers>,
    /// The jobs that may not start before a certain moment.
    held: Held,
    /// Waiting jobs that a cycle may have to pass over.
    odd: BTreeSet<JobId>,
    /// Waiting jobs that need no processor, so that even a busy node may have room for them.
    weightless: BTreeSet<JobId>,
    /// The last cycle started nobody, and planned everyone it looked at: as long as nothing happens, another one before this
    /// would do the same.
    settled: Option<SimTime>,
    preemptor: Preemptor,
    completing: Completing,
    agenda: Agenda,
    will_run: WillRun,
    /// What the last cycle planned, for onlookers.
    planned: BTreeMap<JobId, Slot>,
    /// Cycles look at everything and plan without cleverness.
    #[cfg(test)]
    plain: bool,
}

#[derive(Clone, Copy, Debug)]
struct Timers {
    full_pass: Option<Timer>,
    cycle: Option<Timer>,
}

impl Slurm {
    pub(crate) fn new(params: SlurmParams) -> Self {
        Slurm { params, will_run: WillRun::new(params.resolution()), ..Slurm::default() }
    }

    /// The one that follows the rules to the letter.
    #[cfg(test)]
    pub(crate) fn plain(params: SlurmParams) -> Self {
        Slurm { plain: true, ..Slurm::new(params) }
    }

    pub(crate) fn run(&mut self, pass: &mut Pass<'_>, planned: &[JobId]) {
        let freed = self.completing.note_changes(pass, self.params.lag());
        let eventful = self.note_changes(pass, planned, freed);
        self.completing.hold(pass);
        let Some(mut timers) = self.timers.filter(|_| pass.ranking.len() > 0) else { return };
        let now = pass.now;
        if pass.ranking.len() == pass.changes.arrived.len() {
            // Timers stand still while nobody waits.
            [&mut timers.full_pass, &mut timers.cycle]
                .into_iter()
                .flatten()
                .for_each(|timer| timer.rejoin(now));
        }
        let line = line::line_up(pass);
        let is_due = |timer: &Option<Timer>| timer.is_some_and(|timer| timer.is_due(now));
        let full = is_due(&timers.full_pass) || self.params.sched_interval == 0;
        if self.params.has_main_passes() && (full || eventful) {
            self.main_pass(pass, line.as_deref(), full);
        }
        // Nodes that are given up at once are free in the pass that follows.
        let frees_nodes = pass.preemptions.iter().any(|preemption| preemption.grace.is_zero());
        if (freed && timers.cycle.is_some() || is_due(&timers.cycle)) && !frees_nodes {
            self.cycle(pass, line.as_deref());
            timers.cycle.iter_mut().for_each(|timer| timer.rewind(now));
        }
        timers.full_pass.iter_mut().for_each(|timer| timer.rewind(now));
        self.timers = Some(timers);
        if pass.explains {
            verdicts::explain(pass, line.as_deref(), &self.planned);
        }
    }

    /// When it wants to make a pass even if nothing happens.
    pub(crate) fn wake_at(&self, cluster: &Cluster, now: SimTime) -> Option<SimTime> {
        if cluster.pending().len() == 0 {
            return None;
        }
        let timers = self.timers?;
        let next = [timers.full_pass, timers.cycle].into_iter().flatten().map(|timer| timer.next());
        next.chain(self.held.next_after(now)).chain(self.completing.next()).min()
    }

    /// Brings its lists up to date. Whether something happened that a main pass follows.
    fn note_changes(&mut self, pass: &Pass<'_>, planned: &[JobId], freed: bool) -> bool {
        let changes = pass.changes;
        if changes.anew {
            let completing = std::mem::take(&mut self.completing);
            *self = Slurm { timers: self.timers, completing, ..self.fresh() };
        }
        for &job in changes.started.iter().chain(&changes.withdrawn) {
            self.forget(job);
        }
        self.preemptor.note_changes(changes);
        let woke = self.held.release(pass.now);
        for job in changes.arrived.iter().filter_map(|&key| pass.job(key)) {
            self.note_arrival(job, pass.now);
        }
        self.timers = self.timers.or_else(|| {
            let waiting = pass.cluster.pending().map(|job| job.spec.submit);
            let origin = waiting.chain(pass.cluster.running().map(|job| job.spec.submit)).min()?;
            Some(Timers {
                full_pass: Timer::new(origin, self.params.full_pass_period()),
                cycle: Timer::new(origin, self.params.cycle_period()),
            })
        });
        let left = changes.started != planned || !changes.ended.is_empty() || !changes.withdrawn.is_empty();
        let eventful = changes.anew || changes.nodes || !changes.arrived.is_empty() || left || woke || freed;
        if eventful || changes.service || changes.reordered || !changes.started.is_empty() {
            self.settled = None;
        }
        eventful
    }

    fn note_arrival(&mut self, job: &Pending, now: SimTime) {
        let id = job.spec.id;
        if job.not_before > now {
            self.held.insert(id, job.not_before);
        }
        let Terms { after, array, licences, reservation, .. } = &job.spec.terms;
        let conditional =
            !after.is_empty() || array.is_some() || !licences.is_empty() || reservation.is_some();
        if conditional || !job.request.fits_fleet() {
            self.odd.insert(id);
        }
        let each = job.request.shape.parts().1;
        if each.cpus == 0 && each.gpus == 0 {
            self.weightless.insert(id);
        }
    }

    fn forget(&mut self, job: JobId) {
        self.held.remove(job);
        self.odd.remove(&job);
        self.weightless.remove(&job);
        self.planned.remove(&job);
    }

    /// The same as it was in the beginning.
    fn fresh(&self) -> Slurm {
        Slurm {
            #[cfg(test)]
            plain: self.plain,
            ..Slurm::new(self.params)
        }
    }

    fn main_pass(&mut self, pass: &mut Pass<'_>, line: Option<&[Entry]>, full: bool) {
        let ranking = pass.ranking;
        let mut ranked = ranking.entries().copied();
        let mut lined = line.unwrap_or_default().iter().copied();
        let queue: &mut dyn Iterator<Item = Entry> = if line.is_some() { &mut lined } else { &mut ranked };
        let preemptor = &mut self.preemptor;
        let preempts = pass.policy.preempt.is_some();
        main_pass::main_pass(pass, queue, &self.params, full, |pass, turn| match turn {
            _ if !preempts => {}
            Turn::Starts(key) => preemptor.note_start(key),
            Turn::Blocked { job, key, cap } => preemptor.make_room(pass, job, key, cap),
        });
    }

    fn cycle(&mut self, pass: &mut Pass<'_>, line: Option<&[Entry]>) {
        let hasty = !pass.explains && self.weightless.is_empty();
        let settled = self.settled.is_some_and(|until| pass.now < until);
        if hasty && settled && pass.starts.is_empty() && is_plain(pass.cluster) && !self.is_plain_cycle() {
            return;
        }
        let free = pass.room.free();
        if hasty && free.cpus == 0 && free.gpus == 0 && !self.is_plain_cycle() {
            return;
        }
        let entries = self.within_reach(pass, line);
        let Outcome { started, beyond, stands, planned, .. } = self.plan(pass, &entries, hasty);
        let asked_to_go = !pass.preemptions.is_empty();
        self.settled = (started.is_empty() && !beyond && !asked_to_go).then_some(stands);
        self.planned = planned;
        if pass.policy.preempt.is_some() {
            started.iter().for_each(|entry| self.preemptor.note_start(entry.key));
        }
    }

    /// Whether cycles are made by the yardstick, which leaves none out.
    const fn is_plain_cycle(&self) -> bool {
        #[cfg(test)]
        return self.plain;
        #[cfg(not(test))]
        false
    }

    fn plan(&mut self, pass: &mut Pass<'_>, entries: &[Entry], hasty: bool) -> Outcome {
        let queue = Queue { entries, hasty: hasty && !self.is_plain_cycle() };
        if self.params.plan_on == PlanOn::WillRun {
            self.will_run.expect(self.completing.held());
            return cycle::cycle(pass, &queue, &self.params, &mut self.will_run);
        }
        #[cfg(test)]
        if self.plain {
            return cycle::cycle(pass, &queue, &self.params, &mut plain::Plain::default());
        }
        cycle::cycle(pass, &queue, &self.params, &mut self.agenda)
    }

    /// The jobs in order, as far as a cycle could get.
    fn within_reach(&self, pass: &Pass<'_>, line: Option<&[Entry]>) -> Vec<Entry> {
        let most =
            self.params.bf_max_job_test as usize + pass.starts.len() + self.odd.len() + self.held.len();
        let skips = Caps::exist(&self.params) || pass.cluster.unavailable() > 0 || !is_plain(pass.cluster);
        let most = if skips { usize::MAX } else { most };
        match line {
            Some(line) => line.iter().take(most).copied().collect(),
            None => pass.ranking.entries().take(most).copied().collect(),
        }
    }
}

/// Whether all jobs that ask for nothing special may start whenever there is room for them.
fn is_plain(cluster: &Cluster) -> bool {
    let site = cluster.site();
    let unlimited = |limits: &Limits| *limits == Limits::default();
    site.reservations.is_empty()
        && site.associations.iter().all(|association| unlimited(&association.limits))
        && site.qos.iter().all(|qos| unlimited(&qos.limits))
        && site
            .partitions
            .iter()
            .all(|partition| !partition.down && partition.max_time.is_none() && partition.max_nodes.is_none())
}
