//! The nouns of Switchyard: time, identifiers, resources, jobs, fleets. Data and arithmetic, no policy.
//!
//! Everything else is said in these words: the scheduler decides about [`JobSpec`]s on a [`Fleet`], the world runs
//! them for as long as their [`Truth`] says, and a decision is a [`Placement`].

mod fleet;
mod fleets;
mod ids;
mod job;
mod placement;
mod pods;
mod resources;
mod run_digest;
mod site;
mod slurm_time;
mod stream;
mod terms;
mod time;
mod topology;
mod truth;

pub use fleet::{Domains, Fleet, FleetError, FleetSpec, Naming, Node, NodeClass, Rack};
pub use ids::{GpuId, JobId, NodeId, RackId, ReplicaId};
pub use job::{Job, JobSpec, Outcome, PerMille, Shape};
pub use placement::{GpuSet, Kept, NodeShare, Placement};
pub use pods::{PodNode, PodPlacement, PodSpec, WHOLE_GPU};
pub use resources::Resources;
pub use run_digest::RunDigest;
pub use site::{
    AdvanceReservation, Association, Destination, Limits, Partition, PreemptMode, Qos, ResourceCap, Site,
};
pub use slurm_time::slurm_time;
pub use stream::{Stream, stream};
pub use terms::{ArrayTask, Dependency, DependencyKind, LicenceAsk, Terms};
pub use time::{SimDuration, SimTime};
pub use topology::{DomainId, DomainSpan, Tier};
pub use truth::{Oracle, Truth};
