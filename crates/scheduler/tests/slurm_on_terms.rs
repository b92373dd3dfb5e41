//! Slurm's passes and cycles where jobs ask for more than room, worked out by hand: for each way to plan.
#![allow(clippy::unwrap_used, clippy::panic)]

mod harness;

use std::collections::BTreeMap;
use std::sync::Arc;

use harness::{at, on, spec, tasks};
use switchyard_model::{
    AdvanceReservation, FleetSpec, Job, JobId, JobSpec, LicenceAsk, NodeId, Partition, Resources, Shape,
    Site, Terms, Truth,
};
use switchyard_scheduler::{Discipline, PlanOn, Policy, ReplayOptions, SlurmParams, Span, replay};

/// Nodes with so many CPUs each.
const fn nodes(nodes: u32, cpus: u32) -> Shape {
    Shape::Nodes { nodes, per_node: Resources::cpus(cpus) }
}

/// Runs these on two nodes with 8 CPUs each. All stay as long as they say.
fn run(site: &Site, params: &str, jobs: &[Arc<JobSpec>]) -> Vec<BTreeMap<JobId, Span>> {
    let of = |(_, plan_on)| {
        let (params, problems) = SlurmParams::parse(params);
        assert_eq!(problems, []);
        let discipline = Discipline::Slurm(SlurmParams { plan_on, ..params });
        let policy = Policy { discipline, ..Policy::named("slurm").unwrap() };
        let fleet = FleetSpec::uniform("case", 2, Resources::cpus(8)).build().unwrap();
        let jobs: Vec<Job> =
            jobs.iter().map(|job| Job { spec: Arc::clone(job), truth: Truth::new(job.limit) }).collect();
        let options = ReplayOptions { site: Arc::new(site.clone()), ..ReplayOptions::default() };
        let run = replay(Arc::new(fleet), &jobs, &policy, options).unwrap();
        run.spans.into_iter().map(|span| (span.job, span)).collect()
    };
    PlanOn::ALL.map(of).to_vec()
}

fn starts(site: &Site, params: &str, jobs: &[Arc<JobSpec>]) -> Vec<u64> {
    let secs = |span: &Span| span.start.as_micros() / 1_000_000;
    let mut all = run(site, params, jobs).into_iter();
    let first: Vec<u64> = all.next().unwrap().values().map(secs).collect();
    all.for_each(|other| assert_eq!(other.values().map(secs).collect::<Vec<_>>(), first));
    first
}

fn licensed(count: u32) -> Terms {
    Terms { licences: vec![LicenceAsk { name: "matlab".into(), count }], ..Terms::default() }
}

/// Job 3 wants both nodes for itself, and has them when job 1 is gone at 400; that job 2 leaves room beside it doesn't help. Job 4
/// would stay in its way, job 5 doesn't.
#[test]
fn who_shares_with_nobody_waits_for_idle_nodes() {
    let alone = Terms { exclusive: true, ..Terms::default() };
    let jobs = [
        spec(1, 0, 400, nodes(1, 6)),
        spec(2, 0, 100, nodes(1, 6)),
        on(alone, spec(3, 1, 300, nodes(2, 1))),
        spec(4, 2, 500, nodes(1, 2)),
        spec(5, 3, 60, nodes(1, 2)),
    ];
    assert_eq!(starts(&Site::default(), "", &jobs), [0, 0, 400, 700, 30]);
}

/// Job 2 waits for the licence. It keeps nobody from the nodes: job 3 starts at once. Neither cycle nor pass gives out a
/// licence that isn't there.
#[test]
fn who_lacks_a_licence_is_passed_over() {
    let site = Site { licences: [("matlab".into(), 1)].into(), ..Site::default() };
    let jobs = [
        on(licensed(1), spec(1, 0, 100, nodes(1, 1))),
        on(licensed(1), spec(2, 1, 50, nodes(1, 1))),
        spec(3, 2, 500, nodes(2, 1)),
    ];
    assert_eq!(starts(&site, "", &jobs), [0, 100, 2]);
    assert_eq!(starts(&site, "bf_licenses", &jobs), [0, 100, 2]);
}

/// Job 2 wants both licences and can have them at 100. Job 3 takes the free one for longer, unless cycles plan licences, too:
/// then it waits, and only job 4, which is through by then, gets it.
#[test]
fn cycles_plan_licences_where_they_are_told_to() {
    let site = Site { licences: [("matlab".into(), 2)].into(), ..Site::default() };
    let jobs = [
        on(licensed(1), spec(1, 0, 100, nodes(1, 1))),
        on(licensed(2), spec(2, 1, 50, nodes(1, 1))),
        on(licensed(1), spec(3, 2, 200, nodes(1, 1))),
        on(licensed(1), spec(4, 3, 60, nodes(1, 1))),
    ];
    assert_eq!(starts(&site, "bf_resolution=1", &jobs), [0, 202, 2, 100]);
    assert_eq!(starts(&site, "bf_resolution=1,bf_licenses", &jobs), [0, 100, 150, 30]);
}

/// The second node is out for maintenance from 500 to 1000. Job 2 needs both for 600 s and is not planned into that. Job 3 may
/// use the first one meanwhile; job 4 would stay too long. Main passes would skip job 2, so that job 4 goes first.
#[test]
fn nobody_is_planned_into_maintenance() {
    let maintenance = AdvanceReservation {
        name: "maintenance".into(),
        start: at(500),
        end: at(1000),
        nodes: vec![NodeId(1)],
        users: vec![],
        accounts: vec!["nobody".into()],
    };
    let site = Site { reservations: vec![maintenance], ..Site::default() };
    let jobs = [
        spec(1, 0, 100, nodes(2, 8)),
        spec(2, 1, 600, nodes(2, 8)),
        spec(3, 2, 300, nodes(1, 8)),
        spec(4, 3, 950, nodes(1, 8)),
    ];
    assert_eq!(starts(&site, "sched_interval=-1", &jobs), [0, 1020, 120, 1620]);
    assert_eq!(starts(&site, "", &jobs), [0, 1350, 100, 400]);
}

/// Job 3 may have one node only. So it is planned for 100, when the first has room for all of it; job 4 goes to the second one.
#[test]
fn a_job_that_may_have_few_nodes_is_planned_on_few() {
    let few = Partition { max_nodes: Some(1), ..Partition::new("few", None) };
    let site = Site { partitions: vec![Partition { default: true, ..few }], ..Site::default() };
    let jobs = [
        spec(1, 0, 100, nodes(1, 5)),
        spec(2, 0, 200, nodes(1, 5)),
        spec(3, 1, 50, tasks(6)),
        spec(4, 2, 500, nodes(1, 3)),
    ];
    assert_eq!(starts(&site, "", &jobs), [0, 0, 100, 30]);
    for spans in run(&site, "", &jobs) {
        let on = |job| spans[&JobId(job)].placement.nodes().collect::<Vec<_>>();
        assert_eq!((on(3), on(4)), (vec![NodeId(0)], vec![NodeId(1)]));
    }
}
