//! Figures of the repository k8s-gpu-scheduler-lab, default profile, seed 0, without a queue model.
//!
//! Its reference model is rebuilt here in its plainest form, so that the metrics are checked on a schedule that is known to be
//! the published one: every 5 s finished pods leave, the state is sampled, and pods bind one by one, each on the first node by
//! name that has room.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

use std::cmp::Reverse;
use std::sync::Arc;

use switchyard_model::{
    Domains, Fleet, FleetSpec, GpuSet, Job, JobId, JobSpec, NodeClass, NodeId, NodeShare, Outcome, Placement,
    Resources, Shape, SimDuration, SimTime, Truth,
};
use switchyard_scheduler::metrics::{
    Counted, Fragmentation, Horizon, Metrics, MetricsOptions, Resource, ResourceTime, Window,
};
use switchyard_scheduler::{Run, Span};

const TICK: SimDuration = SimDuration::from_secs(5);

struct Row {
    id: u64,
    submit: SimTime,
    duration: SimDuration,
    gpus: u32,
    pods: u32,
}

fn trace() -> Option<Vec<Row>> {
    let path =
        format!("{}/../../../shared/traces/golden/k8s_default_seed0_800.csv", env!("CARGO_MANIFEST_DIR"));
    let Ok(text) = std::fs::read_to_string(&path) else {
        eprintln!("skipped: there is no {path}");
        return None;
    };
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        let secs = |cell: &str| SimDuration::from_secs_f64(cell.parse().unwrap()).unwrap();
        Row {
            id: cells[0].parse().unwrap(),
            submit: SimTime::ZERO + secs(cells[2]),
            duration: secs(cells[3]),
            gpus: cells[4].parse().unwrap(),
            pods: cells[5].parse().unwrap(),
        }
    };
    Some(text.lines().skip(1).map(row).collect())
}

/// 12 nodes of 8 GPUs with NVLink, 8 of 4 and 6 of 2 without; two racks to a switch.
fn fleet() -> Fleet {
    let class = |name: &str, count, gpus, nodes_per_rack, domains| {
        let node = Resources { cpus: gpus * 12, gpus, memory_mib: 0 };
        NodeClass { nodes_per_rack, domains, ..NodeClass::new(name, count, node) }
    };
    let classes = vec![
        class("dgx8-", 12, 8, 4, Domains::Node),
        class("mid4-", 8, 4, 4, Domains::None),
        class("edge2-", 6, 2, 6, Domains::None),
    ];
    FleetSpec { racks_per_switch: 2, ..FleetSpec::of("default", classes) }.build().unwrap()
}

/// The nodes in the order of the names dgx8-0, dgx8-1, dgx8-10, dgx8-11, dgx8-2 … edge2-0 … mid4-0 …
fn by_name(fleet: &Fleet) -> Vec<NodeId> {
    let name = |node: &switchyard_model::Node| {
        let first = fleet.nodes().iter().position(|other| other.class == node.class).unwrap();
        (["dgx8", "mid4", "edge2"][node.class as usize], (node.id.index() - first).to_string())
    };
    let mut nodes: Vec<_> = fleet.nodes().iter().map(|node| (name(node), node.id)).collect();
    nodes.sort();
    nodes.into_iter().map(|(_, node)| node).collect()
}

struct Pod {
    row: usize,
    bound: Option<(SimTime, NodeShare)>,
}

