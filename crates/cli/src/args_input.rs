//! The command line's part about what is scheduled and on which machines: the same for `replay` and `explain`.

use std::path::PathBuf;

use clap::ArgGroup;
use switchyard_workload::{LimitModel, Recipe};

use crate::args::OverrunArg;
use crate::args_formats::{ChangeArgs, FormatArgs};

#[derive(Debug, clap::Args)]
#[command(group = ArgGroup::new("workload").required(true).args(["trace", "generate"]))]
pub(crate) struct InputArgs {
    /// A trace: Standard Workload Format, `sacct --parsable2`, a table (CSV), Batsim's JSON; may be packed with gzip; `-` is standard input
    pub(crate) trace: Option<PathBuf>,

    /// Generate the workload instead; NAME is seed-lab, seed-lab-v01, k8s-lab, k8s-lab-light, poisson, lublin, lublin-batch, lublin-interactive, lublin-typeless or yard
    ///
    /// GAP is the mean gap between submissions in seconds [default: 90 for seed-lab and seed-lab-v01, 12 for k8s-lab, 45
    /// for k8s-lab-light]. poisson asks for 85 % of the processors of the fleet that the options describe (of 4096 without);
    /// another load is given in per cent instead of GAP, as in poisson:1000000:1:95%. The sizes of lublin follow the processors of the fleet (128 without).
    #[arg(long, value_name = "NAME:JOBS:SEED[:GAP]")]
    pub(crate) generate: Option<Recipe>,

    /// Time limits by a rule: exact, padded:F (F times the runtime), synthetic:SEED (about 3 times, at random), f:F:SEED (up to F + 1 times, at random) or as-given
    #[arg(long, value_name = "MODEL", default_value = "as-given")]
    pub(crate) limits: LimitModel,

    /// What becomes of a job that runs longer than its limit
    #[arg(long, value_enum, default_value = "kill")]
    pub(crate) overrun: OverrunArg,

    /// Fit the jobs' requests to the fleet by the ratio of the trace's machine to it
    #[arg(long)]
    pub(crate) scale: bool,

    #[command(flatten)]
    pub(crate) change: ChangeArgs,

    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

/// The fleet. Without any of these it is that of --slurm-conf, else derived from the workload.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Machines and site")]
pub(crate) struct MachineArgs {
    /// A fleet of this many nodes of 1 CPU: the classical machine, where a host is a processor
    #[arg(long, value_name = "P", value_parser = clap::value_parser!(u32).range(1..), conflicts_with_all = ["nodes", "cpus", "gpus", "fleet"])]
    pub(crate) procs: Option<u32>,

    /// A fleet of this many equal nodes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), requires = "cpus", conflicts_with = "fleet")]
    pub(crate) nodes: Option<u32>,

    /// CPUs of each node
    #[arg(long, value_name = "C", value_parser = clap::value_parser!(u32).range(1..), requires = "nodes")]
    pub(crate) cpus: Option<u32>,

    /// GPUs of each node [default: 0]
    #[arg(long, value_name = "G", requires = "nodes")]
    pub(crate) gpus: Option<u32>,

    /// yard, seed-lab, k8s-lab, k8s-lab-homogeneous, or a file with a fleet as in a scenario, or as k8s-gpu-scheduler-lab has it (.yaml)
    #[arg(long, value_name = "NAME|FILE")]
    pub(crate) fleet: Option<PathBuf>,

    /// Machines, partitions, licences and the scheduler's settings from a cluster's slurm.conf
    #[arg(long, value_name = "FILE")]
    pub(crate) slurm_conf: Option<PathBuf>,

    /// Partitions, qualities of service, associations, licences and advance reservations; in place of those of --slurm-conf
    #[arg(long, value_name = "FILE.json")]
    pub(crate) site: Option<PathBuf>,
}
