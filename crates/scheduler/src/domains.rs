//! How much of a job a single NVSwitch domain could hold: domains may span nodes, or split one.

use switchyard_model::{Fleet, GpuSet, NodeId, Resources, Shape};

use crate::request::parts_on;

/// What the domains of a fleet have for a job, at some moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DomainCount {
    /// How many of the job's parts the best of them could hold.
    pub(crate) parts: u64,
    /// The most GPUs that one of them has.
    pub(crate) gpus: u32,
    /// How many have GPUs at all.
    pub(crate) domains: u32,
}

/// Counts by domain what nodes have; `free` says it for each node that the job may use.
pub(crate) fn count(
    fleet: &Fleet,
    shape: &Shape,
    free: impl Fn(NodeId) -> Option<(Resources, GpuSet)>,
) -> DomainCount {
    let mut count = DomainCount::default();
    for domain in fleet.domains() {
        let (mut parts, mut all) = (0, 0);
        for (free, gpus) in domain.nodes.clone().map(NodeId).filter_map(&free) {
            let gpus = gpus.intersection(domain.gpus).len();
            parts += u64::from(parts_on(shape, &Resources { gpus, ..free }));
            all += gpus;
        }
        count.parts = count.parts.max(parts);
        count.gpus = count.gpus.max(all);
        count.domains += u32::from(all > 0);
    }
    count
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use switchyard_model::{Domains, FleetSpec, NodeClass};

    fn parts(domains: Domains, shape: Shape) -> u64 {
        let node = Resources { cpus: 8, gpus: 4, memory_mib: 0 };
        let class = NodeClass { domains, nodes_per_rack: 18, ..NodeClass::new("n", 18, node) };
        let fleet = FleetSpec::of("f", vec![class]).build().unwrap();
        count(&fleet, &shape, |_| Some((node, GpuSet::first(4)))).parts
    }

    #[test]
    fn capacity_is_counted_by_domain() {
        let nodes =
            |nodes, gpus| Shape::Nodes { nodes, per_node: Resources { cpus: 1, gpus, memory_mib: 0 } };
        let tasks = Shape::Tasks { tasks: 100, per_task: Resources { cpus: 1, gpus: 1, memory_mib: 0 } };
        assert_eq!(parts(Domains::Nodes { nodes: 18 }, nodes(18, 4)), 18);
        assert_eq!(parts(Domains::Nodes { nodes: 6 }, nodes(18, 4)), 6);
        assert_eq!(parts(Domains::Node, nodes(2, 4)), 1);
        assert_eq!(parts(Domains::PerNode { gpus: 2 }, nodes(1, 4)), 0);
        assert_eq!(parts(Domains::None, nodes(1, 1)), 1);
        assert_eq!((parts(Domains::Node, tasks), parts(Domains::Nodes { nodes: 18 }, tasks)), (4, 72));
        assert_eq!((parts(Domains::PerNode { gpus: 2 }, tasks), parts(Domains::None, tasks)), (2, 1));
    }
}
