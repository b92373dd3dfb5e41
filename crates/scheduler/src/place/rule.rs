//! The placement rules by name, and how each makes its choice.

use serde::{Deserialize, Serialize};
use switchyard_model::{NodeShare, Placement, Resources};

use super::candidate::{Candidate, Level, Taken, order};
use super::consecutive::Offer;
use super::ground::{Ground, Usable};
use super::{consecutive, domain, first_fit, greedy, slots, subtree};
use crate::cluster::Pending;
use crate::room::Room;

/// How nodes are chosen.
///
/// A part of a job is one of its nodes or tasks. What is *left* on a node is counted in the scarcest resource that a part asks
/// for: GPUs if it asks for any, else CPUs, else memory; where that is equal, in the others, in the order GPUs, CPUs, memory.
/// All remaining ties go to the lowest node number.
///
/// A job that must have its GPUs in [one NVSwitch domain](switchyard_model::Terms::one_domain) gets them so under every rule. Any other
/// job finds room under one rule if and only if it does under all others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlacementRule {
    /// The lowest node numbers with room, each filled as far as it goes; on each node the lowest GPUs.
    #[default]
    FirstFit,
    /// Bin packing: each part goes to the node that has the least left then. Within a node, to the NVSwitch domain with the fewest
    /// free GPUs that are enough.
    BestFit,
    /// Spreading: each part goes to the node that has the most left then. Within a node, to the NVSwitch domain with the most free
    /// GPUs.
    WorstFit,
    /// The smallest subtree that holds the job now (Slurm: `topology/tree`): one node, else one rack, else one switch above
    /// the racks, else all.
    ///
    /// Among several nodes the one that has the least left; among several racks or switches the one that has room for the
    /// fewest parts of the job, then the one that has the least free; then whichever lies in the smallest rack or switch so measured.
    /// A job that takes several switches or racks gets as few as can be: the largest first, and for the rest the smallest that
    /// is enough. Within a rack, and within a node, as [`BestFit`](Self::BestFit).
    Topology,
    /// One NVSwitch domain if any holds the job: the one with the fewest free GPUs, in the smallest rack and switch where that
    /// is equal. Within it as [`Topology`](Self::Topology).
    ///
    /// A job that no domain holds goes to the smallest rack or switch that does, and there to as few domains as can be (where a
    /// node has several domains, to as few nodes). A job without GPUs goes where `Topology` puts it.
    Domain,
    /// The fragmentation gradient (Weng et al. 2023, FGD), with whole GPUs: each part goes to the node where the expected number of free
    /// GPUs that the next job can't use grows least; where that is equal, to the one that has the least left.
    ///
    /// With shares p(m) of the shapes m of all parts of the jobs that wait and run now, and g free GPUs on node n: F(n) = g x the sum of
    /// p(m) over all m that ask for no GPU, or don't fit on n (too few GPUs or CPUs, or another GPU model; memory is not
    /// looked at). The most frequent shapes count until they make up 95 % of the parts, at most 64 of them. Within a node as
    /// [`BestFit`](Self::BestFit).
    LeastFragmentation,
    /// Neighbours by number (Slurm: `select/cons_tres` where no topology is configured): the tightest run of consecutive nodes
    /// with room that is enough, and in it the lowest numbers; a job of one node goes to the one with the fewest free CPUs
    /// there.
    ///
    /// If no run is enough, the one with the most free CPUs is used up, and so on. Tasks that one node of the run holds go to
    /// that node alone.
    Consecutive,
}

impl PlacementRule {
    /// All.
    pub const ALL: [PlacementRule; 7] = [
        PlacementRule::FirstFit,
        PlacementRule::BestFit,
        PlacementRule::WorstFit,
        PlacementRule::Topology,
        PlacementRule::Domain,
        PlacementRule::LeastFragmentation,
        PlacementRule::Consecutive,
    ];

    /// Their names.
    pub const NAMES: [&str; 7] =
        ["first-fit", "best-fit", "worst-fit", "topology", "domain", "least-fragmentation", "consecutive"];

    /// The rule with this name.
    pub fn named(name: &str) -> Option<PlacementRule> {
        PlacementRule::ALL.into_iter().find(|rule| rule.name() == name)
    }

