//! Slurm's priorities at work: small cases worked by hand.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::float_cmp)] // exact, by hand

mod harness;

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use switchyard_model::{
    FleetSpec, Job, JobId, JobSpec, Outcome, PerMille, Resources, Shape, SimDuration, Truth,
};
use switchyard_scheduler::{
    Charge, Cluster, Discipline, FairShare, Multifactor, Order, PlacementRule, Policy, ReplayOptions,
    Scheduler, SizeRule, UsageReset, Weights, replay,
};

use harness::{at, processors, tasks};

const fn secs(secs: u64) -> SimDuration {
    SimDuration::from_secs(secs)
}

/// Fair shares count, then nothing but arrival.
fn by_share(fair_share: FairShare, calc_period: u64) -> Multifactor {
    let weights = Weights { fairshare: 10_000, ..Weights::default() };
    Multifactor { weights, fair_share, calc_period: secs(calc_period), ..Multifactor::slurm() }
}

fn policy(rules: Multifactor, discipline: Discipline) -> Policy {
    let (order, placement) = (Order::Multifactor(rules), PlacementRule::FirstFit);
    Policy { name: "test".into(), order, discipline, placement, preempt: None }
}

/// A job on some of the processors, with its limit as runtime.
fn job(id: u64, account: &str, submit: u64, runtime: u64, cpus: u32) -> Job {
    let spec = JobSpec {
        user: account.into(),
        account: account.into(),
        ..JobSpec::new(JobId(id), at(submit), secs(runtime), tasks(cpus))
    };
    Job { spec: Arc::new(spec), truth: Truth::new(secs(runtime)) }
}

/// When each job starts, in seconds.
fn starts(procs: u32, jobs: &[Job], rules: Multifactor) -> BTreeMap<u64, f64> {
    let fleet = Arc::new(FleetSpec::processors(procs).build().unwrap());
    let run = replay(fleet, jobs, &policy(rules, Discipline::Strict), ReplayOptions::default()).unwrap();
    run.spans.iter().map(|span| (span.job.0, span.start.as_secs_f64())).collect()
}

/// Four processors: a's job runs from 0 for `first` seconds; one of a (number 2) and a later one of b (3) wait for all four.
fn who_is_next(first: u64, rules: Multifactor) -> u64 {
    let jobs = [job(1, "a", 0, first, 4), job(2, "a", 10, 50, 4), job(3, "b", 20, 50, 4)];
    let starts = starts(4, &jobs, rules);
    *starts.iter().find(|(_, start)| **start == first as f64).unwrap().0
}

/// Every minute it is noticed that a has used the cluster, once an hour it isn't.
#[test]
fn the_calculation_period_flips_the_order() {
    assert_eq!(who_is_next(500, by_share(FairShare::FairTree, 60)), 3);
    assert_eq!(who_is_next(500, by_share(FairShare::FairTree, 3600)), 2);
    assert_eq!(who_is_next(500, by_share(FairShare::FairTree, 0)), 3);
}

/// Ticks at 100 and 200. What a used until 100 counts in the Fair Tree from 100, in the classic formula from 200.
#[test]
fn classic_fair_share_trails_by_one_period() {
    for (first, tree, classic) in [(50, 2, 2), (150, 3, 2), (250, 3, 3)] {
        assert_eq!(who_is_next(first, by_share(FairShare::FairTree, 100)), tree, "{first} s");
        assert_eq!(who_is_next(first, by_share(FairShare::Classic, 100)), classic, "{first} s");
    }
}

/// 2 and 7 of 100 processors with a weight of 10 give 0.2 and 0.7, beside 500 for the quality of service.
#[test]
fn whole_priorities_tie_and_the_earlier_goes_first() {
    let weights = Weights { job_size: 10, qos: 500, ..Weights::default() };
    let rules = |integer| Multifactor { weights, integer, size: SizeRule::Cpus, ..Multifactor::slurm() };
    let mut jobs =
        [job(1, "a", 0, 900, 93), job(2, "a", 0, 100, 7), job(3, "a", 10, 50, 2), job(4, "a", 20, 50, 7)];
    for job in &mut jobs[2..] {
        Arc::make_mut(&mut job.spec).qos = PerMille(1000);
    }
    let of = |integer| {
        let starts = starts(100, &jobs, rules(integer));
        (starts[&3], starts[&4])
    };
    assert_eq!(of(true), (100.0, 150.0));
    assert_eq!(of(false), (150.0, 100.0));
}

