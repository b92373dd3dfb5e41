//! A generated workload in one word, as people write it: `NAME:JOBS:SEED`, or `NAME:JOBS:SEED:PACE`.

use std::fmt;
use std::str::FromStr;

use switchyard_model::{Job, SimDuration};
use thiserror::Error;

use super::seed_lab::{Limit, lab_jobs};
use super::{
    Generator, JOBS_MAX, K8S_LAB_GAP_SECS, K8S_LAB_LIGHT_GAP_SECS, LublinJobs, Poisson, SEED_LAB_GAP_SECS,
    TooManyJobs, UnknownGenerator, k8s_lab, lublin, seed_lab, yard,
};
use crate::workload::{Recorded, Workload};

/// Which workload to generate. It is written and read as `NAME:JOBS:SEED` or `NAME:JOBS:SEED:PACE`: `seed-lab:4000:0:11.25`,
/// `poisson:1000000:1:95%`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recipe {
    /// The generator.
    pub generator: Generator,
    /// How many jobs.
    pub jobs: u32,
    /// The seed.
    pub seed: u64,
    /// How fast jobs come.
    pub pace: Pace,
}

/// How fast jobs come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pace {
    /// As the generator has it.
    #[default]
    Usual,
    /// With this mean gap between submissions; written in seconds. Not for `yard`, which has two.
    Gap(SimDuration),
    /// So that this part of the machine is asked for, in per cent; written with the sign. Only for `poisson`.
    Load(u32),
}

impl Pace {
    fn gap_secs(self) -> Option<f64> {
        match self {
            Pace::Gap(gap) => Some(gap.as_secs_f64()),
            Pace::Usual | Pace::Load(_) => None,
        }
    }
}

/// Why a text is no recipe.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RecipeError {
    /// Not three or four parts.
    #[error(
        "write NAME:JOBS:SEED, for example seed-lab-v01:300:5, or NAME:JOBS:SEED:GAP with the mean gap between submissions in seconds; found \"{found}\""
    )]
    Parts {
        /// What stood there.
        found: String,
    },
    /// No such generator.
    #[error(transparent)]
    Generator(#[from] UnknownGenerator),
    /// Not a number of jobs.
    #[error("JOBS is a whole number from 1 to 4294967295, as in seed-lab-v01:300:5; found \"{found}\"")]
    Jobs {
        /// What stood there.
        found: String,
    },
    /// Not a seed.
    #[error("SEED is a whole number, as in seed-lab-v01:300:5; found \"{found}\"")]
    Seed {
        /// What stood there.
        found: String,
    },
    /// Neither a length of time nor a share.
    #[error(
        "GAP is the mean gap between submissions in seconds, as in seed-lab:4000:0:11.25, or for poisson the load in per cent, as in poisson:4000:0:95%; found \"{found}\""
    )]
    Pace {
        /// What stood there.
        found: String,
    },
    /// A generator that has no single gap.
    #[error("{generator} has gaps of its own; leave GAP out")]
    NoGap {
        /// The generator.
        generator: Generator,
    },
    /// A generator that knows no machine.
    #[error("{generator} has no load; give the mean gap between submissions in seconds, or choose poisson")]
    NoLoad {
        /// The generator.
        generator: Generator,
    },
}

impl Recipe {
    /// At the generator's own pace.
    pub const fn new(generator: Generator, jobs: u32, seed: u64) -> Recipe {
        Recipe { generator, jobs, seed, pace: Pace::Usual }
    }

    /// The workload, named as the recipe is written.
    ///
    /// `procs` is how many processors the machine has, if that is known: `poisson` asks for a part of it, and takes
    /// [`Poisson::PROCS`] otherwise; the sizes of `lublin` follow it, and are those of 128 processors otherwise. No other
    /// generator looks at it.
    ///
    /// # Errors
    /// When the jobs are more than [`JOBS_MAX`].
    pub fn generate(&self, procs: Option<u32>) -> Result<Workload, TooManyJobs> {
        if self.jobs > JOBS_MAX {
            return Err(TooManyJobs { jobs: self.jobs });
        }
        let usual = self.generator.usual_procs();
        let procs = procs.or(usual).unwrap_or(Poisson::PROCS);
        let jobs = self.draw(procs);
        // The model of Lublin and Feitelson has no limits.
        let limit_assumed = self.generator.lublin().is_some();
        let recorded = Recorded { limit_assumed, ..Recorded::default() };
        Ok(Workload {
            made_for: self.generator.fleet(),
            declared_procs: usual.map(|_| procs),
            history: if limit_assumed { vec![recorded; jobs.len()] } else { Vec::new() },
            ..Workload::new(&self.to_string(), jobs)
        })
    }

