//! Parameters of a multifactor priority from text.

use switchyard_model::{SimDuration, slurm_time};

use super::{SettingError, SettingNote};
use crate::{FairShare, Multifactor, SizeRule, UsageReset};

const MINUTE_MICROS: u64 = 60_000_000;
/// Flags that Slurm knows and that are not modelled.
const FLAGS_NOT_MODELLED: [&str; 9] = [
    "ACCRUE_ALWAYS",
    "CALCULATE_RUNNING",
    "INCR_ONLY",
    "MAX_TRES",
    "MAX_TRES_GRES",
    "NO_NORMAL_ALL",
    "NO_NORMAL_ASSOC",
    "NO_NORMAL_PART",
    "NO_NORMAL_QOS",
];
const A_TIME: &str = "a length of time, as in 7-0 (days) or 300 (minutes)";

impl Multifactor {
    /// The names that [`set`](Self::set) takes, as Slurm spells them.
    pub const KEYS: [&'static str; 12] = [
        "PriorityWeightAge",
        "PriorityWeightFairshare",
        "PriorityWeightJobSize",
        "PriorityWeightPartition",
        "PriorityWeightQOS",
        "PriorityWeightTRES",
        "PriorityMaxAge",
        "PriorityDecayHalfLife",
        "PriorityCalcPeriod",
        "PriorityUsageResetPeriod",
        "PriorityFavorSmall",
        "PriorityFlags",
    ];

    /// Sets one of [`KEYS`](Self::KEYS) from text, as `slurm.conf` does; keys in any case. Lengths of time are rounded up to
    /// whole minutes, as in Slurm.
    ///
    /// # Errors
    /// When there is no such key, or the value makes no sense for it.
    pub fn set(&mut self, key: &str, value: &str) -> Result<Vec<SettingNote>, SettingError> {
        let wrong = |key, expected| SettingError::Value { key, expected, found: value.to_owned() };
        let weight =
            |key| value.trim().parse::<u32>().map_err(|_| wrong(key, "a whole number up to 4294967295"));
        let time = |key| minutes(value).ok_or_else(|| wrong(key, A_TIME));
        let Some(key) = Multifactor::KEYS.into_iter().find(|known| known.eq_ignore_ascii_case(key.trim()))
        else {
            return Err(SettingError::Unknown { key: key.to_owned() });
        };
        let mut notes = Vec::new();
        match key {
            "PriorityWeightAge" => self.weights.age = weight(key)?,
            "PriorityWeightFairshare" => self.weights.fairshare = weight(key)?,
            "PriorityWeightJobSize" => self.weights.job_size = weight(key)?,
            "PriorityWeightPartition" => self.weights.partition = weight(key)?,
            "PriorityWeightQOS" => self.weights.qos = weight(key)?,
            "PriorityWeightTRES" => self.set_tres(key, value, &mut notes)?,
            "PriorityMaxAge" => self.max_age = time(key)?,
            "PriorityDecayHalfLife" => self.half_life = time(key)?,
            "PriorityCalcPeriod" => self.calc_period = time(key)?,
            "PriorityUsageResetPeriod" => {
                self.usage_reset = reset(value).ok_or_else(|| wrong(key, "NONE, NOW, DAILY or WEEKLY"))?;
            }
            "PriorityFavorSmall" => {
                self.favour_small = yes(value).ok_or_else(|| wrong(key, "YES or NO"))?;
            }
            _ => self.set_flags(value, &mut notes),
        }
        Ok(notes)
    }

    fn set_tres(
        &mut self,
        key: &'static str,
        value: &str,
        notes: &mut Vec<SettingNote>,
    ) -> Result<(), SettingError> {
        let expected = "a list such as CPU=1000,Mem=2000,GRES/gpu=3000";
        let wrong = || SettingError::Value { key, expected, found: value.to_owned() };
        for item in value.split(',').map(str::trim).filter(|item| !item.is_empty()) {
            let (name, weight) = item.split_once('=').ok_or_else(wrong)?;
            let weight: u32 = weight.trim().parse().map_err(|_| wrong())?;
            match name.trim().to_ascii_lowercase().as_str() {
                "cpu" => self.weights.tres.cpus = weight,
                "mem" => self.weights.tres.memory = weight,
                "gres/gpu" => self.weights.tres.gpus = weight,
                other => notes.push(SettingNote::NotModelled { key, value: other.to_owned() }),
            }
        }
        Ok(())
    }

    fn set_flags(&mut self, value: &str, notes: &mut Vec<SettingNote>) {
        let key = "PriorityFlags";
        for flag in value.split(',').map(|flag| flag.trim().to_ascii_uppercase()) {
            match flag.as_str() {
                "" => {}
                "NO_FAIR_TREE" | "DEPTH_OBLIVIOUS" => self.fair_share = FairShare::Classic,
                "FAIR_TREE" => self.fair_share = FairShare::FairTree,
                "SMALL_RELATIVE_TO_TIME" => self.size = SizeRule::RelativeToTime,
                known if FLAGS_NOT_MODELLED.contains(&known) || known == "NO_NORMAL_TRES" => {
                    notes.push(SettingNote::NotModelled { key, value: flag });
                }
                _ => notes.push(SettingNote::Unknown { key, value: flag }),
            }
        }
    }
}