    /// What people call it.
    pub const fn name(self) -> &'static str {
        match self {
            PlacementRule::FirstFit => "first-fit",
            PlacementRule::BestFit => "best-fit",
            PlacementRule::WorstFit => "worst-fit",
            PlacementRule::Topology => "topology",
            PlacementRule::Domain => "domain",
            PlacementRule::LeastFragmentation => "least-fragmentation",
            PlacementRule::Consecutive => "consecutive",
        }
    }

    /// The rule in a sentence, with the resource that counts.
    pub const fn sentence(self) -> &'static str {
        match self {
            PlacementRule::FirstFit => "The lowest-numbered nodes that have room.",
            PlacementRule::BestFit => {
                "The node that keeps the fewest GPUs free; for jobs without GPUs, the fewest CPUs."
            }
            PlacementRule::WorstFit => {
                "The node that keeps the most GPUs free; for jobs without GPUs, the most CPUs."
            }
            PlacementRule::Topology => {
                "One node, else one rack, else one switch: the smallest that has room."
            }
            PlacementRule::Domain => {
                "One NVSwitch domain, the one with the fewest free GPUs that are enough; else as few as can be."
            }
            PlacementRule::LeastFragmentation => {
                "The node where the fewest free GPUs become useless to the jobs of this queue."
            }
            PlacementRule::Consecutive => "The tightest run of consecutive nodes that has room.",
        }
    }

    /// Chooses from what is free; from no more than `cap` on each node, if that is given.
    pub(crate) fn place(self, job: &Pending, room: &Room, cap: Option<&[Resources]>) -> Option<Placement> {
        if !room.free().covers(&job.request.total) {
            return None;
        }
        let placement = if self == PlacementRule::FirstFit && !job.wants_one_domain() {
            first_fit::first_fit_in(job, room, cap)?
        } else {
            let usable = |node| room.usable_by(job, node);
            self.place_on(&Ground::now(job, room, &usable, cap)?)?
        };
        Some(room.whole(job, placement))
    }

    /// Chooses from the nodes as a job may use them at some other time.
    pub(crate) fn place_then(self, job: &Pending, room: &Room, usable: &Usable<'_>) -> Option<Placement> {
        self.place_on(&Ground::then(job, room, usable)?)
    }

    fn place_on(self, ground: &Ground<'_>) -> Option<Placement> {
        let (parts, each) = ground.job.request.shape.parts();
        if parts == 0 {
            return Some(Placement::default());
        }
        let mut taken = self.choose(ground)?;
        taken.sort_unstable_by_key(|(candidate, _)| candidate.node);
        let share = |(candidate, parts): (Candidate, u32)| {
            let give = each.scaled(parts);
            let gpus = slots::pick(self, ground.fleet, &candidate, give.gpus)?;
            Some(NodeShare { node: candidate.node, cpus: give.cpus, memory_mib: give.memory_mib, gpus })
        };
        taken.into_iter().map(share).collect::<Option<_>>().map(Placement)
    }

    fn choose(self, ground: &Ground<'_>) -> Option<Taken> {
        if self == PlacementRule::FirstFit && !ground.job.wants_one_domain() {
            return self.choose_among(ground, &ground.first_candidates());
        }
        let candidates = ground.candidates();
        if ground.job.wants_one_domain() {
            return domain::in_one(self, ground, &candidates);
        }
        if self == PlacementRule::Domain
            && ground.job.request.shape.parts().1.gpus > 0
            && let Some(taken) = domain::in_one(self, ground, &candidates)
        {
            return Some(taken);
        }
        self.choose_among(ground, &candidates)
    }

    /// Chooses among candidates of distinct nodes.
    pub(super) fn choose_among(self, ground: &Ground<'_>, candidates: &[Candidate]) -> Option<Taken> {
        let (parts, each) = ground.job.request.shape.parts();
        if candidates.iter().map(|candidate| u64::from(candidate.parts)).sum::<u64>() < u64::from(parts) {
            return None;
        }
        Some(match self {
            PlacementRule::FirstFit => greedy::in_order(parts, candidates.iter()),
            PlacementRule::BestFit => greedy::least_left(parts, each, candidates),
            PlacementRule::WorstFit => greedy::most_left(parts, each, candidates),
            PlacementRule::Domain if each.gpus > 0 => {
                subtree::smallest(ground, each, &Level::DOMAINS, candidates, parts)
            }
            PlacementRule::Topology | PlacementRule::Domain => {
                subtree::smallest(ground, each, &Level::TREE, candidates, parts)
            }
            PlacementRule::LeastFragmentation => {
                let order = order(each);
                greedy::by(parts, candidates, |candidate, taken| {
                    let growth = ground.growth(candidate, taken, taken + 1);
                    (growth, candidate.left(each, taken + 1, &order))
                })
            }
            PlacementRule::Consecutive => {
                let offer = |&Candidate { node, parts, free, .. }: &Candidate| Offer { node, parts, free };
                let offers: Vec<Offer> = candidates.iter().map(offer).collect();
                let chosen = consecutive::choose(&ground.job.request.shape, &offers)?;
                let take = |(place, parts): (usize, u32)| Some((*candidates.get(place)?, parts));
                chosen.into_iter().map(take).collect::<Option<_>>()?
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_its_name() {
        assert_eq!(PlacementRule::ALL.map(PlacementRule::name), PlacementRule::NAMES);
        assert_eq!(PlacementRule::NAMES.map(PlacementRule::named), PlacementRule::ALL.map(Some));
        assert_eq!(PlacementRule::named("tightest"), None);
    }
}
