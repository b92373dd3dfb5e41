//! `switchyard merge`: shards give the table of a local run byte for byte, and nothing else does; what `--submit` prints.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod common;

use std::process::Command;

use common::{file, scratch, switchyard};

const SWEEP: [&str; 9] = [
    "sweep",
    "--generate",
    "seed-lab:40:0",
    "--seeds",
    "0..4",
    "--vary",
    "policy=fcfs,easy",
    "--overrun",
    "kill",
];

fn local() -> String {
    let said = switchyard(&SWEEP);
    assert_eq!(said.code, 0, "{}", said.err);
    said.out
}

fn shard(name: &str, which: &str) -> String {
    let path = scratch(name);
    let _ = std::fs::remove_file(&path);
    let path = path.to_str().unwrap().to_owned();
    let said = switchyard(&[&SWEEP[..], &["--shard", which, "-o", &path]].concat());
    assert_eq!(said.code, 0, "{}", said.err);
    path
}

fn refused(files: &[&str], code: i32) -> String {
    let said = switchyard(&[&["merge"], files].concat());
    assert_eq!((said.code, &*said.out), (code, ""), "{}", said.err);
    said.err
}

#[test]
fn the_merged_table_is_that_of_one_machine() {
    let shards = ["1/3", "2/3", "3/3"].map(|which| shard(&format!("merge_a{}.csv", &which[..1]), which));
    let [first, second, third] = &shards;
    assert_eq!(switchyard(&["merge", third, first, second]).out, local());
    let whole = scratch("merge_whole.csv");
    let said = switchyard(&["merge", first, second, third, "-o", whole.to_str().unwrap()]);
    assert_eq!((said.code, &*said.out), (0, ""));
    assert!(said.err.ends_with("merge_whole.csv: 10 runs.\n"), "{}", said.err);
    assert_eq!(std::fs::read_to_string(whole).unwrap(), local());
}

/// More shards than runs: those without a run have a line of columns only.
#[test]
fn shards_without_runs_are_welcome() {
    let shards: Vec<String> =
        (1..=12).map(|index| shard(&format!("merge_b{index}.csv"), &format!("{index}/12"))).collect();
    let shards: Vec<&str> = shards.iter().map(String::as_str).collect();
    assert_eq!(switchyard(&[&["merge"], &shards[..]].concat()).out, local());
}

#[test]
fn missing_double_and_foreign_shards_are_refused_with_a_sentence() {
    let [first, second, third] =
        ["1/3", "2/3", "3/3"].map(|which| shard(&format!("merge_c{}.csv", &which[..1]), which));
    let missing = refused(&[&first, &third], 3);
    assert_eq!(
        missing,
        "error: 3 of 10 runs are missing: shard 2/3; give these shards too, or run them again\n"
    );
    assert!(refused(&[&first], 3).contains("6 of 10 runs are missing: shards 2/3, 3/3;"));
    let double = refused(&[&first, &second, &first], 3);
    assert!(
        double.starts_with("error: run 0 is in ") && double.ends_with("give each shard once\n"),
        "{double}"
    );
    let foreign = scratch("merge_foreign.csv");
    let _ = std::fs::remove_file(&foreign);
    let foreign = foreign.to_str().unwrap();
    let mut other = SWEEP.to_vec();
    other[4] = "1..5";
    assert_eq!(switchyard(&[&other[..], &["--shard", "2/3", "-o", foreign]].concat()).code, 0);
    assert!(
        refused(&[&first, foreign, &third], 3).contains("merge_foreign.csv belongs to another sweep than ")
    );
    let whole = file("merge_not.csv", &local());
    assert!(refused(&[&whole], 3).contains("merge_not.csv is no shard of a sweep: it is a whole table"));
    let letter = file("merge_letter.csv", "a,b\n1,2\n");
    assert!(refused(&[&letter], 3).contains("is no shard of a sweep: it doesn't begin with the columns"));
    assert!(refused(&["no such file.csv"], 3).contains("can't read no such file.csv"));
}

#[test]
fn damaged_shards_are_refused_with_their_line() {
    let [first, second] = ["1/2", "2/2"].map(|which| shard(&format!("merge_d{}.csv", &which[..1]), which));
    let text = std::fs::read_to_string(&second).unwrap();
    let torn = file("merge_torn.csv", &text[..text.len() - 30]);
    let said = refused(&[&first, &torn], 3);
    assert!(said.contains("merge_torn.csv, line 6: the row is torn; run this shard again"), "{said}");
    let wrong = file("merge_wrong.csv", &text.replace(",2/2\n", ",1/2\n"));
    assert!(refused(&[&first, &wrong], 3).contains("merge_wrong.csv, line 2: run 1 is not in shard 1/2"));
}

