//! The nouns of Switchyard: time, identifiers, resources, jobs, fleets. Data and arithmetic, no policy.
//!
//! Everything else is said in these words: the scheduler decides about [`JobSpec`]s on a [`Fleet`], the world runs
//! them for as long as their [`Truth`] says, and a decision is a [`Placement`].

mod fleet;
mod ids;
mod job;
mod placement;
mod resources;
mod run_digest;
mod stream;
mod time;
mod truth;

pub use fleet::{Fleet, FleetError, FleetSpec, Node, NodeClass, Rack};
pub use ids::{GpuId, JobId, NodeId, RackId, ReplicaId};
pub use job::{Job, JobSpec, Outcome, PerMille, Shape};
pub use placement::{GpuSet, NodeShare, Placement};
pub use resources::Resources;
pub use run_digest::RunDigest;
pub use stream::{Stream, stream};
pub use time::{SimDuration, SimTime};
pub use truth::{Oracle, Truth};
