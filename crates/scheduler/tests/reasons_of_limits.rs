//! Limits of qualities of service, accounts and users: each with the smallest state in which it holds a job back, the code that
//! Slurm has for it, and that it goes away with its cause.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod harness;

use std::sync::Arc;

use harness::{at, on, pass, plan, spec, started, told};
use switchyard_model::{
    Association, JobSpec, Limits, Outcome, Qos, ResourceCap, Resources, Shape, SimDuration, Site, Terms,
};

fn cap(resource: &str, most: u32) -> Option<ResourceCap> {
    let none = ResourceCap::default();
    Some(match resource {
        "cpu" => ResourceCap { cpus: Some(most), ..none },
        "gpu" => ResourceCap { gpus: Some(most), ..none },
        "node" => ResourceCap { nodes: Some(most), ..none },
        _ => ResourceCap { memory_mib: Some(most.into()), ..none },
    })
}

/// Two nodes, 4 CPUs, 4 GPUs and 4 MiB.
fn shape() -> Shape {
    Shape::Nodes { nodes: 2, per_node: Resources { cpus: 2, gpus: 2, memory_mib: 2 } }
}

fn qos_site(limits: Limits) -> Site {
    Site { qos: vec![Qos { name: "high".into(), limits, ..Qos::default() }], ..Site::default() }
}

fn association(account: &str, user: Option<&str>, parent: Option<&str>, limits: Limits) -> Association {
    let (user, parent) = (user.map(Into::into), parent.map(Into::into));
    Association { account: account.into(), user, parent, shares: 1, limits }
}

fn account_site(limits: Limits) -> Site {
    Site { associations: vec![association("research", None, None, limits)], ..Site::default() }
}

fn job(id: u64, user: &str) -> Arc<JobSpec> {
    let terms = Terms { qos: Some("high".into()), ..Terms::default() };
    let spec = on(terms, spec(id, 0, 100, shape()));
    Arc::new(JobSpec { user: user.into(), ..Arc::unwrap_or_clone(spec) })
}

/// A cluster in which memory counts.
fn cluster(site: Site) -> switchyard_scheduler::Cluster {
    let node = Resources { cpus: 16, gpus: 16, memory_mib: 64 };
    let fleet = switchyard_model::FleetSpec::uniform("n", 4, node).build().unwrap();
    switchyard_scheduler::Cluster::with_site(Arc::new(fleet), Arc::new(site))
}

/// The code of a job alone.
fn alone(site: Site) -> String {
    let mut cluster = cluster(site);
    cluster.submit(job(1, "ada"), at(0)).unwrap();
    cluster.submit(spec(2, 0, 1, shape()), at(0)).unwrap();
    let plan = plan("fcfs", &cluster, 0);
    assert!(!started(&plan).contains(&1));
    told(&plan, 1)[2].clone()
}

/// Jobs 1 and 2 are of one user, job 3 of another. The code of job 2, which waits while job 1 runs and not longer; and whether
/// job 3 starts beside job 1.
fn beside_another(site: Site) -> (String, bool) {
    let mut cluster = cluster(site);
    for (id, user) in [(1, "ada"), (2, "ada"), (3, "bob")] {
        cluster.submit(job(id, user), at(0)).unwrap();
    }
    let first = pass("fcfs", &mut cluster, 0);
    let others = started(&first).contains(&3);
    let code = told(&first, 2)[2].clone();
    for start in &first.starts {
        cluster.finish(start.job, Outcome::Completed).unwrap();
    }
    assert!(started(&plan("fcfs", &cluster, 1)).contains(&2), "{code} goes away");
    (code, others)
}

#[test]
fn what_one_job_may_hold() {
    let rows = [
        ("cpu", "QOSMaxCpuPerJobLimit", "AssocMaxCpuPerJobLimit"),
        ("gpu", "QOSMaxGRESPerJob", "AssocMaxGRESPerJob"),
        ("mem", "QOSMaxMemoryPerJob", "AssocMaxMemPerJob"),
        ("node", "QOSMaxNodePerJobLimit", "AssocMaxNodePerJobLimit"),
    ];
    for (resource, of_qos, of_account) in rows {
        let limits = Limits { per_job: cap(resource, 1), ..Limits::default() };
        assert_eq!(alone(qos_site(limits)), of_qos);
        assert_eq!(alone(account_site(limits)), of_account);
    }
    let limits = Limits { wall: Some(SimDuration::from_secs(99)), ..Limits::default() };
    assert_eq!(alone(qos_site(limits)), "QOSMaxWallDurationPerJobLimit");
    assert_eq!(alone(account_site(limits)), "AssocMaxWallDurationPerJobLimit");
}

