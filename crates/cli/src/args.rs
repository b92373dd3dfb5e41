//! The command line.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};
use switchyard_model::{SimDuration, SimTime};
use switchyard_scheduler::metrics::Horizon;
use switchyard_scheduler::{Overrun, SlowdownRule};
use switchyard_workload::{Generator, Recipe};

use crate::args_experiment::{CompareArgs, MergeArgs, SweepArgs};
use crate::args_formats::{ConvertArgs, GenerateArgs, InspectArgs};
use crate::args_input::{InputArgs, MachineArgs};
use crate::args_manual::{CompletionsArgs, ManArgs};
use crate::args_pods::{self, PodsArgs};
use crate::args_policy::PolicyArgs;
use crate::{examples, exit};

/// A GPU cluster, simulated: replay a trace against a scheduling policy, or run the whole cluster.
#[derive(Debug, Parser)]
#[command(name = "switchyard", version, after_help = exit::HELP)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// In the order in which people say it: which job, of which workload, when.
const EXPLAIN_USAGE: &str = "switchyard explain <JOB> <TRACE|--generate <NAME:JOBS:SEED[:GAP]>> --at <SECS> <--policy <NAME>|--slurm-conf <FILE>> [OPTIONS]";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Schedule a workload as fast as it goes: no network, no consensus, no faults
    #[command(after_help = examples::replay())]
    Replay(ReplayArgs),
    /// Replay a workload to one moment, and tell why a job waits, runs or has ended
    #[command(after_help = examples::explain(), override_usage = EXPLAIN_USAGE)]
    Explain(ExplainArgs),
    /// Compare policies on the same workloads: means, spread, paired differences, how often which is better
    #[command(after_help = examples::compare())]
    Compare(CompareArgs),
    /// Try all combinations of parameters on many workloads, and write one row for each run
    #[command(after_help = examples::sweep())]
    Sweep(SweepArgs),
    /// Put the shards of a sweep together
    #[command(after_help = examples::merge())]
    Merge(MergeArgs),
    /// List the policies, and the parts that they are made of
    #[command(after_help = exit::HELP)]
    Policies,
    /// Run the whole simulated cluster from a scenario file, and print a summary and the run's digest
    #[command(after_help = exit::HELP)]
    Run(RunArgs),
    /// Tell what a file is and what is in it: shape, load, limits, quirks
    #[command(after_help = examples::inspect())]
    Inspect(InspectArgs),
    /// Read jobs in any format that is known, and write them in another
    #[command(after_help = examples::convert())]
    Convert(ConvertArgs),
    /// Make jobs by a recipe, and write them
    #[command(after_help = examples::generate())]
    Generate(GenerateArgs),
    /// Place pods with parts of GPUs on GPU nodes, one at a time
    #[command(after_help = format!("{}{}", args_pods::EXAMPLE, exit::HELP))]
    Pods(PodsArgs),
    /// Print what makes a shell complete this command
    #[command(after_help = examples::completions())]
    Completions(CompletionsArgs),
    /// Write the manual's pages
    #[command(after_help = examples::man())]
    Man(ManArgs),
}

/// Results go to standard output, everything else to standard error.
#[derive(Debug, clap::Args)]
pub(crate) struct ReplayArgs {
    /// Print one JSON object: times in seconds, utilisation as a fraction of 1, each definition in words
    #[arg(long)]
    pub(crate) json: bool,

    /// Write job_id,submit,start,end,nodes of each job, in the trace's own seconds
    #[arg(long, value_name = "FILE.csv")]
    pub(crate) starts: Option<PathBuf>,

    /// Draw waiting and running jobs and the use of the machine over time; FILE.svg, or FILE.png
    #[arg(long, value_name = "FILE")]
    pub(crate) curves: Option<PathBuf>,

    /// Draw who ran where and when; FILE.svg, or FILE.png
    #[arg(long, value_name = "FILE")]
    pub(crate) gantt: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) input: InputArgs,

    #[command(flatten)]
    pub(crate) machine: MachineArgs,

    #[command(flatten)]
    pub(crate) policy: PolicyArgs,

    #[command(flatten)]
    pub(crate) figures: FigureArgs,
}

