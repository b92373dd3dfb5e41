//! The Lublin-Feitelson model of a supercomputer's workload: sizes, runtimes and a daily cycle of arrivals that follow logs of
//! three machines.
//!
//! Source: Lublin and Feitelson, "The Workload on Parallel Supercomputers: Modeling the Characteristics of Rigid Jobs", Journal of
//! Parallel and Distributed Computing 63 (2003), and the constants of their program. For each job:
//!
//! | what | how it is drawn |
//! |---|---|
//! | size | one number u: a serial job if u is at most the probability of one; else 2 to the power of a two-stage uniform number, rounded to a whole power if u is at most that of a power of two more |
//! | runtime | e to the power of a hyper-gamma number of at most 12, of which the first gamma is the likelier the smaller the job |
//! | arrival | e to the power of a gamma number of at most 13 is the work of the arrival process; it passes half-hours by their weights, which follow a gamma distribution over the day |
//!
//! Batch and interactive jobs are two streams of their own constants; without types, all jobs are one stream. The day begins at
//! midnight. The model has no time limits and no users.
//!
//! The published constants are for a machine of 128 processors. For another one, the upper and the middle size move by the
//! difference of the logarithms.

use std::sync::Arc;

use switchyard_model::{Job, JobId, JobSpec, Resources, Shape, SimDuration, SimTime, Stream, Truth, stream};

use super::draw::{gamma, gamma_cdf, uniform};
use crate::limits::LEAST_LIMIT;

/// e to the power of more is no runtime.
const RUNTIME_LOG_MAX: f64 = 12.0;
/// e to the power of more is no gap: 5 days.
const ARRIVAL_LOG_MAX: f64 = 13.0;
const HALF_HOURS: usize = 48;
const HALF_HOUR_SECS: f64 = 1_800.0;
/// The half-hour at which the day's cycle of arrivals begins.
const CYCLE_BEGINS: usize = 11;
/// log2 of the machine that the constants are for.
const POWERS: f64 = 7.0;

/// Which of the model's jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LublinJobs {
    /// Batch and interactive ones, as they come.
    Both,
    /// Batch jobs alone.
    Batch,
    /// Interactive jobs alone.
    Interactive,
    /// Jobs without a type.
    Typeless,
}

/// The constants of one kind of jobs.
#[derive(Clone, Copy, Debug)]
struct Constants {
    name: &'static str,
    serial: f64,
    power_of_two: f64,
    /// log2 of sizes: low, middle, high, and the probability of the lower stage.
    low: f64,
    middle: f64,
    high: f64,
    lower: f64,
    /// Shape and scale of the two gammas of the logarithm of the runtime.
    first: (f64, f64),
    second: (f64, f64),
    /// The probability of the first: slope over the size, and intercept.
    slope: f64,
    intercept: f64,
    /// Shape and scale of the logarithm of the work between arrivals.
    arrival: (f64, f64),
    /// Shape and scale of the distribution of arrivals over the day, in half-hours.
    day: (f64, f64),
    /// What the shape of `arrival` is multiplied by.
    rush: f64,
}

const BATCH: Constants = Constants {
    name: "batch",
    serial: 0.2927,
    power_of_two: 0.6686,
    low: 1.2,
    middle: 5.0,
    high: 7.0,
    lower: 0.875,
    first: (6.57, 0.823),
    second: (639.1, 0.0156),
    slope: -0.003,
    intercept: 0.6986,
    arrival: (6.0415, 0.8531),
    day: (6.1271, 5.2740),
    rush: 1.0519,
};

const INTERACTIVE: Constants = Constants {
    name: "interactive",
    serial: 0.1541,
    power_of_two: 0.625,
    low: 1.0,
    middle: 3.0,
    high: 5.5,
    lower: 0.705,
    first: (3.8351, 0.6605),
    second: (7.073, 0.6856),
    slope: -0.0118,
    intercept: 0.9156,
    arrival: (6.5510, 0.6621),
    day: (8.9186, 3.6680),
    rush: 0.9797,
};

const TYPELESS: Constants = Constants {
    name: "any",
    serial: 0.244,
    power_of_two: 0.576,
    low: 0.8,
    middle: 4.5,
    high: 7.0,
    lower: 0.86,
    first: (4.2, 0.94),
    second: (312.0, 0.03),
    slope: -0.0054,
    intercept: 0.78,
    arrival: (10.2303, 0.4871),
    day: (8.1737, 3.9631),
    rush: 1.0225,
};

/// The machine that the constants are for.
pub(super) const LUBLIN_PROCS: u32 = 128;

