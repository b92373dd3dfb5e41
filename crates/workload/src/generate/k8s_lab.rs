//! The workload of a published comparison of Kubernetes schedulers: gangs of equal pods that want GPUs.
//!
//! Source: the public repository k8s-gpu-scheduler-lab. For each job, in this order from one generator:
//!
//! | what | how it is drawn |
//! |---|---|
//! | submit time | the previous one plus an exponential gap of 12 s in the mean (profile `light`: 45 s) |
//! | duration | lognormal(7, 1.2) in seconds, at most 6 h |
//! | gang | 18 % of jobs have one of 2, 2, 4, 8 pods; the others have one |
//! | GPUs of a pod | one of 1, 1, 1, 1, 2, 2, 4, 8; at most 4 in a gang |
//! | account | research 50 %, trading 35 %, infra 15 % |
//! | priority | one of 0, 0, 0, 100, 500 |
//!
//! Times are in milliseconds, as the lab's trace files have them and as all of its figures were made with. Made for
//! [`FleetSpec::k8s_lab`](switchyard_model::FleetSpec::k8s_lab).

use std::sync::Arc;

use switchyard_model::{Job, JobId, JobSpec, PerMille, Resources, Shape, SimDuration, SimTime, Terms, Truth};

use super::mersenne::PythonRandom;
use crate::limits::exact_limit;
use crate::workload::Names;

/// The mean gap between two submissions in the profile `default` (800 jobs), in seconds.
pub const K8S_LAB_GAP_SECS: f64 = 12.0;
/// The same in the profile `light` (300 jobs), which its authors made for trying things out, not for comparisons.
pub const K8S_LAB_LIGHT_GAP_SECS: f64 = 45.0;

const DURATION_MAX_SECS: f64 = 21_600.0;
const GANG_SHARE: f64 = 0.18;
const GANG_GPUS_MAX: u32 = 4;
/// The highest priority, to which the factor of a quality of service is relative.
const PRIORITY_MAX: u32 = 500;

/// A row of the lab's trace: some equal pods that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct K8sJob {
    /// Its number, from 1.
    pub id: JobId,
    /// The account that pays.
    pub account: Arc<str>,
    /// When all its pods are submitted, in whole milliseconds.
    pub submit: SimTime,
    /// How long each pod runs, in whole milliseconds.
    pub duration: SimDuration,
    /// GPUs of each pod.
    pub gpus: u32,
    /// How many pods it has; a gang has more than one.
    pub gang: u32,
    /// Its priority: 0, 100 or 500.
    pub priority: u32,
}

impl K8sJob {
    /// The job as a Slurm cluster would get it: one node for each pod, all different, with `cpus_per_pod` CPUs of each
    /// (the lab takes 1), and shared with others.
    ///
    /// A trace of pods has no time limits, but Slurm needs them: this is the `exact` one ([`LimitModel`](crate::LimitModel)),
    /// the duration up to a whole minute. The quality of service is `p` and the priority: `p0`, `p100`, `p500`; its factor
    /// is the priority's part of 500.
    pub fn on_slurm(&self, cpus_per_pod: u32) -> Job {
        let factor = self.priority * 1000 / PRIORITY_MAX;
        let spec = JobSpec {
            id: self.id,
            user: Arc::clone(&self.account),
            account: Arc::clone(&self.account),
            submit: self.submit,
            limit: exact_limit(self.duration),
            shape: Shape::Nodes {
                nodes: self.gang,
                per_node: Resources { cpus: cpus_per_pod, gpus: self.gpus, memory_mib: 0 },
            },
            qos: PerMille(u16::try_from(factor).unwrap_or(1000)),
            terms: Terms { qos: Some(format!("p{}", self.priority).into()), ..Terms::default() },
        };
        Job { spec: Arc::new(spec), truth: Truth::new(self.duration) }
    }
}

/// The first `jobs` rows of the lab's trace with this `seed`. `gap_secs` is the mean gap between submissions:
/// [`K8S_LAB_GAP_SECS`] or [`K8S_LAB_LIGHT_GAP_SECS`] in published figures.
pub fn k8s_jobs(jobs: u32, seed: u64, gap_secs: f64) -> Vec<K8sJob> {
    let mut names = Names::default();
    let drawn = draws(seed, gap_secs).zip(1..).take(jobs as usize);
    drawn.map(|(draw, id)| draw.row(JobId(id), &mut names)).collect()
}

/// The same as a Slurm cluster would get them, with 1 CPU for each pod: see [`K8sJob::on_slurm`].
pub fn k8s_lab(jobs: u32, seed: u64, gap_secs: f64) -> Vec<Job> {
    k8s_jobs(jobs, seed, gap_secs).iter().map(|job| job.on_slurm(1)).collect()
}

/// What is drawn for one job.
#[derive(Clone, Copy, Debug)]
struct Draw {
    submit_secs: f64,
    duration_secs: f64,
    gang: u32,
    gpus: u32,
    account: &'static str,
    priority: u32,
}

