//! EASY as the seed lab's first version has it: sums, and what a longer job may use is counted now, not at the shadow time.

use switchyard_model::{Resources, SimTime};

use super::easy_count::shadow;
use crate::Request;
use crate::releases::Releases;
use crate::room::Room;

/// What has to stay free for the head.
#[derive(Clone, Debug)]
pub(crate) struct EasyAggregate {
    pub(crate) shadow: SimTime,
    reserved: Resources,
}

impl EasyAggregate {
    pub(crate) fn open(head: &Request, room: &Room, releases: &Releases<'_>, now: SimTime) -> Option<Self> {
        let reserved = without_memory(head.total);
        let (shadow, _) = shadow(&reserved, room, releases, now)?;
        Some(EasyAggregate { shadow, reserved })
    }

    pub(super) fn spare(&self, free: &Resources) -> Resources {
        // Memory is not looked at.
        Resources { memory_mib: free.memory_mib, ..free.minus(&self.reserved) }
    }

    pub(crate) fn pass(&self, job: &Request, room: &Room) -> bool {
        room.free().covers(&self.reserved.plus(&without_memory(job.total)))
    }
}

const fn without_memory(amount: Resources) -> Resources {
    Resources { memory_mib: 0, ..amount }
}
