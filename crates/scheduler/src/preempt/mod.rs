//! Who has to make room for whom: the rules of preemption.

mod config;
mod mode;
mod rights;
mod select;

use serde::{Deserialize, Serialize};
use switchyard_model::{PerMille, PreemptMode, SimDuration};

pub use config::PreemptError;
pub use mode::{PreemptSetting, PreemptSettingError};
pub(crate) use rights::{Claim, Rights};
pub(crate) use select::{Candidate, select};

/// Which right to preempt counts (Slurm: `PreemptType`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PreemptBy {
    /// A quality of service that lists the victim's (`preempt/qos`).
    #[default]
    Qos,
    /// A partition of a higher tier (`preempt/partition_prio`).
    PartitionPriority,
}

/// How preemption works on a cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Preempt {
    /// Which right counts.
    pub by: PreemptBy,
    /// What happens to victims, where quality of service or partition say nothing else (`PreemptMode`).
    pub mode: PreemptMode,
    /// Also within one quality of service, for a strictly higher priority (`PreemptMode=…,WITHIN`).
    pub within: bool,
    /// Only for a higher job priority (`PreemptMode=…,PRIORITY`).
    pub priority: bool,
    /// A job can't be preempted before it has run this long (`PreemptExemptTime`).
    pub exempt: SimDuration,
    /// How long a victim may still run, where quality of service or partition say nothing else.
    pub grace: SimDuration,
    /// The latest start first (`preempt_youngest_first`).
    pub youngest_first: bool,
    /// Put only the completing candidate first when searching again (`preempt_strict_order`).
    pub strict_order: bool,
    /// How often to search again in a better order (`preempt_reorder_count`).
    pub reorder_count: u32,
    /// A requeued job waits this long, and a second (Slurm waits 2 minutes).
    pub requeue_delay: SimDuration,
    /// No second request for the same job before this has passed (`KillWait` + `MessageTimeout`).
    pub repeat_after: SimDuration,
    /// The part of a victim's work that is kept.
    pub checkpoint: PerMille,
}

impl Default for Preempt {
    fn default() -> Self {
        Preempt {
            by: PreemptBy::Qos,
            mode: PreemptMode::Requeue,
            within: false,
            priority: false,
            exempt: SimDuration::ZERO,
            grace: SimDuration::ZERO,
            youngest_first: false,
            strict_order: false,
            reorder_count: 1,
            requeue_delay: SimDuration::from_secs(120),
            repeat_after: SimDuration::from_secs(40),
            checkpoint: PerMille(0),
        }
    }
}
