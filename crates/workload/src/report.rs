//! What a reader skipped or changed, by reason and counted, so that nothing is dropped silently.

use std::collections::BTreeMap;
use std::fmt;

use switchyard_model::JobId;

use crate::Format;
use crate::error::ReadError;

/// A dump of all of sacct's columns would fill a page otherwise.
const UNMODELLED_SHOWN: usize = 12;

/// Why a row of a trace became no job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SkipReason {
    /// It ended in the queue.
    CancelledBeforeStart,
    /// It had not ended when the trace was written, so its runtime is not known.
    NotEnded,
    /// Its state is none that Slurm has.
    UnknownState,
    /// It ran at another cluster of a federation.
    Revoked,
    /// A step of a job that has a row of its own.
    Step,
    /// An attempt that was requeued; the attempt that ended it has a row of its own.
    EarlierAttempt,
    /// The same job once more.
    RepeatedRow,
    /// A burst of a checkpointed job; the job's summary row counts.
    Burst,
    /// It used no processors.
    NoProcessors,
    /// Its runtime is not given.
    NoRuntime,
    /// Its submit time is not given.
    NoSubmitTime,
    /// It is damaged, and whoever reads the file wanted to do without such rows.
    Damaged,
    /// It is described by what it computes and sends, and only a simulated platform tells how long that takes.
    NeedsPlatform,
}

impl SkipReason {
    /// The reason as the end of a sentence that begins "Skipped 3 rows:".
    pub const fn sentence(self) -> &'static str {
        match self {
            SkipReason::CancelledBeforeStart => "ended in the queue, without a start",
            SkipReason::NotEnded => "not ended when the trace was written",
            SkipReason::UnknownState => "in a state that Slurm doesn't have",
            SkipReason::Revoked => "revoked: they ran at another cluster of the federation",
            SkipReason::Step => "steps of jobs that have a row of their own",
            SkipReason::EarlierAttempt => "attempts that were requeued; the last attempt counts",
            SkipReason::RepeatedRow => "the same job once more",
            SkipReason::Burst => "bursts of checkpointed jobs; the summary row of the job counts",
            SkipReason::NoProcessors => "without processors",
            SkipReason::NoRuntime => "without a runtime",
            SkipReason::NoSubmitTime => "without a submit time",
            SkipReason::Damaged => "damaged",
            SkipReason::NeedsPlatform => "of profiles whose runtime only a simulated platform tells",
        }
    }
}

/// What about a job is not as the trace says, or worth knowing before one believes a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChangeKind {
    /// It ran longer than its limit; both are kept, the replay's overrun rule decides.
    OverLimit,
    /// A runtime of 0 s (less than half a second), kept.
    ZeroRuntime,
    /// It has no limit in the trace; its runtime, at least 1 s, is taken for it.
    NoLimit,
    /// It has no limit in the trace; its runtime, up to a whole minute, is taken for it.
    NoLimitMinutes,
    /// It runs until it is stopped at its limit.
    RunsToLimit,
    /// Its limit is `UNLIMITED`; a year is taken for it, as Slurm's backfill does.
    Unlimited,
    /// Neither a request nor an allocation of processors is given; 1 is taken.
    ProcessorsUnknown,
    /// It was given another number of processors than it asked for; the request counts.
    AllocationDiffers,
    /// The number of its nodes is not given; 1 is taken.
    NodesUnknown,
    /// Its CPUs or GPUs don't divide by its nodes; each node gives the rounded up share.
    UnevenNodes,
    /// Its memory carried Slurm's flag for "per CPU" as 2^31 MB; the flag was taken out.
    LeakedMemoryFlag,
    /// Its requested memory doesn't say whether it is meant for each CPU or node; it is taken for the whole job.
    MemoryOfJob,
    /// It was running when the trace was written; its runtime so far stands in for all of it.
    StillRunning,
    /// One row for several tasks of an array; it became one job per task.
    ArrayRange,
    /// A component of a heterogeneous job, taken as a job of its own.
    HetComponent,
    /// Separators or line breaks inside a text column; the columns after it were found again.
    Repaired,
    /// More fields than the format has; the rest was ignored.
    ExtraFields,
    /// It has a name instead of a number; it got a number.
    IdNotANumber,
    /// Its number occurs more than once; it got a new one.
    IdRepeated,
    /// It stands after a job that was submitted later; the jobs were sorted.
    OutOfOrder,
    /// Bytes that are no UTF-8; they were replaced by a mark.
    NotUtf8,
    /// Its request was resized by the ratio of the two clusters.
    Resized,
    /// Its processors became GPUs.
    CpusToGpus,
    /// The ratio gave less than one unit; it kept one.
    RaisedToOne,
    /// Larger than the fleet; it was cut to it.
    CutToFleet,
}

