//! Random schedules, counted second by second and node by node: slow, plain, and equal to the figures.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use proptest::prelude::*;
use switchyard_model::{
    Fleet, GpuSet, Job, JobId, Kept, Node, NodeId, NodeShare, Outcome, Placement, SimTime,
};

use super::testing::{at, fleet, job, run, span};
use super::*;
use crate::{Reason, Run, Span};

/// All happens before this second.
const END: u64 = 60;

#[derive(Clone, Debug)]
struct Wish {
    job: u64,
    start: u64,
    length: u64,
    nodes: Vec<u32>,
    gpus: u32,
    cpus: u32,
    ends: (u8, u64),
}

fn wishes() -> impl Strategy<Value = Vec<Wish>> {
    let nodes = prop::collection::btree_set(0u32..8, 1..4);
    let wish = (0u64..12, 0u64..50, 0u64..20, nodes, 0u32..4, 0u32..3, (0u8..5, 0u64..20));
    let wish = wish.prop_map(|(job, start, length, nodes, gpus, cpus, ends)| {
        let nodes = nodes.into_iter().collect();
        Wish { job, start, length: length.min(END - start), nodes, gpus, cpus, ends }
    });
    prop::collection::vec(wish, 0..25)
}

fn fleets() -> impl Strategy<Value = Fleet> {
    (prop::collection::vec((1u32..5, 0u32..6, 1u32..4), 1..3), 0u32..3)
        .prop_map(|(classes, racks_per_switch)| fleet(&classes, racks_per_switch))
}

fn covers(span: &Span, second: u64) -> bool {
    span.start <= at(second) && at(second) < span.end
}

/// The GPUs and the CPUs of a node that are in use.
fn used(spans: &[Span], node: &Node, second: u64) -> (GpuSet, u32, usize) {
    let live = spans.iter().filter(|span| covers(span, second));
    let shares = live.filter_map(|span| span.placement.share_of(node.id));
    shares.fold((GpuSet(0), 0, 0), |(gpus, cpus, jobs), share| {
        (gpus.union(share.gpus), cpus + share.cpus, jobs + 1)
    })
}

/// Grants the wishes that fit, in order of their starts. An attempt after another one of its job had that one preempted.
fn schedule(fleet: &Fleet, mut wishes: Vec<Wish>) -> (Run, Vec<Job>) {
    wishes.sort_by_key(|wish| wish.start);
    let mut spans: Vec<Span> = Vec::new();
    for wish in &wishes {
        let place = |&node: &u32| {
            let node = fleet.node(NodeId(node))?;
            let seconds = || (wish.start..wish.start + wish.length).map(|second| used(&spans, node, second));
            let taken = seconds().fold(GpuSet(0), |sum, (gpus, _, _)| sum.union(gpus));
            let gpus = GpuSet::first(node.capacity.gpus).minus(taken).lowest(wish.gpus)?;
            let fits = seconds().all(|(_, cpus, _)| cpus + wish.cpus <= node.capacity.cpus);
            fits.then_some(NodeShare { node: node.id, cpus: wish.cpus, memory_mib: 1, gpus })
        };
        let Some(shares) = wish.nodes.iter().map(place).collect::<Option<Vec<_>>>() else { continue };
        let before =
            spans.iter_mut().filter(|span| span.job == JobId(wish.job)).max_by_key(|span| span.attempt);
        let mut attempt = 1;
        if let Some(before) = before {
            if before.end > at(wish.start) {
                continue;
            }
            attempt = before.attempt + 1;
            take_away(before);
        }
        spans.push(granted(wish, attempt, &Placement(shares)));
    }
    let jobs: Vec<Job> =
        (0..15).map(|id| job(id, ["a", "b"][id as usize % 2], id, 30, id, 2, id as u32 % 5)).collect();
    let never_started =
        [13, 14].map(|id| (JobId(id), Reason::PartitionDown { partition: "p".into() })).to_vec();
    (Run { never_started, ..run(fleet, spans) }, jobs)
}

fn granted(wish: &Wish, attempt: u32, placement: &Placement) -> Span {
    let (start, end) = (wish.start, wish.start + wish.length);
    let outcome = match wish.ends.0 {
        0 => Outcome::NodeFail,
        1 => Outcome::Preempted,
        2 => Outcome::TimeLimit,
        _ => Outcome::Completed,
    };
    let mut span = Span { attempt, outcome, ..span(wish.job, wish.job.min(start), start, end, &[]) };
    span.eligible = at(start.saturating_sub(wish.ends.1).max(wish.job.min(start)));
    span.placement = Kept::from(placement);
    if outcome == Outcome::Preempted {
        span.preempted_at = Some(at((start + wish.ends.1).min(end)));
    }
    span
}

