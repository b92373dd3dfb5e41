//! One scheduling pass: what it sees, what it has decided so far.

use std::collections::BTreeMap;

use switchyard_model::{JobId, NodeId, NodeShare, Placement, Resources, Shape, SimTime};

use crate::Cluster;
use crate::cluster::{Holdings, Pending, Rules, used};
use crate::consumables::Consumables;
use crate::eligibility::Hold;
use crate::explain::{Explainer, Verdict};
use crate::place::densest;
use crate::plan::{Plan, Preemption, Reservation, Start, Waiting};
use crate::policy::Policy;
use crate::queue::Discipline;
use crate::ranking::{Key, Ranking};
use crate::reason::PassingBy;
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
    /// It looks at the queue not for the first time.
    over_again: bool,
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
            over_again: false,
            expected: BTreeMap::new(),
            in_service: ShapeMemo::new(),
            taken: Holdings::default(),
        }
    }

    /// The waiting job of a key of the ranking.
    pub(crate) fn job(&self, key: Key) -> Option<&'a Pending> {
        self.cluster.pending_at(key.submitted, key.job)
    }

    /// Where `job` could start now, from no more than `cap` on each node if that is given, or why it can't.
    pub(crate) fn attempt(&self, job: &Pending, cap: Option<&[Resources]>) -> Result<Placement, Verdict> {
        let place = || self.policy.rule().place(job, self.room, cap);
        let Some(rules) = &job.rules else { return place().ok_or(Verdict::NoRoom) };
        if !self.licences().covers(&rules.licences) {
            return Err(Verdict::NoRoom);
        }
        let mut placement = place().ok_or(Verdict::NoRoom)?;
        if rules.max_nodes.is_some_and(|most| placement.0.len() > most as usize) {
            placement = self.on_few_nodes(job, rules, cap).ok_or(Verdict::NoRoom)?;
        }
        let Some(hold) = self.exceeds(rules, &used(&placement)) else { return Ok(placement) };
        match self.on_few_nodes(job, rules, cap) {
            Some(few) if self.exceeds(rules, &used(&few)).is_none() => Ok(few),
            _ => Err(Verdict::Held(hold)),
        }
    }

    /// The same for a job that may not have more nodes than its rules say.
    fn on_few_nodes(&self, job: &Pending, rules: &Rules, cap: Option<&[Resources]>) -> Option<Placement> {
        let room = &*self.room;
        let nodes = (0..).map(NodeId).take(room.nodes().len());
        let free = nodes.map(|node| match cap {
            Some(cap) => room.free_for(job, node).min(&cap.get(node.index()).copied().unwrap_or_default()),
            None => room.free_for(job, node),
        });
        let chosen = densest(&job.request.shape, free)?;
        let is_few = rules.max_nodes.is_none_or(|most| chosen.len() <= most as usize);
        let share = |(node, give): (NodeId, Resources)| {
            let gpus = room.nodes().get(node.index())?.free_gpus.lowest(give.gpus)?;
            Some(NodeShare { node, cpus: give.cpus, memory_mib: give.memory_mib, gpus })
        };
        let shares = chosen.into_iter().map(share).collect::<Option<_>>()?;
        (is_few && !rules.one_domain).then(|| room.whole(job, Placement(shares)))
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

    /// Whether this pass has decided that a job starts.
    pub(crate) fn has_started(&self, job: JobId) -> bool {
        self.over_again && self.starts.iter().any(|(_, start)| start.job == job)
    }

    /// Looks at the queue once more: what has been found out about those who stay no longer counts.
    pub(crate) fn forget_those_who_stay(&mut self) {
        self.over_again = true;
        self.verdicts.clear();
        self.reservations.clear();
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

    /// The same verdict, if it holds at the end of the pass; else a truer one.
    ///
    /// A job that ends by the time of a head does not delay it. Under Slurm's schedulers, one that fits beside the nodes of the head
    /// would not either, but waits for a cycle; and one for whom there is room may be first.
    fn at_the_end(&self, job: &Pending, verdict: Verdict) -> Verdict {
        let by_cycles = matches!(self.policy.discipline, Discipline::Slurm(_));
        match verdict {
            // It did fit when it was its turn, and others have taken the room since.
            Verdict::WouldDelay { .. } if let Err(now) = self.attempt(job, None) => now,
            Verdict::WouldDelay { head, until }
                if self.now + job.spec.limit <= until || (by_cycles && self.fits_beside(head, job)) =>
            {
                Verdict::BehindHead { head }
            }
            Verdict::NoRoom if by_cycles && self.attempt(job, None).is_ok() => Verdict::NotReached,
            verdict => verdict,
        }
    }

    /// Whether a job finds room now on nodes that are not kept for a head.
    fn fits_beside(&self, head: JobId, job: &Pending) -> bool {
        let Some(kept) = self.reservations.iter().find(|promise| promise.job == head) else { return false };
        let nodes = (0..).map(NodeId).zip(self.room.nodes());
        let cap: Vec<Resources> = nodes
            .map(|(node, state)| if kept.nodes.contains(&node) { Resources::default() } else { state.free })
            .collect();
        self.attempt(job, Some(&cap)).is_ok()
    }

    /// Those whom something beside room holds back, in queue order; known after the verdicts.
    pub(crate) fn held_back(&self) -> impl Iterator<Item = (&'a Pending, Hold)> + '_ {
        self.verdicts.iter().filter_map(|(job, verdict)| match verdict {
            Verdict::Held(hold) => Some((*job, *hold)),
            _ => None,
        })
    }

    /// The plan, and the numbers of the jobs that it starts.
    pub(crate) fn into_plan(mut self) -> (Plan, Vec<JobId>) {
        let verdicts = std::mem::take(&mut self.verdicts).into_iter();
        let verdicts: Vec<_> = verdicts.map(|(job, verdict)| (job, self.at_the_end(job, verdict))).collect();
        let passing = match self.policy.discipline {
            Discipline::Slurm(_) if self.policy.has_backfill() => PassingBy::Cycle,
            _ if self.policy.has_backfill() => PassingBy::MovingUp,
            _ => PassingBy::Nobody,
        };
        let mut explainer = Explainer::new(self.cluster, self.room, self.taken, self.now, passing);
        let expected = self.expected;
        let waiting = verdicts.into_iter().map(|(job, verdict)| Waiting {
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
