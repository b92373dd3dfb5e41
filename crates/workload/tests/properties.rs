//! What holds for all inputs: nothing panics, and what is written is read.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod common;

use common::{read_text, runtime_secs};
use proptest::collection::vec;
use proptest::prelude::*;
use switchyard_model::FleetSpec;
use switchyard_workload::{ReadOptions, fleet_for, read, scale_to};

/// Bytes that look like a trace often enough to get far into the readers.
fn nearly_a_trace() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        Just("-1".to_owned()),
        "[0-9]{1,12}",
        "[0-9]{1,4}\\.[0-9]{1,3}",
        Just("2020-01-01T00:00:00".to_owned()),
        Just("COMPLETED".to_owned()),
        Just("JobID|Submit|Elapsed|State|NCPUS|JobName".to_owned()),
        Just("7_[1-3]|2020-01-01T00:00:00|00:10|COMPLETED|4|x".to_owned()),
        "[0-9_+.\\[\\],%:-]{0,9}",
        "\\PC{0,4}",
    ];
    vec((word, prop_oneof![Just(" "), Just("|"), Just("\n"), Just("\t"), Just(";"), Just("\r\n")]), 0..80)
        .prop_map(|words| words.into_iter().map(|(word, after)| word + after).collect())
}

proptest! {
    #[test]
    fn no_bytes_make_the_reader_panic(bytes in vec(any::<u8>(), 0..400)) {
        let _ = read("noise", &bytes, &ReadOptions::default());
    }

    #[test]
    fn no_text_makes_the_readers_panic(text in nearly_a_trace()) {
        if let Ok((workload, report)) = read("text", text.as_bytes(), &ReadOptions::default()) {
            let _ = report.to_string();
            let _ = fleet_for(&workload).build();
            let _ = scale_to(&workload, &FleetSpec::yard().build().unwrap());
        }
        let columns = Some("JobID,Submit,Elapsed,State,NCPUS,JobName,Comment".split(',').map(str::to_owned).collect());
        let _ = read("text", text.as_bytes(), &ReadOptions { columns, ..ReadOptions::default() });
    }

    #[test]
    fn no_json_makes_the_reader_panic(
        ids in vec(prop_oneof![Just("7".to_owned()), Just("18446744073709551615".to_owned()), "\"[a-c]\"", Just("[]".to_owned())], 1..6),
        res in prop_oneof!["[0-9]{1,12}", Just("-1".to_owned()), Just("1.5".to_owned()), Just("{}".to_owned())],
        time in prop_oneof!["[0-9]{1,4}\\.[0-9]{1,3}", Just("1e300".to_owned()), Just("-1".to_owned()), Just("\"x\"".to_owned())],
        parts in vec("[p-s]", 0..4), repeat in prop_oneof![Just("1".to_owned()), Just("4294967295".to_owned()), Just("-2".to_owned())],
    ) {
        let job = |id: &String| format!("{{\"id\":{id},\"subtime\":{time},\"walltime\":{time},\"res\":{res},\"profile\":\"p\"}}");
        let jobs: Vec<String> = ids.iter().map(job).collect();
        let text = format!(
            "{{\"nb_res\":4,\"jobs\":[{}],\"profiles\":{{\"p\":{{\"type\":\"composed\",\"repeat\":{repeat},\"seq\":{parts:?}}},\
             \"q\":{{\"type\":\"delay\",\"delay\":{time}}},\"r\":{{\"type\":\"composed\",\"seq\":[\"q\",\"q\"]}}}}}}", jobs.join(","),
        );
        if let Ok((workload, report)) = read_text(&text) {
            let _ = report.to_string();
            prop_assert_eq!(workload.jobs.len(), ids.len());
            let mut numbers: Vec<u64> = workload.jobs.iter().map(|job| job.spec.id.0).collect();
            numbers.sort_unstable();
            numbers.dedup();
            prop_assert_eq!(numbers.len(), ids.len());
        }
    }

    #[test]
    fn a_written_trace_is_read_back(
        jobs in vec((1u64..500, 0u64..90_000, 1u32..64, 1u64..90_000, 0u32..20), 1..60),
        origin in 0u64..1_000_000,
    ) {
        let mut text = "; Version: 2.2\n; MaxProcs: 64\n".to_owned();
        let mut submit = origin;
        let mut submits = Vec::new();
        for (id, (gap, run, procs, limit, user)) in jobs.iter().enumerate() {
            text += &format!("{id} {submit} -1 {run} {procs} -1 -1 {procs} {limit} -1 1 {user} 1 -1 -1 -1 -1 -1\n");
            submits.push(submit);
            submit += gap;
        }
        let (workload, report) = read_text(&text).unwrap();
        prop_assert_eq!(workload.jobs.len(), jobs.len());
        prop_assert_eq!(report.skipped.total(), 0);
        for (id, (job, (_, run, procs, limit, user))) in workload.jobs.iter().zip(&jobs).enumerate() {
            prop_assert_eq!(job.spec.id.0, id as u64);
            prop_assert_eq!(job.spec.submit.as_micros() + workload.origin.as_micros(), submits[id] * 1_000_000);
            prop_assert_eq!(job.spec.shape.total().cpus, *procs);
            prop_assert_eq!(job.spec.limit.as_micros(), limit * 1_000_000);
            prop_assert_eq!(runtime_secs(job), *run);
            prop_assert_eq!(job.spec.user.to_string(), format!("u{user}"));
        }
    }

    #[test]
    fn a_scaled_job_always_fits(
        procs in vec(1u32..300, 1..20), declared in 1u32..400, nodes in 1u32..9, cpus in 1u32..20, gpus in 0u32..9,
    ) {
        let rows = procs.iter().enumerate();
        let rows = rows.map(|(n, procs)| format!("{n} {n} -1 60 {procs} -1 -1 {procs} 90 -1 1 1 1 -1 -1 -1 -1 -1\n"));
        let text = format!("; MaxProcs: {declared}\n{}", rows.collect::<String>());
        let node = switchyard_model::Resources { cpus, gpus, memory_mib: 1000 };
        let fleet = FleetSpec::uniform("small", nodes, node).build().unwrap();
        let (scaled, _) = scale_to(&read_text(&text).unwrap().0, &fleet);
        for job in &scaled.jobs {
            let (parts, each) = job.spec.shape.parts();
            let room: u32 = fleet.nodes().iter().map(|node| node.capacity.times(each)).sum();
            prop_assert!((1..=room).contains(&parts), "{:?} in room for {room}", job.spec.shape);
        }
    }
}
