//! Nodes that are kept for some for a while: who may use them, when, and what the others are told.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod harness;

use std::sync::Arc;

use harness::{at, gpu_nodes, job, on, pass, plan, site_cluster, spec, started, told};
use switchyard_model::{
    AdvanceReservation, FleetSpec, Job, JobId, LicenceAsk, NodeId, Outcome, Resources, Site, Terms,
};
use switchyard_scheduler::{Policy, ReplayOptions, replay};

/// Nodes 0 and 1 of 4, from second 100 to second 200.
fn site(users: &[&str]) -> Site {
    let kept = AdvanceReservation {
        name: "course".into(),
        start: at(100),
        end: at(200),
        nodes: vec![NodeId(0), NodeId(1)],
        users: users.iter().map(|&user| user.into()).collect(),
        accounts: vec![],
    };
    Site { reservations: vec![kept], ..Site::default() }
}

fn course() -> Terms {
    Terms { reservation: Some("course".into()), ..Terms::default() }
}

#[test]
fn reserved_nodes_serve_others_only_as_long_as_those_end_in_time() {
    let mut cluster = site_cluster(4, site(&["ada"]));
    cluster.submit(spec(1, 0, 60, gpu_nodes(4, 8)), at(0)).unwrap();
    assert_eq!(started(&plan("easy", &cluster, 40)), [1]);
    let late = plan("easy", &cluster, 41);
    let sentence = "Needs 4 empty nodes; nodes are kept for others by reservation \"course\".";
    let evidence = "The reservation is from 00:01:40 to 00:03:20; the other nodes, if they were empty, could hold 2 of them.";
    assert_eq!(told(&late, 1), [sentence, evidence, "ReqNodeNotAvail, May be reserved for other job"]);
    // Small jobs avoid the nodes, and may not delay it.
    cluster.submit(spec(2, 0, 900, gpu_nodes(2, 8)), at(41)).unwrap();
    cluster.submit(spec(3, 0, 159, gpu_nodes(2, 8)), at(41)).unwrap();
    assert_eq!(started(&plan("fcfs", &cluster, 41)), [0; 0]);
    let easy = plan("easy", &cluster, 41);
    assert_eq!((started(&easy), easy.starts[0].placement.to_string()), (vec![3], "2-3".into()));
    assert_eq!(easy.reservations[0].at, at(200));
    assert_eq!(started(&plan("easy", &cluster, 200)), [1]);
}

#[test]
fn a_reservation_for_nobody_is_maintenance() {
    let mut cluster = site_cluster(4, site(&[]));
    cluster.submit(spec(1, 0, 101, gpu_nodes(3, 8)), at(0)).unwrap();
    let sentence = "Needs 3 empty nodes; nodes are kept for maintenance by reservation \"course\".";
    let plan = plan("easy", &cluster, 0);
    assert_eq!(told(&plan, 1)[0], sentence);
    assert_eq!(told(&plan, 1)[2], "ReqNodeNotAvail, Reserved for maintenance");
}

#[test]
fn a_job_in_a_reservation_uses_only_its_nodes_within_its_time() {
    let mut cluster = site_cluster(4, site(&["ada"]));
    cluster.submit(on(course(), spec(1, 0, 100, gpu_nodes(2, 8))), at(0)).unwrap();
    let early = plan("easy", &cluster, 99);
    let expected = ["Waits for reservation \"course\" to begin.", "It begins at 00:01:40.", "Reservation"];
    assert_eq!(told(&early, 1), expected);
    assert_eq!(plan("easy", &cluster, 100).starts[0].placement.to_string(), "0-1");
    let expected = [
        "Can never run: reservation \"course\" ends too soon.",
        "1 min 39 s are left of it, and the job asks for 1 min 40 s.",
        "Reservation",
    ];
    assert_eq!(told(&plan("easy", &cluster, 101), 1), expected);
    let expected =
        ["Can never run: reservation \"course\" is over.", "It ended at 00:03:20.", "ReservationDeleted"];
    assert_eq!(told(&plan("easy", &cluster, 200), 1), expected);
}

