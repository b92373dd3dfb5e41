//! A workload: jobs in the order of their submission, and what the trace says about the machine they ran on.

use std::collections::BTreeMap;
use std::sync::Arc;

use switchyard_model::{FleetSpec, Job, JobId, JobSpec, SimDuration, SimTime, Truth};

use crate::fleet::RecordedUse;
use crate::report::{ChangeKind, Place, Report};

/// Jobs and where they come from.
#[derive(Clone, Debug)]
pub struct Workload {
    /// The file's or the generator's name.
    pub name: Arc<str>,
    /// The jobs, by submit time, then by their order in the file. Submit times count from [`origin`](Self::origin).
    pub jobs: Vec<Job>,
    /// What was subtracted from all times of the trace, so that the first job is submitted at 0: in a trace of the
    /// Standard Workload Format or of Batsim its own seconds, in a sacct dump the seconds since 1970-01-01T00:00:00, taking its
    /// stamps for UTC.
    pub origin: SimTime,
    /// The processors of the machine, if the trace names them (`MaxProcs`, else `MaxNodes`; Batsim's `nb_res`).
    pub declared_procs: Option<u32>,
    /// What the jobs used when they were recorded, for traces that say on how many nodes.
    pub recorded: Option<RecordedUse>,
    /// The machines that a generator made the jobs for; [`fleet_for`](crate::fleet_for) takes them as they are.
    pub made_for: Option<FleetSpec>,
    /// What the trace says about each job's recorded run, in the order of `jobs`. Empty where it says nothing; it counts only
    /// while there are as many entries as jobs.
    pub history: Vec<Recorded>,
    /// When the trace's own clock stood at 0, in seconds since 1970-01-01T00:00:00 UTC, if it says so (`UnixStartTime`; 0 in
    /// a sacct dump).
    pub unix_start: Option<u64>,
    /// What a trace of the Standard Workload Format says beyond its jobs.
    pub swf: Option<Box<SwfRest>>,
}

impl Workload {
    /// Jobs that are in order and count from 0 already, as generators make them.
    pub fn new(name: &str, jobs: Vec<Job>) -> Workload {
        Workload {
            name: name.into(),
            jobs,
            origin: SimTime::ZERO,
            declared_procs: None,
            recorded: None,
            made_for: None,
            history: Vec::new(),
            unix_start: None,
            swf: None,
        }
    }

    /// What the trace says about the recorded run of the job at this place.
    pub fn recorded(&self, index: usize) -> Recorded {
        let known = self.history.len() == self.jobs.len();
        self.history.get(index).filter(|_| known).copied().unwrap_or_default()
    }
}

/// What the Standard Workload Format has and no job holds, kept for writing it again.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SwfRest {
    /// The comments at the head of the file, without their `;`.
    pub(crate) comments: Vec<String>,
    /// For each job the fields that it has no place for; -1 is unknown. Counts only while there are as many as jobs.
    pub(crate) fields: Vec<SwfFields>,
}

/// Fields of a row that a job has no place for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SwfFields {
    pub(crate) allocated: f64,
    pub(crate) requested: f64,
    pub(crate) cpu_secs: f64,
    pub(crate) used_memory: f64,
    pub(crate) memory: f64,
    pub(crate) executable: f64,
    pub(crate) queue: f64,
    pub(crate) partition: f64,
    pub(crate) preceding: f64,
    pub(crate) think_secs: f64,
}

/// How a recorded run ended, as far as the trace says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Status {
    /// The trace doesn't say.
    #[default]
    Unknown,
    /// It ran to its end.
    Completed,
    /// It ended with an error of its own, or the trace doesn't tell why.
    Failed,
    /// It was stopped at its time limit.
    TimedOut,
    /// A user or an operator stopped it.
    Cancelled,
    /// A node under it was lost.
    NodeFailed,
    /// It had to make room for another job.
    Preempted,
    /// It used more memory than it had.
    OutOfMemory,
}

impl Status {
    /// All of them.
    pub const ALL: [Status; 8] = [
        Status::Unknown,
        Status::Completed,
        Status::Failed,
        Status::TimedOut,
        Status::Cancelled,
        Status::NodeFailed,
        Status::Preempted,
        Status::OutOfMemory,
    ];

    /// The name in tables and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Status::Unknown => "unknown",
            Status::Completed => "completed",
            Status::Failed => "failed",
            Status::TimedOut => "timed_out",
            Status::Cancelled => "cancelled",
            Status::NodeFailed => "node_failed",
            Status::Preempted => "preempted",
            Status::OutOfMemory => "out_of_memory",
        }
    }

    /// The status with that name.
    pub fn named(name: &str) -> Option<Status> {
        Status::ALL.into_iter().find(|status| status.name() == name)
    }
}

/// What a trace says about a job's recorded run; a simulation doesn't use it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recorded {
    /// How long it waited, from its submission to its start.
    pub wait: Option<SimDuration>,
    /// How it ended.
    pub status: Status,
    /// Whether its limit stands in for one that the trace doesn't give.
    pub limit_assumed: bool,
}

/// A job as a reader found it, in the trace's own time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) place: Place,
    pub(crate) start: Option<SimTime>,
    pub(crate) runtime: SimDuration,
    pub(crate) status: Status,
    pub(crate) limit_given: bool,
    pub(crate) spec: Arc<JobSpec>,
}

