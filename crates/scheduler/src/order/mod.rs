//! Who is next.

mod fairshare;
mod multifactor;

use serde::{Deserialize, Serialize};
use switchyard_model::SimTime;

use crate::Cluster;
use crate::cluster::Pending;

pub use multifactor::{Charge, Multifactor, Weights};

/// How the queue is ordered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Order {
    /// By arrival, ties by job number (Slurm: `priority/basic`).
    #[default]
    Fifo,
    /// By a weighted sum of factors (Slurm: `priority/multifactor`).
    Multifactor(Multifactor),
}

impl Order {
    /// The waiting jobs, first in line first.
    pub(crate) fn queue<'a>(&self, cluster: &'a Cluster, now: SimTime) -> Queue<'a> {
        match self {
            // A long queue that nobody looks into is not worth a copy.
            Order::Fifo => Queue::Arrival(Box::new(cluster.pending())),
            Order::Multifactor(multifactor) => Queue::Sorted(multifactor.sort(cluster, now).into_iter()),
        }
    }
}

/// The waiting jobs in queue order.
pub(crate) enum Queue<'a> {
    Arrival(Box<dyn Iterator<Item = &'a Pending> + 'a>),
    Sorted(std::vec::IntoIter<&'a Pending>),
}

impl<'a> Iterator for Queue<'a> {
    type Item = &'a Pending;

    fn next(&mut self) -> Option<&'a Pending> {
        match self {
            Queue::Arrival(jobs) => jobs.next(),
            Queue::Sorted(jobs) => jobs.next(),
        }
    }
}