/// All pods with their binds, and when the run stopped. The oldest bind first, or with `largest` those with the most GPUs.
fn bind(fleet: &Fleet, rows: &[Row], largest: bool) -> (Vec<Pod>, SimTime) {
    let order = by_name(fleet);
    let mut free: Vec<GpuSet> = fleet.nodes().iter().map(|node| GpuSet::first(node.capacity.gpus)).collect();
    let pods = |row: usize| (0..rows[row].pods).map(move |_| Pod { row, bound: None });
    let mut pods: Vec<Pod> = (0..rows.len()).flat_map(pods).collect();
    if largest {
        pods.sort_by_key(|pod| Reverse(rows[pod.row].gpus));
    }
    let mut running: Vec<(SimTime, NodeShare)> = Vec::new();
    let mut now = SimTime::ZERO;
    loop {
        running.retain(|(end, share)| {
            if *end <= now {
                free[share.node.index()] = free[share.node.index()].union(share.gpus);
            }
            *end > now
        });
        for pod in pods.iter_mut().filter(|pod| pod.bound.is_none() && rows[pod.row].submit <= now) {
            let fits =
                order.iter().find_map(|&node| Some((node, free[node.index()].lowest(rows[pod.row].gpus)?)));
            if let Some((node, gpus)) = fits {
                free[node.index()] = free[node.index()].minus(gpus);
                let share = NodeShare { node, cpus: 0, memory_mib: 0, gpus };
                pod.bound = Some((now, share));
                running.push((now + rows[pod.row].duration, share));
            }
        }
        if running.is_empty() && pods.iter().all(|pod| pod.bound.is_some()) {
            return (pods, now);
        }
        now += TICK;
    }
}

/// The first tick at or after a moment.
fn tick(at: SimTime) -> SimTime {
    let tick = TICK.as_micros();
    SimTime::from_micros(at.as_micros().div_ceil(tick) * tick)
}

fn span(job: u64, attempt: u32, times: [SimTime; 4], shares: Vec<NodeShare>) -> Span {
    let [submit, eligible, start, end] = times;
    let (placement, outcome) = (Placement(shares), Outcome::Completed);
    let job = JobId(job);
    Span {
        job,
        attempt,
        submit,
        eligible,
        start,
        end,
        placement: switchyard_model::Kept::from(&placement),
        backfilled: false,
        outcome,
        preempted_at: None,
    }
}

fn job(id: u64, row: &Row, nodes: u32) -> Job {
    let shape = Shape::Nodes { nodes, per_node: Resources { cpus: 0, gpus: row.gpus, memory_mib: 0 } };
    let spec = JobSpec::new(JobId(id), row.submit, row.duration, shape);
    Job { spec: Arc::new(spec), truth: Truth::new(row.duration) }
}

fn run(fleet: &Fleet, spans: Vec<Span>) -> Run {
    Run { policy: "D-fifo".into(), capacity: fleet.capacity(), spans, never_started: Vec::new() }
}

/// Each pod as a job, as the lab's samples show it: bound, so no longer pending, one tick before its GPUs are seen in use,
/// and gone at the first tick after its end. The attempt of no length carries the time in which it is pending.
fn sampled(fleet: &Fleet, rows: &[Row], pods: &[Pod]) -> (Run, Vec<Job>) {
    let (mut spans, mut jobs) = (Vec::new(), Vec::new());
    for (id, pod) in (0..).zip(pods) {
        let row = &rows[pod.row];
        let (bind, share) = pod.bound.unwrap();
        let (seen, gone) = (bind + TICK, tick(bind + row.duration));
        spans.push(span(id, 1, [row.submit, tick(row.submit), bind, bind], vec![]));
        spans.push(span(id, 2, [row.submit, seen, seen, gone.max(seen)], vec![share]));
        jobs.push(job(id, row, 1));
    }
    (run(fleet, spans), jobs)
}

/// Each pod as a job, with the times of the trace.
fn exact(fleet: &Fleet, rows: &[Row], pods: &[Pod]) -> Run {
    let span_of = |(id, pod): (u64, &Pod)| {
        let (row, (bind, share)) = (&rows[pod.row], pod.bound.unwrap());
        span(id, 1, [row.submit, row.submit, bind, bind + row.duration], vec![share])
    };
    run(fleet, (0..).zip(pods).map(span_of).collect())
}

