//! Why a pod has no node: one dominant reason, with counts that can be checked.

use std::fmt;

/// Why no node took a pod.
///
/// [`Display`](fmt::Display) says it in a sentence, [`PodReason::evidence`] says what that rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PodReason {
    /// No node of the cluster could hold it, even when empty.
    NeverFits(Refusals),
    /// Less is free than it asks for, even in sum over all nodes whose GPUs will do.
    Resources(Refusals),
    /// Enough is free in sum, but on no single node.
    Fragmented(Refusals),
}

/// How many nodes refused a pod for what; each counts once, for the first in the order of the fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Refusals {
    /// GPU model.
    pub model: u32,
    /// Neither GPU nor CPU (Q1).
    pub both: u32,
    /// GPU (Q2).
    pub gpu: u32,
    /// CPU (Q4).
    pub cpu: u32,
    /// Memory alone.
    pub memory: u32,
    /// Free GPU on nodes whose model will do, in thousandths.
    pub free_gpu_milli: u64,
    /// What it asks for.
    pub ask_gpu_milli: u64,
}

impl PodReason {
    /// The reason in one word.
    pub const fn code(&self) -> &'static str {
        match self {
            PodReason::NeverFits(_) => "NeverFits",
            PodReason::Resources(_) => "Resources",
            PodReason::Fragmented(_) => "FragmentedResources",
        }
    }

    /// The counts.
    pub const fn refusals(&self) -> &Refusals {
        match self {
            PodReason::NeverFits(refusals)
            | PodReason::Resources(refusals)
            | PodReason::Fragmented(refusals) => refusals,
        }
    }

    /// What the reason rests on: "0 of 3 nodes can take it: 1 lacks GPU, 2 lack CPU."
    pub fn evidence(&self) -> String {
        let refusals = self.refusals();
        let parts = [
            (refusals.model, "has GPUs of another model", "have GPUs of another model"),
            (refusals.both, "lacks GPU and CPU", "lack GPU and CPU"),
            (refusals.gpu, "lacks GPU", "lack GPU"),
            (refusals.cpu, "lacks CPU", "lack CPU"),
            (refusals.memory, "lacks memory", "lack memory"),
        ];
        let said: Vec<String> = parts
            .iter()
            .filter(|(count, _, _)| *count > 0)
            .map(|(count, one, many)| format!("{count} {}", if *count == 1 { one } else { many }))
            .collect();
        let nodes: u32 = parts.iter().map(|(count, _, _)| count).sum();
        if nodes == 0 {
            return "There are no nodes.".to_owned();
        }
        format!("0 of {nodes} nodes can take it: {}.", said.join(", "))
    }
}

impl fmt::Display for PodReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Refusals { free_gpu_milli, ask_gpu_milli, .. } = *self.refusals();
        let (ask, free) = (Gpus(ask_gpu_milli), Gpus(free_gpu_milli));
        match self {
            PodReason::NeverFits(_) => f.write_str("No node could hold it, even when empty."),
            PodReason::Resources(_) if free_gpu_milli < ask_gpu_milli => {
                write!(f, "Needs {ask} GPUs; {free} are free.")
            }
            PodReason::Resources(_) => f.write_str("Less CPU or memory is free than it needs."),
            PodReason::Fragmented(_) if ask_gpu_milli > 0 => {
                write!(
                    f,
                    "Needs {ask} GPUs on one node; {free} are free, but no node has enough of everything."
                )
            }
            PodReason::Fragmented(_) => {
                f.write_str("Enough is free in sum, but no node has enough of everything.")
            }
        }
    }
}

/// Thousandths of a GPU as GPUs: `8`, `0.47`.
struct Gpus(u64);

impl fmt::Display for Gpus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, rest) = (self.0 / 1000, self.0 % 1000);
        if rest == 0 {
            return write!(f, "{whole}");
        }
        f.write_str(format!("{whole}.{rest:03}").trim_end_matches('0'))
    }
}
