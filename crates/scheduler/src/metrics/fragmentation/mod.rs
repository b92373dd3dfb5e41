//! Fragmentation: the part of what is free that is of no use, by three definitions that can disagree.
//!
//! A asks the queue, B the largest request of the workload, C only where jobs are. A low A doesn't mean good packing: while
//! somebody small is always pending, nothing counts as stranded. B has a floor on fleets whose nodes differ, since a small
//! node never has room for the largest request. C never falls from node to rack to switch.
//! Source of all three: the repository k8s-gpu-scheduler-lab.

mod prefix_sums;
mod stranded;
mod structural;

use switchyard_model::{Fleet, Job, SimDuration, SimTime};

use super::amounts::{Resource, ResourceTime};
use super::horizon::Window;
use super::specs::Specs;
use super::sweep::{Change, Observer, Queued, starts_and_ends, walk};
use crate::Run;
use stranded::TooLittle;
use structural::Carved;

/// What definition C counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Counted {
    /// Free CPUs, where CPUs are in use.
    Cpus,
    /// Free GPUs, where GPUs are in use.
    Gpus,
    /// Free GPUs, where anything is in use: an exclusive job can't have a node whose CPUs are busy.
    Any,
}

impl Counted {
    /// All.
    pub const ALL: [Counted; 3] = [Counted::Cpus, Counted::Gpus, Counted::Any];

    /// What it is called in exports.
    pub const fn name(self) -> &'static str {
        match self {
            Counted::Cpus => "cpus",
            Counted::Gpus => "gpus",
            Counted::Any => "any",
        }
    }

    pub(super) const fn measured(self) -> Resource {
        match self {
            Counted::Cpus => Resource::Cpus,
            Counted::Gpus | Counted::Any => Resource::Gpus,
        }
    }
}

/// Integrals of definition C. See [`FRAGMENTATION_C`](super::definition::FRAGMENTATION_C).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Structural {
    /// Of what is free on nodes with something in use.
    pub node: ResourceTime,
    /// In racks with something in use.
    pub rack: ResourceTime,
    /// Under switches with something in use.
    pub switch: ResourceTime,
    /// Of all that is free.
    pub free: ResourceTime,
}

impl Structural {
    /// The names of the levels of [`shares`](Self::shares).
    pub const LEVELS: [&'static str; 3] = ["node", "rack", "switch"];

    /// Definition C at node, rack and switch.
    pub fn shares(&self) -> [f64; 3] {
        [self.node, self.rack, self.switch].map(|carved| carved.share_of(self.free))
    }
}

/// Integrals of the definitions A and B.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stranded {
    /// Of what is free on nodes that have too little for all who are pending: the numerator of A.
    pub queue: ResourceTime,
    /// Of what is free on nodes that have too little for the largest request of the workload: the numerator of B.
    pub largest: ResourceTime,
    /// That largest request per node.
    pub reference: u32,
    /// Of all that is free.
    pub free: ResourceTime,
    /// Of all there is.
    pub capacity: ResourceTime,
}

impl Stranded {
    /// See [`FRAGMENTATION_A`](super::definition::FRAGMENTATION_A).
    pub fn a(&self) -> f64 {
        self.queue.share_of(self.free)
    }

    /// See [`FRAGMENTATION_A_OF_FLEET`](super::definition::FRAGMENTATION_A_OF_FLEET).
    pub fn a_of_fleet(&self) -> f64 {
        self.queue.share_of(self.capacity)
    }

    /// See [`FRAGMENTATION_B`](super::definition::FRAGMENTATION_B).
    pub fn b(&self) -> f64 {
        self.largest.share_of(self.free)
    }
}

/// All definitions of a schedule within a window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fragmentation {
    /// A and B of CPUs.
    pub cpus: Stranded,
    /// A and B of GPUs.
    pub gpus: Stranded,
    /// C, in the order of [`Counted::ALL`].
    pub structural: [Structural; 3],
}

