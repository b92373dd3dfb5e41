//! From what the pass found out about a job to a reason with evidence.

use switchyard_model::{Fleet, JobId, NodeId, SimTime};

use crate::cluster::Pending;
use crate::place::{bound_to_domain, room_in_domain};
use crate::reason::Shortage;
use crate::request::parts_on;
use crate::room::{Room, parts_in_service, usable_by};
use crate::shape_memo::ShapeMemo;
use crate::{Cluster, NodeState, Reason};

/// What the pass found out.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Verdict {
    NeverFits,
    NodesUnavailable,
    NoRoom,
    WouldDelay { head: JobId, until: SimTime },
    BehindHead { head: JobId },
}

/// Finds evidence in what is free after the pass.
pub(crate) struct Explainer<'a> {
    cluster: &'a Cluster,
    room: &'a Room,
    now: SimTime,
    /// For each shape: how many of its parts fit, and how many nodes have some of what it is short of.
    counts: ShapeMemo<(u32, u32)>,
}

impl<'a> Explainer<'a> {
    pub(crate) const fn new(cluster: &'a Cluster, room: &'a Room, now: SimTime) -> Self {
        Explainer { cluster, room, now, counts: ShapeMemo::new() }
    }

    pub(crate) fn reason(&mut self, job: &Pending, verdict: Verdict) -> Reason {
        let ask = job.request;
        match verdict {
            Verdict::NeverFits => Reason::NeverFits { ask },
            Verdict::NodesUnavailable => Reason::NodesUnavailable {
                ask,
                in_service: u32::try_from(parts_in_service(self.cluster, job)).unwrap_or(u32::MAX),
                unavailable: self.cluster.unavailable(),
            },
            Verdict::NoRoom => {
                if let Some(scattered) = self.scattered(job) {
                    return scattered;
                }
                let (fits, on_nodes) = self.count(job);
                let free = self.room.free();
                let shortage = Shortage { ask, fits, free, on_nodes };
                match free.covers(&ask.total) {
                    true => Reason::FragmentedResources(shortage),
                    false => Reason::Resources(shortage),
                }
            }
            Verdict::WouldDelay { head, until } => Reason::WouldDelayReservation {
                head,
                until,
                left: until.since(self.now),
                limit: job.spec.limit,
            },
            Verdict::BehindHead { head } => Reason::BehindHead { head },
        }
    }

    /// Whether a job lacks nothing but that the free GPUs were in one NVSwitch domain.
    fn scattered(&self, job: &Pending) -> Option<Reason> {
        let (room, need) = (self.room, job.request.total.gpus);
        if !bound_to_domain(&job.spec) || room.free().gpus < need {
            return None;
        }
        let (mut free, mut domains, mut most) = (0, 0, 0);
        for domain in room.fleet()?.domains() {
            let nodes = domain.nodes.clone().map(NodeId);
            let usable = nodes.filter_map(|node| {
                let state = room.nodes().get(node.index())?;
                usable_by(job, node, state)?;
                Some(state.free_gpus.intersection(domain.gpus).len())
            });
            let here: u32 = usable.sum();
            free += here;
            domains += u32::from(here > 0);
            most = most.max(here);
        }
        (free >= need && most < need).then_some(Reason::ScatteredOverDomains { need, free, domains, most })
    }

    fn count(&mut self, job: &Pending) -> (u32, u32) {
        let (room, request) = (self.room, &job.request);
        if bound_to_domain(&job.spec) {
            // The best domain counts, and that is not a matter of the shape alone.
            let state = |node: NodeId| room.nodes().get(node.index()).copied();
            let domains = room.fleet().into_iter().flat_map(Fleet::domains);
            let fits = domains.map(|domain| room_in_domain(job, &domain, state)).max().unwrap_or(0);
            let some =
                |state: &&NodeState| state.available && Shortage::counts(request, &room.free(), &state.free);
            let on_nodes = room.nodes().iter().filter(some).count();
            let fits = u32::try_from(fits).unwrap_or(u32::MAX).min(request.parts());
            return (fits, u32::try_from(on_nodes).unwrap_or(u32::MAX));
        }
        self.counts.get(&request.shape, || {
            let (mut fits, mut on_nodes) = (0u64, 0);
            for state in room.nodes().iter().filter(|state| state.available) {
                fits += u64::from(parts_on(&request.shape, &state.free));
                on_nodes += u32::from(Shortage::counts(request, &room.free(), &state.free));
            }
            (u32::try_from(fits).unwrap_or(u32::MAX).min(request.parts()), on_nodes)
        })
    }
}
