//! One scheduling pass: the one place with control flow.

use switchyard_model::{JobId, SimTime};

use crate::capacity::{Releases, Room, parts_in_service};
use crate::cluster::Pending;
use crate::explain::{Explainer, Verdict};
use crate::queue::{Gate, Refusal, reservation};
use crate::shape_memo::ShapeMemo;
use crate::{Cluster, Discipline, Plan, Policy, Reservation, Start};

/// Carries out a [`Policy`].
///
/// Deterministic: the same policy, cluster and time give the same plan. It keeps nothing from pass to pass but memory to
/// work in.
#[derive(Clone, Debug)]
pub struct Scheduler {
    policy: Policy,
    explains: bool,
    room: Room,
}

impl Scheduler {
    /// A scheduler that gives a reason for every job that stays in the queue.
    pub fn new(policy: Policy) -> Self {
        Scheduler { policy, explains: true, room: Room::default() }
    }

    /// A scheduler for those who only want to know what starts: its plans have no `waiting`, and a reservation names no
    /// nodes and no jobs. Starts and shadow times are the same.
    pub fn without_reasons(policy: Policy) -> Self {
        Scheduler { explains: false, ..Scheduler::new(policy) }
    }

    /// How it schedules.
    pub const fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Schedules differently from now on.
    pub fn set_policy(&mut self, policy: Policy) {
        self.policy = policy;
    }

    /// Decides what starts now, and why everything else waits.
    ///
    /// Walks the queue in order and starts what fits. The first job that doesn't becomes the head; from then on the
    /// policy's [`Discipline`] says who may pass it. A job that only nodes out of service could run, or that the fleet can't
    /// run at all, is left out: it blocks no one.
    pub fn plan(&mut self, cluster: &Cluster, now: SimTime) -> Plan {
        self.room.reset(cluster);
        let mut pass = Pass {
            policy: &self.policy,
            cluster,
            now,
            explains: self.explains,
            room: &mut self.room,
            starts: Vec::new(),
            head: None,
            reservation: None,
            verdicts: Vec::new(),
            in_service: ShapeMemo::new(),
        };
        let mut queue = self.policy.order.queue(cluster, now);
        for job in queue.by_ref() {
            pass.consider(job);
            if pass.is_over() {
                break;
            }
        }
        if self.explains {
            queue.for_each(|job| pass.pass_over(job));
        }
        pass.into_plan()
    }
}

/// The first job that didn't fit.
struct Head {
    job: JobId,
    /// Who may pass it; `None` when nobody may.
    gate: Option<Gate>,
}

struct Pass<'a, 'b> {
    policy: &'b Policy,
    cluster: &'a Cluster,
    now: SimTime,
    explains: bool,
    room: &'b mut Room,
    starts: Vec<(&'a Pending, Start)>,
    head: Option<Head>,
    reservation: Option<Reservation>,
    verdicts: Vec<(&'a Pending, Verdict)>,
    /// How many parts of a shape the nodes in service could hold if they were empty.
    in_service: ShapeMemo<u64>,
}

impl<'a> Pass<'a, '_> {
    /// Whether no job further back could start.
    fn is_over(&self) -> bool {
        self.head.as_ref().is_some_and(|head| head.gate.is_none() || self.room.is_exhausted())
    }

    /// Looks at the next job in the queue.
    fn consider(&mut self, job: &'a Pending) {
        if let Some(verdict) = self.out_of_the_race(job) {
            return self.note(job, verdict);
        }
        let rule = self.policy.placement;
        let Some(head) = &mut self.head else {
            match rule.place(&job.request, self.room, None) {
                Some(placement) => self.start(job, Start { job: job.spec.id, placement, backfilled: false }),
                None => self.become_head(job),
            }
            return;
        };
        let Some(gate) = &mut head.gate else {
            let verdict = Verdict::BehindHead { head: head.job };
            return self.note(job, verdict);
        };
        match gate.pass(job, self.room, rule, self.now) {
            Ok(placement) => self.start(job, Start { job: job.spec.id, placement, backfilled: true }),
            Err(Refusal::NoRoom) => self.note(job, Verdict::NoRoom),
            Err(Refusal::WouldDelay) => {
                let verdict = Verdict::WouldDelay { head: head.job, until: gate.shadow() };
                self.note(job, verdict);
            }
        }
    }

    /// Finds the verdict for a job that the pass didn't get to.
    fn pass_over(&mut self, job: &'a Pending) {
        let verdict = self.out_of_the_race(job).unwrap_or(match &self.head {
            Some(Head { job, gate: None }) => Verdict::BehindHead { head: *job },
            _ => Verdict::NoRoom,
        });
        self.note(job, verdict);
    }

    fn out_of_the_race(&mut self, job: &Pending) -> Option<Verdict> {
        let (cluster, request) = (self.cluster, &job.request);
        if !request.fits_fleet() {
            return Some(Verdict::NeverFits);
        }
        if cluster.unavailable() == 0 {
            return None;
        }
        let parts = self.in_service.get(&request.shape, || parts_in_service(cluster, request));
        (parts < u64::from(request.parts())).then_some(Verdict::NodesUnavailable)
    }

    fn start(&mut self, job: &'a Pending, start: Start) {
        self.room.take(&start.placement);
        self.starts.push((job, start));
    }

    fn become_head(&mut self, job: &'a Pending) {
        let gate = match self.policy.discipline {
            Discipline::Strict => None,
            discipline => {
                let chosen = self.starts.iter().map(|(job, start)| (*job, &start.placement));
                let releases = Releases::new(self.cluster, chosen, self.now);
                let gate = Gate::open(discipline, job, self.room, &releases, self.now);
                self.reservation = gate.as_ref().map(|gate| match self.explains {
                    true => reservation(job, gate.shadow(), self.room, &releases),
                    false => Reservation {
                        job: job.spec.id,
                        at: gate.shadow(),
                        nodes: Vec::new(),
                        waits_for: Vec::new(),
                    },
                });
                gate
            }
        };
        self.head = Some(Head { job: job.spec.id, gate });
        self.note(job, Verdict::NoRoom);
    }

    fn note(&mut self, job: &'a Pending, verdict: Verdict) {
        if self.explains {
            self.verdicts.push((job, verdict));
        }
    }

    fn into_plan(self) -> Plan {
        let mut explainer = Explainer::new(self.cluster, self.room, self.now);
        let explain = |(job, verdict): (&Pending, _)| (job.spec.id, explainer.reason(job, verdict));
        let waiting = self.verdicts.into_iter().map(explain).collect();
        let starts = self.starts.into_iter().map(|(_, start)| start).collect();
        Plan { starts, reservation: self.reservation, waiting }
    }
}
