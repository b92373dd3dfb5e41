//! The policies and orders in a sentence each, for help texts, tables and the page.

use crate::{Order, Policy};

impl Policy {
    /// What the policy with this name does, in a sentence; `None` for a name that is none of [`Policy::NAMES`].
    pub fn sentence(name: &str) -> Option<&'static str> {
        Some(match name {
            "fcfs" => "First come, first served; nobody passes anybody.",
            "sjf" => "The shortest time limit first; nobody passes the first that has to wait.",
            "easy" => "EASY backfill that counts resources in sums.",
            "easy-machine" => "EASY backfill that reserves certain nodes for the first that has to wait.",
            "easy-aggregate" => "EASY backfill by the aggregate shadow time.",
            "conservative" => "A reservation for everyone, which moves up when something becomes free.",
            "conservative-replan" => "Reservations for everyone, made anew at every event.",
            "conservative-machine" => "As conservative, on certain nodes even where any processor would do.",
            "slurm" => "Slurm's main passes and backfill cycles with its defaults, by arrival.",
            "seed-lab-v01-off" => "slurm-scheduler-lab 0.1 without backfill.",
            "seed-lab-v01" => "slurm-scheduler-lab 0.1 with its EASY backfill.",
            "seed-lab-off" => "slurm-scheduler-lab as it is now, without backfill.",
            "seed-lab-easy" => "slurm-scheduler-lab as it is now, with EASY backfill.",
            "seed-lab" => "slurm-scheduler-lab as it is now, with Slurm's backfill: its default.",
            _ => return None,
        })
    }
}

impl Order {
    /// What it does, in a sentence.
    pub const fn sentence(&self) -> &'static str {
        match self {
            Order::Fifo => "By arrival.",
            Order::Shortest => "The shortest time limit first.",
            Order::Largest => "The most GPUs or processors first.",
            Order::Smallest => "The fewest processors first.",
            Order::Wfp3 => "WFP3: the highest (wait / limit)^3 x processors first.",
            Order::Unicep => "UNICEP: the highest wait / (log2(processors) x limit) first.",
            Order::F1 => "F1: the lowest log10(limit) x processors + 870 log10(submit) first.",
            Order::F2 => "F2: the lowest sqrt(limit) x processors + 25,600 log10(submit) first.",
            Order::F3 => "F3: the lowest limit x processors + 6.86e6 log10(submit) first.",
            Order::F4 => "F4: the lowest limit x sqrt(processors) + 5.3e5 log10(submit) first.",
            Order::Multifactor(_) => {
                "Slurm's multifactor priority: age, fair share, size, partition, QOS, resources, nice."
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Policy;

    #[test]
    fn every_policy_has_its_sentence() {
        for name in Policy::NAMES {
            assert!(Policy::sentence(name).is_some_and(|sentence| sentence.ends_with('.')), "{name}");
        }
        assert_eq!(Policy::sentence("eazy"), None);
    }
}
