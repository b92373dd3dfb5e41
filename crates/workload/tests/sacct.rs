//! sacct dumps by hand: each reason to skip, each remark, each error.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod common;

use common::{error_of, limit_secs, read_text, runtime_secs};
use switchyard_model::{Job, Resources, Shape, SimTime};
use switchyard_workload::{ChangeKind, Format, ReadOptions, SkipReason, Workload, read};

const HEADER: &str = "JobID|JobIDRaw|Cluster|User|Account|State|Submit|Start|Elapsed|Timelimit|NNodes|NCPUS|ReqMem|AllocTRES|NodeList|JobName\n";
const GOOD: &str = "100|100|c|ann|bio|COMPLETED|2020-01-01T00:00:00|2020-01-01T00:00:05|00:10:00|01:00:00|2|16|4000Mn|cpu=16,mem=8000M,node=2|n[1-2]|job\n";

/// A row under test: the good one's fields, with those replaced that are named.
fn row(changes: &[(&str, &str)]) -> String {
    let names: Vec<_> = HEADER.trim().split('|').collect();
    let mut fields: Vec<_> = GOOD.trim().split('|').collect();
    for (name, value) in [("JobID", "200"), ("JobIDRaw", "200")].iter().chain(changes) {
        fields[names.iter().position(|known| known == name).unwrap()] = value;
    }
    fields.join("|") + "\n"
}

fn dump(changes: &[(&str, &str)]) -> String {
    [HEADER, GOOD, &row(changes)].concat()
}

fn skips(changes: &[(&str, &str)], reason: SkipReason) {
    let (workload, report) = read_text(&dump(changes)).unwrap();
    assert_eq!(report.skipped.iter().map(|(reason, _)| reason).collect::<Vec<_>>(), [reason], "{changes:?}");
    assert_eq!(workload.jobs.len(), 1, "{changes:?}");
}

fn remarks(changes: &[(&str, &str)], kinds: &[ChangeKind]) -> Job {
    let (workload, report) = read_text(&dump(changes)).unwrap();
    assert_eq!(report.changed.iter().map(|(kind, _)| kind).collect::<Vec<_>>(), kinds, "{changes:?}");
    workload.jobs.last().unwrap().clone()
}

fn columns(names: &str) -> ReadOptions {
    ReadOptions { columns: Some(names.split(',').map(str::to_owned).collect()), ..ReadOptions::default() }
}

fn ids(workload: &Workload) -> Vec<u64> {
    workload.jobs.iter().map(|job| job.spec.id.0).collect()
}

#[test]
fn a_job_takes_its_allocation() {
    let (workload, report) = read_text(&[HEADER, GOOD].concat()).unwrap();
    assert_eq!((report.format, report.changed.total()), (Some(Format::Sacct), 0));
    assert_eq!(workload.origin, SimTime::from_secs(1_577_836_800)); // 2020-01-01T00:00:00 UTC
    let job = &workload.jobs[0];
    let per_node = Resources { cpus: 8, gpus: 0, memory_mib: 4000 };
    assert_eq!(job.spec.shape, Shape::Nodes { nodes: 2, per_node });
    assert_eq!((job.spec.id.0, &*job.spec.user, &*job.spec.account), (100, "ann", "bio"));
    assert_eq!((runtime_secs(job), limit_secs(job)), (600, 3600));
}