/// A cluster of four processors and its scheduler, driven by hand.
struct Desk {
    cluster: Cluster,
    scheduler: Scheduler,
}

impl Desk {
    fn new(rules: Multifactor) -> Desk {
        Desk { cluster: processors(4), scheduler: Scheduler::new(policy(rules, Discipline::Strict)) }
    }

    fn submit(&mut self, job: &Job) {
        self.cluster.submit(Arc::clone(&job.spec), job.spec.submit).unwrap();
        self.pass(job.spec.submit.as_micros() / 1_000_000);
    }

    fn pass(&mut self, now: u64) {
        for start in self.scheduler.plan(&self.cluster, at(now)).starts {
            self.cluster.start(start.job, start.placement, at(now)).unwrap();
        }
    }

    fn finish(&mut self, job: u64, now: u64) {
        self.cluster.finish(JobId(job), Outcome::Completed).unwrap();
        self.pass(now);
    }

    fn used(&self) -> f64 {
        self.scheduler.usage().total()
    }
}

fn without_decay(charge: Charge, calc_period: u64) -> Multifactor {
    Multifactor {
        charge,
        half_life: SimDuration::ZERO,
        usage_reset: UsageReset::Weekly,
        ..by_share(FairShare::FairTree, calc_period)
    }
}

#[test]
fn usage_is_charged_at_the_end_or_as_it_accrues() {
    let used = |charge, calc_period| {
        let mut desk = Desk::new(without_decay(charge, calc_period));
        desk.submit(&job(1, "a", 0, 1_000, 4));
        desk.submit(&job(2, "b", 0, 1_000, 4));
        desk.pass(350);
        let before = desk.used();
        desk.finish(1, 370);
        (before, desk.used())
    };
    assert_eq!(used(Charge::AtEnd, 100), (0.0, 1_480.0));
    // Three ticks, and the rest at the end.
    assert_eq!(used(Charge::Periodic, 100), (1_200.0, 1_480.0));
    // Whenever the scheduler looks.
    assert_eq!(used(Charge::Periodic, 0), (1_400.0, 1_480.0));
    assert_eq!(used(Charge::AtDispatch, 100), (0.0, 0.0));
}

/// The first pass plans the start, the second already hears of the end.
#[test]
fn a_job_that_starts_and_ends_between_two_passes_is_charged() {
    for charge in [Charge::AtEnd, Charge::Periodic] {
        let mut desk = Desk::new(without_decay(charge, 100));
        desk.submit(&job(1, "a", 0, 1_000, 2));
        desk.finish(1, 250);
        assert_eq!(desk.used(), 500.0);
    }
}

#[test]
fn a_start_that_was_planned_and_never_happened_costs_nothing() {
    let mut desk = Desk::new(without_decay(Charge::Periodic, 100));
    let spec = job(1, "a", 0, 1_000, 2).spec;
    desk.cluster.submit(spec, at(0)).unwrap();
    assert_eq!(desk.scheduler.plan(&desk.cluster, at(0)).starts.len(), 1);
    desk.cluster.cancel(JobId(1)).unwrap();
    desk.pass(250);
    assert_eq!(desk.used(), 0.0);
}

/// Both have used the same, which ranks both first in the Fair Tree, and is exactly their share: 0.5 by the classic formula.
#[test]
fn a_priority_is_a_snapshot_of_its_parts() {
    let weights = Weights { age: 1_000, fairshare: 10_000, qos: 100, ..Weights::default() };
    let mut desk =
        Desk::new(Multifactor { weights, max_age: secs(1_000), ..without_decay(Charge::Periodic, 100) });
    desk.submit(&job(1, "a", 0, 1_000, 2));
    desk.submit(&job(2, "b", 0, 1_000, 2));
    desk.submit(&job(3, "b", 40, 1_000, 1));
    let said = |desk: &Desk, now| {
        let parts = desk.scheduler.priority_of(&desk.cluster, JobId(3), at(now)).unwrap();
        (parts.as_of, parts.age, parts.fairshare, parts.priority)
    };
    assert_eq!(said(&desk, 99), (at(40), 0.0, 10_000.0, 10_000.0));
    desk.pass(100);
    assert_eq!(said(&desk, 170), (at(100), 60.0, 10_000.0, 10_060.0));
    let Order::Multifactor(mut rules) = desk.scheduler.policy().order.clone() else { unreachable!() };
    rules.fair_share = FairShare::Classic;
    desk.scheduler.set_policy(policy(rules, Discipline::Strict));
    desk.pass(120);
    assert_eq!(said(&desk, 170), (at(120), 80.0, 5_000.0, 5_080.0));
    desk.pass(200);
    assert_eq!(said(&desk, 299), (at(200), 160.0, 5_000.0, 5_160.0));
    assert_eq!(desk.scheduler.priority_of(&desk.cluster, JobId(1), at(300)), None);
    let plain = Scheduler::new(Policy::named("easy").unwrap());
    assert_eq!(plain.priority_of(&desk.cluster, JobId(3), at(300)), None);
}

