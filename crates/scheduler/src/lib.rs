//! The decisions: who starts next, where, and why everyone else waits. Replay of a trace, metrics.
//!
//! A [`Policy`] is data: an [`Order`], a queue [`Discipline`] and a [`PlacementRule`]. A [`Scheduler`] carries it out: it
//! looks at a [`Cluster`], which holds all that a policy may know, and returns a [`Plan`]. The same object serves
//! [`replay`], which runs a trace as fast as the machine goes, and the leader of the simulated world.
//!
//! True runtimes are opened in the replay only (it ends the jobs); [`Scheduler::plan`] sees requests and time limits.
//!
//! ```
//! use std::sync::Arc;
//! use switchyard_model::{FleetSpec, JobId, JobSpec, Resources, Shape, SimDuration, SimTime};
//! use switchyard_scheduler::{Cluster, Policy, Scheduler};
//!
//! let fleet = Arc::new(FleetSpec::yard().build()?);
//! let mut cluster = Cluster::new(fleet);
//! let shape = Shape::Nodes { nodes: 2, per_node: Resources { cpus: 64, gpus: 8, memory_mib: 0 } };
//! let job = JobSpec::new(JobId(1), SimTime::ZERO, SimDuration::from_secs(3600), shape);
//! cluster.submit(Arc::new(job), SimTime::ZERO)?;
//! let plan = Scheduler::new(Policy::named("easy")?).plan(&cluster, SimTime::ZERO);
//! assert_eq!(plan.starts[0].placement.to_string(), "0-1");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod amount;
mod cluster;
mod consumables;
mod domains;
mod eligibility;
mod explain;
mod forecast;
mod free_tree;
mod limits;
mod meaning;
pub mod metrics;
mod order;
mod pass;
mod place;
mod plan;
mod pods;
mod policy;
mod preempt;
mod profile;
mod queue;
mod ranking;
mod reason;
mod releases;
mod replay;
mod request;
mod room;
mod scheduler;
mod settings;
mod shape_memo;
mod timetable;
mod usage;
mod watch;

pub use cluster::{Cluster, ClusterError, Machines, NodeSet, NodeState, Pending, Running};
pub use limits::{Excess, LimitScope, Limited};
pub use metrics::{P95_RULE, SlowdownRule, Summary, SummaryOptions, UtilisationOf};
pub use order::{
    Charge, FairShare, Multifactor, Order, PriorityBreakdown, PriorityError, SizeRule, TresWeights,
    UsageReset, Weights,
};
pub use place::PlacementRule;
pub use plan::{Plan, Preemption, Reservation, Start, Waiting};
pub use pods::{
    Fragments, NodeRoom, PodCluster, PodEnd, PodOptions, PodPoint, PodPolicy, PodReason, PodRun, PodShape,
    PodStep, Refusals, Ties, TypicalPods, UnknownPodPolicy, Verdict, run_pods,
};
pub use policy::{Policy, UnknownPolicy};
pub use preempt::{Preempt, PreemptBy, PreemptError, PreemptSetting, PreemptSettingError};
pub use queue::{Discipline, ParamProblem, PlanOn, SlurmParams};
pub use reason::{LimitOf, PassingBy, Predecessor, Reason, ReservationProblem, Shortage};
pub use replay::{Overrun, Progress, ReplayError, ReplayOptions, Run, Snapshot, Span, replay, replay_until};
pub use request::Request;
pub use scheduler::Scheduler;
pub use settings::{PartError, SettingError, SettingNote, SlurmSettings};
pub use usage::Usage;
