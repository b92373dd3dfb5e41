//! The leader makes passes when its scheduler wants one, though nothing happens then.
#![allow(clippy::unwrap_used)]

mod harness;

use std::sync::Arc;

use harness::{assert_sound, job, pass, scenario, world};
use switchyard_model::{Dependency, DependencyKind, Job, JobId, SimDuration, SimTime};
use switchyard_sim::{Command, JobState, World};

fn with(mut job: Job, change: impl FnOnce(&mut switchyard_model::Terms)) -> Job {
    change(&mut Arc::get_mut(&mut job.spec).unwrap().terms);
    job
}

fn started(world: &World, job: u64) -> Option<SimTime> {
    let record = world.book().job(JobId(job)).unwrap();
    (record.attempt > 0).then_some(record.started_at)
}

#[test]
fn a_job_with_a_begin_time_starts_by_itself_then() {
    let begin = SimTime::from_secs(500);
    let mut world = world(1, 3, 2, vec![with(job(1, 10, 60, 60, 1), |terms| terms.begin = begin)]);
    pass(&mut world, 499);
    let before = world.passes();
    assert_eq!(started(&world, 1), None);
    pass(&mut world, 2);
    assert_eq!(started(&world, 1), Some(begin), "at that very moment");
    assert_eq!(world.passes() - before, 1);
    pass(&mut world, 100);
    assert!(world.is_done());
    assert_sound(&world);
}

#[test]
fn a_new_leader_looks_at_the_clock_anew() {
    let begin = SimTime::from_secs(500);
    let mut world = world(2, 3, 2, vec![with(job(1, 10, 60, 60, 1), |terms| terms.begin = begin)]);
    for _ in 0..3 {
        pass(&mut world, 100);
        let leader = world.leader().unwrap().0.id();
        world.apply(Command::CrashReplica(leader)).unwrap();
        world.apply(Command::RestartReplica(leader)).unwrap();
    }
    pass(&mut world, 400);
    assert_eq!(started(&world, 1), Some(begin));
    assert_sound(&world);
}

#[test]
fn who_waits_for_the_start_of_another_goes_with_it() {
    let after = Dependency { job: JobId(1), kind: DependencyKind::After };
    let second = with(job(2, 10, 60, 60, 1), |terms| terms.after = vec![after]);
    let mut world = world(3, 3, 2, vec![job(1, 20, 60, 60, 1), second]);
    pass(&mut world, 30);
    assert_eq!(started(&world, 1), started(&world, 2));
    assert!(started(&world, 1).is_some());
}

#[test]
fn a_new_leader_knows_how_those_ended_that_others_depend_on() {
    let after = |kind| Dependency { job: JobId(1), kind };
    let well = with(job(2, 300, 60, 60, 1), |terms| terms.after = vec![after(DependencyKind::AfterOk)]);
    let ill = with(job(3, 300, 60, 60, 1), |terms| terms.after = vec![after(DependencyKind::AfterNotOk)]);
    let mut world = world(4, 3, 2, vec![job(1, 10, 60, 60, 1), well, ill]);
    pass(&mut world, 200);
    let leader = world.leader().unwrap().0.id();
    world.apply(Command::CrashReplica(leader)).unwrap();
    pass(&mut world, 200);
    assert!(started(&world, 2).is_some());
    assert_eq!(started(&world, 3), None);
}

#[test]
fn timers_run_while_jobs_wait_and_rest_when_all_is_done() {
    // Priorities are calculated anew every five minutes.
    let mut setup = scenario(5, 3, 2);
    setup.policy = "seed-lab-off".into();
    let fleet = setup.fleet.clone().unwrap().build().unwrap();
    let mut world =
        World::new(&setup, fleet, vec![job(1, 10, 3_600, 3_600, 2), job(2, 20, 60, 60, 2)]).unwrap();
    pass(&mut world, 60);
    let before = world.passes();
    pass(&mut world, 3_000);
    assert_eq!(world.passes() - before, 10);
    pass(&mut world, 1_000);
    assert!(world.is_done() && world.book().job(JobId(2)).unwrap().state != JobState::Pending);
    let before = world.passes();
    let until = world.now() + SimDuration::from_secs(86_400);
    world.run_until(until, u64::MAX);
    assert_eq!(world.passes(), before);
    assert_sound(&world);
}
