//! From a site's configuration to rules of preemption, or to a refusal.

use std::sync::Arc;

use switchyard_model::{PreemptMode, Qos, SimDuration};
use thiserror::Error;

use super::{Preempt, PreemptBy, PreemptSetting};
use crate::queue::{ParamProblem, lenient};

/// Why preemption can't work like this.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PreemptError {
    /// Nobody may preempt, but a mode is set.
    #[error("PreemptType=preempt/none goes with PreemptMode=OFF alone; set a type, or take the mode away")]
    ModeWithoutType,
    /// Someone may preempt, but nothing would happen.
    #[error("{type_name} needs a PreemptMode other than OFF; set REQUEUE or CANCEL")]
    TypeWithoutMode {
        /// What `PreemptType` says.
        type_name: &'static str,
    },
    /// No such type.
    #[error("there is no PreemptType \"{text}\"; choose preempt/none, preempt/qos or preempt/partition_prio")]
    UnknownType {
        /// What was given.
        text: String,
    },
    /// Jobs would preempt each other in turn without end.
    #[error("the preempt lists of qualities of service form a loop: {}; take one of them out", chain.join(" preempts "))]
    Loop {
        /// The loop, from a name back to the same.
        chain: Vec<String>,
    },
}

impl Preempt {
    /// The rules that `PreemptType` and `PreemptMode` set; `None` when nobody may preempt.
    ///
    /// # Errors
    /// When the two don't go together, or the type is not known.
    pub fn configured(type_name: &str, mode: &PreemptSetting) -> Result<Option<Preempt>, PreemptError> {
        let (by, type_name) = match type_name.trim().to_ascii_lowercase().as_str() {
            "" | "none" | "preempt/none" => {
                let quiet = mode.base.is_none() && !mode.within && !mode.priority;
                return if quiet { Ok(None) } else { Err(PreemptError::ModeWithoutType) };
            }
            "qos" | "preempt/qos" => (PreemptBy::Qos, "preempt/qos"),
            "partition_prio" | "preempt/partition_prio" => {
                (PreemptBy::PartitionPriority, "preempt/partition_prio")
            }
            _ => return Err(PreemptError::UnknownType { text: type_name.to_owned() }),
        };
        let Some(base) = mode.base.filter(|base| *base != PreemptMode::Off) else {
            return Err(PreemptError::TypeWithoutMode { type_name });
        };
        let PreemptSetting { within, priority, .. } = *mode;
        Ok(Some(Preempt { by, mode: base, within, priority, ..Preempt::default() }))
    }

