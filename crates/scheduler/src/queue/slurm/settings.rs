//! Reads `SchedulerParameters` as Slurm does: leniently, and out loud where something is not taken as it stands.

use thiserror::Error;

use super::SlurmParams;

/// Why a parameter was not taken as it stands. None of these stops Slurm, which goes on with the default.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParamProblem {
    /// No such number is allowed.
    #[error("{key}={value} is out of range, so that its default {default} applies; give a number from {least} to {most}{or_off}", or_off = if *.off { ", or -1 to switch it off" } else { "" })]
    OutOfRange {
        /// The parameter.
        key: &'static str,
        /// What was given.
        value: String,
        /// The smallest number.
        least: i64,
        /// The largest one.
        most: i64,
        /// Whether -1 is allowed as well.
        off: bool,
        /// What it is now.
        default: i64,
    },
    /// It has no value.
    #[error("{key} has no value, so that its default {default} applies; write {key}=NUMBER")]
    NoValue {
        /// The parameter.
        key: &'static str,
        /// What it is now.
        default: i64,
    },
    /// Slurm knows it, and it would change the schedule or may do so.
    #[error("{key} is a parameter of Slurm that is not modelled; it changes nothing here")]
    NotModelled {
        /// The parameter.
        key: String,
    },
    /// Nobody knows it.
    #[error("there is no scheduler parameter \"{key}\"; check its spelling in slurm.conf(5)")]
    Unknown {
        /// What was given.
        key: String,
    },
    /// It is there twice.
    #[error("{key} is given more than once; the first one counts")]
    Repeated {
        /// The parameter.
        key: String,
    },
    /// Two that exclude each other.
    #[error("bf_max_job_user and bf_max_job_assoc are both set; bf_max_job_user is not looked at")]
    UserAndAssoc,
}

/// Parameters of Slurm that are known and not modelled.
const NOT_MODELLED: [&str; 60] = [
    "allow_zero_lic",
    "assoc_limit_stop",
    "batch_sched_delay",
    "bb_array_stage_cnt",
    "bf_allow_magnetic_slot",
    "bf_busy_nodes",
    "bf_continue",
    "bf_hetjob_immediate",
    "bf_hetjob_prio",
    "bf_ignore_newly_avail_nodes",
    "bf_job_part_count_reserve",
    "bf_max_job_array_resv",
    "bf_max_time",
    "bf_min_age_reserve",
    "bf_node_space_size",
    "bf_one_resv_per_job",
    "bf_running_job_reserve",
    "bf_topopt_enable",
    "bf_topopt_iterations",
    "bf_window_linear",
    "bf_yield_interval",
    "bf_yield_sleep",
    "build_queue_timeout",
    "correspond_after_task_cnt",
    "default_gbytes",
    "defer",
    "defer_batch",
    "delay_boot",
    "disable_hetjob_steps",
    "disable_job_shrink",
    "enable_hetjob_steps",
    "enable_job_state_cache",
    "enable_user_top",
    "extra_constraints",
    "extra_node_constraints",
    "ignore_constraint_validation",
    "ignore_numa",
    "ignore_prefer_validation",
    "max_array_tasks",
    "max_depend_depth",
    "max_rpc_cnt",
    "max_sched_time",
    "max_script_size",
    "max_submit_line_size",
    "max_switch_wait",
    "no_backup_scheduling",
    "nohold_on_prolog_fail",
    "pack_serial_at_end",
    "permit_job_expansion",
    "preempt_send_user_signal",
    "reduce_completing_frag",
    "requeue_setup_env_fail",
    "salloc_wait_nodes",
    "sbatch_wait_nodes",
    "sched_max_job_start",
    "sched_min_interval",
    "spec_cores_first",
    "step_retry_count",
    "step_retry_time",
    "time_min_as_soft_limit",
];
/// Parameters of preemption; see [`Preempt::set`](crate::Preempt::set).
const OF_PREEMPTION: [&str; 5] = [
    "preempt_reorder_count",
    "preempt_strict_order",
    "preempt_youngest_first",
    "requeue_delay",
    "min_exempt_priority",
];

/// A number that can be set: its name, its range, and where it is.
struct Number {
    key: &'static str,
    least: i64,
    most: i64,
    /// -1 is allowed as well.
    off: bool,
    get: fn(&SlurmParams) -> i64,
    put: fn(&mut SlurmParams, i64),
}

