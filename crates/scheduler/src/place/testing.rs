//! Small rooms for the tests of placement.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use switchyard_model::{
    Domains, Fleet, FleetSpec, GpuSet, JobId, JobSpec, NodeClass, NodeId, NodeShare, Placement, Resources,
    Shape, SimDuration, SimTime,
};

use super::PlacementRule;
use crate::room::Room;
use crate::{Cluster, Pending};

pub(super) const fn amount(cpus: u32, gpus: u32) -> Resources {
    Resources { cpus, gpus, memory_mib: 0 }
}

/// `count` nodes of this kind.
pub(super) fn class(count: u32, node: Resources, nodes_per_rack: u32, domains: Domains) -> NodeClass {
    NodeClass { nodes_per_rack, domains, ..NodeClass::new("n", count, node) }
}

pub(super) fn fleet(classes: Vec<NodeClass>, racks_per_switch: u32) -> Arc<Fleet> {
    Arc::new(FleetSpec { racks_per_switch, ..FleetSpec::of("test", classes) }.build().unwrap())
}

/// A cluster in which some jobs run already.
pub(super) struct Yard {
    pub(super) cluster: Cluster,
    next: u64,
}

impl Yard {
    pub(super) fn new(fleet: Arc<Fleet>) -> Self {
        Yard { cluster: Cluster::new(fleet), next: 1 }
    }

    /// Some GPUs of a node, with a CPU each, are in use.
    pub(super) fn gpus_in_use(&mut self, node: u32, gpus: u64) {
        self.in_use(node, gpus.count_ones(), gpus);
    }

    /// CPUs and GPUs of a node are in use.
    pub(super) fn in_use(&mut self, node: u32, cpus: u32, gpus: u64) {
        let (gpus, node) = (GpuSet(gpus), NodeId(node));
        let shape = Shape::Tasks { tasks: 1, per_task: amount(cpus, gpus.len()) };
        let job = self.submit(shape, false);
        let share = NodeShare { node, cpus, memory_mib: 0, gpus };
        self.cluster.start(job.spec.id, Placement(vec![share]), SimTime::ZERO).unwrap();
    }

    /// A new job in the queue.
    pub(super) fn submit(&mut self, shape: Shape, one_domain: bool) -> Pending {
        let id = JobId(self.next);
        self.next += 1;
        let mut spec = JobSpec::new(id, SimTime::ZERO, SimDuration::from_secs(100), shape);
        spec.terms.one_domain = one_domain;
        self.cluster.submit(Arc::new(spec), SimTime::ZERO).unwrap();
        self.cluster.pending_job(id).unwrap().clone()
    }

    /// The room in which a rule would choose now.
    pub(super) fn room(&self, rule: PlacementRule) -> Room {
        let mut room = Room::ruled_by(rule);
        room.rebuild(&self.cluster, SimTime::ZERO);
        let jobs = self.cluster.running().map(|job| job.spec.id);
        let jobs: Vec<_> = jobs.chain(self.cluster.pending().map(|job| job.spec.id)).collect();
        room.jobs_changed(&self.cluster, &jobs);
        room
    }

    /// Where a rule would put a new job, which then is forgotten: nodes with the slots of the GPUs.
    pub(super) fn place(
        &mut self,
        rule: PlacementRule,
        shape: Shape,
        one_domain: bool,
    ) -> Option<Vec<(u32, u64)>> {
        let job = self.submit(shape, one_domain);
        let placement = rule.place(&job, &self.room(rule), None);
        self.cluster.cancel(job.spec.id).unwrap();
        Some(placement?.0.iter().map(|share| (share.node.0, share.gpus.0)).collect())
    }
}

/// `nodes` nodes with this much each.
pub(super) const fn nodes(nodes: u32, per_node: Resources) -> Shape {
    Shape::Nodes { nodes, per_node }
}

/// `tasks` tasks with this much each.
pub(super) const fn tasks(tasks: u32, per_task: Resources) -> Shape {
    Shape::Tasks { tasks, per_task }
}
