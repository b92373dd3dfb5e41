//! What speaks for a job: each factor of its priority, weighted.

use std::sync::Arc;

use switchyard_model::{Destination, JobSpec, Partition, Resources, Shape, SimDuration, SimTime, Site};

use super::{Multifactor, SizeRule};
use crate::Pending;

/// Why a job has the priority that it has (Slurm: `sprio`).
///
/// Each part is weight times factor, as it was when the priority was last calculated.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PriorityBreakdown {
    /// The priority: the sum of the parts less `nice`, rounded as the policy says.
    pub priority: f64,
    /// What comes before the priority: jobs of a partition with a higher tier go first.
    pub tier: u16,
    /// When it was calculated.
    pub as_of: SimTime,
    /// For waiting.
    pub age: f64,
    /// For having used less than one's share.
    pub fairshare: f64,
    /// For its size.
    pub job_size: f64,
    /// For its partition.
    pub partition: f64,
    /// For its quality of service.
    pub qos: f64,
    /// For what it asks for of single resources.
    pub tres: f64,
    /// What its user took off.
    pub nice: i32,
}

/// What a site says about priorities, and what factors are relative to.
#[derive(Clone, Debug, Default)]
pub(super) struct Scale {
    site: Arc<Site>,
    /// Whether it has looked at the site.
    known: bool,
    largest_partition: u16,
    highest_qos: u32,
    tiered: bool,
}

impl Scale {
    /// Whether this is about another site than before.
    pub(super) fn look_at(&mut self, site: &Arc<Site>) -> bool {
        if self.known && Arc::ptr_eq(&self.site, site) {
            return false;
        }
        self.largest_partition = site.partitions.iter().map(|one| one.job_factor).max().unwrap_or(1);
        self.highest_qos = site.qos.iter().map(|one| one.priority).max().unwrap_or(0);
        self.tiered = site.partitions.iter().any(|one| one.tier != 1);
        (self.site, self.known) = (Arc::clone(site), true);
        true
    }

    pub(super) fn site(&self) -> &Site {
        &self.site
    }

    /// The tier of a job's partition.
    pub(super) fn tier(&self, job: &JobSpec) -> u16 {
        if !self.tiered {
            return 1;
        }
        self.partition_of(job).map_or(1, |partition| partition.tier)
    }

    fn partition_of(&self, job: &JobSpec) -> Option<&Partition> {
        match self.site.destination(&job.terms) {
            Destination::Partition(place) => self.site.partitions.get(place),
            Destination::Anywhere | Destination::Unknown => None,
        }
    }

    /// Without partitions all nodes are one, and it is the largest.
    fn partition(&self, job: &JobSpec) -> f64 {
        if self.site.partitions.is_empty() {
            return 1.0;
        }
        let factor = self.partition_of(job).map_or(0, |partition| partition.job_factor);
        part(factor.into(), self.largest_partition.into())
    }

    fn qos(&self, job: &JobSpec) -> f64 {
        let listed = || {
            let name = job.terms.qos.as_ref()?;
            self.site.qos.iter().find(|one| one.name == *name)
        };
        match listed() {
            Some(qos) => part(qos.priority.into(), self.highest_qos.into()),
            None => job.qos.as_factor(),
        }
    }
}

/// What the fleet has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Whole {
    pub(super) nodes: u32,
    pub(super) capacity: Resources,
}

impl Multifactor {
    /// The priority of a job at `now`.
    pub(super) fn breakdown(
        &self,
        job: &Pending,
        scale: &Scale,
        fairshare: f64,
        whole: Whole,
        now: SimTime,
    ) -> PriorityBreakdown {
        let (weights, spec) = (&self.weights, &job.spec);
        let weigh = |weight: u32, factor: f64| f64::from(weight) * factor;
        let mut parts = PriorityBreakdown {
            priority: 0.0,
            tier: scale.tier(spec),
            as_of: now,
            age: weigh(weights.age, self.age(job, now)),
            fairshare: weigh(weights.fairshare, fairshare),
            job_size: weigh(weights.job_size, self.job_size(job, whole)),
            partition: weigh(weights.partition, scale.partition(spec)),
            qos: weigh(weights.qos, scale.qos(spec)),
            tres: self.tres(&job.request.total, &whole.capacity),
            nice: spec.terms.nice,
        };
        let sum = parts.age + parts.fairshare + parts.job_size + parts.partition + parts.qos + parts.tres;
        parts.priority = self.rounded(sum - f64::from(parts.nice));
        parts
    }

