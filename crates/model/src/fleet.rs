//! The machines: nodes of a few classes, in racks, each rack under a leaf switch, leaf switches under the spine.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{GpuId, NodeId, RackId, Resources};

/// The most nodes a fleet may have; a typing error shall not eat the memory of a browser.
const NODES_MAX: u64 = 1 << 20;
/// More CPUs than this are no node.
const CPUS_PER_NODE_MAX: u32 = 1 << 16;
/// A [`GpuSet`](crate::GpuSet) names up to this many GPUs of a node.
const GPUS_PER_NODE_MAX: u32 = 64;

/// A fleet as a scenario file describes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FleetSpec {
    /// What people call it.
    pub name: Arc<str>,
    /// Its kinds of nodes, in order. Each class starts a new rack.
    pub classes: Vec<NodeClass>,
    /// How many racks, with their leaf switches, stand under one switch of the level above; 0 means all of them.
    #[serde(default)]
    pub racks_per_switch: u32,
}

/// Some equal nodes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NodeClass {
    /// What [`naming`](Self::naming) makes node names of.
    pub name: Arc<str>,
    /// How its nodes are named.
    #[serde(default)]
    pub naming: Naming,
    /// The names of its nodes, where they have names of their own; nodes beyond the list are named by `naming`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<Arc<str>>,
    /// How many.
    pub count: u32,
    /// What each of them has.
    pub node: Resources,
    /// How many stand in one rack.
    pub nodes_per_rack: u32,
    /// Which of their GPUs share an NVSwitch domain.
    #[serde(default)]
    pub domains: Domains,
    /// The model of their GPUs.
    #[serde(default)]
    pub gpu_model: Option<Arc<str>>,
    /// What jobs can ask for by name (Slurm: `Features`).
    #[serde(default)]
    pub features: Vec<Arc<str>>,
}

impl NodeClass {
    /// `count` nodes named `name…`, four to a rack; the GPUs of each share a domain.
    pub fn new(name: &str, count: u32, node: Resources) -> NodeClass {
        NodeClass {
            name: name.into(),
            naming: Naming::FromOne,
            names: Vec::new(),
            count,
            node,
            nodes_per_rack: 4,
            domains: Domains::Node,
            gpu_model: None,
            features: Vec::new(),
        }
    }

    /// The name of a node; `index` counts from 0.
    fn node_name(&self, index: u32) -> Arc<str> {
        match self.names.get(index as usize) {
            Some(name) => Arc::clone(name),
            None => self.naming.name(self, index),
        }
    }
}

/// How the nodes of a class are named.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Naming {
    /// The class's name and a number from 1, all of one width: `n01`, `n02` … `n32`. Sorted by name they keep their order.
    #[default]
    FromOne,
    /// The class's name, a dash and a number from 0, as pools of Kubernetes nodes are named: `dgx8-0` … `dgx8-11`. Sorted
    /// by name, `dgx8-10` comes before `dgx8-2`.
    DashFromZero,
}

impl Naming {
    /// The name of a node; `index` counts from 0.
    fn name(self, class: &NodeClass, index: u32) -> Arc<str> {
        match self {
            Naming::FromOne => {
                let width = class.count.to_string().len();
                format!("{}{:0width$}", class.name, index + 1).into()
            }
            Naming::DashFromZero => format!("{}-{index}", class.name).into(),
        }
    }
}

/// Which GPUs reach each other through NVSwitches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Domains {
    /// Those of one node.
    #[default]
    Node,
    /// None: each GPU is alone.
    None,
    /// So many neighbours of one node, as with two boards of 4.
    PerNode {
        /// GPUs of one domain.
        gpus: u32,
    },
    /// Those of so many nodes that follow each other, within a rack: 18 nodes of 4 GPUs are one NVL72.
    Nodes {
        /// Nodes of one domain.
        nodes: u32,
    },
}

/// A compute node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its place in [`Fleet::nodes`].
    pub id: NodeId,
    /// Its host name.
    pub name: Arc<str>,
    /// The rack that it stands in.
    pub rack: RackId,
    /// Its height in the rack, from 0 at the bottom.
    pub tray: u32,
    /// What it has.
    pub capacity: Resources,
    /// Its first GPU; the others follow.
    pub first_gpu: GpuId,
    /// Its class: the place in [`FleetSpec::classes`].
    pub class: u32,
    /// The model of its GPUs.
    pub gpu_model: Option<Arc<str>>,
    /// What jobs can ask for by name.
    pub features: Arc<[Arc<str>]>,
}

