//! Tables of jobs by hand: columns by their names and by what they are named, units, sizes, errors.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod common;

use common::{error_of, limit_secs, read_text, runtime_secs, traces};
use switchyard_model::{FleetSpec, PerMille, Resources, Shape, SimDuration, SimTime};
use switchyard_workload::generate::{K8S_LAB_GAP_SECS, k8s_lab};
use switchyard_workload::{
    ChangeKind, Format, ReadOptions, Report, SkipReason, Status, Workload, fleet_for, read,
};

fn columns(names: &str) -> ReadOptions {
    ReadOptions { columns: Some(names.split(',').map(str::to_owned).collect()), ..ReadOptions::default() }
}

fn named(text: &str, names: &str) -> (Workload, Report) {
    read("test", text.as_bytes(), &columns(names)).unwrap()
}

fn shape(header: &str, row: &str) -> Shape {
    read_text(&format!("submit,runtime,{header}\n0,10,{row}\n")).unwrap().0.jobs[0].spec.shape
}

#[test]
fn sizes_have_their_meanings() {
    let each = |cpus, gpus, memory_mib| Resources { cpus, gpus, memory_mib };
    assert_eq!(
        shape("nodes,cpus,gpus,memory_mib", "2,8,4,1000"),
        Shape::Nodes { nodes: 2, per_node: each(8, 4, 1000) }
    );
    assert_eq!(shape("tasks,cpus", "6,2"), Shape::Tasks { tasks: 6, per_task: each(2, 0, 0) });
    assert_eq!(shape("procs", "6"), Shape::Tasks { tasks: 6, per_task: each(1, 0, 0) });
    assert_eq!(shape("cpus,memory_mib", "4,1000"), Shape::Tasks { tasks: 4, per_task: each(1, 0, 250) });
    assert_eq!(shape("gpus", "3"), Shape::Tasks { tasks: 3, per_task: each(1, 1, 0) });
    assert_eq!(shape("gpus,cpus", "3,10"), Shape::Tasks { tasks: 3, per_task: each(4, 1, 0) });
    assert_eq!(shape("gpus", "0"), Shape::Tasks { tasks: 1, per_task: each(1, 0, 0) });
}

#[test]
fn rows_that_are_no_jobs_are_skipped() {
    let text = "id,submit,runtime,procs,limit,status,wait\n1,0,10,4,20,completed,3\n2,,10,4,20,,\n3,5,-1,4,,,\n4,5,,4,20,,\n5,5,10,0,20,,\n6,1,-1,2,30,killed,\n";
    let (workload, report) = read_text(text).unwrap();
    assert_eq!(report.format, Some(Format::Csv));
    let ids: Vec<u64> = workload.jobs.iter().map(|job| job.spec.id.0).collect();
    assert_eq!(ids, [1, 6]);
    assert_eq!(report.skipped.count(SkipReason::NoSubmitTime), 1);
    assert_eq!(report.skipped.count(SkipReason::NoRuntime), 2);
    assert_eq!(report.skipped.count(SkipReason::NoProcessors), 1);
    // -1 where there is a limit: until it is stopped.
    assert_eq!((report.changed.count(ChangeKind::RunsToLimit), runtime_secs(&workload.jobs[1])), (1, 30));
    assert_eq!(workload.recorded(0).wait, Some(SimDuration::from_secs(3)));
    assert_eq!([0, 1].map(|index| workload.recorded(index).status), [Status::Completed, Status::Cancelled]);
}

#[test]
fn other_names_separators_quotes_and_stamps() {
    let text = "Who;When;\"How; long\";Size;Note\n\"ann \"\"A\"\"\";2024-01-01 00:00:10;00:01:40;4.0;\"two\nlines\"\nbob;2024-01-01T00:00:00Z;1-00:00:00;2;\n";
    let (workload, report) = named(text, "user=Who,submit=When,runtime=How; long,procs=Size");
    assert_eq!((report.rows, report.changed.count(ChangeKind::OutOfOrder)), (2, 1));
    let seen: Vec<_> = workload.jobs.iter().map(|job| (&*job.spec.user, runtime_secs(job))).collect();
    assert_eq!(seen, [("bob", 86_400), ("ann \"A\"", 100)]);
    assert_eq!((workload.origin, workload.unix_start), (SimTime::from_secs(1_704_067_200), Some(0)));
    assert!(report.notes.iter().any(|note| note.contains("taken for UTC")));
    assert_eq!(report.unmodelled[0].field, "Note");
}

#[test]
fn jobs_without_a_number_get_one() {
    let (workload, report) = read_text("id,submit,runtime,procs\na,0,10,1\n7,1,10,1\nb,2,10,1\n").unwrap();
    let ids: Vec<u64> = workload.jobs.iter().map(|job| job.spec.id.0).collect();
    assert_eq!((ids, report.changed.count(ChangeKind::IdNotANumber)), (vec![8, 7, 9], 2));
}