#[test]
fn rows_that_are_no_jobs_are_skipped_with_their_reason() {
    skips(&[("JobID", "200.batch")], SkipReason::Step);
    skips(&[("JobID", "200+1.0")], SkipReason::Step);
    for state in ["RUNNING", "PENDING", "SUSPENDED", "RESIZING"] {
        skips(&[("State", state)], SkipReason::NotEnded);
    }
    skips(&[("State", "FOO")], SkipReason::UnknownState);
    skips(&[("State", "REVOKED")], SkipReason::Revoked);
    skips(&[("State", "REQUEUED")], SkipReason::EarlierAttempt);
    skips(&[("Submit", "Unknown")], SkipReason::NoSubmitTime);
    skips(&[("Elapsed", "INVALID")], SkipReason::NoRuntime);
    skips(&[("NCPUS", "0"), ("AllocTRES", "gres/gpu=2")], SkipReason::NoProcessors);
    for start in ["Unknown", "None", ""] {
        skips(&[("Start", start), ("State", "DEADLINE")], SkipReason::CancelledBeforeStart);
    }
    skips(&[("State", "CANCELLED by 1000"), ("Elapsed", "00:00:00")], SkipReason::CancelledBeforeStart);
    skips(&[("State", "CANCELLED"), ("NodeList", "None assigned")], SkipReason::CancelledBeforeStart);
    skips(&[("JobID", "100"), ("JobIDRaw", "100")], SkipReason::RepeatedRow);
}

#[test]
fn an_unknown_state_is_shown() {
    let (_, report) = read_text(&dump(&[("State", "FOO")])).unwrap();
    assert!(
        report.to_string().contains("Skipped 1 row: in a state that Slurm doesn't have (line 3, \"FOO\").")
    );
}

#[test]
fn attempts_before_the_last_are_skipped() {
    let earlier = row(&[("State", "NODE_FAIL")]);
    let last = row(&[("Submit", "2020-01-01T03:00:00"), ("Start", "2020-01-01T04:00:00")]);
    let (workload, report) = read_text(&[HEADER, GOOD, &earlier, &last].concat()).unwrap();
    assert_eq!((ids(&workload), report.skipped.count(SkipReason::EarlierAttempt)), (vec![100, 200], 1));
    assert_eq!(workload.jobs[1].spec.submit, SimTime::from_secs(3 * 3600));
    // Without a later attempt the job ended that way, and another cluster's job 200 is another job.
    let elsewhere = last.replace("|c|", "|d|");
    let (workload, report) = read_text(&[HEADER, GOOD, &earlier, &elsewhere].concat()).unwrap();
    assert_eq!((ids(&workload), report.changed.count(ChangeKind::IdRepeated)), (vec![100, 200, 201], 1));
}

#[test]
fn cancelled_after_the_start_is_a_job() {
    let job = remarks(&[("State", "CANCELLED by 1300204")], &[]);
    assert_eq!(runtime_secs(&job), 600);
}

#[test]
fn limits_have_named_rules() {
    let limit = |text, kinds: &[ChangeKind]| limit_secs(&remarks(&[("Timelimit", text)], kinds));
    assert_eq!(limit("2-00:00:00", &[]), 172_800);
    assert_eq!(limit("UNLIMITED", &[ChangeKind::Unlimited]), 365 * 86_400);
    for unknown in ["Partition_Limit", "INVALID", ""] {
        assert_eq!(limit(unknown, &[ChangeKind::NoLimit]), 600);
    }
    assert_eq!(limit("00:05:00", &[ChangeKind::OverLimit]), 300);
}

#[test]
fn raw_columns_are_seconds_and_minutes() {
    let text = "JobIDRaw|Submit|ElapsedRaw|TimelimitRaw|State|AllocCPUS\n7|2020-01-01T00:00:00|90|5|COMPLETED|3\n\
                8|2020-01-01T00:00:00|90|Partition_Limit|COMPLETED|3\n";
    let (workload, report) = read_text(text).unwrap();
    let job = &workload.jobs[0];
    assert_eq!((runtime_secs(job), limit_secs(job)), (90, 300));
    assert_eq!((&*job.spec.user, report.changed.count(ChangeKind::NodesUnknown)), ("unknown", 2));
    assert_eq!(report.changed.count(ChangeKind::NoLimit), 1);
}

