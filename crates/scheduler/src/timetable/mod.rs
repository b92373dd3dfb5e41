//! What is planned for the future: who holds what from when to when, and the earliest slot for one more job.
//!
//! Where any free piece will do for everyone in the queue, sums are exact: whoever starts takes what is free at that moment,
//! and intervals that are nowhere deeper than the machine always find room on it. Where someone needs certain pieces (whole
//! nodes, several GPUs on one node, nodes of a partition), enough in sum is not enough; then each slot names its nodes.
//!
//! Licences take part, and the nodes of advance reservations are closed to others.

mod by_node;
mod search;

use switchyard_model::{NodeId, Placement, Resources, Shape, SimDuration, SimTime};

use crate::consumables::LicenceNeed;
use crate::profile::Profile;
use crate::{Cluster, Pending, Running};

pub(crate) use by_node::ByNode;

/// A job that runs past its limit is expected to end any moment: in this time.
const ANY_MOMENT: SimDuration = SimDuration::from_secs(1);

/// A place in the future.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Slot {
    /// When it begins.
    pub(crate) at: SimTime,
    /// What it takes of which nodes, in node order. Empty where only sums count.
    pub(crate) on: Vec<(NodeId, Resources)>,
}

/// What someone looks for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wish<'a> {
    pub(crate) job: &'a Pending,
    /// Not before this moment,
    pub(crate) from: SimTime,
    /// and earlier than this one.
    pub(crate) before: SimTime,
}

/// What a job holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Claim<'a> {
    /// In sum; of no meaning where nodes are named.
    pub(crate) total: &'a Resources,
    /// On which nodes.
    pub(crate) on: &'a [(NodeId, Resources)],
    pub(crate) licences: &'a [LicenceNeed],
}

/// How long a job is planned to run: its limit, but not less than an instant, so that it is there at all.
pub(crate) fn planned_length(limit: SimDuration) -> SimDuration {
    limit.max(SimDuration::from_micros(1))
}

/// When a job that is running is expected to end, as seen from `now`.
pub(crate) fn planned_end(expected: SimTime, now: SimTime) -> SimTime {
    if expected > now { expected } else { now + ANY_MOMENT }
}

/// Whether any free pieces will do for `job`, as long as they are enough: it asks for single units of one resource, and may
/// have them anywhere.
pub(crate) fn any_piece_will_do(job: &Pending, cluster: &Cluster) -> bool {
    let units = match job.request.shape {
        Shape::Tasks { per_task, .. } => is_unit(&per_task),
        // Nodes with a single unit are nothing but units.
        Shape::Nodes { per_node, .. } => {
            is_unit(&per_node) && job.machines.kinds.iter().all(|(node, _)| node.times(&per_node) <= 1)
        }
    };
    let rules = job.rules.as_ref();
    let anywhere =
        rules.is_none_or(|rules| !rules.exclusive && !rules.one_domain && rules.max_nodes.is_none());
    units && anywhere && job.machines.only.is_none() && cluster.kept().is_empty()
}

/// One processor, or one GPU, and nothing else.
const fn is_unit(each: &Resources) -> bool {
    matches!((each.cpus, each.gpus, each.memory_mib), (1, 0, 0) | (0, 1, 0))
}

/// The shares of a placement without the names of the GPUs.
pub(crate) fn amounts(placement: &Placement) -> Vec<(NodeId, Resources)> {
    placement.0.iter().map(|share| (share.node, share.resources())).collect()
}

/// Capacity over time, with everything that is planned.
#[derive(Clone, Debug, Default)]
pub(crate) struct Timetable {
    /// In sum over the nodes in service.
    sums: Profile,
    /// On each node, if slots have to name them.
    nodes: Option<ByNode>,
    /// The licences of each kind, by place in the site's list.
    licences: Vec<Profile<u32>>,
}

impl Timetable {
    /// What is free when the running jobs end at their limits.
    pub(crate) fn of_running(cluster: &Cluster, by_node: bool, now: SimTime) -> Timetable {
        let licences = cluster.licences();
        let kinds = 0..cluster.site().licences.len();
        let mut table = Timetable {
            sums: Profile::new(now, cluster.free()),
            nodes: by_node.then(|| ByNode::new(cluster, now)),
            licences: kinds.map(|kind| Profile::new(now, licences.of(kind))).collect(),
        };
        for job in cluster.running() {
            let until = planned_end(job.expected_end, now);
            table.sums.release(until, SimTime::MAX, &in_service(cluster, job));
            for need in job.licences() {
                if let Some(kind) = table.licences.get_mut(need.kind) {
                    kind.release(until, SimTime::MAX, &need.count);
                }
            }
            if let Some(nodes) = &mut table.nodes {
                nodes.release(until, SimTime::MAX, &amounts(&job.placement));
            }
        }
        table
    }

