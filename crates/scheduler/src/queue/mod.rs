//! Who may pass whom.
//!
//! The first job in the queue that doesn't fit is the *head*. Strictly, nobody passes it. Under EASY (Lifka 1995) others
//! may, as long as the head still starts by its *shadow time*: when there is room for it if all jobs before it run to their
//! time limits. The variants differ in what must still be left for the head then.
//!
//! Where jobs may use different nodes, a job that no head so far can be in the way of becomes a further head.

mod easy_aggregate;
mod easy_count;
mod easy_machine;
mod gate;
mod outlook;
mod reserve;
mod standing;

use serde::{Deserialize, Serialize};
use switchyard_model::{JobId, SimTime};

use crate::Cluster;
use crate::pass::Pass;

use standing::Standing;

pub(crate) use reserve::reservation;

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
    /// lowest-numbered nodes on which it fits at the shadow time.
    EasyMachine,
    /// As [`Discipline::EasyCount`], but what a longer job may use is what is free *now* beyond the head's need: the seed
    /// lab's first version. Memory is not looked at.
    EasyAggregate,
}

/// A discipline at work, with what it keeps from pass to pass.
#[derive(Clone, Debug)]
pub(crate) enum Desk {
    Gate(Standing),
}

impl Desk {
    pub(crate) fn new(discipline: &Discipline) -> Desk {
        match discipline {
            Discipline::Strict
            | Discipline::EasyCount
            | Discipline::EasyMachine
            | Discipline::EasyAggregate => Desk::Gate(Standing::default()),
        }
    }

    /// Makes a pass. `planned` is what the last pass wanted to start.
    pub(crate) fn run(&mut self, pass: &mut Pass<'_>, planned: &[JobId]) {
        match self {
            Desk::Gate(standing) => standing.run(pass, planned),
        }
    }

    /// When it wants to make a pass even if nothing happens.
    pub(crate) fn wake_at(&self, _cluster: &Cluster, _now: SimTime) -> Option<SimTime> {
        match self {
            Desk::Gate(_) => None,
        }
    }
}