/// A rack and its leaf switch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rack {
    /// Its place in [`Fleet::racks`].
    pub id: RackId,
    /// Its nodes, bottom to top.
    pub nodes: Vec<NodeId>,
}

/// Why a description is no fleet.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FleetError {
    /// Nothing to run on.
    #[error("fleet \"{name}\" has no nodes; give a class with a count of at least 1")]
    Empty {
        /// The fleet's name.
        name: Arc<str>,
    },
    /// A node without processors can't run anything.
    #[error("class \"{class}\" has nodes without CPUs; a node needs at least 1")]
    NoCpus {
        /// The class's name.
        class: Arc<str>,
    },
    /// More CPUs than a node may have.
    #[error("class \"{class}\" has {cpus} CPUs per node; up to {CPUS_PER_NODE_MAX} are supported")]
    TooManyCpus {
        /// The class's name.
        class: Arc<str>,
        /// What was asked.
        cpus: u32,
    },
    /// More CPUs than a fleet may have.
    #[error("fleet \"{name}\" has {cpus} CPUs; up to {} are supported", u32::MAX)]
    TooManyCpusInAll {
        /// The fleet's name.
        name: Arc<str>,
        /// What was asked.
        cpus: u64,
    },
    /// Racks of no nodes never hold all nodes.
    #[error("class \"{class}\" has 0 nodes per rack; at least 1 is needed")]
    NoNodesPerRack {
        /// The class's name.
        class: Arc<str>,
    },
    /// More GPUs than a node may have.
    #[error("class \"{class}\" has {gpus} GPUs per node; up to {GPUS_PER_NODE_MAX} are supported")]
    TooManyGpus {
        /// The class's name.
        class: Arc<str>,
        /// What was asked.
        gpus: u32,
    },
    /// More nodes than a fleet may have.
    #[error("fleet \"{name}\" has {nodes} nodes; up to {NODES_MAX} are supported")]
    TooManyNodes {
        /// The fleet's name.
        name: Arc<str>,
        /// What was asked.
        nodes: u64,
    },
}

/// All machines of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fleet {
    name: Arc<str>,
    nodes: Vec<Node>,
    racks: Vec<Rack>,
    capacity: Resources,
    pub(crate) racks_per_switch: u32,
    /// By class.
    pub(crate) domains: Vec<Domains>,
}

impl FleetSpec {
    /// One class of `count` equal nodes named `n…`, four to a rack.
    pub fn uniform(name: &str, count: u32, node: Resources) -> FleetSpec {
        FleetSpec::of(name, vec![NodeClass::new("n", count, node)])
    }

    /// Nodes of these classes; all racks under one switch.
    pub fn of(name: &str, classes: Vec<NodeClass>) -> FleetSpec {
        FleetSpec { name: name.into(), classes, racks_per_switch: 0 }
    }

    /// Numbers nodes, racks and GPUs.
    ///
    /// # Errors
    /// When the description has no nodes, nodes that can't run anything, or more than is supported.
    pub fn build(&self) -> Result<Fleet, FleetError> {
        self.validate()?;
        let mut fleet = Fleet {
            name: Arc::clone(&self.name),
            nodes: Vec::new(),
            racks: Vec::new(),
            capacity: Resources::default(),
            racks_per_switch: self.racks_per_switch,
            domains: self.classes.iter().map(|class| class.domains).collect(),
        };
        let mut next_gpu = 0;
        for (place, class) in (0..).zip(&self.classes) {
            let features: Arc<[Arc<str>]> = class.features.clone().into();
            for index in 0..class.count {
                let tray = index % class.nodes_per_rack;
                if tray == 0 {
                    let id = RackId(fleet.racks.len() as u32);
                    fleet.racks.push(Rack { id, nodes: Vec::new() });
                }
                let id = NodeId(fleet.nodes.len() as u32);
                let Some(rack) = fleet.racks.last_mut() else { continue };
                rack.nodes.push(id);
                fleet.nodes.push(Node {
                    id,
                    name: class.node_name(index),
                    rack: rack.id,
                    tray,
                    capacity: class.node,
                    first_gpu: GpuId(next_gpu),
                    class: place,
                    gpu_model: class.gpu_model.clone(),
                    features: Arc::clone(&features),
                });
                next_gpu += class.node.gpus;
            }
            let all = class.node.scaled(class.count);
            fleet.capacity.cpus = fleet.capacity.cpus.saturating_add(all.cpus);
            fleet.capacity.gpus = fleet.capacity.gpus.saturating_add(all.gpus);
            fleet.capacity.memory_mib = fleet.capacity.memory_mib.saturating_add(all.memory_mib);
        }
        Ok(fleet)
    }

