//! Without faults and latency, the world gives the schedule that `replay` gives: the same jobs in the same order, at the same
//! microsecond, on the same GPUs.
//!
//! The tolerance is nothing. Where messages and writes take no time, all that follows from an end or a submission happens in
//! its instant, through the login host, the log, its majority and the agents, and the leader's scheduler comes last in that
//! instant. So it sees what the replay's driver sees: at one instant all ends, all submissions, then one pass. With real
//! latencies there is no such equality: what falls together in a replay is milliseconds apart then, and a pass comes between.
//!
//! One rule differs on purpose, and is taken from both here: nobody in the world knows how long a job is going to run, so what a
//! replay charges at dispatch, the world charges at the end ([`Policy::without_foresight`]).
#![allow(clippy::unwrap_used)]

mod harness;

use std::sync::Arc;

use harness::assert_sound;
use rand::RngExt as _;
use switchyard_model::{
    Fleet, FleetSpec, Job, JobId, JobSpec, PerMille, Placement, Resources, Shape, SimDuration, SimTime,
    Stream, Terms, Truth, stream,
};
use switchyard_scheduler::{Policy, ReplayOptions, replay};
use switchyard_sim::{Event, Scenario, Timing, World};

/// The leader is elected and every node has reported by then.
const BEGIN: u64 = 600;

/// Messages, writes and the leader's patience take no time. All that only costs events is rare.
fn instant() -> Timing {
    Timing {
        tick_micros: 5_000_000,
        latency_micros: 0,
        jitter_micros: 0,
        fsync_micros: 0,
        fsync_jitter_micros: 0,
        report_micros: 60_000_000,
        suspect_micros: 200_000_000,
        lease_micros: 600_000_000,
        pass_delay_micros: 0,
        ..Timing::default()
    }
}

/// Two racks of two nodes and two nodes without GPUs.
fn fleet() -> Fleet {
    let mut spec = FleetSpec::uniform("test", 4, Resources { cpus: 16, gpus: 4, memory_mib: 64 });
    spec.classes[0].nodes_per_rack = 2;
    let mut plain = spec.classes[0].clone();
    (plain.name, plain.count, plain.node.gpus) = ("plain".into(), 2, 0);
    spec.classes.push(plain);
    spec.build().unwrap()
}

fn shape(chance: &mut Stream) -> Shape {
    match chance.random_range(0..10) {
        0..=2 => {
            let per_node = Resources { cpus: 16, gpus: 4, memory_mib: 0 };
            Shape::Nodes { nodes: chance.random_range(1..=4), per_node }
        }
        3..=6 => {
            let gpus = chance.random_range(1..=4);
            Shape::Tasks { tasks: 1, per_task: Resources { cpus: gpus * 2, gpus, memory_mib: 0 } }
        }
        7 => Shape::Tasks { tasks: 3, per_task: Resources { cpus: 5, gpus: 0, memory_mib: 20 } },
        _ => Shape::Tasks { tasks: chance.random_range(1..24), per_task: Resources::cpus(1) },
    }
}

/// A queue under pressure. In `coarse` ones all times are whole minutes, so that much falls together.
fn jobs(seed: u64, count: u64, coarse: bool) -> Vec<Job> {
    let mut chance = stream(seed, "replay equals world");
    let unit = if coarse { 60_000_000 } else { 1 };
    let mut submit = BEGIN * 1_000_000;
    let one = |id| {
        let mut span = |max_secs: u64| chance.random_range(0..=max_secs * 1_000_000 / unit) * unit;
        submit += if id % 5 == 0 { span(900) } else { span(60) };
        let runtime = span(3_600);
        let limit = match id % 7 {
            0 => (runtime / 2 / unit).max(1) * unit,
            1 => runtime.max(unit),
            _ => runtime.max(unit) * 2,
        };
        let account = ["research", "trading", "infra"][(id % 3) as usize];
        let spec = JobSpec {
            id: JobId(id),
            user: format!("u{}", id % 4).into(),
            account: account.into(),
            submit: SimTime::from_micros(submit),
            limit: SimDuration::from_micros(limit),
            shape: shape(&mut chance),
            qos: PerMille((id % 4 * 250) as u16),
            terms: Terms::default(),
        };
        Job { spec: Arc::new(spec), truth: Truth::new(SimDuration::from_micros(runtime)) }
    };
    (1..=count).map(one).collect()
}

