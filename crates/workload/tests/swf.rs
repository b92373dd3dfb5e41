//! The Standard Workload Format by hand: each reason to skip, each remark, each error.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod common;

use common::{error_of, limit_secs, read_text, runtime_secs};
use switchyard_model::SimTime;
use switchyard_workload::{ChangeKind, Format, Place, ReadOptions, SkipReason, read};

const GOOD: &str = "1 10 -1 60 8 -1 -1 8 120 -1 1 7 3 -1 -1 -1 -1 -1\n";

/// A good row, and the row under test in line 2.
fn with(row: &str) -> String {
    format!("{GOOD}{row}\n")
}

fn skips(row: &str, reason: SkipReason) {
    let (workload, report) = read_text(&with(row)).unwrap();
    assert_eq!(workload.jobs.len(), 1, "{row}");
    assert_eq!(report.skipped.iter().map(|(reason, _)| reason).collect::<Vec<_>>(), [reason], "{row}");
    assert_eq!(report.skipped.iter().next().unwrap().1.first, Place::Line(2));
}

fn remarks(row: &str, kinds: &[ChangeKind]) -> switchyard_model::Job {
    let (workload, report) = read_text(&with(row)).unwrap();
    assert_eq!(report.changed.iter().map(|(kind, _)| kind).collect::<Vec<_>>(), kinds);
    workload.jobs.last().unwrap().clone()
}

#[test]
fn a_job_takes_its_request_and_counts_from_the_first_submission() {
    let (workload, report) =
        read_text(&with("2 12.5 -1 489.00 -1 -1 -1 2 600 -1 0 -1 -1 -1 -1 -1 -1 -1")).unwrap();
    assert_eq!(report.format, Some(Format::Swf));
    assert_eq!(workload.origin, SimTime::from_secs(10));
    let [one, two] = &workload.jobs[..] else { panic!("two jobs") };
    assert_eq!((one.spec.submit, one.spec.shape.total().cpus), (SimTime::ZERO, 8));
    assert_eq!((&*one.spec.user, &*one.spec.account), ("u7", "g3"));
    assert_eq!((&*two.spec.user, &*two.spec.account), ("unknown", "unknown"));
    assert_eq!((two.spec.submit, runtime_secs(two)), (SimTime::from_micros(2_500_000), 489));
}

#[test]
fn rows_that_are_no_jobs_are_skipped_with_their_reason() {
    skips("2 10 5 -1 4 -1 -1 4 60 -1 5 1 1 -1 -1 -1 -1 -1", SkipReason::CancelledBeforeStart);
    skips("2 10 5 0 0 -1 -1 4 60 -1 5 1 1 -1 -1 -1 -1 -1", SkipReason::CancelledBeforeStart);
    skips("2 10 5 9 4 -1 -1 4 60 -1 2 1 1 -1 -1 -1 -1 -1", SkipReason::Burst);
    skips("2 -1 5 9 4 -1 -1 4 60 -1 4 1 1 -1 -1 -1 -1 -1", SkipReason::Burst);
    skips("2 10 5 9 0 -1 -1 -1 60 -1 1 1 1 -1 -1 -1 -1 -1", SkipReason::NoProcessors);
    skips("2 10 5 -1 4 -1 -1 4 60 -1 0 1 1 -1 -1 -1 -1 -1", SkipReason::NoRuntime);
    skips("2 -1 5 9 4 -1 -1 4 60 -1 1 1 1 -1 -1 -1 -1 -1", SkipReason::NoSubmitTime);
}

#[test]
fn what_is_odd_about_a_job_is_remarked() {
    let over = remarks("2 10 0 90 4 -1 -1 4 60 -1 1 1 1 -1 -1 -1 -1 -1", &[ChangeKind::OverLimit]);
    assert_eq!((runtime_secs(&over), limit_secs(&over)), (90, 60));
    let zero = remarks("2 10 0 0 4 -1 -1 4 60 -1 1 1 1 -1 -1 -1 -1 -1", &[ChangeKind::ZeroRuntime]);
    assert_eq!(runtime_secs(&zero), 0);
    let no_limit = remarks("2 10 0 9 4 -1 -1 4 -1 -1 1 1 1 -1 -1 -1 -1 -1", &[ChangeKind::NoLimit]);
    assert_eq!(limit_secs(&no_limit), 9);
    let neither = remarks(
        "2 10 0 0 4 -1 -1 4 0 -1 1 1 1 -1 -1 -1 -1 -1",
        &[ChangeKind::ZeroRuntime, ChangeKind::NoLimit],
    );
    assert_eq!(limit_secs(&neither), 1);
    let unknown =
        remarks("2 10 0 9 -1 -1 -1 -1 60 -1 1 1 1 -1 -1 -1 -1 -1", &[ChangeKind::ProcessorsUnknown]);
    assert_eq!(unknown.spec.shape.total().cpus, 1);
    remarks("2 10 0 9 4 -1 -1 4 60 -1 1 1 1 -1 -1 -1 -1 -1 77 88", &[ChangeKind::ExtraFields]);
    let other = remarks("2 10 0 9 9 -1 -1 4 60 -1 1 1 1 -1 -1 -1 -1 -1", &[ChangeKind::AllocationDiffers]);
    assert_eq!(other.spec.shape.total().cpus, 4);
    let same = remarks("1 10 0 9 4 -1 -1 4 60 -1 1 1 1 -1 -1 -1 -1 -1", &[ChangeKind::IdRepeated]);
    assert_eq!(same.spec.id.0, 2);
}

