//! `switchyard convert` and `switchyard generate`: files in, files out.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod common;

use common::{file, scratch, shared, switchyard, switchyard_with};

const TINY: &str = "; MaxProcs: 4\n\
    1 100 -1 50 4 -1 -1 4 60 -1 1 7 3 -1 -1 -1 -1 -1\n\
    2 110 -1 30.5 1 -1 -1 1 40 -1 1 7 3 -1 -1 -1 -1 -1\n";

#[test]
fn swf_is_the_way_out_and_standard_output_the_place() {
    let said = switchyard_with(&["convert", "-"], TINY);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.out.ends_with(TINY.split_once('\n').unwrap().1), "{}", said.out);
    assert!(said.err.ends_with("Wrote 2 jobs.\n"), "{}", said.err);
}

#[test]
fn the_name_of_the_file_says_the_format() {
    let tiny = file("convert_tiny.swf", TINY);
    for (name, begins) in
        [("convert_a.csv", "job_id,submit,"), ("convert_a.json", "{\"format\":\"switchyard-jobs\"")]
    {
        let out = scratch(name);
        let said = switchyard(&["convert", &tiny, "-o", out.to_str().unwrap()]);
        assert_eq!((said.code, said.out.as_str()), (0, ""), "{}", said.err);
        assert!(std::fs::read_to_string(&out).unwrap().starts_with(begins), "{name}");
        // And back again.
        let back = switchyard(&["convert", out.to_str().unwrap(), "--to", "swf"]);
        assert!(back.out.contains("\n2 110 -1 30.5 1 -1 -1 1 40 -1 1 7 3 -1"), "{}", back.out);
    }
}

#[test]
fn replays_of_a_trace_and_of_what_it_became_are_the_same() {
    let Some(kth) = shared("KTH-SP2-1996-head1000.swf") else { return };
    let starts = |trace: &str, name: &str| {
        let out = scratch(name);
        let args = ["replay", trace, "--procs", "100", "--policy", "easy", "--starts", out.to_str().unwrap()];
        assert_eq!(switchyard(&args).code, 0);
        std::fs::read_to_string(out).unwrap()
    };
    let expected = starts(&kth, "convert_0.csv");
    for to in ["swf", "csv", "json"] {
        let out = scratch(&format!("convert_kth.{to}"));
        assert_eq!(switchyard(&["convert", &kth, "-o", out.to_str().unwrap()]).code, 0);
        assert!(starts(out.to_str().unwrap(), &format!("convert_{to}.csv")) == expected, "{to}");
    }
}

