//! A steady workload for measurements: jobs arrive as a Poisson process that asks for a chosen part of a machine.
//!
//! | what | how it is drawn |
//! |---|---|
//! | submit time | the previous one plus an exponential gap |
//! | size | a power of two, each equally likely, from 1 to the largest that is no more than `largest_share` of the machine |
//! | runtime | lognormal with a median of 15 min and sigma 1.5, at most 24 h |
//! | time limit | runtime x 1 to 5, equally likely, up to a whole minute |
//! | user | one of 40, of 8 accounts, equally likely |
//!
//! A job of `n` processors that runs for `r` seconds asks for `n r`. Size and runtime are drawn apart, so that jobs which come
//! every `gap` seconds ask in the mean for the part
//!
//! ```text
//! load = E[n] E[r] / (gap P)
//! ```
//!
//! of a machine of `P` processors. With sizes 1, 2, 4 … 2^k, `E[n] = (2^(k+1) - 1) / (k + 1)`. With median `m`, sigma `s` and
//! cap `c`, `E[r] = m exp(s²/2) Φ(z - s) + c (1 - Φ(z))`, where `z = ln(c/m) / s` and `Φ` is the normal distribution.

use std::sync::Arc;

use rand::RngExt as _;
use switchyard_model::{Job, JobId, JobSpec, Resources, Shape, SimDuration, SimTime, Stream, Truth, stream};

use super::draw::{exponential, normal, seconds, uniform};
use crate::limits::whole_minutes;
use crate::workload::Names;

const RUNTIME_MEDIAN_SECS: f64 = 900.0;
const RUNTIME_SIGMA: f64 = 1.5;
const RUNTIME_MAX_SECS: f64 = 86_400.0;
const PADDING_MAX: f64 = 5.0;
const ACCOUNTS: u32 = 8;
const USERS: u32 = 40;

/// A steady workload, before its jobs are drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Poisson {
    /// The processors of the machine that it is made for.
    pub procs: u32,
    /// The part of the machine that it asks for: 1 is all of it. Above 1 the queue grows without end.
    pub load: f64,
    /// The largest job asks for at most this part of the machine.
    pub largest_share: f64,
    /// The mean gap between submissions in seconds, instead of the one that gives `load`.
    pub gap_secs: Option<f64>,
}

impl Poisson {
    /// The machine that is assumed where none is known.
    pub const PROCS: u32 = 4_096;

    /// A machine of `procs` processors of which 85 % are asked for, by jobs of up to an eighth of it.
    pub const fn on(procs: u32) -> Poisson {
        Poisson { procs, load: 0.85, largest_share: 0.125, gap_secs: None }
    }

    /// The largest size is 2 to this power.
    fn largest_power(&self) -> u32 {
        let most = f64::from(self.procs) * self.largest_share.clamp(0.0, 1.0);
        (most as u32).max(1).ilog2()
    }

    /// The mean number of processors of a job.
    pub fn mean_size(&self) -> f64 {
        let powers = self.largest_power() + 1;
        ((1u64 << powers) - 1) as f64 / f64::from(powers)
    }

    /// The mean runtime of a job in seconds.
    pub fn mean_runtime_secs() -> f64 {
        let below = |z: f64| 0.5 * (1.0 + libm::erf(z / std::f64::consts::SQRT_2));
        let (median, sigma, most) = (RUNTIME_MEDIAN_SECS, RUNTIME_SIGMA, RUNTIME_MAX_SECS);
        let z = libm::log(most / median) / sigma;
        median * libm::exp(sigma * sigma / 2.0) * below(z - sigma) + most * (1.0 - below(z))
    }

    /// The mean gap between submissions in seconds: the chosen one, else the one that gives the load.
    pub fn mean_gap_secs(&self) -> f64 {
        let asked = self.mean_size() * Self::mean_runtime_secs();
        let machine = f64::from(self.procs.max(1)) * self.load.max(f64::MIN_POSITIVE);
        self.gap_secs.unwrap_or(asked / machine)
    }

    /// The first `jobs` jobs with this `seed`, numbered from 1. Processors may be anywhere ([`Shape::Tasks`]).
    pub fn jobs(&self, jobs: u32, seed: u64) -> Vec<Job> {
        let mut chance = stream(seed, "workload poisson");
        let mut names = Names::default();
        let (gap, powers) = (self.mean_gap_secs(), self.largest_power());
        let mut submit = 0.0;
        (1..=u64::from(jobs))
            .map(|id| {
                submit += exponential(&mut chance, gap);
                job(JobId(id), SimTime::ZERO + seconds(submit), powers, &mut chance, &mut names)
            })
            .collect()
    }
}

