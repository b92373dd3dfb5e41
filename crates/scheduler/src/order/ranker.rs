//! Gives each waiting job its rank, and remembers what that takes.

use std::collections::BTreeMap;

use switchyard_model::{JobId, JobSpec, SimDuration, SimTime};

use super::accounting::Accounting;
use super::factors::{Scale, Whole};
use super::score::{changes_with_time, score};
use super::{Multifactor, Order, PriorityBreakdown};
use crate::ranking::Rank;
use crate::{Cluster, Pending, Running, Start, Usage};

/// The order of a policy at work.
#[derive(Clone, Debug)]
pub(crate) struct Ranker {
    order: Order,
    scale: Scale,
    books: Accounting,
    /// When the jobs that arrived since the last tick got their priority.
    newcomers: BTreeMap<JobId, SimTime>,
    /// There was a tick since the last pass.
    ticked: bool,
}

impl Ranker {
    pub(crate) fn new(order: &Order) -> Ranker {
        let half_life = order.multifactor().map_or(SimDuration::ZERO, |rules| rules.half_life);
        Ranker {
            order: order.clone(),
            scale: Scale::default(),
            books: Accounting::new(half_life),
            newcomers: BTreeMap::new(),
            ticked: false,
        }
    }

    /// What everyone has used.
    pub(crate) const fn usage(&self) -> &Usage {
        self.books.usage()
    }

    /// Orders differently from now on. What everyone has used is kept, as far as the new order looks at that.
    pub(crate) fn set_order(&mut self, order: &Order) {
        if self.order == *order {
            return;
        }
        match (&self.order, order) {
            (Order::Multifactor(_), Order::Multifactor(rules)) => {
                self.books.go_by(rules, self.scale.site());
                self.order = order.clone();
            }
            _ => *self = Ranker::new(order),
        }
    }

    /// Who waits and who runs will be told anew.
    pub(crate) fn forget(&mut self) {
        self.books.forget();
        self.newcomers.clear();
    }

    /// Adds to what the user of a job has used.
    pub(crate) fn charge(&mut self, job: &JobSpec, cpu_seconds: f64, now: SimTime) {
        self.books.charge(&job.account, &job.user, cpu_seconds, now);
    }

    pub(crate) fn started(&mut self, job: &Running) {
        if let Order::Multifactor(rules) = &self.order {
            self.books.anchor(job.submitted);
            self.books.started(rules, job);
        }
    }

    pub(crate) fn ended(&mut self, job: JobId, now: SimTime) {
        self.catch_up_before(now);
        if let Order::Multifactor(rules) = &self.order {
            self.books.ended(rules, job, now);
        }
    }

    /// What the plan wants to start. It is taken at its word until the next pass.
    pub(crate) fn planned(&mut self, cluster: &Cluster, starts: &[Start], now: SimTime) {
        if let Order::Multifactor(rules) = &self.order {
            for start in starts {
                if let Some(job) = cluster.pending_job(start.job) {
                    self.books.expect(rules, job, &start.placement, now);
                }
            }
        }
    }

    /// Looks what has become of what was planned, once it is known who runs.
    pub(crate) fn settle(&mut self, cluster: &Cluster, now: SimTime) {
        for (job, attempt) in self.books.doubtful() {
            let back = cluster.pending_job(job).map(|pending| pending.attempt > attempt);
            if cluster.running_job(job).is_some() {
                continue;
            }
            // It may have started and ended since the last pass.
            if back.unwrap_or_else(|| cluster.outcome(job).is_some()) {
                self.ended(job, now);
            } else {
                self.books.dismiss(job);
            }
        }
    }

    /// The first rank of a job that arrives.
    pub(crate) fn arrived(&mut self, cluster: &Cluster, job: &Pending, now: SimTime) -> Rank {
        self.look_at(cluster);
        self.catch_up_before(now);
        if let Order::Multifactor(rules) = &self.order {
            self.books.anchor(job.submitted);
            self.books.know(&job.spec.account, &job.spec.user);
            if !rules.calc_period.is_zero() {
                self.newcomers.insert(job.spec.id, now);
            }
        }
        self.rank(cluster, job, now)
    }

    /// Gets ready for a pass. Whether all ranks have to be taken anew.
    pub(crate) fn begin_pass(&mut self, cluster: &Cluster, now: SimTime) -> bool {
        self.look_at(cluster);
        let Order::Multifactor(rules) = &self.order else { return changes_with_time(&self.order) };
        if rules.calc_period.is_zero() {
            self.books.tick(rules, now);
            return true;
        }
        if self.books.catch_up(rules, now) {
            self.ticked = true;
            self.newcomers.clear();
        }
        std::mem::take(&mut self.ticked)
    }

    /// When ranks change of themselves.
    pub(crate) fn wake_at(&self, cluster: &Cluster, _now: SimTime) -> Option<SimTime> {
        let rules = self.order.multifactor().filter(|_| cluster.pending().len() > 0)?;
        self.books.next_tick(rules)
    }

    /// The rank of a job now, lowest first.
    pub(crate) fn rank(&self, cluster: &Cluster, job: &Pending, now: SimTime) -> Rank {
        match &self.order {
            Order::Multifactor(rules) => {
                let parts = self.breakdown(rules, cluster, job, now);
                Rank::new(parts.tier, -parts.priority)
            }
            order => Rank::new(job.tier(), score(order, job, now).unwrap_or_default()),
        }
    }

    /// Why a job has the priority that it has, if it has one.
    pub(crate) fn priority_of(
        &self,
        cluster: &Cluster,
        job: &Pending,
        now: SimTime,
    ) -> Option<PriorityBreakdown> {
        Some(self.breakdown(self.order.multifactor()?, cluster, job, now))
    }

    fn breakdown(
        &self,
        rules: &Multifactor,
        cluster: &Cluster,
        job: &Pending,
        now: SimTime,
    ) -> PriorityBreakdown {
        let as_of = match self.books.last_tick() {
            Some(last) if !rules.calc_period.is_zero() => {
                self.newcomers.get(&job.spec.id).copied().unwrap_or(last)
            }
            _ => now,
        };
        let fairshare = self.books.factor(&job.spec.account, &job.spec.user);
        let nodes = u32::try_from(cluster.nodes().len()).unwrap_or(u32::MAX);
        let whole = Whole { nodes, capacity: cluster.capacity() };
        rules.breakdown(job, &self.scale, fairshare, whole, as_of)
    }

    fn look_at(&mut self, cluster: &Cluster) {
        if self.scale.look_at(cluster.site())
            && let Order::Multifactor(rules) = &self.order
        {
            self.books.share_by(rules, cluster.site());
        }
    }

    /// What happens now comes after the ticks that have passed, but before one that is due now.
    fn catch_up_before(&mut self, now: SimTime) {
        let Order::Multifactor(rules) = &self.order else { return };
        if let Some(before) = now.as_micros().checked_sub(1)
            && self.books.catch_up(rules, SimTime::from_micros(before))
        {
            self.ticked = true;
            self.newcomers.clear();
        }
    }
}

impl Order {
    fn multifactor(&self) -> Option<&Multifactor> {
        match self {
            Order::Multifactor(rules) => Some(rules),
            _ => None,
        }
    }
}
