//! What one row of sacct means: a job, or a reason why there is none.

use switchyard_model::{Resources, Shape, SimDuration, SimTime};

use crate::limits::LEAST_LIMIT;
use crate::report::{ChangeKind, Quirk, SkipReason};
use crate::workload::Status;

use super::columns::{Column, Columns};
use super::values::{self, Memory, Per, Tres};

/// Slurm's backfill plans jobs without a limit for a year.
const UNLIMITED: SimDuration = SimDuration::from_secs(365 * 86_400);

/// A field that isn't what its column holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) column: usize,
    pub(super) expected: &'static str,
    pub(super) found: String,
}

/// What a row means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Meaning<'r> {
    /// No job, and what stood there if that says more.
    Skip(SkipReason, Option<String>),
    /// A job, or several tasks of an array that are alike.
    Job(FoundJob<'r>),
}

impl Meaning<'_> {
    /// Whether both are the same, but for how the job ended, which no simulation uses.
    pub(super) fn is_same_job(&self, other: &Meaning<'_>) -> bool {
        match (self, other) {
            (Meaning::Job(one), Meaning::Job(other)) => {
                let status = Status::Unknown;
                FoundJob { status, ..one.clone() } == FoundJob { status, ..other.clone() }
            }
            _ => self == other,
        }
    }
}

/// A job as its row tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FoundJob<'r> {
    pub(super) cluster: &'r str,
    /// The raw id, where the dump has it.
    pub(super) raw: &'r str,
    /// As it stands in its row.
    pub(super) id_text: &'r str,
    pub(super) id: u64,
    /// How many jobs the row stands for.
    pub(super) tasks: u64,
    pub(super) user: &'r str,
    pub(super) account: &'r str,
    pub(super) submit: SimTime,
    pub(super) start: Option<SimTime>,
    pub(super) runtime: SimDuration,
    pub(super) limit: SimDuration,
    pub(super) shape: Shape,
    pub(super) partition: &'r str,
    pub(super) qos: &'r str,
    pub(super) status: Status,
    pub(super) attempt: Attempt,
    pub(super) remarks: Remarks,
}

/// Whether Slurm put the job back into the queue after this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Attempt {
    /// It did.
    Earlier,
    /// It does after such an end, unless the job may not be requeued.
    EarlierIfThereIsALater,
    /// It did not.
    Last,
}

/// What there is to say about a job, each at most once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Remarks(u8);

impl Remarks {
    /// In the order in which they are told.
    const KINDS: [ChangeKind; 8] = [
        ChangeKind::NoLimit,
        ChangeKind::Unlimited,
        ChangeKind::NodesUnknown,
        ChangeKind::UnevenNodes,
        ChangeKind::LeakedMemoryFlag,
        ChangeKind::HetComponent,
        ChangeKind::MemoryOfJob,
        ChangeKind::StillRunning,
    ];

    fn push(&mut self, kind: ChangeKind) {
        self.0 |= Self::KINDS.iter().position(|&known| known == kind).map_or(0, |place| 1 << place);
    }

    pub(super) fn iter(self) -> impl Iterator<Item = ChangeKind> {
        Self::KINDS
            .into_iter()
            .enumerate()
            .filter(move |(place, _)| self.0 & (1 << place) != 0)
            .map(|(_, kind)| kind)
    }

    pub(super) fn has(self, kind: ChangeKind) -> bool {
        self.iter().any(|known| known == kind)
    }
}

