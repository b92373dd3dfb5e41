//! The values in sacct's columns: stamps, durations, memory, trackable resources, job ids.

use switchyard_model::{SimDuration, SimTime};

/// Slurm marks memory per CPU by this bit of its number of megabytes; some versions print it.
const PER_CPU_FLAG_MIB: u64 = 1 << 31;

/// Whether `text` says that there is no such moment.
pub(super) fn is_no_time(text: &str) -> bool {
    matches!(text, "" | "Unknown" | "None" | "N/A")
}

/// `YYYY-MM-DDTHH:MM:SS`, as the time since 1970-01-01T00:00:00.
pub(crate) fn stamp(text: &str) -> Option<SimTime> {
    let [year, month, day, hour, minute, second] = six_numbers(text)?;
    let valid = (1970..10_000).contains(&year)
        && (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && hour < 24
        && minute < 60
        && second <= 60;
    valid.then(|| {
        SimTime::from_secs(days_since_1970(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second)
    })
}

/// The numbers of a stamp. There are several in each row, so this is a plain loop.
fn six_numbers(text: &str) -> Option<[u64; 6]> {
    const BEHIND: [u8; 5] = [b'-', b'-', b'T', b':', b':'];
    let mut numbers = [0u64; 6];
    let (mut place, mut digits) = (0, 0);
    for byte in text.bytes() {
        if byte.is_ascii_digit() {
            let number = numbers.get_mut(place)?;
            *number = *number * 10 + u64::from(byte - b'0');
            digits += 1;
            if digits > 9 {
                return None;
            }
        } else if digits > 0 && BEHIND.get(place) == Some(&byte) {
            place += 1;
            digits = 0;
        } else {
            return None;
        }
    }
    (place == BEHIND.len() && digits > 0).then_some(numbers)
}

fn digits(text: &str) -> Option<u64> {
    let plain = !text.is_empty() && text.len() <= 9 && text.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.parse().ok())?
}

/// Days from 1970-01-01 in the Gregorian calendar; `year` is at least 1970.
fn days_since_1970(year: u64, month: u64, day: u64) -> u64 {
    // Years that begin in March have their leap day at the end; 306 days lie between March 1 and January 1.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let day_of_year = (153 * month + 2) / 5 + day - 1;
    let days = year * 365 + year / 4 - year / 100 + year / 400 + day_of_year;
    days.saturating_sub(719_468) // 0000-03-01 to 1970-01-01
}

/// `[D-]HH:MM:SS`, `MM:SS`, `D-HH:MM`, `D-HH`; with `fractions`, as in CPU times, also `MM:SS.mmm`.
pub(crate) fn duration(text: &str, fractions: bool) -> Option<SimDuration> {
    let (days, rest) = match text.split_once('-') {
        Some((days, rest)) => (Some(digits(days)?), rest),
        None => (None, text),
    };
    let (rest, fraction) = match rest.split_once('.') {
        Some((rest, fraction)) if fractions => (rest, fraction),
        Some(_) => return None,
        None => (rest, "0"),
    };
    digits(fraction)?;
    let mut parts = [0; 3];
    let mut count = 0;
    for part in rest.split(':') {
        *parts.get_mut(count)? = digits(part)?;
        count += 1;
    }
    let (hours, minutes, seconds) = match (days.is_some(), count) {
        (_, 3) => (parts[0], parts[1], parts[2]),
        (true, _) => (parts[0], parts[1], 0),
        (false, 2) => (0, parts[0], parts[1]),
        _ => return None,
    };
    Some(SimDuration::from_secs(days.unwrap_or(0) * 86_400 + hours * 3_600 + minutes * 60 + seconds))
}

/// Whether `text` is the id of a job, an array task or range, a component or a step.
pub(super) fn is_job_id(text: &str) -> bool {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.len() < text.len() && (rest.is_empty() || rest.starts_with(['_', '+', '.']))
}

/// How many jobs an id stands for: `123`, `123_4` and `123+1` for one, `123_[1-5,9%2]` for six.
pub(super) fn tasks(id: &str) -> Option<u64> {
    let Some((_, range)) = id.split_once("_[") else { return Some(1) };
    let range = range.strip_suffix(']')?;
    let range = range.split('%').next()?; // how many may run at once
    let mut count = 0u64;
    for item in range.split(',') {
        let (span, step) = match item.split_once(':') {
            Some((span, step)) => (span, digits(step).filter(|&step| step > 0)?),
            None => (item, 1),
        };
        let (from, to) = span.split_once('-').unwrap_or((span, span));
        count += digits(to)?.checked_sub(digits(from)?)? / step + 1;
    }
    Some(count)
}

/// What an amount of memory is meant for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Per {
    /// Each CPU of the job.
    Cpu,
    /// Each of its nodes.
    Node,
    /// All of it.
    Job,
}