impl Fragmentation {
    /// Of a schedule within a window. Costs the logarithm of the number of attempts for each of them, and the logarithm of
    /// the largest node for each node touched.
    pub fn of(run: &Run, fleet: &Fleet, jobs: &[Job], window: Window) -> Fragmentation {
        let specs = Specs::of(jobs);
        let mut fragments = Fragments::new(fleet, &specs);
        walk(changes(run, &specs), window, &mut fragments);
        fragments.result()
    }

    /// C of one way of counting.
    pub fn structural(&self, counted: Counted) -> Structural {
        let found = Counted::ALL.iter().zip(self.structural).find(|(each, _)| **each == counted);
        found.map(|(_, structural)| structural).unwrap_or_default()
    }
}

/// Everything that happens: starts, ends, and who is pending.
pub(super) fn changes<'a>(run: &'a Run, specs: &Specs<'_>) -> Vec<(SimTime, Change<'a>)> {
    let mut changes = starts_and_ends(&run.spans);
    let mut pending = |job, eligible: Option<SimTime>, until: Option<SimTime>| {
        let Some(spec) = specs.get(job) else { return };
        let (_, each) = spec.shape.parts();
        let from = eligible.unwrap_or_else(|| spec.submit.max(spec.terms.begin));
        if until.is_some_and(|until| until <= from) {
            return;
        }
        let queued = |joins| Change::Queue(Queued { joins, cpus: each.cpus, gpus: each.gpus });
        changes.push((from, queued(true)));
        changes.extend(until.map(|until| (until, queued(false))));
    };
    for span in &run.spans {
        pending(span.job, Some(span.eligible), Some(span.start));
    }
    for (job, _) in &run.never_started {
        pending(*job, None, None);
    }
    changes
}

/// Integrates all definitions.
pub(super) struct Fragments {
    cpus: TooLittle,
    gpus: TooLittle,
    structural: [Carved; 3],
}

impl Fragments {
    pub(super) fn new(fleet: &Fleet, specs: &Specs<'_>) -> Fragments {
        let largest = specs.all().fold((0, 0), |(cpus, gpus), spec| {
            let (_, each) = spec.shape.parts();
            (each.cpus.max(cpus), each.gpus.max(gpus))
        });
        Fragments {
            cpus: TooLittle::new(fleet, Resource::Cpus, largest.0),
            gpus: TooLittle::new(fleet, Resource::Gpus, largest.1),
            structural: Counted::ALL.map(|counted| Carved::new(fleet, counted)),
        }
    }

    pub(super) fn result(&self) -> Fragmentation {
        Fragmentation {
            cpus: self.cpus.result(),
            gpus: self.gpus.result(),
            structural: self.structural.each_ref().map(Carved::result),
        }
    }
}

impl Observer for Fragments {
    fn change(&mut self, change: &Change<'_>) {
        let (span, starts) = match change {
            Change::Start(span) => (span, true),
            Change::End(span) => (span, false),
            Change::Queue(queued) => {
                self.cpus.queue(queued.cpus, queued.joins);
                self.gpus.queue(queued.gpus, queued.joins);
                return;
            }
        };
        for share in span.placement.shares() {
            self.cpus.change(&share, starts);
            self.gpus.change(&share, starts);
            self.structural.iter_mut().for_each(|carved| carved.change(&share, starts));
        }
    }

