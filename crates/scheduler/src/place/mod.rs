//! Where a job goes.

mod first_fit;

use serde::{Deserialize, Serialize};
use switchyard_model::{NodeShare, Placement, Resources};

use crate::Request;
use crate::capacity::Room;

pub(crate) use first_fit::first_fit;

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
    pub(crate) fn place(
        self,
        request: &Request,
        room: &Room,
        cap: Option<&[Resources]>,
    ) -> Option<Placement> {
        if !room.free().covers(&request.total) {
            return None;
        }
        let nodes = room.nodes();
        let free = |index: usize| match (nodes.get(index), cap) {
            (Some(node), _) if !node.available => Resources::default(),
            (Some(node), Some(cap)) => node.free.min(&cap.get(index).copied().unwrap_or_default()),
            (Some(node), None) => node.free,
            (None, _) => Resources::default(),
        };
        let chosen = match self {
            PlacementRule::FirstFit => first_fit(&request.shape, (0..nodes.len()).map(free))?,
        };
        let share = |(node, give): (switchyard_model::NodeId, Resources)| {
            let gpus = nodes.get(node.index())?.free_gpus.lowest(give.gpus)?;
            Some(NodeShare { node, cpus: give.cpus, memory_mib: give.memory_mib, gpus })
        };
        chosen.into_iter().map(share).collect::<Option<_>>().map(Placement)
    }
}