fn job(id: JobId, submit: SimTime, powers: u32, chance: &mut Stream, names: &mut Names) -> Job {
    let tasks = 1 << chance.random_range(0..=powers);
    let runtime = RUNTIME_MEDIAN_SECS * libm::exp(RUNTIME_SIGMA * normal(chance));
    let runtime = runtime.min(RUNTIME_MAX_SECS);
    let padding = 1.0 + (PADDING_MAX - 1.0) * uniform(chance);
    let user = chance.random_range(0..USERS);
    let limit: SimDuration = seconds(whole_minutes(runtime * padding));
    let spec = JobSpec {
        user: names.get(&format!("u{:02}", user + 1)),
        account: names.get(&format!("a{}", user % ACCOUNTS + 1)),
        ..JobSpec::new(id, submit, limit, Shape::Tasks { tasks, per_task: Resources::cpus(1) })
    };
    Job { spec: Arc::new(spec), truth: Truth::new(seconds(runtime)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use switchyard_model::Oracle;

    /// What the jobs ask for, as a part of the machine while they arrive.
    fn load(poisson: &Poisson, jobs: &[Job]) -> f64 {
        let oracle = Oracle::new();
        let asked: f64 = jobs
            .iter()
            .map(|job| f64::from(job.spec.shape.total().cpus) * oracle.runtime(&job.truth).as_secs_f64())
            .sum();
        let span = jobs.last().map_or(0.0, |job| job.spec.submit.as_secs_f64());
        asked / (f64::from(poisson.procs) * span)
    }

    #[test]
    fn the_machine_is_asked_for_as_much_as_wished() {
        for (procs, wished) in [(4_096, 0.85), (256, 0.5), (100, 1.2)] {
            let poisson = Poisson { load: wished, ..Poisson::on(procs) };
            let found = load(&poisson, &poisson.jobs(60_000, 3));
            assert!((found / wished - 1.0).abs() < 0.03, "load {found}, not {wished}");
        }
    }

    /// By hand: an eighth of 100 is 12, so sizes are 1, 2, 4, 8 with mean 3.75; and an uncapped lognormal has the mean
    /// 900 exp(1.125) = 2772.2 s, of which the cap of 96 medians takes a little.
    #[test]
    fn the_formulas_by_hand() {
        let poisson = Poisson::on(100);
        assert!((poisson.mean_size() - 3.75).abs() < 1e-12);
        let mean = Poisson::mean_runtime_secs();
        assert!((2_600.0..2_772.0).contains(&mean), "{mean}");
        let gap = Poisson { load: 0.5, ..poisson }.mean_gap_secs();
        assert!((gap - 3.75 * mean / 50.0).abs() < 1e-9);
        let chosen = Poisson { gap_secs: Some(7.0), ..poisson };
        assert!((chosen.mean_gap_secs() - 7.0).abs() < 1e-12);
    }

    #[test]
    fn sizes_are_powers_of_two_up_to_the_share_and_all_occur() {
        let mut sizes: Vec<u32> =
            Poisson::on(100).jobs(1_000, 1).iter().map(|job| job.spec.shape.total().cpus).collect();
        sizes.sort_unstable();
        sizes.dedup();
        assert_eq!(sizes, [1, 2, 4, 8]);
        let whole = Poisson { largest_share: 9.0, ..Poisson::on(u32::MAX) };
        assert!(whole.jobs(50, 1).iter().all(|job| job.spec.shape.total().cpus.is_power_of_two()));
        let tiny = Poisson::on(1).jobs(50, 1);
        assert!(tiny.iter().all(|job| job.spec.shape.total().cpus == 1));
    }

    #[test]
    fn limits_are_whole_minutes_and_never_too_short() {
        let oracle = Oracle::new();
        for job in Poisson::on(64).jobs(2_000, 9) {
            assert_eq!(job.spec.limit.as_micros() % 60_000_000, 0);
            assert!(job.spec.limit >= oracle.runtime(&job.truth));
        }
    }

    #[test]
    fn nonsense_makes_a_strange_workload_but_no_panic() {
        for load in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            for largest_share in [0.0, -3.0, f64::NAN] {
                let jobs = Poisson { load, largest_share, ..Poisson::on(0) }.jobs(10, 1);
                assert_eq!(jobs.len(), 10);
            }
        }
    }
}
