//! The parameters of Slurm's two schedulers, with its defaults.

use serde::{Deserialize, Serialize};
use switchyard_model::SimDuration;

use crate::Order;
use crate::ranking::Key;

/// Slurm's `SchedulerParameters`, as far as they are modelled. Names, units and defaults are Slurm's.
///
/// Meaning and ranges: `slurm.conf(5)`. [`SlurmParams::set`] and [`SlurmParams::parse`] read them as Slurm does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SlurmParams {
    /// A main pass that follows an event looks at this many jobs and one more. Default 100.
    pub default_queue_depth: u32,
    /// Seconds between full main passes, which know no depth. 0: every pass is a full one; -1: no main passes at all, so that
    /// only backfill starts jobs. Default 60.
    pub sched_interval: i32,
    /// How many jobs of one partition a main pass looks at; 0 means all.
    pub partition_job_depth: u32,
    /// Seconds between backfill cycles; -1: no backfill. Default 30.
    pub bf_interval: i32,
    /// How far ahead a cycle plans, in minutes: a job that can't start within gets no reservation. Default 1440.
    pub bf_window: u32,
    /// The grain of reservations, in seconds: they begin and end on multiples of it, rounded outwards. Default 60.
    pub bf_resolution: u32,
    /// How many jobs a cycle tries. Default 500.
    pub bf_max_job_test: u32,
    /// How many jobs a cycle starts; 0 means any number.
    pub bf_max_job_start: u32,
    /// How many jobs of one user a cycle tries; 0 means all. Not looked at where `bf_max_job_assoc` is set.
    pub bf_max_job_user: u32,
    /// How many jobs of one partition a cycle tries; 0 means all.
    pub bf_max_job_part: u32,
    /// How many jobs of one user in one partition a cycle tries; 0 means all.
    pub bf_max_job_user_part: u32,
    /// How many jobs of one user and account a cycle tries; 0 means all.
    pub bf_max_job_assoc: u32,
    /// A job of lower priority than this gets no reservation and blocks nobody.
    pub bf_min_prio_reserve: u32,
    /// Cycles plan licences, too: a job that lacks some gets a reservation that holds them, and nobody behind it takes them before.
    /// Without this, a job that lacks licences now is passed over.
    pub bf_licenses: bool,
    /// Which of several nodes a plan takes; no parameter of Slurm's.
    pub plan_on: PlanOn,
}

/// Which of the nodes that would do a plan takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanOn {
    /// Those that `select/cons_tres` names when the cycle asks it when and where a job will run, with all that follows from the way in
    /// which Slurm asks. Jobs go to the nodes that it would choose, too, unless the policy has another placement than first fit:
    /// see [`PlacementRule::Consecutive`](crate::PlacementRule::Consecutive).
    WillRun,
    /// Those that become free first, and of these the lowest numbers, at the earliest time that there is.
    #[default]
    FirstFree,
    /// The lowest numbers, at the earliest time that there is: the seed lab.
    Lowest,
}

impl PlanOn {
    /// The name of this parameter, which no `slurm.conf` knows.
    pub const KEY: &'static str = "plan_on";

    /// All, by name.
    pub const ALL: [(&'static str, PlanOn); 3] =
        [("will_run", PlanOn::WillRun), ("first_free", PlanOn::FirstFree), ("lowest", PlanOn::Lowest)];
}

impl Default for SlurmParams {
    fn default() -> Self {
        SlurmParams {
            default_queue_depth: 100,
            sched_interval: 60,
            partition_job_depth: 0,
            bf_interval: 30,
            bf_window: 1440,
            bf_resolution: 60,
            bf_max_job_test: 500,
            bf_max_job_start: 0,
            bf_max_job_user: 0,
            bf_max_job_part: 0,
            bf_max_job_user_part: 0,
            bf_max_job_assoc: 0,
            bf_min_prio_reserve: 0,
            bf_licenses: false,
            plan_on: PlanOn::FirstFree,
        }
    }
}

impl SlurmParams {
    /// Whether there are backfill cycles.
    pub const fn has_backfill(&self) -> bool {
        self.bf_interval > 0
    }

    /// Whether there are main passes.
    pub(crate) const fn has_main_passes(&self) -> bool {
        self.sched_interval >= 0
    }

    /// Whether this job gets a reservation and blocks others. Only a multifactor priority is a priority in Slurm's sense.
    pub(super) fn reserves(&self, order: &Order, key: Key) -> bool {
        let has_priority = matches!(order, Order::Multifactor(_));
        !has_priority || -key.value_as_given() >= f64::from(self.bf_min_prio_reserve)
    }

    /// How long after the end of a job a pass finds its nodes free.
    ///
    /// With timers of a second or two, a pass comes 0.01 to 1.05 s after an end, since the one that the end calls for comes
    /// before its nodes are through with it: 0.3 s in the median of 240 starts on a slurmctld 22.05. With longer ones it doesn't
    /// matter, and passes come at once.
    pub(crate) fn lag(&self) -> SimDuration {
        let often = |secs: i32| (1..=2).contains(&secs);
        SimDuration::from_millis(if often(self.bf_interval) && often(self.sched_interval) { 300 } else { 0 })
    }

    /// Time between full main passes, if there is a timer for them.
    pub(crate) fn full_pass_period(&self) -> Option<SimDuration> {
        period(self.sched_interval)
    }

    /// Time between backfill cycles, if there are any.
    pub(crate) fn cycle_period(&self) -> Option<SimDuration> {
        period(self.bf_interval)
    }

    /// The longer of the two.
    pub(crate) fn longest_timer(&self) -> SimDuration {
        self.full_pass_period().max(self.cycle_period()).unwrap_or_default()
    }

    /// How far ahead a cycle plans.
    pub(crate) fn window(&self) -> SimDuration {
        SimDuration::from_secs(u64::from(self.bf_window) * 60)
    }

    /// The grain of reservations, at least a second.
    pub(crate) fn resolution(&self) -> SimDuration {
        SimDuration::from_secs(self.bf_resolution.max(1).into())
    }
}

/// `None` for no timer.
fn period(secs: i32) -> Option<SimDuration> {
    u64::try_from(secs).ok().filter(|&secs| secs > 0).map(SimDuration::from_secs)
}