#[test]
fn a_job_that_can_never_run_in_its_reservation_is_told_why() {
    let alone = |users: &[&str], terms: Terms, limit, nodes| {
        let mut cluster = site_cluster(4, site(users));
        cluster.submit(on(terms, spec(1, 0, limit, gpu_nodes(nodes, 8))), at(0)).unwrap();
        told(&plan("easy", &cluster, 0), 1)
    };
    let denied = alone(&["bob"], course(), 10, 1);
    assert_eq!(denied[0], "Can never run: reservation \"course\" is for others.");
    assert_eq!((&*denied[1], &*denied[2]), ("Neither its user nor its account is admitted.", "Reservation"));
    let long = alone(&["ada"], course(), 101, 1);
    assert_eq!(long[1], "It lasts 1 min 40 s, and the job asks for 1 min 41 s.");
    let wide = alone(&["ada"], course(), 10, 3);
    assert_eq!(wide[0], "Can never run: needs 3 empty nodes in reservation \"course\".");
    let gone = Terms { reservation: Some("exam".into()), ..Terms::default() };
    let gone = alone(&["ada"], gone, 10, 1);
    assert_eq!(gone[0], "Can never run: there is no reservation \"exam\".");
    assert_eq!(gone[2], "ReservationDeleted");
}

/// Job 1 runs on nodes 2 and 3 until 150. Job 2 wants three nodes for 50 s: at 150 two of them are kept, so that it gets them when
/// the reservation is over. Job 3 would still run then on what job 2 needs; job 4 is short enough.
#[test]
fn a_head_plans_around_reservations() {
    for policy in ["easy", "easy-machine"] {
        let mut cluster = site_cluster(4, site(&[]));
        cluster.submit(spec(1, 0, 150, gpu_nodes(2, 8)), at(0)).unwrap();
        cluster.submit(spec(2, 0, 90, gpu_nodes(3, 8)), at(0)).unwrap();
        let first = pass(policy, &mut cluster, 0);
        assert_eq!(first.starts[0].placement.to_string(), "2-3", "{policy}");
        assert_eq!(first.reservations[0].at, at(200), "{policy}: it fits before 110, but not from 150 on");
        cluster.submit(spec(3, 0, 100, gpu_nodes(1, 8)), at(0)).unwrap();
        let plan = plan(policy, &cluster, 0);
        assert_eq!(started(&plan), [3], "{policy}");
        assert_eq!(plan.starts[0].placement.to_string(), "0", "{policy}");
    }
}

/// Maintenance of nodes 0 and 1 from 100 to 500 keeps the head, job 2, from starting until it is over: it would need 600 s. Job 3 is
/// next, from 1100 on. Job 4 ends before the maintenance begins; job 5 fits on node 2 at once, but would delay job 2, and job 6 just
/// doesn't.
#[test]
fn a_head_keeps_its_place_while_a_reservation_is_ahead() {
    let maintenance =
        AdvanceReservation { start: at(100), end: at(500), ..site(&[]).reservations[0].clone() };
    let site = Site { reservations: vec![maintenance], ..Site::default() };
    let fleet =
        Arc::new(FleetSpec::uniform("n", 3, Resources { cpus: 8, gpus: 8, memory_mib: 0 }).build().unwrap());
    let jobs = [
        job(1, 0, 60, 60, gpu_nodes(2, 8)),
        job(2, 0, 600, 600, gpu_nodes(3, 8)),
        job(3, 0, 700, 700, gpu_nodes(3, 8)),
        job(4, 0, 40, 40, gpu_nodes(2, 8)),
        job(5, 0, 501, 501, gpu_nodes(1, 8)),
        job(6, 0, 500, 500, gpu_nodes(1, 8)),
    ];
    let starts = |policy: &str, by: u64| -> Vec<u64> {
        let options = ReplayOptions { site: Arc::new(site.clone()), ..ReplayOptions::default() };
        let policy = Policy::named(policy).unwrap();
        let jobs: Vec<Job> = jobs.iter().filter(|job| job.spec.id.0 <= by).cloned().collect();
        let mut spans = replay(Arc::clone(&fleet), &jobs, &policy, options).unwrap().spans;
        spans.sort_by_key(|span| span.job);
        spans.iter().map(|span| span.start.as_micros() / 1_000_000).collect()
    };
    assert_eq!(starts("fcfs", 6), [0, 500, 1100, 1800, 1800, 1840]);
    for policy in [
        "easy",
        "easy-machine",
        "easy-aggregate",
        "conservative",
        "conservative-replan",
        "conservative-machine",
    ] {
        assert_eq!(starts(policy, 6), [0, 500, 1100, 60, 1800, 0], "{policy}");
    }
    let mut cluster = site_cluster(3, site.clone());
    jobs.iter().for_each(|job| cluster.submit(Arc::clone(&job.spec), at(0)).unwrap());
    for policy in ["easy", "easy-machine", "conservative", "conservative-replan", "conservative-machine"] {
        let plan = plan(policy, &cluster, 0);
        assert_eq!(
            told(&plan, 2)[0],
            "Needs 3 empty nodes; nodes are kept for maintenance by reservation \"course\"."
        );
        let expected: Vec<_> = plan.waiting.iter().map(|waiting| (waiting.job.0, waiting.expected)).collect();
        assert_eq!(
            expected,
            [(2, Some(at(500))), (3, Some(at(1100))), (4, Some(at(60))), (5, Some(at(1800)))],
            "{policy}"
        );
    }
}

