//! How far the parts of jobs were apart.

use switchyard_model::{Fleet, Tier};

use super::attempts::Attempts;
use super::specs::Specs;

/// How much longer a job of several parts takes when it is spread so far, in tenths. ASSUMED, not measured: the table of the
/// repository k8s-gpu-scheduler-lab. Figures that use it have to say so.
pub const ASSUMED_PENALTY_TENTHS: [(Tier, u32); 5] =
    [(Tier::Domain, 10), (Tier::Node, 12), (Tier::Rack, 14), (Tier::Switch, 18), (Tier::Fleet, 22)];

/// The tiers of the last attempts of the jobs of several parts (nodes or tasks) that started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Placements {
    /// How many jobs span each tier, in the order of [`Tier::ALL`].
    pub counts: [u64; 5],
}

impl Placements {
    pub(super) fn of(attempts: &Attempts<'_>, fleet: &Fleet, specs: &Specs<'_>) -> Placements {
        let mut placements = Placements::default();
        for span in attempts.last() {
            let parts =
                specs.get(span.job).map_or(span.placement.0.len() as u64, |spec| spec.shape.parts().0.into());
            if parts > 1 {
                placements.add(fleet.tier(&span.placement));
            }
        }
        placements
    }

    fn add(&mut self, tier: Tier) {
        for (count, each) in self.counts.iter_mut().zip(Tier::ALL) {
            *count += u64::from(each == tier);
        }
    }

    /// How many jobs.
    pub fn jobs(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// See [`TIER_SHARE`](super::definition::TIER_SHARE); `None` without such jobs.
    pub fn share(&self, tier: Tier) -> Option<f64> {
        let found = Tier::ALL.iter().zip(self.counts).find(|(each, _)| **each == tier);
        self.mean(found.map_or(0, |(_, count)| count))
    }

    /// See [`MEAN_TIER`](super::definition::MEAN_TIER); `None` without such jobs.
    pub fn mean_tier(&self) -> Option<f64> {
        self.mean((0..).zip(self.counts).map(|(distance, count)| distance * count).sum())
    }

    /// See [`PENALTY`](super::definition::PENALTY); `None` without such jobs.
    pub fn assumed_penalty(&self) -> Option<f64> {
        let tenths = ASSUMED_PENALTY_TENTHS.iter().zip(self.counts);
        self.mean(tenths.map(|(&(_, tenths), count)| u64::from(tenths) * count).sum()).map(|mean| mean / 10.0)
    }

    fn mean(&self, sum: u64) -> Option<f64> {
        let jobs = self.jobs();
        (jobs > 0).then(|| sum as f64 / jobs as f64)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::testing::{fleet, job, near, span};
    use super::*;

    /// Racks of 2 nodes, 2 racks to a switch. Job 5 has one part; job 6 two parts on one node.
    #[test]
    fn jobs_of_several_parts_count_with_the_tier_they_span() {
        let fleet = fleet(&[(8, 4, 2)], 2);
        let jobs: Vec<_> = (1..=5).map(|id| job(id, "a", 0, 9, 9, if id == 5 { 1 } else { 2 }, 1)).collect();
        let spans = [
            span(1, 0, 0, 9, &[(0, 1, 1), (1, 1, 1)]),
            span(2, 0, 0, 9, &[(1, 1, 2), (2, 1, 1)]),
            span(3, 0, 0, 9, &[(3, 1, 1), (4, 1, 1)]),
            span(4, 0, 0, 9, &[(5, 1, 0b11)]),
            span(5, 0, 0, 9, &[(6, 1, 1)]),
        ];
        let placements = Placements::of(&Attempts::of(&spans), &fleet, &Specs::of(&jobs));
        assert_eq!(placements.counts, [1, 0, 1, 1, 1]);
        near(placements.mean_tier().unwrap(), 9.0 / 4.0);
        near(placements.assumed_penalty().unwrap(), (1.0 + 1.4 + 1.8 + 2.2) / 4.0);
        near(placements.share(Tier::Rack).unwrap(), 0.25);
        assert_eq!(Placements::default().mean_tier(), None);
    }
}