fn take_away(span: &mut Span) {
    if !matches!(span.outcome, Outcome::NodeFail | Outcome::Preempted) {
        span.outcome = Outcome::Preempted;
        span.preempted_at = Some(span.start);
    }
}

fn secs(time: ResourceTime) -> u64 {
    assert_eq!(time.as_micros() % 1_000_000, 0);
    (time.as_micros() / 1_000_000) as u64
}

/// What is true of each node in a second.
struct Second {
    /// Node, rack, switch.
    domains: [u32; 3],
    free: [u64; 2],
    used: [u64; 2],
    jobs: usize,
}

fn second(fleet: &Fleet, spans: &[Span], second: u64) -> Vec<Second> {
    let of = |node: &Node| {
        let (gpus, cpus, jobs) = used(spans, node, second);
        let used = [u64::from(cpus), u64::from(gpus.len())];
        let free = [u64::from(node.capacity.cpus) - used[0], u64::from(node.capacity.gpus) - used[1]];
        Second { domains: [node.id.0, node.rack.0, fleet.switch_of(node.rack)], free, used, jobs }
    };
    fleet.nodes().iter().map(of).collect()
}

/// The sum of free `measured` over the nodes whose domain has something `busy`.
fn carved(nodes: &[Second], level: usize, measured: usize, busy: impl Fn(&Second) -> bool) -> u64 {
    let in_use =
        |node: &&Second| nodes.iter().any(|other| other.domains[level] == node.domains[level] && busy(other));
    nodes.iter().filter(in_use).map(|node| node.free[measured]).sum()
}

/// The smallest request of the pending jobs for CPUs and for GPUs, of those that ask for any; 0 without one.
fn smallest(run: &Run, jobs: &[Job], now: SimTime) -> u64 {
    let mut pending: Vec<JobId> = run
        .spans
        .iter()
        .filter(|span| span.eligible <= now && now < span.start)
        .map(|span| span.job)
        .collect();
    pending.extend(run.never_started.iter().map(|(job, _)| *job));
    let asked =
        |id: &JobId| jobs.iter().find(|job| job.spec.id == *id && (job.spec.submit <= now || id.0 < 13));
    let amounts = pending.iter().filter_map(asked).map(|job| u64::from(job.spec.shape.parts().1.gpus));
    amounts.filter(|&amount| amount > 0).min().unwrap_or(0)
}

fn stranded(nodes: &[Second], resource: usize, bound: u64) -> u64 {
    nodes.iter().map(|node| node.free[resource]).filter(|&free| free < bound).sum()
}

