//! Slices, loads and shakes, by hand and for any jobs.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod common;

use common::read_text;
use proptest::collection::vec;
use proptest::prelude::*;
use switchyard_model::SimTime;
use switchyard_workload::{LoadScale, Profile, Shake, Slice, Workload, WriteFormat, write};

/// Jobs with these submissions, of one processor and 10 s each.
fn jobs(submits: &[u64]) -> Workload {
    let rows = submits
        .iter()
        .zip(1..)
        .map(|(submit, id)| format!("{id} {submit} 3 10 1 -1 -1 1 20 -1 1 7 3 -1 -1 {id} -1 -1\n"));
    read_text(&rows.collect::<String>()).unwrap().0
}

fn seen(workload: &Workload) -> Vec<(u64, f64)> {
    let at = |submit: SimTime| (submit + workload.origin.since(SimTime::ZERO)).as_secs_f64();
    workload.jobs.iter().map(|job| (job.spec.id.0, at(job.spec.submit))).collect()
}

fn sliced(slice: &str) -> Vec<(u64, f64)> {
    let mut workload = jobs(&[100, 200, 3700, 3700, 90_000]);
    slice.parse::<Slice>().unwrap().apply(&mut workload).unwrap();
    assert_eq!(workload.jobs[0].spec.submit, SimTime::ZERO);
    assert_eq!(workload.history.len(), workload.jobs.len());
    seen(&workload)
}

#[test]
fn slices_by_place_and_by_time() {
    assert_eq!(sliced("1..3"), [(2, 200.0), (3, 3700.0)]);
    assert_eq!(sliced("3.."), [(4, 3700.0), (5, 90_000.0)]);
    assert_eq!(sliced("..1"), [(1, 100.0)]);
    // An hour after the first one are jobs 3 and 4: half-open on both.
    assert_eq!(sliced("0h..1h"), [(1, 100.0), (2, 200.0)]);
    assert_eq!(sliced("60m..1d"), [(3, 3700.0), (4, 3700.0)]);
    assert_eq!(sliced("100s.."), [(2, 200.0), (3, 3700.0), (4, 3700.0), (5, 90_000.0)]);
    for text in ["", "1", "2..1", "1..1", "1..2d", "a..b", "1x..2x", "-1..3"] {
        assert!(text.parse::<Slice>().unwrap_err().to_string().starts_with("a slice is FROM..TO"), "{text}");
    }
    let none = "10d..20d".parse::<Slice>().unwrap().apply(&mut jobs(&[0, 86_400])).unwrap_err();
    assert_eq!(
        none.to_string(),
        "test has no job in the slice 864000s..1728000s: its 2 jobs are submitted within 1 d"
    );
}

#[test]
fn a_slice_takes_along_what_the_trace_says() {
    let mut workload = jobs(&[100, 200, 300]);
    "1..".parse::<Slice>().unwrap().apply(&mut workload).unwrap();
    let mut out = Vec::new();
    write(&workload, WriteFormat::Swf, &mut out).unwrap();
    let out = String::from_utf8(out).unwrap();
    assert!(
        out.ends_with(
            "2 200 3 10 1 -1 -1 1 20 -1 1 7 3 -1 -1 2 -1 -1\n3 300 3 10 1 -1 -1 1 20 -1 1 7 3 -1 -1 3 -1 -1\n"
        ),
        "{out}"
    );
}

/// Three jobs of 10 s on one processor within 60 s ask for half of it.
#[test]
fn loads_by_factor_and_by_part() {
    let load = |text: &str| {
        let mut workload = jobs(&[100, 130, 160]);
        text.parse::<LoadScale>().unwrap().apply(&mut workload, 1).unwrap();
        seen(&workload)
    };
    assert_eq!(load("2"), [(1, 100.0), (2, 115.0), (3, 130.0)]);
    assert_eq!(load("100%"), load("2"));
    assert_eq!(load("0.5"), [(1, 100.0), (2, 160.0), (3, 220.0)]);
    for text in ["", "0", "-1", "nan", "inf", "1001", "0%", "x%", "100001%"] {
        assert!(
            text.parse::<LoadScale>().unwrap_err().to_string().starts_with("a load is a factor"),
            "{text}"
        );
    }
    let at_once = "90%".parse::<LoadScale>().unwrap().apply(&mut jobs(&[5, 5]), 4).unwrap_err();
    assert!(at_once.to_string().starts_with("test has no load that could be brought to 90%"));
}

proptest! {
    #[test]
    fn a_shaken_job_stays_near_and_the_same(
        gaps in vec(0u64..1_000, 1..60), by in 0u32..500, seed: u64,
    ) {
        let submits: Vec<u64> = gaps.iter().scan(50, |at, gap| { *at += gap; Some(*at) }).collect();
        let before = jobs(&submits);
        let mut after = before.clone();
        let shake: Shake = format!("{by}:{seed}").parse().unwrap();
        shake.apply(&mut after);
        let mut again = before.clone();
        shake.apply(&mut again);
        prop_assert_eq!(seen(&again), seen(&after));
        prop_assert!(after.jobs.windows(2).all(|pair| pair[0].spec.submit <= pair[1].spec.submit));
        prop_assert_eq!(after.jobs[0].spec.submit, SimTime::ZERO);
        let old = seen(&before);
        for (id, at) in seen(&after) {
            let was = old.iter().find(|(known, _)| *known == id).unwrap().1;
            prop_assert!((was - at).abs() <= f64::from(by) + 1e-6, "{} {}", was, at);
        }
        prop_assert_eq!(after.jobs.len(), before.jobs.len());
    }

    #[test]
    fn a_load_is_what_was_asked_for(gaps in vec(1u64..1_000, 2..60), percent in 1u32..300, procs in 1u32..64) {
        let submits: Vec<u64> = gaps.iter().scan(0, |at, gap| { *at += gap; Some(*at) }).collect();
        let mut workload = jobs(&submits);
        format!("{percent}%").parse::<LoadScale>().unwrap().apply(&mut workload, procs).unwrap();
        let found = Profile::of(&workload, procs).offered_load.unwrap();
        prop_assert!((found * 100.0 / f64::from(percent) - 1.0).abs() < 1e-3, "{}", found);
    }
}
