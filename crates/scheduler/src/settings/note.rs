//! What is not taken as it stands.

use std::fmt;

use crate::ParamProblem;

/// A remark about a parameter. None of these stops Slurm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettingNote {
    /// Slurm knows it, and it would change the schedule or may do so.
    NotModelled {
        /// The parameter.
        key: &'static str,
        /// What it was set to.
        value: String,
    },
    /// Slurm doesn't know it.
    Unknown {
        /// The parameter.
        key: &'static str,
        /// What it was set to.
        value: String,
    },
    /// Another remark about one of `SchedulerParameters`.
    Scheduler(ParamProblem),
}

impl fmt::Display for SettingNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SettingNote::Scheduler(problem) => problem.fmt(f),
            SettingNote::NotModelled { key, value } => {
                write!(f, "{key}={value} is not modelled; it changes nothing here")
            }
            SettingNote::Unknown { key, value } => {
                write!(f, "there is no {key}={value} in slurm.conf(5); it changes nothing")
            }
        }
    }
}
