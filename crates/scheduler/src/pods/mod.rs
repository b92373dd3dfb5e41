//! Pods on GPU nodes, one at a time, with parts of GPUs: where each goes, and how fragmented that leaves the cluster.
//!
//! [`run_pods`] places a list of pods under a [`PodPolicy`]; [`PodCluster`] does it step by step. [`TypicalPods::fragments`] is the
//! metric: how much of a node's free GPU typical pods can't use, F(n).
//!
//! ```
//! use switchyard_model::{PodNode, PodSpec};
//! use switchyard_scheduler::{PodOptions, PodPolicy, run_pods};
//!
//! let node = |name: &str| PodNode { name: name.into(), cpu_milli: 16_000, memory_mib: 65_536, gpus: 2, model: "T4".into() };
//! let pod = |name| PodSpec::with_gpus(name, 4_000, 1, 500);
//! let run = run_pods(&[node("a"), node("b")], &[pod("p"), pod("q")], PodPolicy::named("fgd")?, &PodOptions::default());
//! assert_eq!(run.scheduled(), 2);
//! assert_eq!(run.outcomes[0], run.outcomes[1]); // two halves make a whole
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cluster;
mod policy;
mod reason;
mod run;
mod score;
mod score_table;
mod shape;
mod shape_ids;
mod typical;

pub use cluster::{PodCluster, Ties};
pub use policy::{PodPolicy, UnknownPodPolicy};
pub use reason::{PodReason, Refusals};
pub use run::{PodEnd, PodOptions, PodPoint, PodRun, PodStep, run_pods};
pub use shape::{NodeRoom, PodShape};
pub use typical::{Fragments, TypicalPods, Verdict};