    pub(crate) const fn is_by_node(&self) -> bool {
        self.nodes.is_some()
    }

    /// The sums.
    pub(crate) const fn sums(&self) -> &Profile {
        &self.sums
    }

    /// The nodes, where slots name them.
    pub(crate) const fn nodes(&self) -> Option<&ByNode> {
        self.nodes.as_ref()
    }

    /// The earliest slot that is as wished.
    pub(crate) fn earliest(&self, wish: &Wish<'_>) -> Option<Slot> {
        let job = wish.job;
        let length = planned_length(job.spec.limit);
        let mut from = wish.from;
        loop {
            let claim = Claim { total: &job.request.total, on: &[], licences: job.licences() };
            let at = self.earliest_in_sum(&claim, length, from, wish.before, SimTime::MAX)?;
            let Some(nodes) = &self.nodes else { return Some(Slot { at, on: Vec::new() }) };
            let slot = nodes.earliest(&self.sums, &Wish { from: at, ..*wish })?;
            from = self.earliest_licences(job.licences(), length, slot.at, SimTime::MAX)?;
            if from == slot.at {
                return Some(slot);
            }
        }
    }

    /// The slot at just this time, if there is room.
    pub(crate) fn slot_at(&self, job: &Pending, at: SimTime) -> Option<Slot> {
        let before = SimTime::from_micros(at.as_micros().saturating_add(1));
        self.earliest(&Wish { job, from: at, before })
    }

    /// The earliest moment at which there is enough in sum, and licences: no slot is earlier.
    ///
    /// `own` is when the asking job's own reservation begins, if it has one: from then on there is room for it.
    pub(crate) fn earliest_in_sum(
        &self,
        claim: &Claim<'_>,
        length: SimDuration,
        mut from: SimTime,
        before: SimTime,
        own: SimTime,
    ) -> Option<SimTime> {
        loop {
            let at = self.sums.earliest(claim.total, length, from, before, own)?;
            from = self.earliest_licences(claim.licences, length, at, own)?;
            if from == at {
                return Some(at);
            }
        }
    }

    fn earliest_licences(
        &self,
        needs: &[LicenceNeed],
        length: SimDuration,
        from: SimTime,
        own: SimTime,
    ) -> Option<SimTime> {
        let mut at = from;
        loop {
            let before = at;
            for need in needs {
                let kind = self.licences.get(need.kind)?;
                at = kind.earliest(&need.count, length, at, SimTime::MAX, own)?;
            }
            if at == before {
                return Some(at);
            }
        }
    }

    /// Someone is going to hold this in [from, until).
    pub(crate) fn take(&mut self, from: SimTime, until: SimTime, claim: &Claim<'_>) {
        match &mut self.nodes {
            Some(nodes) => {
                nodes.reserve(from, until, claim.on);
                self.sums.reserve(from, until, &sum(claim.on));
            }
            None => self.sums.reserve(from, until, claim.total),
        }
        for need in claim.licences {
            if let Some(kind) = self.licences.get_mut(need.kind) {
                kind.reserve(from, until, &need.count);
            }
        }
    }

    /// Whoever was to hold this in [from, until) won't.
    pub(crate) fn give(&mut self, from: SimTime, until: SimTime, claim: &Claim<'_>) {
        match &mut self.nodes {
            Some(nodes) => {
                nodes.release(from, until, claim.on);
                self.sums.release(from, until, &sum(claim.on));
            }
            None => self.sums.release(from, until, claim.total),
        }
        for need in claim.licences {
            if let Some(kind) = self.licences.get_mut(need.kind) {
                kind.release(from, until, &need.count);
            }
        }
    }

    /// The past is over.
    pub(crate) fn forget_before(&mut self, now: SimTime) {
        self.sums.forget_before(now);
        self.nodes.iter_mut().for_each(|nodes| nodes.forget_before(now));
        self.licences.iter_mut().for_each(|kind| kind.forget_before(now));
    }
}

fn sum(on: &[(NodeId, Resources)]) -> Resources {
    on.iter().fold(Resources::default(), |sum, (_, amount)| sum.plus(amount))
}

/// What a running job holds on nodes in service.
pub(crate) fn in_service(cluster: &Cluster, job: &Running) -> Resources {
    if cluster.unavailable() == 0 {
        return job.held();
    }
    let is_up = |node| cluster.node(node).is_some_and(|state| state.available);
    let up = job.placement.0.iter().filter(|share| is_up(share.node));
    up.fold(Resources::default(), |sum, share| sum.plus(&share.resources()))
}
