//! What must hold when replicas die, part and come back.
#![allow(clippy::unwrap_used)]

mod harness;

use std::collections::BTreeSet;

use harness::{assert_sound, job, pass, world};
use switchyard_model::{JobId, NodeId, Outcome, ReplicaId, SimTime};
use switchyard_sim::{Command, Endpoint, Event, JobState, World};

fn leader(world: &World) -> Option<ReplicaId> {
    world.leader().map(|(replica, _)| replica.id())
}

fn finished(world: &World) -> Vec<u64> {
    let done = world.book().jobs().iter().filter(|(_, record)| matches!(record.state, JobState::Finished(_)));
    done.map(|(job, _)| job.0).collect()
}

#[test]
fn jobs_are_accepted_started_and_finished() {
    let mut world = world(1, 5, 4, vec![job(1, 10, 60, 100, 2), job(2, 11, 500, 100, 1)]);
    pass(&mut world, 300);
    assert_sound(&world);
    assert!(world.is_done());
    let ended = |id| world.book().job(JobId(id)).unwrap().state;
    assert_eq!(ended(1), JobState::Finished(Outcome::Completed));
    assert_eq!(ended(2), JobState::Finished(Outcome::TimeLimit));
    let started = world.book().job(JobId(1)).unwrap().started_at;
    assert!(started < SimTime::from_secs(11), "started at {started}");
}

#[test]
fn killing_the_leader_pauses_starts_for_an_election_and_nothing_else() {
    let jobs = vec![job(1, 10, 600, 700, 4), job(2, 20, 10, 100, 1), job(3, 700, 10, 100, 1)];
    let mut world = world(3, 5, 4, jobs);
    pass(&mut world, 100);
    let old = leader(&world).unwrap();
    assert_eq!(world.busy_units(), 32);
    world.apply(Command::CrashReplica(old)).unwrap();
    assert_eq!(leader(&world), None);
    assert_eq!(world.busy_units(), 32, "running jobs run on");
    let limit = world.timing().election_timeout_max().as_micros() * 3 / 1_000_000;
    pass(&mut world, limit);
    let new = leader(&world).unwrap();
    assert_ne!(new, old);
    assert_eq!(world.busy_units(), 32, "running jobs run on under the new leader");
    pass(&mut world, 1_000);
    assert_eq!(finished(&world), [1, 2, 3]);
    assert_eq!(world.counts().requeued, 0, "no job was run again");
    assert_sound(&world);
}

#[test]
fn a_minority_commits_nothing_and_after_healing_all_logs_agree() {
    let jobs = (1..=20).map(|id| job(id, 10 * id, 30, 60, 1)).collect();
    let mut world = world(4, 5, 4, jobs);
    pass(&mut world, 50);
    let old = leader(&world).unwrap();
    let mate = ReplicaId((old.0 + 1) % 5);
    let side = BTreeSet::from([Endpoint::Replica(old), Endpoint::Replica(mate)]);
    let before = world.replicas()[old.index()].applied();
    world.apply(Command::Partition(side)).unwrap();
    pass(&mut world, 60);
    // What had committed before the cut may still be learned of; nothing new can be.
    for cut in [old, mate] {
        assert!(world.replicas()[cut.index()].applied() <= before + 2);
    }
    let new = leader(&world).unwrap();
    assert!(new != old && new != mate, "the majority side has a leader of its own");
    assert!(world.replicas()[old.index()].lead().is_none(), "the old leader stood down");
    assert!(world.replicas()[new.index()].applied() > before + 5, "the majority goes on");
    world.apply(Command::Heal).unwrap();
    pass(&mut world, 600);
    let logs: Vec<_> = world
        .replicas()
        .iter()
        .map(|replica| {
            let log = replica.raft().unwrap().log();
            (log.last_index(), log.last_term(), replica.applied(), replica.book().unwrap().clone())
        })
        .collect();
    assert!(logs.windows(2).all(|pair| pair[0] == pair[1]));
    assert!(world.is_done());
    assert_sound(&world);
}

#[test]
fn everything_acknowledged_survives_when_all_replicas_lose_power() {
    let jobs: Vec<_> = (1..=10).map(|id| job(id, id, 400, 500, 1)).collect();
    let mut world = world(5, 5, 4, jobs);
    pass(&mut world, 30);
    let accepted = world.book().jobs().len();
    assert_eq!(accepted, 10);
    for id in 0..5 {
        world.apply(Command::CrashReplica(ReplicaId(id))).unwrap();
    }
    pass(&mut world, 5);
    assert_eq!(leader(&world), None);
    assert_eq!(world.busy_units(), 32, "the nodes run on for as long as their leases last");
    for id in 0..5 {
        world.apply(Command::RestartReplica(ReplicaId(id))).unwrap();
    }
    pass(&mut world, 12);
    let leader = world.leader().unwrap().0;
    assert_eq!(leader.book().unwrap().jobs().len(), accepted);
    assert_eq!(world.busy_units(), 32);
    pass(&mut world, 3_000);
    assert!(world.is_done());
    assert_eq!(world.counts().requeued, 0);
    assert_sound(&world);
}

