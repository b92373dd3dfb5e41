//! The workload of a published backfill experiment: a morning of whole-node jobs whose users ask for far too much time.
//!
//! Source: the public repository slurm-scheduler-lab. For each job, in this order from one generator:
//!
//! | what | how it is drawn |
//! |---|---|
//! | submit time | the previous one plus an exponential gap of 90 s in the mean |
//! | runtime | lognormal(6.5, 1.4) in seconds, at most 8 h |
//! | padding | Gauss(3, 1), at least 1.05; the time limit is runtime x padding |
//! | GPUs | 30 % of jobs want 2 per node |
//! | account | research 50 %, trading 35 %, infra 15 % |
//! | nodes | one of 1, 1, 1, 1, 2, 2, 4, 8, 16 |
//! | quality of service | one of 0, 0, 0, 0.5, 1 |
//!
//! Version 0.1 of the lab left the limits as they came; later versions round them up to whole minutes, as `sbatch` does.
//! Each node gives 8 CPUs: made for 16 nodes of 8 CPUs and 2 GPUs, [`FleetSpec::seed_lab`](switchyard_model::FleetSpec::seed_lab).

use std::sync::Arc;

use switchyard_model::{Job, JobId, JobSpec, PerMille, Resources, Shape, SimTime, Terms, Truth};

use super::draw::seconds;
use super::mersenne::PythonRandom;
use crate::limits::whole_minutes;
use crate::workload::Names;

/// The mean gap between two submissions in the published experiment, in seconds.
pub const SEED_LAB_GAP_SECS: f64 = 90.0;

const RUNTIME_MAX_SECS: f64 = 28_800.0;
const CPUS_PER_NODE: u32 = 8;
const GPUS_PER_NODE: u32 = 2;

/// What becomes of runtime x padding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Limit {
    /// Version 0.1.
    AsItComes,
    /// Since then.
    WholeMinutes,
}

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

/// The first `jobs` jobs of the experiment with this `seed`, numbered from 1, as the lab makes them today: limits are whole
/// minutes. `gap_secs` is the mean gap between submissions, [`SEED_LAB_GAP_SECS`] in the published figures.
///
/// Users are named as their accounts. A job's quality of service is `q` and its factor in thousandths: `q0`, `q500`, `q1000`.
pub fn seed_lab(jobs: u32, seed: u64, gap_secs: f64) -> Vec<Job> {
    lab_jobs(jobs, seed, gap_secs, Limit::WholeMinutes)
}

/// The same with the limits of version 0.1, which are not rounded, and the published gap.
pub fn seed_lab_v01(jobs: u32, seed: u64) -> Vec<Job> {
    lab_jobs(jobs, seed, SEED_LAB_GAP_SECS, Limit::AsItComes)
}

pub(super) fn lab_jobs(jobs: u32, seed: u64, gap_secs: f64, limit: Limit) -> Vec<Job> {
    let mut names = Names::default();
    let drawn = draws(seed, gap_secs).zip(1..).take(jobs as usize);
    drawn.map(|(draw, id)| draw.job(JobId(id), limit, &mut names)).collect()
}