/// Which figures, and by which definitions.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Figures")]
pub(crate) struct FigureArgs {
    /// All figures, each with its unit and its definition
    #[arg(long)]
    pub(crate) metrics: bool,

    #[command(flatten)]
    pub(crate) slowdown: SlowdownArgs,

    /// The stretch of time over which --metrics takes shares and integrals
    #[arg(long, value_enum, value_name = "STRETCH", default_value = "makespan", requires = "metrics")]
    pub(crate) horizon: HorizonArg,
}

/// Which bounded slowdown.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Figures")]
pub(crate) struct SlowdownArgs {
    /// How bounded slowdown is defined [default: seed-lab for seed-lab workloads, else classical]
    #[arg(long, value_enum, value_name = "RULE")]
    slowdown: Option<SlowdownArg>,

    /// Runtimes shorter than this count as this in bounded slowdown [default: that of the rule]
    #[arg(long, value_name = "SECS", value_parser = threshold, allow_hyphen_values = true)]
    bsld_threshold: Option<SimDuration>,
}

impl SlowdownArgs {
    /// The rule for the workload of this generator, or of a trace.
    pub(crate) fn rule(&self, recipe: Option<&Recipe>) -> SlowdownRule {
        let of_workload = match recipe.map(|recipe| recipe.generator) {
            Some(Generator::SeedLab | Generator::SeedLabV01) => SlowdownRule::SEED_LAB,
            _ => SlowdownRule::CLASSICAL,
        };
        let rule = self.slowdown.map_or(of_workload, SlowdownArg::rule);
        self.bsld_threshold.map_or(rule, |threshold| rule.with_threshold(threshold))
    }
}

/// Results go to standard output, everything else to standard error.
#[derive(Debug, clap::Args)]
pub(crate) struct ExplainArgs {
    /// The job's number; it comes first, then the trace
    #[arg(value_parser = job_number)]
    pub(crate) job: u64,

    /// The moment: in the trace's own seconds, as `replay --starts` writes them, or +SECS after the first submission
    #[arg(long, value_name = "SECS", value_parser = point, allow_hyphen_values = true)]
    pub(crate) at: Point,

    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) input: InputArgs,

    #[command(flatten)]
    pub(crate) machine: MachineArgs,

    #[command(flatten)]
    pub(crate) policy: PolicyArgs,
}

/// A moment of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Point {
    /// By the trace's own clock.
    OfTrace(SimTime),
    /// After the first submission.
    AfterFirst(SimTime),
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum HorizonArg {
    /// From the first submission to the last end
    Makespan,
    /// From the first start to the last end
    Running,
    /// From the first submission to the last: without the time in which the queue only drains
    Submissions,
    /// From 0 to the last end
    FromZero,
}

impl HorizonArg {
    pub(crate) const fn horizon(self) -> Horizon {
        match self {
            HorizonArg::Makespan => Horizon::FirstSubmitToLastEnd,
            HorizonArg::Running => Horizon::FirstStartToLastEnd,
            HorizonArg::Submissions => Horizon::FirstSubmitToLastSubmit,
            HorizonArg::FromZero => Horizon::ZeroToLastEnd,
        }
    }
}

fn threshold(text: &str) -> Result<SimDuration, String> {
    let threshold = text.parse().ok().and_then(SimDuration::from_secs_f64);
    threshold.ok_or_else(|| "write the threshold in seconds, for example 10".to_owned())
}

fn job_number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| {
        "the job's number comes first, then the trace: switchyard explain JOB FILE --at SECS --policy NAME".to_owned()
    })
}

fn point(text: &str) -> Result<Point, String> {
    let secs = |text: &str| text.parse().ok().and_then(SimTime::from_secs_f64);
    let point = match text.strip_prefix('+') {
        Some(text) => secs(text).map(Point::AfterFirst),
        None => secs(text).map(Point::OfTrace),
    };
    point.ok_or_else(|| {
        "write a moment in the trace's own seconds, for example 3600, or +3600 after the first submission"
            .to_owned()
    })
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
