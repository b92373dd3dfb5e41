//! Fleets that have a name: the first screen's, the classical machine, and those behind published figures.

use crate::{Domains, FleetSpec, Naming, NodeClass, Resources};

impl FleetSpec {
    /// The fleets that [`named`](Self::named) knows.
    pub const NAMES: [&'static str; 4] = ["yard", "seed-lab", "k8s-lab", "k8s-lab-homogeneous"];

    /// The fleet that people call `name`, if it is one of [`NAMES`](Self::NAMES).
    pub fn named(name: &str) -> Option<FleetSpec> {
        Some(match name {
            "yard" => FleetSpec::yard(),
            "seed-lab" => FleetSpec::seed_lab(),
            "k8s-lab" => FleetSpec::k8s_lab(),
            "k8s-lab-homogeneous" => FleetSpec::k8s_lab_homogeneous(),
            _ => return None,
        })
    }

    /// What a named fleet is, and where its numbers come from; `None` for a name that is none of [`NAMES`](Self::NAMES).
    pub fn about(name: &str) -> Option<&'static str> {
        Some(match name {
            "yard" => {
                "32 nodes of 8 GPUs in 8 racks. 8 GPUs behind the NVSwitches of one node is NVIDIA's HGX H100 \
                 (datasheet: 4 NVSwitches, 900 GB/s per GPU); 64 CPUs and 1 TiB are round numbers."
            }
            "seed-lab" => "16 nodes of 8 CPUs and 2 GPUs, the default of slurm-scheduler-lab.",
            "k8s-lab" => "26 nodes of 8, 4 and 2 GPUs in 6 racks, the default of k8s-gpu-scheduler-lab.",
            "k8s-lab-homogeneous" => "17 nodes of 8 GPUs, the homogeneous fleet of k8s-gpu-scheduler-lab.",
            _ => return None,
        })
    }

    /// The fleet of the first screen: 8 racks of 4 nodes with 8 GPUs each.
    pub fn yard() -> FleetSpec {
        FleetSpec::uniform("yard", 32, Resources { cpus: 64, gpus: 8, memory_mib: 1 << 20 })
    }

    /// `procs` processors for traces that know nothing of nodes: nodes of 8, and a smaller last one for the rest.
    pub fn processors(procs: u32) -> FleetSpec {
        let class = |name: &str, count, cpus| NodeClass {
            node: Resources { cpus, gpus: 0, memory_mib: u64::from(cpus) * 4096 },
            ..NodeClass::new(name, count, Resources::default())
        };
        let mut classes = Vec::new();
        if procs >= 8 {
            classes.push(class("n", procs / 8, 8));
        }
        if !procs.is_multiple_of(8) {
            classes.push(class("rest", 1, procs % 8));
        }
        FleetSpec::of(&format!("{procs} processors"), classes)
    }

    /// The cluster of slurm-scheduler-lab: 16 nodes of 8 CPUs and 2 GPUs. Its jobs ask for no memory.
    pub fn seed_lab() -> FleetSpec {
        FleetSpec::uniform("seed-lab", 16, Resources { cpus: 8, gpus: 2, memory_mib: 0 })
    }

    /// The default fleet of k8s-gpu-scheduler-lab: 26 nodes with 140 GPUs and 1,680 CPUs in six racks, two racks to a
    /// switch, so that the second switch has both nodes of 8 and nodes of 4 GPUs under it.
    ///
    /// Nodes are numbered class by class; the lab's own model tries them by name ([`Fleet::by_name`](crate::Fleet::by_name)).
    pub fn k8s_lab() -> FleetSpec {
        let classes = vec![
            dgx8(12),
            pool("mid4", 8, node(48, 4, 512)),
            NodeClass { nodes_per_rack: 6, ..pool("edge2", 6, node(24, 2, 128)) },
        ];
        FleetSpec { racks_per_switch: 2, ..FleetSpec::of("k8s-lab", classes) }
    }

    /// The homogeneous fleet of k8s-gpu-scheduler-lab: 17 nodes of 8 GPUs.
    pub fn k8s_lab_homogeneous() -> FleetSpec {
        FleetSpec { racks_per_switch: 2, ..FleetSpec::of("k8s-lab-homogeneous", vec![dgx8(17)]) }
    }
}

