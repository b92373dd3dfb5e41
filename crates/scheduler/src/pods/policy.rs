//! The placement policies for pods, by name.

use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Which node, and which of its GPUs, a pod gets.
///
/// Each policy gives every node that the pod fits on a score and takes the highest. They are the six of the FGD paper's
/// evaluation, as its simulator computes them: scores are whole numbers, rounded towards zero, and the first node in the
/// order of [`Ties`](super::Ties) wins among equals. A part of a GPU comes from the GPU with the least free that is enough, unless
/// the policy says otherwise; whole GPUs are the first free ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PodPolicy {
    /// Any node that fits, and any of its GPUs.
    Random,
    /// 100 (1 - d), d half the dot product of demand and free amounts in CPU and GPU, both as fractions of the largest node:
    /// where little is left. (The alignment score of Tetris with its sign reversed, as the paper's simulator has it.)
    DotProd,
    /// Keeps kinds of pods together, so that they pack well: parts of a GPU, 1 GPU, 2 GPUs, and so on are kinds. First nodes that have
    /// this kind only, then nodes that have it among others, then nodes without GPU pods, then the rest; among these the fuller one.
    Clustering,
    /// First GPUs in use (the fuller one), then free GPUs of nodes in use (the fewer of them), then free nodes (the smaller one).
    Packing,
    /// What is left on the node afterwards, half CPU and half GPU, both as fractions of the largest node: the least.
    BestFit,
    /// Fragmentation gradient descent: where F(n) grows least or falls most, as 100 times a sigmoid of the fall in GPUs. Every
    /// GPU that a part fits on is tried; the first of the best is taken.
    Fgd,
}

/// Nobody called a pod policy that.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is no policy \"{name}\" for pods; choose one of {}", PodPolicy::NAMES.join(", "))]
pub struct UnknownPodPolicy {
    /// What was asked for.
    pub name: String,
}

impl PodPolicy {
    /// All of them.
    pub const ALL: [PodPolicy; 6] = [
        PodPolicy::Random,
        PodPolicy::DotProd,
        PodPolicy::Clustering,
        PodPolicy::Packing,
        PodPolicy::BestFit,
        PodPolicy::Fgd,
    ];

    /// What people call them, in the same order.
    pub const NAMES: [&str; 6] = ["random", "dotprod", "clustering", "packing", "bestfit", "fgd"];

    /// The policy that people call `name`.
    ///
    /// # Errors
    /// When it is none of [`PodPolicy::NAMES`].
    pub fn named(name: &str) -> Result<PodPolicy, UnknownPodPolicy> {
        let named = PodPolicy::ALL.into_iter().find(|policy| policy.name() == name);
        named.ok_or_else(|| UnknownPodPolicy { name: name.to_owned() })
    }

    /// What people call it.
    pub const fn name(self) -> &'static str {
        match self {
            PodPolicy::Random => "random",
            PodPolicy::DotProd => "dotprod",
            PodPolicy::Clustering => "clustering",
            PodPolicy::Packing => "packing",
            PodPolicy::BestFit => "bestfit",
            PodPolicy::Fgd => "fgd",
        }
    }
}

impl fmt::Display for PodPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