    fn draw(&self, procs: u32) -> Vec<Job> {
        let Recipe { jobs, seed, .. } = *self;
        let gap = |usual| self.pace.gap_secs().unwrap_or(usual);
        match self.generator {
            Generator::SeedLab => seed_lab(jobs, seed, gap(SEED_LAB_GAP_SECS)),
            Generator::SeedLabV01 => lab_jobs(jobs, seed, gap(SEED_LAB_GAP_SECS), Limit::AsItComes),
            Generator::K8sLab => k8s_lab(jobs, seed, gap(K8S_LAB_GAP_SECS)),
            Generator::K8sLabLight => k8s_lab(jobs, seed, gap(K8S_LAB_LIGHT_GAP_SECS)),
            Generator::Poisson => {
                let usual = Poisson { gap_secs: self.pace.gap_secs(), ..Poisson::on(procs) };
                let load =
                    if let Pace::Load(percent) = self.pace { f64::from(percent) / 100.0 } else { usual.load };
                Poisson { load, ..usual }.jobs(jobs, seed)
            }
            Generator::Yard => yard(jobs, seed),
            Generator::Lublin
            | Generator::LublinBatch
            | Generator::LublinInteractive
            | Generator::LublinTypeless => {
                let which = self.generator.lublin().unwrap_or(LublinJobs::Both);
                lublin(which, jobs, seed, procs)
            }
        }
    }

    /// What stands behind the third colon.
    fn pace(generator: Generator, text: &str) -> Result<Pace, RecipeError> {
        let wrong = || RecipeError::Pace { found: text.to_owned() };
        if let Some(percent) = text.strip_suffix('%') {
            let percent = percent.parse().ok().filter(|&percent| percent > 0).ok_or_else(wrong)?;
            let known = generator == Generator::Poisson;
            return if known { Ok(Pace::Load(percent)) } else { Err(RecipeError::NoLoad { generator }) };
        }
        let gap = text.parse().ok().and_then(SimDuration::from_secs_f64).ok_or_else(wrong)?;
        let own = generator == Generator::Yard || generator.lublin().is_some();
        if own { Err(RecipeError::NoGap { generator }) } else { Ok(Pace::Gap(gap)) }
    }
}

impl FromStr for Recipe {
    type Err = RecipeError;

    fn from_str(text: &str) -> Result<Self, RecipeError> {
        let parts: Vec<&str> = text.split(':').collect();
        let (name, jobs, seed, pace) = match parts[..] {
            [name, jobs, seed] => (name, jobs, seed, None),
            [name, jobs, seed, pace] => (name, jobs, seed, Some(pace)),
            _ => return Err(RecipeError::Parts { found: text.to_owned() }),
        };
        let generator: Generator = name.parse()?;
        let wrong_jobs = || RecipeError::Jobs { found: jobs.to_owned() };
        Ok(Recipe {
            generator,
            jobs: jobs.parse().ok().filter(|&jobs| jobs > 0).ok_or_else(wrong_jobs)?,
            seed: seed.parse().map_err(|_| RecipeError::Seed { found: seed.to_owned() })?,
            pace: pace.map_or(Ok(Pace::Usual), |pace| Recipe::pace(generator, pace))?,
        })
    }
}

