//! How fast a large dump is read, and in how much memory: `parse_speed make FILE MEGABYTES`, then `parse_speed read FILE`.
//!
//! The dump is synthetic: what `sacct --parsable2` prints with the columns of the error messages' advice, one job to a row, every
//! tenth with a step. Memory is the peak of the process as Linux tells it, against the jobs' own size.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::time::Instant;

use rand::RngExt as _;
use switchyard_model::{Job, JobSpec, stream};
use switchyard_workload::{ReadOptions, Recorded, read_from};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["make", file, megabytes] => make(file, megabytes.parse().expect("a number of megabytes")),
        ["read", file] => read(file),
        _ => panic!("usage: parse_speed make FILE MEGABYTES | parse_speed read FILE"),
    }
}

fn make(file: &str, megabytes: usize) {
    let mut out = BufWriter::new(File::create(file).unwrap());
    let header = "JobID|User|Account|Partition|QOS|Submit|Start|End|Elapsed|Timelimit|State|NNodes|NCPUS|ReqMem|AllocTRES|NodeList|JobName\n";
    out.write_all(header.as_bytes()).unwrap();
    let mut chance = stream(1, "dump");
    let mut written = header.len();
    let mut submit = 0u32;
    for id in 1_000_000u64.. {
        submit += chance.random_range(0..40);
        let (nodes, user) = (1 + chance.random_range(0..8), chance.random_range(0..400));
        let (day, secs) = (submit / 86_400, submit % 86_400);
        let at = |secs: u32| format!("{:02}:{:02}:{:02}", secs / 3600 % 24, secs / 60 % 60, secs % 60);
        let date = format!("20{:02}-{:02}-{:02}", 20 + day / 336, 1 + day / 28 % 12, 1 + day % 28);
        let run = chance.random_range(1..80_000);
        let cpus = nodes * 32;
        let stamp = format!("{date}T{}", at(secs));
        let row = format!(
            "{id}|user{user:03}|acct{}|{}|normal|{stamp}|{stamp}|{stamp}|{}|1-00:00:00|COMPLETED|{nodes}|{cpus}|4000Mc|\
             billing={cpus},cpu={cpus},gres/gpu={nodes},mem={}M,node={nodes}|cn[{:04}-{:04}]|train_model_{user}.sh\n",
            user % 23,
            ["cpu", "gpu", "long"][user as usize % 3],
            at(run),
            cpus * 4000,
            user,
            user + nodes,
        );
        out.write_all(row.as_bytes()).unwrap();
        written += row.len();
        if id % 10 == 0 {
            let step = format!(
                "{id}.batch||acct{}|||{stamp}|{stamp}|{stamp}|{}||COMPLETED|1|32||cpu=32,mem=128000M,node=1|cn{user:04}|batch\n",
                user % 23,
                at(run)
            );
            out.write_all(step.as_bytes()).unwrap();
            written += step.len();
        }
        if written >= megabytes * 1_000_000 {
            break;
        }
    }
}

fn read(file: &str) {
    let bytes = std::fs::metadata(file).unwrap().len();
    let input = BufReader::with_capacity(1 << 18, File::open(file).unwrap());
    let started = Instant::now();
    let (workload, report) = read_from("dump", Box::new(input), &ReadOptions::default()).unwrap();
    let secs = started.elapsed().as_secs_f64();
    let peak = peak_bytes();
    // An Arc keeps two counters beside what it holds.
    let each = size_of::<Job>() + size_of::<JobSpec>() + 2 * size_of::<usize>() + size_of::<Recorded>();
    let jobs = workload.jobs.len() * each;
    println!("{} jobs from {} rows, {:.0} MB", report.jobs, report.rows, bytes as f64 / 1e6);
    println!("{:.0} MB/s ({secs:.2} s)", bytes as f64 / 1e6 / secs);
    println!(
        "{each} bytes a job, {:.0} MB in all; peak of the process {:.0} MB, {:.2} times that",
        jobs as f64 / 1e6,
        peak as f64 / 1e6,
        peak as f64 / jobs as f64
    );
}

/// The most memory that the process has had.
fn peak_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(0) * 1024
}
