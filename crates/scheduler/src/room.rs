//! Who has room now: the free capacity that a pass draws down as it chooses, and gets back when it is over.

use std::sync::Arc;

use switchyard_model::{Fleet, GpuSet, JobId, NodeId, NodeShare, Placement, Resources, SimTime};

use crate::cluster::{Kept, Pending};
use crate::free_tree::FreeTree;
use crate::place::Mix;
use crate::request::parts_on;
use crate::{Cluster, NodeState, PlacementRule, domains};

/// Free capacity as the pass goes on. Kept from pass to pass, so that only what changed has to be looked at.
#[derive(Clone, Debug, Default)]
pub(crate) struct Room {
    nodes: Vec<NodeState>,
    free: Resources,
    tree: FreeTree,
    /// What the nodes were before this pass took from them, latest last.
    taken: Vec<(NodeId, NodeState)>,
    free_before: Resources,
    fleet: Option<Arc<Fleet>>,
    /// The nodes of advance reservations, and the moment of the pass.
    kept: Arc<[Kept]>,
    now: SimTime,
    rule: PlacementRule,
    /// What the queue asks for, if the rule looks at that.
    mix: Option<Mix>,
}

impl Room {
    /// A room in which jobs are placed by this rule.
    pub(crate) fn ruled_by(rule: PlacementRule) -> Self {
        let mix = (rule == PlacementRule::LeastFragmentation).then(Mix::default);
        Room { rule, mix, ..Room::default() }
    }

    /// Starts over from what is free in `cluster`.
    pub(crate) fn rebuild(&mut self, cluster: &Cluster, now: SimTime) {
        self.fleet = Some(Arc::clone(cluster.fleet()));
        self.kept = Arc::clone(cluster.kept());
        self.nodes.clear();
        self.nodes.extend_from_slice(cluster.nodes());
        self.tree.rebuild(self.nodes.iter().map(usable));
        self.taken.clear();
        self.mix = self.mix.take().map(|_| Mix::default());
        self.begin(cluster, now);
    }

    /// These jobs came, went or changed.
    pub(crate) fn jobs_changed(&mut self, cluster: &Cluster, jobs: &[JobId]) {
        let Some(mix) = &mut self.mix else { return };
        for &job in jobs {
            let pending = cluster.pending_job(job).map(|pending| &*pending.spec);
            mix.set(job, pending.or_else(|| cluster.running_job(job).map(|running| &*running.spec)));
        }
        mix.refresh();
    }

    /// Reads anew what a node has.
    pub(crate) fn refresh(&mut self, cluster: &Cluster, node: NodeId) {
        let (Some(state), Some(now)) = (self.nodes.get_mut(node.index()), cluster.node(node)) else { return };
        if state != now {
            *state = *now;
            self.tree.set(node.index(), usable(now));
        }
    }

    /// All changed nodes have been read: a pass begins.
    pub(crate) fn begin(&mut self, cluster: &Cluster, now: SimTime) {
        self.now = now;
        self.free = cluster.free();
        self.free_before = self.free;
    }

    /// What each node has left.
    pub(crate) fn nodes(&self) -> &[NodeState] {
        &self.nodes
    }

    /// What is left in sum, on the nodes in service.
    pub(crate) const fn free(&self) -> Resources {
        self.free
    }

    /// The rule by which jobs are placed.
    pub(crate) const fn rule(&self) -> PlacementRule {
        self.rule
    }

    pub(crate) const fn tree(&self) -> &FreeTree {
        &self.tree
    }

    pub(crate) const fn mix(&self) -> Option<&Mix> {
        self.mix.as_ref()
    }

    /// What a job may use of a node now, and which GPUs; `None` if that is out of service, not among its machines, kept for
    /// others, or not idle while the job shares with nobody.
    pub(crate) fn usable_by(&self, job: &Pending, node: NodeId) -> Option<(Resources, GpuSet)> {
        let state = self.nodes.get(node.index()).filter(|_| self.is_open_to(job, node))?;
        (!job.is_exclusive() || self.is_idle(node)).then_some((state.free, state.free_gpus))
    }

    /// The same, where nothing is as good as none.
    pub(crate) fn free_for(&self, job: &Pending, node: NodeId) -> Resources {
        self.usable_by(job, node).map(|(free, _)| free).unwrap_or_default()
    }

    /// Whether a job may use a node now, as far as that has room.
    pub(crate) fn is_open_to(&self, job: &Pending, node: NodeId) -> bool {
        self.nodes.get(node.index()).is_some_and(|state| state.available)
            && job.machines.contains(node)
            && !self.is_kept_from(job, node)
    }

    /// Whether an advance reservation of others begins before the job ends, and is not over.
    pub(crate) fn is_kept_from(&self, job: &Pending, node: NodeId) -> bool {
        self.is_kept_at(self.now, job, node)
    }

    /// The same for a job that starts later.
    pub(crate) fn is_kept_at(&self, start: SimTime, job: &Pending, node: NodeId) -> bool {
        let shuts = |(place, kept): (usize, &Kept)| {
            kept.nodes.contains(node)
                && kept.shuts(start, start + job.spec.limit)
                && job.reservation() != Some(place)
        };
        !self.kept.is_empty() && (0..).zip(self.kept.iter()).any(shuts)
    }

