//! The scheduler: brings its picture of the cluster up to date and lets the policy's discipline make a pass.

use switchyard_model::{JobId, JobSpec, SimTime};

use crate::order::Ranker;
use crate::pass::Pass;
use crate::queue::Desk;
use crate::room::Room;
use crate::watch::Watch;
use crate::{Cluster, Plan, Policy, PriorityBreakdown, Usage};

/// Carries out a [`Policy`].
///
/// Deterministic: the same policy and the same history of clusters and times give the same plans. What it keeps from pass to
/// pass is what the policy promises (reservations, the ticks of its timers, what accounts have used) and what saves it from
/// looking at everything again.
#[derive(Clone, Debug)]
pub struct Scheduler {
    policy: Policy,
    explains: bool,
    room: Room,
    watch: Watch,
    ranker: Ranker,
    desk: Desk,
    /// What the last plan wanted to start.
    planned: Vec<JobId>,
    /// The moment of the last pass, if it started someone for whose start others wait.
    again: Option<SimTime>,
}

impl Scheduler {
    /// A scheduler that gives a reason for every job that stays in the queue.
    pub fn new(policy: Policy) -> Self {
        Scheduler {
            explains: true,
            room: Room::ruled_by(policy.placement),
            watch: Watch::default(),
            ranker: Ranker::new(&policy.order),
            desk: Desk::new(&policy.discipline),
            planned: Vec::new(),
            again: None,
            policy,
        }
    }

    /// A scheduler for those who only want to know what starts: its plans have no `waiting`, and a reservation names no
    /// nodes and no jobs. Starts and shadow times are the same.
    pub fn without_reasons(policy: Policy) -> Self {
        Scheduler { explains: false, ..Scheduler::new(policy) }
    }

    /// From now on without reasons.
    pub(crate) const fn explain_no_more(&mut self) {
        self.explains = false;
    }

    /// From now on by the letter of the rules, without any cleverness.
    #[cfg(test)]
    pub(crate) fn plan_plainly(&mut self) {
        self.desk = Desk::plain(&self.policy.discipline);
    }

    /// How it schedules.
    pub const fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Whether its plans say why jobs wait.
    pub(crate) const fn explains(&self) -> bool {
        self.explains
    }

    /// Schedules differently from now on. What accounts have used is kept, as far as the new order looks at that.
    pub fn set_policy(&mut self, policy: Policy) {
        self.ranker.set_order(&policy.order);
        self.desk = Desk::new(&policy.discipline);
        self.room = Room::ruled_by(policy.placement);
        self.watch.forget();
        self.policy = policy;
    }

    /// What everyone has used, as far as the policy looks at that.
    pub const fn usage(&self) -> &Usage {
        self.ranker.usage()
    }

    /// Adds to what the user of a job has used. The scheduler charges what it sees end by itself; this is for what was before its
    /// time, and for policies that charge [at dispatch](crate::Charge::AtDispatch), where only the driver knows how much.
    pub fn charge(&mut self, job: &JobSpec, cpu_seconds: f64, now: SimTime) {
        self.ranker.charge(job, cpu_seconds, now);
    }

    /// Why a waiting job has the priority that it had in the last pass, at `now`. `None` if it doesn't wait, or the policy
    /// doesn't order by [priority](crate::Multifactor).
    pub fn priority_of(&self, cluster: &Cluster, job: JobId, now: SimTime) -> Option<PriorityBreakdown> {
        self.ranker.priority_of(cluster, cluster.pending_job(job)?, now)
    }

    /// Decides what starts now, and why everything else waits.
    ///
    /// To be called after everything that happens at one moment, and at [`wake_at`](Self::wake_at). The caller then
    /// carries the plan out on the cluster, as far as it can.
    pub fn plan(&mut self, cluster: &Cluster, now: SimTime) -> Plan {
        let changes = self.watch.sync(cluster, &mut self.ranker, &mut self.room, now);
        let mut pass = Pass::new(
            &self.policy,
            cluster,
            now,
            self.explains,
            self.watch.ranking(),
            &changes,
            &mut self.room,
        );
        self.desk.run(&mut pass, &self.planned);
        let (plan, planned) = pass.into_plan();
        let awaited = planned.iter().any(|&job| cluster.is_awaited(job));
        self.again = awaited.then_some(now);
        self.planned = planned;
        self.ranker.planned(cluster, &plan.starts, now);
        plan
    }

    /// When it wants to look again even if nothing happens until then: the next tick of its timers, the time of a
    /// reservation, a begin time; at once, when a job that has just started lets others start. `now` is the moment of the
    /// last pass.
    pub fn wake_at(&self, cluster: &Cluster, now: SimTime) -> Option<SimTime> {
        let turns = [cluster.next_opening(now), self.again];
        let times = [self.desk.wake_at(cluster, now), self.ranker.wake_at(cluster, now)];
        let times = times.into_iter().chain(turns);
        times.flatten().min()
    }
}
