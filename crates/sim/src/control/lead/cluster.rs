//! The scheduler's side of the book: the cluster as a policy sees it, rebuilt when a leader begins.

use std::sync::Arc;

use switchyard_model::NodeId;
use switchyard_scheduler::{Cluster, Scheduler};

use crate::book::{Book, JobRecord, JobState, NodeState};
use crate::ground::Ground;

/// Charges accounts for the jobs that have ended; what ends from now on the scheduler sees by itself.
pub(super) fn charge_for_the_past(book: &Book, scheduler: &mut Scheduler) {
    let ended = |record: &&JobRecord| matches!(record.state, JobState::Finished(_));
    let mut ended: Vec<&JobRecord> = book.jobs().values().filter(ended).collect();
    ended.sort_by_key(|record| (record.ended_at, record.spec.id));
    for record in ended {
        let cpus: u32 = record.placement.0.iter().map(|share| share.cpus).sum();
        let seconds = record.ended_at.since(record.started_at).as_secs_f64();
        scheduler.charge(&record.spec, f64::from(cpus) * seconds, record.ended_at);
    }
}

/// The scheduler's view of a book.
pub(super) fn cluster_of(book: &Book, ground: &Ground) -> Cluster {
    let mut cluster = Cluster::new(Arc::clone(&ground.fleet));
    for (job, record) in book.jobs() {
        if let JobState::Finished(outcome) = record.state {
            cluster.remember(*job, outcome);
            continue;
        }
        let running = record.state == JobState::Running;
        // The book holds each job once and gives no resource twice, and all nodes are still in service here.
        let before = record.attempt - u32::from(running);
        drop(cluster.resubmit(Arc::clone(&record.spec), record.spec.submit, before));
        if running {
            drop(cluster.start(*job, record.placement.clone(), record.started_at));
        }
    }
    for (index, record) in book.nodes().iter().enumerate() {
        cluster.set_available(NodeId(index as u32), record.state == NodeState::Up);
    }
    cluster
}
