//! From what the pass found out about a job to a reason with evidence.

use std::sync::Arc;

use switchyard_model::{JobId, NodeId, Resources, SimTime};

use crate::cluster::{Holdings, Pending};
use crate::domains::{self, DomainCount};
use crate::eligibility::{Hold, kept_from};
use crate::limits::Holder;
use crate::place::densest;
use crate::reason::{LimitOf, PassingBy, Predecessor, ReservationProblem, Shortage};
use crate::request::parts_on;
use crate::room::{Room, parts_if_empty};
use crate::shape_memo::ShapeMemo;
use crate::{Cluster, Reason, Request};

/// What the pass found out.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Verdict {
    NeverFits,
    NodesUnavailable,
    /// Something beside room holds it back.
    Held(Hold),
    /// Neither nodes nor licences are short for ever, but now.
    NoRoom,
    WouldDelay {
        head: JobId,
        until: SimTime,
    },
    BehindHead {
        head: JobId,
    },
    /// It fits, and nobody is before it.
    NotReached,
}

/// What is free for a job after the pass.
#[derive(Clone, Copy, Debug)]
struct Free {
    total: Resources,
    fits: u32,
    on_nodes: u32,
}

/// Finds evidence in what is free after the pass.
pub(crate) struct Explainer<'a> {
    cluster: &'a Cluster,
    room: &'a Room,
    /// What the jobs take that start, beside their nodes.
    taken: Holdings,
    now: SimTime,
    passing: PassingBy,
    counts: ShapeMemo<Free>,
}

impl<'a> Explainer<'a> {
    pub(crate) const fn new(
        cluster: &'a Cluster,
        room: &'a Room,
        taken: Holdings,
        now: SimTime,
        passing: PassingBy,
    ) -> Self {
        Explainer { cluster, room, taken, now, passing, counts: ShapeMemo::new() }
    }

    pub(crate) fn reason(&mut self, job: &Pending, verdict: Verdict) -> Reason {
        let ask = job.request;
        match verdict {
            Verdict::NeverFits => self.never_fits(job),
            Verdict::NodesUnavailable => Reason::NodesUnavailable {
                ask,
                in_service: capped(parts_if_empty(self.cluster, job, |_| true)),
                unavailable: self.cluster.unavailable(),
            },
            Verdict::Held(hold) => self.held(job, hold),
            Verdict::NoRoom => self.no_room(job),
            Verdict::WouldDelay { head, until } => Reason::WouldDelayReservation {
                head,
                until,
                left: until.since(self.now),
                limit: job.spec.limit,
            },
            Verdict::BehindHead { head } => Reason::BehindHead { head, passing: self.passing },
            Verdict::NotReached => Reason::NotReached { passing: self.passing },
        }
    }

    fn never_fits(&self, job: &Pending) -> Reason {
        let ask = job.request;
        if job.wants_one_domain() && Request::new(ask.shape, &job.machines).fits_fleet() {
            let empty = |node: NodeId| {
                let capacity = self.cluster.fleet().node(node)?.capacity;
                let gpus = switchyard_model::GpuSet::first(capacity.gpus);
                job.machines.contains(node).then_some((capacity, gpus))
            };
            let most = domains::count(self.cluster.fleet(), &ask.shape, empty).gpus;
            return match most < ask.total.gpus {
                true => Reason::NoSuchDomain { ask, most },
                // The GPUs are there, but not what goes with them, or not on as many nodes.
                false => Reason::NeverFits { ask },
            };
        }
        if job.machines.only.is_none() || !self.cluster.fits_whole_fleet(&ask.shape) {
            return Reason::NeverFits { ask };
        }
        Reason::BadConstraints { ask, wants: self.wants(job), nodes: job.machines.count() }
    }

    /// What a job wants of its nodes, in words.
    fn wants(&self, job: &Pending) -> String {
        let (terms, site) = (&job.spec.terms, self.cluster.site());
        let mut words = Vec::new();
        if let Some(partition) = partition_name(self.cluster, job) {
            words.push(format!("in partition \"{partition}\""));
        }
        if let Some(reservation) = job.reservation().and_then(|place| site.reservations.get(place)) {
            words.push(format!("in reservation \"{}\"", reservation.name));
        }
        match terms.features.as_slice() {
            [] => {}
            [only] => words.push(format!("with feature \"{only}\"")),
            several => words.push(format!("with features {}", quoted(several, "and"))),
        }
        if !terms.gpu_models.is_empty() {
            words.push(format!("with GPUs of model {}", quoted(&terms.gpu_models, "or")));
        }
        words.join(", ")
    }

