//! NVSwitch domains: jobs that must have all their GPUs in one, and the choice among those that hold a job.

use std::cmp::Reverse;

use super::PlacementRule;
use super::candidate::{Candidate, Left, Level, Taken, order};
use super::ground::Ground;
use super::subtree;

/// Puts a job into one domain, if one holds it all.
pub(super) fn in_one(rule: PlacementRule, ground: &Ground<'_>, candidates: &[Candidate]) -> Option<Taken> {
    let (parts, each) = ground.job.request.shape.parts();
    let pieces = pieces(ground, candidates);
    let group = |candidate: &Candidate| Level::Domain.group(ground.fleet, candidate);
    let room = |domain: &[Candidate]| domain.iter().map(|piece| u64::from(piece.parts)).sum::<u64>();
    let mut domains =
        pieces.chunk_by(|a, b| group(a) == group(b)).filter(|domain| room(domain) >= u64::from(parts));
    let order = order(each);
    let free = |domain: &[Candidate]| {
        let each_free = domain.iter().map(|piece| piece.left(each, 0, &order));
        each_free.fold(Left::default(), |sum, free| std::array::from_fn(|at| sum[at] + free[at]))
    };
    let domain = match rule {
        PlacementRule::FirstFit => domains.next(),
        PlacementRule::BestFit | PlacementRule::Consecutive => domains.min_by_key(|domain| free(domain)),
        PlacementRule::WorstFit => domains.min_by_key(|domain| Reverse(free(domain))),
        PlacementRule::Topology | PlacementRule::Domain => {
            drop(domains);
            subtree::smallest_group(ground, each, &Level::DOMAINS, &pieces, parts)
        }
        PlacementRule::LeastFragmentation => {
            let growth = |taken: &Taken| -> i64 {
                taken.iter().map(|(candidate, here)| ground.growth(candidate, 0, *here)).sum()
            };
            let choices = domains.filter_map(|domain| {
                let taken = rule.choose_among(ground, domain)?;
                Some((growth(&taken), free(domain), taken))
            });
            return choices.min_by_key(|(growth, free, _)| (*growth, *free)).map(|(.., taken)| taken);
        }
    };
    rule.choose_among(ground, domain?)
}

/// What the candidates could take within each of their domains, domain by domain.
fn pieces(ground: &Ground<'_>, candidates: &[Candidate]) -> Vec<Candidate> {
    let mut pieces = Vec::with_capacity(candidates.len());
    for candidate in candidates {
        let domains = ground.fleet.domains_at(candidate.node);
        pieces.extend(domains.filter_map(|domain| ground.candidate(candidate.node, domain.gpus)));
    }
    pieces
}
