//! The command line's parts about files of jobs: how they are read, and the commands that read, change and write them.

use std::path::PathBuf;

use switchyard_workload::{
    Format, LimitModel, LoadScale, ReadOptions, Recipe, Shake, Slice, Workload, WriteFormat,
};

use crate::failure::Failure;

/// What a file doesn't say itself.
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Reading")]
pub(crate) struct FormatArgs {
    /// The format, where the content is mistaken for another: swf, sacct, batsim, csv or json
    #[arg(long, value_name = "FORMAT")]
    pub(crate) from: Option<Format>,

    /// The columns of a sacct dump without a header, in their order; or of a table MEANING=COLUMN,...
    ///
    /// Meanings are submit, runtime, limit, limit_minutes, id, nodes, tasks, procs, cpus, gpus, memory_mib, gang, priority,
    /// user, account, partition, qos, qos_factor, status and wait, as in submit=timestamp,runtime=duration,gpus=num_gpus.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) columns: Option<Vec<String>>,

    /// What separates the columns, as with sacct --delimiter [default: | for sacct, what the header uses for a table]
    #[arg(long, value_name = "TEXT")]
    pub(crate) delimiter: Option<String>,

    /// Keep jobs of a sacct dump that were still running, with their runtime so far
    #[arg(long)]
    pub(crate) keep_running: bool,

    /// Skip damaged rows and count them, instead of stopping at the first
    #[arg(long)]
    pub(crate) skip_damaged: bool,
}

impl FormatArgs {
    pub(crate) fn options(&self) -> ReadOptions {
        ReadOptions {
            format: self.from,
            columns: self.columns.clone(),
            // A tab is hard to type.
            delimiter: self.delimiter.as_ref().map(|text| text.replace("\\t", "\t")),
            keep_running: self.keep_running,
            skip_damaged: self.skip_damaged,
        }
    }
}

/// Other workloads made of the one that is read or generated; in this order.
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Changing the workload")]
pub(crate) struct ChangeArgs {
    /// A part: jobs by their place (1000..2000), or by their submission after the first (7d..14d, 0h..36h, 90m..)
    #[arg(long, value_name = "FROM..TO", allow_hyphen_values = true)]
    pub(crate) slice: Option<Slice>,

    /// Another load, by faster or slower submissions: a factor (1.2), or a part of the processors (90%)
    #[arg(long, value_name = "LOAD", allow_hyphen_values = true)]
    pub(crate) load: Option<LoadScale>,

    /// Move each submission by up to so many seconds, at random: does the result hold?
    #[arg(long, value_name = "SECS[:SEED]", allow_hyphen_values = true)]
    pub(crate) shake: Option<Shake>,
}

impl ChangeArgs {
    /// Takes the part, before a fleet is derived from it.
    pub(crate) fn cut(&self, workload: &mut Workload) -> Result<(), Failure> {
        Ok(self.slice.iter().try_for_each(|slice| slice.apply(workload))?)
    }

    /// Changes the rest, on a machine of `procs` processors.
    pub(crate) fn apply(&self, workload: &mut Workload, procs: u32) -> Result<(), Failure> {
        self.load.iter().try_for_each(|load| load.apply(workload, procs))?;
        self.shake.iter().for_each(|shake| shake.apply(workload));
        Ok(())
    }
}

/// Results go to standard output, everything else to standard error.
#[derive(Debug, clap::Args)]
pub(crate) struct ConvertArgs {
    /// The jobs: any format that `replay` reads; `-` is standard input
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) rewrite: RewriteArgs,

    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

/// Results go to standard output, everything else to standard error.
#[derive(Debug, clap::Args)]
pub(crate) struct GenerateArgs {
    /// NAME:JOBS:SEED, or NAME:JOBS:SEED:GAP as `replay --generate` takes it
    pub(crate) recipe: Recipe,

    /// The processors of the machine that poisson asks for a part of [default: 4096], and that the sizes of lublin follow [default: 128]
    #[arg(long, value_name = "P", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) procs: Option<u32>,

    #[command(flatten)]
    pub(crate) rewrite: RewriteArgs,
}

/// What is changed about jobs before they are written, and where they are written.
#[derive(Debug, clap::Args)]
pub(crate) struct RewriteArgs {
    #[command(flatten)]
    pub(crate) output: OutputArgs,

    /// Time limits by a rule: exact, padded:F (F times the runtime), synthetic:SEED, f:F:SEED or as-given
    #[arg(long, value_name = "MODEL", default_value = "as-given")]
    pub(crate) limits: LimitModel,

    #[command(flatten)]
    pub(crate) change: ChangeArgs,
}

/// Where jobs are written.
#[derive(Debug, clap::Args)]
pub(crate) struct OutputArgs {
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// swf, csv or json [default: by the name of --output, else swf]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: Option<WriteFormat>,
}

impl OutputArgs {
    /// The format that is asked for, else the one that the file is named after.
    pub(crate) fn format(&self) -> WriteFormat {
        let ending = self.output.as_deref().and_then(|path| path.extension()?.to_str()?.parse().ok());
        self.to.or(ending).unwrap_or(WriteFormat::Swf)
    }
}

/// Results go to standard output, everything else to standard error.
#[derive(Debug, clap::Args)]
pub(crate) struct InspectArgs {
    /// Jobs in any format that is known, pods, GPU nodes, a fleet (YAML or JSON) or a slurm.conf; `-` is standard input
    pub(crate) file: PathBuf,

    /// Print one JSON object: times in seconds, shares as fractions of 1
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) format: FormatArgs,
}
