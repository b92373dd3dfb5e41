//! Parameters of preemption from text.

use switchyard_model::{PerMille, PreemptMode, SimDuration, slurm_time};

use super::{SettingError, SettingNote};
use crate::{ParamProblem, Preempt, PreemptBy, PreemptError, PreemptSetting};

/// What Slurm waits between asking a job to end and the next request (`KillWait` and `MessageTimeout`).
const KILL_WAIT: SimDuration = SimDuration::from_secs(30);
const MESSAGE_TIMEOUT: SimDuration = SimDuration::from_secs(10);

/// The keys that stand by themselves, as Slurm spells them; the last two are this program's.
const KEYS: [&str; 8] = [
    "PreemptMode",
    "PreemptExemptTime",
    "PreemptParameters",
    "KillWait",
    "MessageTimeout",
    "GraceTime",
    "checkpoint_fraction",
    "PreemptType",
];

/// Whether this is about preemption.
pub(super) fn is_ours(key: &str) -> bool {
    let ours = |problem: Result<(), ParamProblem>| !matches!(problem, Err(ParamProblem::Unknown { .. }));
    KEYS.iter().any(|known| known.eq_ignore_ascii_case(key)) || ours(Preempt::default().set(key, "1"))
}

/// The rules for a type of preemption, with the other rules as they were: `REQUEUE`, if nothing else is said. `None` for nobody.
pub(super) fn of_type(value: &str, known: Option<Preempt>) -> Result<Option<Preempt>, SettingError> {
    if matches!(value.trim().to_ascii_lowercase().as_str(), "none" | "preempt/none") {
        return Ok(None);
    }
    let requeue = PreemptSetting { base: Some(PreemptMode::Requeue), ..PreemptSetting::default() };
    let fresh = Preempt::configured(value, &requeue)?;
    Ok(fresh.map(|fresh| Preempt { by: fresh.by, ..known.unwrap_or(fresh) }))
}

/// Sets one rule, but for the type.
pub(super) fn set(rules: &mut Preempt, key: &str, value: &str) -> Result<Vec<SettingNote>, SettingError> {
    let value = value.trim();
    let wrong = |key, expected| SettingError::Value { key, expected, found: value.to_owned() };
    let seconds = |key| {
        let seconds = value.parse::<u32>().map(|seconds| SimDuration::from_secs(seconds.into()));
        seconds.map_err(|_| wrong(key, "a whole number of seconds"))
    };
    match key.to_ascii_lowercase().as_str() {
        "preemptmode" => return set_mode(rules, value),
        "preemptparameters" => return set_all(rules, value),
        "preemptexempttime" => {
            let expected = "a length of time, as in 0:30 (minutes and seconds), or -1";
            let time = slurm_time(value).ok_or_else(|| wrong("PreemptExemptTime", expected))?;
            rules.exempt = if time == SimDuration::MAX { SimDuration::ZERO } else { time };
        }
        "gracetime" => rules.grace = seconds("GraceTime")?,
        "killwait" => rules.repeat_after = rules.repeat_after + seconds("KillWait")? - KILL_WAIT,
        "messagetimeout" => {
            rules.repeat_after = rules.repeat_after + seconds("MessageTimeout")? - MESSAGE_TIMEOUT;
        }
        "checkpoint_fraction" => {
            let part = value.parse().ok().filter(|part: &f64| (0.0..=1.0).contains(part));
            let part = part.ok_or_else(|| wrong("checkpoint_fraction", "a number from 0 to 1"))?;
            rules.checkpoint = PerMille((part * 1000.0) as u16);
        }
        _ => return note(key, rules.set(key, value)),
    }
    Ok(Vec::new())
}

fn set_mode(rules: &mut Preempt, value: &str) -> Result<Vec<SettingNote>, SettingError> {
    let setting: PreemptSetting = value.parse()?;
    let by = match rules.by {
        PreemptBy::Qos => "preempt/qos",
        PreemptBy::PartitionPriority => "preempt/partition_prio",
    };
    let Some(fresh) = Preempt::configured(by, &setting)? else {
        return Err(PreemptError::ModeWithoutType.into());
    };
    (rules.mode, rules.within, rules.priority) = (fresh.mode, fresh.within, fresh.priority);
    let gang = || SettingNote::NotModelled { key: "PreemptMode", value: "GANG".to_owned() };
    Ok(setting.gang.then(gang).into_iter().collect())
}

/// A list with commas.
fn set_all(rules: &mut Preempt, list: &str) -> Result<Vec<SettingNote>, SettingError> {
    let mut notes = Vec::new();
    for item in list.split(',').map(str::trim).filter(|item| !item.is_empty()) {
        let (key, value) = item.split_once('=').unwrap_or((item, ""));
        let problem = rules.set(key.trim(), value.trim());
        notes.extend(problem.err().map(SettingNote::Scheduler));
    }
    Ok(notes)
}

/// A key that nobody knows is an error, everything else only a remark.
pub(super) fn note(key: &str, result: Result<(), ParamProblem>) -> Result<Vec<SettingNote>, SettingError> {
    match result {
        Ok(()) => Ok(Vec::new()),
        Err(ParamProblem::Unknown { .. }) => Err(SettingError::Unknown { key: key.to_owned() }),
        Err(problem) => Ok(vec![SettingNote::Scheduler(problem)]),
    }
}
