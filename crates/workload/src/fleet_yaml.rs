//! Fleets as k8s-gpu-scheduler-lab describes them, in YAML.
//!
//! ```yaml
//! name: lab
//! topology:
//!   racksPerSwitch: 2
//! nodeClasses:
//!   - { name: dgx8, count: 12, gpus: 8, cpus: 96, memoryGi: 1024, nvlink: true, nodesPerRack: 4 }
//! ```
//!
//! Classes stand in their order, each begins a new rack, and racks are numbered through; `cpus` is 32, `memoryGi` 256 and
//! `nvlink` false unless said otherwise. A key that isn't known is an error.

use serde::Deserialize;
use switchyard_model::{Domains, FleetSpec, Naming, NodeClass, Resources};
use thiserror::Error;

use crate::error::shown;

/// Why a text is no fleet.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "{file}, line {line}, column {column}: {problem}; expected a fleet with name, topology and nodeClasses (name, count, gpus, cpus, memoryGi, nvlink, nodesPerRack)"
)]
pub struct FleetYamlError {
    /// The file's name.
    pub file: String,
    /// The line, from 1; 0 when it isn't known.
    pub line: u64,
    /// The column, from 1; 0 when it isn't known.
    pub column: u64,
    /// What is wrong there.
    pub problem: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Fleet {
    name: String,
    #[serde(default)]
    topology: Topology,
    node_classes: Vec<Class>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Topology {
    /// 0 is all of them.
    #[serde(default)]
    racks_per_switch: u32,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Class {
    name: String,
    count: u32,
    gpus: u32,
    #[serde(default = "cpus")]
    cpus: u32,
    #[serde(default = "memory_gib", rename = "memoryGi")]
    memory_gib: u32,
    #[serde(default)]
    nvlink: bool,
    #[serde(default = "nodes_per_rack")]
    nodes_per_rack: u32,
}

const fn cpus() -> u32 {
    32
}

const fn memory_gib() -> u32 {
    256
}

const fn nodes_per_rack() -> u32 {
    4
}

/// Reads a fleet. `file` is what messages call the text.
///
/// # Errors
/// When the text is no YAML or describes something else.
pub fn read_fleet_yaml(file: &str, text: &str) -> Result<FleetSpec, FleetYamlError> {
    let fleet: Fleet = serde_saphyr::from_str(text).map_err(|error| {
        let (line, column) = error.location().map_or((0, 0), |at| (at.line(), at.column()));
        let said = error.to_string();
        let problem = said.lines().next().unwrap_or_default();
        let problem = shown(problem.strip_prefix("error: ").unwrap_or(problem));
        FleetYamlError { file: file.to_owned(), line, column, problem }
    })?;
    let classes = fleet.node_classes.iter().map(Class::nodes).collect();
    Ok(FleetSpec { racks_per_switch: fleet.topology.racks_per_switch, ..FleetSpec::of(&fleet.name, classes) })
}

impl Class {
    fn nodes(&self) -> NodeClass {
        let memory_mib = u64::from(self.memory_gib) << 10;
        let node = Resources { cpus: self.cpus, gpus: self.gpus, memory_mib };
        NodeClass {
            naming: Naming::DashFromZero,
            domains: if self.nvlink { Domains::Node } else { Domains::None },
            nodes_per_rack: self.nodes_per_rack,
            ..NodeClass::new(&self.name, self.count, node)
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const LAB: &str = "name: k8s-lab\ntopology:\n  racksPerSwitch: 2\nnodeClasses:\n\
        \x20 - {name: dgx8, count: 12, gpus: 8, cpus: 96, memoryGi: 1024, nvlink: true, nodesPerRack: 4}\n\
        \x20 - name: mid4\n    count: 8 # no NVLink\n    gpus: 4\n    cpus: 48\n    memoryGi: 512\n    nodesPerRack: 4\n\
        \x20 - name: edge2\n    count: 6\n    gpus: 2\n    cpus: 24\n    memoryGi: 128\n    nodesPerRack: 6\n";

    #[test]
    fn the_labs_default_fleet() {
        assert_eq!(read_fleet_yaml("f", LAB).unwrap(), FleetSpec::k8s_lab());
        let short = "name: x\nnodeClasses: [{name: a, count: 1, gpus: 0}]\n";
        let class = &read_fleet_yaml("f", short).unwrap().classes[0];
        assert_eq!(class.node, Resources { cpus: 32, gpus: 0, memory_mib: 256 << 10 });
    }

    #[test]
    fn mistakes_are_told_with_their_place() {
        let said = |text: &str| read_fleet_yaml("f.yaml", text).unwrap_err().to_string();
        let unknown = said(&LAB.replace("nvlink", "nvLink"));
        assert!(unknown.starts_with("f.yaml, line 5, column ") && unknown.contains("nvLink"), "{unknown}");
        let number = said(&LAB.replace("count: 8", "count: many"));
        assert!(number.starts_with("f.yaml, line 7, column "), "{number}");
        for text in ["", "name: x", "[", "name: x\nnodeClasses: 3", "a: &a [*a]", "\u{0}"] {
            assert!(said(text).contains("expected a fleet with name"), "{text}");
        }
    }
}
