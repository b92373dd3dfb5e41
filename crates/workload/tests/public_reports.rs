//! What users of other readers of Slurm's accounting reported, one test each: here it comes out right.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod common;

use common::{error_of, limit_secs, read_text, runtime_secs, traces};
use switchyard_model::{Partition, Resources, Shape, SimDuration, SimTime, Site};
use switchyard_workload::{ChangeKind, Quirk, ReadOptions, SkipReason, Status, limit_by_partition, read};

const HEADER: &str =
    "JobID|Submit|Start|Elapsed|Timelimit|State|NNodes|NCPUS|ReqMem|AllocTRES|NodeList|Partition\n";

fn row(id: &str, submit: &str, start: &str, elapsed: &str, limit: &str, state: &str) -> String {
    let start = if start.starts_with(char::is_alphabetic) || start.is_empty() {
        start.to_owned()
    } else {
        format!("2024-01-01T{start}")
    };
    format!("{id}|2024-01-01T{submit}|{start}|{elapsed}|{limit}|{state}|1|4|1000Mc|cpu=4,node=1|n1|short\n")
}

/// troycomi/reportseff#11, NordicHPC/slurm2sql PR#4, neilmunday/slurm-mail#58: a limit may be `Partition_Limit`, also in
/// minutes, and a start `None`. That is unknown; a partition's own limit is taken where there is one.
#[test]
fn partition_limit_is_no_limit_until_the_partition_is_known() {
    let rows = [
        row("1", "00:00:00", "00:01:00", "00:10:00", "Partition_Limit", "COMPLETED"),
        row("2", "00:00:00", "None", "00:00:00", "Partition_Limit", "CANCELLED by 7"),
        row("3", "00:00:00", "00:01:00", "00:10:00", "00:30:00", "COMPLETED"),
    ];
    let (mut workload, report) = read_text(&[HEADER, &rows.concat()].concat()).unwrap();
    assert_eq!(report.skipped.count(SkipReason::CancelledBeforeStart), 1);
    assert_eq!(
        (report.quirks.count(Quirk::PartitionLimit), report.changed.count(ChangeKind::NoLimit)),
        (2, 1)
    );
    assert_eq!(workload.jobs.iter().map(limit_secs).collect::<Vec<_>>(), [600, 1800]);
    let minutes = "JobIDRaw|Submit|ElapsedRaw|TimelimitRaw|State|AllocCPUS\n7|2024-01-01T00:00:00|90|Partition_Limit|COMPLETED|3\n";
    assert_eq!(limit_secs(&read_text(minutes).unwrap().0.jobs[0]), 90);

    let short = Partition { max_time: Some(SimDuration::from_secs(7200)), ..Partition::new("short", None) };
    let site = Site { partitions: vec![short], ..Site::default() };
    assert_eq!(limit_by_partition(&mut workload, &site), 1);
    assert_eq!(workload.jobs.iter().map(limit_secs).collect::<Vec<_>>(), [7200, 1800]);
    assert_eq!(limit_by_partition(&mut workload, &site), 0); // they are no longer without
}

/// aws-samples/hpc-cost-simulator#17 and PR#20: `0n`, suffixes, totals over several nodes; and jobs that were cancelled before
/// they started are no errors.
#[test]
fn memory_scales_by_cpus_or_nodes_and_cancelled_jobs_are_counted() {
    let dump = |memory: &str, tres: &str| {
        let text = format!(
            "{HEADER}1|2024-01-01T00:00:00|2024-01-01T00:00:00|00:10:00|01:00:00|COMPLETED|2|8|{memory}|{tres}|n[1-2]|p\n"
        );
        let per_node = *read_text(&text).unwrap().0.jobs[0].spec.shape.parts().1;
        (per_node.cpus, per_node.memory_mib)
    };
    assert_eq!(dump("0n", ""), (4, 0));
    assert_eq!(dump("2000Mc", ""), (4, 8_000));
    assert_eq!(dump("2000Mn", ""), (4, 2_000));
    assert_eq!(dump("1Gn", "cpu=8,mem=32G,node=2"), (4, 16_384));
    let cancelled = row("2", "00:00:00", "00:05:00", "00:00:00", "01:00:00", "CANCELLED by 0");
    let ran = row("1", "00:00:00", "00:01:00", "00:10:00", "01:00:00", "CANCELLED by 0");
    let (workload, report) = read_text(&[HEADER, &ran, &cancelled].concat()).unwrap();
    assert_eq!((workload.jobs.len(), workload.recorded(0).status), (1, Status::Cancelled));
    assert_eq!(report.skipped.count(SkipReason::CancelledBeforeStart), 1);
    assert_eq!(report.quirks.count(Quirk::CancelledBy), 2);
}

