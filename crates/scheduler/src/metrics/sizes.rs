//! Whether large jobs wait longer than small ones.

use switchyard_model::{Fleet, JobSpec};

use super::amounts::Resource;
use super::attempts::{Attempts, queue_time};
use super::specs::Specs;
use super::statistics::TimeStats;

/// What makes a job large. Jobs of size 0 are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SizeOf {
    /// Its GPUs; large is what the largest node has.
    Gpus,
    /// Its CPUs; large is what the largest node has.
    Cpus,
    /// Its nodes or tasks; large are 8.
    Parts,
}

impl SizeOf {
    /// GPUs where there are any.
    pub const fn natural(fleet: &Fleet) -> SizeOf {
        if fleet.has_gpus() { SizeOf::Gpus } else { SizeOf::Cpus }
    }

    /// What it is called in exports.
    pub const fn name(self) -> &'static str {
        match self {
            SizeOf::Gpus => "gpus",
            SizeOf::Cpus => "cpus",
            SizeOf::Parts => "parts",
        }
    }

    /// The size of a job.
    pub fn size(self, job: &JobSpec) -> u64 {
        match self {
            SizeOf::Gpus => Resource::Gpus.amount(&job.shape.total()),
            SizeOf::Cpus => Resource::Cpus.amount(&job.shape.total()),
            SizeOf::Parts => job.shape.parts().0.into(),
        }
    }

    fn large(self, fleet: &Fleet) -> u64 {
        let most =
            |resource: Resource| fleet.nodes().iter().map(|node| resource.amount(&node.capacity)).max();
        match self {
            SizeOf::Gpus => most(Resource::Gpus).unwrap_or(0),
            SizeOf::Cpus => most(Resource::Cpus).unwrap_or(0),
            SizeOf::Parts => 8,
        }
    }
}

/// The jobs of about one size.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bucket {
    /// The smallest size in it.
    pub from: u64,
    /// The largest; `None` is open.
    pub to: Option<u64>,
    /// Its jobs.
    pub jobs: u64,
    /// See [`QUEUE_TIME`](super::definition::QUEUE_TIME); over those that started, which `count` says. Jobs that never started
    /// are not in it, so that a starved size can look good: compare with `jobs`.
    pub queue_time: TimeStats,
}

/// Waits by size.
#[derive(Clone, Debug, PartialEq)]
pub struct Sizes {
    /// What makes a job large here.
    pub of: SizeOf,
    /// From this size a job is large.
    pub large: u64,
    /// Sizes 1, 2, 3-4, 5-8, 9-16, 17 and more.
    pub buckets: [Bucket; 6],
    /// See [`SIZE_WAIT_RHO`](super::definition::SIZE_WAIT_RHO); `None` where sizes or waits don't differ.
    pub rho: Option<f64>,
    /// See [`STARVATION`](super::definition::STARVATION); `None` without both kinds of jobs, or where those of size 1 never wait.
    pub starvation: Option<f64>,
}

const BUCKETS: [(u64, Option<u64>); 6] =
    [(1, Some(1)), (2, Some(2)), (3, Some(4)), (5, Some(8)), (9, Some(16)), (17, None)];

impl Sizes {
    pub(super) fn of(attempts: &Attempts<'_>, fleet: &Fleet, specs: &Specs<'_>, of: SizeOf) -> Sizes {
        let large = of.large(fleet);
        let waited = attempts.by_job().filter_map(|attempts| {
            let job = specs.get(attempts.first()?.job)?;
            Some((of.size(job), queue_time(attempts))).filter(|(size, _)| *size > 0)
        });
        let waited: Vec<_> = waited.collect();
        let of_sizes = |from: u64, to: Option<u64>| {
            let inside = |size: u64| size >= from && to.is_none_or(|to| size <= to);
            TimeStats::of(waited.iter().filter(|(size, _)| inside(*size)).map(|(_, wait)| *wait))
        };
        let buckets = BUCKETS.map(|(from, to)| {
            let inside = |job: &&JobSpec| of.size(job) >= from && to.is_none_or(|to| of.size(job) <= to);
            let jobs = specs.all().filter(inside).count() as u64;
            Bucket { from, to, jobs, queue_time: of_sizes(from, to) }
        });
        let (small, big) = (of_sizes(1, Some(1)), of_sizes(large.max(1), None));
        let starved = big.count > 0 && small.mean_secs > 0.0;
        let (sizes, waits): (Vec<u64>, Vec<u64>) =
            waited.iter().map(|(size, wait)| (*size, wait.as_micros())).unzip();
        let starvation = starved.then(|| big.mean_secs / small.mean_secs);
        Sizes { of, large, buckets, rho: spearman(&sizes, &waits), starvation }
    }
}