/// The only nodes of the lab whose GPUs are joined by NVSwitches.
fn dgx8(count: u32) -> NodeClass {
    NodeClass { domains: Domains::Node, ..pool("dgx8", count, node(96, 8, 1024)) }
}

fn pool(name: &str, count: u32, node: Resources) -> NodeClass {
    NodeClass { naming: Naming::DashFromZero, domains: Domains::None, ..NodeClass::new(name, count, node) }
}

const fn node(cpus: u32, gpus: u32, memory_gib: u64) -> Resources {
    Resources { cpus, gpus, memory_mib: memory_gib << 10 }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::{Fleet, NodeId, RackId};

    #[test]
    fn every_name_names_a_fleet() {
        for name in FleetSpec::NAMES {
            assert_eq!(&*FleetSpec::named(name).unwrap().name, name);
        }
        assert_eq!(FleetSpec::named("yards"), None);
    }

    #[test]
    fn processors_are_counted_exactly() {
        for procs in [1, 7, 8, 100, 128] {
            let fleet = FleetSpec::processors(procs).build().unwrap();
            assert_eq!(fleet.capacity().cpus, procs);
        }
    }

    #[test]
    fn the_lab_has_sixteen_nodes() {
        let fleet = FleetSpec::seed_lab().build().unwrap();
        assert_eq!((fleet.nodes().len(), fleet.capacity().cpus, fleet.capacity().gpus), (16, 128, 32));
    }

    fn names(fleet: &Fleet, nodes: impl IntoIterator<Item = NodeId>) -> Vec<&str> {
        nodes.into_iter().map(|node| &*fleet.node(node).unwrap().name).collect()
    }

    /// Racks 0 to 2 are dgx8, 3 and 4 mid4, 5 edge2; switches have racks 0 and 1, 2 and 3, 4 and 5.
    #[test]
    fn the_kubernetes_lab_is_as_its_file_describes_it() {
        let fleet = FleetSpec::k8s_lab().build().unwrap();
        let all = fleet.capacity();
        assert_eq!((fleet.nodes().len(), all.gpus, all.cpus), (26, 140, 1680));
        assert_eq!(all.memory_mib, (12 * 1024 + 8 * 512 + 6 * 128) * 1024);
        let in_racks: Vec<usize> = fleet.racks().iter().map(|rack| rack.nodes.len()).collect();
        assert_eq!(in_racks, [4, 4, 4, 4, 4, 6]);
        assert_eq!(fleet.switches(), 3);
        let of_switch: Vec<u32> = (0..6).map(|rack| fleet.switch_of(RackId(rack))).collect();
        assert_eq!(of_switch, [0, 0, 1, 1, 2, 2]);
        assert_eq!(
            names(&fleet, [0, 11, 12, 19, 20, 25].map(NodeId)),
            ["dgx8-0", "dgx8-11", "mid4-0", "mid4-7", "edge2-0", "edge2-5"]
        );
    }

    #[test]
    fn by_name_ten_comes_before_two() {
        let fleet = FleetSpec::k8s_lab().build().unwrap();
        let order = fleet.by_name();
        assert_eq!(
            names(&fleet, order.iter().copied().take(5)),
            ["dgx8-0", "dgx8-1", "dgx8-10", "dgx8-11", "dgx8-2"]
        );
        assert_eq!(names(&fleet, order.iter().copied().skip(11).take(2)), ["dgx8-9", "edge2-0"]);
        assert_eq!(names(&fleet, order.iter().copied().skip(18).take(1)), ["mid4-0"]);
        // Numbers of one width keep their order.
        let yard = FleetSpec::yard().build().unwrap();
        assert_eq!(yard.by_name(), (0..32).map(NodeId).collect::<Vec<_>>());
    }

    #[test]
    fn the_homogeneous_lab_has_136_gpus() {
        let fleet = FleetSpec::k8s_lab_homogeneous().build().unwrap();
        assert_eq!((fleet.nodes().len(), fleet.capacity().gpus, fleet.racks().len()), (17, 136, 5));
    }
}
