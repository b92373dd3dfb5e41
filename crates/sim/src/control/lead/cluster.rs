//! The scheduler's side of the book: the cluster as a policy sees it, rebuilt when a leader begins.

use std::sync::Arc;

use switchyard_model::{NodeId, SimTime};
use switchyard_scheduler::{Cluster, Discipline, Policy};

use crate::book::{Book, JobRecord, JobState, NodeState};
use crate::ground::Ground;

/// The policy that the switch selects. A policy without backfill gets the machine-bound EASY when it is switched on.
pub(super) fn policy_for(policy: &Policy, backfill: bool) -> Policy {
    match (backfill, policy.has_backfill()) {
        (false, _) => policy.backfill_off(),
        (true, true) => policy.clone(),
        (true, false) => Policy { discipline: Discipline::EasyMachine, ..policy.clone() },
    }
}

/// What a job has used, charged to its account when it ends: before that, nobody here knows how long it runs.
pub(super) fn charge(cluster: &mut Cluster, record: &JobRecord) {
    let cpus: u32 = record.placement.0.iter().map(|share| share.cpus).sum();
    let seconds = record.ended_at.since(record.started_at).as_secs_f64();
    cluster.charge(&record.spec.account, f64::from(cpus) * seconds, record.ended_at);
}

/// The scheduler's view of a book.
pub(super) fn cluster_of(book: &Book, policy: &Policy, ground: &Ground) -> Cluster {
    let mut cluster = Cluster::new(Arc::clone(&ground.fleet));
    if let Some(half_life) = policy.half_life() {
        cluster.set_half_life(half_life, SimTime::ZERO);
    }
    let mut finished: Vec<&JobRecord> = Vec::new();
    for (job, record) in book.jobs() {
        if let JobState::Finished(_) = record.state {
            finished.push(record);
            continue;
        }
        // The book holds each job once and gives no resource twice, and all nodes are still in service here.
        drop(cluster.submit(Arc::clone(&record.spec), record.spec.submit));
        if record.state == JobState::Running {
            drop(cluster.start(*job, record.placement.clone(), record.started_at));
        }
    }
    finished.sort_by_key(|record| (record.ended_at, record.spec.id));
    finished.into_iter().for_each(|record| charge(&mut cluster, record));
    for (index, record) in book.nodes().iter().enumerate() {
        cluster.set_available(NodeId(index as u32), record.state == NodeState::Up);
    }
    cluster
}