    fn no_room(&mut self, job: &Pending) -> Reason {
        if let Some(short) = self.cluster.licences_beside(&self.taken).short(job.licences()) {
            let licences = &self.cluster.site().licences;
            let (name, total) = licences
                .iter()
                .nth(short.kind)
                .map_or_else(|| (Arc::from(""), 0), |(name, total)| (Arc::clone(name), *total));
            let free = self.cluster.licences_beside(&self.taken).of(short.kind);
            return Reason::Licences { name, asked: short.count, free, total };
        }
        let ask = job.request;
        if let Some(reservation) = kept_from(self.cluster, self.room, job) {
            return self.reserved(job, reservation);
        }
        if job.is_exclusive() {
            let nodes = (0..).map(NodeId).take(self.room.nodes().len());
            let could = |node: &NodeId| parts_on(&ask.shape, &self.room.free_for(job, *node)) > 0;
            let idle = nodes.filter(could).fold(0, |idle, _| idle + 1);
            let nodes = job.machines.least_nodes(&ask);
            return Reason::NotIdle { nodes, idle, among: job.machines.count() };
        }
        let Free { total: free, fits, on_nodes } = self.free_for(job);
        let among = job.machines.only.is_some().then(|| job.machines.count());
        let shortage = Shortage { ask, fits, free, on_nodes, among };
        if !free.covers(&ask.total) {
            return Reason::Resources(shortage);
        }
        if job.wants_one_domain() {
            let DomainCount { parts, gpus: most, domains } = self.by_domain(job);
            if most < ask.total.gpus {
                return Reason::ScatteredDomains { ask, free: free.gpus, domains, most };
            }
            // Some domain has the GPUs, but not what goes with them.
            return Reason::FragmentedResources(Shortage { fits: capped(parts).min(fits), ..shortage });
        }
        if fits >= ask.parts()
            && let Some(most) = job.rules.as_ref().and_then(|rules| rules.max_nodes)
        {
            let free =
                (0..).map(NodeId).take(self.room.nodes().len()).map(|node| self.room.free_for(job, node));
            let nodes = densest(&ask.shape, free).map_or(0, |chosen| chosen.len());
            return Reason::TooSpread { ask, nodes: u32::try_from(nodes).unwrap_or(u32::MAX), most };
        }
        Reason::FragmentedResources(shortage)
    }

    fn by_domain(&self, job: &Pending) -> DomainCount {
        let free = |node: NodeId| {
            let gpus = self.room.nodes().get(node.index())?.free_gpus;
            self.room.is_open_to(job, node).then(|| (self.room.free_for(job, node), gpus))
        };
        domains::count(self.cluster.fleet(), &job.request.shape, free)
    }

    /// What is free for the job: the same for all jobs of a shape that may use all nodes.
    fn free_for(&mut self, job: &Pending) -> Free {
        let room = self.room;
        let count = || {
            let nodes = || (0..).map(NodeId).take(room.nodes().len()).map(|node| room.free_for(job, node));
            let total = nodes().fold(Resources::default(), |sum, free| sum.plus(&free));
            let (mut fits, mut on_nodes) = (0u64, 0);
            for free in nodes() {
                fits += u64::from(parts_on(&job.request.shape, &free));
                on_nodes += u32::from(Shortage::counts(&job.request, &total, &free));
            }
            Free { total, fits: capped(fits).min(job.request.parts()), on_nodes }
        };
        match job.is_plain() && self.cluster.kept().is_empty() {
            true => self.counts.get(&job.request.shape, count),
            false => count(),
        }
    }

    fn held(&self, job: &Pending, hold: Hold) -> Reason {
        let spec = &job.spec;
        let partition = || partition_name(self.cluster, job).unwrap_or_default();
        match hold {
            Hold::UnknownPartition => {
                Reason::UnknownPartition { partition: spec.terms.partition.clone().unwrap_or_default() }
            }
            Hold::PartitionDown => Reason::PartitionDown { partition: partition() },
            Hold::PartitionTime => Reason::PartitionTimeLimit {
                partition: partition(),
                limit: spec.limit,
                most: self.partition(job).and_then(|partition| partition.max_time).unwrap_or_default(),
            },
            Hold::PartitionNodes { nodes } => Reason::PartitionNodeLimit {
                partition: partition(),
                nodes,
                most: self.partition(job).and_then(|partition| partition.max_nodes).unwrap_or_default(),
            },
            Hold::Limit { holder, scope, excess } => {
                Reason::Limit { of: self.limit_of(holder), scope, excess }
            }
            Hold::TooManyLicences { ask } => self.too_many_licences(job, ask),
            Hold::Dependency { job: on, kind, never: true } => {
                Reason::DependencyNeverSatisfied { on, kind, outcome: self.cluster.outcome(on) }
            }
            Hold::Dependency { job: on, kind, never: false } => {
                Reason::Dependency { on, kind, state: self.predecessor(on) }
            }
            Hold::Begin => Reason::BeginTime { at: job.not_before, requeued: job.attempt > 1 },
            Hold::Throttle { running } => {
                let task = spec.terms.array;
                let (array, throttle) = task.map_or((spec.id, 0), |task| (task.array, task.throttle));
                Reason::ArrayTaskLimit { array, running, throttle }
            }
            Hold::Reserved { reservation } => self.reserved(job, reservation),
            Hold::ReservationGone
            | Hold::ReservationDenied
            | Hold::ReservationTooShort
            | Hold::ReservationClosing
            | Hold::ReservationAhead => self.reservation(job, hold),
        }
    }