/// The switch for backfill, and whatever else makes the scheduler look at everything again.
#[test]
fn a_change_of_policy_charges_nobody_twice() {
    let mut desk = Desk::new(without_decay(Charge::Periodic, 100));
    desk.submit(&job(1, "a", 0, 1_000, 1));
    desk.submit(&job(2, "a", 0, 1_000, 1));
    desk.pass(200);
    let other = policy(without_decay(Charge::Periodic, 100), Discipline::EasyCount);
    desk.scheduler.set_policy(other);
    // The second ends before the scheduler has looked again.
    desk.cluster.finish(JobId(2), Outcome::Completed).unwrap();
    desk.pass(250);
    assert_eq!(desk.used(), 200.0 + 250.0);
    desk.pass(300);
    desk.finish(1, 330);
    assert_eq!(desk.used(), 330.0 + 250.0);
}

/// The run begins at 23:00. The tick at midnight forgets the first hour, then charges for it: so says Slurm's order.
#[test]
fn usage_is_reset_at_midnight() {
    const HOUR: u64 = 3600;
    let mut rules = without_decay(Charge::Periodic, HOUR);
    (rules.usage_reset, rules.calendar_offset) = (UsageReset::Daily, secs(23 * HOUR));
    let mut desk = Desk::new(rules);
    desk.submit(&job(1, "a", 0, 100 * HOUR, 1));
    let mut used = |hour: u64| {
        desk.pass(hour * HOUR);
        desk.used() / HOUR as f64
    };
    assert_eq!([used(1), used(2), used(24), used(25), used(26)], [1.0, 2.0, 24.0, 1.0, 2.0]);
}

#[test]
fn what_was_used_before_is_forgotten_at_once_if_so_wished() {
    let used = |usage_reset| {
        let mut desk = Desk::new(Multifactor { usage_reset, ..without_decay(Charge::Periodic, 100) });
        desk.scheduler.charge(&job(9, "a", 0, 1, 1).spec, 70.0, at(0));
        desk.submit(&job(1, "a", 0, 1_000, 1));
        desk.pass(100);
        desk.used()
    };
    assert_eq!((used(UsageReset::Now), used(UsageReset::Weekly)), (100.0, 170.0));
}

proptest! {
    /// A job that can never run keeps the queue from being empty, so that every tick is taken at its time. When it is not
    /// there, ticks are made up for; that must not show.
    #[test]
    fn ticks_that_are_made_up_for_are_as_good_as_ticks_in_time(
        rows in prop::collection::vec((0u64..3_000, 1u64..900, 1u32..5, 0usize..3), 1..25),
        classic in any::<bool>(), period in prop::sample::select(vec![1u64, 40, 300]),
    ) {
        let mut jobs: Vec<Job> = rows
            .iter()
            .zip(2..)
            .map(|(&(submit, runtime, cpus, account), id)| job(id, ["a", "b", "c"][account], submit, runtime, cpus))
            .collect();
        let rule = if classic { FairShare::Classic } else { FairShare::FairTree };
        let rules = Multifactor { half_life: secs(700), ..by_share(rule, period) };
        let alone = starts(4, &jobs, rules.clone());
        let first = jobs.iter().map(|job| (job.spec.submit, Arc::clone(&job.spec.account))).min().unwrap();
        let shape = Shape::Nodes { nodes: 9, per_node: Resources::cpus(1) };
        let never = JobSpec { account: Arc::clone(&first.1), user: first.1, ..JobSpec::new(JobId(1), first.0, secs(1), shape) };
        jobs.push(Job { spec: Arc::new(never), truth: Truth::new(secs(1)) });
        prop_assert_eq!(alone, starts(4, &jobs, rules));
    }
}