#[test]
fn memory_and_gpus_come_per_node() {
    let per_node =
        |changes: &[(&str, &str)], kinds: &[ChangeKind]| *remarks(changes, kinds).spec.shape.parts().1;
    let memory =
        |text, kinds: &[ChangeKind]| per_node(&[("ReqMem", text), ("AllocTRES", "")], kinds).memory_mib;
    assert_eq!(memory("3000Mc", &[]), 24_000);
    assert_eq!(memory("48000Mn", &[]), 48_000);
    assert_eq!(memory("16G", &[ChangeKind::MemoryOfJob]), 8_192);
    assert_eq!(memory("0n", &[]), 0);
    assert_eq!(memory("2147486648Mn", &[ChangeKind::LeakedMemoryFlag]), 24_000);
    assert_eq!(per_node(&[("AllocTRES", "cpu=16,gres/gpu=4,gres/gpu:a100=4,node=2")], &[]).gpus, 2);
    let uneven = per_node(&[("NCPUS", "17"), ("AllocTRES", "gres/gpu:v100=3")], &[ChangeKind::UnevenNodes]);
    assert_eq!((uneven.cpus, uneven.gpus), (9, 2));
}

#[test]
fn ranges_become_tasks_and_components_jobs() {
    let (workload, report) = read_text(&dump(&[("JobID", "200_[1-5,9%2]"), ("State", "TIMEOUT")])).unwrap();
    assert_eq!(ids(&workload), [100, 200, 201, 202, 203, 204, 205]);
    assert_eq!(report.changed.count(ChangeKind::ArrayRange), 6);
    remarks(&[("JobID", "199+1")], &[ChangeKind::HetComponent]);
    let task = remarks(&[("JobID", "150_4")], &[]);
    assert_eq!(task.spec.id.0, 200); // the raw id is the task's own number
}

#[test]
fn parsable_rows_end_with_a_separator() {
    let closed = |text: &str| text.trim_end().to_owned() + "|\n";
    let (workload, report) = read_text(&[closed(HEADER), closed(GOOD), closed(&row(&[]))].concat()).unwrap();
    assert_eq!((workload.jobs.len(), report.changed.total()), (2, 0));
}

#[test]
fn texts_with_separators_and_line_breaks_are_repaired_where_that_is_clear() {
    remarks(&[("JobName", "a||b|")], &[ChangeKind::Repaired]);
    remarks(&[("JobName", "first\nsecond line")], &[ChangeKind::Repaired]);
    // The last line is no text but a damaged row.
    assert_eq!(error_of(&dump(&[("JobName", "a\n|b|c")])), "test, line 4: expected 16 fields, found 3");
    assert_eq!(error_of(&dump(&[("JobName", "a\n201|201")])), "test, line 4: expected 16 fields, found 2");
    // Between two texts there is more than one reading with another state: nothing is guessed.
    let header = "JobID|Submit|Elapsed|JobName|State|Comment|NCPUS\n";
    let ambiguous = "1|2020-01-01T00:00:00|00:10|x|COMPLETED|FAILED|y|1\n";
    assert_eq!(read_text(&[header, ambiguous].concat()).unwrap().1.changed.count(ChangeKind::Repaired), 1);
    let ambiguous = "JobID|Submit|Elapsed|JobName|NCPUS|State|Comment\n1|2020-01-01T00:00:00|00:10|x|7|COMPLETED|8|COMPLETED|y\n";
    assert!(error_of(ambiguous).ends_with("line 2: expected 7 fields, found 9"));
}

#[test]
fn without_a_header_the_columns_are_named() {
    let bare = [GOOD, &row(&[])].concat();
    assert_eq!(
        error_of(&bare),
        "test, line 1: there is no header, and 16 columns in an order that is not known; name the columns in their \
         order (JobID,Submit,...), or write the file with sacct --parsable2 and without --noheader"
    );
    let named = columns(&HEADER.trim().replace('|', ",").replace("JobName", "jobname%40"));
    let (workload, report) = read("test", bare.as_bytes(), &named).unwrap();
    assert_eq!((workload.jobs.len(), report.rows), (2, 2));
    let with_header = [HEADER, &bare].concat();
    assert_eq!(read("test", with_header.as_bytes(), &named).unwrap().1.rows, 2);
}

