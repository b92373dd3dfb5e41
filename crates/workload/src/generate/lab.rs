//! The workload of a published backfill experiment: a morning of whole-node jobs whose users ask for far too much time.
//!
//! Source: the public repository slurm-scheduler-lab, version 0.1. For each job, in this order from one generator:
//!
//! | what | how it is drawn |
//! |---|---|
//! | submit time | the previous one plus an exponential gap of 90 s in the mean |
//! | runtime | lognormal(6.5, 1.4) in seconds, at most 8 h |
//! | padding | Gauss(3, 1), at least 1.05; the time limit is runtime x padding, not rounded |
//! | GPUs | 30 % of jobs want 2 per node |
//! | account | research 50 %, trading 35 %, infra 15 % |
//! | nodes | one of 1, 1, 1, 1, 2, 2, 4, 8, 16 |
//! | quality of service | one of 0, 0, 0, 0.5, 1 |
//!
//! Each node gives 8 CPUs: made for 16 nodes of 8 CPUs and 2 GPUs.

use std::sync::Arc;

use switchyard_model::{Job, JobId, JobSpec, PerMille, Resources, Shape, SimDuration, SimTime, Terms, Truth};

use super::mersenne::PythonRandom;

const MEAN_GAP_SECS: f64 = 90.0;
const RUNTIME_MAX_SECS: f64 = 28_800.0;
const CPUS_PER_NODE: u32 = 8;
const GPUS_PER_NODE: u32 = 2;

/// What is drawn for one job.
#[derive(Clone, Copy, Debug)]
struct Draw {
    submit_secs: f64,
    runtime_secs: f64,
    padding: f64,
    wants_gpus: bool,
    account: &'static str,
    nodes: u32,
    qos: PerMille,
}

/// The first `jobs` jobs of the experiment with this `seed`, numbered from 1. Users are named as their accounts.
pub fn seed_lab_v01(jobs: u32, seed: u64) -> Vec<Job> {
    draws(seed).zip(1..).take(jobs as usize).map(|(draw, id)| draw.job(JobId(id))).collect()
}

fn draws(seed: u64) -> impl Iterator<Item = Draw> {
    let mut random = PythonRandom::new(seed);
    let mut submit_secs = 0.0;
    std::iter::from_fn(move || {
        submit_secs += random.expovariate(1.0 / MEAN_GAP_SECS);
        Some(Draw {
            submit_secs,
            runtime_secs: random.lognormvariate(6.5, 1.4).min(RUNTIME_MAX_SECS),
            padding: random.gauss(3.0, 1.0).max(1.05),
            wants_gpus: random.random() < 0.30,
            account: random.weighted(&[("research", 0.50), ("trading", 0.35), ("infra", 0.15)])?,
            nodes: random.choice(&[1, 1, 1, 1, 2, 2, 4, 8, 16])?,
            qos: random.choice(&[0, 0, 0, 500, 1000].map(PerMille))?,
        })
    })
}

impl Draw {
    fn job(&self, id: JobId) -> Job {
        let gpus = if self.wants_gpus { GPUS_PER_NODE } else { 0 };
        let per_node = Resources { cpus: CPUS_PER_NODE, gpus, memory_mib: 0 };
        let account: Arc<str> = self.account.into();
        let spec = JobSpec {
            id,
            user: Arc::clone(&account),
            account,
            submit: SimTime::ZERO + duration(self.submit_secs),
            limit: duration(self.runtime_secs * self.padding),
            shape: Shape::Nodes { nodes: self.nodes, per_node },
            qos: self.qos,
            terms: Terms::default(),
        };
        Job { spec: Arc::new(spec), truth: Truth::new(duration(self.runtime_secs)) }
    }
}

/// To the nearest microsecond. What is drawn is never negative, and too much is the longest time there is.
fn duration(secs: f64) -> SimDuration {
    SimDuration::from_secs_f64(secs).unwrap_or(SimDuration::MAX)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::print_stderr)]
    use super::*;

    /// The first rows of the golden trace, in full precision; here so that the test needs no file.
    #[test]
    fn the_first_jobs_of_seed_five() {
        let first: Vec<Draw> = draws(5).take(5).collect();
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{a} is not {b}");
        near(first[0].submit_secs, 87.77244323379543);
        near(first[0].runtime_secs, 11332.218216408546);
        near(first[3].submit_secs, 362.8866497281234);
        let rest = |draw: &Draw| (draw.nodes, draw.wants_gpus, draw.account, draw.qos.0);
        let expected = [
            (8, false, "research", 0),
            (1, false, "trading", 0),
            (1, false, "research", 0),
            (1, true, "infra", 0),
            (2, true, "research", 1000),
        ];
        assert_eq!(first.iter().map(rest).collect::<Vec<_>>(), expected);
    }

    /// All 300 rows. The golden trace has its limits rounded up to whole minutes, as a later version of the lab did.
    #[test]
    fn the_whole_trace_of_seed_five() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/traces/golden/seed5_300_trace.csv");
        let Ok(text) = std::fs::read_to_string(path) else {
            eprintln!("skipped: there is no {path}");
            return;
        };
        let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split(',').collect()).collect();
        assert_eq!(rows.len(), 300);
        for (row, draw) in rows.iter().zip(draws(5)) {
            let number = |column: usize| row[column].parse::<f64>().unwrap();
            let near = |a: f64, b: f64| {
                assert!((a - b).abs() <= 1e-9 * b.max(1.0), "job {}: {a} is not {b}", row[0]);
            };
            near(draw.submit_secs, number(1));
            near(draw.runtime_secs, number(2));
            near((draw.runtime_secs * draw.padding / 60.0).ceil() * 60.0, number(3));
            near(f64::from(draw.nodes), number(4));
            near(if draw.wants_gpus { 2.0 } else { 0.0 }, number(5));
            assert_eq!(draw.account, row[6]);
            near(draw.qos.as_factor(), number(7));
        }
    }

    #[test]
    fn jobs_ask_for_whole_nodes_and_for_more_time_than_they_need() {
        let jobs = seed_lab_v01(300, 5);
        assert_eq!(jobs.len(), 300);
        let oracle = switchyard_model::Oracle::new();
        for job in &jobs {
            assert!(job.spec.limit > oracle.runtime(&job.truth));
            assert_eq!(job.spec.shape.parts().1.cpus, 8);
        }
        assert_eq!(jobs[0].spec.submit, SimTime::from_micros(87_772_443));
    }
}
