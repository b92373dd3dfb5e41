//! Placements worked out on paper.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use switchyard_model::{Domains, FleetSpec, NodeClass, Shape};

use super::PlacementRule::{self, BestFit, Domain, FirstFit, LeastFragmentation, Topology, WorstFit};
use super::testing::{Yard, amount, class, fleet, nodes, tasks};

/// The numbers of the nodes that a rule chooses.
fn on(yard: &mut Yard, rule: PlacementRule, shape: Shape) -> Vec<u32> {
    let placed = yard.place(rule, shape, false).unwrap();
    placed.into_iter().map(|(node, _)| node).collect()
}

/// Devices 4, 4, 2 (kubernetes/kubernetes 68036); jobs of 2, 4 and 4. Spreading leaves the last pending, packing places all.
#[test]
fn packing_places_what_spreading_leaves_pending() {
    let classes = [(2, 4), (1, 2)].map(|(count, gpus)| class(count, amount(4, gpus), 4, Domains::Node));
    let placed = |rule: PlacementRule| {
        let mut yard = Yard::new(fleet(classes.to_vec(), 0));
        let jobs = [2, 4, 4].map(|gpus| {
            let placed = yard.place(rule, nodes(1, amount(1, gpus)), false)?;
            placed.iter().for_each(|&(node, slots)| yard.in_use(node, 1, slots));
            Some(placed[0].0)
        });
        jobs.to_vec()
    };
    assert_eq!(placed(BestFit), [Some(2), Some(0), Some(1)]);
    assert_eq!(placed(WorstFit), [Some(0), Some(1), None]);
    assert_eq!(placed(FirstFit), [Some(0), Some(1), None]);
    assert_eq!(placed(Topology), [Some(2), Some(0), Some(1)]);
}

/// Node 0 has few CPUs and many GPUs left, node 1 the other way round (volcano 1844: without the GPUs, packing goes wrong).
#[test]
fn what_counts_is_the_scarce_resource_that_the_job_asks_for() {
    let mut yard = Yard::new(fleet(vec![class(2, amount(16, 8), 4, Domains::Node)], 0));
    yard.in_use(0, 12, 0b11);
    yard.in_use(1, 4, 0b11_1111);
    assert_eq!(on(&mut yard, BestFit, nodes(1, amount(1, 1))), [1]);
    assert_eq!(on(&mut yard, BestFit, nodes(1, amount(1, 0))), [0]);
    assert_eq!(on(&mut yard, WorstFit, nodes(1, amount(1, 1))), [0]);
    assert_eq!(on(&mut yard, WorstFit, nodes(1, amount(1, 0))), [1]);
}

/// Where the scarce resource is equal the others count: a job without GPUs goes to the node without GPUs.
#[test]
fn other_resources_break_ties_then_the_lowest_number() {
    let classes = [8, 0, 0].map(|gpus| class(1, amount(16, gpus), 4, Domains::Node));
    let mut yard = Yard::new(fleet(classes.to_vec(), 0));
    assert_eq!(on(&mut yard, FirstFit, nodes(1, amount(1, 0))), [0]);
    assert_eq!(on(&mut yard, BestFit, nodes(1, amount(1, 0))), [1]);
    assert_eq!(on(&mut yard, Topology, nodes(1, amount(1, 0))), [1]);
    assert_eq!(on(&mut yard, WorstFit, nodes(1, amount(1, 0))), [0]);
}

/// The sign of spreading and packing (HAMi 1589): one node is empty, the other one half in use.
#[test]
fn best_fit_packs_and_worst_fit_spreads() {
    for half_used in [0, 1] {
        let mut yard = Yard::new(fleet(vec![class(2, amount(8, 8), 4, Domains::Node)], 0));
        yard.gpus_in_use(half_used, 0b1111);
        assert_eq!(on(&mut yard, BestFit, nodes(1, amount(1, 1))), [half_used]);
        assert_eq!(on(&mut yard, WorstFit, nodes(1, amount(1, 1))), [1 - half_used]);
        let spread = yard.place(WorstFit, tasks(6, amount(1, 1)), false).unwrap();
        assert_eq!(spread.iter().map(|(_, slots)| slots.count_ones()).sum::<u32>(), 6);
        // 5 and 1 leave 3 each.
        let shares: Vec<_> = spread.iter().map(|&(node, slots)| (node, slots.count_ones())).collect();
        assert_eq!(shares, if half_used == 0 { [(0, 1), (1, 5)] } else { [(0, 5), (1, 1)] });
    }
}

/// 12 nodes of 4 GPUs: racks 0-2 and 3-5 under one switch, 6-8 and 9-11 under the other.
fn two_switches() -> Yard {
    Yard::new(fleet(vec![class(12, amount(4, 4), 3, Domains::Node)], 2))
}

