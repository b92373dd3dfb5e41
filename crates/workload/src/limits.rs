//! Time limits by a rule instead of by the trace: what would users who know more, or less, have asked for?
//!
//! A rule needs the true runtimes, and this is the only place outside a driver that opens them. It may: it makes the input of
//! a run, as the users do, before any policy sees a job.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use switchyard_model::{Job, Oracle, SimDuration, Stream, stream};
use thiserror::Error;

use crate::generate::draw::uniform;
use crate::generate::mersenne::PythonRandom;
use crate::workload::Workload;

const MINUTE: SimDuration = SimDuration::from_secs(60);
/// The shortest limit that stands in for none: a limit of nothing would be a mistake.
pub(crate) const LEAST_LIMIT: SimDuration = SimDuration::from_secs(1);

/// Where time limits come from. Written and read as `as-given`, `exact`, `padded:F`, `synthetic:SEED` or
/// `f:F:SEED`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum LimitModel {
    /// From the trace or the generator.
    #[default]
    AsGiven,
    /// Perfect users: the runtime, up to a whole minute as `sbatch` counts, and at least one.
    Exact,
    /// Cautious users: the runtime times a factor, up to a whole minute, and at least one.
    Padded {
        /// The factor, from 1.
        factor: f64,
    },
    /// The users of slurm-scheduler-lab: each job in its turn draws a factor from a normal distribution around 3 with standard
    /// deviation 1, but not below 1.05, by Python's `random.Random(seed).gauss`; up to a whole minute, and at least one.
    Synthetic {
        /// The seed of the draws.
        seed: u64,
    },
    /// The f-model (Mu'alem and Feitelson, "Utilization, Predictability, Workloads, and User Runtime Estimates in Scheduling
    /// the IBM SP2 with Backfilling", 2001): uniform between the runtime r and (f + 1) r, not rounded, at least 1 s. Each job
    /// in its turn draws one number.
    F {
        /// How far estimates are off, from 0.
        f: f64,
        /// The seed of the draws.
        seed: u64,
    },
}

/// Nobody calls a limit model that.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LimitModelError {
    /// No such model.
    #[error(
        "there is no limit model \"{found}\"; choose one of exact, padded:F, synthetic:SEED, f:F:SEED, as-given"
    )]
    Unknown {
        /// What stood there.
        found: String,
    },
    /// Not a factor.
    #[error("padded:F multiplies runtimes by a number F from 1, as in padded:3; found \"{found}\"")]
    Factor {
        /// What stood there.
        found: String,
    },
    /// Not a seed.
    #[error("synthetic:SEED draws factors with a SEED, a whole number, as in synthetic:5; found \"{found}\"")]
    Synthetic {
        /// What stood there.
        found: String,
    },
    /// Not the two numbers of the f-model.
    #[error(
        "f:F:SEED draws limits from r to (F + 1) r, F a number from 0 and SEED a whole number, as in f:3:1; found \"{found}\""
    )]
    F {
        /// What stood there.
        found: String,
    },
}

impl LimitModel {
    /// Gives each job of the workload the limit that this model says.
    pub fn apply(&self, workload: &mut Workload) {
        let mut chance = match self {
            LimitModel::AsGiven => return,
            LimitModel::Exact | LimitModel::Padded { .. } => Chance::None,
            LimitModel::Synthetic { seed } => Chance::Python(Box::new(PythonRandom::new(*seed))),
            LimitModel::F { seed, .. } => Chance::Own(Box::new(stream(*seed, "limits f"))),
        };
        let oracle = Oracle::new();
        for job in &mut workload.jobs {
            let limit = self.limit(job, oracle.runtime(&job.truth), &mut chance);
            if limit != job.spec.limit {
                Arc::make_mut(&mut job.spec).limit = limit;
            }
        }
    }

    fn limit(&self, job: &Job, runtime: SimDuration, chance: &mut Chance) -> SimDuration {
        match self {
            LimitModel::AsGiven => job.spec.limit,
            LimitModel::Exact => exact_limit(runtime),
            LimitModel::Padded { factor } => padded(runtime, *factor),
            LimitModel::Synthetic { .. } => padded(runtime, chance.factor()),
            LimitModel::F { f, .. } => {
                let more = runtime.as_secs_f64() * f * chance.uniform();
                (runtime + SimDuration::from_secs_f64(more).unwrap_or(SimDuration::MAX)).max(LEAST_LIMIT)
            }
        }
    }
}

