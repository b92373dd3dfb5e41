//! How a site runs its cluster: partitions, qualities of service, associations, licences, advance reservations.
//!
//! The names are Slurm's. The default site has one partition of all nodes, and no limits.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{JobSpec, NodeId, Resources, SimDuration, SimTime, Terms};

/// The configuration of a cluster, apart from its machines and from how its queue is scheduled.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Site {
    /// Empty means one partition of all nodes. A job that names none goes to the first with `default`, else to the first.
    pub partitions: Vec<Partition>,
    /// Qualities of service. A job whose quality is not listed has no rights and no limits by it.
    pub qos: Vec<Qos>,
    /// Accounts and users with shares and limits. Who isn't listed has one share and no limits.
    pub associations: Vec<Association>,
    /// How many there are of each licence.
    pub licences: BTreeMap<Arc<str>, u32>,
    /// Nodes kept for some for a while.
    pub reservations: Vec<AdvanceReservation>,
}

/// The partition that a job goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Destination {
    /// The site has no partitions: the job may use all nodes.
    Anywhere,
    /// The partition at this place of [`Site::partitions`].
    Partition(usize),
    /// The job names a partition that the site doesn't have.
    Unknown,
}

impl Site {
    /// Whether it holds no job back: no partitions, limits, licences, reservations.
    pub fn is_plain(&self) -> bool {
        self.partitions.is_empty()
            && self.qos.is_empty()
            && self.associations.is_empty()
            && self.licences.is_empty()
            && self.reservations.is_empty()
    }

    /// The partition that a job with these terms goes to. Without partitions any name will do.
    pub fn destination(&self, terms: &Terms) -> Destination {
        if self.partitions.is_empty() {
            return Destination::Anywhere;
        }
        let mut partitions = self.partitions.iter();
        match &terms.partition {
            Some(name) => partitions
                .position(|partition| partition.name == *name)
                .map_or(Destination::Unknown, Destination::Partition),
            None => Destination::Partition(partitions.position(|partition| partition.default).unwrap_or(0)),
        }
    }

    /// The job with the time limit that counts here: one that gives none gets its partition's.
    pub fn with_limit(&self, spec: Arc<JobSpec>) -> Arc<JobSpec> {
        let here = match self.destination(&spec.terms) {
            Destination::Partition(place) if spec.limit.is_zero() => self.partitions.get(place),
            _ => None,
        };
        match here.and_then(|partition| partition.default_time.or(partition.max_time)) {
            Some(limit) => Arc::new(JobSpec { limit, ..Arc::unwrap_or_clone(spec) }),
            None => spec,
        }
    }
}

/// A set of nodes with rules of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Partition {
    /// Its name.
    pub name: Arc<str>,
    /// Its nodes; `None` means all.
    #[serde(default)]
    pub nodes: Option<Vec<NodeId>>,
    /// Where jobs go that name no partition.
    #[serde(default)]
    pub default: bool,
    /// The longest time limit (`MaxTime`).
    #[serde(default)]
    pub max_time: Option<SimDuration>,
    /// The time limit of jobs that give none, which is a limit of zero (`DefaultTime`). Without it they get `max_time`.
    #[serde(default)]
    pub default_time: Option<SimDuration>,
    /// The most nodes of one job (`MaxNodes`).
    #[serde(default)]
    pub max_nodes: Option<u32>,
    /// Jobs of a higher tier are looked at first, and may preempt lower ones (`PriorityTier`).
    #[serde(default = "one")]
    pub tier: u16,
    /// What the partition counts in the priority, relative to the largest of all partitions (`PriorityJobFactor`).
    #[serde(default = "one")]
    pub job_factor: u16,
    /// What happens to its jobs when others need room, if not what the cluster says (`PreemptMode`).
    #[serde(default)]
    pub preempt: Option<PreemptMode>,
    /// How long a preempted job of it may still run (`GraceTime`).
    #[serde(default)]
    pub grace: SimDuration,
    /// Its jobs share no nodes (`OverSubscribe=EXCLUSIVE`).
    #[serde(default)]
    pub exclusive: bool,
    /// It starts no jobs (`State=DOWN`).
    #[serde(default)]
    pub down: bool,
}

const fn one() -> u16 {
    1
}

impl Partition {
    /// A partition of these nodes (`None`: all) without limits.
    pub fn new(name: &str, nodes: Option<Vec<NodeId>>) -> Partition {
        Partition {
            name: name.into(),
            nodes,
            default: false,
            max_time: None,
            default_time: None,
            max_nodes: None,
            tier: 1,
            job_factor: 1,
            preempt: None,
            grace: SimDuration::ZERO,
            exclusive: false,
            down: false,
        }
    }
}

/// A quality of service.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Qos {
    /// Its name.
    pub name: Arc<str>,
    /// Its priority; what counts is its part of the highest of all.
    pub priority: u32,
    /// The qualities of service whose jobs it may preempt.
    pub preempt: Vec<Arc<str>>,
    /// What happens to its jobs when others need room, if not what the cluster says (`PreemptMode`).
    pub preempt_mode: Option<PreemptMode>,
    /// How long a preempted job of it may still run (`GraceTime`).
    pub grace: SimDuration,
    /// A job of it can't be preempted before it has run this long (`PreemptExemptTime`).
    pub exempt: Option<SimDuration>,
    /// Limits on its jobs, taken together and per user.
    pub limits: Limits,
}