/// The script runs as it is, given what Slurm gives to each task of an array.
#[test]
fn the_script_for_slurm_does_what_a_local_run_does() {
    let folder = scratch("slurm array");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let said = switchyard(&[&SWEEP[..], &["--submit", "slurm", "--shards", "3", "-o", "out.csv"]].concat());
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.out.contains("#SBATCH --array=1-3\n"), "{}", said.out);
    std::fs::write(folder.join("sweep.sh"), said.out).unwrap();
    for task in ["1", "2", "3"] {
        let mut bash = Command::new("bash");
        bash.arg("sweep.sh").current_dir(&folder).env("SLURM_ARRAY_TASK_ID", task);
        assert!(bash.status().unwrap().success());
    }
    let shards: Vec<String> = (1..=3)
        .map(|index| folder.join(format!("out.shard-{index}-of-3.csv")).to_str().unwrap().to_owned())
        .collect();
    let shards: Vec<&str> = shards.iter().map(String::as_str).collect();
    assert_eq!(switchyard(&[&["merge"], &shards[..]].concat()).out, local());
}

/// Outside of Slurm it submits itself, and a job that merges when all have ended well; here with a stand-in for sbatch.
#[test]
fn the_script_submits_itself_and_the_merge() {
    let folder = scratch("slurm submission");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let said = switchyard(&[&SWEEP[..], &["--submit", "slurm", "--shards", "2"]].concat());
    std::fs::write(folder.join("sweep.sh"), said.out).unwrap();
    let sbatch = folder.join("sbatch");
    std::fs::write(
        &sbatch,
        "#!/bin/bash\nprintf '%s\\n' \"$*\" >> calls\necho \"$((100 + $(wc -l < calls)));cluster\"\n",
    )
    .unwrap();
    assert!(Command::new("chmod").arg("+x").arg(&sbatch).status().unwrap().success());
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let mut bash = Command::new("bash");
    bash.arg("sweep.sh").current_dir(&folder).env("PATH", path).env_remove("SLURM_ARRAY_TASK_ID");
    let output = bash.output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "array 101, then merge 102: results.csv\n");
    let calls = std::fs::read_to_string(folder.join("calls")).unwrap();
    let [array, merge] = calls.lines().collect::<Vec<_>>()[..] else { panic!("{calls}") };
    assert_eq!(array, "--parsable sweep.sh");
    assert!(
        merge.starts_with(
            "--parsable --dependency=afterok:101 --kill-on-invalid-dep=yes --job-name=switchyard-merge"
        ),
        "{merge}"
    );
    assert!(merge.ends_with("merge results.shard-*-of-2.csv --output results.csv"), "{merge}");
}

/// What each pod of the Indexed Job does, given its index: its log is its shard.
#[test]
fn the_pods_of_the_job_do_what_a_local_run_does() {
    let said =
        switchyard(&[&SWEEP[..], &["--submit", "k8s", "--shards", "3", "--image", "registry/x:1"]].concat());
    assert_eq!(said.code, 0, "{}", said.err);
    let manifest = said.out;
    for line in [
        "apiVersion: batch/v1",
        "kind: Job",
        "  completionMode: Indexed",
        "  completions: 3",
        "  parallelism: 3",
    ] {
        assert!(manifest.lines().any(|found| found == line), "{line}: {manifest}");
    }
    assert!(manifest.contains("image: \"registry/x:1\"") && manifest.contains("restartPolicy: Never"));
    let (_, script) = manifest.split_once("- |\n").unwrap();
    let (script, _) = script.split_once("\n          resources:").unwrap();
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_switchyard")).parent().unwrap().to_owned();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let logs: Vec<String> = (0..3)
        .map(|index| {
            let mut shell = Command::new("/bin/sh");
            shell.args(["-c", script]).env("PATH", &path).env("JOB_COMPLETION_INDEX", index.to_string());
            let output = shell.output().unwrap();
            assert!(output.status.success() && output.stderr.is_empty());
            file(&format!("merge_pod{index}.csv"), &String::from_utf8(output.stdout).unwrap())
        })
        .collect();
    let logs: Vec<&str> = logs.iter().map(String::as_str).collect();
    assert_eq!(switchyard(&[&["merge"], &logs[..]].concat()).out, local());
}

#[test]
fn what_can_not_work_elsewhere_is_refused() {
    let said = |args: &[&str]| {
        let said = switchyard(args);
        assert_eq!((said.code, &*said.out), (2, ""), "{}", said.err);
        said.err
    };
    let trace = file("submit.swf", "1 0 -1 5 1 -1 -1 1 60 -1 1 1 1 -1 -1 -1 -1 -1\n");
    let sweep = ["sweep", &trace, "--policy", "easy", "--submit", "k8s"];
    assert!(said(&sweep).contains("put it on a PersistentVolumeClaim and name that with --claim"));
    assert!(
        said(&["sweep", "-", "--policy", "easy", "--submit", "slurm"])
            .contains("write the trace to a file first")
    );
    let image = [&SWEEP[..], &["--submit", "slurm", "--image", "x"]].concat();
    assert!(said(&image).contains("--image is about containers; use it with --submit k8s"));
}