/// Rounded up to whole minutes.
fn minutes(value: &str) -> Option<SimDuration> {
    let time = slurm_time(value)?;
    if time == SimDuration::MAX {
        return Some(time);
    }
    Some(SimDuration::from_micros(time.as_micros().div_ceil(MINUTE_MICROS).saturating_mul(MINUTE_MICROS)))
}

fn reset(value: &str) -> Option<UsageReset> {
    match value.trim().to_ascii_uppercase().as_str() {
        "NONE" => Some(UsageReset::None),
        "NOW" => Some(UsageReset::Now),
        "DAILY" => Some(UsageReset::Daily),
        "WEEKLY" => Some(UsageReset::Weekly),
        _ => None,
    }
}

fn yes(value: &str) -> Option<bool> {
    match value.trim().to_ascii_lowercase().as_str() {
        "yes" | "up" | "true" | "1" => Some(true),
        "no" | "down" | "false" | "0" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn each_key_sets_its_field() {
        let mut rules = Multifactor::slurm();
        for (key, value) in [
            ("priorityweightage", "1000"),
            ("PriorityWeightFairshare", "2000"),
            ("PriorityWeightJobSize", "3000"),
            ("PriorityWeightPartition", "4000"),
            ("PriorityWeightQOS", "5000"),
            ("PriorityWeightTRES", "CPU=1,mem=2,GRES/gpu=3"),
            ("PriorityMaxAge", "14-0"),
            ("PriorityDecayHalfLife", "0:30"),
            ("PriorityCalcPeriod", "0"),
            ("PriorityUsageResetPeriod", "weekly"),
            ("PriorityFavorSmall", "YES"),
            ("PriorityFlags", "NO_FAIR_TREE,SMALL_RELATIVE_TO_TIME"),
        ] {
            assert_eq!(rules.set(key, value), Ok(Vec::new()), "{key}");
        }
        let weights = rules.weights;
        assert_eq!([weights.age, weights.fairshare, weights.job_size], [1000, 2000, 3000]);
        assert_eq!([weights.partition, weights.qos], [4000, 5000]);
        assert_eq!([weights.tres.cpus, weights.tres.memory, weights.tres.gpus], [1, 2, 3]);
        assert_eq!(rules.max_age, SimDuration::from_secs(14 * 86_400));
        assert_eq!(rules.half_life, SimDuration::from_secs(60));
        assert_eq!((rules.calc_period, rules.usage_reset), (SimDuration::ZERO, UsageReset::Weekly));
        assert!(rules.favour_small);
        assert_eq!((rules.fair_share, rules.size), (FairShare::Classic, SizeRule::RelativeToTime));
    }

    #[test]
    fn what_is_not_modelled_or_not_known_is_said() {
        let mut rules = Multifactor::slurm();
        let said = |notes: Vec<SettingNote>| notes.iter().map(ToString::to_string).collect::<Vec<_>>();
        let notes = said(rules.set("PriorityFlags", "MAX_TRES,FAIR_TREE,BEST").unwrap());
        assert_eq!(
            notes,
            [
                "PriorityFlags=MAX_TRES is not modelled; it changes nothing here",
                "there is no PriorityFlags=BEST in slurm.conf(5); it changes nothing",
            ]
        );
        let notes = said(rules.set("PriorityWeightTRES", "license/ansys=5,CPU=7").unwrap());
        assert_eq!(notes, ["PriorityWeightTRES=license/ansys is not modelled; it changes nothing here"]);
        assert_eq!(rules.weights.tres.cpus, 7);
    }

    #[test]
    fn nonsense_is_refused_with_a_sentence() {
        let mut rules = Multifactor::slurm();
        for (key, value, said) in [
            ("PriorityWeightAge", "-1", "PriorityWeightAge is a whole number up to 4294967295; found \"-1\""),
            (
                "PriorityMaxAge",
                "soon",
                "PriorityMaxAge is a length of time, as in 7-0 (days) or 300 (minutes); found \"soon\"",
            ),
            (
                "PriorityUsageResetPeriod",
                "MONTHLY",
                "PriorityUsageResetPeriod is NONE, NOW, DAILY or WEEKLY; found \"MONTHLY\"",
            ),
            ("PriorityFavorSmall", "2", "PriorityFavorSmall is YES or NO; found \"2\""),
            (
                "PriorityWeightTRES",
                "CPU",
                "PriorityWeightTRES is a list such as CPU=1000,Mem=2000,GRES/gpu=3000; found \"CPU\"",
            ),
        ] {
            assert_eq!(rules.set(key, value).unwrap_err().to_string(), said);
        }
        assert!(matches!(rules.set("PriorityWeight", "1"), Err(SettingError::Unknown { .. })));
        assert_eq!(rules, Multifactor::slurm());
    }
}
