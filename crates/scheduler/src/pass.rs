//! One scheduling pass: what it sees, what it has decided so far.

use std::collections::BTreeMap;

use switchyard_model::{JobId, Placement, Resources, Shape, SimTime, Tier};

use crate::Cluster;
use crate::cluster::{Holdings, Pending, Rules, used};
use crate::consumables::Consumables;
use crate::eligibility::Hold;
use crate::explain::{Explainer, Verdict};
use crate::place::densest;
use crate::plan::{Plan, Preemption, Reservation, Start, Waiting};
use crate::policy::Policy;
use crate::ranking::{Key, Ranking};
use crate::room::Room;
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
    pub(crate) in_service: ShapeMemo<u64, (Shape, u32, bool)>,
    /// What the jobs that it starts take beside their nodes.
    pub(crate) taken: Holdings,
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
            taken: Holdings::default(),
        }
    }

    /// The waiting job of a key of the ranking.
    pub(crate) fn job(&self, key: Key) -> Option<&'a Pending> {
        self.cluster.pending_at(key.submitted, key.job)
    }

    /// Where `job` could start now.
    #[allow(dead_code, reason = "for disciplines that don't ask why not")]
    pub(crate) fn place(&self, job: &Pending) -> Option<Placement> {
        self.attempt(job, None).ok()
    }

    /// Where `job` could start now, from no more than `cap` on each node if that is given, or why it can't.
    pub(crate) fn attempt(&self, job: &Pending, cap: Option<&[Resources]>) -> Result<Placement, Verdict> {
        let place = || self.policy.placement.place(job, self.room, cap);
        let Some(rules) = &job.rules else { return place().ok_or(Verdict::NoRoom) };
        if !self.licences().covers(&rules.licences) {
            return Err(Verdict::NoRoom);
        }
        let placement = place().ok_or(Verdict::NoRoom)?;
        if rules.one_domain && self.cluster.fleet().tier(&placement) != Tier::Domain {
            return Err(Verdict::NoRoom);
        }
        let refused = match self.refuses(rules, &placement) {
            None => return Ok(placement),
            Some(hold) => Verdict::Held(hold),
        };
        // Tasks may do with fewer nodes.
        let dense = densest(job, self.room, cap).ok_or(refused)?;
        match self.refuses(rules, &dense) {
            None => Ok(dense),
            Some(_) => Err(refused),
        }
    }

    /// What forbids this very placement: a limit that only shows when it is known.
    fn refuses(&self, rules: &Rules, placement: &Placement) -> Option<Hold> {
        let used = used(placement);
        match rules.max_nodes {
            Some(most) if used.nodes > most => Some(Hold::PartitionNodes { nodes: used.nodes }),
            _ => self.exceeds(rules, &used),
        }
    }

    /// The licences that are free now.
    pub(crate) fn licences(&self) -> Consumables {
        self.cluster.licences_beside(&self.taken)
    }

    /// Decides that `job` starts now.
    pub(crate) fn start(&mut self, job: &'a Pending, placement: Placement, backfilled: bool) {
        self.room.take(&placement);
        if let Some(rules) = &job.rules {
            self.taken.take(rules, &placement);
        }
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
        let mut explainer = Explainer::new(self.cluster, self.room, self.taken, self.now);
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
