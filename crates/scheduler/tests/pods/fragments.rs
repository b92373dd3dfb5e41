//! F(n) by hand: each class of the definition, and the fixtures of the original's own tests.

use std::sync::Arc;

use switchyard_model::PodSpec;
use switchyard_scheduler::{Fragments, NodeRoom, PodShape, TypicalPods, Verdict};

use crate::traces::pod;

fn room(cpus: u64, gpu_milli: &[u32]) -> NodeRoom {
    NodeRoom { cpu_milli: cpus * 1000, memory_mib: 0, gpu_milli: gpu_milli.to_vec(), model: "V100".into() }
}

fn of_model(pod: PodSpec, models: &[&str]) -> PodSpec {
    PodSpec { models: models.iter().map(|&model| Arc::from(model)).collect(), ..pod }
}

fn verdict(pod: &PodSpec, room: &NodeRoom) -> Verdict {
    Verdict::of(&PodShape::of(pod), room)
}

#[test]
fn each_class() {
    let node = room(8, &[200, 1000, 600]);
    assert_eq!(verdict(&pod("p", 16, 2, 1000), &node), Verdict::LacksBoth);
    assert_eq!(verdict(&pod("p", 8, 2, 1000), &node), Verdict::LacksGpu);
    assert_eq!(verdict(&pod("p", 8, 2, 600), &node), Verdict::Fits);
    assert_eq!(verdict(&pod("p", 9, 2, 600), &node), Verdict::LacksCpu);
    assert_eq!(verdict(&pod("p", 8, 0, 0), &node), Verdict::CpuOnlyFits);
    assert_eq!(verdict(&pod("p", 9, 0, 0), &node), Verdict::CpuOnlyLacks);
    assert_eq!(verdict(&of_model(pod("p", 1, 1, 100), &["T4", "P100"]), &node), Verdict::NoAccess);
    assert_eq!(verdict(&of_model(pod("p", 1, 1, 100), &["T4", "V100"]), &node), Verdict::Fits);
    // Two parts of GPUs are of two GPUs, even if one would do.
    assert_eq!(verdict(&pod("p", 1, 2, 300), &room(8, &[1000, 100])), Verdict::LacksGpu);
}

/// One pod of each class on the node above, where 1800 are free: 200 of them are too little for the pod that fits.
#[test]
fn what_is_lost_on_each_class() {
    let typical = TypicalPods::of(&[
        pod("q1", 16, 2, 1000),
        pod("q2", 8, 2, 1000),
        pod("q3", 8, 2, 600),
        pod("q4", 9, 2, 600),
        pod("xl", 8, 0, 0),
        pod("xr", 9, 0, 0),
        of_model(pod("na", 1, 1, 100), &["T4"]),
    ]);
    let fragments = typical.fragments(&room(8, &[200, 1000, 600]));
    let expected =
        Fragments { q1: 1800, q2: 1800 + 200, q3: 1600, q4: 1800, xl: 1800, xr: 1800, no_access: 1800 };
    assert_eq!(fragments, expected);
    assert_eq!((fragments.idle(), fragments.fragmented()), (7 * 1800, 6 * 1800 + 200));
    assert_eq!(typical.total(), 7);
    assert_eq!(typical.fragments(&room(8, &[0, 0])), Fragments::default());
}

/// The published value for a node with 2700 free and too few CPUs for any of the shapes.
#[test]
fn the_published_fixture() {
    // The original takes a share of 0.0933 for this one shape; here it is the only one.
    let typical = TypicalPods::of(&[pod("p", 6, 1, 465)]);
    let node = room(1, &[200, 1000, 1000, 500]);
    let lost = typical.fragments(&node).fragmented();
    assert!((0.0933 * lost as f64 - 251.91).abs() < 0.01);
    // And what is too small for a pod of two whole GPUs that has the CPUs that it needs.
    assert_eq!(TypicalPods::of(&[pod("p", 1, 2, 1000)]).fragments(&node).fragmented(), 700);
    assert_eq!(TypicalPods::of(&[pod("p", 1, 2, 1000)]).fragments(&room(1, &[1000; 4])).fragmented(), 0);
    assert_eq!(TypicalPods::of(&[pod("p", 1, 2, 200)]).fragments(&node).fragmented(), 0);
}

#[test]
fn shapes_are_typical_until_they_make_up_95_percent() {
    let many = |count: usize, cpus: u64| (0..count).map(move |_| pod("p", cpus, 1, 1000));
    let cpus = |pods: Vec<PodSpec>| -> Vec<(u64, u64)> {
        TypicalPods::of(&pods).shapes().map(|(shape, count)| (shape.cpu_milli / 1000, count)).collect()
    };
    // 60 + 35 are 95 of 100.
    assert_eq!(cpus(many(5, 1).chain(many(60, 2)).chain(many(35, 3)).collect()), [(2, 60), (3, 35)]);
    assert_eq!(cpus(many(6, 1).chain(many(60, 2)).chain(many(34, 3)).collect()), [(2, 60), (3, 34), (1, 6)]);
    // The larger one first among equally frequent ones.
    assert_eq!(cpus(many(1, 1).chain(many(1, 4)).chain(many(1, 2)).collect()), [(4, 1), (2, 1), (1, 1)]);
    assert_eq!(cpus(Vec::new()), []);
}