    /// An advance reservation keeps nodes that the job needs.
    fn reserved(&self, job: &Pending, reservation: usize) -> Reason {
        let Some(reservation) = self.cluster.site().reservations.get(reservation) else {
            return Reason::NeverFits { ask: job.request };
        };
        Reason::ReservedNodes {
            ask: job.request,
            open: capped(parts_if_empty(self.cluster, job, |node| !self.room.is_kept_from(job, node))),
            reservation: Arc::clone(&reservation.name),
            start: reservation.start,
            end: reservation.end,
            maintenance: reservation.users.is_empty() && reservation.accounts.is_empty(),
        }
    }

    fn partition(&self, job: &Pending) -> Option<&switchyard_model::Partition> {
        self.cluster.site().partitions.get(job.rules.as_ref()?.partition?)
    }

    fn limit_of(&self, holder: Holder) -> LimitOf {
        let site = self.cluster.site();
        match holder {
            Holder::Qos(place) => {
                LimitOf::Qos(site.qos.get(place).map(|qos| Arc::clone(&qos.name)).unwrap_or_default())
            }
            Holder::Association(place) => match site.associations.get(place) {
                None => LimitOf::Account(Arc::default()),
                Some(association) => match &association.user {
                    None => LimitOf::Account(Arc::clone(&association.account)),
                    Some(user) => {
                        LimitOf::User { user: Arc::clone(user), account: Arc::clone(&association.account) }
                    }
                },
            },
        }
    }

    fn too_many_licences(&self, job: &Pending, ask: usize) -> Reason {
        let asks = &job.spec.terms.licences;
        let name = asks.get(ask).map(|ask| Arc::clone(&ask.name)).unwrap_or_default();
        let same = asks.iter().filter(|ask| ask.name == name);
        let asked = same.fold(0u32, |sum, ask| sum.saturating_add(ask.count));
        let licences = &self.cluster.site().licences;
        let total = licences.get(&name).copied().unwrap_or(0);
        let kind = licences.keys().position(|other| *other == name);
        let free = kind.map_or(0, |kind| self.cluster.licences_beside(&self.taken).of(kind));
        Reason::Licences { name, asked, free, total }
    }

    fn predecessor(&self, job: JobId) -> Predecessor {
        match (self.cluster.running_job(job), self.cluster.pending_job(job)) {
            (Some(_), _) => Predecessor::Runs,
            (None, Some(_)) => Predecessor::Waits,
            (None, None) => Predecessor::Unknown,
        }
    }

    fn reservation(&self, job: &Pending, hold: Hold) -> Reason {
        let name = job.spec.terms.reservation.clone().unwrap_or_default();
        let limit = job.spec.limit;
        let own = job.reservation().and_then(|place| self.cluster.site().reservations.get(place));
        let Some(own) = own else {
            return Reason::Reservation { name, problem: ReservationProblem::Unknown };
        };
        let problem = match hold {
            Hold::ReservationAhead => ReservationProblem::Ahead { start: own.start },
            Hold::ReservationDenied => ReservationProblem::Denied,
            Hold::ReservationTooShort => {
                ReservationProblem::TooShort { length: own.end.since(own.start), limit }
            }
            Hold::ReservationClosing => ReservationProblem::Closing { left: own.end.since(self.now), limit },
            _ => ReservationProblem::Over { end: own.end },
        };
        Reason::Reservation { name, problem }
    }
}

fn partition_name(cluster: &Cluster, job: &Pending) -> Option<Arc<str>> {
    let place = job.rules.as_ref()?.partition?;
    cluster.site().partitions.get(place).map(|partition| Arc::clone(&partition.name))
}

fn capped(parts: u64) -> u32 {
    u32::try_from(parts).unwrap_or(u32::MAX)
}

/// `"a", "b" and "c"`.
fn quoted(names: &[Arc<str>], last: &str) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    match quoted.split_last() {
        Some((only, [])) => only.clone(),
        Some((end, rest)) => format!("{} {last} {end}", rest.join(", ")),
        None => String::new(),
    }
}
