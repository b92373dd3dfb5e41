//! Real traces come out with the counts that are known of them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod common;

use common::{limit_secs, runtime_secs, traces};
use switchyard_model::{Resources, Shape, SimTime};
use switchyard_workload::{
    ChangeKind, ReadError, ReadOptions, Report, SkipReason, Workload, fleet_for, read,
};

fn try_open(name: &str) -> Option<Result<(Workload, Report), ReadError>> {
    let bytes = std::fs::read(traces()?.join(name)).unwrap();
    Some(read(name, &bytes, &ReadOptions::default()))
}

fn open(name: &str) -> Option<(Workload, Report)> {
    Some(try_open(name)?.unwrap())
}

#[test]
fn kth_whole() {
    let Some((workload, report)) = open("KTH-SP2-1996-2.1-cln.swf") else { return };
    assert_eq!((report.rows, report.jobs, workload.jobs.len()), (28_476, 28_476, 28_476));
    assert_eq!(workload.declared_procs, Some(100));
    assert_eq!(workload.origin, SimTime::from_secs(599_850));
    assert!(report.skipped.is_empty());
    assert_eq!(report.changed.count(ChangeKind::OverLimit), 475);
    assert_eq!(report.changed.count(ChangeKind::ZeroRuntime), 8);
    assert_eq!(report.changed.count(ChangeKind::AllocationDiffers), 219);
    assert_eq!(report.changed.count(ChangeKind::ProcessorsUnknown), 1);
    let unknown = workload.jobs.iter().find(|job| job.spec.id.0 == 27_313).unwrap();
    assert_eq!(unknown.spec.shape.total().cpus, 1);
    assert_eq!(report.promised_rows, None); // MaxRecords is right
}

#[test]
fn kth_head() {
    let Some((workload, report)) = open("KTH-SP2-1996-head1000.swf") else { return };
    assert_eq!(workload.jobs.len(), 1000);
    assert_eq!(report.changed.count(ChangeKind::OverLimit), 9);
    assert_eq!(report.promised_rows, Some(28_476));
    let first = &workload.jobs[0];
    assert_eq!((first.spec.id.0, &*first.spec.user, &*first.spec.account), (15, "u12", "g12"));
    assert_eq!(first.spec.shape, Shape::Tasks { tasks: 4, per_task: Resources::cpus(1) });
    assert_eq!((limit_secs(first), runtime_secs(first)), (53_940, 3_477));
    assert_eq!(fleet_for(&workload).build().unwrap().capacity().cpus, 100);
}

#[test]
fn nasa_has_no_requests() {
    let Some((workload, report)) = open("NASA-iPSC-1993-3.1-cln.swf") else { return };
    assert_eq!(workload.jobs.len(), 18_239);
    assert_eq!(report.changed.count(ChangeKind::NoLimit), 18_239);
    assert_eq!(report.changed.count(ChangeKind::ZeroRuntime), 173);
    assert_eq!(report.promised_rows, Some(42_264));
    assert_eq!(workload.declared_procs, Some(128));
}

#[test]
fn curie_asks_for_other_than_it_gets() {
    let Some((workload, report)) = open("CEA-Curie-sample.swf") else { return };
    assert_eq!(workload.jobs.len(), 29_998);
    assert_eq!(report.changed.count(ChangeKind::AllocationDiffers), 3_751);
    assert_eq!(workload.origin, SimTime::from_secs(43_603_464));
    assert_eq!(workload.declared_procs, Some(93_312));
    assert_eq!(workload.jobs[0].spec.shape.total().cpus, 4_828);
}

#[test]
fn lublin_declares_nodes_only() {
    let Some((workload, report)) = open("lublin_256.swf") else { return };
    assert_eq!((workload.jobs.len(), workload.declared_procs), (10_000, Some(256)));
    assert_eq!(report.changed.count(ChangeKind::NoLimit), 10_000);
}

