//! The workload of the first screen: eight accounts share a GPU cluster that is asked for a little more than it has.
//!
//! | what | how it is drawn |
//! |---|---|
//! | submit time | 48 jobs in the first minutes (gaps of 4 s in the mean), then gaps of 90 s in the mean, exponential |
//! | runtime | lognormal with a median of 30 min and sigma 0.9, 1 min to 10 h |
//! | time limit | runtime x 1.1 to 3, up to a whole quarter of an hour |
//! | size | 1, 2, 4, 8 GPUs of a node; 2, 4 or 8 whole nodes of 8 GPUs |
//! | account | one of eight, some larger than others; three users each |
//!
//! One GPU comes with 8 CPUs and 128 GiB of memory. In the mean a job asks for 8.9 GPUs and runs 45 min, so that 256
//! GPUs are asked for 1.04 times over.

use std::sync::Arc;

use rand::RngExt as _;
use switchyard_model::{
    Job, JobId, JobSpec, PerMille, Resources, Shape, SimTime, Stream, Terms, Truth, stream,
};

use super::draw::{exponential, normal, seconds, uniform, weighted};

const FIRST_JOBS: u64 = 48;
const FIRST_GAP_SECS: f64 = 4.0;
const GAP_SECS: f64 = 90.0;
const RUNTIME_MEDIAN_SECS: f64 = 1_800.0;
const RUNTIME_SIGMA: f64 = 0.9;
const RUNTIME_SECS: (f64, f64) = (60.0, 36_000.0);
const LIMIT_STEP_SECS: f64 = 900.0;
/// Name and share in hundredths.
const ACCOUNTS: [(&str, u32); 8] = [
    ("climate", 18),
    ("fluids", 9),
    ("genomics", 13),
    ("language", 22),
    ("materials", 10),
    ("robotics", 8),
    ("seismic", 9),
    ("vision", 11),
];
const USERS: [&str; 6] = ["ada", "emil", "ines", "kaya", "noor", "yuki"];
/// Nodes, GPUs on each, and share in hundredths.
const SIZES: [(u32, u32, u32); 7] =
    [(1, 1, 20), (1, 2, 18), (1, 4, 20), (1, 8, 22), (2, 8, 10), (4, 8, 7), (8, 8, 3)];

/// The first `jobs` jobs of the yard with this `seed`, numbered from 1.
pub fn yard(jobs: u32, seed: u64) -> Vec<Job> {
    let mut chance = stream(seed, "workload yard");
    let mut submit = 0.0;
    (1..=u64::from(jobs))
        .map(|id| {
            submit += exponential(&mut chance, if id <= FIRST_JOBS { FIRST_GAP_SECS } else { GAP_SECS });
            job(JobId(id), submit, &mut chance)
        })
        .collect()
}

fn job(id: JobId, submit: f64, chance: &mut Stream) -> Job {
    let (shortest, longest) = RUNTIME_SECS;
    let runtime = (RUNTIME_MEDIAN_SECS * libm::exp(RUNTIME_SIGMA * normal(chance))).clamp(shortest, longest);
    let padding = 1.1 + 1.9 * uniform(chance);
    let limit = libm::ceil(runtime * padding / LIMIT_STEP_SECS) * LIMIT_STEP_SECS;
    let (nodes, gpus, _) = weighted(chance, &SIZES, |size| size.2);
    let (account, _) = weighted(chance, &ACCOUNTS, |account| account.1);
    // Each account has three of the users, so that a name can turn up in two of them, as in life.
    let first = ACCOUNTS.iter().position(|(name, _)| *name == account).unwrap_or(0);
    let user = USERS[(first + chance.random_range(0..3usize)) % USERS.len()];
    let per_node = Resources { cpus: 8 * gpus, gpus, memory_mib: (128 << 10) * u64::from(gpus) };
    let spec = JobSpec {
        id,
        user: user.into(),
        account: account.into(),
        submit: SimTime::ZERO + seconds(submit),
        limit: seconds(limit),
        shape: Shape::Nodes { nodes, per_node },
        qos: PerMille(0),
        terms: Terms::default(),
    };
    Job { spec: Arc::new(spec), truth: Truth::new(seconds(runtime)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use switchyard_model::Oracle;

    #[test]
    fn the_yard_is_asked_for_a_little_more_than_it_has() {
        let jobs = yard(4_000, 5);
        let oracle = Oracle::new();
        let asked: f64 = jobs
            .iter()
            .map(|job| f64::from(job.spec.shape.total().gpus) * oracle.runtime(&job.truth).as_secs_f64())
            .sum();
        let span = jobs.last().map_or(0.0, |job| job.spec.submit.as_secs_f64());
        let load = asked / (256.0 * span);
        assert!((0.95..1.15).contains(&load), "load {load}");
    }

    #[test]
    fn no_job_runs_beyond_its_limit_and_seeds_differ() {
        let oracle = Oracle::new();
        let jobs = yard(500, 1);
        assert!(jobs.iter().all(|job| oracle.runtime(&job.truth) <= job.spec.limit));
        assert!(jobs.windows(2).all(|pair| pair[0].spec.submit <= pair[1].spec.submit));
        let first = |seed| yard(1, seed).first().map(|job| job.spec.submit);
        assert_ne!(first(1), first(2));
        assert_eq!(yard(20, 1).last().map(|job| job.spec.clone()), jobs.get(19).map(|job| job.spec.clone()));
    }
}
