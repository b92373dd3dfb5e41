//! Where the capacity went: delivered, idle, lost, locked. Nothing else can have become of it.

use switchyard_model::{Fleet, SimDuration};

use super::amounts::{Resource, ResourceTime};
use super::attempts::{delivers, taken_at};
use super::horizon::Window;
use super::sweep::{Change, Observer};
use crate::Span;

/// What became of the capacity of one resource within a window: delivered + idle + lost + locked = capacity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    /// Capacity x length of the window.
    pub capacity: ResourceTime,
    /// See [`DELIVERED`](super::definition::DELIVERED).
    pub delivered: ResourceTime,
    /// See [`IDLE`](super::definition::IDLE). Nodes out of service count as idle.
    pub idle: ResourceTime,
    /// See [`LOST`](super::definition::LOST).
    pub lost: ResourceTime,
    /// See [`LOCKED`](super::definition::LOCKED).
    pub locked: ResourceTime,
}

impl Ledger {
    /// See [`UTILISATION`](super::definition::UTILISATION).
    pub fn utilisation(&self) -> f64 {
        self.delivered.share_of(self.capacity)
    }

    /// See [`OCCUPANCY`](super::definition::OCCUPANCY).
    pub fn occupancy(&self) -> f64 {
        (self.delivered + self.lost + self.locked).share_of(self.capacity)
    }

    /// Adds what came of `span`.
    fn add(&mut self, span: &Span, amount: u64, window: Window) {
        let within = |from, to| ResourceTime::of(amount, window.overlap(from, to));
        if delivers(span) {
            self.delivered += within(span.start, span.end);
        } else {
            let taken = taken_at(span);
            self.lost += within(span.start, taken);
            self.locked += within(taken.max(span.start), span.end);
        }
    }
}

/// What became of the machine within a window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ledgers {
    /// Processors.
    pub cpus: Ledger,
    /// GPUs.
    pub gpus: Ledger,
    /// Memory.
    pub memory: Ledger,
    /// Time in which nodes had at least one job.
    pub nodes_in_use: ResourceTime,
    /// Nodes x length of the window.
    pub nodes: ResourceTime,
}

impl Ledgers {
    /// That of one resource.
    pub const fn of(&self, resource: Resource) -> &Ledger {
        match resource {
            Resource::Cpus => &self.cpus,
            Resource::Gpus => &self.gpus,
            Resource::Memory => &self.memory,
        }
    }

    /// `idle` has walked through the same spans and window.
    pub(super) fn new(spans: &[Span], window: Window, idle: &Idle) -> Ledgers {
        let ledger = |resource: Resource, all: u64, idle: ResourceTime| {
            let capacity = ResourceTime::of(all, window.length());
            let mut ledger = Ledger { capacity, idle, ..Ledger::default() };
            spans.iter().for_each(|span| ledger.add(span, resource.held(&span.placement), window));
            ledger
        };
        let [cpus, gpus, memory] = idle.capacity;
        let [idle_cpus, idle_gpus, idle_memory] = idle.integral;
        let nodes = ResourceTime::of(idle.jobs.len() as u64, window.length());
        Ledgers {
            cpus: ledger(Resource::Cpus, cpus, idle_cpus),
            gpus: ledger(Resource::Gpus, gpus, idle_gpus),
            memory: ledger(Resource::Memory, memory, idle_memory),
            nodes,
            nodes_in_use: idle.nodes_in_use,
        }
    }
}

/// Integrates what is free, and which nodes have jobs, from the state of the machine; knows nothing of lengths of attempts.
pub(super) struct Idle {
    /// By resource.
    capacity: [u64; 3],
    free: [u64; 3],
    integral: [ResourceTime; 3],
    /// Jobs on each node.
    jobs: Vec<u32>,
    busy: u64,
    nodes_in_use: ResourceTime,
}

impl Idle {
    pub(super) fn new(fleet: &Fleet) -> Idle {
        let sum = |resource: Resource| {
            fleet.nodes().iter().map(|node| resource.amount(&node.capacity)).fold(0, u64::saturating_add)
        };
        let capacity = Resource::ALL.map(sum);
        Idle {
            capacity,
            free: capacity,
            integral: Default::default(),
            jobs: vec![0; fleet.nodes().len()],
            busy: 0,
            nodes_in_use: ResourceTime::default(),
        }
    }
}