#[test]
fn jobs_are_sorted_by_submission_and_stay_in_order_among_equals() {
    let row = |id, submit| format!("{id} {submit} -1 60 4 -1 -1 4 120 -1 1 7 3 -1 -1 -1 -1 -1\n");
    let (workload, report) = read_text(&[row(5, 30), row(4, 20), row(3, 20)].concat()).unwrap();
    assert_eq!(workload.jobs.iter().map(|job| job.spec.id.0).collect::<Vec<_>>(), [4, 3, 5]);
    assert_eq!(report.changed.count(ChangeKind::OutOfOrder), 2);
    assert_eq!(workload.origin, SimTime::from_secs(20));
}

#[test]
fn headers_line_ends_tabs_and_blanks_do_not_matter() {
    let text = format!(
        "\u{feff}; MaxNodes: 64\r\n;MaxProcs:128 processors\r\n; MaxRecords: 9\r\n\r\n   {}",
        GOOD.replace(' ', "\t")
    );
    let (workload, report) = read_text(&text.replace('\n', "\r\n")).unwrap();
    assert_eq!((workload.declared_procs, report.promised_rows, report.rows), (Some(128), Some(9), 1));
    let nodes_only = read_text(&format!("; MaxNodes: 64\n{GOOD}")).unwrap().0;
    assert_eq!(nodes_only.declared_procs, Some(64));
}

#[test]
fn fields_without_a_place_are_named() {
    let (_, report) = read_text(&with("2 10 0 9 4 3.5 -1 4 60 512 1 1 1 -1 -1 -1 1 30")).unwrap();
    let named: Vec<_> = report.unmodelled.iter().map(|field| (field.field.as_str(), field.rows)).collect();
    let expected =
        [("average CPU time", 1), ("requested memory", 1), ("preceding job", 1), ("think time", 1)];
    assert_eq!(named, expected);
}

#[test]
fn a_bad_line_gets_line_field_expectation_and_finding() {
    assert_eq!(
        error_of(&with("2 10 0 12x 4 -1 -1 4 60 -1 1 1 1 -1 -1 -1 -1 -1")),
        "test, line 2, field 4 (run time): expected a number of seconds, found \"12x\""
    );
    assert_eq!(
        error_of(&with("2 10 0 9 4.5 -1 -1 -1 60 -1 1 1 1 -1 -1 -1 -1 -1")),
        "test, line 2, field 5 (allocated processors): expected a number of processors, found \"4.5\""
    );
    assert_eq!(
        error_of(&with("2 10 0 9 4 -1 -1 5000000000 60 -1 1 1 1 -1 -1 -1 -1 -1")),
        "test, line 2, field 8 (requested processors): expected a number of processors, found \"5000000000\""
    );
    assert_eq!(
        error_of(&with("2.5 10 0 9 4 -1 -1 4 60 -1 1 1 1 -1 -1 -1 -1 -1")),
        "test, line 2, field 1 (job number): expected a whole number, found \"2.5\""
    );
    assert_eq!(error_of(&with("2 10 0 9 4 -1")), "test, line 2: expected 18 fields, found 6");
    assert!(error_of(&with("2 10 0 nan 4 -1 -1 4 60 -1 1 1 1 -1 -1 -1 -1 -1")).contains("found \"nan\""));
    assert!(
        error_of(&with("2 1e300 0 9 4 -1 -1 4 60 -1 1 1 1 -1 -1 -1 -1 -1")).contains("field 2 (submit time)")
    );
}

#[test]
fn files_that_are_no_trace_get_a_sentence() {
    assert!(error_of("").starts_with("test is empty; expected jobs"));
    assert!(error_of(" \n\t\n").starts_with("test is empty"));
    assert!(error_of("PK\u{3}\u{4}\0\0").starts_with("test is no text: it has a zero byte at offset 4"));
    let gzip = read("kth.gz", b"\x1f\x8b\x08rest", &ReadOptions::default()).unwrap_err();
    assert!(gzip.to_string().starts_with("kth.gz can't be unpacked (gzip): "), "{gzip}");
    let bzip2 = read("kth.bz2", b"BZh9rest", &ReadOptions::default()).unwrap_err();
    assert_eq!(bzip2.to_string(), "kth.bz2 is compressed (bzip2); unpack it first");
    assert!(error_of("; Version: 2.2\n;\n").starts_with("test has no job that could run;"));
    assert!(error_of("Dear reader\nhello").contains("line 1: this is neither"));
    assert!(
        error_of("; MaxProcs: 4\nhello 12\n")
            .contains("line 2, field 1 (job number): expected a whole number")
    );
    assert!(
        error_of("1;0;-1;15;12;-1;-1;-1;420;-1;-1;user5;a;-1;n;n;;-1;")
            .contains("this is not the Standard Workload Format")
    );
}

#[test]
fn bytes_that_are_no_text_of_unicode_are_replaced_and_reported() {
    let mut bytes = b"; Conversion: J\xf6rg\n".to_vec();
    bytes.extend_from_slice(GOOD.as_bytes());
    let (_, report) = read("test", &bytes, &ReadOptions::default()).unwrap();
    assert_eq!(report.changed.count(ChangeKind::NotUtf8), 1);
    assert!(report.to_string().contains("1 line: bytes that are no UTF-8; replaced by a mark (line 1)."));
}

#[test]
fn a_report_reads_as_sentences() {
    let text = with("2 10 5 -1 4 -1 -1 4 60 -1 5 1 1 -1 -1 -1 -1 -1").replacen("60 8", "60 9", 1);
    let (_, report) = read_text(&text).unwrap();
    assert_eq!(
        report.to_string(),
        "Read 1 job from 2 rows (Standard Workload Format).\n\
         Skipped 1 row: ended in the queue, without a start (line 2).\n\
         1 job: given another number of processors than requested; the request counts (line 1)."
    );
}
