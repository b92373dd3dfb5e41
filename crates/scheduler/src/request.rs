//! What a job asks for, measured once against the fleet when it arrives.

use switchyard_model::{Resources, Shape};

use crate::cluster::{Machines, Pending};

/// A job's shape and what follows from it on this fleet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Nodes or tasks, and what each needs.
    pub shape: Shape,
    /// The sum over the job.
    pub total: Resources,
    /// How many of its parts (nodes or tasks) the empty fleet could hold, capped at the number asked for.
    pub possible: u32,
    /// Whether each part takes all CPUs or all GPUs of any node that can hold it.
    pub whole_nodes: bool,
}

impl Request {
    /// Measures `shape` against the machines that the job may use.
    pub(crate) fn new(shape: Shape, machines: &Machines) -> Self {
        let (parts, each) = shape.parts();
        let mut possible: u64 = 0;
        let mut whole_nodes = matches!(shape, Shape::Nodes { .. });
        for (capacity, count) in &machines.kinds {
            let here = parts_on(&shape, capacity);
            possible += u64::from(here) * u64::from(*count);
            let all_gpus = capacity.gpus > 0 && each.gpus == capacity.gpus;
            whole_nodes &= here == 0 || all_gpus || each.cpus == capacity.cpus;
        }
        let possible = u32::try_from(possible).unwrap_or(u32::MAX).min(parts);
        Request { shape, total: shape.total(), possible, whole_nodes: whole_nodes && possible > 0 }
    }

    /// How many nodes or tasks it asks for.
    pub const fn parts(&self) -> u32 {
        self.shape.parts().0
    }

    /// Whether the empty fleet could run it at all.
    pub const fn fits_fleet(&self) -> bool {
        self.possible >= self.parts()
    }
}

/// How many parts of a job a node with `free` can take: at most one of [`Shape::Nodes`], any number of
/// [`Shape::Tasks`] up to all.
pub(crate) fn parts_on(shape: &Shape, free: &Resources) -> u32 {
    match shape {
        Shape::Nodes { per_node, .. } => u32::from(free.covers(per_node)),
        Shape::Tasks { tasks, per_task } => free.times(per_task).min(*tasks),
    }
}

/// The same for this job: if it shares with nobody, only a node with all its `capacity` free takes anything.
pub(crate) fn parts_for(job: &Pending, free: &Resources, capacity: &Resources) -> u32 {
    if job.is_exclusive() && free != capacity { 0 } else { parts_on(&job.request.shape, free) }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use switchyard_model::FleetSpec;

    const fn gpus(gpus: u32) -> Resources {
        Resources { cpus: 8, gpus, memory_mib: 0 }
    }

    #[test]
    fn a_request_is_measured_against_the_empty_fleet() {
        let fleet = FleetSpec::yard().build().unwrap();
        let machines = Machines::new(&fleet, None);
        let of = |shape| Request::new(shape, &machines);
        let whole = of(Shape::Nodes { nodes: 32, per_node: gpus(8) });
        assert!(whole.fits_fleet() && whole.whole_nodes);
        let too_many = of(Shape::Nodes { nodes: 33, per_node: gpus(4) });
        assert!(!too_many.fits_fleet() && !too_many.whole_nodes);
        assert_eq!(too_many.possible, 32);
        assert_eq!(of(Shape::Nodes { nodes: 1, per_node: gpus(9) }).possible, 0);
        assert_eq!(of(Shape::Tasks { tasks: 1000, per_task: gpus(3) }).possible, 64);
    }
}
