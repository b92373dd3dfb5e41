//! Lengths of time as Slurm's configuration and commands write them, for all who read settings from text.

use crate::SimDuration;

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// `MINUTES`, `MINUTES:SECONDS`, `HOURS:MINUTES:SECONDS`, `DAYS-HOURS`, `DAYS-HOURS:MINUTES`, `DAYS-HOURS:MINUTES:SECONDS`.
/// `INFINITE`, `UNLIMITED` and `-1`, in any case, are [`SimDuration::MAX`]. Source: `slurm.conf(5)`.
pub fn slurm_time(text: &str) -> Option<SimDuration> {
    let text = text.trim();
    if text == "-1" || ["infinite", "unlimited"].iter().any(|word| text.eq_ignore_ascii_case(word)) {
        return Some(SimDuration::MAX);
    }
    let (days, rest) = match text.split_once('-') {
        Some((days, rest)) => (Some(number(days)?), rest),
        None => (None, text),
    };
    let parts = rest.split(':').map(number).collect::<Option<Vec<u64>>>()?;
    let secs = match (days, parts.as_slice()) {
        (None, [minutes]) => minutes * MINUTE,
        (None, [minutes, seconds]) => minutes * MINUTE + seconds,
        (Some(days), [hours]) => days * DAY + hours * HOUR,
        (Some(days), [hours, minutes]) => days * DAY + hours * HOUR + minutes * MINUTE,
        (days, [hours, minutes, seconds]) => {
            days.unwrap_or(0) * DAY + hours * HOUR + minutes * MINUTE + seconds
        }
        _ => return None,
    };
    Some(SimDuration::from_secs(secs))
}

/// Up to nine digits, so that nothing overflows.
fn number(text: &str) -> Option<u64> {
    let plain = !text.is_empty() && text.len() <= 9 && text.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_has_its_units() {
        let secs = |text| slurm_time(text).map(|length| length.as_micros() / 1_000_000);
        for (text, expected) in [
            ("7", 420),
            ("7:30", 450),
            ("2:00:05", 7205),
            ("1-0", 86_400),
            ("1-2:30", 95_400),
            ("14-00:00:01", 1_209_601),
            ("0", 0),
        ] {
            assert_eq!(secs(text), Some(expected), "{text}");
        }
        for text in ["INFINITE", "unlimited", "-1"] {
            assert_eq!(slurm_time(text), Some(SimDuration::MAX), "{text}");
        }
        for text in ["", "x", "1:2:3:4", "1-", "-2", "1.5", "+3", "1-2-3", "99999999999"] {
            assert_eq!(slurm_time(text), None, "{text}");
        }
    }
}