#[test]
fn one_node_is_the_smallest_subtree() {
    let mut yard = two_switches();
    yard.gpus_in_use(4, 0b11);
    yard.gpus_in_use(7, 0b1);
    assert_eq!(yard.place(Topology, tasks(2, amount(1, 1)), false), Some(vec![(4, 0b1100)]));
    assert_eq!(yard.place(Topology, tasks(3, amount(1, 1)), false), Some(vec![(7, 0b1110)]));
    // Of the eleven empty nodes, those in the racks with the least room, the lowest of them.
    assert_eq!(yard.place(Topology, tasks(4, amount(1, 1)), false), Some(vec![(3, 0b1111)]));
}

#[test]
fn the_rack_with_the_least_room_that_is_enough() {
    let mut yard = two_switches();
    yard.gpus_in_use(4, 0b1);
    assert_eq!(on(&mut yard, Topology, nodes(2, amount(4, 4))), [3, 5]);
    // Racks 0, 2 and 3 have room for three; beside rack 0 there is less room than beside the others.
    assert_eq!(on(&mut yard, Topology, nodes(3, amount(4, 4))), [0, 1, 2]);
    yard.gpus_in_use(4, 0b10);
    yard.gpus_in_use(9, 0b1);
    yard.gpus_in_use(10, 0b1);
    assert_eq!(on(&mut yard, Topology, nodes(3, amount(4, 4))), [6, 7, 8]);
}

/// Five tasks fit on no node. Racks 1 to 3 have room for 12, rack 0 for 10: there the fullest node first.
#[test]
fn within_a_rack_best_fit() {
    let mut yard = two_switches();
    yard.gpus_in_use(1, 0b11);
    assert_eq!(yard.place(Topology, tasks(5, amount(1, 1)), false), Some(vec![(0, 0b111), (1, 0b1100)]));
}

/// Node 11 is in use: the second switch has room for 5 nodes, 3 in rack 2 and 2 in rack 3.
#[test]
fn as_few_switches_and_racks_as_can_be() {
    let mut yard = two_switches();
    yard.gpus_in_use(11, 0b1);
    assert_eq!(on(&mut yard, Topology, nodes(4, amount(4, 4))), [6, 7, 8, 9]);
    assert_eq!(on(&mut yard, Topology, nodes(6, amount(4, 4))), [0, 1, 2, 3, 4, 5]);
    // The first switch, and of the other one the rack that is just enough.
    assert_eq!(on(&mut yard, Topology, nodes(8, amount(4, 4))), [0, 1, 2, 3, 4, 5, 9, 10]);
    assert_eq!(yard.place(Topology, nodes(12, amount(4, 4)), false), None);
}

/// Two NVL72s: 18 nodes of 4 GPUs each.
fn two_nvl72() -> Arc<switchyard_model::Fleet> {
    fleet(vec![class(36, amount(8, 4), 18, Domains::Nodes { nodes: 18 })], 0)
}

/// Single GPUs fill one NVL72 node by node instead of being scattered (kueue 10406); spreading puts them on 36 nodes.
#[test]
fn single_gpus_pack_rack_then_node() {
    for (rule, expected) in [(Domain, 18), (WorstFit, 36)] {
        let mut yard = Yard::new(two_nvl72());
        let mut used = std::collections::BTreeSet::new();
        for job in 0..72 {
            let placed = yard.place(rule, nodes(1, amount(1, 1)), false).unwrap();
            placed.iter().for_each(|&(node, slots)| yard.gpus_in_use(node, slots));
            used.insert(placed[0].0);
            assert!(rule != Domain || placed[0].0 == job / 4, "{placed:?}");
        }
        assert_eq!(used.len(), expected, "{rule:?}");
    }
}

/// The first NVL72 is nearly empty, of the second 3 GPUs are left on one node: those first, though a node of the first has fewer.
#[test]
fn the_domain_with_the_fewest_free_gpus_comes_before_the_node() {
    let mut yard = Yard::new(two_nvl72());
    yard.gpus_in_use(0, 0b11);
    (18..36).for_each(|node| yard.gpus_in_use(node, if node == 30 { 1 } else { 0b1111 }));
    assert_eq!(yard.place(Domain, nodes(1, amount(1, 1)), false), Some(vec![(30, 0b10)]));
    assert_eq!(yard.place(BestFit, nodes(1, amount(1, 1)), false), Some(vec![(0, 0b100)]));
    assert_eq!(yard.place(Topology, nodes(1, amount(1, 1)), false), Some(vec![(0, 0b100)]));
}

/// 6 GPUs are free in one domain and 2 in the other: no domain of 8 (volcano 5751).
#[test]
fn capacity_is_per_domain_not_per_node() {
    let boards = class(1, amount(16, 16), 4, Domains::PerNode { gpus: 8 });
    let mut yard = Yard::new(fleet(vec![boards], 0));
    yard.gpus_in_use(0, 0b0011_1111_0000_0011);
    let shape = nodes(1, amount(1, 8));
    for rule in PlacementRule::ALL {
        assert_eq!(yard.place(rule, shape, true), None, "{rule:?}");
        assert_eq!(yard.place(rule, shape, false), Some(vec![(0, 0b1100_0000_1111_1100)]), "{rule:?}");
        assert_eq!(yard.place(rule, nodes(1, amount(1, 6)), true), Some(vec![(0, 0b1111_1100)]), "{rule:?}");
    }
}