#[test]
fn generated_jobs_are_those_that_are_replayed() {
    let out = scratch("generated.json");
    let said = switchyard(&["generate", "seed-lab:100:5", "-o", out.to_str().unwrap(), "--limits", "exact"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let replayed = |input: &[&str]| {
        let said = switchyard(
            &[&["replay"], input, &["--policy", "easy", "--slowdown", "classical", "--json"]].concat(),
        );
        assert_eq!(said.code, 0, "{}", said.err);
        let mut figures: serde_json::Value = serde_json::from_str(&said.out).unwrap();
        figures["limits"].take();
        figures
    };
    let direct = replayed(&["--generate", "seed-lab:100:5", "--limits", "exact"]);
    assert_eq!(replayed(&[out.to_str().unwrap()]), direct);
}

#[test]
fn a_table_gets_its_columns_named() {
    let table = "when,how long,who,size\n2020-01-01 00:00:10,60,ann,4\n2020-01-01 00:00:00,30.5,bob,2\n";
    let refused = switchyard_with(&["convert", "-"], table);
    assert_eq!(refused.code, 3);
    assert!(
        refused.err.contains("name them, as in --columns submit=COLUMN,runtime=COLUMN,"),
        "{}",
        refused.err
    );
    let columns = "submit=when,runtime=how long,user=who,procs=size";
    let said = switchyard_with(&["convert", "-", "--columns", columns], table);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.out.contains("; UnixStartTime: 1577836800"), "{}", said.out);
    assert!(said.out.contains("\n2 0 -1 30.5 2 -1 -1 2 -1 -1 -1 1 -1 "), "{}", said.out);
    let wrong =
        switchyard_with(&["convert", "-", "--columns", "submit=When,runtime=how long,procs=size"], table);
    assert!(wrong.err.contains("the columns are when, how long, who, size"), "{}", wrong.err);
    let wrong = switchyard_with(&["convert", "-", "--columns", "start=when"], table);
    assert!(wrong.err.contains("a column can mean one of id, submit, runtime,"), "{}", wrong.err);
}

#[test]
fn mistakes_are_answered_with_what_to_type() {
    let tiny = file("convert_mistakes.swf", TINY);
    let said = switchyard(&["convert", &tiny, "--to", "xml"]);
    assert_eq!(said.code, 2);
    assert!(
        said.err.contains("jobs can't be written as \"xml\"; choose one of swf, csv, json"),
        "{}",
        said.err
    );
    let said = switchyard(&["convert", &tiny, "--from", "slurm"]);
    assert!(said.err.contains("choose one of swf, sacct, batsim, csv, json"), "{}", said.err);
    let said = switchyard(&["convert", &tiny, "-o", "no-such-folder/out.swf"]);
    assert_eq!(said.code, 4);
    assert!(said.err.contains("can't write no-such-folder/out.swf"), "{}", said.err);
    let said = switchyard(&["convert", "."]);
    assert_eq!(said.code, 3);
}

#[test]
fn workloads_can_be_cut_loaded_and_shaken() {
    let args = ["generate", "poisson:2000:1", "--procs", "64", "--to", "swf"];
    let rows = |more: &[&str]| {
        let said = switchyard(&[&args[..], more].concat());
        assert_eq!(said.code, 0, "{}", said.err);
        // Up to the limit: the numbers of users depend on which of them there are.
        let row = |line: &str| line.split(' ').take(9).collect::<Vec<_>>().join(" ");
        said.out.lines().filter(|line| !line.starts_with(';')).map(row).collect::<Vec<_>>()
    };
    let all = rows(&[]);
    assert_eq!(rows(&["--slice", "100..200"])[..], all[100..200]);
    let week = rows(&["--slice", "..12h"]);
    assert!(!week.is_empty() && week.len() < all.len() && week[..] == all[..week.len()]);
    assert_ne!(rows(&["--shake", "300"]), all);
    assert_eq!(rows(&["--shake", "0"]), all);
    let waits = |more: &[&str]| {
        let base = ["replay", "--generate", "poisson:2000:1", "--procs", "64", "--policy", "easy", "--json"];
        let said = switchyard(&[&base[..], more].concat());
        assert_eq!(said.code, 0, "{}", said.err);
        serde_json::from_str::<serde_json::Value>(&said.out).unwrap()["mean_wait_s"].as_f64().unwrap()
    };
    assert!(waits(&["--load", "1.5"]) > 1.5 * waits(&[]));
    assert!(waits(&["--load", "30%"]) < 0.5 * waits(&[]));
    let said = switchyard(&["generate", "yard:10:1", "--slice", "10d..20d"]);
    assert_eq!(said.code, 2);
    assert!(said.err.contains("has no job in the slice"), "{}", said.err);
    let said = switchyard(&["generate", "yard:10:1", "--load", "-1"]);
    assert!(said.err.contains("a load is a factor"), "{}", said.err);
}

/// Own dump and slurm.conf in, as a cluster engineer has them: unknown limits become the partition's.
#[test]
fn a_dump_gets_the_limits_of_its_partitions() {
    let dump = file(
        "convert_dump.txt",
        "JobID|Submit|Start|Elapsed|Timelimit|State|NNodes|NCPUS|Partition\n\
         1|2024-01-01T00:00:00|2024-01-01T00:00:00|00:10:00|Partition_Limit|COMPLETED|1|4|p\n\
         2|2024-01-01T00:00:00|2024-01-01T00:00:00|00:10:00|00:20:00|RUNNING|1|4|p\n\
         3|2024-01-01T00:00:00|yesterday|00:10:00|00:20:00|COMPLETED|1|4|p\n",
    );
    let conf = file(
        "convert_slurm.conf",
        "NodeName=n1 CPUs=4\nPartitionName=p Nodes=n1 Default=YES MaxTime=02:00:00\n",
    );
    let replay = ["replay", &dump, "--slurm-conf", &conf, "--json"];
    let refused = switchyard(&replay);
    assert_eq!(refused.code, 3);
    assert!(refused.err.contains("line 4, field 3 (Start): expected a time"), "{}", refused.err);
    let said = switchyard(&[&replay[..], &["--skip-damaged", "--keep-running"]].concat());
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.err.contains("Skipped 1 row: damaged (line 4, \""), "{}", said.err);
    assert!(said.err.contains("1 job: running when the trace was written;"), "{}", said.err);
    assert!(said.err.contains("1 job without a limit gets that of its partition."), "{}", said.err);
    let figures: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(figures["jobs"], 2);
}