proptest! {
    #[test]
    fn fragmentation_is_what_counting_each_second_gives(
        fleet in fleets(), wishes in wishes(), from in 0u64..30, length in 0u64..50,
    ) {
        let (run, jobs) = schedule(&fleet, wishes);
        let window = Window { from: at(from), to: at(from + length) };
        let found = Fragmentation::of(&run, &fleet, &jobs, window);
        let mut expected = [[0; 4]; 3];
        let mut a_and_b = [[0; 3]; 2];
        for now in from..from + length {
            let nodes = second(&fleet, &run.spans, now);
            let smallest = smallest(&run, &jobs, at(now));
            for (level, sum) in expected[0].iter_mut().take(3).enumerate() {
                *sum += carved(&nodes, level, 0, |node| node.used[0] > 0);
            }
            for (level, sum) in expected[1].iter_mut().take(3).enumerate() {
                *sum += carved(&nodes, level, 1, |node| node.used[1] > 0);
            }
            for (level, sum) in expected[2].iter_mut().take(3).enumerate() {
                *sum += carved(&nodes, level, 1, |node| node.jobs > 0);
            }
            for (counted, resource) in [0, 1, 1].into_iter().enumerate() {
                expected[counted][3] += stranded(&nodes, resource, u64::MAX);
            }
            for (resource, sums) in a_and_b.iter_mut().enumerate() {
                sums[0] += stranded(&nodes, resource, smallest);
                sums[1] += stranded(&nodes, resource, 4);
                sums[2] += stranded(&nodes, resource, u64::MAX);
            }
        }
        let of = found.structural.map(|c| [c.node, c.rack, c.switch, c.free].map(secs));
        prop_assert_eq!(of, expected);
        let of = [found.cpus, found.gpus].map(|s| [s.queue, s.largest, s.free].map(secs));
        prop_assert_eq!(of, a_and_b);
    }

    #[test]
    fn definition_c_never_falls_from_node_to_rack_to_switch(fleet in fleets(), wishes in wishes()) {
        let (run, jobs) = schedule(&fleet, wishes);
        let metrics = Metrics::of(&run, &fleet, &jobs, MetricsOptions::default());
        for c in metrics.fragmentation.structural {
            prop_assert!(c.node <= c.rack && c.rack <= c.switch && c.switch <= c.free);
        }
    }

    /// Idle time is integrated from the state of the machine, the rest from the attempts.
    #[test]
    fn delivered_idle_lost_and_locked_are_the_whole_capacity(
        fleet in fleets(), wishes in wishes(), horizon in prop::sample::select(Horizon::ALL.to_vec()),
    ) {
        let (run, jobs) = schedule(&fleet, wishes);
        let metrics = Metrics::of(&run, &fleet, &jobs, MetricsOptions { horizon, ..MetricsOptions::default() });
        for resource in Resource::ALL {
            let ledger = metrics.ledgers.of(resource);
            let sum = ledger.delivered + ledger.idle + ledger.lost + ledger.locked;
            prop_assert_eq!(sum, ledger.capacity, "{}", resource.name());
        }
        prop_assert!(metrics.ledgers.nodes_in_use <= metrics.ledgers.nodes);
    }

    #[test]
    fn curves_say_what_is_in_use_each_second(fleet in fleets(), wishes in wishes()) {
        let (run, jobs) = schedule(&fleet, wishes);
        let curves = Curves::of(&run, &jobs);
        for now in 0..=END {
            let nodes = second(&fleet, &run.spans, now);
            let sum = |of: fn(&Second) -> u64| nodes.iter().map(of).sum::<u64>();
            let running = run.spans.iter().filter(|span| covers(span, now)).count() as u64;
            let found = [&curves.cpus, &curves.gpus, &curves.memory, &curves.nodes, &curves.running];
            let found = found.map(|series| series.at(at(now)));
            let memory = sum(|node| node.jobs as u64);
            let busy = sum(|node| u64::from(node.jobs > 0));
            prop_assert_eq!(found, [sum(|node| node.used[0]), sum(|node| node.used[1]), memory, busy, running]);
            let mut last_end = BTreeMap::new();
            let mut pending = run.never_started.iter().filter(|(job, _)| job.0 <= now).count() as u64;
            for span in &run.spans {
                let from = last_end.insert(span.job, span.end).unwrap_or(span.submit);
                pending += u64::from(from <= at(now) && at(now) < span.start);
            }
            prop_assert_eq!(curves.pending.at(at(now)), pending);
        }
        prop_assert!(curves.cpus.steps().is_sorted_by(|a, b| a.at < b.at && a.value != b.value));
        let ledgers = Metrics::of(&run, &fleet, &jobs, MetricsOptions::default()).ledgers;
        let all = Horizon::default().window(&run.spans);
        prop_assert_eq!(curves.nodes.integral(all), ledgers.nodes_in_use);
    }

    #[test]
    fn every_figure_is_a_finite_number_in_its_range(fleet in fleets(), wishes in wishes()) {
        let (run, jobs) = schedule(&fleet, wishes);
        let metrics = Metrics::of(&run, &fleet, &jobs, MetricsOptions::default());
        for row in metrics.rows() {
            let Some(value) = row.value else { continue };
            prop_assert!(value.is_finite(), "{}", row.key());
            let accuracy = row.definition.key == "time_limit_accuracy";
            prop_assert!(row.definition.unit != Unit::Share || accuracy || (0.0..=1.0).contains(&value), "{} is {value}", row.key());
        }
        let rho = metrics.sizes.rho.unwrap_or_default();
        prop_assert!((-1.000_001..=1.000_001).contains(&rho));
    }

    #[test]
    fn the_order_of_the_spans_does_not_matter(fleet in fleets(), wishes in wishes()) {
        let (run, jobs) = schedule(&fleet, wishes);
        let mut turned = run.clone();
        turned.spans.reverse();
        let of = |run: &Run| Metrics::of(run, &fleet, &jobs, MetricsOptions::default());
        prop_assert_eq!(of(&run), of(&turned));
    }
}
