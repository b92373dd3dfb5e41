//! The replay loop: what happens next, and what the scheduler makes of it.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::sync::Arc;

use switchyard_model::{
    Dependency, DependencyKind, Fleet, Job, JobId, Kept, Outcome, PreemptMode, SimDuration, SimTime, Terms,
};

use super::overrun::Planned;
use super::{Progress, ReplayError, ReplayOptions, Run, Span};
use crate::{Charge, Cluster, ClusterError, Plan, Policy, Preemption, Scheduler, Start};

/// After so many starts the progress is told.
const STARTS_PER_REPORT: usize = 256;
/// A requeued job is eligible this long after its requeue delay: the controller looks at whole seconds.
const SECOND: SimDuration = SimDuration::from_secs(1);

/// A running job, as only the driver knows it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Live {
    pub(super) end: SimTime,
    /// Where its span is.
    pub(super) span: usize,
    /// It has to make room: what becomes of it then.
    pub(super) preempted: Option<PreemptMode>,
}

pub(super) struct Driver<'a> {
    pub(super) options: ReplayOptions<'a>,
    pub(super) cluster: Cluster,
    pub(super) scheduler: Scheduler,
    /// By submit time, ties by number.
    pub(super) jobs: Vec<Planned>,
    /// Places in `jobs`.
    pub(super) index: BTreeMap<JobId, usize>,
    pub(super) submitted: usize,
    pub(super) started: usize,
    pub(super) live: BTreeMap<JobId, Live>,
    /// One that is no longer in `live` with this end is void.
    pub(super) ends: BinaryHeap<Reverse<(SimTime, JobId)>>,
    pub(super) spans: Vec<Span>,
    /// The jobs for which others wait, and when they started and ended.
    pub(super) waited_for: BTreeSet<JobId>,
    pub(super) turns: BTreeMap<JobId, (SimTime, Option<SimTime>)>,
    /// The last pass, if somebody wants to know.
    pub(super) last: Option<(SimTime, Plan)>,
    pub(super) now: SimTime,
    /// When something last started, ended or was submitted.
    pub(super) stirred: SimTime,
}

impl<'a> Driver<'a> {
    pub(super) fn new(
        fleet: Arc<Fleet>,
        jobs: &[Job],
        policy: &Policy,
        options: ReplayOptions<'a>,
    ) -> Result<Self, ReplayError> {
        let plan = |job: &Job| {
            let spec = options.site.with_limit(Arc::clone(&job.spec));
            options.overrun.plan(&Job { spec, truth: job.truth })
        };
        let mut jobs: Vec<Planned> = jobs.iter().map(plan).collect();
        let waited_for = jobs.iter().flat_map(|job| &job.spec.terms.after).map(|after| after.job).collect();
        jobs.sort_by_key(|job| (job.spec.submit, job.spec.id));
        let mut index: Vec<(JobId, usize)> = jobs.iter().map(|job| job.spec.id).zip(0..).collect();
        index.sort_unstable();
        if let Some([(job, _), _]) = index.array_windows().find(|[(a, _), (b, _)]| a == b) {
            return Err(ReplayError::DuplicateJob { job: *job });
        }
        Ok(Driver {
            cluster: Cluster::with_site(fleet, Arc::clone(&options.site)),
            options,
            scheduler: Scheduler::without_reasons(policy.clone()),
            spans: Vec::with_capacity(jobs.len()),
            jobs,
            index: index.into_iter().collect(),
            submitted: 0,
            started: 0,
            last: None,
            live: BTreeMap::new(),
            ends: BinaryHeap::new(),
            waited_for,
            turns: BTreeMap::new(),
            now: SimTime::ZERO,
            stirred: SimTime::ZERO,
        })
    }

    const fn policy(&self) -> &Policy {
        self.scheduler.policy()
    }

    /// From now on, before anything has happened, with a reason for every job that waits.
    pub(super) fn explain(&mut self) {
        self.scheduler = Scheduler::new(self.policy().clone());
    }

    /// Goes to the next moment up to `until` at which something happens; `false` when there is none.
    pub(super) fn advance(&mut self, until: SimTime) -> Result<bool, ReplayError> {
        let Some(now) = self.next_instant().filter(|now| *now <= until) else { return Ok(false) };
        self.now = now;
        self.end_jobs()?;
        self.submit_jobs()?;
        while self.pass()? {}
        Ok(true)
    }