impl ChangeKind {
    /// The remark as the end of a sentence that begins "3 jobs:".
    pub const fn sentence(self) -> &'static str {
        match self {
            ChangeKind::OverLimit => "ran longer than the limit; both are kept, the overrun rule decides",
            ChangeKind::ZeroRuntime => "ran for 0 s (less than half a second); kept",
            ChangeKind::NoLimit => "no limit given; the runtime, at least 1 s, stands in",
            ChangeKind::NoLimitMinutes => "no limit given; the runtime, up to a whole minute, stands in",
            ChangeKind::RunsToLimit => {
                "runtime -1: runs until it is stopped at its limit; the limit stands in"
            }
            ChangeKind::Unlimited => "limit UNLIMITED; a year stands in, as Slurm's backfill plans it",
            ChangeKind::ProcessorsUnknown => "no number of processors given; 1 stands in",
            ChangeKind::AllocationDiffers => {
                "given another number of processors than requested; the request counts"
            }
            ChangeKind::NodesUnknown => "no number of nodes given; 1 stands in",
            ChangeKind::UnevenNodes => {
                "CPUs or GPUs don't divide by the nodes; each node gives the rounded up share"
            }
            ChangeKind::LeakedMemoryFlag => "memory carried the flag \"per CPU\" as 2^31 MB; taken out",
            ChangeKind::MemoryOfJob => {
                "memory neither \"per CPU\" (c) nor \"per node\" (n); taken for the whole job, as Slurm since 21.08 writes it"
            }
            ChangeKind::StillRunning => {
                "running when the trace was written; the runtime so far stands in (censored)"
            }
            ChangeKind::ArrayRange => "from a row for several array tasks; one job for each task",
            ChangeKind::HetComponent => "component of a heterogeneous job; taken as a job of its own",
            ChangeKind::Repaired => "separators or line breaks inside a text column; repaired",
            ChangeKind::ExtraFields => "more fields than the format has; the rest is ignored",
            ChangeKind::IdNotANumber => "name instead of a number; a number given",
            ChangeKind::IdRepeated => "number was taken; a new one given",
            ChangeKind::OutOfOrder => "stood after a job that was submitted later; sorted",
            ChangeKind::NotUtf8 => "bytes that are no UTF-8; replaced by a mark",
            ChangeKind::Resized => "resized by the ratio of the two clusters",
            ChangeKind::CpusToGpus => "processors became GPUs",
            ChangeKind::RaisedToOne => "would have become less than one unit; keeps one",
            ChangeKind::CutToFleet => "larger than the fleet; cut to it",
        }
    }
}

/// What is odd about a row of a trace, whatever became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Quirk {
    /// `CANCELLED by UID`: the state tells who cancelled it.
    CancelledBy,
    /// `None assigned` in place of a list of nodes.
    NoNodesAssigned,
    /// Its memory carries Slurm's flag for "per CPU" as 2^31 MB.
    LeakedMemoryFlag,
    /// Its time limit is `Partition_Limit`.
    PartitionLimit,
    /// Its time limit is `UNLIMITED`.
    UnlimitedTime,
    /// No partition stands in its row.
    NoPartition,
    /// It asks for GPUs.
    Gpus,
    /// It is a task or a range of tasks of an array.
    Array,
    /// It is a component of a heterogeneous job.
    HetComponent,
}

impl Quirk {
    /// The quirk as the end of a sentence that begins "3 rows:".
    pub const fn sentence(self) -> &'static str {
        match self {
            Quirk::CancelledBy => "cancelled by a user id that the state names",
            Quirk::NoNodesAssigned => "node list \"None assigned\"",
            Quirk::LeakedMemoryFlag => "memory carries the flag \"per CPU\" as 2^31 MB",
            Quirk::PartitionLimit => "time limit \"Partition_Limit\"",
            Quirk::UnlimitedTime => "time limit \"UNLIMITED\"",
            Quirk::NoPartition => "without a partition",
            Quirk::Gpus => "with GPUs",
            Quirk::Array => "tasks, or ranges of tasks, of job arrays",
            Quirk::HetComponent => "components of heterogeneous jobs",
        }
    }
}

/// Where something was seen first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In this line of the file, from 1.
    Line(u64),
    /// In this entry of the file's list of jobs, from 0.
    Entry(u64),
    /// At this job.
    Job(JobId),
}

/// How often something occurred.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// How many rows or jobs.
    pub count: u64,
    /// The first of them.
    pub first: Place,
    /// What stood there, where that says more than the reason.
    pub example: Option<String>,
}

/// Counts by reason, in the order of the reasons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tally<K>(BTreeMap<K, Entry>);

impl<K> Default for Tally<K> {
    fn default() -> Self {
        Tally(BTreeMap::new())
    }
}

impl<K: Ord + Copy> Tally<K> {
    pub(crate) fn add(&mut self, kind: K, at: Place) {
        self.add_many(kind, 1, at, None);
    }