/// What a rule draws from.
enum Chance {
    None,
    Own(Box<Stream>),
    Python(Box<PythonRandom>),
}

impl Chance {
    /// In [0, 1).
    fn uniform(&mut self) -> f64 {
        if let Chance::Own(stream) = self { uniform(stream) } else { 0.0 }
    }

    /// How much longer the next user of slurm-scheduler-lab asks for.
    fn factor(&mut self) -> f64 {
        if let Chance::Python(random) = self { random.gauss(3.0, 1.0).max(1.05) } else { 1.0 }
    }
}

fn padded(runtime: SimDuration, factor: f64) -> SimDuration {
    let padded = whole_minutes(runtime.as_secs_f64() * factor);
    SimDuration::from_secs_f64(padded).unwrap_or(SimDuration::MAX).max(MINUTE)
}

/// Up to a whole minute.
pub(crate) fn whole_minutes(secs: f64) -> f64 {
    libm::ceil(secs / 60.0) * 60.0
}

/// The runtime up to a whole minute, and at least one.
pub(crate) fn exact_limit(runtime: SimDuration) -> SimDuration {
    let minutes = runtime.as_micros().div_ceil(MINUTE.as_micros());
    MINUTE.saturating_mul(minutes.max(1))
}

impl FromStr for LimitModel {
    type Err = LimitModelError;

    fn from_str(text: &str) -> Result<Self, LimitModelError> {
        let found = || text.to_owned();
        let from = |least: f64, text: &str| {
            text.parse().ok().filter(|number: &f64| number.is_finite() && *number >= least)
        };
        let parts: Vec<&str> = text.split(':').collect();
        match parts[..] {
            ["as-given"] => Ok(LimitModel::AsGiven),
            ["exact"] => Ok(LimitModel::Exact),
            ["padded", factor] => {
                let factor = from(1.0, factor).ok_or_else(|| LimitModelError::Factor { found: found() })?;
                Ok(LimitModel::Padded { factor })
            }
            ["padded", ..] => Err(LimitModelError::Factor { found: found() }),
            ["synthetic", seed] => match seed.parse() {
                Ok(seed) => Ok(LimitModel::Synthetic { seed }),
                Err(_) => Err(LimitModelError::Synthetic { found: found() }),
            },
            ["synthetic", ..] => Err(LimitModelError::Synthetic { found: found() }),
            ["f", f, seed] => match (from(0.0, f), seed.parse().ok()) {
                (Some(f), Some(seed)) => Ok(LimitModel::F { f, seed }),
                _ => Err(LimitModelError::F { found: found() }),
            },
            ["f", ..] => Err(LimitModelError::F { found: found() }),
            _ => Err(LimitModelError::Unknown { found: found() }),
        }
    }
}

impl fmt::Display for LimitModel {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LimitModel::AsGiven => out.write_str("as-given"),
            LimitModel::Exact => out.write_str("exact"),
            LimitModel::Padded { factor } => write!(out, "padded:{factor}"),
            LimitModel::Synthetic { seed } => write!(out, "synthetic:{seed}"),
            LimitModel::F { f, seed } => write!(out, "f:{f}:{seed}"),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;
    use switchyard_model::{JobId, JobSpec, Resources, Shape, SimTime, Truth};

    /// Jobs with these runtimes in milliseconds, and limits of 7 s.
    fn jobs(runtimes: &[u64]) -> Workload {
        let shape = Shape::Tasks { tasks: 1, per_task: Resources::cpus(1) };
        let job = |(id, &millis): (u64, &u64)| Job {
            spec: Arc::new(JobSpec::new(JobId(id), SimTime::ZERO, SimDuration::from_secs(7), shape)),
            truth: Truth::new(SimDuration::from_millis(millis)),
        };
        Workload::new("limits", (0..).zip(runtimes).map(job).collect())
    }

    fn limits(model: &str, runtimes: &[u64]) -> Vec<f64> {
        let mut workload = jobs(runtimes);
        model.parse::<LimitModel>().unwrap().apply(&mut workload);
        workload.jobs.iter().map(|job| job.spec.limit.as_secs_f64()).collect()
    }

