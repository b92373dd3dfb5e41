//! Multifactor priority as data: what counts how much, how usage is kept, and when all of it is calculated anew.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use switchyard_model::{SimDuration, SimTime};
use thiserror::Error;

const DAY: SimDuration = SimDuration::from_secs(24 * 3600);

/// The parts of a multifactor priority (Slurm: `priority/multifactor`).
///
/// P = age·A + fairshare·F + job_size·Z + partition·P + qos·Q + Σ tres·T - nice, each factor in [0, 1]:
/// - A: how long the job could have started, over `max_age`, at most 1;
/// - F: the fair-share factor of the job's account and user, from usage in CPU-seconds ([`FairShare`]);
/// - Z: the job's size ([`SizeRule`]);
/// - P: the `job_factor` of its partition over the largest of all partitions;
/// - Q: the priority of its quality of service over the highest of all, where the site lists it; else what the job says;
/// - T: what the job asks for of a resource over what the fleet has.
///
/// Higher first, after the partition's tier; ties by arrival, then by number. What a job has is a snapshot: taken when it
/// arrives and at every tick of `calc_period`.
///
/// Fields that are left out are as the seed lab's first version has them; [`Multifactor::slurm`] has Slurm's own defaults.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Multifactor {
    /// What each factor counts.
    pub weights: Weights,
    /// When age stops to count more (`PriorityMaxAge`).
    pub max_age: SimDuration,
    /// How the size of a job is measured.
    #[serde(default)]
    pub size: SizeRule,
    /// Small jobs get the large factor (`PriorityFavorSmall`).
    #[serde(default)]
    pub favour_small: bool,
    /// Priorities are whole numbers from 1 to 2^32 - 1, rounded down, as in Slurm. Otherwise they are not rounded at all.
    #[serde(default)]
    pub integer: bool,
    /// How usage becomes a factor.
    #[serde(default)]
    pub fair_share: FairShare,
    /// In how much time usage halves; zero means never (`PriorityDecayHalfLife`).
    pub half_life: SimDuration,
    /// When usage is forgotten at once (`PriorityUsageResetPeriod`).
    #[serde(default)]
    pub usage_reset: UsageReset,
    /// How long after a Sunday's midnight the run begins; usage is reset by that calendar.
    #[serde(default)]
    pub calendar_offset: SimDuration,
    /// After how much time usage and priorities are calculated anew, counted from the first submission; zero means at
    /// everything that happens (`PriorityCalcPeriod`).
    #[serde(default)]
    pub calc_period: SimDuration,
    /// When an account is charged.
    pub charge: Charge,
    /// Shares of accounts right under the root, beside those that the site lists; any other account has one.
    #[serde(default)]
    pub shares: BTreeMap<Arc<str>, u32>,
}

/// What each factor counts (Slurm: `PriorityWeight…`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Weights {
    /// For waiting.
    pub age: u32,
    /// For having used less than one's share.
    pub fairshare: u32,
    /// For being large.
    pub job_size: u32,
    /// For a better partition.
    pub partition: u32,
    /// For a better quality of service.
    pub qos: u32,
    /// For asking for much of one resource.
    pub tres: TresWeights,
}

/// What each resource counts (Slurm: `PriorityWeightTRES`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TresWeights {
    /// Processors.
    pub cpus: u32,
    /// GPUs.
    pub gpus: u32,
    /// Memory.
    pub memory: u32,
}

/// How the size of a job is measured. Each is cut off at 1; N nodes and C processors are what the fleet has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SizeRule {
    /// cpus / C: the seed lab's first version.
    #[default]
    Cpus,
    /// (nodes / N + cpus / C) / 2. A job that doesn't say how many nodes it wants counts as one of one node.
    NodesAndCpus,
    /// The larger of cpus / C and nodes / N, divided by the time limit in minutes, rounded up
    /// (`PriorityFlags=SMALL_RELATIVE_TO_TIME`).
    RelativeToTime,
}

/// How usage becomes a factor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FairShare {
    /// F = 2^(-U/S), where S is the part of all shares and U the part of all usage (`PriorityFlags=NO_FAIR_TREE`). Without
    /// any usage F is 1 for everyone; without shares it is 0; who used exactly their share has 0.5. Below the root, U also
    /// holds a part of what the siblings used. At a tick F is taken before usage is brought up to date, so that it trails by
    /// one period.
    #[default]
    Classic,
    /// Siblings are sorted by S/U within their parent, and users ranked in that order from the top of the tree down: F is
    /// the rank over the number of users. An account without users counts as one.
    FairTree,
}

/// When all usage is forgotten.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum UsageReset {
    /// Never.
    #[default]
    None,
    /// Once, as the run begins.
    Now,
    /// Every midnight.
    Daily,
    /// Every Sunday at midnight.
    Weekly,
}

impl UsageReset {
    /// The first time after `now` when usage is to be forgotten, if the run began `offset` after a Sunday's midnight.
    pub(super) fn next(self, now: SimTime, offset: SimDuration) -> Option<SimTime> {
        let period = match self {
            UsageReset::None | UsageReset::Now => return None,
            UsageReset::Daily => DAY,
            UsageReset::Weekly => DAY.saturating_mul(7),
        };
        let into = (now + offset).as_micros() % period.as_micros();
        Some(now + (period - SimDuration::from_micros(into)))
    }
}

