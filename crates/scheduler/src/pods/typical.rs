//! The typical pods of a workload and how fragmented a node is for them.
//!
//! After Weng et al., "Beware of Fragmentation: Scheduling GPU-Sharing Workloads with Fragmentation Gradient Descent"
//! (USENIX ATC 2023). Everything is counted in whole numbers, weighted with how often a shape occurs, and divided at the
//! very end: a difference of two states is exact, so that no rounding decides between nodes.

use std::collections::BTreeMap;
use std::ops::{AddAssign, SubAssign};

use switchyard_model::PodSpec;

use super::shape::{NodeRoom, PodShape};

/// The shapes that most pods have, and how often each occurs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypicalPods {
    /// Most frequent first; among equals the larger shape, in the order of [`PodShape`].
    shapes: Vec<(PodShape, u64)>,
    /// The sum of their frequencies.
    total: u64,
}

impl TypicalPods {
    /// The share of all pods that the typical ones make up at least, in per cent.
    pub const POPULARITY_PERCENT: u64 = 95;

    /// The most frequent shapes of `pods` until they make up [`Self::POPULARITY_PERCENT`] of all.
    pub fn of(pods: &[PodSpec]) -> TypicalPods {
        let mut counts: BTreeMap<PodShape, u64> = BTreeMap::new();
        for pod in pods {
            *counts.entry(PodShape::of(pod)).or_default() += 1;
        }
        let mut shapes: Vec<(PodShape, u64)> = counts.into_iter().collect();
        shapes.sort_by(|(a, many), (b, more)| (more, b).cmp(&(many, a)));
        let mut total = 0;
        let enough = |total: u64| total * 100 >= pods.len() as u64 * TypicalPods::POPULARITY_PERCENT;
        let typical = shapes.into_iter().take_while(|(_, count)| {
            let more = !enough(total);
            total += if more { *count } else { 0 };
            more
        });
        let shapes = typical.collect();
        TypicalPods { shapes, total }
    }

    /// The shapes with how often each occurs.
    pub fn shapes(&self) -> impl Iterator<Item = (&PodShape, u64)> {
        self.shapes.iter().map(|(shape, count)| (shape, *count))
    }

    /// How many pods have one of the shapes: what [`Fragments`] are divided by.
    pub const fn total(&self) -> u64 {
        self.total
    }

    /// How the free GPUs of a node divide into what typical pods could use and what they couldn't.
    ///
    /// For each shape, with the share of pods that have it as weight:
    /// - without GPUs: all free GPU is lost on it ([`xl`](Fragments::xl), or [`xr`](Fragments::xr) where the CPU is short too);
    /// - of another GPU model: all free GPU is lost ([`no_access`](Fragments::no_access));
    /// - fits: what is free on GPUs with less than the shape's share is lost and counts as lack of GPU
    ///   ([`q2`](Fragments::q2)), the rest can be used ([`q3`](Fragments::q3));
    /// - doesn't fit: all free GPU is lost, for lack of both ([`q1`](Fragments::q1)), GPU (`q2`) or CPU ([`q4`](Fragments::q4)).
    pub fn fragments(&self, room: &NodeRoom) -> Fragments {
        let free = room.total_gpu_milli();
        let mut sum = Fragments::default();
        if free == 0 {
            return sum;
        }
        for (shape, count) in &self.shapes {
            sum.add(Verdict::of(shape, room), room, shape.gpu_milli, *count, free);
        }
        sum
    }
}

/// How a shape and a node go together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Q1: neither GPU nor CPU suffices.
    LacksBoth,
    /// Q2: the GPUs don't suffice.
    LacksGpu,
    /// Q3: it fits.
    Fits,
    /// Q4: the CPU doesn't suffice.
    LacksCpu,
    /// XL: it needs no GPU and fits.
    CpuOnlyFits,
    /// XR: it needs no GPU, and the CPU doesn't suffice.
    CpuOnlyLacks,
    /// The node's GPUs are of a model that won't do.
    NoAccess,
}

impl Verdict {
    /// The verdict about `shape` on a node with this `room`. Memory doesn't count.
    pub fn of(shape: &PodShape, room: &NodeRoom) -> Verdict {
        let cpu = room.cpu_milli >= shape.cpu_milli;
        if shape.gpus == 0 {
            return if cpu { Verdict::CpuOnlyFits } else { Verdict::CpuOnlyLacks };
        }
        if !shape.accepts(&room.model) {
            return Verdict::NoAccess;
        }
        match (room.has_gpus(shape), cpu) {
            (true, true) => Verdict::Fits,
            (true, false) => Verdict::LacksCpu,
            (false, true) => Verdict::LacksGpu,
            (false, false) => Verdict::LacksBoth,
        }
    }
}

/// Free GPU by what typical pods can do with it: thousandths of a GPU, times how many pods that is said of.
///
/// Divided by [`TypicalPods::total`] it is an expectation over typical pods. All seven together are the free GPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fragments {
    /// Lacks both.
    pub q1: u64,
    /// Lacks GPU.
    pub q2: u64,
    /// Can be used.
    pub q3: u64,
    /// Lacks CPU.
    pub q4: u64,
    /// The pod needs no GPU and fits.
    pub xl: u64,
    /// The pod needs no GPU and lacks CPU.
    pub xr: u64,
    /// The GPU model won't do.
    pub no_access: u64,
}

impl Fragments {
    /// All free GPU, usable or not.
    pub const fn idle(&self) -> u64 {
        self.fragmented() + self.q3
    }

    /// What can't be used: the F(n) of the paper.
    pub const fn fragmented(&self) -> u64 {
        self.q1 + self.q2 + self.q4 + self.xl + self.xr + self.no_access
    }

    fn add(&mut self, verdict: Verdict, room: &NodeRoom, share: u32, count: u64, free: u64) {
        let all = count * free;
        match verdict {
            Verdict::LacksBoth => self.q1 += all,
            Verdict::LacksGpu => self.q2 += all,
            Verdict::LacksCpu => self.q4 += all,
            Verdict::CpuOnlyFits => self.xl += all,
            Verdict::CpuOnlyLacks => self.xr += all,
            Verdict::NoAccess => self.no_access += all,
            Verdict::Fits => {
                let small = room.gpu_milli.iter().filter(|&&free| free < share);
                let lost = count * small.copied().map(u64::from).sum::<u64>();
                self.q2 += lost;
                self.q3 += all - lost;
            }
        }
    }
}

impl AddAssign for Fragments {
    fn add_assign(&mut self, other: Fragments) {
        self.q1 += other.q1;
        self.q2 += other.q2;
        self.q3 += other.q3;
        self.q4 += other.q4;
        self.xl += other.xl;
        self.xr += other.xr;
        self.no_access += other.no_access;
    }
}

impl SubAssign for Fragments {
    fn sub_assign(&mut self, other: Fragments) {
        self.q1 -= other.q1;
        self.q2 -= other.q2;
        self.q3 -= other.q3;
        self.q4 -= other.q4;
        self.xl -= other.xl;
        self.xr -= other.xr;
        self.no_access -= other.no_access;
    }
}
