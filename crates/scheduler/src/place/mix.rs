//! What the jobs of the moment ask for, and how many GPUs of a node are of no use to them: F(n) of the fragmentation
//! gradient.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use switchyard_model::{JobId, JobSpec, Resources};

/// The most frequent shapes count until they make up this part of all, in percent.
const TYPICAL_PERCENT: u64 = 95;
/// At most so many shapes count, so that a motley queue doesn't cost more.
const TYPICAL_MAX: usize = 64;

/// What one node or task of a job needs, as far as fragmentation looks at it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Want {
    gpus: u32,
    cpus: u32,
    /// Empty means any.
    models: Vec<Arc<str>>,
}

/// The shapes of all parts of the jobs that wait and run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mix {
    live: BTreeMap<JobId, (Want, u64)>,
    counts: BTreeMap<Want, u64>,
    /// The typical ones, with the numbers of their parts.
    typical: Vec<(Want, u64)>,
    stale: bool,
}

impl Mix {
    /// A job is alive with this request, or no longer alive.
    pub(crate) fn set(&mut self, job: JobId, spec: Option<&JobSpec>) {
        let now = spec.map(|spec| {
            let (parts, each) = spec.shape.parts();
            let models = spec.terms.gpu_models.clone();
            (Want { gpus: each.gpus, cpus: each.cpus, models }, u64::from(parts))
        });
        let before = match &now {
            Some(now) => self.live.insert(job, now.clone()),
            None => self.live.remove(&job),
        };
        if before == now {
            return;
        }
        self.stale = true;
        if let Some((want, parts)) = before
            && let Some(count) = self.counts.get_mut(&want)
        {
            *count = count.saturating_sub(parts);
            if *count == 0 {
                self.counts.remove(&want);
            }
        }
        if let Some((want, parts)) = now {
            *self.counts.entry(want).or_default() += parts;
        }
    }

    /// Finds out anew what is typical, if anything changed.
    pub(crate) fn refresh(&mut self) {
        if !std::mem::take(&mut self.stale) {
            return;
        }
        let all: u64 = self.counts.values().sum();
        let mut shapes: Vec<(&Want, u64)> = self.counts.iter().map(|(want, &count)| (want, count)).collect();
        // Stable: by shape where they are equally frequent.
        shapes.sort_by_key(|(_, count)| Reverse(*count));
        let mut counted = 0;
        let typical = shapes.into_iter().take(TYPICAL_MAX).take_while(|(_, count)| {
            let wanted = u128::from(counted) * 100 < u128::from(all) * u128::from(TYPICAL_PERCENT);
            counted += count;
            wanted
        });
        self.typical = typical.map(|(want, count)| (want.clone(), count)).collect();
    }

    /// F of a node that has this free, times the number of typical parts.
    pub(crate) fn useless(&self, free: &Resources, model: Option<&Arc<str>>) -> i64 {
        if free.gpus == 0 {
            return 0;
        }
        let of_no_use = |want: &Want| {
            let other_model =
                !want.models.is_empty() && model.is_none_or(|model| !want.models.contains(model));
            want.gpus == 0 || want.gpus > free.gpus || want.cpus > free.cpus || other_model
        };
        let parts: u64 =
            self.typical.iter().filter(|(want, _)| of_no_use(want)).map(|(_, count)| count).sum();
        i64::try_from(parts).unwrap_or(i64::MAX).saturating_mul(free.gpus.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use switchyard_model::{Shape, SimDuration, SimTime};

    const fn amount(cpus: u32, gpus: u32) -> Resources {
        Resources { cpus, gpus, memory_mib: 0 }
    }

    fn spec(tasks: u32, cpus: u32, gpus: u32) -> JobSpec {
        let shape = Shape::Tasks { tasks, per_task: amount(cpus, gpus) };
        JobSpec::new(JobId(0), SimTime::ZERO, SimDuration::ZERO, shape)
    }

    /// 6 parts of 1 GPU, 3 of 8 GPUs, 1 without: of 4 free GPUs and 2 CPUs, 4 are useless to the last four.
    #[test]
    fn free_gpus_are_useless_to_those_whom_they_do_not_fit() {
        let mut mix = Mix::default();
        mix.set(JobId(1), Some(&spec(6, 1, 1)));
        mix.set(JobId(2), Some(&spec(3, 4, 8)));
        mix.set(JobId(3), Some(&spec(1, 1, 0)));
        mix.refresh();
        assert_eq!(mix.useless(&amount(2, 4), None), 4 * 4);
        assert_eq!(mix.useless(&amount(0, 4), None), 10 * 4);
        assert_eq!(mix.useless(&amount(3, 8), None), 4 * 8);
        assert_eq!(mix.useless(&amount(4, 8), None), 8);
        assert_eq!(mix.useless(&amount(8, 0), None), 0);
        mix.set(JobId(2), None);
        mix.refresh();
        assert_eq!(mix.useless(&amount(2, 4), None), 4);
    }

    #[test]
    fn rare_shapes_do_not_count() {
        let mut mix = Mix::default();
        mix.set(JobId(1), Some(&spec(95, 1, 1)));
        mix.set(JobId(2), Some(&spec(5, 1, 8)));
        mix.refresh();
        assert_eq!(mix.useless(&amount(9, 1), None), 0);
        mix.set(JobId(3), Some(&spec(1, 1, 8)));
        mix.refresh();
        assert_eq!(mix.useless(&amount(9, 1), None), 6);
    }

    #[test]
    fn gpus_of_another_model_are_useless() {
        let mut mix = Mix::default();
        let mut picky = spec(1, 1, 1);
        picky.terms.gpu_models = vec!["H100".into()];
        mix.set(JobId(1), Some(&picky));
        mix.refresh();
        assert_eq!(mix.useless(&amount(1, 1), Some(&"H100".into())), 0);
        assert_eq!(mix.useless(&amount(1, 1), Some(&"A100".into())), 1);
        assert_eq!(mix.useless(&amount(1, 1), None), 1);
    }
}