#[test]
fn what_one_user_may_hold() {
    let rows = [
        ("cpu", 7, "QOSMaxCpuPerUserLimit", "AssocGrpCpuLimit"),
        ("gpu", 7, "QOSMaxGRESPerUser", "AssocGrpGRES"),
        ("mem", 7, "QOSMaxMemoryPerUser", "AssocGrpMemLimit"),
        ("node", 3, "QOSMaxNodePerUserLimit", "AssocGrpNodeLimit"),
    ];
    for (resource, most, of_qos, of_account) in rows {
        let limits = Limits { running_per_user: cap(resource, most), ..Limits::default() };
        assert_eq!(beside_another(qos_site(limits)), (of_qos.to_owned(), true));
        assert_eq!(beside_another(account_site(limits)), (of_account.to_owned(), true));
    }
    let limits = Limits { jobs_per_user: Some(1), ..Limits::default() };
    assert_eq!(beside_another(qos_site(limits)), ("QOSMaxJobsPerUserLimit".to_owned(), true));
    assert_eq!(beside_another(account_site(limits)), ("AssocMaxJobsLimit".to_owned(), true));
}

#[test]
fn what_all_may_hold_together() {
    let rows = [
        ("cpu", 7, "QOSGrpCpuLimit", "AssocGrpCpuLimit"),
        ("gpu", 7, "QOSGrpGRES", "AssocGrpGRES"),
        ("mem", 7, "QOSGrpMemLimit", "AssocGrpMemLimit"),
        ("node", 3, "QOSGrpNodeLimit", "AssocGrpNodeLimit"),
    ];
    for (resource, most, of_qos, of_account) in rows {
        let limits = Limits { running: cap(resource, most), ..Limits::default() };
        assert_eq!(beside_another(qos_site(limits)), (of_qos.to_owned(), false));
        assert_eq!(beside_another(account_site(limits)), (of_account.to_owned(), false));
    }
    let limits = Limits { jobs: Some(1), ..Limits::default() };
    assert_eq!(beside_another(qos_site(limits)), ("QOSGrpJobsLimit".to_owned(), false));
    assert_eq!(beside_another(account_site(limits)), ("AssocGrpJobsLimit".to_owned(), false));
}

/// The limit may sit on the user's own association or on any account above.
#[test]
fn limits_of_the_accounts_above_count_too() {
    let limits = Limits { running: cap("gpu", 7), ..Limits::default() };
    let free = Limits::default();
    let user = |limits| association("research", Some("ada"), None, limits);
    let tree = |own, above, user_limits| Site {
        associations: vec![
            association("all", None, None, above),
            association("research", None, Some("all"), own),
            user(user_limits),
        ],
        ..Site::default()
    };
    let code = "AssocGrpGRES".to_owned();
    assert_eq!(beside_another(tree(limits, free, free)), (code.clone(), false));
    assert_eq!(beside_another(tree(free, limits, free)), (code.clone(), false));
    assert_eq!(beside_another(tree(free, free, limits)), (code, true));
}

#[test]
fn a_limit_says_whose_it_is_and_what_is_used() {
    let told_of_second = |site: Site| {
        let mut cluster = cluster(site);
        cluster.submit(job(1, "ada"), at(0)).unwrap();
        cluster.submit(job(2, "ada"), at(0)).unwrap();
        told(&pass("fcfs", &mut cluster, 0), 2)
    };
    let limits = Limits { running_per_user: cap("gpu", 7), ..Limits::default() };
    let sentence = "Would exceed what QOS \"high\" allows one user's jobs: 7 GPUs.";
    let evidence = "It asks for 4 GPUs; running jobs hold 4 GPUs.";
    assert_eq!(told_of_second(qos_site(limits))[..2], [sentence, evidence]);
    let limits = Limits { jobs: Some(1), ..Limits::default() };
    let sentence = "Would exceed what account \"research\" allows all its jobs together: 1 running job.";
    assert_eq!(told_of_second(account_site(limits))[..2], [sentence, "1 running job already."]);
    let own = Site {
        associations: vec![association(
            "research",
            Some("ada"),
            None,
            Limits { per_job: cap("gpu", 3), ..Limits::default() },
        )],
        ..Site::default()
    };
    let mut cluster = cluster(own);
    cluster.submit(job(1, "ada"), at(0)).unwrap();
    let sentence = "Can never run: account \"research\" for user \"ada\" allows a job 3 GPUs.";
    assert_eq!(told(&plan("fcfs", &cluster, 0), 1)[..2], [sentence, "It asks for 4 GPUs."]);
}