    /// Sets one of the parameters of preemption that stand in `SchedulerParameters` or, without their first word, in
    /// `PreemptParameters`: `preempt_youngest_first`, `preempt_strict_order`, `preempt_reorder_count`, `requeue_delay`.
    ///
    /// # Errors
    /// When it is not taken as it stands. If the value is out of range, the default is set.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), ParamProblem> {
        let lower = key.trim().to_ascii_lowercase();
        let name = lower.strip_prefix("preempt_").unwrap_or(&lower);
        let standard = Preempt::default();
        let number = |key, default| {
            let most = i32::MAX.into();
            match lenient(value).filter(|n| (0..=most).contains(n)) {
                Some(n) => Ok(n.unsigned_abs()),
                None => Err(ParamProblem::OutOfRange {
                    key,
                    value: value.to_owned(),
                    least: 0,
                    most,
                    off: false,
                    default,
                }),
            }
        };
        match name {
            "youngest_first" => self.youngest_first = true,
            "strict_order" => self.strict_order = true,
            "reorder_count" => {
                self.reorder_count = standard.reorder_count;
                let count = number("preempt_reorder_count", standard.reorder_count.into())?;
                self.reorder_count = u32::try_from(count).unwrap_or(standard.reorder_count);
            }
            "requeue_delay" => {
                self.requeue_delay = standard.requeue_delay;
                self.requeue_delay = SimDuration::from_secs(number("requeue_delay", 120)?);
            }
            "send_user_signal" | "min_exempt_priority" | "suspend_grace_time" => {
                return Err(ParamProblem::NotModelled { key: lower });
            }
            _ => return Err(ParamProblem::Unknown { key: lower }),
        }
        Ok(())
    }

    /// Whether the lists of who may preempt whom can work.
    ///
    /// # Errors
    /// When they form a loop, which Slurm's database refuses as well.
    pub fn check(qos: &[Qos]) -> Result<(), PreemptError> {
        // Takes away, again and again, those that may preempt nobody who is left.
        let mut left: Vec<&Qos> = qos.iter().collect();
        loop {
            let names: Vec<Arc<str>> = left.iter().map(|qos| Arc::clone(&qos.name)).collect();
            let before = left.len();
            left.retain(|qos| qos.preempt.iter().any(|name| names.contains(name)));
            if left.len() == before {
                break;
            }
        }
        // Everyone who is left may preempt someone who is left: following that leads into a loop.
        let mut chain: Vec<&str> = Vec::new();
        let mut next = left.first().map(|qos| &*qos.name);
        while let Some(name) = next {
            if let Some(start) = chain.iter().position(|known| *known == name) {
                let chain = chain.iter().skip(start).chain([&name]).map(|&name| name.to_owned()).collect();
                return Err(PreemptError::Loop { chain });
            }
            chain.push(name);
            let of = left.iter().find(|qos| &*qos.name == name);
            let is_left = |name: &&Arc<str>| left.iter().any(|qos| qos.name == **name);
            next = of.and_then(|qos| qos.preempt.iter().find(is_left)).map(|name| &**name);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn configured(type_name: &str, mode: &str) -> Result<Option<Preempt>, String> {
        Preempt::configured(type_name, &mode.parse().unwrap()).map_err(|error| error.to_string())
    }

    #[test]
    fn type_and_mode_have_to_go_together() {
        assert_eq!(configured("preempt/none", "OFF"), Ok(None));
        assert_eq!(configured("", "GANG"), Ok(None));
        let rules = configured("preempt/qos", "requeue,within").unwrap().unwrap();
        assert_eq!((rules.by, rules.mode, rules.within), (PreemptBy::Qos, PreemptMode::Requeue, true));
        let rules = configured("PREEMPT/partition_prio", "CANCEL,PRIORITY").unwrap().unwrap();
        assert_eq!((rules.by, rules.mode), (PreemptBy::PartitionPriority, PreemptMode::Cancel));
        assert!(rules.priority && !rules.within);
        for mode in ["REQUEUE", "WITHIN", "PRIORITY"] {
            let said = configured("preempt/none", mode).unwrap_err();
            assert!(said.starts_with("PreemptType=preempt/none goes with PreemptMode=OFF alone"), "{said}");
        }
        assert_eq!(
            configured("preempt/qos", "WITHIN").unwrap_err(),
            "preempt/qos needs a PreemptMode other than OFF; set REQUEUE or CANCEL"
        );
        assert_eq!(
            configured("fifo", "CANCEL").unwrap_err(),
            "there is no PreemptType \"fifo\"; choose preempt/none, preempt/qos or preempt/partition_prio"
        );
    }

    #[test]
    fn lists_that_form_a_loop_are_refused() {
        let qos = |rows: &[(&str, &[&str])]| -> Vec<Qos> {
            let row = |(name, preempt): &(&str, &[&str])| Qos {
                name: (*name).into(),
                preempt: preempt.iter().map(|&name| name.into()).collect(),
                ..Qos::default()
            };
            rows.iter().map(row).collect()
        };
        let check = |rows: &[(&str, &[&str])]| Preempt::check(&qos(rows)).map_err(|error| error.to_string());
        assert_eq!(check(&[("a", &["b", "c"]), ("b", &["c"]), ("c", &[])]), Ok(()));
        assert_eq!(check(&[("a", &["nobody"])]), Ok(()));
        assert_eq!(
            check(&[("a", &["b"]), ("b", &["c", "d"]), ("c", &[]), ("d", &["b"])]).unwrap_err(),
            "the preempt lists of qualities of service form a loop: b preempts d preempts b; take one of them out"
        );
        assert_eq!(
            check(&[("a", &["a"])]).unwrap_err(),
            "the preempt lists of qualities of service form a loop: a preempts a; take one of them out"
        );
    }

    #[test]
    fn parameters_are_set_by_either_name() {
        let mut rules = Preempt::default();
        rules.set("preempt_youngest_first", "").unwrap();
        rules.set("strict_order", "1").unwrap();
        rules.set("reorder_count", "3").unwrap();
        rules.set("requeue_delay", "7s").unwrap();
        assert!(rules.youngest_first && rules.strict_order);
        assert_eq!((rules.reorder_count, rules.requeue_delay), (3, SimDuration::from_secs(7)));
        assert!(rules.set("preempt_reorder_count", "-1").is_err());
        assert_eq!(rules.reorder_count, 1);
        assert!(matches!(rules.set("eldest_first", "1"), Err(ParamProblem::Unknown { .. })));
        assert!(matches!(rules.set("min_exempt_priority", "1"), Err(ParamProblem::NotModelled { .. })));
    }
}
