//! The cluster refuses the impossible and counts right.
#![allow(clippy::unwrap_used)]
use super::*;
use switchyard_model::{FleetSpec, PerMille, Shape, SimDuration, Terms};

const GPU: Resources = Resources { cpus: 1, gpus: 1, memory_mib: 0 };

/// Two nodes of 4 CPUs and 4 GPUs.
fn cluster() -> Cluster {
    let node = Resources { cpus: 4, gpus: 4, memory_mib: 0 };
    Cluster::new(Arc::new(FleetSpec::uniform("two", 2, node).build().unwrap()))
}

fn spec(id: u64) -> Arc<JobSpec> {
    Arc::new(JobSpec {
        id: JobId(id),
        user: "ada".into(),
        account: "research".into(),
        submit: SimTime::ZERO,
        limit: SimDuration::from_secs(100),
        shape: Shape::Tasks { tasks: 1, per_task: GPU },
        qos: PerMille(0),
        terms: Terms::default(),
    })
}

fn on(node: u32, gpus: u64) -> Placement {
    let cpus = gpus.count_ones();
    Placement(vec![NodeShare { node: NodeId(node), cpus, memory_mib: 0, gpus: GpuSet(gpus) }])
}

fn at(secs: u64) -> SimTime {
    SimTime::from_secs(secs)
}

#[test]
fn a_job_takes_its_gpus_and_gives_them_back() {
    let mut cluster = cluster();
    cluster.submit(spec(1), at(3)).unwrap();
    cluster.start(JobId(1), on(1, 0b0110), at(5)).unwrap();
    assert_eq!(cluster.nodes()[1].free_gpus, GpuSet(0b1001));
    assert_eq!((cluster.free().gpus, cluster.pending().len()), (6, 0));
    let running = cluster.running_job(JobId(1)).unwrap();
    assert_eq!((running.submitted, running.expected_end), (at(3), at(105)));
    cluster.finish(JobId(1), Outcome::Completed).unwrap();
    assert_eq!((cluster.free(), cluster.running().len()), (cluster.capacity(), 0));
    assert_eq!(cluster.nodes()[1].free_gpus, GpuSet::first(4));
}

#[test]
fn a_requeued_job_gets_its_old_place_in_the_queue() {
    let mut cluster = cluster();
    cluster.submit(spec(1), at(3)).unwrap();
    cluster.start(JobId(1), on(0, 1), at(3)).unwrap();
    cluster.submit(spec(2), at(4)).unwrap();
    cluster.requeue(JobId(1)).unwrap();
    let queue: Vec<_> = cluster.pending().map(|job| (job.spec.id.0, job.submitted)).collect();
    assert_eq!(queue, [(1, at(3)), (2, at(4))]);
    assert_eq!(cluster.free(), cluster.capacity());
    cluster.cancel(JobId(1)).unwrap();
    assert!(cluster.pending_job(JobId(1)).is_none());
}

#[test]
fn a_node_out_of_service_takes_no_jobs_and_keeps_those_it_has() {
    let mut cluster = cluster();
    cluster.submit(spec(1), at(0)).unwrap();
    cluster.submit(spec(2), at(0)).unwrap();
    cluster.start(JobId(1), on(0, 1), at(0)).unwrap();
    cluster.set_available(NodeId(0), false);
    cluster.set_available(NodeId(0), false);
    assert_eq!((cluster.free().gpus, cluster.unavailable()), (4, 1));
    let (job, node) = (JobId(2), NodeId(0));
    let refused = cluster.start(job, on(0, 0b10), at(0));
    assert_eq!(refused, Err(ClusterError::NodeUnavailable { job, node }));
    cluster.finish(JobId(1), Outcome::Completed).unwrap();
    assert_eq!(cluster.free().gpus, 4);
    cluster.set_available(NodeId(0), true);
    assert_eq!((cluster.free().gpus, cluster.unavailable()), (8, 0));
}

#[test]
fn what_is_impossible_is_refused_and_changes_nothing() {
    let mut cluster = cluster();
    let job = JobId(1);
    cluster.submit(spec(1), at(0)).unwrap();
    assert_eq!(cluster.submit(spec(1), at(9)), Err(ClusterError::Duplicate { job }));
    assert_eq!(cluster.finish(job, Outcome::Completed).unwrap_err(), ClusterError::NotRunning { job });
    let node = NodeId(9);
    assert_eq!(cluster.start(job, on(9, 1), at(0)), Err(ClusterError::NoSuchNode { node }));
    let node = NodeId(0);
    assert_eq!(cluster.start(job, on(0, 0b1_0000), at(0)), Err(ClusterError::NoRoom { job, node }));
    let mut twice = on(0, 0b11);
    twice.0.extend(on(0, 0b11).0);
    assert_eq!(cluster.start(job, twice, at(0)), Err(ClusterError::NoRoom { job, node }));
    assert_eq!((cluster.free(), cluster.pending().len()), (cluster.capacity(), 1));
    cluster.start(job, on(0, 1), at(0)).unwrap();
    assert_eq!(cluster.start(job, on(0, 2), at(0)), Err(ClusterError::NotPending { job }));
    assert_eq!(cluster.cancel(job).unwrap_err(), ClusterError::NotPending { job });
    let said = ClusterError::NoRoom { job, node }.to_string();
    assert_eq!(said, "job 1 can't start on node 0: not enough is free there");
}