    pub(crate) fn add_many(&mut self, kind: K, count: u64, at: Place, example: Option<&str>) {
        let fresh = || Entry { count: 0, first: at, example: example.map(str::to_owned) };
        self.0.entry(kind).or_insert_with(fresh).count += count;
    }

    /// How often `kind` occurred.
    pub fn count(&self, kind: K) -> u64 {
        self.0.get(&kind).map_or(0, |entry| entry.count)
    }

    /// All kinds that occurred.
    pub fn iter(&self) -> impl Iterator<Item = (K, &Entry)> {
        self.0.iter().map(|(&kind, entry)| (kind, entry))
    }

    /// The sum over all kinds.
    pub fn total(&self) -> u64 {
        self.0.values().map(|entry| entry.count).sum()
    }

    /// Whether nothing occurred.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A field that a trace fills and the model has no place for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unmodelled {
    /// The field's name.
    pub field: String,
    /// In how many rows it says something.
    pub rows: u64,
}

/// What became of the rows of a file, or of the jobs of a workload.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The format that was read; `None` when no file was.
    pub format: Option<Format>,
    /// Rows that could have been jobs.
    pub rows: u64,
    /// Jobs that came of them.
    pub jobs: u64,
    /// Rows that became no job.
    pub skipped: Tally<SkipReason>,
    /// Jobs that are not as the trace says.
    pub changed: Tally<ChangeKind>,
    /// What is odd about rows, whatever became of them.
    pub quirks: Tally<Quirk>,
    /// Fields that are not used.
    pub unmodelled: Vec<Unmodelled>,
    /// What else is worth knowing, a sentence each.
    pub notes: Vec<String>,
    /// How many rows the file's header promises, where it isn't how many there are.
    pub promised_rows: Option<u64>,
}

impl Report {
    pub(crate) fn skip(&mut self, reason: SkipReason, line: u64) {
        self.skipped.add(reason, Place::Line(line));
    }

    /// Counts a damaged row, if that is wished and the error is one; else returns the error.
    pub(crate) fn damaged(&mut self, error: ReadError, skip: bool) -> Result<(), ReadError> {
        match error.damaged_line() {
            Some(line) if skip => {
                let said = error.to_string();
                self.skipped.add_many(SkipReason::Damaged, 1, Place::Line(line), Some(&said));
                Ok(())
            }
            _ => Err(error),
        }
    }

    pub(crate) fn change(&mut self, kind: ChangeKind, line: u64) {
        self.changed.add(kind, Place::Line(line));
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Line(line) => write!(f, "line {line}"),
            Place::Entry(index) => write!(f, "jobs[{index}]"),
            Place::Job(job) => write!(f, "job {job}"),
        }
    }
}

impl fmt::Display for Report {
    /// One sentence in each line; the last one without a line break.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.format {
            Some(format) => write!(f, "Read {} from {} ({format}).", jobs(self.jobs), rows(self.rows))?,
            None => write!(f, "{} in all.", jobs(self.jobs))?,
        }
        if let Some(promised) = self.promised_rows {
            write!(f, "\nThe header promises {}; there are {}.", rows(promised), self.rows)?;
        }
        for (reason, entry) in self.skipped.iter() {
            write!(f, "\nSkipped {}: {} (", rows(entry.count), reason.sentence())?;
            write_first(f, entry)?;
        }
        for (kind, entry) in self.changed.iter() {
            let counted = if kind == ChangeKind::NotUtf8 { lines(entry.count) } else { jobs(entry.count) };
            write!(f, "\n{counted}: {} (", kind.sentence())?;
            write_first(f, entry)?;
        }
        self.write_unmodelled(f)?;
        self.notes.iter().try_for_each(|note| write!(f, "\n{note}"))
    }
}

impl Report {
    fn write_unmodelled(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.unmodelled.is_empty() {
            return Ok(());
        }
        let (shown, more) = self.unmodelled.split_at(self.unmodelled.len().min(UNMODELLED_SHOWN));
        let names: Vec<_> =
            shown.iter().map(|field| format!("{} ({})", field.field, rows(field.rows))).collect();
        write!(f, "\nNot used: {}", names.join(", "))?;
        match more.len() {
            0 => f.write_str("."),
            more => write!(f, ", and {more} more."),
        }
    }
}

pub(crate) fn write_first(f: &mut fmt::Formatter<'_>, entry: &Entry) -> fmt::Result {
    let word = if entry.count == 1 { "" } else { "first: " };
    match &entry.example {
        Some(example) => write!(f, "{word}{}, \"{example}\").", entry.first),
        None => write!(f, "{word}{}).", entry.first),
    }
}

fn jobs(n: u64) -> String {
    if n == 1 { "1 job".into() } else { format!("{n} jobs") }
}

pub(crate) fn rows(n: u64) -> String {
    if n == 1 { "1 row".into() } else { format!("{n} rows") }
}

pub(crate) fn lines(n: u64) -> String {
    if n == 1 { "1 line".into() } else { format!("{n} lines") }
}
