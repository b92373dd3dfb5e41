//! The command line of `switchyard pods`.

use std::path::PathBuf;

use clap::ValueEnum;
use switchyard_scheduler::{PodPolicy, Ties};
use switchyard_workload::DEMAND_MAX;

/// After the options of `switchyard pods --help`, before the exit codes.
pub(crate) const EXAMPLE: &str = "\
Example:
  switchyard pods openb_pod_list_default.csv --nodes openb_node_list_gpu_node.csv --policy fgd --demand 1.3 --seed 42
  The pods in random order, with more of their kind until they ask for 130 % of all GPUs, as in the published experiments.

";

/// Results go to standard output, everything else to standard error.
#[derive(Debug, clap::Args)]
pub(crate) struct PodsArgs {
    /// The pods, a table with name,cpu_milli,memory_mib,num_gpu,gpu_milli and possibly gpu_spec; `-` is standard input
    pub(crate) pods: PathBuf,

    /// The nodes, a table with sn,cpu_milli,memory_mib,gpu,model
    #[arg(long, value_name = "NODES.csv")]
    pub(crate) nodes: PathBuf,

    /// random, dotprod, clustering, packing, bestfit or fgd
    #[arg(long, value_name = "NAME", value_parser = policy)]
    pub(crate) policy: PodPolicy,

    /// Bring the pods to this multiple of the cluster's GPUs: draw more of them at random, or drop some
    #[arg(long, value_name = "TIMES", value_parser = demand)]
    pub(crate) demand: Option<f64>,

    /// Where chance is involved: the draw, the order, ties, the policy random
    #[arg(long, default_value_t = 42)]
    pub(crate) seed: u64,

    /// In which order the pods come [default: shuffled with --demand, else file]
    #[arg(long, value_enum)]
    pub(crate) order: Option<OrderArg>,

    /// Which node is taken among equally good ones [default: shuffled when the pods are, else name]
    #[arg(long, value_enum)]
    pub(crate) ties: Option<TiesArg>,

    /// Print one JSON object: GPUs in thousandths, shares in per cent
    #[arg(long)]
    pub(crate) json: bool,

    /// Write seq,pod,node,gpu_index,fragmented_gpu_milli,used_gpu_milli,reason of each pod
    #[arg(long, value_name = "FILE.csv")]
    pub(crate) placements: Option<PathBuf>,
}

impl PodsArgs {
    pub(crate) fn order(&self) -> OrderArg {
        let by_demand = if self.demand.is_some() { OrderArg::Shuffled } else { OrderArg::File };
        self.order.unwrap_or(by_demand)
    }

    pub(crate) fn ties(&self) -> TiesArg {
        let by_order = if self.order() == OrderArg::Shuffled { TiesArg::Shuffled } else { TiesArg::Name };
        self.ties.unwrap_or(by_order)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OrderArg {
    /// As they stand in the file
    File,
    /// At random
    Shuffled,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TiesArg {
    /// The one that stands first in the file
    File,
    /// The one whose name is the smallest
    Name,
    /// The first in a random order that stays the same for the whole run
    Shuffled,
}

impl TiesArg {
    pub(crate) const fn rule(self) -> Ties {
        match self {
            TiesArg::File => Ties::AsGiven,
            TiesArg::Name => Ties::ByName,
            TiesArg::Shuffled => Ties::Shuffled,
        }
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            TiesArg::File => "file",
            TiesArg::Name => "name",
            TiesArg::Shuffled => "shuffled",
        }
    }
}

fn policy(name: &str) -> Result<PodPolicy, String> {
    PodPolicy::named(name).map_err(|error| error.to_string())
}

fn demand(text: &str) -> Result<f64, String> {
    let demand = text.parse().ok().filter(|&times: &f64| times > 0.0 && times <= f64::from(DEMAND_MAX));
    demand.ok_or_else(|| {
        format!("write a multiple of the cluster's GPUs, above 0 and at most {DEMAND_MAX}, for example 1.3")
    })
}