impl Observer for Idle {
    fn change(&mut self, change: &Change<'_>) {
        let (span, starts) = match change {
            Change::Start(span) => (span, true),
            Change::End(span) => (span, false),
            Change::Queue(_) => return,
        };
        for share in span.placement.shares() {
            let Some(jobs) = self.jobs.get_mut(share.node.index()) else { continue };
            for (free, resource) in self.free.iter_mut().zip(Resource::ALL) {
                let given = resource.given(&share);
                *free = if starts { free.saturating_sub(given) } else { free.saturating_add(given) };
            }
            if starts {
                self.busy += u64::from(*jobs == 0);
                *jobs += 1;
            } else {
                *jobs = jobs.saturating_sub(1);
                self.busy = self.busy.saturating_sub(u64::from(*jobs == 0));
            }
        }
    }

    fn hold(&mut self, length: SimDuration) {
        for (integral, free) in self.integral.iter_mut().zip(self.free) {
            *integral += ResourceTime::of(free, length);
        }
        self.nodes_in_use += ResourceTime::of(self.busy, length);
    }
}

#[cfg(test)]
mod tests {
    use super::super::sweep::{starts_and_ends, walk};
    use super::super::testing::{at, fleet, near, preempted, span};
    use super::*;
    use switchyard_model::Outcome;

    fn ledgers(fleet: &Fleet, spans: &[Span], window: Window) -> Ledgers {
        let mut idle = Idle::new(fleet);
        walk(starts_and_ends(spans), window, &mut idle);
        Ledgers::new(spans, window, &idle)
    }

    /// Two nodes of 4 GPUs for 100 s: 800 GPU-seconds. Job 1 holds 4 GPUs in [0, 30), selected at 20; job 2 holds 2 GPUs
    /// in [30, 80) and completes; job 3 held 1 GPU in [0, 10) when its node was lost.
    #[test]
    fn work_of_preempted_attempts_is_lost_and_their_grace_time_is_locked() {
        let fleet = fleet(&[(2, 4, 4)], 0);
        let lost = Span { outcome: Outcome::NodeFail, ..span(3, 0, 0, 10, &[(1, 1, 1)]) };
        let spans =
            [preempted(1, 0, 0, 20, 30, &[(0, 4, 0b1111)]), span(2, 0, 30, 80, &[(0, 1, 0b11)]), lost];
        let gpus = ledgers(&fleet, &spans, Window { from: at(0), to: at(100) }).gpus;
        let secs = |time: ResourceTime| time.as_micros() / 1_000_000;
        assert_eq!([secs(gpus.delivered), secs(gpus.lost), secs(gpus.locked)], [100, 80 + 10, 40]);
        assert_eq!((secs(gpus.idle), secs(gpus.capacity)), (800 - 230, 800));
        near(gpus.utilisation(), 0.125);
        near(gpus.occupancy(), 230.0 / 800.0);
        near(gpus.delivered.as_hours_f64(), 100.0 / 3600.0);
    }

    /// One job ends exactly when the next one starts: the machine is full, never used twice.
    #[test]
    fn half_open_intervals_never_use_more_than_the_whole_machine() {
        let fleet = fleet(&[(1, 2, 4)], 0);
        let whole: &[_] = &[(0, 2, 0b11)];
        let spans = [span(1, 0, 0, 50, whole), span(2, 0, 50, 100, whole), span(3, 0, 50, 50, whole)];
        let ledgers = ledgers(&fleet, &spans, Window { from: at(0), to: at(100) });
        near(ledgers.gpus.utilisation(), 1.0);
        assert_eq!(ledgers.gpus.idle, ResourceTime::default());
        assert_eq!(ledgers.nodes_in_use, ledgers.nodes);
    }

    #[test]
    fn what_lies_outside_of_the_window_does_not_count() {
        let fleet = fleet(&[(2, 1, 4)], 0);
        let spans = [span(1, 0, 0, 50, &[(0, 1, 1)]), preempted(2, 0, 40, 70, 90, &[(1, 1, 1)])];
        let ledgers = ledgers(&fleet, &spans, Window { from: at(30), to: at(80) });
        let cpus = ledgers.cpus;
        let secs = |time: ResourceTime| time.as_micros() / 1_000_000;
        assert_eq!([cpus.delivered, cpus.lost, cpus.locked, cpus.idle].map(secs), [20, 30, 10, 40]);
        assert_eq!(secs(ledgers.nodes_in_use), 60);
    }
}