    fn next_instant(&mut self) -> Option<SimTime> {
        while let Some(&Reverse((end, job))) = self.ends.peek() {
            if self.live.get(&job).is_some_and(|live| live.end == end) {
                break;
            }
            self.ends.pop();
        }
        let submit = self.jobs.get(self.submitted).map(|job| job.spec.submit);
        let end = self.ends.peek().map(|&Reverse((end, _))| end);
        let happens = [submit, end].into_iter().flatten().min();
        let wake = self.scheduler.wake_at(&self.cluster, self.now);
        match (happens, wake) {
            (Some(happens), Some(wake)) => Some(happens.min(wake)),
            (Some(happens), None) => Some(happens),
            // Nothing runs and nothing will come: whoever still waits has to be started by a timer soon, or never will be.
            (None, wake) => wake.filter(|wake| *wake <= self.last_hope()),
        }
    }

    fn last_hope(&self) -> SimTime {
        let not_before = self.cluster.pending().map(|job| job.not_before).max().unwrap_or_default();
        let reserved = self.options.site.reservations.iter().map(|reservation| reservation.end).max();
        let opening = not_before.max(reserved.unwrap_or_default());
        self.stirred.max(opening) + self.policy().longest_timer().saturating_mul(2)
    }

    fn end_jobs(&mut self) -> Result<(), ReplayError> {
        while let Some(&Reverse((end, job))) = self.ends.peek() {
            if end > self.now {
                break;
            }
            self.ends.pop();
            if let Some(&live) = self.live.get(&job).filter(|live| live.end == end) {
                self.stirred = self.now;
                self.live.remove(&job);
                if let Some((_, ended)) = self.turns.get_mut(&job) {
                    *ended = Some(self.now);
                }
                match live.preempted {
                    None => {
                        let outcome =
                            self.spans.get(live.span).map_or(Outcome::Completed, |span| span.outcome);
                        self.cluster.finish(job, outcome).map_err(|source| self.impossible(source))?;
                    }
                    Some(mode) => self.release(job, mode)?,
                }
            }
        }
        Ok(())
    }

    fn submit_jobs(&mut self) -> Result<(), ReplayError> {
        while let Some(job) = self.jobs.get(self.submitted).filter(|job| job.spec.submit <= self.now) {
            let spec = Arc::clone(&job.spec);
            self.cluster.submit(spec, self.now).map_err(|source| self.impossible(source))?;
            self.submitted += 1;
            self.stirred = self.now;
        }
        Ok(())
    }

    /// One scheduling pass. Whether it freed nodes at once, so that another is due.
    fn pass(&mut self) -> Result<bool, ReplayError> {
        let plan = self.scheduler.plan(&self.cluster, self.now);
        if self.scheduler.explains() {
            self.last = Some((self.now, plan.clone()));
        }
        for start in plan.starts {
            self.start(start)?;
        }
        let mut freed = false;
        for preemption in plan.preemptions {
            freed |= self.preempt(preemption)?;
        }
        Ok(freed)
    }

    fn start(&mut self, start: Start) -> Result<(), ReplayError> {
        let (now, Start { job, placement, backfilled }) = (self.now, start);
        let Some(planned) = self.index.get(&job).and_then(|&place| self.jobs.get(place)) else {
            return Err(self.impossible(ClusterError::NotPending { job }));
        };
        let Some(pending) = self.cluster.pending_job(job) else {
            return Err(self.impossible(ClusterError::NotPending { job }));
        };
        let (attempt, eligible) = (pending.attempt, pending.eligible().max(self.freed(&pending.spec.terms)));
        let end = now + planned.runtime;
        let (submit, outcome) = (planned.spec.submit, planned.outcome);
        if self.policy().charge() == Some(Charge::AtDispatch) {
            let cpu_seconds = f64::from(placement.total().cpus) * planned.runtime.as_secs_f64();
            self.scheduler.charge(&planned.spec, cpu_seconds, now);
        }
        let kept = Kept::from(&placement);
        self.cluster.start(job, placement, now).map_err(|source| self.impossible(source))?;
        if self.waited_for.contains(&job) {
            self.turns.entry(job).or_insert((now, None));
        }
        self.live.insert(job, Live { end, span: self.spans.len(), preempted: None });
        self.ends.push(Reverse((end, job)));
        let preempted_at = None;
        self.spans.push(Span {
            job,
            attempt,
            submit,
            eligible,
            start: now,
            end,
            placement: kept,
            backfilled,
            outcome,
            preempted_at,
        });
        self.stirred = now;
        self.started += usize::from(attempt == 1);
        if attempt == 1 && (self.started.is_multiple_of(STARTS_PER_REPORT) || self.started == self.jobs.len())
        {
            self.report();
        }
        Ok(())
    }