/// Reads a row that has one field for each column.
pub(super) fn interpret<'r>(fields: &[&'r str], columns: &Columns) -> Result<Meaning<'r>, Fault> {
    let row = Fields { fields, columns };
    let id = row.text(Column::JobId).or_else(|| row.text(Column::JobIdRaw)).unwrap_or("");
    if !values::is_job_id(id) {
        return Err(row.fault(columns.id_index(), "a job id like 123, 123_4 or 123.batch", id));
    }
    if id.contains('.') {
        return Ok(Meaning::Skip(SkipReason::Step, None));
    }
    let state = row.text(Column::State).unwrap_or("");
    let running = columns.keeps_running() && matches!(state, "RUNNING" | "COMPLETING" | "SUSPENDED");
    if let Some((reason, example)) = skipped_for_state(state).filter(|_| !running) {
        return Ok(Meaning::Skip(reason, example));
    }
    let skip = |reason| Ok(Meaning::Skip(reason, None));
    let Some(submit) = row.moment(Column::Submit)? else { return skip(SkipReason::NoSubmitTime) };
    let runtime = row.runtime()?;
    let start = row.moment(Column::Start)?;
    if row.ended_in_queue(state, start, runtime) {
        return skip(SkipReason::CancelledBeforeStart);
    }
    let Some(runtime) = runtime else { return skip(SkipReason::NoRuntime) };
    let mut remarks = Remarks::default();
    let Some(shape) = row.shape(&mut remarks)? else { return skip(SkipReason::NoProcessors) };
    let limit = row.limit(runtime, &mut remarks)?;
    if id.contains('+') {
        remarks.push(ChangeKind::HetComponent);
    }
    if running {
        remarks.push(ChangeKind::StillRunning);
    }
    let text = |column| row.text(column).unwrap_or("");
    let named = |column| Some(text(column)).filter(|name| !name.is_empty()).unwrap_or("unknown");
    Ok(Meaning::Job(FoundJob {
        cluster: text(Column::Cluster),
        raw: text(Column::JobIdRaw),
        id_text: id,
        id: row.number_of(id)?,
        tasks: row.tasks(id)?,
        user: named(Column::User),
        account: named(Column::Account),
        submit,
        start,
        runtime,
        limit,
        shape,
        // A job that has started names the one of its partitions that it ran in.
        partition: text(Column::Partition),
        qos: text(Column::Qos),
        status: status_of(state),
        attempt: match state {
            "REQUEUED" => Attempt::Earlier,
            "NODE_FAIL" | "PREEMPTED" | "BOOT_FAIL" => Attempt::EarlierIfThereIsALater,
            _ => Attempt::Last,
        },
        remarks,
    }))
}

fn status_of(state: &str) -> Status {
    match state {
        "COMPLETED" => Status::Completed,
        "TIMEOUT" | "DEADLINE" => Status::TimedOut,
        "NODE_FAIL" | "BOOT_FAIL" => Status::NodeFailed,
        "PREEMPTED" => Status::Preempted,
        "OUT_OF_MEMORY" => Status::OutOfMemory,
        _ if state.starts_with("CANCELLED") => Status::Cancelled,
        _ => Status::Failed,
    }
}

/// What is odd about a row that isn't a step, whatever becomes of it.
pub(super) fn quirks(fields: &[&str], columns: &Columns) -> impl Iterator<Item = Quirk> {
    let row = Fields { fields, columns };
    let text = |column| row.text(column);
    let id = text(Column::JobId).or_else(|| text(Column::JobIdRaw)).unwrap_or("");
    let flagged = |text: &str| {
        // The flag alone has ten digits.
        text.len() >= 11 && values::memory(text).is_some_and(|memory| memory.had_flag)
    };
    let limit = text(Column::Timelimit).or_else(|| text(Column::TimelimitRaw));
    let gpus = |column| text(column).is_some_and(has_gpu);
    let found = [
        (Quirk::CancelledBy, text(Column::State).is_some_and(|state| state.starts_with("CANCELLED by "))),
        (Quirk::NoNodesAssigned, text(Column::NodeList) == Some("None assigned")),
        (Quirk::LeakedMemoryFlag, text(Column::ReqMem).is_some_and(flagged)),
        (Quirk::PartitionLimit, limit == Some("Partition_Limit")),
        (Quirk::UnlimitedTime, limit == Some("UNLIMITED")),
        (Quirk::NoPartition, text(Column::Partition) == Some("")),
        (Quirk::Gpus, [Column::AllocTres, Column::ReqTres, Column::AllocGres].into_iter().any(gpus)),
        (Quirk::Array, id.contains('_')),
        (Quirk::HetComponent, id.contains('+')),
    ];
    let step = id.contains('.');
    found.into_iter().filter(move |(_, is)| *is && !step).map(|(quirk, _)| quirk)
}