/// Each gang as a job that starts when its last pod is bound.
fn gangs(fleet: &Fleet, rows: &[Row], pods: &[Pod]) -> (Run, Vec<Job>) {
    let span_of = |(place, row): (usize, &Row)| {
        let bound: Vec<_> = pods.iter().filter(|pod| pod.row == place).filter_map(|pod| pod.bound).collect();
        let last = bound.iter().map(|(bind, _)| *bind).max().unwrap();
        let mut shares: Vec<NodeShare> = bound.iter().map(|(_, share)| *share).collect();
        shares.sort_by_key(|share| share.node);
        let together = |a: &mut NodeShare, b: &mut NodeShare| {
            let same = a.node == b.node;
            if same {
                b.gpus = a.gpus.union(b.gpus);
            }
            same
        };
        shares.dedup_by(together);
        span(row.id, 1, [row.submit, row.submit, last, last + row.duration], shares)
    };
    let spans = rows.iter().enumerate().map(span_of).collect();
    (run(fleet, spans), rows.iter().map(|row| job(row.id, row, row.pods)).collect())
}

/// The figures as they are printed: hours, then per cent or minutes.
fn published(largest: bool) -> Option<Vec<String>> {
    let (rows, fleet) = (trace()?, fleet());
    let (pods, stopped) = bind(&fleet, &rows, largest);
    let percent = |share: f64, decimals: usize| format!("{:.decimals$}", share * 100.0);
    let minutes = |secs: f64| format!("{:.1}", secs / 60.0);
    let mut said = vec![format!("{:.2}", stopped.as_secs_f64() / 3600.0)];

    let (samples, jobs) = sampled(&fleet, &rows, &pods);
    let window = Window { from: SimTime::ZERO, to: stopped };
    let fragmentation = Fragmentation::of(&samples, &fleet, &jobs, window);
    said.push(percent(fragmentation.gpus.a(), 2));
    said.push(percent(fragmentation.gpus.b(), 1));
    said.extend(fragmentation.structural(Counted::Gpus).shares().map(|share| percent(share, 1)));

    let options = MetricsOptions { horizon: Horizon::ZeroToLastEnd, ..MetricsOptions::default() };
    let exact = Metrics::of(&exact(&fleet, &rows, &pods), &fleet, &jobs, options);
    let delivered = exact.ledgers.of(Resource::Gpus).delivered;
    said.push(format!("{:.4}", delivered.as_hours_f64()));
    said.push(percent(delivered.share_of(ResourceTime::of(140, window.length())), 1));

    let (assembled, jobs) = gangs(&fleet, &rows, &pods);
    let metrics = Metrics::of(&assembled, &fleet, &jobs, options);
    said.push(minutes(metrics.waits.per_job.mean_secs));
    said.push(minutes(metrics.waits.per_job.p95_secs));
    said.push(format!("{:.2}", metrics.sizes.starvation?));
    said.push(format!("{:.2}", metrics.sizes.rho?));
    said.push(format!("{:.2}", metrics.placements.assumed_penalty()?));
    Some(said)
}

/// The lab prints the horizon as 13.983; its rank correlation of this policy is that of the other queue model.
#[test]
fn d_fifo_of_seed_0() {
    let Some(said) = published(false) else { return };
    assert_eq!(said[..6], ["13.98", "21.78", "52.4", "14.5", "45.0", "69.7"]);
    assert_eq!(said[6..11], ["1404.7366", "71.8", "167.9", "351.3", "1.77"]);
    assert_eq!(said[12], "1.55");
}

/// Nothing is stranded by A, since somebody who wants one GPU is always pending.
#[test]
fn d_largest_of_seed_0() {
    let Some(said) = published(true) else { return };
    assert_eq!(said[..6], ["15.13", "0.00", "49.4", "21.2", "48.0", "58.5"]);
    assert_eq!(said[6..12], ["1404.7366", "66.3", "226.1", "419.5", "0.53", "-0.36"]);
}
