//! EASY by counting: rule 4 of the reference rules, as in the programs that the published figures come from.

use switchyard_model::{Resources, SimTime};

use crate::Request;
use crate::releases::Releases;
use crate::room::Room;

/// What a longer job may use without delaying the head, in sums.
#[derive(Clone, Debug)]
pub(crate) struct EasyCount {
    pub(crate) shadow: SimTime,
    /// Free at the shadow time beyond the head's need.
    pub(super) extra: Resources,
}

impl EasyCount {
    pub(crate) fn open(head: &Request, room: &Room, releases: &Releases<'_>, now: SimTime) -> Option<Self> {
        let (shadow, free) = shadow(&head.total, room, releases, now)?;
        Some(EasyCount { shadow, extra: free.minus(&head.total) })
    }

    pub(crate) fn pass(&mut self, job: &Request) -> bool {
        let spare = self.extra.covers(&job.total);
        if spare {
            self.extra = self.extra.minus(&job.total);
        }
        spare
    }
}

/// The earliest time at which `need` is free in sum, and all that is free then: everything that ends at that very
/// instant counts.
pub(super) fn shadow(
    need: &Resources,
    room: &Room,
    releases: &Releases<'_>,
    now: SimTime,
) -> Option<(SimTime, Resources)> {
    let mut free = room.free();
    let mut shadow = free.covers(need).then_some(now);
    for release in releases.iter() {
        if shadow.is_some_and(|shadow| release.at > shadow) {
            break;
        }
        free = free.plus(&release.total);
        if shadow.is_none() && free.covers(need) {
            shadow = Some(release.at);
        }
    }
    Some((shadow?, free))
}