    /// When the last of the jobs that these terms wait for started or ended as they had to.
    fn freed(&self, terms: &Terms) -> SimTime {
        let turn = |after: &Dependency| match (after.kind, self.turns.get(&after.job)?) {
            (DependencyKind::After, (started, _)) => Some(*started),
            (_, (_, ended)) => *ended,
        };
        terms.after.iter().filter_map(turn).max().unwrap_or_default()
    }

    /// A job has to make room. Whether it does so at once.
    fn preempt(&mut self, preemption: Preemption) -> Result<bool, ReplayError> {
        let Preemption { victim, mode, grace, .. } = preemption;
        let now = self.now;
        let Some(live) = self.live.get_mut(&victim) else {
            return Err(self.impossible(ClusterError::NotRunning { job: victim }));
        };
        live.preempted = Some(mode);
        live.end = live.end.min(now + grace);
        let (end, at) = (live.end, live.span);
        if let Some(span) = self.spans.get_mut(at) {
            (span.end, span.outcome, span.preempted_at) = (end, Outcome::Preempted, Some(now));
        }
        if end <= now {
            self.live.remove(&victim);
            self.release(victim, mode)?;
            return Ok(true);
        }
        // What the scheduler hears is the end of the grace time, not when the job would end by itself.
        self.cluster.shorten(victim, now + grace).map_err(|source| self.impossible(source))?;
        self.ends.push(Reverse((end, victim)));
        Ok(false)
    }

    /// A preempted job leaves its nodes now.
    fn release(&mut self, job: JobId, mode: PreemptMode) -> Result<(), ReplayError> {
        let now = self.now;
        let again = |running: &crate::Running| mode == PreemptMode::Requeue && !running.spec.terms.no_requeue;
        if !self.cluster.running_job(job).is_some_and(again) {
            return self
                .cluster
                .finish(job, Outcome::Preempted)
                .map(drop)
                .map_err(|source| self.impossible(source));
        }
        let rules = self.policy().preempt.clone().unwrap_or_default();
        let span = self.spans.iter().rev().find(|span| span.job == job);
        let (start, chosen) = span.map_or((now, now), |span| (span.start, span.preempted_at.unwrap_or(now)));
        if let Some(planned) = self.index.get(&job).and_then(|&place| self.jobs.get_mut(place)) {
            planned.keep(chosen.since(start), rules.checkpoint);
        }
        // A requeued job counts as submitted now; in the second in which it came, a second later.
        let submitted = match self.cluster.running_job(job) {
            Some(running) if running.submitted == now => now + SECOND,
            _ => now,
        };
        let not_before = now + rules.requeue_delay + SECOND;
        self.cluster.requeue_anew(job, submitted, not_before).map_err(|source| self.impossible(source))
    }

    fn report(&mut self) {
        let progress = Progress { started: self.started, jobs: self.jobs.len() };
        if let Some(tell) = &mut self.options.progress {
            tell(progress);
        }
    }

    fn impossible(&self, source: ClusterError) -> ReplayError {
        ReplayError::ImpossiblePlan { policy: Arc::clone(&self.policy().name), source }
    }

    pub(super) fn finish(self) -> Run {
        let last = self.spans.iter().map(|span| span.end).max().unwrap_or_default();
        let waiting = Scheduler::new(self.policy().clone()).plan(&self.cluster, last.max(self.now)).waiting;
        Run {
            policy: Arc::clone(&self.policy().name),
            capacity: self.cluster.capacity(),
            spans: self.spans,
            never_started: waiting.into_iter().map(|waiting| (waiting.job, waiting.reason)).collect(),
        }
    }
}
