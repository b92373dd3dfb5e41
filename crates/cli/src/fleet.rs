//! The fleet that the command line describes, or the one that the workload is derived to have run on.

use switchyard_model::{Fleet, FleetSpec, Resources};
use switchyard_workload::{Workload, fleet_for};

use crate::args::MachineArgs;
use crate::failure::Failure;

/// No option limits memory, so that it is more than any job asks for; a fleet's sum still fits in 64 bits.
const AMPLE_MEMORY_MIB: u64 = 1 << 40;

pub(crate) struct Chosen {
    pub(crate) fleet: Fleet,
    /// Whether nobody asked for it.
    pub(crate) derived: bool,
}

pub(crate) fn choose(args: &MachineArgs, workload: &Workload) -> Result<Chosen, Failure> {
    let uniform = |name: String, count, cpus, gpus| {
        FleetSpec::uniform(&name, count, Resources { cpus, gpus, memory_mib: AMPLE_MEMORY_MIB })
    };
    let spec = match (args.procs, args.nodes, args.cpus) {
        (Some(procs), _, _) => uniform(format!("{procs} processors"), procs, 1, 0),
        (None, Some(nodes), Some(cpus)) => {
            uniform(format!("{nodes} nodes"), nodes, cpus, args.gpus.unwrap_or(0))
        }
        _ => return Ok(Chosen { fleet: fleet_for(workload).build()?, derived: true }),
    };
    Ok(Chosen { fleet: spec.build()?, derived: false })
}

/// How many processors the options give, if they do.
pub(crate) fn processors(args: &MachineArgs) -> Option<u32> {
    args.procs.or_else(|| Some(args.nodes?.saturating_mul(args.cpus?)))
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