/// What happens to a preempted job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum PreemptMode {
    /// It can't be preempted.
    Off,
    /// It is ended.
    Cancel,
    /// It goes back to the queue.
    Requeue,
}

/// An account, or a user of an account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Association {
    /// The account.
    pub account: Arc<str>,
    /// The user; `None` for the account itself.
    #[serde(default)]
    pub user: Option<Arc<str>>,
    /// The account above this one; `None` is the root. Only for accounts.
    #[serde(default)]
    pub parent: Option<Arc<str>>,
    /// Its shares among its siblings (`Fairshare`).
    #[serde(default = "one_share")]
    pub shares: u32,
    /// Limits on its jobs.
    #[serde(default)]
    pub limits: Limits,
}

const fn one_share() -> u32 {
    1
}

/// Limits; `None` means none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Running jobs in all (`GrpJobs`).
    pub jobs: Option<u32>,
    /// Running jobs of one user (`MaxJobsPerUser`).
    pub jobs_per_user: Option<u32>,
    /// Resources of all running jobs (`GrpTRES`).
    pub running: Option<ResourceCap>,
    /// Resources of one user's running jobs (`MaxTRESPerUser`).
    pub running_per_user: Option<ResourceCap>,
    /// Resources of one job (`MaxTRESPerJob`).
    pub per_job: Option<ResourceCap>,
    /// The longest time limit of a job (`MaxWall`).
    pub wall: Option<SimDuration>,
}

/// The most of each resource; `None` means any amount.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ResourceCap {
    /// Processors.
    pub cpus: Option<u32>,
    /// GPUs.
    pub gpus: Option<u32>,
    /// Memory in MiB.
    pub memory_mib: Option<u64>,
    /// Nodes.
    pub nodes: Option<u32>,
}

impl ResourceCap {
    /// Whether `amount` on `nodes` nodes is within the cap.
    pub fn allows(&self, amount: &Resources, nodes: u32) -> bool {
        self.cpus.is_none_or(|most| amount.cpus <= most)
            && self.gpus.is_none_or(|most| amount.gpus <= most)
            && self.memory_mib.is_none_or(|most| amount.memory_mib <= most)
            && self.nodes.is_none_or(|most| nodes <= most)
    }
}

/// Nodes that are kept for some jobs from one moment to another (Slurm: `scontrol create reservation`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AdvanceReservation {
    /// Its name; jobs ask for it by that.
    pub name: Arc<str>,
    /// When it begins.
    pub start: SimTime,
    /// When it ends.
    pub end: SimTime,
    /// Its nodes.
    pub nodes: Vec<NodeId>,
    /// Who may use it; empty with empty `accounts` means nobody (maintenance).
    #[serde(default)]
    pub users: Vec<Arc<str>>,
    /// Which accounts may use it.
    #[serde(default)]
    pub accounts: Vec<Arc<str>>,
}

impl AdvanceReservation {
    /// Whether this job may use it.
    pub fn admits(&self, spec: &JobSpec) -> bool {
        self.users.contains(&spec.user) || self.accounts.contains(&spec.account)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{JobId, Shape};

    fn spec(partition: Option<&str>, limit: u64) -> Arc<JobSpec> {
        let shape = Shape::Tasks { tasks: 1, per_task: Resources::cpus(1) };
        let mut spec = JobSpec::new(JobId(1), SimTime::ZERO, SimDuration::from_secs(limit), shape);
        spec.terms.partition = partition.map(Into::into);
        Arc::new(spec)
    }

    #[test]
    fn a_job_goes_to_the_partition_that_it_names_or_to_the_default_one() {
        let to = |site: &Site, partition| site.destination(&spec(partition, 1).terms);
        let none = Site::default();
        assert_eq!(to(&none, Some("gpu")), Destination::Anywhere);
        let mut site =
            Site { partitions: vec![Partition::new("cpu", None), Partition::new("gpu", None)], ..none };
        assert_eq!(to(&site, Some("gpu")), Destination::Partition(1));
        assert_eq!(to(&site, None), Destination::Partition(0));
        assert_eq!(to(&site, Some("fpga")), Destination::Unknown);
        site.partitions[1].default = true;
        assert_eq!(to(&site, None), Destination::Partition(1));
    }

    #[test]
    fn a_missing_limit_is_the_default_of_the_partition_else_its_longest() {
        let secs = |secs| Some(SimDuration::from_secs(secs));
        let short =
            Partition { default_time: secs(60), max_time: secs(900), ..Partition::new("short", None) };
        let long = Partition { max_time: secs(7200), ..Partition::new("long", None) };
        let site = Site { partitions: vec![short, long, Partition::new("free", None)], ..Site::default() };
        let limit = |partition, limit| Some(site.with_limit(spec(Some(partition), limit)).limit);
        assert_eq!((limit("short", 0), limit("long", 0), limit("free", 0)), (secs(60), secs(7200), secs(0)));
        assert_eq!((limit("short", 5), limit("nowhere", 0)), (secs(5), secs(0)));
    }
}