fn skipped_for_state(state: &str) -> Option<(SkipReason, Option<String>)> {
    match state {
        "COMPLETED" | "FAILED" | "TIMEOUT" | "CANCELLED" | "NODE_FAIL" | "PREEMPTED" | "OUT_OF_MEMORY"
        | "DEADLINE" | "BOOT_FAIL" | "REQUEUED" => None,
        _ if state.starts_with("CANCELLED by ") => None,
        "RUNNING" | "PENDING" | "SUSPENDED" | "RESIZING" | "COMPLETING" | "CONFIGURING" => {
            Some((SkipReason::NotEnded, None))
        }
        "REVOKED" => Some((SkipReason::Revoked, None)),
        _ => Some((SkipReason::UnknownState, Some(crate::error::shown(state)))),
    }
}

/// Whether `gpu` stands in the text.
fn has_gpu(text: &str) -> bool {
    text.as_bytes().windows(3).any(|window| window == b"gpu")
}

struct Fields<'f, 'r> {
    fields: &'f [&'r str],
    columns: &'f Columns,
}

impl<'r> Fields<'_, 'r> {
    /// What stands in `column`; `None` if the dump doesn't have it.
    fn text(&self, column: Column) -> Option<&'r str> {
        self.fields.get(self.columns.index(column)?).map(|field| field.trim())
    }

    fn fault(&self, column: usize, expected: &'static str, found: &str) -> Fault {
        Fault { column, expected, found: found.to_owned() }
    }

    /// What stands in `column`, read by `reader`; `None` if the column is missing or empty.
    fn read<T>(
        &self,
        column: Column,
        expected: &'static str,
        reader: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, Fault> {
        let (Some(index), Some(text)) = (self.columns.index(column), self.text(column)) else {
            return Ok(None);
        };
        if text.is_empty() {
            return Ok(None);
        }
        reader(text).map(Some).ok_or_else(|| self.fault(index, expected, text))
    }

    fn moment(&self, column: Column) -> Result<Option<SimTime>, Fault> {
        if self.text(column).is_none_or(values::is_no_time) {
            return Ok(None);
        }
        self.read(column, "a time like 2016-12-22T07:15:12", values::stamp)
    }

    fn count(&self, column: Column) -> Result<Option<u64>, Fault> {
        self.read(column, "a whole number below 2^32", |text| text.parse::<u32>().ok().map(u64::from))
    }

    fn runtime(&self) -> Result<Option<SimDuration>, Fault> {
        if let Some(secs) = self.count(Column::ElapsedRaw)? {
            return Ok(Some(SimDuration::from_secs(secs)));
        }
        if matches!(self.text(Column::Elapsed), Some("INVALID" | "Unknown")) {
            return Ok(None);
        }
        self.read(Column::Elapsed, "a duration like 1-02:03:04", |text| values::duration(text, false))
    }

    fn ended_in_queue(&self, state: &str, start: Option<SimTime>, runtime: Option<SimDuration>) -> bool {
        let no_start = start.is_none() && self.columns.index(Column::Start).is_some();
        let no_nodes = self.text(Column::NodeList) == Some("None assigned");
        let no_time = runtime.is_none_or(SimDuration::is_zero);
        no_start || no_nodes || (state.starts_with("CANCELLED") && no_time)
    }

    fn limit(&self, runtime: SimDuration, remarks: &mut Remarks) -> Result<SimDuration, Fault> {
        let column = if self.text(Column::Timelimit).is_some_and(|text| !text.is_empty()) {
            Column::Timelimit
        } else {
            Column::TimelimitRaw
        };
        match self.text(column) {
            Some("UNLIMITED") => {
                remarks.push(ChangeKind::Unlimited);
                return Ok(UNLIMITED);
            }
            None | Some("" | "Partition_Limit" | "INVALID" | "Unknown") => {
                remarks.push(ChangeKind::NoLimit);
                return Ok(runtime.max(LEAST_LIMIT));
            }
            Some(_) => {}
        }
        let limit = if column == Column::Timelimit {
            let expected = "a duration like 1-02:03:04, UNLIMITED or Partition_Limit";
            self.read(column, expected, |text| values::duration(text, false))?
        } else {
            let minutes = self.read(column, "a number of minutes", |text| text.parse::<u64>().ok())?;
            minutes.map(|minutes| SimDuration::from_secs(60).saturating_mul(minutes))
        };
        Ok(limit.unwrap_or(runtime).max(LEAST_LIMIT))
    }

    /// The job's nodes and what each gives; `None` without processors.
    fn shape(&self, remarks: &mut Remarks) -> Result<Option<Shape>, Fault> {
        let tres = |column| self.read(column, "resources like cpu=8,mem=4000M,node=1", values::tres);
        let allocated: Tres = tres(Column::AllocTres)?.unwrap_or_default();
        let requested: Tres = tres(Column::ReqTres)?.unwrap_or_default();
        let cpus = first_positive([
            self.count(Column::AllocCpus)?,
            self.count(Column::NCpus)?,
            allocated.cpus,
            self.count(Column::ReqCpus)?,
            requested.cpus,
        ]);
        let nodes = first_positive([
            self.count(Column::AllocNodes)?,
            self.count(Column::NNodes)?,
            allocated.nodes,
            requested.nodes,
        ]);
        let Some(cpus) = cpus else { return Ok(None) };
        let nodes = nodes.unwrap_or_else(|| {
            remarks.push(ChangeKind::NodesUnknown);
            1
        });
        let gres = self.read(Column::AllocGres, "GPUs like gpu:2", |text| Some(values::gres_gpus(text)))?;
        let gpus = first_positive([allocated.gpus, requested.gpus, gres.flatten()]).unwrap_or(0);
        if cpus % nodes > 0 || gpus % nodes > 0 {
            remarks.push(ChangeKind::UnevenNodes);
        }
        let memory_mib = self.memory_per_node(&allocated, cpus.div_ceil(nodes), nodes, remarks)?;
        let number = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
        let per_node =
            Resources { cpus: number(cpus.div_ceil(nodes)), gpus: number(gpus.div_ceil(nodes)), memory_mib };
        Ok(Some(Shape::Nodes { nodes: number(nodes), per_node }))
    }

    /// The allocated memory, else what was requested in one of the three meanings that Slurm's releases give it.
    fn memory_per_node(
        &self,
        allocated: &Tres,
        cpus: u64,
        nodes: u64,
        remarks: &mut Remarks,
    ) -> Result<u64, Fault> {
        let expected = "an amount of memory like 4000M, 3000Mc or 48000Mn";
        let requested: Option<Memory> = self.read(Column::ReqMem, expected, values::memory)?;
        if requested.is_some_and(|memory| memory.had_flag) {
            remarks.push(ChangeKind::LeakedMemoryFlag);
        }
        let per_job = allocated.memory_mib.map(|mib| mib.div_ceil(nodes));
        let of_job = requested.is_some_and(|memory| memory.per == Per::Job && memory.mib > 0);
        if per_job.is_none() && of_job && (nodes > 1 || cpus > 1) {
            remarks.push(ChangeKind::MemoryOfJob);
        }
        Ok(per_job.unwrap_or_else(|| match requested {
            Some(Memory { mib, per: Per::Cpu, .. }) => mib.saturating_mul(cpus),
            Some(Memory { mib, per: Per::Node, .. }) => mib,
            Some(Memory { mib, per: Per::Job, .. }) => mib.div_ceil(nodes),
            None => 0,
        }))
    }

    /// The raw id, which is the job's own number; else the number that its id begins with.
    fn number_of(&self, id: &str) -> Result<u64, Fault> {
        let raw = self.text(Column::JobIdRaw).filter(|raw| values::is_job_id(raw)).unwrap_or(id);
        let end = raw.find(|c: char| !c.is_ascii_digit()).unwrap_or(raw.len());
        let number = raw.get(..end).and_then(|digits| digits.parse().ok());
        number.ok_or_else(|| self.fault(self.columns.id_index(), "a job id below 2^64", raw))
    }

    fn tasks(&self, id: &str) -> Result<u64, Fault> {
        let expected = "an array range like 123_[1-5,9]";
        values::tasks(id).ok_or_else(|| self.fault(self.columns.id_index(), expected, id))
    }
}

fn first_positive<const N: usize>(counts: [Option<u64>; N]) -> Option<u64> {
    counts.into_iter().flatten().find(|&count| count > 0)
}
