//! What is planned for the future: who holds what from when to when, and the earliest slot for one more job.
//!
//! Where any free piece will do for everyone in the queue, sums are exact: whoever starts takes what is free at that moment,
//! and intervals that are nowhere deeper than the machine always find room on it. Where someone needs certain pieces (whole
//! nodes, several GPUs on one node), enough in sum is not enough; then each slot names its nodes.

mod by_node;

use switchyard_model::{NodeId, Resources, Shape, SimDuration, SimTime, Terms};

use crate::profile::Profile;
use crate::request::Request;
use crate::{Cluster, Pending};

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

/// How long a job is planned to run: its limit, but not less than an instant, so that it is there at all.
pub(crate) fn planned_length(limit: SimDuration) -> SimDuration {
    limit.max(SimDuration::from_micros(1))
}

/// When a job that is running is expected to end, as seen from `now`.
pub(crate) fn planned_end(expected: SimTime, now: SimTime) -> SimTime {
    if expected > now { expected } else { now + ANY_MOMENT }
}

/// Whether any free pieces will do for `job`, as long as they are enough: it asks for single units of one resource.
pub(crate) fn any_piece_will_do(job: &Pending) -> bool {
    let Terms { exclusive, one_domain, .. } = job.spec.terms;
    let units = match job.request.shape {
        Shape::Tasks { per_task, .. } => is_unit(&per_task),
        // Nodes with a single unit are nothing but units.
        Shape::Nodes { per_node, .. } => {
            is_unit(&per_node) && job.machines.kinds.iter().all(|(node, _)| node.times(&per_node) <= 1)
        }
    };
    units && job.machines.only.is_none() && !exclusive && !one_domain
}

/// One processor, or one GPU, and nothing else.
const fn is_unit(each: &Resources) -> bool {
    matches!((each.cpus, each.gpus, each.memory_mib), (1, 0, 0) | (0, 1, 0))
}

/// Capacity over time, with everything that is planned.
#[derive(Clone, Debug)]
pub(crate) enum Timetable {
    /// In sums over the nodes in service.
    Sums(Profile),
    /// On each node.
    Nodes(ByNode),
}

impl Default for Timetable {
    fn default() -> Self {
        Timetable::Sums(Profile::default())
    }
}

impl Timetable {
    /// What is free when the running jobs end at their limits.
    pub(crate) fn of_running(cluster: &Cluster, by_node: bool, now: SimTime) -> Timetable {
        if by_node {
            return Timetable::Nodes(ByNode::of_running(cluster, now));
        }
        Timetable::Sums(sums_of_running(cluster, now))
    }

    pub(crate) const fn is_by_node(&self) -> bool {
        matches!(self, Timetable::Nodes(_))
    }

    /// The sums.
    pub(crate) const fn sums(&self) -> &Profile {
        match self {
            Timetable::Sums(profile) => profile,
            Timetable::Nodes(nodes) => nodes.sums(),
        }
    }

    /// The earliest slot that is as wished.
    pub(crate) fn earliest(&self, wish: &Wish<'_>) -> Option<Slot> {
        let Wish { job, from, before } = *wish;
        match self {
            Timetable::Sums(profile) => {
                let length = planned_length(job.spec.limit);
                let at = profile.earliest(&job.request.total, length, from, before, SimTime::MAX)?;
                Some(Slot { at, on: Vec::new() })
            }
            Timetable::Nodes(nodes) => nodes.earliest(wish),
        }
    }

    /// Plans a job in a slot.
    pub(crate) fn book(&mut self, slot: &Slot, request: &Request, limit: SimDuration) {
        let until = slot.at + planned_length(limit);
        match self {
            Timetable::Sums(profile) => profile.reserve(slot.at, until, &request.total),
            Timetable::Nodes(nodes) => nodes.reserve(slot.at, until, &slot.on),
        }
    }

    /// Whoever was to hold this in [from, until) won't.
    pub(crate) fn cancel(
        &mut self,
        from: SimTime,
        until: SimTime,
        total: &Resources,
        on: &[(NodeId, Resources)],
    ) {
        match self {
            Timetable::Sums(profile) => profile.release(from, until, total),
            Timetable::Nodes(nodes) => nodes.release(from, until, on),
        }
    }

    /// The past is over.
    pub(crate) fn forget_before(&mut self, now: SimTime) {
        match self {
            Timetable::Sums(profile) => profile.forget_before(now),
            Timetable::Nodes(nodes) => nodes.forget_before(now),
        }
    }
}

fn sums_of_running(cluster: &Cluster, now: SimTime) -> Profile {
    let mut profile = Profile::new(now, cluster.free());
    for job in cluster.running() {
        let until = planned_end(job.expected_end, now);
        profile.release(until, SimTime::MAX, &in_service(cluster, job));
    }
    profile
}

/// What a running job holds on nodes in service.
pub(crate) fn in_service(cluster: &Cluster, job: &crate::Running) -> Resources {
    if cluster.unavailable() == 0 {
        return job.spec.shape.total();
    }
    let is_up = |node| cluster.node(node).is_some_and(|state| state.available);
    let up = job.placement.0.iter().filter(|share| is_up(share.node));
    up.fold(Resources::default(), |sum, share| sum.plus(&share.resources()))
}
