//! What holds for every rule, room and job.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use proptest::prelude::*;
use switchyard_model::{Domains, Fleet, NodeId, Resources, Shape, Tier};

use super::PlacementRule;
use super::testing::{Yard, amount, class, fleet};
use crate::cluster::{Machines, NodeSet};
use crate::request::parts_on;
use crate::{Pending, Request};

fn fleets() -> impl Strategy<Value = Arc<Fleet>> {
    let domains = prop_oneof![
        Just(Domains::Node),
        Just(Domains::None),
        Just(Domains::PerNode { gpus: 2 }),
        Just(Domains::Nodes { nodes: 3 }),
    ];
    let kind = (1u32..=8, 1u32..=6, 0u32..=4, 1u32..=4, domains);
    (prop::collection::vec(kind, 1..=2), 0u32..=2).prop_map(|(classes, racks_per_switch)| {
        let kind = |(count, cpus, gpus, rack, domains)| class(count, amount(cpus, gpus), rack, domains);
        fleet(classes.into_iter().map(kind).collect(), racks_per_switch)
    })
}

fn shapes() -> impl Strategy<Value = Shape> {
    (0u32..=9, 0u32..=4, 0u32..=3, any::<bool>()).prop_map(|(parts, cpus, gpus, nodes)| match nodes {
        true => Shape::Nodes { nodes: parts, per_node: amount(cpus, gpus) },
        false => Shape::Tasks { tasks: parts, per_task: amount(cpus, gpus) },
    })
}

/// Some of each node is in use, some nodes are out of service.
fn yard(fleet: &Arc<Fleet>, use_of: &[(u32, u64, bool)]) -> Yard {
    let mut yard = Yard::new(Arc::clone(fleet));
    for (node, &(cpus, gpus, up)) in fleet.nodes().iter().zip(use_of) {
        let gpus = gpus % (1 << node.capacity.gpus);
        yard.in_use(node.id.0, cpus.min(node.capacity.cpus), gpus);
        yard.cluster.set_available(node.id, up);
    }
    yard
}

fn uses() -> impl Strategy<Value = Vec<(u32, u64, bool)>> {
    let up = prop::bool::weighted(0.9);
    prop::collection::vec((0u32..=4, 0u64..16, up), 16)
}

/// The job may use only every second node.
fn masked(mut job: Pending, fleet: &Fleet) -> Pending {
    let only = NodeSet::of(fleet, |node| node.0 % 2 == 1);
    job.machines = Machines::new(fleet, Some(only));
    job.request = Request::new(job.spec.shape, &job.machines);
    job
}