    fn validate(&self) -> Result<(), FleetError> {
        for class in &self.classes {
            let name = || Arc::clone(&class.name);
            if class.node.cpus == 0 {
                return Err(FleetError::NoCpus { class: name() });
            }
            if class.node.cpus > CPUS_PER_NODE_MAX {
                return Err(FleetError::TooManyCpus { class: name(), cpus: class.node.cpus });
            }
            if class.nodes_per_rack == 0 {
                return Err(FleetError::NoNodesPerRack { class: name() });
            }
            if class.node.gpus > GPUS_PER_NODE_MAX {
                return Err(FleetError::TooManyGpus { class: name(), gpus: class.node.gpus });
            }
        }
        let nodes: u64 = self.classes.iter().map(|class| u64::from(class.count)).sum();
        let cpus = self.classes.iter().map(|class| u64::from(class.count) * u64::from(class.node.cpus)).sum();
        let name = Arc::clone(&self.name);
        match nodes {
            0 => Err(FleetError::Empty { name }),
            _ if nodes > NODES_MAX => Err(FleetError::TooManyNodes { name, nodes }),
            _ if cpus > u64::from(u32::MAX) => Err(FleetError::TooManyCpusInAll { name, cpus }),
            _ => Ok(()),
        }
    }
}

impl Fleet {
    /// What people call it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// All nodes; a [`NodeId`] is an index.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// All racks; a [`RackId`] is an index.
    pub fn racks(&self) -> &[Rack] {
        &self.racks
    }

    /// All nodes sorted by name, letter by letter: the order in which the published Kubernetes model tries them.
    pub fn by_name(&self) -> Vec<NodeId> {
        let mut nodes: Vec<&Node> = self.nodes.iter().collect();
        nodes.sort_by(|a, b| a.name.cmp(&b.name).then(a.id.cmp(&b.id)));
        nodes.into_iter().map(|node| node.id).collect()
    }

    /// The node with this id, if there is one.
    pub fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id.index())
    }

    /// The sum over all nodes.
    pub const fn capacity(&self) -> Resources {
        self.capacity
    }

    /// Whether jobs are counted in GPUs here; without GPUs, processors are what is scarce.
    pub const fn has_gpus(&self) -> bool {
        self.capacity.gpus > 0
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_yard_has_eight_racks_of_four_nodes_with_eight_gpus() {
        let fleet = FleetSpec::yard().build().unwrap();
        assert_eq!((fleet.racks().len(), fleet.nodes().len(), fleet.capacity().gpus), (8, 32, 256));
        let n06 = &fleet.nodes()[5];
        assert_eq!((&*n06.name, n06.rack, n06.tray, n06.first_gpu), ("n06", RackId(1), 1, GpuId(40)));
    }

    #[test]
    fn nonsense_is_refused_with_a_sentence() {
        let mut spec = FleetSpec::yard();
        spec.classes[0].count = 0;
        assert_eq!(spec.build().unwrap_err(), FleetError::Empty { name: "yard".into() });
        spec.classes[0].count = u32::MAX;
        assert!(matches!(spec.build(), Err(FleetError::TooManyNodes { .. })));
        spec.classes[0].node.cpus = u32::MAX;
        assert!(matches!(spec.build(), Err(FleetError::TooManyCpus { .. })));
        spec.classes[0].node.cpus = 1 << 16;
        spec.classes[0].count = 1 << 17;
        assert!(matches!(spec.build(), Err(FleetError::TooManyCpusInAll { .. })));
        spec.classes[0].nodes_per_rack = 0;
        let said = spec.build().unwrap_err().to_string();
        assert_eq!(said, "class \"n\" has 0 nodes per rack; at least 1 is needed");
    }
}