/// Who started when and where, in order.
type Starts = Vec<(JobId, SimTime, Placement, bool)>;

fn replayed(policy: &Policy, jobs: &[Job]) -> Starts {
    let run = replay(Arc::new(fleet()), jobs, &policy.clone().without_foresight(), ReplayOptions::default())
        .unwrap();
    run.spans
        .into_iter()
        .map(|span| (span.job, span.start, span.placement.unpack(), span.backfilled))
        .collect()
}

fn lived(seed: u64, policy: &Policy, jobs: &[Job]) -> Starts {
    let mut scenario =
        Scenario { policy: Arc::clone(&policy.name), timing: instant(), ..Scenario::yard(seed) };
    scenario.replicas = 3;
    if Policy::named(&policy.name).is_err() {
        scenario.policies = vec![policy.clone()];
    }
    let mut world = World::new(&scenario, fleet(), jobs.to_vec()).unwrap();
    while !world.is_done() {
        assert!(world.now() < SimTime::from_secs(30 * 86_400), "{} never ends", policy.name);
        harness::pass(&mut world, 3_600);
    }
    assert_sound(&world);
    assert_eq!((world.events_dropped(), world.counts().requeued), (0, 0));
    let placed = world.events().iter().filter_map(|record| match record.event {
        Event::JobPlaced { job, backfilled, .. } => Some((job, backfilled)),
        _ => None,
    });
    placed
        .map(|(job, backfilled)| {
            let record = world.book().job(job).unwrap();
            (job, record.started_at, record.placement.clone(), backfilled)
        })
        .collect()
}

/// The first start that differs says more than two long lists.
fn assert_equal(policy: &Policy, seed: u64, jobs: &[Job]) {
    let (replayed, lived) = (replayed(policy, jobs), lived(seed, policy, jobs));
    let differs = replayed.iter().zip(&lived).find(|(replayed, lived)| replayed != lived);
    assert_eq!(differs, None, "{}, seed {seed}: in the replay, then in the world", policy.name);
    assert_eq!(replayed.len(), lived.len(), "{}, seed {seed}", policy.name);
    assert_eq!(replayed.len(), jobs.len());
}

fn named() -> impl Iterator<Item = Policy> {
    Policy::NAMES.into_iter().map(|name| Policy::named(name).unwrap())
}

#[test]
fn every_named_policy_gives_one_schedule_when_much_falls_together() {
    for policy in named() {
        for seed in 0..4 {
            assert_equal(&policy, seed, &jobs(seed, 150, true));
        }
    }
}

#[test]
fn every_named_policy_gives_one_schedule_when_nothing_falls_together() {
    for policy in named() {
        for seed in 4..7 {
            assert_equal(&policy, seed, &jobs(seed, 150, false));
        }
    }
}

#[test]
fn the_workload_is_one_that_tells_policies_apart() {
    let jobs = jobs(0, 150, true);
    let starts: Vec<Starts> = named().map(|policy| replayed(&policy, &jobs)).collect();
    for (place, starts_of) in starts.iter().enumerate() {
        if Policy::NAMES[place] == "conservative-machine" {
            // It is `conservative` wherever somebody in the queue wants more than single processors.
            continue;
        }
        let twin = starts.iter().take(place).position(|other| other == starts_of);
        assert_eq!(twin, None, "{} decides like another one", Policy::NAMES[place]);
    }
}