#[test]
fn a_submission_is_retried_without_a_duplicate() {
    let jobs: Vec<_> = (1..=30).map(|id| job(id, 20 + id, 5, 60, 1)).collect();
    let mut world = world(6, 3, 4, jobs);
    pass(&mut world, 20);
    // The answers are lost, the requests are not: every job is asked for at least twice.
    for id in 0..3 {
        let from = Endpoint::Replica(ReplicaId(id));
        world.apply(Command::CutLink { from, to: Endpoint::Login }).unwrap();
    }
    pass(&mut world, 10);
    assert_eq!(world.book().jobs().len(), 1, "it is in the book, but the login host can't know");
    assert!(world.login().unanswered() > 0);
    world.apply(Command::Heal).unwrap();
    pass(&mut world, 200);
    assert!(world.is_done());
    assert_eq!((world.counts().finished, world.login().refused()), (30, 0));
    let accepted =
        world.events().iter().filter(|record| matches!(record.event, Event::JobAccepted(_))).count();
    assert_eq!(accepted, 30);
    assert_sound(&world);
}

#[test]
fn a_node_without_contact_keeps_its_jobs_until_its_lease_must_have_ended() {
    let mut world = world(7, 5, 2, vec![job(1, 5, 3_600, 4_000, 1)]);
    pass(&mut world, 60);
    let node = world.book().job(JobId(1)).unwrap().placement.0[0].node;
    let cut = world.now();
    world.apply(Command::Partition(BTreeSet::from([Endpoint::Node(node)]))).unwrap();
    pass(&mut world, 14);
    let told = |world: &World, wanted: &dyn Fn(&Event) -> bool| {
        world.events().iter().find(|record| wanted(&record.event)).map(|record| record.at)
    };
    assert!(told(&world, &|event| *event == Event::NodeSuspect(node)).is_some(), "silence makes it suspect");
    assert_eq!(world.counts().requeued, 0, "and no more than that");
    assert_eq!(world.busy_units(), 8);
    pass(&mut world, 60);
    let fenced = told(&world, &|event| matches!(event, Event::NodeFencedItself { stopped: 1, .. })).unwrap();
    let requeued = told(&world, &|event| matches!(event, Event::JobRequeued { .. })).unwrap();
    assert!(fenced < requeued, "fenced at {fenced}, requeued at {requeued}");
    assert!(fenced <= cut + world.timing().lease());
    let record = world.book().job(JobId(1)).unwrap();
    assert_eq!(record.state, JobState::Running, "it runs on the other node");
    assert_ne!(record.placement.0[0].node, node);
    world.apply(Command::Heal).unwrap();
    pass(&mut world, 20);
    assert_eq!(world.node_state(node), Some(switchyard_sim::NodeState::Up), "it is taken back");
    assert_sound(&world);
}

#[test]
fn a_node_that_reboots_gives_its_jobs_back_at_once() {
    let mut world = world(8, 3, 2, vec![job(1, 5, 600, 700, 2)]);
    pass(&mut world, 60);
    world.apply(Command::CrashNode(NodeId(0))).unwrap();
    assert_eq!(world.busy_units(), 8, "the other half runs on for now");
    world.apply(Command::RestartNode(NodeId(0))).unwrap();
    pass(&mut world, 5);
    assert_eq!(world.counts().requeued, 1);
    pass(&mut world, 800);
    assert!(world.is_done());
    assert_sound(&world);
}

#[test]
fn what_can_not_be_done_is_refused_in_a_sentence() {
    let mut world = world(9, 3, 2, Vec::new());
    let mut said = |command| world.apply(command).unwrap_err().to_string();
    assert_eq!(
        said(Command::RestartReplica(ReplicaId(1))),
        "Replica B is running; there is nothing to restart."
    );
    assert_eq!(
        said(Command::CrashReplica(ReplicaId(9))),
        "There is no replica number 9; this control plane has 3."
    );
    assert_eq!(said(Command::RestartNode(NodeId(1))), "Node n2 is running; there is nothing to restart.");
    assert_eq!(said(Command::CrashNode(NodeId(2))), "There is no node number 2; this fleet has 2.");
    assert_eq!(said(Command::Heal), "No link is cut; there is nothing to heal.");
    assert_eq!(said(Command::Partition(BTreeSet::new())), "A partition needs someone on both sides.");
}
