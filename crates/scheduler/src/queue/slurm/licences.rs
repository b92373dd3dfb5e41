//! The licences that a cycle keeps for those who wait (`bf_licenses`).

use switchyard_model::{SimDuration, SimTime};

use super::timeline::stay;
use crate::cluster::Pending;
use crate::consumables::LicenceNeed;
use crate::pass::Pass;
use crate::releases::Releases;

/// Who gets which licences, from when to when.
#[derive(Clone, Debug, Default)]
pub(super) struct Licences {
    kept: Vec<Keep>,
}

#[derive(Clone, Copy, Debug)]
struct Keep {
    need: LicenceNeed,
    from: SimTime,
    to: SimTime,
}

impl Licences {
    /// Keeps them from `from` to `to`.
    pub(super) fn keep(&mut self, needs: &[LicenceNeed], from: SimTime, to: SimTime) {
        self.kept.extend(needs.iter().map(|&need| Keep { need, from, to }));
    }

    /// When there is enough for the job, from then on as long as it asks, at `from` at the earliest.
    pub(super) fn earliest(&self, pass: &Pass<'_>, job: &Pending, from: SimTime) -> Option<SimTime> {
        let chosen = pass.starts.iter().map(|(job, start)| (*job, &start.placement));
        let releases = Releases::new(pass.cluster, chosen, pass.now);
        let wanted = |kind| job.licences().iter().any(|need| need.kind == kind);
        let back = |at, needs: &[LicenceNeed]| -> Vec<(SimTime, LicenceNeed)> {
            needs.iter().filter(|need| wanted(need.kind)).map(|&need| (at, need)).collect()
        };
        let returns: Vec<_> =
            releases.iter().flat_map(|release| back(release.at, release.licences)).collect();
        let ends = self.kept.iter().filter(|keep| wanted(keep.need.kind)).map(|keep| keep.to);
        let mut times: Vec<SimTime> = returns.iter().map(|(at, _)| *at).chain(ends).collect();
        times.retain(|at| *at > from);
        times.push(from);
        times.sort_unstable();
        times.into_iter().find(|&at| self.covers(pass, job, at, stay(job), &returns))
    }

    fn covers(
        &self,
        pass: &Pass<'_>,
        job: &Pending,
        at: SimTime,
        stay: SimDuration,
        returns: &[(SimTime, LicenceNeed)],
    ) -> bool {
        // Only where someone else's turn begins there may be fewer than before.
        let begins = self.kept.iter().map(|keep| keep.from).filter(|from| (at..at + stay).contains(from));
        begins.chain([at]).all(|at| {
            let mut free = pass.licences();
            returns.iter().filter(|(back, _)| *back <= at).for_each(|(_, need)| free.give(&[*need]));
            let held = self.kept.iter().filter(|keep| keep.from <= at && at < keep.to);
            let held: Vec<LicenceNeed> = held.map(|keep| keep.need).collect();
            free.take(&held);
            free.covers(job.licences())
        })
    }
}