/// A place for an unsigned number.
macro_rules! count {
    ($field:ident, $least:expr, $most:expr) => {
        Number {
            key: stringify!($field),
            least: $least,
            most: $most,
            off: false,
            get: |params| params.$field.into(),
            put: |params, value| params.$field = u32::try_from(value).unwrap_or(params.$field),
        }
    };
}

/// A place for the seconds of a timer.
macro_rules! timer {
    ($field:ident, $least:expr, $most:expr) => {
        Number {
            key: stringify!($field),
            least: $least,
            most: $most,
            off: true,
            get: |params| params.$field.into(),
            put: |params, value| params.$field = i32::try_from(value).unwrap_or(params.$field),
        }
    };
}

const INT_MAX: i64 = i32::MAX as i64;

const NUMBERS: [Number; 13] = [
    count!(default_queue_depth, 0, INT_MAX),
    timer!(sched_interval, 0, INT_MAX),
    count!(partition_job_depth, 0, INT_MAX),
    timer!(bf_interval, 1, 10_800),
    count!(bf_window, 1, 43_200),
    count!(bf_resolution, 1, 3_600),
    count!(bf_max_job_test, 1, 1_000_000),
    count!(bf_max_job_start, 0, 10_000),
    count!(bf_max_job_user, 0, INT_MAX),
    count!(bf_max_job_part, 0, INT_MAX),
    count!(bf_max_job_user_part, 0, INT_MAX),
    count!(bf_max_job_assoc, 0, INT_MAX),
    count!(bf_min_prio_reserve, 0, u32::MAX as i64),
];

impl SlurmParams {
    /// The names that [`set`](Self::set) takes.
    pub fn keys() -> impl Iterator<Item = &'static str> {
        NUMBERS.iter().map(|number| number.key).chain(["bf_licenses"])
    }

    /// Sets one parameter from text, as `key=value` in `SchedulerParameters` does. Upper and lower case are the same; a number
    /// ends at the first character that is no digit.
    ///
    /// # Errors
    /// When it is not taken as it stands. If the value is out of range, the default is set.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), ParamProblem> {
        self.set_one(key, Some(value))
    }

    /// Reads the text of `SchedulerParameters`: a list with commas of `key=value` and `flag`. What isn't taken as it stands is
    /// reported; reading never fails.
    pub fn parse(text: &str) -> (SlurmParams, Vec<ParamProblem>) {
        let mut params = SlurmParams::default();
        let mut problems = Vec::new();
        let mut seen: Vec<String> = Vec::new();
        for item in text.split(',').map(str::trim).filter(|item| !item.is_empty()) {
            let (key, value) = match item.split_once('=') {
                Some((key, value)) => (key.trim(), Some(value.trim())),
                None => (item, None),
            };
            let lower = key.to_ascii_lowercase();
            if seen.contains(&lower) {
                problems.push(ParamProblem::Repeated { key: lower });
                continue;
            }
            problems.extend(params.set_one(&lower, value).err());
            seen.push(lower);
        }
        if params.bf_max_job_assoc > 0 && params.bf_max_job_user > 0 {
            problems.push(ParamProblem::UserAndAssoc);
        }
        (params, problems)
    }

    fn set_one(&mut self, key: &str, value: Option<&str>) -> Result<(), ParamProblem> {
        let key = key.trim().to_ascii_lowercase();
        if key == "bf_licenses" {
            // A flag: it is there, whatever it is said to be, but for a plain no.
            self.bf_licenses = value.is_none_or(|value| !matches!(value.trim(), "0" | "no" | "false"));
            return Ok(());
        }
        let Some(number) = NUMBERS.iter().find(|number| number.key == key) else {
            // Those of preemption are someone else's to take.
            let known = NOT_MODELLED.contains(&key.as_str()) || OF_PREEMPTION.contains(&key.as_str());
            return Err(match known {
                true => ParamProblem::NotModelled { key },
                false => ParamProblem::Unknown { key },
            });
        };
        let default = (number.get)(&SlurmParams::default());
        let Some(value) = value else {
            (number.put)(self, default);
            return Err(ParamProblem::NoValue { key: number.key, default });
        };
        match lenient(value) {
            Some(n) if (number.least..=number.most).contains(&n) || (number.off && n == -1) => {
                (number.put)(self, n);
                Ok(())
            }
            _ => {
                (number.put)(self, default);
                let Number { key, least, most, off, .. } = *number;
                Err(ParamProblem::OutOfRange { key, value: value.to_owned(), least, most, off, default })
            }
        }
    }
}