    fn rounded(&self, priority: f64) -> f64 {
        if self.integer { libm::floor(priority).clamp(1.0, f64::from(u32::MAX)) } else { priority }
    }

    fn age(&self, job: &Pending, now: SimTime) -> f64 {
        if self.max_age.is_zero() {
            return 1.0;
        }
        (now.since(job.eligible()).as_secs_f64() / self.max_age.as_secs_f64()).min(1.0)
    }

    fn job_size(&self, job: &Pending, whole: Whole) -> f64 {
        let nodes = match job.request.shape {
            Shape::Nodes { nodes, .. } => nodes,
            Shape::Tasks { .. } => 1,
        };
        let cpus = part(job.request.total.cpus.into(), whole.capacity.cpus.into());
        let nodes = part(nodes.into(), whole.nodes.into());
        let small = self.favour_small;
        match self.size {
            SizeRule::Cpus if small => 1.0 - cpus,
            SizeRule::Cpus => cpus,
            SizeRule::NodesAndCpus if small => f64::midpoint(1.0 - nodes, 1.0 - cpus),
            SizeRule::NodesAndCpus => f64::midpoint(nodes, cpus),
            SizeRule::RelativeToTime => {
                let size = nodes.max(cpus) / minutes(job.spec.limit);
                if small { 1.0 - size } else { size }
            }
        }
    }

    fn tres(&self, asked: &Resources, whole: &Resources) -> f64 {
        let weights = &self.weights.tres;
        f64::from(weights.cpus) * part(asked.cpus.into(), whole.cpus.into())
            + f64::from(weights.gpus) * part(asked.gpus.into(), whole.gpus.into())
            + f64::from(weights.memory) * part(asked.memory_mib, whole.memory_mib)
    }
}

/// `amount` as a part of `whole`, at most all of it; nothing of nothing.
fn part(amount: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { (amount as f64 / whole as f64).min(1.0) }
}