/// Requested memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Memory {
    /// How much, rounded up.
    pub(super) mib: u64,
    /// For what.
    pub(super) per: Per,
    /// Whether the flag "per CPU" was still in the number.
    pub(super) had_flag: bool,
}

/// `3000Mc` per CPU, `48000Mn` per node, `16G` for the job, as releases since 21.08 print it.
pub(super) fn memory(text: &str) -> Option<Memory> {
    let (amount, per) = match text.strip_suffix('c') {
        Some(amount) => (amount, Per::Cpu),
        None => match text.strip_suffix('n') {
            Some(amount) => (amount, Per::Node),
            None => (text, Per::Job),
        },
    };
    let mib = mebibytes(amount)?;
    let had_flag = per != Per::Job && mib >= PER_CPU_FLAG_MIB;
    if had_flag {
        return Some(Memory { mib: mib - PER_CPU_FLAG_MIB, per: Per::Cpu, had_flag });
    }
    Some(Memory { mib, per, had_flag })
}

/// `31000M`, `62.50G`, `0`; without a unit they are megabytes. Rounded up.
fn mebibytes(text: &str) -> Option<u64> {
    let number = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let kib = match text.get(number.len()..)? {
        "K" => 1.0,
        "" | "M" => 1024.0,
        "G" => 1024.0 * 1024.0,
        "T" => 1024.0 * 1024.0 * 1024.0,
        "P" => 1024.0 * 1024.0 * 1024.0 * 1024.0,
        _ => return None,
    };
    if !number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return None;
    }
    let mib = number.parse::<f64>().ok()? * kib / 1024.0;
    (mib < 1e15).then(|| {
        let whole = mib as u64;
        if mib > whole as f64 { whole + 1 } else { whole }
    })
}

/// The trackable resources that count here; `None` for what isn't listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tres {
    pub(super) cpus: Option<u64>,
    pub(super) nodes: Option<u64>,
    pub(super) gpus: Option<u64>,
    pub(super) memory_mib: Option<u64>,
}

/// `billing=12,cpu=12,gres/gpu=2,gres/gpu:a100=2,mem=31000M,node=1`. GPUs may be listed with and without their type: the
/// untyped entry is the sum of the typed ones.
pub(super) fn tres(text: &str) -> Option<Tres> {
    let mut tres = Tres::default();
    let mut typed_gpus = None;
    for item in text.split(',').filter(|item| !item.is_empty()) {
        let (name, value) = item.split_once('=')?;
        match name {
            "cpu" => tres.cpus = Some(digits(value)?),
            "node" => tres.nodes = Some(digits(value)?),
            "mem" => tres.memory_mib = Some(mebibytes(value)?),
            "gres/gpu" => tres.gpus = Some(digits(value)?),
            _ if name.starts_with("gres/gpu:") => {
                typed_gpus = Some(typed_gpus.unwrap_or(0) + digits(value)?);
            }
            _ => {}
        }
    }
    tres.gpus = tres.gpus.or(typed_gpus);
    Some(tres)
}

