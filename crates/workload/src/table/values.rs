//! The values in a table: times and amounts as several programs write them.

use switchyard_model::{SimDuration, SimTime};

use crate::sacct::values as slurm;
use crate::workload::Status;

/// A moment: seconds on the trace's own clock, or a stamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moment {
    Seconds(SimTime),
    Stamp(SimTime),
}

/// `599850`, `12.5`, `2017-10-09 07:01:55`, `2017-10-09T07:01:55.250Z`.
pub(super) fn moment(text: &str) -> Option<Moment> {
    if let Ok(secs) = text.parse::<f64>() {
        return SimTime::from_secs_f64(secs).map(Moment::Seconds);
    }
    let text = text.strip_suffix('Z').unwrap_or(text);
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let at = slurm::stamp(&whole.replacen(' ', "T", 1))?;
    if fraction.is_empty() || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let part = SimDuration::from_secs_f64(format!("0.{fraction}").parse().ok()?)?;
    Some(Moment::Stamp(at + part))
}

/// Seconds, or `[D-]HH:MM:SS`.
pub(super) fn duration(text: &str) -> Option<SimDuration> {
    match text.parse::<f64>() {
        Ok(secs) => SimDuration::from_secs_f64(secs),
        Err(_) => slurm::duration(text, false),
    }
}

/// A whole number; some programs write 4 as 4.0.
pub(super) fn count(text: &str) -> Option<u64> {
    if let Ok(number) = text.parse() {
        return Some(number);
    }
    let number: f64 = text.parse().ok()?;
    let whole = number as u64;
    (number.to_bits() == (whole as f64).to_bits() && number < 9e15).then_some(whole)
}

/// How a job ended, in the words of several systems.
pub(super) fn status(text: &str) -> Status {
    let text = text.to_ascii_lowercase();
    if let Some(status) = Status::named(&text) {
        return status;
    }
    match text.as_str() {
        "pass" | "passed" | "succeeded" | "success" | "finished" | "done" => Status::Completed,
        "fail" | "error" => Status::Failed,
        "killed" => Status::Cancelled,
        "timeout" | "deadline" => Status::TimedOut,
        "node_fail" | "boot_fail" => Status::NodeFailed,
        "oom" => Status::OutOfMemory,
        _ if text.starts_with("cancel") => Status::Cancelled,
        _ => Status::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_seconds_or_stamps() {
        assert_eq!(moment("12.5"), Some(Moment::Seconds(SimTime::from_micros(12_500_000))));
        let stamp = |text| match moment(text) {
            Some(Moment::Stamp(at)) => Some(at.as_micros()),
            _ => None,
        };
        assert_eq!(stamp("1970-01-02 00:00:01"), Some(86_401_000_000));
        assert_eq!(stamp("1970-01-02T00:00:01.250Z"), Some(86_401_250_000));
        for bad in ["", "-1", "soon", "1970-01-02", "1970-01-02T00:00:01.x", "nan", "inf"] {
            assert_eq!(moment(bad), None, "{bad}");
        }
    }

    #[test]
    fn amounts_may_have_a_needless_decimal() {
        assert_eq!(count("4"), Some(4));
        assert_eq!(count("4.0"), Some(4));
        for bad in ["", "4.5", "-1", "1e300", "nan"] {
            assert_eq!(count(bad), None, "{bad}");
        }
        assert_eq!(duration("66.0"), Some(SimDuration::from_secs(66)));
        assert_eq!(duration("1-00:00:01"), Some(SimDuration::from_secs(86_401)));
    }
}
