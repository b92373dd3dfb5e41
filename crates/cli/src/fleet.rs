//! The fleet that the command line describes.

use std::path::Path;

use switchyard_model::{Fleet, FleetSpec, Resources};
use switchyard_workload::{Workload, fleet_for, read_fleet_yaml};

use crate::args_input::MachineArgs;
use crate::failure::Failure;
use crate::open;

/// No option limits memory, so that it is more than any job asks for; a fleet's sum still fits in 64 bits.
pub(crate) const AMPLE_MEMORY_MIB: u64 = 1 << 40;

/// The fleet of the options; `None` where they don't describe one.
pub(crate) fn described_by(args: &MachineArgs) -> Result<Option<FleetSpec>, Failure> {
    let uniform = |name: String, count, cpus, gpus| {
        Some(FleetSpec::uniform(&name, count, Resources { cpus, gpus, memory_mib: AMPLE_MEMORY_MIB }))
    };
    Ok(match (&args.fleet, args.procs, args.nodes, args.cpus) {
        (Some(name), ..) => Some(named(name)?),
        (None, Some(procs), _, _) => uniform(format!("{procs} processors"), procs, 1, 0),
        (None, None, Some(nodes), Some(cpus)) => {
            uniform(format!("{nodes} nodes"), nodes, cpus, args.gpus.unwrap_or(0))
        }
        _ => None,
    })
}

/// A fleet that has a name, or one from a file.
fn named(name: &Path) -> Result<FleetSpec, Failure> {
    if let Some(spec) = name.to_str().and_then(FleetSpec::named) {
        return Ok(spec);
    }
    if name.as_os_str() != "-" && !name.exists() {
        return Err(Failure::NoFleet { name: name.to_owned() });
    }
    let yaml = name.extension().is_some_and(|ending| ending == "yaml" || ending == "yml");
    if yaml {
        return Ok(read_fleet_yaml(&open::name_of(name), &open::text_of(name)?)?);
    }
    open::json_of(name)
}

/// How many processors the workload's machine has: those that it declares, else those that are derived from its jobs.
pub(crate) fn procs_of(workload: &Workload) -> u32 {
    workload.declared_procs.unwrap_or_else(|| processors(&fleet_for(workload)))
}

/// How many processors it has.
pub(crate) fn processors(spec: &FleetSpec) -> u32 {
    spec.classes.iter().fold(0, |all: u32, class| all.saturating_add(class.node.scaled(class.count).cpus))
}

/// `16 nodes, 128 CPUs, 32 GPUs`.
pub(crate) fn described(fleet: &Fleet) -> String {
    let all = fleet.capacity();
    let nodes = match fleet.nodes().len() {
        1 => "1 node".to_owned(),
        nodes => format!("{nodes} nodes"),
    };
    format!("{nodes}, {} CPUs, {} GPUs", all.cpus, all.gpus)
}
