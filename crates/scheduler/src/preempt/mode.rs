//! `PreemptMode` as text: one mode, and flags.

use std::str::FromStr;

use switchyard_model::PreemptMode;
use thiserror::Error;

/// What `PreemptMode` says (Slurm: `PreemptMode=REQUEUE,WITHIN`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PreemptSetting {
    /// What happens to victims; `None` for `OFF` and for its other name `CLUSTER`.
    pub base: Option<PreemptMode>,
    /// `WITHIN`: also within one quality of service.
    pub within: bool,
    /// `PRIORITY`: only for a higher priority.
    pub priority: bool,
    /// `GANG`: jobs take turns on the same nodes. It is read, but not modelled.
    pub gang: bool,
}

/// Why a text is no `PreemptMode`.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PreemptSettingError {
    /// More than one mode.
    #[error("PreemptMode={text} sets two modes, {first} and {second}; keep one of them")]
    TwoModes {
        /// What was given.
        text: String,
        /// One of them.
        first: String,
        /// The other.
        second: String,
    },
    /// Two that exclude each other.
    #[error("PreemptMode={text} combines GANG with {flag}; keep one of them")]
    GangWith {
        /// What was given.
        text: String,
        /// `WITHIN` or `PRIORITY`.
        flag: &'static str,
    },
    /// Jobs would be suspended, which isn't modelled.
    #[error("PreemptMode={text} suspends jobs, which is not modelled; use REQUEUE or CANCEL")]
    Suspends {
        /// What was given.
        text: String,
    },
    /// No such word.
    #[error(
        "PreemptMode={text}: there is no \"{word}\"; use one of OFF, CANCEL and REQUEUE, with WITHIN or PRIORITY"
    )]
    Unknown {
        /// What was given.
        text: String,
        /// The word.
        word: String,
    },
}

impl PreemptSetting {
    /// What a quality of service says with this about its own jobs: nothing, if nothing at all is set; a flag alone counts as
    /// set, and then its jobs are protected.
    pub const fn of_qos(&self) -> Option<PreemptMode> {
        match self.base {
            Some(mode) => Some(mode),
            None if self.within || self.priority || self.gang => Some(PreemptMode::Off),
            None => None,
        }
    }
}

impl FromStr for PreemptSetting {
    type Err = PreemptSettingError;

    fn from_str(text: &str) -> Result<Self, PreemptSettingError> {
        let mut setting = PreemptSetting::default();
        let mut base: Option<String> = None;
        for word in text.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            let upper = word.to_ascii_uppercase();
            let mode = match upper.as_str() {
                "OFF" | "CLUSTER" => None,
                "CANCEL" => Some(PreemptMode::Cancel),
                "REQUEUE" => Some(PreemptMode::Requeue),
                "WITHIN" | "PRIORITY" | "GANG" => {
                    setting.within |= upper == "WITHIN";
                    setting.priority |= upper == "PRIORITY";
                    setting.gang |= upper == "GANG";
                    continue;
                }
                "SUSPEND" | "ON" => return Err(PreemptSettingError::Suspends { text: text.to_owned() }),
                _ => {
                    return Err(PreemptSettingError::Unknown {
                        text: text.to_owned(),
                        word: word.to_owned(),
                    });
                }
            };
            if let Some(first) = base {
                return Err(PreemptSettingError::TwoModes { text: text.to_owned(), first, second: upper });
            }
            setting.base = mode;
            base = Some(upper);
        }
        match (setting.gang, setting.within, setting.priority) {
            (true, true, _) => Err(PreemptSettingError::GangWith { text: text.to_owned(), flag: "WITHIN" }),
            (true, _, true) => Err(PreemptSettingError::GangWith { text: text.to_owned(), flag: "PRIORITY" }),
            _ => Ok(setting),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_mode_and_flags_in_any_case() {
        let read = |text: &str| text.parse::<PreemptSetting>().unwrap();
        let within = PreemptSetting { base: Some(PreemptMode::Requeue), within: true, ..Default::default() };
        assert_eq!(read("requeue,Within"), within);
        assert_eq!(
            read("PRIORITY, cancel,"),
            PreemptSetting { base: Some(PreemptMode::Cancel), priority: true, ..Default::default() }
        );
        assert_eq!(read("off"), PreemptSetting::default());
        assert_eq!(read("CLUSTER,GANG"), PreemptSetting { gang: true, ..Default::default() });
        assert_eq!(read(""), PreemptSetting::default());
    }

    #[test]
    fn a_quality_of_service_with_a_flag_alone_is_protected() {
        let of = |text: &str| text.parse::<PreemptSetting>().unwrap().of_qos();
        assert_eq!(of(""), None);
        assert_eq!(of("OFF"), None);
        assert_eq!(of("WITHIN"), Some(PreemptMode::Off));
        assert_eq!(of("CANCEL,WITHIN"), Some(PreemptMode::Cancel));
    }

    #[test]
    fn refusals_say_what_to_do() {
        let said = |text: &str| text.parse::<PreemptSetting>().unwrap_err().to_string();
        assert_eq!(
            said("CANCEL,REQUEUE"),
            "PreemptMode=CANCEL,REQUEUE sets two modes, CANCEL and REQUEUE; keep one of them"
        );
        assert_eq!(
            said("off,cancel"),
            "PreemptMode=off,cancel sets two modes, OFF and CANCEL; keep one of them"
        );
        assert_eq!(
            said("GANG,WITHIN"),
            "PreemptMode=GANG,WITHIN combines GANG with WITHIN; keep one of them"
        );
        assert_eq!(said("on"), "PreemptMode=on suspends jobs, which is not modelled; use REQUEUE or CANCEL");
        assert_eq!(
            said("kill"),
            "PreemptMode=kill: there is no \"kill\"; use one of OFF, CANCEL and REQUEUE, with WITHIN or PRIORITY"
        );
    }
}
