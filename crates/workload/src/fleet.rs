//! The fleet that a trace was recorded on, as far as the trace tells.

use switchyard_model::{FleetSpec, Job, NodeClass, Resources, Shape, SimTime};

use crate::workload::{Row, Workload};

/// A node in the arithmetic of shares: a job that needs a k-th of a node counts 1/k of it.
const WHOLE_NODE: u64 = 1_000_000;
const NODES_PER_RACK: u32 = 4;

/// What the jobs of a trace used when they were recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedUse {
    /// The most nodes that were in use at the same time. A job that fits k times into a node counts for 1/k of each of
    /// its nodes, so that jobs which shared nodes aren't counted twice.
    pub peak_nodes: u32,
}

/// The fleet that a workload is derived to have run on.
///
/// - Jobs of a generator: the machines that it makes jobs for ([`Workload::made_for`]), if it names any.
/// - Jobs that ask for processors wherever they are (the Standard Workload Format): as many processors as the header
///   declares (`MaxProcs`, else `MaxNodes`), else as the largest job asks for; as [`FleetSpec::processors`] cuts them.
/// - Jobs that ask for nodes (sacct): equal nodes, each with the most CPUs, GPUs and memory that a job asks of one node. There
///   are as many as the largest job needs, and as were in use at the recorded peak ([`RecordedUse::peak_nodes`]).
pub fn fleet_for(workload: &Workload) -> FleetSpec {
    if let Some(fleet) = &workload.made_for {
        return fleet.clone();
    }
    let largest = Largest::of(workload.jobs.iter().map(|job: &Job| &job.spec.shape));
    if largest.nodes == 0 {
        return FleetSpec::processors(workload.declared_procs.unwrap_or(largest.task_cpus).max(1));
    }
    let node = Resources { cpus: largest.node.cpus.max(1), ..largest.node };
    let for_tasks = largest.task_cpus.div_ceil(node.cpus);
    let peak = workload.recorded.map_or(0, |recorded| recorded.peak_nodes);
    let class = NodeClass {
        nodes_per_rack: NODES_PER_RACK,
        ..NodeClass::new("n", largest.nodes.max(for_tasks).max(peak), node)
    };
    FleetSpec::of(&workload.name, vec![class])
}

/// The largest requests of a workload, each resource by itself.
#[derive(Debug, Default)]
struct Largest {
    nodes: u32,
    node: Resources,
    task_cpus: u32,
}

impl Largest {
    fn of<'a>(shapes: impl Iterator<Item = &'a Shape>) -> Largest {
        let mut largest = Largest::default();
        for shape in shapes {
            match shape {
                Shape::Nodes { nodes, per_node } => {
                    largest.nodes = largest.nodes.max(*nodes);
                    largest.node = most(&largest.node, per_node);
                }
                Shape::Tasks { .. } => largest.task_cpus = largest.task_cpus.max(shape.total().cpus),
            }
        }
        largest
    }
}

fn most(a: &Resources, b: &Resources) -> Resources {
    Resources {
        cpus: a.cpus.max(b.cpus),
        gpus: a.gpus.max(b.gpus),
        memory_mib: a.memory_mib.max(b.memory_mib),
    }
}

/// The peak of what `rows` used while they ran, as far as they say when they started. A job occupies [start, end).
pub(crate) fn recorded_use(rows: &[Row]) -> RecordedUse {
    let node = Largest::of(rows.iter().map(|row| &row.spec.shape)).node;
    let mut changes: Vec<(SimTime, bool, u64)> = Vec::new();
    for row in rows {
        let (Some(start), Shape::Nodes { nodes, per_node }) = (row.start, &row.spec.shape) else { continue };
        let fits = u64::from(node.times(per_node).max(1));
        let share = WHOLE_NODE.div_ceil(fits) * u64::from(*nodes);
        if !row.runtime.is_zero() {
            changes.push((start, true, share));
            changes.push((start + row.runtime, false, share));
        }
    }
    changes.sort_unstable(); // at one instant, ends (false) come before starts
    let (mut used, mut peak) = (0u64, 0u64);
    for (_, starts, share) in changes {
        used = if starts { used.saturating_add(share) } else { used.saturating_sub(share) };
        peak = peak.max(used);
    }
    // The shares are rounded up by less than a millionth each; don't add a node for that.
    let nodes = peak.saturating_sub(WHOLE_NODE / 100).div_ceil(WHOLE_NODE);
    RecordedUse { peak_nodes: u32::try_from(nodes).unwrap_or(u32::MAX) }
}
