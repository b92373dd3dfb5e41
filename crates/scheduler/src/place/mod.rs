//! Where a job goes.

mod first_fit;

use serde::{Deserialize, Serialize};
use switchyard_model::{NodeId, NodeShare, Placement, Resources};

use crate::Pending;
use crate::room::Room;

use first_fit::first_fit_in;
pub(crate) use first_fit::{densest, first_fit};

/// How nodes are chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlacementRule {
    /// The lowest node numbers with room; on each node the lowest GPUs.
    #[default]
    FirstFit,
}

impl PlacementRule {
    /// Chooses from what is free; from no more than `cap` on each node, if that is given.
    pub(crate) fn place(self, job: &Pending, room: &Room, cap: Option<&[Resources]>) -> Option<Placement> {
        if !room.free().covers(&job.request.total) {
            return None;
        }
        let chosen = match self {
            PlacementRule::FirstFit => first_fit_in(job, room, cap)?,
        };
        let share = |(node, give): (NodeId, Resources)| {
            let gpus = room.nodes().get(node.index())?.free_gpus.lowest(give.gpus)?;
            Some(NodeShare { node, cpus: give.cpus, memory_mib: give.memory_mib, gpus })
        };
        let shares = chosen.into_iter().map(share).collect::<Option<_>>()?;
        Some(room.whole(job, Placement(shares)))
    }
}