/// The GPUs of `gpu:2` or `gpu:tesla:2`, as releases before 20.11 print what all nodes of a job gave.
pub(super) fn gres_gpus(text: &str) -> Option<u64> {
    let mut gpus = None;
    for item in text.split(',') {
        let mut parts = item.split('(').next().unwrap_or("").split(':');
        if parts.next() != Some("gpu") {
            continue;
        }
        let count = parts.next_back().map_or(Some(1), |last| Some(digits(last).unwrap_or(1)));
        gpus = Some(gpus.unwrap_or(0) + count?);
    }
    gpus
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn stamps_count_from_1970() {
        let secs = |text| stamp(text).map(|at| at.as_micros() / 1_000_000);
        assert_eq!(secs("1970-01-01T00:00:00"), Some(0));
        assert_eq!(secs("2015-06-26T13:57:00"), Some(1_435_327_020)); // XDMoD's expected value
        assert_eq!(secs("2016-08-01T06:01:08"), Some(1_470_031_268)); // the same
        assert_eq!(secs("2000-02-29T23:59:59"), Some(951_868_799));
        for bad in
            ["Unknown", "2015-06-26 13:57:00", "2015-13-26T13:57:00", "Ystday", "1969-12-31T23:59:59", ""]
        {
            assert_eq!(secs(bad), None, "{bad}");
        }
    }

    #[test]
    fn durations_have_all_of_slurms_forms() {
        let secs = |text| duration(text, false).map(|d| d.as_micros() / 1_000_000);
        assert_eq!(secs("00:24"), Some(24));
        assert_eq!(secs("01:02:03"), Some(3_723));
        assert_eq!(secs("3-00:00:22"), Some(259_222));
        assert_eq!(secs("120-00:14:40"), Some(10_368_880)); // CPUTimeRAW of the same row says so
        assert_eq!(secs("2-12"), Some(216_000));
        assert_eq!(secs("2-12:30"), Some(217_800));
        for bad in ["", "12", "1:2:3:4", "-1:00", "00:15.057", "UNLIMITED", "1-", "0 days 23:33:25"] {
            assert_eq!(secs(bad), None, "{bad}");
        }
        assert!(duration("00:15.057", true).is_some());
    }

    #[test]
    fn memory_has_three_meanings_and_a_leaked_flag() {
        let read = |text| memory(text).map(|m| (m.mib, m.per, m.had_flag));
        assert_eq!(read("3000Mc"), Some((3000, Per::Cpu, false)));
        assert_eq!(read("48000Mn"), Some((48_000, Per::Node, false)));
        assert_eq!(read("16G"), Some((16_384, Per::Job, false)));
        assert_eq!(read("2147486648Mn"), Some((3000, Per::Cpu, true)));
        assert_eq!(read("0n"), Some((0, Per::Node, false)));
        assert_eq!(read("2252800K"), Some((2200, Per::Job, false)));
        assert_eq!(read("62.50G"), Some((64_000, Per::Job, false)));
        assert_eq!(read("1T"), Some((1 << 20, Per::Job, false)));
        for bad in ["", "M", "12x", "1e5M", "nanM"] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }

    #[test]
    fn gpus_are_counted_once() {
        let gpus = |text| tres(text).unwrap().gpus;
        assert_eq!(gpus("billing=12,cpu=12,gres/gpu=2,gres/gpu:a100=2,mem=31000M,node=1"), Some(2));
        assert_eq!(gpus("cpu=1,gres/gpu:volta=2,gres/gpu:a100=1"), Some(3));
        assert_eq!(gpus("cpu=1,node=1"), None);
        assert_eq!(tres("cpu=x"), None);
        assert_eq!(gres_gpus("craynetwork:1,gpu:tesla:2(IDX:0-1),gpu:1"), Some(3));
        assert_eq!(gres_gpus("gpu"), Some(1));
        assert_eq!(gres_gpus("mic:2"), None);
    }

    #[test]
    fn array_ranges_are_counted() {
        // The ranges and their sizes are XDMoD's.
        for (id, count) in [
            ("4103947_100", 1),
            ("4103947_[1-3]", 3),
            ("4103947_[1,5]", 2),
            ("4103947_[9-11,20]", 4),
            ("4103947_[9-11,13,16-20]", 9),
            ("123_[1-9%2]", 9),
            ("123_[1-9:4]", 3),
            ("123+1", 1),
        ] {
            assert_eq!(tasks(id), Some(count), "{id}");
        }
        for bad in ["1_[3-1]", "1_[1-3", "1_[]", "1_[1-9...]"] {
            assert_eq!(tasks(bad), None, "{bad}");
        }
    }
}