/// The first `jobs` jobs of the model with this `seed` on a machine of `procs` processors, numbered from 1. Their account says
/// whether they are `batch` or `interactive`; a job's limit is its runtime, at least 1 s.
pub fn lublin(which: LublinJobs, jobs: u32, seed: u64, procs: u32) -> Vec<Job> {
    let kinds: &[Constants] = match which {
        LublinJobs::Both => &[BATCH, INTERACTIVE],
        LublinJobs::Batch => &[BATCH],
        LublinJobs::Interactive => &[INTERACTIVE],
        LublinJobs::Typeless => &[TYPELESS],
    };
    let mut sources: Vec<Source> = kinds.iter().map(|kind| Source::new(*kind, seed, procs)).collect();
    let mut made = Vec::new();
    for id in 1..=u64::from(jobs) {
        // The earlier one; batch among equals.
        let next = sources.iter_mut().min_by(|a, b| a.arrives_at.total_cmp(&b.arrives_at));
        made.extend(next.map(|source| source.job(JobId(id))));
    }
    made
}

/// A stream of jobs of one kind.
struct Source {
    constants: Constants,
    name: Arc<str>,
    procs: u32,
    chance: Stream,
    /// The weight of each half-hour of the day; 1 in the mean.
    weights: [f64; HALF_HOURS],
    half_hour: usize,
    /// What is left of the arrival process's work, and the part of the half-hour that has passed.
    points: f64,
    passed: f64,
    /// In seconds.
    arrives_at: f64,
}

impl Source {
    fn new(constants: Constants, seed: u64, procs: u32) -> Source {
        let mut source = Source {
            name: constants.name.into(),
            procs: procs.max(1),
            chance: stream(seed, &format!("workload lublin {}", constants.name)),
            weights: weights(constants.day),
            constants: constants.on(procs),
            half_hour: 0,
            points: 0.0,
            passed: 0.0,
            arrives_at: 0.0,
        };
        source.advance();
        source
    }

    /// The job that arrives now; the next one is drawn.
    fn job(&mut self, id: JobId) -> Job {
        let submit = SimTime::from_secs(self.arrives_at as u64);
        let size = self.size();
        let runtime = SimDuration::from_secs(self.runtime_secs(size));
        let shape = Shape::Tasks { tasks: size, per_task: Resources::cpus(1) };
        let spec = JobSpec {
            user: Arc::clone(&self.name),
            account: Arc::clone(&self.name),
            ..JobSpec::new(id, submit, runtime.max(LEAST_LIMIT), shape)
        };
        self.advance();
        Job { spec: Arc::new(spec), truth: Truth::new(runtime) }
    }

    fn size(&mut self) -> u32 {
        let Constants { serial, power_of_two, low, middle, high, lower, .. } = self.constants;
        let kind = uniform(&mut self.chance);
        if kind <= serial {
            return 1;
        }
        let (from, to) = if uniform(&mut self.chance) <= lower { (low, middle) } else { (middle, high) };
        let power = from + uniform(&mut self.chance) * (to - from);
        let power = if kind <= serial + power_of_two { libm::rint(power) } else { power };
        (libm::rint(libm::exp2(power)) as u32).clamp(1, self.procs)
    }

    fn runtime_secs(&mut self, size: u32) -> u64 {
        let Constants { first, second, slope, intercept, .. } = self.constants;
        let probability = (slope * f64::from(size) + intercept).clamp(0.0, 1.0);
        loop {
            let (shape, scale) = if uniform(&mut self.chance) <= probability { first } else { second };
            let power = gamma(&mut self.chance, shape, scale);
            if power <= RUNTIME_LOG_MAX {
                return libm::exp(power) as u64;
            }
        }
    }

    /// To the next arrival.
    fn advance(&mut self) {
        let (shape, scale) = self.constants.arrival;
        let power = loop {
            let power = gamma(&mut self.chance, shape * self.constants.rush, scale);
            if power <= ARRIVAL_LOG_MAX {
                break power;
            }
        };
        self.points += libm::exp(power) / HALF_HOUR_SECS;
        let mut half_hours = 0.0;
        while self.points > self.weight() {
            self.points -= self.weight();
            self.half_hour = (self.half_hour + 1) % HALF_HOURS;
            half_hours += 1.0;
        }
        let passed = self.points / self.weight();
        self.arrives_at += HALF_HOUR_SECS * (half_hours + passed - self.passed);
        self.passed = passed;
    }

    fn weight(&self) -> f64 {
        self.weights.get(self.half_hour).copied().unwrap_or(1.0)
    }
}

impl Constants {
    /// For a machine of so many processors.
    fn on(self, procs: u32) -> Constants {
        let more = libm::log2(f64::from(procs.max(1))) - POWERS;
        let high = (self.high + more).max(0.0);
        let middle = (self.middle + more).clamp(0.0, high);
        Constants { high, middle, low: self.low.min(middle), ..self }
    }
}

