//! The command line's part about experiments: many runs instead of one.

use std::path::PathBuf;

use clap::ValueEnum;
use switchyard_scheduler::Policy;

use crate::args::SlowdownArgs;
use crate::args_input::{InputArgs, MachineArgs};
use crate::args_policy::{self, PolicyChangeArgs};
use crate::experiment::axis::Axis;
use crate::experiment::list::{self, Seeds};
use crate::sweep::shard::Shard;

/// Results go to standard output, everything else to standard error.
#[derive(Debug, clap::Args)]
pub(crate) struct CompareArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,

    /// The policies; the others are compared with the first
    ///
    /// Each by its name (`switchyard policies` lists them), perhaps with changes: easy+order=shortest,
    /// slurm+bf_window=2880, seed-lab+preempt=qos. slurm-conf stands for the settings of --slurm-conf.
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', required = true, help_heading = "Policy")]
    pub(crate) policies: Vec<String>,

    #[command(flatten)]
    pub(crate) replicates: ReplicateArgs,

    /// Print one JSON object: times in seconds, utilisation as a fraction of 1; docs/experiments.md has its schema
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,

    /// Write a report with the table, curves and definitions: one file that needs no network
    #[arg(long, value_name = "FILE.html", help_heading = "Output")]
    pub(crate) html: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) machine: MachineArgs,

    #[command(flatten)]
    pub(crate) changes: PolicyChangeArgs,

    #[command(flatten)]
    pub(crate) slowdown: SlowdownArgs,
}

/// Workloads of one kind, and who runs them.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Experiment")]
pub(crate) struct ReplicateArgs {
    /// Workloads of the same recipe with these seeds, as in 0..9 (ten of them) or 1,4,7, in place of the recipe's own
    #[arg(long, value_name = "SEEDS", value_parser = list::seeds, requires = "generate")]
    pub(crate) seeds: Option<Seeds>,

    /// Cut the trace into so many parts with equally many jobs, each a workload that begins on empty machines
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000), conflicts_with = "generate")]
    pub(crate) slices: Option<u32>,

    /// Run so many workloads at a time [default: as many as there are cores]
    #[arg(short, long, value_name = "THREADS", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) jobs: Option<u16>,
}

impl ReplicateArgs {
    pub(crate) fn threads(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.jobs.map_or_else(cores, usize::from)
    }
}

/// Results go to standard output or to --output, everything else to standard error.
#[derive(Debug, clap::Args)]
pub(crate) struct SweepArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,

    /// A parameter and its values; may be repeated, then all combinations are tried
    ///
    /// VALUES is a list (1440,2880), a range (60..600:60, both ends included) or both. KEY is policy, order, discipline,
    /// placement, preempt (qos, partition or none), limits, load, shake (each as the option of this name), or any parameter
    /// that --param takes.
    #[arg(long, value_name = "KEY=VALUES", value_parser = Axis::parse, help_heading = "Experiment")]
    pub(crate) vary: Vec<Axis>,

    #[command(flatten)]
    pub(crate) replicates: ReplicateArgs,

    /// Write the table to this file, row by row; a sweep that was interrupted goes on where it stopped
    #[arg(short, long, value_name = "FILE.csv", help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,

    /// All figures as columns, as in `replay --metrics`
    #[arg(long, help_heading = "Output")]
    pub(crate) metrics: bool,

    #[command(flatten)]
    pub(crate) spread: SpreadArgs,

    #[command(flatten)]
    pub(crate) machine: MachineArgs,

    /// The policy by its name; `switchyard policies` lists them
    #[arg(long, value_name = "NAME", value_parser = args_policy::policy, help_heading = "Policy")]
    pub(crate) policy: Option<Policy>,

    #[command(flatten)]
    pub(crate) changes: PolicyChangeArgs,

    #[command(flatten)]
    pub(crate) slowdown: SlowdownArgs,
}

/// More than one machine.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "On a cluster")]
pub(crate) struct SpreadArgs {
    /// Run the I-th of N parts only, I from 1 to N; `switchyard merge` puts them together
    #[arg(long, value_name = "I/N", conflicts_with = "submit")]
    pub(crate) shard: Option<Shard>,

    /// Run nothing, but print what runs this sweep on a cluster: a job array, or an Indexed Job
    #[arg(long, value_enum, value_name = "WHERE")]
    pub(crate) submit: Option<Submit>,

    /// Into so many parts [default: one for each run, at most 16]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000), requires = "submit")]
    pub(crate) shards: Option<u32>,

    /// The container image, with switchyard and a shell in it [default: switchyard:VERSION]
    #[arg(long, value_name = "IMAGE", requires = "submit")]
    pub(crate) image: Option<String>,

    /// The PersistentVolumeClaim with the input files, where the results go too; without, the results are in the pods' logs
    #[arg(long, value_name = "NAME", requires = "submit")]
    pub(crate) claim: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Submit {
    /// A job-array script for sbatch
    Slurm,
    /// A manifest of a Kubernetes Job (batch/v1, Indexed)
    K8s,
}

/// Results go to standard output or to --output, everything else to standard error.
#[derive(Debug, clap::Args)]
pub(crate) struct MergeArgs {
    /// What `sweep --shard` wrote: all parts of one sweep, in any order
    #[arg(required = true, value_name = "SHARD.csv")]
    pub(crate) shards: Vec<PathBuf>,

    /// Write the table to this file instead of standard output
    #[arg(short, long, value_name = "FILE.csv")]
    pub(crate) output: Option<PathBuf>,
}