/// Spearman's rank correlation: Pearson's of the ranks, where equal values share their mean rank. `None` when there are
/// fewer than two pairs, or when all values of one side are equal.
fn spearman(xs: &[u64], ys: &[u64]) -> Option<f64> {
    let (xs, ys) = (centred_ranks(xs), centred_ranks(ys));
    let dot = |a: &[i64], b: &[i64]| -> i128 {
        a.iter().zip(b).map(|(a, b)| i128::from(*a) * i128::from(*b)).sum()
    };
    let (covariance, of_xs, of_ys) = (dot(&xs, &ys), dot(&xs, &xs), dot(&ys, &ys));
    (of_xs > 0 && of_ys > 0).then(|| covariance as f64 / ((of_xs as f64).sqrt() * (of_ys as f64).sqrt()))
}

/// Twice the rank of each value minus its mean over all: an integer, so that the sums are exact.
fn centred_ranks(values: &[u64]) -> Vec<i64> {
    let mut order: Vec<(u64, usize)> = values.iter().copied().zip(0..).collect();
    order.sort_unstable();
    let mut ranks = vec![0; values.len()];
    let (mut before, count) = (0i64, values.len() as i64);
    for equal in order.chunk_by(|a, b| a.0 == b.0) {
        let after = before + equal.len() as i64;
        for &(_, place) in equal {
            if let Some(rank) = ranks.get_mut(place) {
                *rank = before + 1 + after - (count + 1);
            }
        }
        before = after;
    }
    ranks
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::testing::{fleet, job, near, span};
    use super::*;

    /// By hand, with ties: x ranks 1, 2.5, 2.5, 4 and y ranks 2, 1, 3.5, 3.5. Deviations from 2.5 multiply to
    /// 0.75 + 0 + 0 + 1.5 = 2.25; both have squares of 4.5.
    #[test]
    fn ties_share_their_mean_rank() {
        near(spearman(&[1, 5, 5, 9], &[20, 10, 30, 30]).unwrap(), 2.25 / 4.5);
        near(spearman(&[1, 2, 3], &[10, 20, 40]).unwrap(), 1.0);
        near(spearman(&[1, 2, 3], &[9, 8, 7]).unwrap(), -1.0);
        assert_eq!(spearman(&[1, 1, 1], &[9, 8, 7]), None);
        assert_eq!(spearman(&[1], &[9]), None);
    }

    /// Nodes of 8 GPUs: jobs of 1, 1, 2, 8 and 16 GPUs wait 10, 30, 5, 60 and 100 s; another one of 16 and one of CPUs only
    /// never start.
    #[test]
    fn large_jobs_that_wait_longer_are_starved() {
        let fleet = fleet(&[(4, 8, 4)], 0);
        let shape = [(1, 1, 1), (2, 1, 1), (3, 1, 2), (4, 1, 8), (5, 2, 8), (6, 2, 8), (7, 1, 0)];
        let jobs: Vec<_> =
            shape.iter().map(|&(id, nodes, gpus)| job(id, "a", 0, 9, 9, nodes, gpus)).collect();
        let waits = [(1, 10), (2, 30), (3, 5), (4, 60), (5, 100)];
        let spans: Vec<_> = waits.iter().map(|&(id, wait)| span(id, 0, wait, 200, &[])).collect();
        let sizes = Sizes::of(&Attempts::of(&spans), &fleet, &Specs::of(&jobs), SizeOf::natural(&fleet));
        let counts = sizes.buckets.map(|bucket| (bucket.jobs, bucket.queue_time.count));
        assert_eq!(counts, [(2, 2), (1, 1), (0, 0), (1, 1), (2, 1), (0, 0)]);
        assert_eq!(sizes.large, 8);
        near(sizes.starvation.unwrap(), 80.0 / 20.0);
        near(sizes.buckets[0].queue_time.mean_secs, 20.0);
    }
}