    #[test]
    fn by_hand() {
        let runtimes = [0, 1, 60_000, 60_001, 90_000];
        assert_eq!(limits("as-given", &runtimes), [7.0; 5]);
        assert_eq!(limits("exact", &runtimes), [60.0, 60.0, 60.0, 120.0, 120.0]);
        assert_eq!(limits("padded:1", &runtimes), limits("exact", &runtimes));
        assert_eq!(limits("padded:3", &runtimes), [60.0, 60.0, 180.0, 240.0, 300.0]);
        assert_eq!(limits("padded:1.5", &runtimes), [60.0, 60.0, 120.0, 120.0, 180.0]);
        assert_eq!(limits("f:0:1", &runtimes), [1.0, 1.0, 60.0, 60.001, 90.0]);
    }

    #[test]
    fn the_f_model_is_uniform_above_the_runtime_and_has_a_stream_of_its_own() {
        let drawn = limits("f:3:1", &[100_000; 20_000]);
        assert!(drawn.iter().all(|limit| (100.0..=400.0).contains(limit)));
        let mean = drawn.iter().sum::<f64>() / 20_000.0;
        assert!((mean - 250.0).abs() < 3.0, "{mean}");
        let low = drawn.iter().filter(|&&limit| limit < 175.0).count();
        assert!((4_800..5_200).contains(&low), "{low}");
        assert_ne!(drawn, limits("f:3:2", &[100_000; 20_000]));
        // The same draws for another f, and for other jobs in front: only the runtime scales them.
        let other = limits("f:6:1", &[50_000; 20_000]);
        assert!(drawn.iter().zip(&other).all(|(a, b)| ((a - 100.0) - (b - 50.0)).abs() < 1e-5));
    }

    /// Python: `r = random.Random(0); [max(1.05, r.gauss(3, 1)) for _ in range(3)]` gives 3.9417, 1.6034, 2.3203.
    #[test]
    fn the_labs_users_draw_pythons_factors() {
        assert_eq!(limits("synthetic:0", &[1_000_000; 3]), [3960.0, 1620.0, 2340.0]);
        assert!(limits("synthetic:1", &[1_000_000; 2_000]).iter().all(|limit| *limit >= 1_080.0));
    }

    #[test]
    fn absurd_runtimes_get_the_longest_limit() {
        let longest = SimDuration::MAX.as_secs_f64();
        for model in ["exact", "padded:1e30", "f:1e30:1"] {
            assert!(limits(model, &[u64::MAX])[0] >= longest * 0.999, "{model}");
        }
    }

    #[test]
    fn what_is_no_model_gets_a_sentence() {
        let said = |text: &str| text.parse::<LimitModel>().unwrap_err().to_string();
        assert_eq!(
            said("perfect"),
            "there is no limit model \"perfect\"; choose one of exact, padded:F, synthetic:SEED, f:F:SEED, as-given"
        );
        for text in ["padded", "padded:0.9", "padded:nan", "padded:inf", "padded:1:2", "padded:"] {
            assert!(said(text).starts_with("padded:F multiplies"), "{text}");
        }
        for text in ["synthetic", "synthetic:x", "synthetic:-1", "synthetic:1:2"] {
            assert!(said(text).starts_with("synthetic:SEED draws"), "{text}");
        }
        for text in ["f", "f:3", "f:-1:3", "f:3:x", "f:3:-1", "f:1:2:3"] {
            assert!(said(text).starts_with("f:F:SEED draws"), "{text}");
        }
        for text in ["", "exact:1", "as-given:2", "Exact"] {
            assert!(said(text).starts_with("there is no limit model"), "{text}");
        }
    }

    proptest! {
        #[test]
        fn limits_are_never_shorter_than_the_job(
            runtimes in proptest::collection::vec(0u64..100_000_000, 1..40), factor in 1.0f64..50.0, seed: u64,
        ) {
            let drawn = [LimitModel::Synthetic { seed }, LimitModel::F { f: factor, seed }];
            for model in [LimitModel::Exact, LimitModel::Padded { factor }].into_iter().chain(drawn) {
                prop_assert_eq!(model.to_string().parse::<LimitModel>().unwrap(), model);
                let mut workload = jobs(&runtimes);
                model.apply(&mut workload);
                for (job, millis) in workload.jobs.iter().zip(&runtimes) {
                    prop_assert!(job.spec.limit >= SimDuration::from_millis(*millis).max(LEAST_LIMIT));
                }
            }
        }
    }
}