/// A reservation that is in use has a queue of its own: its first in line keeps nobody else waiting.
#[test]
fn those_inside_and_those_outside_do_not_block_each_other() {
    let mut cluster = site_cluster(4, site(&["ada"]));
    for (id, terms, limit, nodes) in [
        (1, course(), 50, 1),
        (2, Terms::default(), 500, 1),
        (3, course(), 40, 2),
        (4, Terms::default(), 300, 2),
        (5, course(), 90, 1),
        (6, course(), 45, 1),
        (7, Terms::default(), 301, 1),
        (8, Terms::default(), 501, 1),
    ] {
        cluster.submit(on(terms, spec(id, 0, limit, gpu_nodes(nodes, 8))), at(0)).unwrap();
    }
    let inside = pass("easy", &mut cluster, 100);
    // 3 waits for 1 until 150, 4 for the reservation's end until 200. 5 would delay 3; 6 would not. 7 is shorter than 2 and 8 isn't,
    // but only one of them fits beside it.
    assert_eq!(started(&inside), [1, 2, 6, 7]);
    let promised: Vec<_> = inside.reservations.iter().map(|promise| (promise.job.0, promise.at)).collect();
    assert_eq!(promised, [(3, at(150)), (4, at(200))]);
    assert_eq!(told(&inside, 5)[2], "Resources", "6 has taken the room that it was not to have");
    assert_eq!(told(&inside, 8)[2], "Resources");
    cluster.finish(JobId(1), Outcome::Completed).unwrap();
    cluster.finish(JobId(6), Outcome::Completed).unwrap();
    assert_eq!(started(&plan("easy", &cluster, 150)), [3]);
}

#[test]
fn a_replay_waits_for_begin_times_and_reservations_and_ends() {
    let fleet =
        Arc::new(FleetSpec::uniform("n", 4, Resources { cpus: 8, gpus: 8, memory_mib: 0 }).build().unwrap());
    let with = |terms, row: Job| Job { spec: on(terms, row.spec), truth: row.truth };
    let never =
        |name: &str| Terms { licences: vec![LicenceAsk { name: name.into(), count: 1 }], ..Terms::default() };
    let jobs = [
        with(Terms { begin: at(5_000_000), ..Terms::default() }, job(1, 0, 10, 10, gpu_nodes(1, 8))),
        with(course(), job(2, 0, 10, 10, gpu_nodes(1, 8))),
        job(3, 0, 150, 150, gpu_nodes(4, 8)),
        with(never("none"), job(4, 0, 10, 10, gpu_nodes(1, 8))),
        with(Terms { begin: at(9_000_000), ..never("none") }, job(5, 0, 10, 10, gpu_nodes(1, 8))),
    ];
    for policy in ["fcfs", "easy", "easy-machine"] {
        let options = ReplayOptions { site: Arc::new(site(&["ada"])), ..ReplayOptions::default() };
        let run = replay(Arc::clone(&fleet), &jobs, &Policy::named(policy).unwrap(), options).unwrap();
        let spans: Vec<_> = run.spans.iter().map(|span| (span.job.0, span.start, span.eligible)).collect();
        let begun = (1, at(5_000_000), at(5_000_000));
        assert_eq!(spans, [(2, at(100), at(0)), (3, at(200), at(0)), begun], "{policy}");
        let never: Vec<_> =
            run.never_started.iter().map(|(job, reason)| (job.0, reason.slurm_code())).collect();
        assert_eq!(never, [(4, "Licenses"), (5, "Licenses")], "{policy}");
    }
}