/// SchedMD/slurm#115: without its suffix, nobody can tell memory per node from memory per CPU. Both meanings stay apart, and where
/// neither is given that is said.
#[test]
fn memory_without_a_meaning_is_told() {
    let dump = |memory: &str, tres: &str| {
        let text = format!(
            "{HEADER}1|2024-01-01T00:00:00|2024-01-01T00:00:00|00:10:00|01:00:00|COMPLETED|2|8|{memory}|{tres}|n[1-2]|p\n"
        );
        let (workload, report) = read_text(&text).unwrap();
        (workload.jobs[0].spec.shape.parts().1.memory_mib, report.changed.count(ChangeKind::MemoryOfJob))
    };
    assert_eq!(dump("4000M", ""), (2_000, 1));
    assert_eq!(dump("4000Mn", ""), (4_000, 0));
    assert_eq!(dump("4000Mc", ""), (16_000, 0));
    assert_eq!(dump("4000M", "cpu=8,mem=6000M"), (3_000, 0)); // the allocation says it
    assert_eq!(dump("0", ""), (0, 0));
}

/// reframe-hpc/reframe#1083: a query by calendar days loses jobs that run over midnight. Jobs over the edges of the window are
/// kept; those that still run are counted, and kept with their runtime so far where that is wished, marked as censored.
#[test]
fn jobs_over_the_edges_of_a_window_are_kept_and_marked() {
    let rows = [
        "1|2023-12-31T22:00:00|2023-12-31T23:50:00|00:20:00|01:00:00|COMPLETED|1|4|0|cpu=4|n1|p\n".to_owned(),
        row("2", "23:00:00", "23:30:00", "00:30:00", "02:00:00", "RUNNING"),
        row("3", "23:59:00", "Unknown", "00:00:00", "02:00:00", "PENDING"),
    ];
    let text = [HEADER, &rows.concat()].concat();
    let (workload, report) = read_text(&text).unwrap();
    assert_eq!(workload.jobs.len(), 1);
    assert_eq!(workload.origin, SimTime::from_secs(1_704_060_000)); // 2023-12-31T22:00:00
    assert_eq!(report.skipped.count(SkipReason::NotEnded), 2);
    let options = ReadOptions { keep_running: true, ..ReadOptions::default() };
    let (workload, report) = read("dump", text.as_bytes(), &options).unwrap();
    assert_eq!(workload.jobs.iter().map(runtime_secs).collect::<Vec<_>>(), [1200, 1800]);
    assert_eq!((report.changed.count(ChangeKind::StillRunning), report.skipped.total()), (1, 1));
    assert!(report.to_string().contains("the runtime so far stands in (censored)"), "{report}");
}

/// troycomi/reportseff#25: of a requeued job only the last attempt was shown. The attempts are counted, and what they took.
#[test]
fn requeued_attempts_are_told() {
    let rows = [
        row("5", "00:00:00", "00:10:00", "01:00:00", "02:00:00", "REQUEUED"),
        row("5", "01:10:00", "01:20:00", "00:30:00", "02:00:00", "REQUEUED"),
        row("5", "01:50:00", "02:00:00", "00:15:00", "02:00:00", "COMPLETED"),
    ];
    let (workload, report) = read_text(&[HEADER, &rows.concat()].concat()).unwrap();
    assert_eq!((workload.jobs.len(), report.skipped.count(SkipReason::EarlierAttempt)), (1, 2));
    assert_eq!(workload.recorded(0).wait, Some(SimDuration::from_secs(600)));
    // 90 min on 4 CPUs.
    assert!(report.to_string().contains("Earlier attempts took 6.0 CPU-h, which were lost;"), "{report}");
}

/// MFlowCode/MFC PR#1311, snakemake-executor-plugin-slurm#109: a job that was preempted or lost its node and then ran to its end
/// has ended well; the lost work counts as lost.
#[test]
fn the_last_state_of_a_requeued_job_counts() {
    for state in ["PREEMPTED", "NODE_FAIL"] {
        let rows = [
            row("5", "00:00:00", "00:10:00", "00:30:00", "02:00:00", state),
            row("5", "00:40:00", "01:00:00", "00:15:00", "02:00:00", "COMPLETED"),
        ];
        // In either order: a dump is sorted by number, not by time.
        for rows in [rows.clone(), [rows[1].clone(), rows[0].clone()]] {
            let (workload, report) = read_text(&[HEADER, &rows.concat()].concat()).unwrap();
            assert_eq!((workload.jobs.len(), workload.recorded(0).status), (1, Status::Completed), "{state}");
            assert_eq!(runtime_secs(&workload.jobs[0]), 900);
            assert!(report.to_string().contains("Earlier attempts took 2.0 CPU-h"), "{report}");
        }
        let alone =
            read_text(&[HEADER, &row("5", "00:00:00", "00:10:00", "00:30:00", "02:00:00", state)].concat());
        assert_eq!(alone.unwrap().0.jobs.len(), 1, "{state}");
    }
}