#[test]
fn phillips_is_recognised_without_a_header() {
    let Some((workload, report)) = open("sacct_xdmod_phillips.txt") else { return };
    assert_eq!((report.rows, report.jobs), (4_285, 4_046));
    assert_eq!(report.skipped.count(SkipReason::CancelledBeforeStart), 239); // NodeList is "None assigned"
    assert_eq!(report.skipped.total(), 239);
    assert_eq!(report.changed.count(ChangeKind::ZeroRuntime), 22);
    assert_eq!(report.changed.count(ChangeKind::OverLimit), 1);
    // 4,238 rows carry the flag; all of the 239 that never started are among them.
    assert_eq!(report.changed.count(ChangeKind::LeakedMemoryFlag), 4_238 - 239);
    let gpu_jobs = workload.jobs.iter().filter(|job| job.spec.shape.total().gpus == 2).count();
    assert_eq!(gpu_jobs, 2);
    let first = &workload.jobs[0];
    let per_node = Resources { cpus: 12, gpus: 2, memory_mib: 31_000 };
    assert_eq!(first.spec.shape, Shape::Nodes { nodes: 1, per_node });
    assert_eq!(workload.origin.as_micros() / 1_000_000, 1_482_390_912); // 2016-12-22T07:15:12
    let second = &workload.jobs[1]; // mem=62.50G over 8 nodes is ReqMem 8000Mn
    let per_node = Resources { cpus: 8, gpus: 0, memory_mib: 8_000 };
    assert_eq!(second.spec.shape, Shape::Nodes { nodes: 8, per_node });
}

#[test]
fn phillips_fits_the_fleet_that_is_derived_from_it() {
    let Some((workload, _)) = open("sacct_xdmod_phillips.txt") else { return };
    let fleet = fleet_for(&workload).build().unwrap();
    assert_eq!(fleet.nodes()[0].capacity, Resources { cpus: 12, gpus: 2, memory_mib: 31_000 });
    assert_eq!(fleet.nodes().len(), 42);
}

#[test]
fn xdmods_small_files() {
    let Some((arrays, report)) = open("sacct_small/xdmod_accounting-logs-with-job-arrays.txt") else {
        return;
    };
    assert_eq!(arrays.jobs.len(), 1 + 3 + 2 + 4 + 4 + 9);
    assert_eq!(report.changed.count(ChangeKind::ArrayRange), 22);

    let (logs, report) = open("sacct_small/xdmod_accounting-logs.txt").unwrap();
    assert_eq!((logs.jobs.len(), report.skipped.count(SkipReason::NoProcessors)), (3, 1));
    let job = &logs.jobs[0];
    assert_eq!((runtime_secs(job), limit_secs(job)), (259_200, 259_200));
    assert_eq!(logs.origin, SimTime::from_secs(1_435_327_020));

    let refused = |name| try_open(name).unwrap().unwrap_err().to_string();
    assert_eq!(
        refused("sacct_small/xdmod_non-ended-job-state.txt"),
        "sacct_small/xdmod_non-ended-job-state.txt has no job that could run: 2 rows not ended when the trace was \
         written; expected at least one row of a job that started and ended"
    );
    assert!(
        refused("sacct_small/xdmod_unknown-job-state.txt")
            .contains("2 rows in a state that Slurm doesn't have")
    );
    assert_eq!(open("sacct_small/xdmod_utf8-multibyte-chars.txt").unwrap().1.jobs, 1);
}

#[test]
fn separators_and_line_breaks_in_texts_are_repaired() {
    let Some((simple, report)) = open("sacct_small/sst_sacct_simple.log") else { return };
    assert_eq!((simple.jobs.len(), report.changed.count(ChangeKind::Repaired)), (4, 3));

    let (jobs, report) = open("sacct_small/sst_sacct_submitline_multiline.log").unwrap();
    assert_eq!((report.rows, jobs.jobs.len()), (13, 2));
    assert_eq!(report.skipped.count(SkipReason::Step), 7);
    assert_eq!(report.skipped.count(SkipReason::RepeatedRow), 4);
    let iozone = Shape::Nodes { nodes: 16, per_node: Resources { cpus: 36, gpus: 0, memory_mib: 36_864 } };
    assert!(jobs.jobs.iter().any(|job| job.spec.id.0 == 9_067_954 && job.spec.shape == iozone));

    let (jobs, report) = open("sacct_small/sst_sacct_dump2110.log").unwrap();
    assert_eq!((report.rows, jobs.jobs.len(), report.skipped.count(SkipReason::RepeatedRow)), (7, 1, 4));
    assert_eq!(jobs.jobs[0].spec.shape.total().cpus, 2);
}