/// More jobs of one file are refused: they would not fit into the memory of a usual machine.
pub(crate) const JOBS_MAX: u64 = 10_000_000;

/// Orders the rows, gives repeated numbers new ones, and counts time from the first submission.
pub(crate) fn assemble(name: &str, mut rows: Vec<Row>, report: &mut Report) -> Workload {
    let mut latest = SimTime::ZERO;
    let mut sorted = true;
    for row in &rows {
        if row.spec.submit < latest {
            report.changed.add(ChangeKind::OutOfOrder, row.place);
            sorted = false;
        }
        latest = latest.max(row.spec.submit);
        if row.runtime > row.spec.limit {
            report.changed.add(ChangeKind::OverLimit, row.place);
        }
        if row.runtime.is_zero() {
            report.changed.add(ChangeKind::ZeroRuntime, row.place);
        }
    }
    if !sorted {
        rows.sort_by_key(|row| row.spec.submit); // stable: the file's order decides among equals
    }
    renumber_repeated(&mut rows, report);
    report.jobs = rows.len() as u64;
    let origin = rows.first().map_or(SimTime::ZERO, |row| row.spec.submit);
    let recorded = rows.iter().map(recorded_of).collect();
    let jobs = rows.into_iter().map(|row| job_of(row, origin)).collect();
    Workload { origin, history: recorded, ..Workload::new(name, jobs) }
}

fn recorded_of(row: &Row) -> Recorded {
    let wait = row.start.map(|start| start.since(row.spec.submit));
    Recorded { wait, status: row.status, limit_assumed: !row.limit_given }
}

fn renumber_repeated(rows: &mut [Row], report: &mut Report) {
    let id = |row: &Row| row.spec.id.0;
    if rows.is_sorted_by(|a, b| id(a) < id(b)) {
        return;
    }
    let mut taken: Vec<(u64, usize)> = rows.iter().map(id).zip(0..).collect();
    taken.sort_unstable();
    let repeated = taken.windows(2).filter_map(|pair| match pair {
        [(one, _), (other, index)] if one == other => Some(*index),
        _ => None,
    });
    let mut repeated: Vec<usize> = repeated.collect();
    repeated.sort_unstable(); // by their order in the file
    let mut last = taken.last().map_or(0, |&(id, _)| id);
    let mut gaps = None;
    for index in repeated {
        let Some(row) = rows.get_mut(index) else { continue };
        report.changed.add(ChangeKind::IdRepeated, row.place);
        // Above all numbers of the file, so that a new one is never mistaken for one of them; from the bottom if there is
        // nothing above.
        let fresh = match last.checked_add(1) {
            Some(fresh) => {
                last = fresh;
                Some(fresh)
            }
            None => gaps.get_or_insert_with(|| Gaps::below(&taken)).next(),
        };
        Arc::make_mut(&mut row.spec).id = JobId(fresh.unwrap_or(0));
    }
}

/// Numbers that nobody has, from 0.
struct Gaps<'a> {
    taken: std::iter::Peekable<std::slice::Iter<'a, (u64, usize)>>,
    next: u64,
}

impl<'a> Gaps<'a> {
    fn below(taken: &'a [(u64, usize)]) -> Gaps<'a> {
        Gaps { taken: taken.iter().peekable(), next: 0 }
    }
}

impl Iterator for Gaps<'_> {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        while let Some(&&(id, _)) = self.taken.peek() {
            if id > self.next {
                break;
            }
            self.next = id.checked_add(1)?;
            self.taken.next();
        }
        let free = self.next;
        self.next = free.checked_add(1)?;
        Some(free)
    }
}

fn job_of(mut row: Row, origin: SimTime) -> Job {
    let submit = SimTime::ZERO + row.spec.submit.since(origin);
    Arc::make_mut(&mut row.spec).submit = submit;
    Job { spec: row.spec, truth: Truth::new(row.runtime) }
}

/// Names that occur often, each kept once.
#[derive(Debug)]
pub(crate) struct Names {
    all: BTreeMap<String, Arc<str>>,
    /// Names that were asked for lately, by a sum over their bytes: most rows repeat them.
    recent: Vec<Option<Arc<str>>>,
}

/// A power of two.
const RECENT: usize = 1 << 10;

impl Default for Names {
    fn default() -> Self {
        Names { all: BTreeMap::new(), recent: vec![None; RECENT] }
    }
}

impl Names {
    /// The shared copy of `name`.
    pub(crate) fn get(&mut self, name: &str) -> Arc<str> {
        let sum = name.bytes().fold(0u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
        let slot = self.recent.get_mut(sum as usize & (RECENT - 1));
        if let Some(Some(known)) = &slot
            && **known == *name
        {
            return Arc::clone(known);
        }
        let shared = match self.all.get(name) {
            Some(known) => Arc::clone(known),
            None => {
                let shared: Arc<str> = name.into();
                self.all.insert(name.to_owned(), Arc::clone(&shared));
                shared
            }
        };
        if let Some(slot) = slot {
            *slot = Some(Arc::clone(&shared));
        }
        shared
    }
}