/// How many jobs arrive in each half-hour of the day, relative to the mean.
fn weights((shape, scale): (f64, f64)) -> [f64; HALF_HOURS] {
    let mut weights = [0.0; HALF_HOURS];
    for index in CYCLE_BEGINS..CYCLE_BEGINS + HALF_HOURS {
        let (from, to) = (index as f64 - 0.5, index as f64 + 0.5);
        if let Some(weight) = weights.get_mut((index - 1) % HALF_HOURS) {
            *weight = gamma_cdf(to, shape, scale) - gamma_cdf(from, shape, scale);
        }
    }
    let mean = weights.iter().sum::<f64>() / HALF_HOURS as f64;
    weights.map(|weight| weight / mean)
}

#[cfg(test)]
mod tests {
    use super::*;
    use switchyard_model::Oracle;

    fn sizes(jobs: &[Job]) -> Vec<u32> {
        jobs.iter().map(|job| job.spec.shape.total().cpus).collect()
    }

    fn share(some: usize, all: usize) -> f64 {
        some as f64 / all as f64
    }

    #[test]
    fn sizes_follow_the_published_probabilities() {
        for (which, constants) in [
            (LublinJobs::Batch, BATCH),
            (LublinJobs::Interactive, INTERACTIVE),
            (LublinJobs::Typeless, TYPELESS),
        ] {
            let jobs = lublin(which, 40_000, 3, LUBLIN_PROCS);
            let sizes = sizes(&jobs);
            let serial = share(sizes.iter().filter(|&&size| size == 1).count(), sizes.len());
            // A power below 0.5 gives 1 too: only without types can the low end of 0.8 do that, and it is rounded to 1 at least.
            assert!((serial - constants.serial).abs() < 0.01, "{which:?} {serial}");
            let powers = share(sizes.iter().filter(|size| size.is_power_of_two()).count(), sizes.len());
            let least = constants.serial + constants.power_of_two;
            assert!(powers > least - 0.01 && powers < least + 0.15, "{which:?} {powers}");
            let largest = sizes.iter().copied().max().unwrap_or(0);
            assert!(
                largest <= LUBLIN_PROCS && f64::from(largest) > 0.8 * libm::exp2(constants.high),
                "{largest}"
            );
        }
        let large = sizes(&lublin(LublinJobs::Typeless, 20_000, 3, 1_024));
        assert_eq!(large.iter().max(), Some(&1_024));
    }

    /// The mean of the logarithm of a runtime of at least 1 s is that of the two gammas, shape x scale each, cut at 12.
    #[test]
    fn runtimes_follow_the_gammas() {
        let oracle = Oracle::new();
        let jobs = lublin(LublinJobs::Batch, 60_000, 1, LUBLIN_PROCS);
        let secs = |job: &Job| oracle.runtime(&job.truth).as_micros() / 1_000_000;
        assert!(jobs.iter().all(|job| secs(job) <= 162_754)); // e^12
        let serial: Vec<f64> = jobs
            .iter()
            .filter(|job| job.spec.shape.total().cpus == 1)
            .map(|job| secs(job) as f64 + 0.5)
            .collect();
        let mean = serial.iter().map(|secs| libm::log(*secs)).sum::<f64>() / serial.len() as f64;
        let p = BATCH.slope + BATCH.intercept;
        let expected = p * 6.57 * 0.823 + (1.0 - p) * 639.1 * 0.0156;
        assert!((mean - expected).abs() < 0.1, "{mean} {expected}");
    }

    #[test]
    fn arrivals_follow_the_day() {
        let jobs = lublin(LublinJobs::Typeless, 60_000, 7, LUBLIN_PROCS);
        let mut hours = [0u32; 24];
        for job in &jobs {
            hours[(job.spec.submit.as_micros() / 3_600_000_000 % 24) as usize] += 1;
        }
        let weights = weights(TYPELESS.day);
        for (hour, &found) in hours.iter().enumerate() {
            let expected = (weights[2 * hour] + weights[2 * hour + 1]) / 48.0 * 60_000.0;
            assert!(
                (f64::from(found) - expected).abs() < 0.15 * expected + 60.0,
                "{hour}: {found} {expected}"
            );
        }
        assert!((weights.iter().sum::<f64>() - 48.0).abs() < 1e-9);
    }

    #[test]
    fn batch_and_interactive_jobs_are_mixed_by_their_arrivals() {
        let both = lublin(LublinJobs::Both, 10_000, 5, 256);
        let alone = lublin(LublinJobs::Batch, 10_000, 5, 256);
        assert!(both.windows(2).all(|pair| pair[0].spec.submit <= pair[1].spec.submit));
        let batch: Vec<_> = both.iter().filter(|job| &*job.spec.account == "batch").collect();
        assert!(batch.len() > 1_000 && batch.len() < 9_000, "{}", batch.len());
        for (one, other) in batch.iter().zip(&alone) {
            assert_eq!((one.spec.submit, one.spec.shape), (other.spec.submit, other.spec.shape));
        }
    }

    #[test]
    fn tiny_machines_get_tiny_jobs() {
        for procs in [1, 2, 3] {
            assert!(sizes(&lublin(LublinJobs::Both, 500, 1, procs)).iter().all(|&size| size <= procs));
        }
    }
}
