//! Writes jobs in the Standard Workload Format 2.2.
//!
//! What the jobs came from is kept where it still holds: the comments of a trace of that format, and the fields that a job has
//! no place for. Names become numbers, with a comment for each that says which.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::{self, Write};
use std::sync::Arc;

use switchyard_model::{Job, JobSpec, Oracle, SimDuration};

use crate::workload::{Recorded, Status, SwfFields, Workload};
use crate::write::{Lost, WriteReport, clean, seconds};

/// Comments that are written anew.
const OWN_LABELS: [&str; 2] = ["maxjobs", "maxrecords"];
const UNKNOWN: &str = "-1";

pub(crate) fn write(workload: &Workload, out: &mut dyn Write) -> io::Result<WriteReport> {
    let rows = Rows { workload, oracle: Oracle::new() };
    let numbers = Numbers::of(&rows);
    header(workload, &numbers, out)?;
    let mut report = WriteReport::default();
    let mut line = String::new();
    for (index, job) in workload.jobs.iter().enumerate() {
        line.clear();
        rows.row(index, job, &numbers, &mut line);
        out.write_all(line.as_bytes())?;
        report.count(&job.spec, &LOST);
    }
    Ok(report)
}

/// What the format has no place for.
const LOST: [Lost; 4] = [Lost::Gpus, Lost::Nodes, Lost::QosFactor, Lost::OtherTerms];

fn header(workload: &Workload, numbers: &Numbers, out: &mut dyn Write) -> io::Result<()> {
    let jobs = workload.jobs.len();
    let comments = workload.swf.as_ref().map_or(&[][..], |rest| &rest.comments);
    let labels: BTreeSet<String> = comments.iter().filter_map(|comment| label(comment)).collect();
    for comment in comments.iter().filter(|comment| !is_own(comment)) {
        writeln!(out, ";{comment}")?;
    }
    let mut say = |name: &str, value: &str| {
        if labels.contains(&name.to_ascii_lowercase()) && !OWN_LABELS.contains(&&*name.to_ascii_lowercase()) {
            return Ok(());
        }
        writeln!(out, "; {name}: {value}")
    };
    say("Version", "2.2")?;
    if comments.is_empty() {
        say("Conversion", &format!("switchyard, from {}", clean(&workload.name)))?;
    }
    say("MaxJobs", &jobs.to_string())?;
    say("MaxRecords", &jobs.to_string())?;
    if let Some(unix_start) = workload.unix_start {
        say("UnixStartTime", &(unix_start + offset(workload).as_micros() / 1_000_000).to_string())?;
    }
    if let Some(procs) = workload.declared_procs {
        say("MaxNodes", &procs.to_string())?;
        say("MaxProcs", &procs.to_string())?;
    }
    for (name, list) in [
        ("Partition", &numbers.partitions),
        ("QOS", &numbers.qos),
        ("User", &numbers.users),
        ("Group", &numbers.groups),
    ] {
        for (named, number) in list.named() {
            writeln!(out, "; {name}: {number} {}", clean(named))?;
        }
    }
    Ok(())
}

fn label(comment: &str) -> Option<String> {
    Some(comment.split_once(':')?.0.trim().to_ascii_lowercase())
}

fn is_own(comment: &str) -> bool {
    label(comment).is_some_and(|label| OWN_LABELS.contains(&&*label))
}

/// What is taken off the trace's own time: all that is before the first submission, if that is decades.
fn offset(workload: &Workload) -> SimDuration {
    if workload.unix_start == Some(0) {
        SimDuration::from_micros(workload.origin.as_micros())
    } else {
        SimDuration::ZERO
    }
}

struct Rows<'a> {
    workload: &'a Workload,
    oracle: Oracle,
}

impl Rows<'_> {
    fn row(&self, index: usize, job: &Job, numbers: &Numbers, line: &mut String) {
        let spec = &job.spec;
        let recorded = self.workload.recorded(index);
        let rest = self.rest(index);
        let origin = SimDuration::from_micros(
            self.workload.origin.as_micros().saturating_sub(offset(self.workload).as_micros()),
        );
        let runtime = self.oracle.runtime(&job.truth);
        let (allocated, requested) = procs(spec, rest);
        let number =
            |number: Option<u64>| number.map_or_else(|| UNKNOWN.to_owned(), |number| number.to_string());
        let field = |value: Option<f64>| value.map_or_else(|| UNKNOWN.to_owned(), |value| value.to_string());
        let partition = number(numbers.partitions.number(spec.terms.partition.as_ref()));
        let queue = number(numbers.qos.number(spec.terms.qos.as_ref()));
        let fields = [
            spec.id.0.to_string(),
            seconds((spec.submit + origin).as_micros()),
            recorded.wait.map_or_else(|| UNKNOWN.to_owned(), |wait| seconds(wait.as_micros())),
            seconds(runtime.as_micros()),
            allocated,
            field(rest.map(|rest| rest.cpu_secs)),
            field(rest.map(|rest| rest.used_memory)),
            requested,
            limit(spec, recorded, runtime),
            rest.map_or_else(|| memory(spec), |rest| rest.memory.to_string()),
            status(recorded).to_owned(),
            number(numbers.users.number(Some(&spec.user))),
            number(numbers.groups.number(Some(&spec.account))),
            field(rest.map(|rest| rest.executable)),
            rest.map(|rest| rest.queue).filter(|_| queue == UNKNOWN).map_or(queue, |queue| queue.to_string()),
            rest.map(|rest| rest.partition)
                .filter(|_| partition == UNKNOWN)
                .map_or(partition, |partition| partition.to_string()),
            field(rest.map(|rest| rest.preceding)),
            field(rest.map(|rest| rest.think_secs)),
        ];
        let _ = writeln!(line, "{}", fields.join(" "));
    }

    /// The fields that the job has no place for, if it came of a row of this format.
    fn rest(&self, index: usize) -> Option<&SwfFields> {
        let rest = self.workload.swf.as_ref()?;
        rest.fields.get(index).filter(|_| rest.fields.len() == self.workload.jobs.len())
    }
}

