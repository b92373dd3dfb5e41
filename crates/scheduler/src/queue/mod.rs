//! Who may pass whom.
//!
//! The first job in the queue that doesn't fit is the *head*. Strictly, nobody passes it. Under EASY (Lifka 1995) others
//! may, as long as the head still starts by its *shadow time*: when there is room for it if all jobs before it run to their
//! time limits. The variants differ in what must still be left for the head then.
//!
//! Where jobs may use different nodes, a job that no head so far can be in the way of becomes a further head.

mod conservative;
mod easy_aggregate;
mod easy_count;
mod easy_machine;
mod gate;
mod names;
mod outlook;
mod reserve;
mod slurm;
mod standing;

use serde::{Deserialize, Serialize};
use switchyard_model::{JobId, SimTime};

use crate::Cluster;
use crate::pass::Pass;

use conservative::Conservative;
use slurm::Slurm;
use standing::Standing;

pub(crate) use reserve::reservation;
pub use slurm::{ParamProblem, PlanOn, SlurmParams};
pub(crate) use slurm::{Partitions, lenient};

/// Who may pass the first job in the queue that doesn't fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Discipline {
    /// Nobody.
    #[default]
    Strict,
    /// A job that ends by the shadow time, or needs no more than is then free beyond the head's need; both in sums
    /// over all nodes in service. Exact where any free piece will do, optimistic where jobs need whole nodes. A head that shares
    /// with nobody, wants a single NVSwitch domain or may not have many nodes is treated as by [`Discipline::EasyMachine`].
    EasyCount,
    /// A job that ends by the shadow time, or leaves the head's reserved nodes enough for it then. The head reserves the
    /// nodes that the placement rule chooses at the shadow time.
    EasyMachine,
    /// As [`Discipline::EasyCount`], but what a longer job may use is what is free *now* beyond the head's need: the seed
    /// lab's first version. Memory is not looked at.
    EasyAggregate,
    /// Every job has a reservation, and a job may pass others if it delays none of them. When something becomes free, each
    /// job in queue order moves up to its earliest slot. In sums where any free piece will do for everyone in the queue;
    /// else on certain nodes.
    Conservative,
    /// As [`Discipline::Conservative`], but all reservations are made anew in queue order at every event. A job may lose an
    /// early slot to one ahead of it.
    ConservativeReplan,
    /// As [`Discipline::Conservative`], but on certain nodes always: the lowest-numbered that are free over the whole slot.
    ConservativeMachine,
    /// Slurm's two schedulers: a strict main pass on each event, backfill cycles on a timer that plan everyone.
    Slurm(SlurmParams),
}

/// A discipline at work, with what it keeps from pass to pass.
#[derive(Clone, Debug)]
pub(crate) enum Desk {
    Gate(Standing),
    Conservative(Box<Conservative>),
    Slurm(Box<Slurm>),
}

impl Desk {
    pub(crate) fn new(discipline: &Discipline) -> Desk {
        match discipline {
            Discipline::Strict
            | Discipline::EasyCount
            | Discipline::EasyMachine
            | Discipline::EasyAggregate => Desk::Gate(Standing::default()),
            Discipline::Conservative => Desk::conservative(false, false),
            Discipline::ConservativeReplan => Desk::conservative(true, false),
            Discipline::ConservativeMachine => Desk::conservative(false, true),
            Discipline::Slurm(params) => Desk::Slurm(Box::new(Slurm::new(*params))),
        }
    }

    /// The yardstick of a discipline that has one.
    #[cfg(test)]
    pub(crate) fn plain(discipline: &Discipline) -> Desk {
        match discipline {
            Discipline::Slurm(params) => Desk::Slurm(Box::new(Slurm::plain(*params))),
            _ => Desk::new(discipline),
        }
    }

    fn conservative(replans: bool, by_node: bool) -> Desk {
        Desk::Conservative(Box::new(Conservative::new(replans, by_node)))
    }

    /// Makes a pass. `planned` is what the last pass wanted to start.
    pub(crate) fn run(&mut self, pass: &mut Pass<'_>, planned: &[JobId]) {
        match self {
            Desk::Gate(standing) => standing.run(pass, planned),
            Desk::Conservative(conservative) => conservative.run(pass, planned),
            Desk::Slurm(slurm) => slurm.run(pass, planned),
        }
    }

    /// When it wants to make a pass even if nothing happens.
    pub(crate) fn wake_at(&self, cluster: &Cluster, now: SimTime) -> Option<SimTime> {
        match self {
            Desk::Gate(_) => None,
            Desk::Conservative(conservative) => conservative.wake_at(cluster, now),
            Desk::Slurm(slurm) => slurm.wake_at(cluster, now),
        }
    }
}
