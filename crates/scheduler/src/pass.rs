//! One scheduling pass: what it sees, what it has decided so far.

use std::collections::BTreeMap;

use switchyard_model::{JobId, Placement, SimTime};

use crate::Cluster;
use crate::cluster::Pending;
use crate::explain::{Explainer, Verdict};
use crate::place::bound_to_domain;
use crate::plan::{Plan, Preemption, Reservation, Start, Waiting};
use crate::policy::Policy;
use crate::ranking::{Key, Ranking};
use crate::room::{Room, parts_in_service};
use crate::shape_memo::ShapeMemo;
use crate::watch::Changes;

/// A pass under way. A queue discipline walks the queue and tells it what it decides.
pub(crate) struct Pass<'a> {
    pub(crate) policy: &'a Policy,
    pub(crate) cluster: &'a Cluster,
    pub(crate) now: SimTime,
    /// Whether anybody wants to know why jobs wait.
    pub(crate) explains: bool,
    pub(crate) ranking: &'a Ranking,
    pub(crate) changes: &'a Changes,
    pub(crate) room: &'a mut Room,
    pub(crate) starts: Vec<(&'a Pending, Start)>,
    pub(crate) preemptions: Vec<Preemption>,
    pub(crate) reservations: Vec<Reservation>,
    verdicts: Vec<(&'a Pending, Verdict)>,
    /// When those who stay are expected to start.
    expected: BTreeMap<JobId, SimTime>,
    /// How many parts of a shape the nodes in service could hold if they were empty.
    in_service: ShapeMemo<u64>,
}

impl<'a> Pass<'a> {
    pub(crate) fn new(
        policy: &'a Policy,
        cluster: &'a Cluster,
        now: SimTime,
        explains: bool,
        ranking: &'a Ranking,
        changes: &'a Changes,
        room: &'a mut Room,
    ) -> Self {
        Pass {
            policy,
            cluster,
            now,
            explains,
            ranking,
            changes,
            room,
            starts: Vec::new(),
            preemptions: Vec::new(),
            reservations: Vec::new(),
            verdicts: Vec::new(),
            expected: BTreeMap::new(),
            in_service: ShapeMemo::new(),
        }
    }

    /// The waiting job of a key of the ranking.
    pub(crate) fn job(&self, key: Key) -> Option<&'a Pending> {
        self.cluster.pending_at(key.submitted, key.job)
    }

    /// Why a job takes no part in the race: nothing that ends could let it start.
    pub(crate) fn out_of_the_race(&mut self, job: &Pending) -> Option<Verdict> {
        if !job.request.fits_fleet() {
            return Some(Verdict::NeverFits);
        }
        if self.cluster.unavailable() == 0 {
            return None;
        }
        let cluster = self.cluster;
        let parts = match &job.machines.only {
            Some(_) => parts_in_service(cluster, job),
            None if bound_to_domain(&job.spec) => parts_in_service(cluster, job),
            None => self.in_service.get(&job.request.shape, || parts_in_service(cluster, job)),
        };
        (parts < u64::from(job.request.parts())).then_some(Verdict::NodesUnavailable)
    }

    /// Where `job` could start now.
    pub(crate) fn place(&self, job: &Pending) -> Option<Placement> {
        self.policy.placement.place(job, self.room, None)
    }

    /// Decides that `job` starts now.
    pub(crate) fn start(&mut self, job: &'a Pending, placement: Placement, backfilled: bool) {
        self.room.take(&placement);
        self.starts.push((job, Start { job: job.spec.id, placement, backfilled }));
    }

    /// Notes why `job` stays, if anybody wants to know.
    pub(crate) fn note(&mut self, job: &'a Pending, verdict: Verdict) {
        if self.explains {
            self.verdicts.push((job, verdict));
        }
    }

    /// Notes when `job`, which stays, is expected to start.
    pub(crate) fn expect(&mut self, job: JobId, at: SimTime) {
        self.expected.insert(job, at);
    }

    /// Those who stay and could start if there were room, in queue order; known after the verdicts.
    pub(crate) fn in_the_race(&self) -> impl Iterator<Item = &'a Pending> + '_ {
        let in_race = |verdict: &Verdict| {
            matches!(verdict, Verdict::NoRoom | Verdict::WouldDelay { .. } | Verdict::BehindHead { .. })
        };
        self.verdicts.iter().filter(move |(_, verdict)| in_race(verdict)).map(|(job, _)| *job)
    }

    /// The plan, and the numbers of the jobs that it starts.
    pub(crate) fn into_plan(self) -> (Plan, Vec<JobId>) {
        let mut explainer = Explainer::new(self.cluster, self.room, self.now);
        let expected = self.expected;
        let waiting = self.verdicts.into_iter().map(|(job, verdict)| Waiting {
            job: job.spec.id,
            reason: explainer.reason(job, verdict),
            expected: expected.get(&job.spec.id).copied(),
        });
        let waiting = waiting.collect();
        let starts: Vec<Start> = self.starts.into_iter().map(|(_, start)| start).collect();
        self.room.give_back();
        let started = starts.iter().map(|start| start.job).collect();
        let plan = Plan { starts, preemptions: self.preemptions, reservations: self.reservations, waiting };
        (plan, started)
    }
}