impl fmt::Display for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.generator, self.jobs, self.seed)?;
        match self.pace {
            Pace::Usual => Ok(()),
            Pace::Gap(gap) => write!(f, ":{}", gap.as_secs_f64()),
            Pace::Load(percent) => write!(f, ":{percent}%"),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::fleet_for;

    fn said(text: &str) -> String {
        text.parse::<Recipe>().unwrap_err().to_string()
    }

    #[test]
    fn a_recipe_is_read_as_it_is_written() {
        for text in [
            "seed-lab:4000:0:11.25",
            "seed-lab-v01:300:5",
            "k8s-lab:800:0:0",
            "poisson:9:1:95%",
            "poisson:9:18446744073709551615",
        ] {
            assert_eq!(text.parse::<Recipe>().unwrap().to_string(), text);
        }
        let recipe: Recipe = "seed-lab:4000:0:11.25".parse().unwrap();
        assert_eq!(recipe.pace, Pace::Gap(SimDuration::from_millis(11_250)));
    }

    #[test]
    fn what_is_no_recipe_gets_a_sentence() {
        assert!(said("seed-lab").starts_with("write NAME:JOBS:SEED, for example seed-lab-v01:300:5, or"));
        assert!(said("a:b:c:d:e").ends_with("found \"a:b:c:d:e\""));
        assert_eq!(
            said("lubin:1:1"),
            "there is no generator \"lubin\"; choose one of seed-lab, seed-lab-v01, k8s-lab, k8s-lab-light, poisson, lublin, \
             lublin-batch, lublin-interactive, lublin-typeless, yard"
        );
        assert!(said("yard:0:1").starts_with("JOBS is a whole number from 1"));
        assert!(said("yard:1:-1").ends_with("found \"-1\""));
        for gap in ["-1", "nan", "inf", "1e300", "", "3s", "%", "0%", "-3%"] {
            assert!(said(&format!("seed-lab:1:1:{gap}")).starts_with("GAP is the mean gap"), "{gap}");
        }
        assert_eq!(said("lublin:1:1:90"), "lublin has gaps of its own; leave GAP out");
        assert_eq!(said("yard:1:1:90"), "yard has gaps of its own; leave GAP out");
        assert!(said("seed-lab:1:1:90%").starts_with("seed-lab has no load;"));
    }

    #[test]
    fn every_generator_makes_jobs_in_order_that_fit_the_machine_it_is_made_for() {
        for generator in Generator::ALL {
            let recipe = Recipe::new(generator, 300, 2);
            let workload = recipe.generate(Some(1024)).unwrap();
            assert_eq!(&*workload.name, recipe.to_string());
            assert_eq!(workload.jobs.len(), 300);
            assert!(workload.jobs.windows(2).all(|pair| pair[0].spec.submit <= pair[1].spec.submit));
            let fleet = fleet_for(&workload).build().unwrap();
            for job in &workload.jobs {
                let (parts, each) = job.spec.shape.parts();
                let nodes = fleet.nodes().iter().filter(|node| node.capacity.times(each) > 0).count();
                let room: u32 = fleet.nodes().iter().map(|node| node.capacity.times(each)).sum();
                let whole = matches!(job.spec.shape, switchyard_model::Shape::Nodes { .. });
                let most = if whole { nodes as u32 } else { room };
                assert!(parts <= most, "{generator}: {:?}", job.spec.shape);
            }
            assert_eq!(
                Recipe::new(generator, JOBS_MAX + 1, 0).generate(None).unwrap_err().jobs,
                JOBS_MAX + 1
            );
        }
    }

    #[test]
    fn a_gap_of_nothing_submits_all_jobs_at_once() {
        for name in ["seed-lab", "seed-lab-v01", "k8s-lab", "k8s-lab-light", "poisson"] {
            let workload = format!("{name}:20:1:0").parse::<Recipe>().unwrap().generate(None).unwrap();
            assert!(workload.jobs.iter().all(|job| job.spec.submit.as_micros() == 0), "{name}");
        }
    }

    #[test]
    fn poisson_fits_its_load_to_the_machine() {
        let last = |procs| {
            let workload = Recipe::new(Generator::Poisson, 500, 1).generate(procs).unwrap();
            (workload.declared_procs, workload.jobs.last().unwrap().spec.submit)
        };
        assert_eq!(last(None).0, Some(Poisson::PROCS));
        assert_eq!(last(Some(256)).0, Some(256));
        assert_ne!(last(Some(256)).1, last(Some(128)).1);
        let last_at = |text: &str| {
            let workload = text.parse::<Recipe>().unwrap().generate(Some(256)).unwrap();
            workload.jobs.last().unwrap().spec.submit.as_secs_f64()
        };
        assert_eq!(last_at("poisson:500:1:85%").to_bits(), last_at("poisson:500:1").to_bits());
        assert!((last_at("poisson:500:1:50%") / last_at("poisson:500:1:100%") - 2.0).abs() < 1e-6);
    }
}
