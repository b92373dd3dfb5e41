//! What a cluster refuses to do.

use switchyard_model::{JobId, NodeId};
use thiserror::Error;

/// Why the cluster can't do what it was told.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ClusterError {
    /// Job numbers are unique among live jobs.
    #[error("job {job} is already in the queue or running; give each job its own number")]
    Duplicate {
        /// The job.
        job: JobId,
    },
    /// Only a pending job can start.
    #[error("job {job} can't start: it is not in the queue")]
    NotPending {
        /// The job.
        job: JobId,
    },
    /// Only a running job can end or go back to the queue.
    #[error("job {job} is not running")]
    NotRunning {
        /// The job.
        job: JobId,
    },
    /// The fleet has no such node.
    #[error("node {node} is not part of the fleet")]
    NoSuchNode {
        /// The node.
        node: NodeId,
    },
    /// A node that is out of service takes no new jobs.
    #[error("job {job} can't start on node {node}: it is out of service")]
    NodeUnavailable {
        /// The job.
        job: JobId,
        /// The node.
        node: NodeId,
    },
    /// Someone else holds what the placement names.
    #[error("job {job} can't start on node {node}: not enough is free there")]
    NoRoom {
        /// The job.
        job: JobId,
        /// The node.
        node: NodeId,
    },
    /// Running jobs hold the licences.
    #[error("job {job} can't start: not enough of its licences are free")]
    NoLicences {
        /// The job.
        job: JobId,
    },
}
