//! Who is charged what and when: the ticks at which usage fades, running jobs are charged and fair shares assessed.

use std::collections::BTreeMap;
use std::sync::Arc;

use switchyard_model::{JobId, JobSpec, Placement, SimDuration, SimTime, Site};

use super::fairshare::assess;
use super::shares::Shares;
use super::{Charge, Multifactor, UsageReset};
use crate::{Pending, Running, Usage};

/// What a running job will be charged for.
#[derive(Clone, Debug)]
struct Meter {
    account: Arc<str>,
    user: Arc<str>,
    cpus: u32,
    start: SimTime,
    /// Until when it has been charged.
    since: SimTime,
    /// Whether the job was there when the cluster was last looked at.
    seen: bool,
}

impl Meter {
    fn cpu_seconds(&self, now: SimTime) -> f64 {
        f64::from(self.cpus) * now.since(self.since).as_secs_f64()
    }
}

/// The books of a multifactor order.
#[derive(Clone, Debug)]
pub(super) struct Accounting {
    usage: Usage,
    shares: Shares,
    meters: BTreeMap<JobId, Meter>,
    /// The jobs that are to start, each with its attempt.
    expected: Vec<(JobId, u32)>,
    /// The first submission that was seen.
    origin: Option<SimTime>,
    last_tick: Option<SimTime>,
    next_reset: Option<SimTime>,
}

impl Accounting {
    pub(super) fn new(half_life: SimDuration) -> Accounting {
        Accounting {
            usage: Usage::new(half_life),
            shares: Shares::new(&BTreeMap::new(), &Site::default()),
            meters: BTreeMap::new(),
            expected: Vec::new(),
            origin: None,
            last_tick: None,
            next_reset: None,
        }
    }

    pub(super) const fn usage(&self) -> &Usage {
        &self.usage
    }

    pub(super) const fn last_tick(&self) -> Option<SimTime> {
        self.last_tick
    }

    /// Who runs will be told anew.
    pub(super) fn forget(&mut self) {
        self.meters.values_mut().for_each(|meter| meter.seen = false);
    }

    /// Goes on by other rules. What everyone has used stays.
    pub(super) fn go_by(&mut self, rules: &Multifactor, site: &Site) {
        self.usage.set_half_life(rules.half_life);
        self.next_reset = None;
        self.share_by(rules, site);
    }

    /// From now on those share who the site says.
    pub(super) fn share_by(&mut self, rules: &Multifactor, site: &Site) {
        self.shares = Shares::new(&rules.shares, site);
        self.assess(rules);
    }

    /// Puts a user on the books.
    pub(super) fn know(&mut self, account: &Arc<str>, user: &Arc<str>) {
        self.usage.know(account, user);
        self.shares.know(account, user);
    }

    pub(super) fn factor(&self, account: &str, user: &str) -> f64 {
        self.shares.factor(account, user)
    }

    /// Someone outside knows what was used.
    pub(super) fn charge(&mut self, account: &Arc<str>, user: &Arc<str>, cpu_seconds: f64, now: SimTime) {
        self.usage.charge(account, user, cpu_seconds, now);
    }

    pub(super) fn started(&mut self, rules: &Multifactor, job: &Running) {
        self.run(rules, &job.spec, &job.placement, job.start);
    }

    /// The job is to start now.
    pub(super) fn expect(&mut self, rules: &Multifactor, job: &Pending, placement: &Placement, now: SimTime) {
        self.run(rules, &job.spec, placement, now);
        self.expected.push((job.spec.id, job.attempt));
    }

    /// The jobs that were to start when the last pass ended, and those that ran before all was told anew and of which
    /// nothing was heard since. Nobody counts on them from now on.
    pub(super) fn doubtful(&mut self) -> Vec<(JobId, u32)> {
        let mut jobs = std::mem::take(&mut self.expected);
        jobs.extend(self.meters.iter().filter(|(_, meter)| !meter.seen).map(|(job, _)| (*job, 0)));
        jobs
    }

    /// The job did not start.
    pub(super) fn dismiss(&mut self, job: JobId) {
        self.meters.remove(&job);
    }

