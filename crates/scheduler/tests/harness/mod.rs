//! What the tests share: small jobs and clusters.
#![allow(dead_code, clippy::unwrap_used, clippy::panic)] // each test file uses its part

use std::sync::Arc;

use switchyard_model::{
    FleetSpec, Job, JobId, JobSpec, PerMille, Resources, Shape, SimDuration, SimTime, Site, Terms, Truth,
};
use switchyard_scheduler::{Cluster, Plan, Policy, Reason, Scheduler};

/// Second `secs` of the run.
pub(crate) const fn at(secs: u64) -> SimTime {
    SimTime::from_secs(secs)
}

/// `nodes` nodes with 8 CPUs and `gpus` GPUs each.
pub(crate) const fn gpu_nodes(nodes: u32, gpus: u32) -> Shape {
    Shape::Nodes { nodes, per_node: Resources { cpus: gpus, gpus, memory_mib: 0 } }
}

/// `tasks` tasks of one CPU.
pub(crate) const fn tasks(tasks: u32) -> Shape {
    Shape::Tasks { tasks, per_task: Resources::cpus(1) }
}

/// A job that asks for `limit` seconds, submitted at second `submit`.
pub(crate) fn spec(id: u64, submit: u64, limit: u64, shape: Shape) -> Arc<JobSpec> {
    Arc::new(JobSpec {
        id: JobId(id),
        user: "ada".into(),
        account: "research".into(),
        submit: at(submit),
        limit: SimDuration::from_secs(limit),
        shape,
        qos: PerMille(0),
        terms: Terms::default(),
    })
}

/// The same with its true runtime.
pub(crate) fn job(id: u64, submit: u64, limit: u64, runtime: u64, shape: Shape) -> Job {
    Job { spec: spec(id, submit, limit, shape), truth: Truth::new(SimDuration::from_secs(runtime)) }
}

/// An idle cluster of `nodes` nodes with 8 CPUs and 8 GPUs each.
pub(crate) fn gpu_cluster(nodes: u32) -> Cluster {
    let node = Resources { cpus: 8, gpus: 8, memory_mib: 0 };
    Cluster::new(Arc::new(FleetSpec::uniform("gpus", nodes, node).build().unwrap()))
}

/// An idle cluster of processors.
pub(crate) fn processors(procs: u32) -> Cluster {
    Cluster::new(Arc::new(FleetSpec::processors(procs).build().unwrap()))
}

/// What the policy plans now.
pub(crate) fn plan(policy: &str, cluster: &Cluster, now: u64) -> Plan {
    Scheduler::new(Policy::named(policy).unwrap()).plan(cluster, at(now))
}

/// Plans at second `now` and starts what is planned.
pub(crate) fn pass(policy: &str, cluster: &mut Cluster, now: u64) -> Plan {
    let plan = plan(policy, cluster, now);
    for start in &plan.starts {
        cluster.start(start.job, start.placement.clone(), at(now)).unwrap();
    }
    plan
}

/// The same job on terms.
pub(crate) fn on(terms: Terms, spec: Arc<JobSpec>) -> Arc<JobSpec> {
    Arc::new(JobSpec { terms, ..Arc::unwrap_or_clone(spec) })
}

/// An idle cluster of `nodes` nodes with 8 CPUs and 8 GPUs each, run as `site` says.
pub(crate) fn site_cluster(nodes: u32, site: Site) -> Cluster {
    let node = Resources { cpus: 8, gpus: 8, memory_mib: 0 };
    let fleet = FleetSpec::uniform("gpus", nodes, node).build().unwrap();
    Cluster::with_site(Arc::new(fleet), Arc::new(site))
}

/// Why job `id` waits.
pub(crate) fn reason(plan: &Plan, id: u64) -> &Reason {
    let waiting = plan.waiting.iter().find(|waiting| waiting.job == JobId(id));
    &waiting.unwrap_or_else(|| panic!("job {id} does not wait: {plan:?}")).reason
}

/// The reason of job `id`, as it is told: sentence, evidence, code.
pub(crate) fn told(plan: &Plan, id: u64) -> [String; 3] {
    let reason = reason(plan, id);
    [reason.to_string(), reason.evidence(), reason.slurm_code().to_owned()]
}

/// The jobs that start.
pub(crate) fn started(plan: &Plan) -> Vec<u64> {
    plan.starts.iter().map(|start| start.job.0).collect()
}
