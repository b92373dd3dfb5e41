//! What becomes of a job that would run longer than it asked for.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use switchyard_model::{Job, JobSpec, Oracle, Outcome, PerMille, SimDuration};

/// Rules for jobs whose true runtime exceeds their limit; programs differ in this, and their figures with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Overrun {
    /// The job is stopped at its limit.
    #[default]
    Kill,
    /// The job runs to its end, and the scheduler plans with that from the start: the limit becomes the runtime.
    Extend,
    /// As the simulator pyss has it: the scheduler plans with the longer one, and the job is stopped at its limit all the
    /// same. A runtime of 0 becomes 1 s.
    Both,
}

/// A job as this replay runs it.
#[derive(Clone, Debug)]
pub(super) struct Planned {
    pub(super) spec: Arc<JobSpec>,
    pub(super) runtime: SimDuration,
    pub(super) outcome: Outcome,
}

impl Planned {
    /// The job starts over, but keeps a part of what it has done.
    pub(super) fn keep(&mut self, done: SimDuration, part: PerMille) {
        let kept = done.as_secs_f64() * part.as_factor();
        self.runtime = self.runtime - SimDuration::from_secs_f64(kept).unwrap_or_default();
    }
}

impl Overrun {
    pub(super) fn plan(self, job: &Job) -> Planned {
        let truth = Oracle::new().runtime(&job.truth);
        let truth = match self {
            Overrun::Both if truth.is_zero() => SimDuration::from_secs(1),
            _ => truth,
        };
        let asked = job.spec.limit;
        let whole = if Oracle::new().fails(&job.truth) { Outcome::Failed } else { Outcome::Completed };
        if truth <= asked {
            return Planned { spec: Arc::clone(&job.spec), runtime: truth, outcome: whole };
        }
        let longer = || Arc::new(JobSpec { limit: truth, ..JobSpec::clone(&job.spec) });
        match self {
            Overrun::Kill => {
                Planned { spec: Arc::clone(&job.spec), runtime: asked, outcome: Outcome::TimeLimit }
            }
            Overrun::Extend => Planned { spec: longer(), runtime: truth, outcome: whole },
            Overrun::Both => Planned { spec: longer(), runtime: asked, outcome: Outcome::TimeLimit },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use switchyard_model::{JobId, PerMille, Resources, Shape, SimTime, Terms, Truth};

    fn planned(rule: Overrun, limit: u64, runtime: u64) -> (u64, u64, Outcome) {
        let spec = JobSpec {
            id: JobId(1),
            user: "u".into(),
            account: "a".into(),
            submit: SimTime::ZERO,
            limit: SimDuration::from_secs(limit),
            shape: Shape::Tasks { tasks: 1, per_task: Resources::cpus(1) },
            qos: PerMille(0),
            terms: Terms::default(),
        };
        let job = Job { spec: Arc::new(spec), truth: Truth::new(SimDuration::from_secs(runtime)) };
        let planned = rule.plan(&job);
        (planned.spec.limit.as_micros() / 1_000_000, planned.runtime.as_micros() / 1_000_000, planned.outcome)
    }

    #[test]
    fn each_rule_plans_and_ends_in_its_own_way() {
        assert_eq!(planned(Overrun::Kill, 10, 15), (10, 10, Outcome::TimeLimit));
        assert_eq!(planned(Overrun::Extend, 10, 15), (15, 15, Outcome::Completed));
        assert_eq!(planned(Overrun::Both, 10, 15), (15, 10, Outcome::TimeLimit));
        assert_eq!(planned(Overrun::Kill, 10, 0), (10, 0, Outcome::Completed));
        assert_eq!(planned(Overrun::Both, 10, 0), (10, 1, Outcome::Completed));
        assert_eq!(planned(Overrun::Both, 10, 10), (10, 10, Outcome::Completed));
    }
}