fn draws(seed: u64, gap_secs: f64) -> impl Iterator<Item = Draw> {
    let mut random = PythonRandom::new(seed);
    let mut submit_secs = 0.0;
    std::iter::from_fn(move || {
        submit_secs += random.expovariate(1.0 / gap_secs);
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
    fn limit_secs(&self, limit: Limit) -> f64 {
        let asked = self.runtime_secs * self.padding;
        match limit {
            Limit::AsItComes => asked,
            Limit::WholeMinutes => whole_minutes(asked),
        }
    }

    fn job(&self, id: JobId, limit: Limit, names: &mut Names) -> Job {
        let gpus = if self.wants_gpus { GPUS_PER_NODE } else { 0 };
        let per_node = Resources { cpus: CPUS_PER_NODE, gpus, memory_mib: 0 };
        let account = names.get(self.account);
        let spec = JobSpec {
            id,
            user: Arc::clone(&account),
            account,
            submit: SimTime::ZERO + seconds(self.submit_secs),
            limit: seconds(self.limit_secs(limit)),
            shape: Shape::Nodes { nodes: self.nodes, per_node },
            qos: self.qos,
            terms: Terms { qos: Some(names.get(&format!("q{}", self.qos.0))), ..Terms::default() },
        };
        Job { spec: Arc::new(spec), truth: Truth::new(seconds(self.runtime_secs)) }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::print_stderr)]
    use super::*;
    use switchyard_model::{Oracle, SimDuration};

    /// The first rows of the golden trace, in full precision; here so that the test needs no file.
    #[test]
    fn the_first_jobs_of_seed_five() {
        let first: Vec<Draw> = draws(5, SEED_LAB_GAP_SECS).take(5).collect();
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

    /// All 300 rows: what is drawn in full precision, and what becomes of it in a job. The golden trace prints the shortest
    /// decimals of its floats, so that all digits but the last of a double are compared.
    #[test]
    fn the_whole_trace_of_seed_five() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/traces/golden/seed5_300_trace.csv");
        let Ok(text) = std::fs::read_to_string(path) else {
            eprintln!("skipped: there is no {path}");
            return;
        };
        let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split(',').collect()).collect();
        assert_eq!(rows.len(), 300);
        let jobs = seed_lab(300, 5, 90.0);
        for ((row, draw), job) in rows.iter().zip(draws(5, 90.0)).zip(&jobs) {
            let number = |column: usize| row[column].parse::<f64>().unwrap();
            let near = |a: f64, b: f64| {
                assert!((a - b).abs() <= 1e-15 * b, "job {}: {a} is not {b}", row[0]);
            };
            near(draw.submit_secs, number(1));
            near(draw.runtime_secs, number(2));
            assert_eq!(job.spec.submit, SimTime::from_secs_f64(number(1)).unwrap());
            assert_eq!(Oracle::new().runtime(&job.truth), SimDuration::from_secs_f64(number(2)).unwrap());
            assert_eq!(job.spec.limit, SimDuration::from_secs(row[3].parse().unwrap()));
            let (nodes, per_node) = job.spec.shape.parts();
            assert_eq!((job.spec.id.0.to_string(), nodes.to_string()), (row[0].into(), row[4].into()));
            assert_eq!((per_node.cpus, per_node.gpus.to_string()), (8, row[5].into()));
            assert_eq!(&*job.spec.account, row[6]);
            let thousandths = format!("{:.0}", number(7) * 1000.0);
            assert_eq!(job.spec.qos.0.to_string(), thousandths);
            assert_eq!(job.spec.terms.qos.as_deref(), Some(format!("q{thousandths}").as_str()));
        }
    }

    #[test]
    fn jobs_ask_for_whole_nodes_and_for_more_time_than_they_need() {
        let jobs = seed_lab_v01(300, 5);
        assert_eq!(jobs.len(), 300);
        let oracle = Oracle::new();
        for job in &jobs {
            assert!(job.spec.limit > oracle.runtime(&job.truth));
            assert_eq!(job.spec.shape.parts().1.cpus, 8);
        }
        assert_eq!(jobs[0].spec.submit, SimTime::from_micros(87_772_443));
    }

    /// The versions differ in their limits, and by less than a minute.
    #[test]
    fn later_versions_round_limits_up() {
        let minute = 60_000_000;
        for (old, new) in seed_lab_v01(200, 3).iter().zip(seed_lab(200, 3, SEED_LAB_GAP_SECS)) {
            let (old_limit, new_limit) = (old.spec.limit.as_micros(), new.spec.limit.as_micros());
            assert_eq!(new_limit, old_limit.next_multiple_of(minute));
            let same = JobSpec { limit: new.spec.limit, ..(*old.spec).clone() };
            assert_eq!(same, *new.spec);
        }
    }

    /// An eighth of the gap, and nothing else changes.
    #[test]
    fn the_gap_scales_submit_times_only() {
        for (wide, narrow) in draws(1, 90.0).zip(draws(1, 11.25)).take(500) {
            let ratio = wide.submit_secs / narrow.submit_secs;
            assert!((ratio - 8.0).abs() < 1e-9, "{ratio}");
            assert_eq!(wide.runtime_secs.to_bits(), narrow.runtime_secs.to_bits());
            assert_eq!((wide.nodes, wide.qos), (narrow.nodes, narrow.qos));
        }
    }

    /// The published sums over the 300 jobs of seed 5.
    #[test]
    fn the_sums_of_seed_five() {
        let jobs = seed_lab(300, 5, SEED_LAB_GAP_SECS);
        let count = |which: &dyn Fn(&JobSpec) -> bool| jobs.iter().filter(|job| which(&job.spec)).count();
        let nodes = [1, 2, 4, 8, 16].map(|n| count(&|job| job.shape.parts().0 == n));
        assert_eq!(nodes, [130, 62, 34, 35, 39]);
        assert_eq!(
            ["research", "trading", "infra"].map(|name| count(&|job| &*job.account == name)),
            [141, 105, 54]
        );
        assert_eq!([0, 500, 1000].map(|qos| count(&|job| job.qos.0 == qos)), [179, 59, 62]);
        assert_eq!(count(&|job| job.shape.total().gpus > 0), 94);
        let oracle = Oracle::new();
        let runtime = |job: &Job| oracle.runtime(&job.truth).as_secs_f64();
        let cpu_hours: f64 =
            jobs.iter().map(|job| runtime(job) * f64::from(job.spec.shape.total().cpus) / 3600.0).sum();
        assert_eq!(format!("{cpu_hours:.2}"), "5086.86");
        let (asked, used): (f64, f64) =
            (jobs.iter().map(|job| job.spec.limit.as_secs_f64()).sum(), jobs.iter().map(runtime).sum());
        assert_eq!(format!("{:.1} {:.1}", used / 300.0, 100.0 * used / asked), "1753.9 32.1");
    }
}