/// Whole minutes, rounded up, at least one.
fn minutes(limit: SimDuration) -> f64 {
    limit.as_micros().div_ceil(60_000_000).max(1) as f64
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::float_cmp)] // exact, by hand
    use super::*;
    use crate::{Cluster, TresWeights, Weights};
    use switchyard_model::{FleetSpec, JobId, PerMille, Qos};

    const GIB: u64 = 1024;

    fn waiting(spec: JobSpec) -> Pending {
        let node = Resources { cpus: 8, gpus: 2, memory_mib: 64 * GIB };
        let fleet = Arc::new(FleetSpec::uniform("lab", 16, node).build().unwrap());
        let mut cluster = Cluster::new(fleet);
        let id = spec.id;
        cluster.submit(Arc::new(spec), SimTime::from_secs(100)).unwrap();
        cluster.pending_job(id).unwrap().clone()
    }

    /// Four of the 16 nodes with half of their CPUs and all of their GPUs, for 90 s, at half the best quality of service.
    fn four_nodes() -> JobSpec {
        let per_node = Resources { cpus: 4, gpus: 2, memory_mib: 16 * GIB };
        let shape = Shape::Nodes { nodes: 4, per_node };
        let spec = JobSpec::new(JobId(1), SimTime::from_secs(100), SimDuration::from_secs(90), shape);
        JobSpec { qos: PerMille(500), ..spec }
    }

    fn breakdown(multifactor: &Multifactor, spec: JobSpec, site: Site, now: u64) -> PriorityBreakdown {
        let mut scale = Scale::default();
        scale.look_at(&Arc::new(site));
        let capacity = Resources { cpus: 128, gpus: 32, memory_mib: 16 * 64 * GIB };
        let whole = Whole { nodes: 16, capacity };
        multifactor.breakdown(&waiting(spec), &scale, 0.5, whole, SimTime::from_secs(now))
    }

    fn thousand_each() -> Multifactor {
        let tres = TresWeights { cpus: 1_000, gpus: 2_000, memory: 4_000 };
        let weights =
            Weights { age: 1_000, fairshare: 1_000, job_size: 1_000, partition: 1_000, qos: 1_000, tres };
        Multifactor { weights, max_age: SimDuration::from_secs(1_000), ..Multifactor::slurm() }
    }

    #[test]
    fn every_factor_counts_what_it_should() {
        let parts = breakdown(&thousand_each(), four_nodes(), Site::default(), 350);
        let expected = PriorityBreakdown {
            // 250 + 500 + 187 + 1000 + 500 + 125 + 500 + 250, and a half that is dropped.
            priority: 3312.0,
            tier: 1,
            as_of: SimTime::from_secs(350),
            age: 250.0,
            fairshare: 500.0,
            job_size: 1_000.0 * (4.0 / 16.0 + 16.0 / 128.0) / 2.0,
            partition: 1_000.0,
            qos: 500.0,
            tres: 125.0 + 2_000.0 * 8.0 / 32.0 + 4_000.0 * 64.0 / 1024.0,
            nice: 0,
        };
        assert_eq!(parts, expected);
    }

    #[test]
    fn each_rule_measures_size_in_its_own_way() {
        let size = |size, favour_small| {
            let rules = Multifactor { size, favour_small, ..thousand_each() };
            breakdown(&rules, four_nodes(), Site::default(), 350).job_size
        };
        assert_eq!((size(SizeRule::Cpus, false), size(SizeRule::Cpus, true)), (125.0, 875.0));
        assert_eq!((size(SizeRule::NodesAndCpus, false), size(SizeRule::NodesAndCpus, true)), (187.5, 812.5));
        // A quarter of the nodes, for two minutes.
        assert_eq!(
            (size(SizeRule::RelativeToTime, false), size(SizeRule::RelativeToTime, true)),
            (125.0, 875.0)
        );
    }

    #[test]
    fn age_counts_from_when_the_job_could_have_started() {
        let age = |begin, now| {
            let mut spec = four_nodes();
            spec.terms.begin = SimTime::from_secs(begin);
            breakdown(&thousand_each(), spec, Site::default(), now).age
        };
        assert_eq!((age(0, 350), age(300, 350), age(400, 350), age(0, 5_000)), (250.0, 50.0, 0.0, 1_000.0));
    }

    #[test]
    fn the_site_knows_partitions_and_qualities_of_service() {
        let mut debug = Partition::new("debug", None);
        (debug.job_factor, debug.tier) = (20, 3);
        let mut batch = Partition::new("batch", None);
        (batch.job_factor, batch.default) = (5, true);
        let qos = |name: &str, priority| Qos { name: name.into(), priority, ..Qos::default() };
        let site = Site {
            partitions: vec![debug, batch],
            qos: vec![qos("low", 10), qos("high", 40)],
            ..Site::default()
        };
        let of = |partition: Option<&str>, qos: Option<&str>| {
            let mut spec = four_nodes();
            spec.terms.partition = partition.map(Into::into);
            spec.terms.qos = qos.map(Into::into);
            let parts = breakdown(&thousand_each(), spec, site.clone(), 350);
            (parts.tier, parts.partition, parts.qos)
        };
        assert_eq!(of(None, None), (1, 250.0, 500.0));
        assert_eq!(of(Some("debug"), Some("low")), (3, 1_000.0, 250.0));
        assert_eq!(of(Some("batch"), Some("high")), (1, 250.0, 1_000.0));
        assert_eq!(of(Some("none"), Some("none")), (1, 0.0, 500.0));
    }

    #[test]
    fn whole_priorities_are_rounded_down_and_stay_in_range() {
        let priority = |integer, nice| {
            let mut spec = four_nodes();
            spec.terms.nice = nice;
            breakdown(&Multifactor { integer, ..thousand_each() }, spec, Site::default(), 350).priority
        };
        assert_eq!((priority(true, 0), priority(false, 0)), (3_312.0, 3_312.5));
        assert_eq!((priority(true, 312), priority(false, -1)), (3_000.0, 3_313.5));
        assert_eq!((priority(true, 5_000), priority(false, 5_000)), (1.0, -1_687.5));
        let weights = Weights { fairshare: u32::MAX, age: u32::MAX, qos: u32::MAX, ..Weights::default() };
        let most = Multifactor { weights, ..thousand_each() };
        assert_eq!(breakdown(&most, four_nodes(), Site::default(), 9_999).priority, 4_294_967_295.0);
    }
}
