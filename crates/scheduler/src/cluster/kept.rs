//! Nodes that advance reservations keep, and when.

use std::sync::Arc;

use switchyard_model::{Fleet, SimTime, Site};

use super::NodeSet;

/// The nodes of an advance reservation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Kept {
    pub(crate) nodes: NodeSet,
    pub(crate) start: SimTime,
    pub(crate) end: SimTime,
}

impl Kept {
    /// Those of all reservations of a site, in its order.
    pub(super) fn all(fleet: &Fleet, site: &Site) -> Arc<[Kept]> {
        let kept = site.reservations.iter().map(|reservation| Kept {
            nodes: NodeSet::of(fleet, |node| reservation.nodes.contains(&node)),
            start: reservation.start,
            end: reservation.end,
        });
        kept.collect()
    }

    /// Whether someone without a right to them can't use them from one moment to another.
    pub(crate) fn shuts(&self, from: SimTime, to: SimTime) -> bool {
        from < self.end && to > self.start
    }
}

/// The first moment after `now` at which one of them begins or ends.
pub(super) fn next_turn(kept: &[Kept], now: SimTime) -> Option<SimTime> {
    kept.iter().flat_map(|kept| [kept.start, kept.end]).filter(|&turn| turn > now).min()
}