/// ubccr/xdmod's tests: a state nobody knows, jobs that have not ended, no partition, names beyond ASCII, `gres/gpu:volta=2`.
#[test]
fn oddities_are_skipped_with_a_reason_or_read() {
    let good = row("1", "00:00:00", "00:10:00", "00:30:00", "02:00:00", "COMPLETED");
    let odd = [
        row("2", "00:00:00", "00:10:00", "00:30:00", "02:00:00", "FOO"),
        row("3", "00:00:00", "00:10:00", "00:30:00", "02:00:00", "RUNNING"),
        row("4", "00:00:00", "00:10:00", "00:30:00", "02:00:00", "COMPLETED").replace("|short", "|"),
        row("5", "00:00:00", "00:10:00", "00:30:00", "02:00:00", "COMPLETED")
            .replace("cpu=4,node=1", "cpu=4,gres/gpu:volta=2,node=1"),
    ];
    let (workload, report) = read_text(&[HEADER, &good, &odd.concat()].concat()).unwrap();
    assert_eq!(report.skipped.count(SkipReason::UnknownState), 1);
    assert_eq!(report.skipped.count(SkipReason::NotEnded), 1);
    assert_eq!(report.quirks.count(Quirk::NoPartition), 1);
    assert_eq!(workload.jobs[1].spec.terms.partition, None);
    let per_node = Resources { cpus: 4, gpus: 2, memory_mib: 4_000 };
    assert_eq!(workload.jobs[2].spec.shape, Shape::Nodes { nodes: 1, per_node });
    let names =
        "JobID|User|Submit|Elapsed|State|NCPUS|JobName\n1|jörg|2024-01-01T00:00:00|00:10|COMPLETED|1|aàb\n";
    assert_eq!(&*read_text(names).unwrap().0.jobs[0].spec.user, "jörg");
}

/// The parses that XDMoD expects of its own files.
#[test]
fn xdmods_expected_parses() {
    let Some(folder) = traces() else { return };
    let folder = folder.join("sacct_small");
    let text = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let expected = |name: &str| serde_json::from_str::<serde_json::Value>(&text(name)).unwrap();
    let (logs, report) = read_text(&text("xdmod_accounting-logs.txt")).unwrap();
    let rows = expected("xdmod_accounting-logs.expected.json");
    // They keep a job without processors, which can't be scheduled.
    assert_eq!(rows.as_array().unwrap().len() as u64, logs.jobs.len() as u64 + report.skipped.total());
    for job in &logs.jobs {
        let id = job.spec.id.to_string();
        let row = rows.as_array().unwrap().iter().find(|row| row["job_id_raw"] == id).unwrap();
        let submit = (job.spec.submit + logs.origin.since(SimTime::ZERO)).as_micros() / 1_000_000;
        assert_eq!(
            (row["submit_time"].as_u64(), row["elapsed"].as_u64()),
            (Some(submit), Some(runtime_secs(job)))
        );
        assert_eq!(
            (row["user_name"].as_str(), row["account_name"].as_str()),
            (Some(&*job.spec.user), Some(&*job.spec.account))
        );
        let (nodes, per_node) = job.spec.shape.parts();
        assert_eq!(row["nnodes"], nodes.to_string());
        assert_eq!(row["ncpus"], (nodes * per_node.cpus).to_string());
        let wait = row["start_time"].as_u64().unwrap() - submit;
        let index = logs.jobs.iter().position(|known| known.spec.id == job.spec.id).unwrap();
        assert_eq!(logs.recorded(index).wait, Some(SimDuration::from_secs(wait)));
    }
    let arrays = expected("xdmod_accounting-logs-with-job-arrays.expected.json");
    let tasks: usize = arrays.as_array().unwrap().iter().map(|row| row.as_array().unwrap().len()).sum();
    let (jobs, _) = read_text(&text("xdmod_accounting-logs-with-job-arrays.txt")).unwrap();
    assert_eq!(jobs.jobs.len(), tasks);
    for (file, kind) in [
        ("xdmod_non-ended-job-state", "not ended when the trace was written"),
        ("xdmod_unknown-job-state", "in a state that Slurm doesn't have"),
    ] {
        let rows = expected(&format!("{file}.expected.json")).as_array().unwrap().len();
        let said = error_of(&text(&format!("{file}.txt")));
        assert!(said.contains(&format!("{rows} rows {kind}")), "{said}");
    }
}
