//! The command line.

use std::path::PathBuf;

use clap::{ArgGroup, Parser, Subcommand, ValueEnum};
use switchyard_model::SimTime;
use switchyard_scheduler::{Overrun, Policy, SlowdownRule};
use switchyard_workload::Recipe;

use crate::args_pods::{self, PodsArgs};
use crate::exit;

/// A GPU cluster, simulated: replay a trace against a scheduling policy, or run the whole cluster.
#[derive(Debug, Parser)]
#[command(name = "switchyard", version, after_help = exit::HELP)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Schedule a workload as fast as it goes: no network, no consensus, no faults
    #[command(after_help = exit::HELP)]
    Replay(ReplayArgs),
    /// Run the whole simulated cluster from a scenario file, and print a summary and the run's digest
    #[command(after_help = exit::HELP)]
    Run(RunArgs),
    /// Place pods with parts of GPUs on GPU nodes, one at a time
    #[command(after_help = format!("{}{}", args_pods::EXAMPLE, exit::HELP))]
    Pods(PodsArgs),
}

/// Results go to standard output, everything else to standard error.
#[derive(Debug, clap::Args)]
#[command(group = ArgGroup::new("workload").required(true).args(["trace", "generate"]))]
pub(crate) struct ReplayArgs {
    /// A trace in the Standard Workload Format, from `sacct --parsable2`, or Batsim's JSON; `-` is standard input
    pub(crate) trace: Option<PathBuf>,

    /// Generate the workload instead; NAME is seed-lab, seed-lab-v01, k8s-lab, k8s-lab-light, poisson or yard
    ///
    /// GAP is the mean gap between submissions in seconds [default: 90 for seed-lab and seed-lab-v01, 12 for k8s-lab, 45
    /// for k8s-lab-light]. poisson asks for 85 % of the processors of the fleet that the options describe (of 4096 without);
    /// another load is given in per cent instead of GAP, as in poisson:1000000:1:95%.
    #[arg(long, value_name = "NAME:JOBS:SEED[:GAP]")]
    pub(crate) generate: Option<Recipe>,

    #[command(flatten)]
    pub(crate) machine: MachineArgs,

    /// fcfs, easy, easy-machine, seed-lab-v01-off or seed-lab-v01
    #[arg(long, value_name = "NAME", value_parser = policy)]
    pub(crate) policy: Policy,

    /// What becomes of a job that runs longer than its limit
    #[arg(long, value_enum, default_value = "kill")]
    pub(crate) overrun: OverrunArg,

    /// How bounded slowdown is defined [default: seed-lab for seed-lab workloads, else classical]
    #[arg(long, value_enum, value_name = "RULE")]
    pub(crate) slowdown: Option<SlowdownArg>,

    /// Fit the jobs' requests to the fleet by the ratio of the trace's machine to it
    #[arg(long)]
    pub(crate) scale: bool,

    /// The columns of a sacct dump without a header, in their order
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) columns: Option<Vec<String>>,

    /// Print one JSON object: times in seconds, utilisation as a fraction of 1, each definition in words
    #[arg(long)]
    pub(crate) json: bool,

    /// Write job_id,submit,start,end,nodes of each job, in the trace's own seconds
    #[arg(long, value_name = "FILE.csv")]
    pub(crate) starts: Option<PathBuf>,
}

/// The fleet. Without any of these it is derived from the workload.
#[derive(Debug, clap::Args)]
pub(crate) struct MachineArgs {
    /// A fleet of this many nodes of 1 CPU: the classical machine, where a host is a processor
    #[arg(long, value_name = "P", value_parser = clap::value_parser!(u32).range(1..), conflicts_with_all = ["nodes", "cpus", "gpus"])]
    pub(crate) procs: Option<u32>,

    /// A fleet of this many equal nodes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), requires = "cpus")]
    pub(crate) nodes: Option<u32>,

    /// CPUs of each node
    #[arg(long, value_name = "C", value_parser = clap::value_parser!(u32).range(1..), requires = "nodes")]
    pub(crate) cpus: Option<u32>,

    /// GPUs of each node [default: 0]
    #[arg(long, value_name = "G", requires = "nodes")]
    pub(crate) gpus: Option<u32>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct RunArgs {
    /// The scenario (JSON); `-` is standard input
    pub(crate) scenario: PathBuf,

    /// Use this seed instead of the scenario's
    #[arg(long)]
    pub(crate) seed: Option<u64>,

    /// Stop at this simulated time, in seconds [default: when all jobs have ended, or 30 days and the longest time limit after the last submission]
    #[arg(long, value_name = "SECS", value_parser = moment)]
    pub(crate) until: Option<SimTime>,

    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OverrunArg {
    /// It is stopped at its limit (rule i)
    Kill,
    /// It runs to its end, and its limit becomes its runtime (rule ii)
    Extend,
    /// As pyss: planned with the longer, stopped at the limit; a runtime of 0 becomes 1 s (rule iii)
    Both,
}

impl OverrunArg {
    pub(crate) const fn rule(self) -> Overrun {
        match self {
            OverrunArg::Kill => Overrun::Kill,
            OverrunArg::Extend => Overrun::Extend,
            OverrunArg::Both => Overrun::Both,
        }
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            OverrunArg::Kill => "kill",
            OverrunArg::Extend => "extend",
            OverrunArg::Both => "both",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SlowdownArg {
    /// max(1, (end - submit) / max(end - start, 10 s))
    Classical,
    /// (end - submit) / max(end - start, 60 s)
    SeedLab,
}

impl SlowdownArg {
    pub(crate) const fn rule(self) -> SlowdownRule {
        match self {
            SlowdownArg::Classical => SlowdownRule::CLASSICAL,
            SlowdownArg::SeedLab => SlowdownRule::SEED_LAB,
        }
    }
}

fn policy(name: &str) -> Result<Policy, String> {
    Policy::named(name).map_err(|error| error.to_string())
}

fn moment(text: &str) -> Result<SimTime, String> {
    let moment = text.parse().ok().and_then(SimTime::from_secs_f64);
    moment.ok_or_else(|| "write the simulated time in seconds, for example 86400".to_owned())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_line_is_consistent() {
        use clap::CommandFactory;
        super::Args::command().debug_assert();
    }
}
