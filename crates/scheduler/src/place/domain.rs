//! NVSwitch domains: jobs that must have all their GPUs in one, and the choice among those that hold a job.

use std::cmp::Reverse;

use switchyard_model::{DomainSpan, JobSpec, NodeId};

use super::PlacementRule;
use super::candidate::{Candidate, Left, Level, Taken, order};
use super::ground::Ground;
use super::subtree;
use crate::cluster::{NodeState, Pending};
use crate::request::parts_on;
use crate::room::usable_by;

/// Whether a job must have all its GPUs in one domain.
pub(crate) const fn bound_to_domain(job: &JobSpec) -> bool {
    job.terms.one_domain && job.shape.total().gpus > 0
}

/// For how many parts of a job a domain has room, if its nodes are in this state.
pub(crate) fn room_in_domain(
    job: &Pending,
    domain: &DomainSpan,
    state: impl Fn(NodeId) -> Option<NodeState>,
) -> u64 {
    let nodes = domain.nodes.clone().map(NodeId);
    let room = nodes.filter_map(|node| {
        let state = state(node)?;
        let mut free = usable_by(job, node, &state)?;
        free.gpus = free.gpus.min(state.free_gpus.intersection(domain.gpus).len());
        Some(u64::from(parts_on(&job.request.shape, &free)))
    });
    room.sum()
}

/// Puts a job into one domain, if one holds it all.
pub(super) fn in_one(
    rule: PlacementRule,
    job: &Pending,
    ground: &Ground<'_>,
    candidates: &[Candidate],
) -> Option<Taken> {
    let (parts, each) = job.request.shape.parts();
    let pieces = pieces(job, ground, candidates);
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
        PlacementRule::BestFit => domains.min_by_key(|domain| free(domain)),
        PlacementRule::WorstFit => domains.min_by_key(|domain| Reverse(free(domain))),
        PlacementRule::Topology | PlacementRule::Domain => {
            drop(domains);
            subtree::smallest_group(ground, each, &Level::DOMAINS, &pieces, parts)
        }
        PlacementRule::LeastFragmentation => {
            let growth = |taken: &Taken| -> i64 {
                taken.iter().map(|(candidate, here)| ground.growth(candidate, each, 0, *here)).sum()
            };
            let choices = domains.filter_map(|domain| {
                let taken = rule.choose_among(job, ground, domain)?;
                Some((growth(&taken), free(domain), taken))
            });
            return choices.min_by_key(|(growth, free, _)| (*growth, *free)).map(|(.., taken)| taken);
        }
    };
    rule.choose_among(job, ground, domain?)
}

/// What the candidates could take within each of their domains, domain by domain.
fn pieces(job: &Pending, ground: &Ground<'_>, candidates: &[Candidate]) -> Vec<Candidate> {
    let mut pieces = Vec::with_capacity(candidates.len());
    for candidate in candidates {
        let domains = ground.fleet.domains_at(candidate.node);
        pieces.extend(domains.filter_map(|domain| ground.candidate(job, candidate.node, domain.gpus)));
    }
    pieces
}
