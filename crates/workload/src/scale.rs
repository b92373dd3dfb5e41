//! Fits a workload to a fleet of another size, so that a trace of a large machine can be watched on a small one.

use std::sync::Arc;

use switchyard_model::{Fleet, FleetSpec, Job, JobSpec, Resources, Shape};

use crate::fleet::fleet_for;
use crate::report::{ChangeKind, Place, Report};
use crate::workload::Workload;

/// The workload with its requests fitted to `fleet`; times stay as they are.
///
/// The machine of the trace is the one that [`fleet_for`] derives. With `node` the kind of node of which a fleet has most
/// (the first among equals):
///
/// - Processors wherever they are (`Shape::Tasks`) are multiplied by the ratio of the two fleets' processors, or of the
///   fleet's GPUs to the trace's processors if the fleet has GPUs and no job of the trace asks for one.
/// - Nodes (`Shape::Nodes`) are multiplied by the ratio of the node counts, and what each gives by the ratio of
///   the nodes: CPUs by CPUs, GPUs by GPUs, memory by memory; without GPU jobs, CPUs become GPUs here too.
/// - A processor that becomes a GPU brings its share of the node's CPUs: CPUs per node / GPUs per node, rounded down.
/// - Results are rounded to the nearest whole number, at least 1; what is larger than the fleet is cut to it.
///
/// The report counts each kind of change.
pub fn scale_to(workload: &Workload, fleet: &Fleet) -> (Workload, Report) {
    let mut report = Report { jobs: workload.jobs.len() as u64, ..Report::default() };
    let rule = Rule::between(workload, fleet);
    let mut scaled = workload.clone();
    for job in &mut scaled.jobs {
        let shape = rule.apply(job, &mut report);
        if shape != job.spec.shape {
            job.spec = Arc::new(JobSpec { shape, ..(*job.spec).clone() });
        }
    }
    scaled.declared_procs = None;
    scaled.recorded = None;
    scaled.made_for = None;
    (scaled, report)
}

/// How requests change.
struct Rule<'a> {
    fleet: &'a Fleet,
    /// The fleet's and the trace's usual node.
    node: Resources,
    old_node: Resources,
    old_nodes: u64,
    old_cpus: u64,
    to_gpus: bool,
    cpus_per_gpu: u32,
}

impl<'a> Rule<'a> {
    fn between(workload: &Workload, fleet: &'a Fleet) -> Rule<'a> {
        let old = fleet_for(workload);
        let asks_gpus = workload.jobs.iter().any(|job| job.spec.shape.total().gpus > 0);
        let node = usual_node(fleet);
        Rule {
            fleet,
            node,
            old_node: old.classes.first().map_or(Resources::cpus(1), |class| class.node),
            old_nodes: old.classes.iter().map(|class| u64::from(class.count)).sum(),
            old_cpus: total_cpus(&old),
            to_gpus: fleet.has_gpus() && !asks_gpus,
            cpus_per_gpu: node.cpus.checked_div(node.gpus).unwrap_or(1).max(1),
        }
    }

    fn apply(&self, job: &Job, report: &mut Report) -> Shape {
        let mut count = |kind| report.changed.add(kind, Place::Job(job.spec.id));
        let (shape, raised) = match job.spec.shape {
            Shape::Tasks { tasks, per_task } => self.tasks(tasks, per_task),
            Shape::Nodes { nodes, per_node } => self.nodes(nodes, per_node),
        };
        let cut = self.cut(shape);
        if self.to_gpus {
            count(ChangeKind::CpusToGpus);
        }
        if raised {
            count(ChangeKind::RaisedToOne);
        }
        if cut != shape {
            count(ChangeKind::CutToFleet);
        }
        if !self.to_gpus && cut != job.spec.shape {
            count(ChangeKind::Resized);
        }
        cut
    }

    fn tasks(&self, tasks: u32, per_task: Resources) -> (Shape, bool) {
        let all = self.fleet.capacity();
        let (capacity, per_task) = if self.to_gpus {
            (all.gpus, Resources { cpus: self.cpus_per_gpu, gpus: 1, memory_mib: 0 })
        } else {
            (all.cpus, per_task)
        };
        let (tasks, raised) = ratio(tasks, capacity.into(), self.old_cpus);
        (Shape::Tasks { tasks, per_task }, raised)
    }

    fn nodes(&self, nodes: u32, per_node: Resources) -> (Shape, bool) {
        let (nodes, few) = ratio(nodes, self.fleet.nodes().len() as u64, self.old_nodes);
        let (old, new) = (self.old_node, self.node);
        let mut raised = few;
        let mut part = |amount: u32, new: u32, old: u32| {
            let (amount, less_than_one) = ratio(amount, new.into(), old.into());
            raised |= less_than_one;
            amount
        };
        let gpus = if self.to_gpus {
            part(per_node.cpus, new.gpus, old.cpus)
        } else if per_node.gpus > 0 {
            part(per_node.gpus, new.gpus, old.gpus)
        } else {
            0
        };
        let cpus = if self.to_gpus {
            gpus.saturating_mul(self.cpus_per_gpu)
        } else {
            part(per_node.cpus, new.cpus, old.cpus)
        };
        let memory = u128::from(per_node.memory_mib) * u128::from(new.memory_mib);
        let memory_mib = memory.checked_div(old.memory_mib.into()).unwrap_or(0);
        let memory_mib = u64::try_from(memory_mib).unwrap_or(u64::MAX);
        (Shape::Nodes { nodes, per_node: Resources { cpus, gpus, memory_mib } }, raised)
    }

    /// `shape`, or the largest of its kind that the empty fleet holds.
    fn cut(&self, shape: Shape) -> Shape {
        let (parts, each) = shape.parts();
        let each = Resources {
            cpus: each.cpus.min(self.node.cpus),
            gpus: each.gpus.min(self.node.gpus),
            memory_mib: each.memory_mib.min(self.node.memory_mib),
        };
        let nodes = self.fleet.nodes().iter().map(|node| node.capacity.times(&each));
        match shape {
            Shape::Nodes { .. } => {
                let room = nodes.filter(|&times| times > 0).count();
                let room = u32::try_from(room).unwrap_or(u32::MAX);
                Shape::Nodes { nodes: parts.min(room), per_node: each }
            }
            Shape::Tasks { .. } => {
                let room = nodes.fold(0, u32::saturating_add);
                Shape::Tasks { tasks: parts.min(room), per_task: each }
            }
        }
    }
}

/// `amount * new / old` to the nearest whole number and at least 1, and whether it would have been 0.
fn ratio(amount: u32, new: u64, old: u64) -> (u32, bool) {
    let (doubled, old) = (2 * u128::from(amount) * u128::from(new), u128::from(old.max(1)));
    let nearest = u32::try_from((doubled + old) / (2 * old)).unwrap_or(u32::MAX);
    (nearest.max(1), nearest == 0)
}

/// The kind of node of which there are most; the first among equals.
fn usual_node(fleet: &Fleet) -> Resources {
    let mut kinds: Vec<(Resources, u64)> = Vec::new();
    for node in fleet.nodes() {
        match kinds.iter_mut().find(|(capacity, _)| *capacity == node.capacity) {
            Some((_, count)) => *count += 1,
            None => kinds.push((node.capacity, 1)),
        }
    }
    let most = kinds.iter().rev().max_by_key(|(_, count)| *count);
    most.map_or(Resources::cpus(1), |(capacity, _)| *capacity)
}

fn total_cpus(fleet: &FleetSpec) -> u64 {
    fleet.classes.iter().map(|class| u64::from(class.count) * u64::from(class.node.cpus)).sum()
}