/// The number at the beginning of `text`, as C's `atoi` finds it; `None` if there is none. Too large numbers saturate.
pub(crate) fn lenient(text: &str) -> Option<i64> {
    let text = text.trim_start();
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let mut value = None;
    for digit in digits.chars().map_while(|c| c.to_digit(10)) {
        let so_far: i64 = value.unwrap_or(0);
        value = Some(so_far.saturating_mul(10).saturating_add(digit.into()));
    }
    value.map(|value| if negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slurms_text_is_read_leniently_and_out_loud() {
        let (params, problems) = SlurmParams::parse(
            "bf_interval=60s, BF_WINDOW=2.5,bf_resolution=0,bf_max_job_test=+50,,defer,bf_wndow=7,sched_interval=-1,bf_window=9",
        );
        let expected = SlurmParams {
            bf_interval: 60,
            bf_window: 2,
            bf_max_job_test: 50,
            sched_interval: -1,
            ..SlurmParams::default()
        };
        assert_eq!(params, expected);
        let said: Vec<String> = problems.iter().map(ToString::to_string).collect();
        assert_eq!(
            said,
            [
                "bf_resolution=0 is out of range, so that its default 60 applies; give a number from 1 to 3600",
                "defer is a parameter of Slurm that is not modelled; it changes nothing here",
                "there is no scheduler parameter \"bf_wndow\"; check its spelling in slurm.conf(5)",
                "bf_window is given more than once; the first one counts",
            ]
        );
    }

    #[test]
    fn each_number_has_a_range_and_falls_back_to_its_default() {
        let cases = [
            ("bf_interval", ["1", "10800", "-1"], ["0", "10801", "-2"]),
            ("bf_window", ["1", "43200", "60"], ["0", "43201", "-1"]),
            ("bf_resolution", ["1", "3600", "30"], ["0", "3601", "-1"]),
            ("bf_max_job_test", ["1", "1000000", "7"], ["0", "1000001", "-1"]),
            ("bf_max_job_start", ["0", "10000", "7"], ["x", "10001", "-1"]),
            ("bf_max_job_user", ["0", "1", "7"], ["", "-1", "99999999999999999999"]),
            ("sched_interval", ["0", "-1", "120"], ["-2", "-", "abc"]),
            ("default_queue_depth", ["0", "1", "1000"], ["-1", "-7", "--1"]),
            ("partition_job_depth", ["0", "1", "1000"], ["-1", "-5", "."]),
        ];
        for (key, good, bad) in cases {
            let Some(number) = NUMBERS.iter().find(|number| number.key == key) else { unreachable!() };
            let mut params = SlurmParams::default();
            for value in good {
                assert_eq!(params.set(key, value), Ok(()), "{key}={value}");
                assert_eq!(Some((number.get)(&params)), lenient(value), "{key}={value}");
            }
            for value in bad {
                let refused = params.set(key, value);
                assert!(matches!(refused, Err(ParamProblem::OutOfRange { .. })), "{key}={value}");
                assert_eq!((number.get)(&params), (number.get)(&SlurmParams::default()));
            }
        }
    }

    #[test]
    fn what_goes_together_and_what_does_not() {
        let (params, problems) =
            SlurmParams::parse("bf_max_job_user=3,bf_max_job_assoc=2,bf_licenses,bf_window");
        assert!(params.bf_licenses);
        let none = ParamProblem::NoValue { key: "bf_window", default: 1440 };
        assert_eq!(problems, [none, ParamProblem::UserAndAssoc]);
        let off = SlurmParams::parse("bf_interval=x").1;
        assert_eq!(
            off.iter().map(ToString::to_string).collect::<Vec<_>>(),
            [
                "bf_interval=x is out of range, so that its default 30 applies; give a number from 1 to 10800, or -1 to switch it off"
            ]
        );
        assert!(SlurmParams::keys().all(|key| !NOT_MODELLED.contains(&key)));
    }
}
