//! EASY by counting: rule 4 of the reference rules, as in the programs that the published figures come from.

use switchyard_model::{NodeShare, Placement, Resources, SimTime};

use super::outlook::Outlook;
use crate::Request;
use crate::releases::Releases;
use crate::room::Room;

/// What a longer job may use without delaying the head, in sums.
#[derive(Clone, Debug)]
pub(crate) struct EasyCount {
    pub(crate) shadow: SimTime,
    /// Free at the shadow time beyond the head's need.
    pub(super) extra: Resources,
    /// Which nodes the head could use then, by number; `None` means all.
    among: Option<Vec<bool>>,
}

impl EasyCount {
    pub(crate) fn open(head: &Request, room: &Room, releases: &Releases<'_>, now: SimTime) -> Option<Self> {
        let (shadow, free) = shadow(&head.total, room, releases, now)?;
        Some(EasyCount { shadow, extra: free.minus(&head.total), among: None })
    }

    /// For a head to which not all nodes are alike: when it fits on single nodes, with sums over those that it could use.
    pub(crate) fn open_at(head: &Request, outlook: &Outlook<'_>) -> Self {
        let free = outlook.all_usable().fold(Resources::default(), |sum, free| sum.plus(&free));
        let among = outlook.all_usable().map(|free| free != Resources::default()).collect();
        EasyCount { shadow: outlook.at, extra: free.minus(&head.total), among: Some(among) }
    }

    /// Whether a job that runs beyond the shadow time may have this.
    pub(super) fn lets(&self, placement: &Placement) -> bool {
        self.extra.covers(&self.counted(placement))
    }

    pub(super) fn take(&mut self, placement: &Placement) {
        self.extra = self.extra.minus(&self.counted(placement));
    }

    /// As much of it as the head could use.
    fn counted(&self, placement: &Placement) -> Resources {
        let Some(among) = &self.among else { return placement.total() };
        let usable = |share: &&NodeShare| among.get(share.node.index()).copied().unwrap_or(false);
        placement
            .0
            .iter()
            .filter(usable)
            .fold(Resources::default(), |sum, share| sum.plus(&share.resources()))
    }

    /// The same as a limit on sums over all nodes, where that is what counts.
    pub(super) fn spare(&self) -> Option<Resources> {
        self.among.is_none().then_some(self.extra)
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