    fn hold(&mut self, length: SimDuration) {
        if length.is_zero() {
            return;
        }
        self.cpus.hold(length);
        self.gpus.hold(length);
        self.structural.iter_mut().for_each(|carved| carved.hold(length));
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{at, fleet, job, near, run, span};
    use super::*;

    fn secs(time: ResourceTime) -> u128 {
        time.as_micros() / 1_000_000
    }

    /// The vector that both seed labs share: two nodes of 8 in rack 0, two of 4 in rack 1, one switch; free are 8, 3, 4
    /// and 0 GPUs from 0 to 10, and all from 10 to 20. Numerators of C over 390 GPU-seconds: 30, 150, 150.
    #[test]
    fn the_golden_vector_of_definition_c() {
        let fleet = fleet(&[(2, 8, 2), (2, 4, 2)], 0);
        let jobs = [job(1, "a", 0, 10, 10, 1, 5), job(2, "a", 0, 10, 10, 1, 4)];
        let spans = vec![span(1, 0, 0, 10, &[(1, 5, 0b1_1111)]), span(2, 0, 0, 10, &[(3, 4, 0b1111)])];
        let window = Window { from: at(0), to: at(20) };
        let fragmentation = Fragmentation::of(&run(&fleet, spans), &fleet, &jobs, window);
        for counted in [Counted::Gpus, Counted::Any, Counted::Cpus] {
            let c = fragmentation.structural(counted);
            assert_eq!([c.node, c.rack, c.switch, c.free].map(secs), [30, 150, 150, 390], "{counted:?}");
            near(c.shares()[1], 150.0 / 390.0);
        }
    }

    /// A node whose CPUs alone are busy is in use only by the count of anything.
    #[test]
    fn a_job_of_cpus_alone_carves_no_gpus_but_the_node() {
        let fleet = fleet(&[(2, 4, 4)], 0);
        let spans = vec![span(1, 0, 0, 10, &[(0, 1, 0)])];
        let jobs = [job(1, "a", 0, 10, 10, 1, 0)];
        let fragmentation =
            Fragmentation::of(&run(&fleet, spans), &fleet, &jobs, Window { from: at(0), to: at(10) });
        let of = |counted| fragmentation.structural(counted);
        assert_eq!(secs(of(Counted::Gpus).switch), 0);
        assert_eq!([of(Counted::Any).node, of(Counted::Any).rack].map(secs), [40, 80]);
        assert_eq!([of(Counted::Cpus).node, of(Counted::Cpus).free].map(secs), [30, 70]);
    }

    /// Two nodes of 4 GPUs with 3 and 4 free. A job for 4 is pending in [10, 30), one for 2 in [20, 25): A counts the 3
    /// while the smaller isn't there. The largest request is 4, so that B counts the 3 all the time, to 40.
    #[test]
    fn a_asks_the_smallest_pending_request_and_b_the_largest_of_all() {
        let fleet = fleet(&[(2, 4, 4)], 0);
        let spans = vec![
            span(1, 0, 0, 40, &[(0, 1, 1)]),
            span(2, 10, 30, 40, &[(1, 4, 0b1111)]),
            span(3, 20, 25, 26, &[(0, 2, 0b110)]),
        ];
        let jobs = [job(1, "a", 0, 9, 9, 1, 1), job(2, "a", 10, 9, 9, 1, 4), job(3, "a", 20, 9, 9, 1, 2)];
        let window = Window { from: at(0), to: at(40) };
        let gpus = Fragmentation::of(&run(&fleet, spans), &fleet, &jobs, window).gpus;
        let a = 3 * 10 + 1 + 3 * 4;
        let free = 7 * 25 + 5 + 7 * 4 + 3 * 10;
        assert_eq!([gpus.queue, gpus.largest, gpus.free].map(secs), [a, 3 * 39 + 1, free]);
        assert_eq!(gpus.reference, 4);
        near(gpus.a_of_fleet(), a as f64 / 320.0);
    }

    /// A node of 2 of 4 free beside a queue that wants nothing: unused, not fragmented.
    #[test]
    fn what_nobody_wants_is_idle_and_not_stranded() {
        let fleet = fleet(&[(1, 4, 4)], 0);
        let spans = vec![span(1, 0, 0, 10, &[(0, 2, 0b11)])];
        let jobs = [job(1, "a", 0, 10, 10, 1, 2)];
        let gpus =
            Fragmentation::of(&run(&fleet, spans), &fleet, &jobs, Window { from: at(0), to: at(10) }).gpus;
        assert_eq!(secs(gpus.queue), 0);
        assert_eq!(secs(gpus.free), 20);
    }
}
