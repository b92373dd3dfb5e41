//! Gives each waiting job its rank, and remembers what that takes.

use std::collections::BTreeMap;
use std::sync::Arc;

use switchyard_model::{JobId, SimTime};

use super::multifactor::Factors;
use super::score::{changes_with_time, score};
use super::{Charge, Order};
use crate::{Cluster, Pending, Running, Usage};

/// What a running job will be charged for.
#[derive(Clone, Debug)]
struct Meter {
    account: Arc<str>,
    cpus: u32,
    since: SimTime,
}

/// The order of a policy at work.
#[derive(Clone, Debug)]
pub(crate) struct Ranker {
    order: Order,
    usage: Usage,
    factors: Factors,
    meters: BTreeMap<JobId, Meter>,
}

impl Ranker {
    pub(crate) fn new(order: &Order) -> Ranker {
        let half_life = match order {
            Order::Multifactor(multifactor) => multifactor.half_life,
            _ => Default::default(),
        };
        Ranker {
            order: order.clone(),
            usage: Usage::new(half_life),
            factors: Factors::default(),
            meters: BTreeMap::new(),
        }
    }

    pub(crate) const fn order(&self) -> &Order {
        &self.order
    }

    /// What each account has used.
    pub(crate) const fn usage(&self) -> &Usage {
        &self.usage
    }

    /// The running jobs it knew are of another cluster.
    pub(crate) fn forget(&mut self) {
        self.meters.clear();
    }

    /// Adds to what an account has used.
    pub(crate) fn charge(&mut self, account: &Arc<str>, cpu_seconds: f64, now: SimTime) {
        self.usage.charge(account, cpu_seconds, now);
    }

    pub(crate) fn started(&mut self, job: &Running) {
        if matches!(&self.order, Order::Multifactor(multifactor) if multifactor.charge == Charge::AtEnd) {
            let cpus = job.placement.total().cpus;
            let meter = Meter { account: Arc::clone(&job.spec.account), cpus, since: job.start };
            self.meters.insert(job.spec.id, meter);
        }
    }

    pub(crate) fn ended(&mut self, job: JobId, now: SimTime) {
        if let Some(Meter { account, cpus, since }) = self.meters.remove(&job) {
            self.usage.charge(&account, f64::from(cpus) * now.since(since).as_secs_f64(), now);
        }
    }

    /// The first rank of a job that arrives.
    pub(crate) fn arrived(&mut self, cluster: &Cluster, job: &Pending, now: SimTime) -> f64 {
        if matches!(self.order, Order::Multifactor(_)) {
            self.usage.know(&job.spec.account);
        }
        self.rank(cluster, job, now)
    }

    /// Gets ready for a pass. Whether all ranks have to be taken anew.
    pub(crate) fn begin_pass(&mut self, cluster: &Cluster, _now: SimTime) -> bool {
        match &self.order {
            Order::Multifactor(multifactor) => {
                self.factors = Factors::new(multifactor, &self.usage, cluster);
                true
            }
            order => changes_with_time(order),
        }
    }

    /// When ranks change of themselves.
    pub(crate) const fn wake_at(&self, _cluster: &Cluster, _now: SimTime) -> Option<SimTime> {
        None
    }

    /// The rank of a job now, lowest first.
    pub(crate) fn rank(&self, _cluster: &Cluster, job: &Pending, now: SimTime) -> f64 {
        match &self.order {
            Order::Multifactor(multifactor) => -multifactor.priority(job, &self.factors, now),
            order => score(order, job, now).unwrap_or_default(),
        }
    }
}