    /// The first advance reservation that keeps some of the job's machines from it now.
    pub(crate) fn reservation_in_the_way(&self, job: &Pending) -> Option<usize> {
        let in_the_way = |(place, kept): &(usize, &Kept)| {
            kept.shuts(self.now, self.now + job.spec.limit)
                && job.reservation() != Some(*place)
                && job.machines.only.as_ref().is_none_or(|only| only.meets(&kept.nodes))
        };
        (0..).zip(self.kept.iter()).find(in_the_way).map(|(place, _)| place)
    }

    /// Which advance reservations keep their nodes from a job that starts then, in the site's order.
    pub(crate) fn shut_at(&self, start: SimTime, job: &Pending) -> Vec<bool> {
        let shuts = |(place, kept): (usize, &Kept)| {
            kept.shuts(start, start + job.spec.limit) && job.reservation() != Some(place)
        };
        (0..).zip(self.kept.iter()).map(shuts).collect()
    }

    /// Whether a job that starts then runs within the advance reservation that it asks for, if it asks for one.
    pub(crate) fn in_its_reservation(&self, start: SimTime, job: &Pending) -> bool {
        let own = job.reservation().and_then(|place| self.kept.get(place));
        own.is_none_or(|own| own.start <= start && start + job.spec.limit <= own.end)
    }

    /// The moments at which nodes come back from advance reservations.
    pub(crate) fn returns(&self) -> impl Iterator<Item = SimTime> + '_ {
        self.kept.iter().map(|kept| kept.end).filter(|&end| end > self.now)
    }

    /// What the node has when it is idle.
    pub(crate) fn capacity(&self, node: NodeId) -> Resources {
        let node = self.fleet.as_ref().and_then(|fleet| fleet.node(node));
        node.map_or(Resources::default(), |node| node.capacity)
    }

    fn is_idle(&self, node: NodeId) -> bool {
        self.nodes.get(node.index()).is_some_and(|state| state.free == self.capacity(node))
    }

    /// The machines.
    pub(crate) const fn fleet(&self) -> Option<&Arc<Fleet>> {
        self.fleet.as_ref()
    }

    /// What a job gets that was given room here: an exclusive one gets its nodes whole.
    pub(crate) fn whole(&self, job: &Pending, placement: Placement) -> Placement {
        if !job.is_exclusive() {
            return placement;
        }
        let whole = |share: NodeShare| match self.nodes.get(share.node.index()) {
            Some(NodeState { free, free_gpus, .. }) => {
                NodeShare { node: share.node, cpus: free.cpus, memory_mib: free.memory_mib, gpus: *free_gpus }
            }
            None => share,
        };
        Placement(placement.0.into_iter().map(whole).collect())
    }

    /// The first node from `from` on that has room for a part of a job, and what it may use there.
    pub(crate) fn next_for(&self, job: &Pending, mut from: NodeId) -> Option<(NodeId, Resources, GpuSet)> {
        let (_, need) = job.request.shape.parts();
        loop {
            // In leaps: from the next node that the job may use to the next that has room, until that is the same.
            if let Some(only) = &job.machines.only {
                from = only.next(from)?;
            }
            let found = self.tree.next(from.index(), need).filter(|&index| index < self.nodes.len())?;
            from = NodeId(u32::try_from(found).ok()?);
            if let Some((free, gpus)) = self.usable_by(job, from) {
                return Some((from, free, gpus));
            }
            if job.machines.contains(from) {
                from = NodeId(from.0 + 1);
            }
        }
    }

    /// Gives `placement` away. It was chosen from this room, so that its nodes exist and are in service.
    pub(crate) fn take(&mut self, placement: &Placement) {
        for share in &placement.0 {
            let Some(state) = self.nodes.get_mut(share.node.index()) else { continue };
            self.taken.push((share.node, *state));
            state.free = state.free.minus(&share.resources());
            state.free_gpus = state.free_gpus.minus(share.gpus);
            self.free = self.free.minus(&share.resources());
            self.tree.set(share.node.index(), usable(state));
        }
    }

    /// The pass is over: all is as it was when it began.
    pub(crate) fn give_back(&mut self) {
        while let Some((node, before)) = self.taken.pop() {
            if let Some(state) = self.nodes.get_mut(node.index()) {
                *state = before;
                self.tree.set(node.index(), usable(&before));
            }
        }
        self.free = self.free_before;
    }
}

fn usable(state: &NodeState) -> Resources {
    if state.available { state.free } else { Resources::default() }
}

/// How many parts of a job its nodes in service could hold if they were empty, as far as they `may` be used; in a single
/// NVSwitch domain, if it wants that.
pub(crate) fn parts_if_empty(cluster: &Cluster, job: &Pending, may: impl Fn(NodeId) -> bool) -> u64 {
    let is_open = |node: NodeId| {
        cluster.node(node).is_some_and(|state| state.available) && job.machines.contains(node) && may(node)
    };
    let shape = &job.request.shape;
    if job.wants_one_domain() {
        let empty = |node: NodeId| {
            let capacity = cluster.fleet().node(node).filter(|node| is_open(node.id))?.capacity;
            Some((capacity, GpuSet::first(capacity.gpus)))
        };
        return domains::count(cluster.fleet(), shape, empty).parts;
    }
    let nodes = cluster.fleet().nodes().iter().filter(|node| is_open(node.id));
    nodes.map(|node| u64::from(parts_on(shape, &node.capacity))).sum()
}
