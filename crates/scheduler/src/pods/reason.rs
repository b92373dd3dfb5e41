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
        let (ask, free) = (gpus(ask_gpu_milli), free(free_gpu_milli));
        match self {
            PodReason::NeverFits(_) => f.write_str("No node could hold it, even when empty."),
            PodReason::Resources(_) if free_gpu_milli < ask_gpu_milli => {
                write!(f, "Needs {ask}; {free}.")
            }
            PodReason::Resources(_) => f.write_str("Less CPU or memory is free than it needs."),
            PodReason::Fragmented(_) if ask_gpu_milli > 0 => {
                write!(f, "Needs {ask} on one node; {free}, but no node has enough of everything.")
            }
            PodReason::Fragmented(_) => {
                f.write_str("Enough is free in sum, but no node has enough of everything.")
            }
        }
    }
}

/// "8 GPUs", "1 GPU", "0.47 GPU".
fn gpus(milli: u64) -> String {
    format!("{} GPU{}", amount(milli), if milli > 1000 { "s" } else { "" })
}

/// "none is free", "0.5 is free", "4 are free".
fn free(milli: u64) -> String {
    match milli {
        0 => "none is free".to_owned(),
        1..=1000 => format!("{} is free", amount(milli)),
        _ => format!("{} are free", amount(milli)),
    }
}

/// Thousandths of a GPU as GPUs.
fn amount(milli: u64) -> String {
    match (milli / 1000, milli % 1000) {
        (whole, 0) => whole.to_string(),
        (whole, rest) => format!("{whole}.{rest:03}").trim_end_matches('0').to_owned(),
    }
}
