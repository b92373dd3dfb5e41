//! A dropped trace: what was read of it, what was skipped or changed and why, and on which machines it can run.

use serde::Serialize;
use switchyard_model::{Fleet, FleetSpec};
use switchyard_workload::{ChangeKind, Entry, ReadError, Report, Workload, fleet_for, scale_to};

use crate::intent::FleetChoice;
use crate::words::{counted, grouped, span, unit, units_of};

/// A file that was dropped, and what became of it.
#[derive(Clone, Debug)]
pub struct Import {
    /// The file's name.
    pub file: String,
    /// The jobs with the report, or the first thing that can't be read.
    pub outcome: Result<(Workload, Report), ReadError>,
    /// What the dialog shows of it.
    pub view: ImportView,
}

impl Import {
    /// What became of a file.
    pub fn new(file: String, outcome: Result<(Workload, Report), ReadError>) -> Self {
        let view = ImportView::of(&file, &outcome);
        Import { file, outcome, view }
    }
}

/// A line of the report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReportLine {
    /// How many rows or jobs.
    pub count: String,
    /// Why, or what was changed.
    pub words: &'static str,
    /// Where that was seen first, and what stood there.
    pub first: String,
}

/// Machines that the trace can run on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FleetOffer {
    /// Which.
    pub choice: FleetChoice,
    /// What it is called.
    pub title: &'static str,
    /// What it is made of.
    pub about: String,
    /// What of the jobs is changed for it.
    pub changed: Vec<ReportLine>,
}

/// What the import dialog shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum ImportView {
    /// The file can't be read.
    Failed {
        /// The file's name.
        file: String,
        /// What was expected where, and what stood there.
        sentence: String,
        /// The parts of the sentence, where it has them: place, expected, found.
        parts: Vec<(&'static str, String)>,
    },
    /// The file was read.
    Read {
        /// The file's name.
        file: String,
        /// How much was read.
        headline: String,
        /// Rows that became no job, by reason.
        skipped: Vec<ReportLine>,
        /// Jobs that are not as the trace says, by reason.
        changed: Vec<ReportLine>,
        /// Fields that are not used; empty if none.
        unused: String,
        /// On which machines it can run.
        fleets: Vec<FleetOffer>,
    },
}

impl ImportView {
    fn of(file: &str, outcome: &Result<(Workload, Report), ReadError>) -> Self {
        let file = file.to_owned();
        match outcome {
            Err(error) => ImportView::Failed { file, sentence: format!("{error}."), parts: parts(error) },
            Ok((workload, report)) => ImportView::Read {
                file,
                headline: headline(workload, report),
                skipped: report
                    .skipped
                    .iter()
                    .map(|(reason, entry)| line(entry, reason.sentence()))
                    .collect(),
                changed: changes(report),
                unused: unused(report),
                fleets: fleets(workload),
            },
        }
    }
}

fn headline(workload: &Workload, report: &Report) -> String {
    let format = report.format.map(|format| format!(" ({format})")).unwrap_or_default();
    let last = workload.jobs.last().map_or(switchyard_model::SimTime::ZERO, |job| job.spec.submit);
    let promised = report
        .promised_rows
        .map_or(String::new(), |rows| format!(" The header promises {}.", counted(rows, "row")));
    format!(
        "Read {} from {}{format}, submitted over {}.{promised}",
        counted(report.jobs, "job"),
        counted(report.rows, "row"),
        span(last.since(switchyard_model::SimTime::ZERO)),
    )
}

fn line(entry: &Entry, words: &'static str) -> ReportLine {
    let first = match &entry.example {
        Some(example) => format!("first: {}, \"{example}\"", entry.first),
        None => format!("first: {}", entry.first),
    };
    ReportLine { count: grouped(entry.count), words, first }
}

fn changes(report: &Report) -> Vec<ReportLine> {
    report.changed.iter().map(|(kind, entry): (ChangeKind, &Entry)| line(entry, kind.sentence())).collect()
}

