//! A workload: jobs in the order of their submission, and what the trace says about the machine they ran on.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use switchyard_model::{FleetSpec, Job, JobId, JobSpec, PerMille, Shape, SimDuration, SimTime, Terms, Truth};

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
        }
    }
}

/// A job as a reader found it, in the trace's own time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) place: Place,
    pub(crate) id: u64,
    pub(crate) user: Arc<str>,
    pub(crate) account: Arc<str>,
    pub(crate) submit: SimTime,
    pub(crate) start: Option<SimTime>,
    pub(crate) runtime: SimDuration,
    pub(crate) limit: SimDuration,
    pub(crate) shape: Shape,
    pub(crate) terms: Terms,
}

/// Orders the rows, gives repeated numbers new ones, and counts time from the first submission.
pub(crate) fn assemble(name: &str, mut rows: Vec<Row>, report: &mut Report) -> Workload {
    let mut latest = SimTime::ZERO;
    for row in &rows {
        if row.submit < latest {
            report.changed.add(ChangeKind::OutOfOrder, row.place);
        }
        latest = latest.max(row.submit);
        if row.runtime > row.limit {
            report.changed.add(ChangeKind::OverLimit, row.place);
        }
        if row.runtime.is_zero() {
            report.changed.add(ChangeKind::ZeroRuntime, row.place);
        }
    }
    rows.sort_by_key(|row| row.submit); // stable: the file's order decides among equals
    renumber_repeated(&mut rows, report);
    report.jobs = rows.len() as u64;
    let origin = rows.first().map_or(SimTime::ZERO, |row| row.submit);
    let jobs = rows.into_iter().map(|row| job_of(row, origin)).collect();
    Workload { origin, ..Workload::new(name, jobs) }
}

fn renumber_repeated(rows: &mut [Row], report: &mut Report) {
    let mut taken = BTreeSet::new();
    let mut repeated = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        if !taken.insert(row.id) {
            repeated.push(index);
        }
    }
    let mut fresh = 0;
    for index in repeated {
        let Some(row) = rows.get_mut(index) else { continue };
        report.changed.add(ChangeKind::IdRepeated, row.place);
        // Above all numbers of the file, so that a new one is never mistaken for one of them; from the bottom if there is
        // nothing above.
        fresh = match taken.last() {
            Some(&last) if last < u64::MAX => last + 1,
            _ => (fresh..).find(|id| !taken.contains(id)).unwrap_or(0),
        };
        taken.insert(fresh);
        row.id = fresh;
    }
}

fn job_of(row: Row, origin: SimTime) -> Job {
    let spec = JobSpec {
        id: JobId(row.id),
        user: row.user,
        account: row.account,
        submit: SimTime::ZERO + row.submit.since(origin),
        limit: row.limit,
        shape: row.shape,
        qos: PerMille::default(),
        terms: row.terms,
    };
    Job { spec: Arc::new(spec), truth: Truth::new(row.runtime) }
}

/// Names that occur often, each kept once.
#[derive(Debug, Default)]
pub(crate) struct Names(BTreeMap<String, Arc<str>>);

impl Names {
    /// The shared copy of `name`.
    pub(crate) fn get(&mut self, name: &str) -> Arc<str> {
        if let Some(known) = self.0.get(name) {
            return Arc::clone(known);
        }
        let shared: Arc<str> = name.into();
        self.0.insert(name.to_owned(), Arc::clone(&shared));
        shared
    }
}