fn draws(seed: u64, gap_secs: f64) -> impl Iterator<Item = Draw> {
    let mut random = PythonRandom::new(seed);
    let mut submit_secs = 0.0;
    std::iter::from_fn(move || {
        submit_secs += random.expovariate(1.0 / gap_secs);
        let duration_secs = random.lognormvariate(7.0, 1.2).min(DURATION_MAX_SECS);
        let gang = if random.random() < GANG_SHARE { random.choice(&[2, 2, 4, 8])? } else { 1 };
        let gpus = random.choice(&[1, 1, 1, 1, 2, 2, 4, 8])?;
        Some(Draw {
            submit_secs,
            duration_secs,
            gang,
            gpus: if gang > 1 { gpus.min(GANG_GPUS_MAX) } else { gpus },
            account: random.weighted(&[("research", 0.50), ("trading", 0.35), ("infra", 0.15)])?,
            priority: random.choice(&[0, 0, 0, 100, 500])?,
        })
    })
}

impl Draw {
    fn row(&self, id: JobId, names: &mut Names) -> K8sJob {
        K8sJob {
            id,
            account: names.get(self.account),
            submit: SimTime::ZERO + milliseconds(self.submit_secs),
            duration: milliseconds(self.duration_secs),
            gpus: self.gpus,
            gang: self.gang,
            priority: self.priority,
        }
    }
}

/// To the nearest millisecond. What is drawn is never negative, and too much is the longest time there is.
fn milliseconds(secs: f64) -> SimDuration {
    SimDuration::from_secs_f64(libm::rint(secs * 1000.0) / 1000.0).unwrap_or(SimDuration::MAX)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::print_stderr)]
    use super::*;
    use sha2::{Digest as _, Sha256};

    /// The published digest of the light profile with seed 0: the first 12 hexadecimal digits of SHA-256 over
    /// `id,account,submit,duration,gpus,gang,priority` of each job, a line each, floats as Python prints them, taken of a
    /// trace file. (Before a file has rounded them, a logarithm that differs in its last bit would show.)
    #[test]
    fn the_digest_of_the_light_profile() {
        let mut lines = String::new();
        for job in k8s_jobs(300, 0, K8S_LAB_LIGHT_GAP_SECS) {
            let (submit, duration) = (job.submit.as_secs_f64(), job.duration.as_secs_f64());
            let K8sJob { id, account, gpus, gang, priority, .. } = job;
            lines += &format!("{id},{account},{submit:?},{duration:?},{gpus},{gang},{priority}\n");
        }
        let hash = Sha256::digest(lines);
        let digits: String = hash.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(digits, "e6c3db79ca96");
    }

    #[test]
    fn the_whole_default_trace_of_seed_zero() {
        let path =
            concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/traces/golden/k8s_default_seed0_800.csv");
        let Ok(text) = std::fs::read_to_string(path) else {
            eprintln!("skipped: there is no {path}");
            return;
        };
        let mut written = "job_id,account,submit_time,duration,gpus,gang_size,priority\n".to_owned();
        for job in k8s_jobs(800, 0, K8S_LAB_GAP_SECS) {
            let (submit, duration) = (job.submit.as_secs_f64(), job.duration.as_secs_f64());
            let K8sJob { id, account, gpus, gang, priority, .. } = job;
            written += &format!("{id},{account},{submit:.3},{duration:.3},{gpus},{gang},{priority}\n");
        }
        assert_eq!(written, text.replace("\r\n", "\n"));
    }

    /// The published sums over the 800 jobs of seed 0.
    #[test]
    fn the_sums_of_seed_zero() {
        let jobs = k8s_jobs(800, 0, K8S_LAB_GAP_SECS);
        let count = |which: &dyn Fn(&K8sJob) -> bool| jobs.iter().filter(|job| which(job)).count();
        assert_eq!([1, 2, 4, 8].map(|gpus| count(&|job| job.gpus == gpus)), [431, 181, 124, 64]);
        assert_eq!([1, 2, 4, 8].map(|gang| count(&|job| job.gang == gang)), [661, 74, 32, 33]);
        assert_eq!([0, 100, 500].map(|priority| count(&|job| job.priority == priority)), [494, 145, 161]);
        assert_eq!(count(&|job| job.gpus * job.gang >= 8), 129);
        assert_eq!(jobs.iter().map(|job| job.gang).sum::<u32>(), 1201);
        let gpu_hours: f64 =
            jobs.iter().map(|job| job.duration.as_secs_f64() * f64::from(job.gpus * job.gang) / 3600.0).sum();
        assert_eq!(format!("{gpu_hours:.4}"), "1404.7366");
    }

    /// Job 4 of seed 0: one pod of 8 GPUs with priority 500 for 382.871 s.
    #[test]
    fn pods_become_nodes_and_priority_a_quality_of_service() {
        let job = &k8s_lab(4, 0, K8S_LAB_GAP_SECS)[3];
        assert_eq!(job.spec.limit, SimDuration::from_secs(420));
        let per_node = Resources { cpus: 1, gpus: 8, memory_mib: 0 };
        assert_eq!(job.spec.shape, Shape::Nodes { nodes: 1, per_node });
        assert_eq!((job.spec.qos, job.spec.terms.qos.as_deref()), (PerMille(1000), Some("p500")));
        let gang = K8sJob { gang: 4, gpus: 2, priority: 100, ..k8s_jobs(1, 0, 12.0)[0].clone() }.on_slurm(3);
        let per_node = Resources { cpus: 3, gpus: 2, memory_mib: 0 };
        assert_eq!(gang.spec.shape, Shape::Nodes { nodes: 4, per_node });
        assert_eq!((gang.spec.qos, gang.spec.terms.qos.as_deref()), (PerMille(200), Some("p100")));
    }
}