/// One node of the first NVL72 is free and three of the second: two nodes in one domain are in the second.
#[test]
fn a_domain_spans_nodes() {
    let mut yard = Yard::new(two_nvl72());
    (0..36).filter(|node| ![5, 20, 21, 33].contains(node)).for_each(|node| yard.gpus_in_use(node, 0b1111));
    let shape = nodes(2, amount(4, 4));
    for rule in PlacementRule::ALL {
        let placed = yard.place(rule, shape, true).unwrap();
        assert_eq!(placed, [(20, 0b1111), (21, 0b1111)], "{rule:?}");
        assert_eq!(yard.place(rule, nodes(4, amount(4, 4)), true), None, "{rule:?}");
    }
    assert_eq!(on(&mut yard, FirstFit, shape), [5, 20]);
    assert_eq!(on(&mut yard, Domain, shape), [20, 21]);
}

/// Nodes of 8 GPUs in two boards of 4. Node 0 has two free on each board, node 1 is empty.
#[test]
fn domain_prefers_one_board_to_the_fullest_node() {
    let boards = class(2, amount(8, 8), 4, Domains::PerNode { gpus: 4 });
    let mut yard = Yard::new(fleet(vec![boards], 0));
    yard.gpus_in_use(0, 0b1100_1100);
    let shape = nodes(1, amount(1, 4));
    assert_eq!(yard.place(BestFit, shape, false), Some(vec![(0, 0b0011_0011)]));
    assert_eq!(yard.place(Domain, shape, false), Some(vec![(1, 0b1111)]));
    for rule in PlacementRule::ALL {
        assert_eq!(yard.place(rule, shape, true), Some(vec![(1, 0b1111)]), "{rule:?}");
    }
    // A third board with just two free is what is left of node 1.
    yard.gpus_in_use(1, 0b0011);
    assert_eq!(yard.place(Domain, nodes(1, amount(1, 3)), false), Some(vec![(1, 0b0111_0000)]));
    assert_eq!(yard.place(BestFit, nodes(1, amount(1, 3)), false), Some(vec![(0, 0b0001_0011)]));
}

/// A rack of four domains of two nodes; of the first nothing is left, of the second one node.
#[test]
fn a_job_that_no_domain_holds_gets_as_few_as_can_be() {
    let pairs = class(8, amount(4, 4), 8, Domains::Nodes { nodes: 2 });
    let mut yard = Yard::new(fleet(vec![pairs], 0));
    (0..3).for_each(|node| yard.gpus_in_use(node, 0b1111));
    let shape = nodes(4, amount(4, 4));
    assert_eq!(on(&mut yard, Topology, shape), [3, 4, 5, 6]);
    assert_eq!(on(&mut yard, Domain, shape), [4, 5, 6, 7]);
    assert_eq!(on(&mut yard, Domain, nodes(3, amount(4, 4))), [3, 4, 5]);
}

/// Jobs of 2 GPUs wait. Taking one of node 0's last two makes the other one useless, taking one of node 1's three doesn't.
#[test]
fn least_fragmentation_keeps_what_the_queue_wants() {
    let mut yard = Yard::new(fleet(vec![class(2, amount(8, 4), 4, Domains::Node)], 0));
    yard.gpus_in_use(0, 0b0011);
    yard.gpus_in_use(1, 0b0001);
    yard.submit(nodes(6, amount(2, 2)), false);
    let one = nodes(1, amount(1, 1));
    assert_eq!(on(&mut yard, BestFit, one), [0]);
    assert_eq!(on(&mut yard, LeastFragmentation, one), [1]);
}

/// The last CPUs of a node are what its GPUs need.
#[test]
fn least_fragmentation_keeps_cpus_for_the_gpus() {
    let mut yard = Yard::new(fleet(vec![class(2, amount(16, 4), 4, Domains::Node)], 0));
    yard.in_use(0, 12, 0b0011);
    yard.in_use(1, 4, 0b0001);
    yard.submit(tasks(40, amount(4, 1)), false);
    let without_gpus = nodes(1, amount(1, 0));
    assert_eq!(on(&mut yard, BestFit, without_gpus), [0]);
    assert_eq!(on(&mut yard, LeastFragmentation, without_gpus), [1]);
}

/// Where no GPU becomes useless, it packs.
#[test]
fn least_fragmentation_is_best_fit_where_nothing_fragments() {
    let spec = FleetSpec::of("cpus", vec![NodeClass::new("n", 3, amount(8, 0))]);
    let mut yard = Yard::new(Arc::new(spec.build().unwrap()));
    yard.in_use(1, 3, 0);
    assert_eq!(on(&mut yard, LeastFragmentation, nodes(1, amount(2, 0))), [1]);
    assert_eq!(on(&mut yard, LeastFragmentation, tasks(7, amount(1, 0))), [0, 1]);
}