/// The lab's own trace file gives its jobs back, as a Slurm cluster would get them.
#[test]
fn the_k8s_labs_trace_is_what_its_generator_makes() {
    let Some(folder) = traces() else { return };
    let bytes = std::fs::read(folder.join("golden/k8s_default_seed0_800.csv")).unwrap();
    let (workload, report) = read("k8s.csv", &bytes, &ReadOptions::default()).unwrap();
    assert_eq!((report.rows, report.changed.count(ChangeKind::NoLimitMinutes)), (800, 800));
    let made = k8s_lab(800, 0, K8S_LAB_GAP_SECS);
    for (read, made) in workload.jobs.iter().zip(&made) {
        let later = workload.origin.since(SimTime::ZERO);
        assert_eq!((read.spec.submit + later, read.truth), (made.spec.submit, made.truth));
        let mut spec = (*made.spec).clone();
        (spec.submit, spec.user) = (read.spec.submit, read.spec.user.clone());
        assert_eq!(*read.spec, spec);
    }
    assert_eq!(workload.jobs[3].spec.qos, PerMille(1000));
    assert_eq!(fleet_for(&workload), FleetSpec::k8s_lab());
}

#[test]
fn philly_is_read_by_naming_its_columns() {
    let Some(folder) = traces() else { return };
    let bytes = std::fs::read(folder.join("philly_sia_head60000.csv")).unwrap();
    let names = "submit=timestamp,runtime=duration,gpus=num_gpus,account=cluster";
    let (workload, report) = read("philly.csv", &bytes, &columns(names)).unwrap();
    assert_eq!((report.rows, workload.jobs.len()), (59_999, 59_999));
    assert_eq!(report.changed.count(ChangeKind::NoLimit), 59_999);
    assert!(report.changed.count(ChangeKind::OutOfOrder) > 33_038);
    assert_eq!(report.unmodelled.iter().map(|field| &*field.field).collect::<Vec<_>>(), ["gpu_time"]);
    let mut accounts: Vec<&str> = workload.jobs.iter().map(|job| &*job.spec.account).collect();
    accounts.sort_unstable();
    accounts.dedup();
    assert_eq!(accounts.len(), 15);
    let fleet = fleet_for(&workload).build().unwrap();
    assert!(fleet.has_gpus() && fleet.capacity().gpus >= 128, "{}", fleet.capacity().gpus);
}

#[test]
fn the_simulators_input_is_known() {
    let text = "dt;job_id;wall_time;user;wall_limit;n_tasks;ntasks_per_node;account;partition;qos;constraint;mem;gres\n\
        0;1001;15;user5;7;12;12;account2;normal;normal;;;\n594;1007;-1;user4;25;24;12;account2;normal;normal;CPU-M;;\n";
    let (workload, _) = read_text(text).unwrap();
    assert_eq!(workload.jobs.iter().map(limit_secs).collect::<Vec<_>>(), [420, 1500]);
    assert_eq!(workload.jobs.iter().map(runtime_secs).collect::<Vec<_>>(), [15, 1500]);
    assert_eq!(workload.jobs[1].spec.shape.total().cpus, 24);
    assert_eq!(workload.jobs[1].spec.terms.partition.as_deref(), Some("normal"));
}

#[test]
fn errors_say_where() {
    let header = "submit,runtime,procs,limit\n";
    let said = |row: &str| error_of(&format!("{header}0,1,1,1\n{row}\n"));
    assert_eq!(
        said("soon,1,1,1"),
        "test, line 3, field 1 (submit): expected seconds, or a time like 2017-10-09 07:01:55, found \"soon\""
    );
    assert_eq!(
        said("1,1,many,1"),
        "test, line 3, field 3 (procs): expected a whole number below 2^32, found \"many\""
    );
    assert_eq!(said("1,1,1"), "test, line 3: expected 4 fields, found 3");
    assert!(said("1,1,1,1e300").contains("field 4 (limit): expected seconds, or a duration"));
    assert!(said("1,1,5000000000,1").contains("field 3 (procs)"));
    let no_size = read("t", b"submit,runtime\n1,2\n", &columns("submit=submit,runtime=runtime")).unwrap_err();
    assert!(
        no_size.to_string().contains("no column is known to be procs; name it, as in --columns procs=COLUMN"),
        "{no_size}"
    );
    assert!(error_of("when,long,size\n1,2,3\n").contains("name them, as in --columns submit=COLUMN"));
    let unclosed = format!("{header}0,1,1,1\n\"0,1,1,1\n1,1,1,1\n");
    assert!(error_of(&unclosed).contains("line 3: expected 4 fields"), "{}", error_of(&unclosed));
}