proptest! {
    /// Every placement is what was asked for, of what is free and within the cap; and a job without further terms finds
    /// room under one rule if and only if first fit finds it.
    #[test]
    fn placements_are_valid_and_room_does_not_depend_on_the_rule(
        fleet in fleets(),
        uses in uses(),
        shape in shapes(),
        caps in prop::option::of(prop::collection::vec((0u32..=6, 0u32..=4), 16)),
        (one_domain, mask) in any::<(bool, bool)>(),
    ) {
        let mut yard = yard(&fleet, &uses);
        let mut job = yard.submit(shape, one_domain);
        if mask {
            job = masked(job, &fleet);
        }
        let cap: Option<Vec<Resources>> =
            caps.map(|caps| caps.into_iter().map(|(cpus, gpus)| amount(cpus, gpus)).collect());
        let capped = |node: NodeId, free: Resources| match &cap {
            Some(cap) => free.min(&cap[node.index()]),
            None => free,
        };
        let room = yard.room(PlacementRule::FirstFit);
        let usable = fleet.nodes().iter().filter_map(|node| {
            Some(capped(node.id, room.usable_by(&job, node.id)?.0))
        });
        let fits = usable.map(|free| parts_on(&shape, &free)).sum::<u32>() >= shape.parts().0;
        for rule in PlacementRule::ALL {
            let placement = rule.place(&job, &yard.room(rule), cap.as_deref());
            let bound = one_domain && shape.total().gpus > 0;
            prop_assert!(placement.is_some() == fits || (bound && placement.is_none()), "{rule:?} {placement:?}");
            let Some(placement) = placement else { continue };
            prop_assert_eq!(placement.total(), shape.total());
            let (parts, each) = shape.parts();
            let mut previous = None;
            for share in &placement.0 {
                prop_assert!(previous < Some(share.node));
                previous = Some(share.node);
                let free = room.free_for(&job, share.node);
                prop_assert!(capped(share.node, free).covers(&share.resources()), "{rule:?} {share:?}");
                prop_assert!(share.gpus.minus(room.nodes()[share.node.index()].free_gpus).is_empty());
                // Whole parts, of which the node can take so many.
                let here = share.resources().times(each).min(parts);
                if *each != Resources::default() {
                    prop_assert!(here <= parts_on(&shape, &free));
                    prop_assert_eq!(share.resources(), each.scaled(here));
                }
            }
            if bound {
                prop_assert_eq!(fleet.tier(&placement), Tier::Domain, "{:?} {:?}", rule, placement);
            }
        }
    }

    /// A job that must be in one domain finds room exactly if some domain, looked at one by one, has it.
    #[test]
    fn a_bound_job_finds_room_if_a_domain_has_it(
        fleet in fleets(),
        uses in uses(),
        shape in shapes(),
    ) {
        prop_assume!(shape.total().gpus > 0);
        let mut yard = yard(&fleet, &uses);
        let job = yard.submit(shape, true);
        let (parts, _) = shape.parts();
        let room = yard.room(PlacementRule::FirstFit);
        let fits = fleet.domains().any(|domain| {
            let on = |node: u32| {
                let mut free = room.free_for(&job, NodeId(node));
                free.gpus = free.gpus.min(room.nodes()[node as usize].free_gpus.intersection(domain.gpus).len());
                parts_on(&shape, &free)
            };
            domain.nodes.clone().map(on).sum::<u32>() >= parts
        });
        for rule in PlacementRule::ALL {
            prop_assert_eq!(rule.place(&job, &yard.room(rule), None).is_some(), fits, "{:?}", rule);
        }
        let empty = Yard::new(Arc::clone(&fleet));
        let fits_empty = PlacementRule::FirstFit.place(&job, &empty.room(PlacementRule::FirstFit), None).is_some();
        prop_assert_eq!(job.request.fits_fleet(), fits_empty);
    }

    /// Best and worst fit against their definition, one part after the other; all nodes equal in what else they have.
    #[test]
    fn best_and_worst_fit_go_part_by_part(
        free in prop::collection::vec(0u32..=8, 1..8),
        parts in 1u32..12,
        each in 1u32..=3,
        one_per_node in any::<bool>(),
    ) {
        let count = u32::try_from(free.len()).unwrap();
        let mut yard = Yard::new(fleet(vec![class(count, amount(8, 0), 4, Domains::Node)], 0));
        for (node, free) in (0..).zip(&free) {
            yard.in_use(node, 8 - free, 0);
        }
        let shape = match one_per_node {
            true => Shape::Nodes { nodes: parts, per_node: amount(each, 0) },
            false => Shape::Tasks { tasks: parts, per_task: amount(each, 0) },
        };
        for best in [true, false] {
            let mut left = free.clone();
            for _ in 0..parts {
                let may = |node: &usize| left[*node] >= each && !(one_per_node && left[*node] < free[*node]);
                let nodes = (0..left.len()).filter(may);
                let node = match best {
                    true => nodes.min_by_key(|&node| (left[node], node)),
                    false => nodes.min_by_key(|&node| (std::cmp::Reverse(left[node]), node)),
                };
                match node {
                    Some(node) => left[node] -= each,
                    None => left.clear(),
                }
            }
            let expected = left.iter().zip(&free).enumerate().filter(|(_, (left, free))| left < free);
            let expected: Vec<_> = expected.map(|(node, _)| (u32::try_from(node).unwrap(), 0)).collect();
            let rule = if best { PlacementRule::BestFit } else { PlacementRule::WorstFit };
            let job = yard.submit(shape, false);
            let placement = rule.place(&job, &yard.room(rule), None);
            prop_assert_eq!(placement.is_some(), !left.is_empty());
            let Some(placement) = placement else { continue };
            let chosen: Vec<_> = placement.0.iter().map(|share| (share.node.0, share.gpus.0)).collect();
            prop_assert_eq!(chosen, expected);
            for share in &placement.0 {
                prop_assert_eq!(share.cpus, free[share.node.index()] - left[share.node.index()]);
            }
        }
    }
}