/// Allocated and requested processors: as they stood where they still give the job's number, else that number.
fn procs(spec: &JobSpec, rest: Option<&SwfFields>) -> (String, String) {
    let total = spec.shape.total().cpus;
    let both = || (total.to_string(), total.to_string());
    let Some(rest) = rest else { return both() };
    let read = if rest.requested > 0.0 { rest.requested } else { rest.allocated };
    let read = if read > 0.0 { read } else { 1.0 };
    if read.to_bits() == f64::from(total).to_bits() {
        (rest.allocated.to_string(), rest.requested.to_string())
    } else {
        both()
    }
}

/// The limit, but for one that only stands in.
fn limit(spec: &JobSpec, recorded: Recorded, runtime: SimDuration) -> String {
    let stand_in = runtime.max(crate::limits::LEAST_LIMIT);
    if recorded.limit_assumed && spec.limit == stand_in {
        UNKNOWN.to_owned()
    } else {
        seconds(spec.limit.as_micros())
    }
}

/// Memory in KB per processor.
fn memory(spec: &JobSpec) -> String {
    let total = spec.shape.total();
    if total.memory_mib == 0 || total.cpus == 0 {
        return UNKNOWN.to_owned();
    }
    (total.memory_mib.saturating_mul(1024) / u64::from(total.cpus)).to_string()
}

const fn status(recorded: Recorded) -> &'static str {
    match recorded.status {
        Status::Unknown => UNKNOWN,
        Status::Completed => "1",
        Status::Cancelled => "5",
        Status::Failed | Status::TimedOut | Status::NodeFailed | Status::Preempted | Status::OutOfMemory => {
            "0"
        }
    }
}

/// The numbers of all names.
#[derive(Debug)]
struct Numbers {
    users: List,
    groups: List,
    partitions: List,
    qos: List,
}

impl Numbers {
    fn of(rows: &Rows<'_>) -> Numbers {
        let jobs = || rows.workload.jobs.iter().enumerate();
        let known = |index, field: fn(&SwfFields) -> f64| rows.rest(index).map(field).filter(|&n| n >= 0.0);
        Numbers {
            users: List::of(Some('u'), jobs().map(|(_, job)| (Some(&job.spec.user), None))),
            groups: List::of(Some('g'), jobs().map(|(_, job)| (Some(&job.spec.account), None))),
            partitions: List::of(
                None,
                jobs().map(|(index, job)| {
                    (job.spec.terms.partition.as_ref(), known(index, |rest| rest.partition))
                }),
            ),
            qos: List::of(
                None,
                jobs().map(|(index, job)| (job.spec.terms.qos.as_ref(), known(index, |rest| rest.queue))),
            ),
        }
    }
}

/// Numbers of the names of one kind.
#[derive(Debug)]
struct List {
    /// What names that are numbers begin with.
    letter: Option<char>,
    numbers: BTreeMap<Arc<str>, u64>,
}

impl List {
    /// A name that is the letter and a number keeps it, and so does one that had a number in the trace; the others get
    /// numbers that are free, in their order of appearance.
    fn of<'a>(
        letter: Option<char>,
        names: impl Iterator<Item = (Option<&'a Arc<str>>, Option<f64>)>,
    ) -> List {
        let (mut taken, mut others, mut seen) = (BTreeSet::new(), Vec::new(), BTreeSet::new());
        let mut numbers = BTreeMap::new();
        for (name, known) in names {
            let known = known.map(|known| known as u64);
            taken.extend(known);
            let Some(name) = name.filter(|name| !is_unknown(name)) else { continue };
            match (own_number(letter, name), known) {
                (Some(number), _) => drop(taken.insert(number)),
                (None, Some(number)) => drop(numbers.insert(Arc::clone(name), number)),
                (None, None) => {
                    if seen.insert(Arc::clone(name)) {
                        others.push(Arc::clone(name));
                    }
                }
            }
        }
        let free = (1u64..).filter(|number| !taken.contains(number));
        let others = others.into_iter().filter(|name| !numbers.contains_key(name)).collect::<Vec<_>>();
        numbers.extend(others.into_iter().zip(free));
        List { letter, numbers }
    }

    fn number(&self, name: Option<&Arc<str>>) -> Option<u64> {
        let name = name.filter(|name| !is_unknown(name))?;
        self.numbers.get(name).copied().or_else(|| own_number(self.letter, name))
    }

    /// Names that the number doesn't tell, by their numbers.
    fn named(&self) -> Vec<(&str, u64)> {
        let mut named: Vec<(&str, u64)> =
            self.numbers.iter().map(|(name, &number)| (&**name, number)).collect();
        named.sort_unstable_by_key(|&(_, number)| number);
        named
    }
}

fn is_unknown(name: &str) -> bool {
    name.is_empty() || name == "unknown"
}

/// The 12 of `u12`, if writing it again gives the same.
fn own_number(letter: Option<char>, name: &str) -> Option<u64> {
    let digits = name.strip_prefix(letter?)?;
    let number: u64 = digits.parse().ok()?;
    // Up to 2^53 a reader's float holds every whole number.
    (number <= 1 << 53 && number.to_string() == digits).then_some(number)
}
