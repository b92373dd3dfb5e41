//! The scheduler's side of the book: the cluster as a policy sees it, rebuilt when a leader begins.

use std::sync::Arc;

use switchyard_model::NodeId;
use switchyard_scheduler::{Cluster, Discipline, Policy, Scheduler};

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

/// What a job has used that ended before this leader's time; later ones the scheduler sees end by itself.
fn charge(scheduler: &mut Scheduler, record: &JobRecord) {
    let cpus: u32 = record.placement.0.iter().map(|share| share.cpus).sum();
    let seconds = record.ended_at.since(record.started_at).as_secs_f64();
    scheduler.charge(&record.spec, f64::from(cpus) * seconds, record.ended_at);
}

/// The scheduler's view of a book; `scheduler` hears what accounts have used.
pub(super) fn cluster_of(book: &Book, scheduler: &mut Scheduler, ground: &Ground) -> Cluster {
    let mut cluster = Cluster::new(Arc::clone(&ground.fleet));
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
    finished.into_iter().for_each(|record| charge(scheduler, record));
    for (index, record) in book.nodes().iter().enumerate() {
        cluster.set_available(NodeId(index as u32), record.state == NodeState::Up);
    }
    cluster
}
