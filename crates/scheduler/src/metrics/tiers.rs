//! How far the parts of jobs were apart.

use switchyard_model::{Fleet, Tier};

use super::attempts::Attempts;
use super::specs::Specs;

/// How much longer a job of several parts takes when it is spread so far, in tenths. ASSUMED, not measured: the table of the
/// repository k8s-gpu-scheduler-lab. Figures that use it have to say so.
pub const ASSUMED_PENALTY_TENTHS: [(Tier, u32); 5] =
    [(Tier::Domain, 10), (Tier::Node, 12), (Tier::Rack, 14), (Tier::Switch, 18), (Tier::Fleet, 22)];

/// The tiers of the last attempts of the jobs that started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Placements {
    /// How many jobs of several parts (nodes or tasks) span each tier, in the order of [`Tier::ALL`].
    pub jobs: [u64; 5],
    /// How many GPUs the jobs of more than one GPU asked for that span each tier: those whose GPUs talk to each other.
    pub gpus: [u64; 5],
}

impl Placements {
    pub(super) fn of(attempts: &Attempts<'_>, fleet: &Fleet, specs: &Specs<'_>) -> Placements {
        let mut placements = Placements::default();
        for span in attempts.last() {
            let Some(shape) = specs.get(span.job).map(|spec| &spec.shape) else { continue };
            let tier = fleet.tier(&span.placement.unpack());
            let (parts, gpus) = (shape.parts().0, u64::from(shape.total().gpus));
            for ((each, jobs), sum) in Tier::ALL.iter().zip(&mut placements.jobs).zip(&mut placements.gpus) {
                if *each == tier {
                    *jobs += u64::from(parts > 1);
                    *sum += if gpus > 1 { gpus } else { 0 };
                }
            }
        }
        placements
    }

    /// See [`TIER_SHARE`](super::definition::TIER_SHARE); `None` without jobs of several parts.
    pub fn share(&self, tier: Tier) -> Option<f64> {
        let of_tier = Tier::ALL.map(|each| u64::from(each == tier));
        weighted_mean(&of_tier, &self.jobs)
    }

    /// See [`MEAN_TIER`](super::definition::MEAN_TIER); `None` without jobs of several parts.
    pub fn mean_tier(&self) -> Option<f64> {
        weighted_mean(&[0, 1, 2, 3, 4], &self.jobs)
    }

    /// See [`PENALTY`](super::definition::PENALTY); `None` without jobs of more than one GPU.
    pub fn assumed_penalty(&self) -> Option<f64> {
        let tenths = ASSUMED_PENALTY_TENTHS.map(|(_, tenths)| tenths.into());
        weighted_mean(&tenths, &self.gpus).map(|mean| mean / 10.0)
    }
}

fn weighted_mean(values: &[u64; 5], weights: &[u64; 5]) -> Option<f64> {
    let sum: u64 = values.iter().zip(weights).map(|(value, weight)| value * weight).sum();
    let all: u64 = weights.iter().sum();
    (all > 0).then(|| sum as f64 / all as f64)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::testing::{fleet, job, near, span};
    use super::*;

    /// Racks of 2 nodes, 2 racks to a switch. Job 4 has both parts on one node; job 5 has one part of one GPU.
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
        assert_eq!((placements.jobs, placements.gpus), ([1, 0, 1, 1, 1], [2, 0, 2, 2, 2]));
        near(placements.mean_tier().unwrap(), 9.0 / 4.0);
        near(placements.assumed_penalty().unwrap(), (1.0 + 1.4 + 1.8 + 2.2) / 4.0);
        near(placements.share(Tier::Rack).unwrap(), 0.25);
        assert_eq!(Placements::default().mean_tier(), None);
    }
}