/// When an account is charged for a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Charge {
    /// The whole job as it starts, for as long as it is really going to run. This leaks the future into the priorities,
    /// and only a replay can do it; it is what the seed lab's first version did, and its figures need it.
    AtDispatch,
    /// As it ends, for as long as it ran.
    AtEnd,
    /// At every tick for what it ran since the last, and the rest as it ends: what Slurm does.
    Periodic,
}

/// Why priorities can't be calculated like this.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PriorityError {
    /// Usage would only ever grow.
    #[error(
        "usage never fades (half_life is 0) and is never reset (usage_reset is NONE); set one of the two, for example a \
         half_life of 7 days"
    )]
    NeverForgets,
    /// The ticks would leave no time for anything else.
    #[error(
        "a calc_period of {period} is too short; set 0 for \"whenever something happens\", or at least 1 s"
    )]
    ShortPeriod {
        /// What was asked for.
        period: SimDuration,
    },
}

impl Multifactor {
    /// The shortest period there is, except for none.
    pub(super) const SHORTEST_PERIOD: SimDuration = SimDuration::from_secs(1);

    /// Slurm's own defaults: nothing counts, so that the first to come is the first to go; Fair Tree, ages up to 7 days,
    /// a half-life of 7 days, a tick every 5 minutes.
    pub fn slurm() -> Multifactor {
        Multifactor {
            weights: Weights::default(),
            max_age: DAY.saturating_mul(7),
            size: SizeRule::NodesAndCpus,
            favour_small: false,
            integer: true,
            fair_share: FairShare::FairTree,
            half_life: DAY.saturating_mul(7),
            usage_reset: UsageReset::None,
            calendar_offset: SimDuration::ZERO,
            calc_period: SimDuration::from_secs(300),
            charge: Charge::Periodic,
            shares: BTreeMap::new(),
        }
    }

    /// The seed lab as it is now: Slurm's defaults with the lab's demo weights and three accounts with equal shares.
    pub(crate) fn seed_lab() -> Multifactor {
        Multifactor { weights: DEMO_WEIGHTS, shares: demo_shares(), ..Multifactor::slurm() }
    }

    /// The seed lab's first version: the same weights and shares, usage with a half-life of 5 days charged at dispatch,
    /// everything calculated at every event and nothing rounded.
    pub(crate) fn seed_lab_v01() -> Multifactor {
        Multifactor {
            weights: Weights { partition: 0, ..DEMO_WEIGHTS },
            size: SizeRule::Cpus,
            integer: false,
            fair_share: FairShare::Classic,
            half_life: DAY.saturating_mul(5),
            calc_period: SimDuration::ZERO,
            charge: Charge::AtDispatch,
            ..Multifactor::seed_lab()
        }
    }

    /// Whether priorities can be calculated like this.
    ///
    /// # Errors
    /// When usage would only ever grow, or the ticks are closer than a second.
    pub fn check(&self) -> Result<(), PriorityError> {
        if self.half_life.is_zero() && self.usage_reset == UsageReset::None {
            return Err(PriorityError::NeverForgets);
        }
        if !self.calc_period.is_zero() && self.calc_period < Multifactor::SHORTEST_PERIOD {
            return Err(PriorityError::ShortPeriod { period: self.calc_period });
        }
        Ok(())
    }
}

/// The weights of the seed lab's demonstrations.
const DEMO_WEIGHTS: Weights = Weights {
    age: 1_000,
    fairshare: 10_000,
    job_size: 10_000,
    partition: 1_000,
    qos: 10_000,
    tres: TresWeights { cpus: 0, gpus: 0, memory: 0 },
};

fn demo_shares() -> BTreeMap<Arc<str>, u32> {
    ["research", "trading", "infra"].map(|account| (account.into(), 1)).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usage_is_reset_at_midnight_or_on_sunday() {
        let next = |reset: UsageReset, now, offset| {
            reset.next(SimTime::from_secs(now), SimDuration::from_secs(offset)).map(SimTime::as_secs_f64)
        };
        assert_eq!(next(UsageReset::Daily, 0, 0), Some(86_400.0));
        assert_eq!(next(UsageReset::Daily, 86_400, 0), Some(172_800.0));
        // The run begins on a Monday at one o'clock.
        assert_eq!(next(UsageReset::Daily, 10, 90_000), Some(82_800.0));
        assert_eq!(next(UsageReset::Weekly, 10, 90_000), Some(514_800.0));
        assert_eq!((next(UsageReset::Now, 0, 0), next(UsageReset::None, 0, 0)), (None, None));
    }

    #[test]
    fn usage_that_only_grows_is_refused() {
        let mut multifactor = Multifactor::seed_lab();
        assert_eq!(multifactor.check(), Ok(()));
        multifactor.half_life = SimDuration::ZERO;
        let refused = multifactor.check().map_err(|error| error.to_string());
        assert_eq!(
            refused,
            Err("usage never fades (half_life is 0) and is never reset (usage_reset is NONE); set one of the two, for \
                 example a half_life of 7 days"
                .to_owned())
        );
        multifactor.usage_reset = UsageReset::Weekly;
        assert_eq!(multifactor.check(), Ok(()));
        multifactor.calc_period = SimDuration::from_millis(10);
        let period = multifactor.calc_period;
        assert_eq!(multifactor.check(), Err(PriorityError::ShortPeriod { period }));
        multifactor.calc_period = SimDuration::ZERO;
        assert_eq!(multifactor.check(), Ok(()));
    }
}