fn unused(report: &Report) -> String {
    let names: Vec<String> = report.unmodelled.iter().map(|field| field.field.clone()).collect();
    if names.is_empty() {
        String::new()
    } else {
        format!("Fields that are not used: {}.", crate::words::listed(&names))
    }
}

/// The machines that make sense; both, unless a description is no fleet.
fn fleets(workload: &Workload) -> Vec<FleetOffer> {
    let derived = fleet_for(workload).build().ok().map(|fleet| FleetOffer {
        choice: FleetChoice::Derived,
        title: "The machine of the trace",
        about: about(&fleet),
        changed: Vec::new(),
    });
    let yard = FleetSpec::yard().build().ok().map(|fleet| FleetOffer {
        choice: FleetChoice::Yard,
        title: "The yard, with the requests scaled to it",
        about: about(&fleet),
        changed: changes(&scale_to(workload, &fleet).1),
    });
    derived.into_iter().chain(yard).collect()
}

fn about(fleet: &Fleet) -> String {
    let all = u64::from(units_of(fleet, &fleet.capacity()));
    format!(
        "{}, {}, {}",
        counted(fleet.racks().len() as u64, "rack"),
        counted(fleet.nodes().len() as u64, "node"),
        counted(all, unit(fleet))
    )
}

fn parts(error: &ReadError) -> Vec<(&'static str, String)> {
    match error {
        ReadError::Field { line, number, name, expected, found, .. } => vec![
            ("line", grouped(*line)),
            ("field", format!("{number} ({name})")),
            ("expected", (*expected).to_owned()),
            ("found", format!("\"{found}\"")),
        ],
        ReadError::FieldCount { line, expected, found, .. } => vec![
            ("line", grouped(*line)),
            ("expected", counted(*expected, "field")),
            ("found", counted(*found, "field")),
        ],
        ReadError::UnknownFormat { line, found, .. } | ReadError::SemicolonFields { line, found, .. } => {
            vec![("line", grouped(*line)), ("found", format!("\"{found}\""))]
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::panic)]
    use super::*;
    use switchyard_workload::{ReadOptions, read};

    const SWF: &str = "; MaxProcs: 16\n\
        1 0 5 100 8 -1 -1 8 200 -1 1 3 1 -1 1 -1 -1 -1\n\
        2 10 5 -1 8 -1 -1 8 200 -1 5 3 1 -1 1 -1 -1 -1\n\
        3 60 5 100 4 -1 -1 4 50 -1 1 3 2 -1 1 -1 -1 -1\n";

    fn view(text: &str) -> ImportView {
        let outcome = read("t.swf", text.as_bytes(), &ReadOptions::default());
        Import::new("t.swf".to_owned(), outcome).view
    }

    #[test]
    fn a_trace_is_reported_by_reason_and_offered_two_fleets() {
        let ImportView::Read { headline, skipped, changed, fleets, .. } = view(SWF) else { panic!() };
        assert!(
            headline.starts_with("Read 2 jobs from 3 rows (Standard Workload Format), submitted over 1 min."),
            "{headline}"
        );
        assert_eq!(skipped.len(), 1);
        assert_eq!((skipped[0].count.as_str(), skipped[0].first.as_str()), ("1", "first: line 3"));
        assert!(
            changed.iter().any(|line| line.words.starts_with("ran longer than the limit")),
            "{changed:?}"
        );
        assert_eq!(fleets[0].about, "1 rack, 2 nodes, 16 CPUs");
        assert_eq!(fleets[1].about, "8 racks, 32 nodes, 256 GPUs");
        assert!(fleets[0].changed.is_empty() && !fleets[1].changed.is_empty());
    }

    #[test]
    fn an_error_is_told_with_line_field_expected_and_found() {
        let ImportView::Failed { sentence, parts, .. } = view(&SWF.replace("2 10 5 -1 8", "2 10 5 x 8"))
        else {
            panic!()
        };
        assert!(sentence.starts_with("t.swf, line 3, field 4"), "{sentence}");
        let labels: Vec<_> = parts.iter().map(|(label, _)| *label).collect();
        assert_eq!(labels, ["line", "field", "expected", "found"]);
        assert_eq!(parts[3].1, "\"x\"");
    }
}