    fn run(&mut self, rules: &Multifactor, job: &JobSpec, placement: &Placement, start: SimTime) {
        if rules.charge == Charge::AtDispatch {
            return;
        }
        if let Some(known) = self.meters.get_mut(&job.id).filter(|meter| meter.start == start) {
            known.seen = true;
            return;
        }
        let (account, user) = (Arc::clone(&job.account), Arc::clone(&job.user));
        let cpus = placement.total().cpus;
        self.meters.insert(job.id, Meter { account, user, cpus, start, since: start, seen: true });
    }

    pub(super) fn ended(&mut self, rules: &Multifactor, job: JobId, now: SimTime) {
        let Some(meter) = self.meters.remove(&job) else { return };
        match rules.charge {
            Charge::AtDispatch => {}
            Charge::AtEnd => self.usage.charge(&meter.account, &meter.user, meter.cpu_seconds(now), now),
            Charge::Periodic => self.read(&meter, now),
        }
    }

    /// Charges what a meter has counted, faded for as long as it took.
    fn read(&mut self, meter: &Meter, now: SimTime) {
        let left = self.usage.left_after(now.since(meter.since));
        self.usage.add(&meter.account, &meter.user, meter.cpu_seconds(now) * left);
    }

    fn assess(&mut self, rules: &Multifactor) {
        self.shares.settle(&self.usage);
        assess(rules.fair_share, &mut self.shares);
    }

    /// The recalculation at `now`.
    pub(super) fn tick(&mut self, rules: &Multifactor, now: SimTime) {
        self.recalculate(rules, now, true);
    }

    /// The recalculation at `now`; without the factors, if nobody is going to see them before the next.
    fn recalculate(&mut self, rules: &Multifactor, now: SimTime, seen: bool) {
        self.reset_if_due(rules, now);
        if seen && rules.trails() {
            self.assess(rules);
        }
        self.usage.fade(now);
        if rules.charge == Charge::Periodic {
            let mut meters = std::mem::take(&mut self.meters);
            for meter in meters.values_mut() {
                self.read(meter, now);
                meter.since = meter.since.max(now);
            }
            self.meters = meters;
        }
        if seen && !rules.trails() {
            self.assess(rules);
        }
        self.last_tick = Some(now);
    }

    fn reset_if_due(&mut self, rules: &Multifactor, now: SimTime) {
        let first = self.last_tick.is_none();
        if self.next_reset.is_some_and(|due| due <= now) || first && rules.usage_reset == UsageReset::Now {
            self.usage.reset();
            self.next_reset = None;
        }
        if self.next_reset.is_none() {
            self.next_reset = rules.usage_reset.next(now, rules.calendar_offset);
        }
    }
}

/// The ticks: a grid of `calc_period` from the first submission.
impl Accounting {
    /// A job was submitted then. The first that is seen is where the grid begins.
    pub(super) fn anchor(&mut self, submitted: SimTime) {
        if self.last_tick.is_none() {
            self.origin = Some(self.origin.map_or(submitted, |origin| origin.min(submitted)));
        }
    }

    pub(super) fn next_tick(&self, rules: &Multifactor) -> Option<SimTime> {
        let period = grid(rules)?;
        match self.last_tick {
            None => self.origin,
            Some(last) => Some(last + period).filter(|next| *next > last),
        }
    }

    /// Makes up for the ticks up to `until` that have passed since the last one. Whether there were any.
    pub(super) fn catch_up(&mut self, rules: &Multifactor, until: SimTime) -> bool {
        let mut idle = 0;
        let mut ticked = false;
        while let Some(next) = self.next_tick(rules).filter(|next| *next <= until) {
            let seen = grid(rules).is_none_or(|period| next + period > until);
            self.recalculate(rules, next, seen);
            ticked = true;
            // When nothing runs, nothing but the time of the last tick changes after the second.
            idle = if self.meters.is_empty() { idle + 1 } else { 0 };
            if idle == 2 {
                self.skip_to(rules, until);
            }
        }
        ticked
    }

    /// As if the last tick had been the last but one up to `until`.
    fn skip_to(&mut self, rules: &Multifactor, until: SimTime) {
        let (Some(last), Some(period)) = (self.last_tick, grid(rules)) else { return };
        let steps = until.since(last).as_micros() / period.as_micros().max(1);
        self.last_tick = Some(last + period.saturating_mul(steps.saturating_sub(1)));
    }
}

/// How far the ticks are apart, if there are any.
fn grid(rules: &Multifactor) -> Option<SimDuration> {
    let period = rules.calc_period;
    (!period.is_zero()).then(|| period.max(Multifactor::SHORTEST_PERIOD))
}