#[test]
fn a_bad_line_gets_line_field_expectation_and_finding() {
    assert_eq!(
        error_of(&dump(&[("Elapsed", "12x")])),
        "test, line 3, field 9 (Elapsed): expected a duration like 1-02:03:04, found \"12x\""
    );
    assert_eq!(
        error_of(&dump(&[("Submit", "Ystday 10:00")])),
        "test, line 3, field 7 (Submit): expected a time like 2016-12-22T07:15:12, found \"Ystday 10:00\""
    );
    for (column, text) in [
        ("JobID", "abc"),
        ("NCPUS", "-4"),
        ("NNodes", "5000000000"),
        ("Timelimit", "soon"),
        ("ReqMem", "lots"),
        ("AllocTRES", "cpu"),
        ("JobID", "200_[5-1]"),
    ] {
        let said = error_of(&dump(&[(column, text)]));
        assert!(said.contains("line 3, field") && said.contains(&format!("({column})")), "{said}");
        assert!(said.ends_with(&format!("found \"{text}\"")), "{said}");
    }
    assert_eq!(error_of(&[HEADER, "1|2|3\n"].concat()), "test, line 2: expected 16 fields, found 3");
    let endless = error_of(&dump(&[("JobID", "200_[1-4000000]")]));
    assert_eq!(endless, "test, line 3: the array range stands for more than 1000000 tasks");
}

#[test]
fn missing_columns_are_named_with_what_to_type() {
    let said = error_of("JobID|Submit|Elapsed|NCPUS\n1|2020-01-01T00:00:00|00:10|1\n");
    assert!(
        said.starts_with("test: no column State; write the file with sacct --parsable2 --format=JobID,"),
        "{said}"
    );
}

/// Partition and quality of service go with the job, so that a site can tell what they mean.
#[test]
fn jobs_keep_their_partition_and_quality_of_service() {
    let dump = "JobID|Submit|Elapsed|State|NCPUS|Partition|QOS\n\
                1|2020-01-01T00:00:00|00:10:00|COMPLETED|4|gpu|high\n\
                2|2020-01-01T00:00:01|00:10:00|COMPLETED|4||\n";
    let (workload, report) = read("dump", dump.as_bytes(), &ReadOptions::default()).unwrap();
    let terms = |place: usize| &workload.jobs[place].spec.terms;
    assert_eq!((terms(0).partition.as_deref(), terms(0).qos.as_deref()), (Some("gpu"), Some("high")));
    assert_eq!((&terms(1).partition, &terms(1).qos), (&None, &None));
    assert!(report.unmodelled.is_empty(), "{:?}", report.unmodelled);
}

/// `sacct --parsable` ends each row with a separator; `--delimiter` takes any text for it.
#[test]
fn rows_may_end_with_a_separator_and_have_another() {
    let text = [HEADER, GOOD, &row(&[("JobID", "200+1")])].concat();
    let (plain, _) = read_text(&text).unwrap();
    let closed = text.replace('\n', "|\n");
    let with =
        |delimiter: &str| ReadOptions { delimiter: Some(delimiter.to_owned()), ..ReadOptions::default() };
    let specs = |workload: &Workload| workload.jobs.iter().map(|job| job.spec.clone()).collect::<Vec<_>>();
    let (read_closed, report) = read_text(&closed).unwrap();
    assert_eq!((specs(&read_closed), report.changed.count(ChangeKind::Repaired)), (specs(&plain), 0));
    for delimiter in [";", "^", "\t", "@@", "\u{1f}"] {
        let text = text.replace('|', delimiter);
        let (other, report) = read("test", text.as_bytes(), &with(delimiter)).unwrap();
        assert_eq!((report.format, specs(&other)), (Some(Format::Sacct), specs(&plain)), "{delimiter:?}");
    }
    // A text with the separator in it is repaired for any of them.
    let torn = text.replace("|job\n", "|a|b||c\n").replace('|', "@@");
    let (repaired, report) = read("test", torn.as_bytes(), &with("@@")).unwrap();
    assert_eq!((specs(&repaired), report.changed.count(ChangeKind::Repaired)), (specs(&plain), 2));
    let comma = read_text(&text.replace('|', ",")).unwrap_err().to_string();
    assert!(comma.ends_with("or name it with --delimiter"), "{comma}");
}