#[test]
fn a_row_without_its_beginning_is_an_error_in_its_own_line() {
    let Some(result) = try_open("sacct_small/sst_sacct_dump2101.log") else { return };
    let said = result.unwrap_err().to_string();
    assert_eq!(said, "sacct_small/sst_sacct_dump2101.log, line 16: expected 107 fields, found 74");
}

#[test]
fn damaged_rows_can_be_left_out() {
    let Some(folder) = traces() else { return };
    let name = "sacct_small/sst_sacct_dump2101.log";
    let bytes = std::fs::read(folder.join(name)).unwrap();
    let options = ReadOptions { skip_damaged: true, ..ReadOptions::default() };
    let (workload, report) = read(name, &bytes, &options).unwrap();
    assert!(!workload.jobs.is_empty());
    assert_eq!(report.skipped.count(SkipReason::Damaged), 1, "{report}");
    assert!(report.to_string().contains("line 16: expected 107 fields, found 74"), "{report}");
    let kth = std::fs::read_to_string(folder.join("KTH-SP2-1996-head1000.swf")).unwrap();
    let torn = kth.replace("53940", "x").replace("; MaxRecords: 28476", "");
    let (workload, report) = read("torn", torn.as_bytes(), &options).unwrap();
    assert_eq!(report.rows, workload.jobs.len() as u64 + report.skipped.count(SkipReason::Damaged));
    assert!(report.skipped.count(SkipReason::Damaged) > 0 && workload.jobs.len() > 900);
    assert!(read("torn", torn.as_bytes(), &ReadOptions::default()).is_err());
}

#[test]
fn dumps_with_headers_and_steps() {
    for name in ["sacct_small/slurm2sql_test-data1.txt", "sacct_small/slurm2sql_test-data2.txt"] {
        let Some((workload, report)) = open(name) else { return };
        assert_eq!((workload.jobs.len(), report.skipped.count(SkipReason::Step)), (2, 3), "{name}");
        assert_eq!(runtime_secs(&workload.jobs[0]), 12_805, "{name}"); // 03:33:25
    }
}

#[test]
fn what_is_something_else_is_refused_with_a_sentence() {
    let Some(folder) = traces() else { return };
    let said = |name| try_open(name).unwrap().map(|(_, report)| report).unwrap_err().to_string();
    let semicolons = said("sacct_small/sst_jobs500.swf");
    assert!(semicolons.contains("line 1: this is not the Standard Workload Format"), "{semicolons}");
    assert!(semicolons.contains("separated by \";\""), "{semicolons}");
    assert!(said("sacct_small/slurm2sql_test-data3.txt").contains("separated by \",\" instead of \"|\""));
    let dates = said("sacct_small/sst_sacct_simple_formatted_expected.log");
    assert!(dates.contains("line 2, field 10 (Submit): expected a time like 2016-12-22T07:15:12"), "{dates}");
    assert!(folder.is_dir());
}

#[test]
fn no_file_of_the_collection_panics() {
    let Some(folder) = traces() else { return };
    for entry in
        [folder.clone(), folder.join("sacct_small"), folder.join("workloads_batsim"), folder.join("golden")]
    {
        for file in std::fs::read_dir(entry).unwrap() {
            let path = file.unwrap().path();
            if path.is_file() {
                let _ = read("file", &std::fs::read(path).unwrap(), &ReadOptions::default());
            }
        }
    }
}
