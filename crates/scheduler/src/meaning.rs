//! What each named policy means, in one line for those who choose.

use crate::Policy;

impl Policy {
    /// What the policy with this name does; empty for a name that is not among [`Policy::NAMES`].
    pub fn meaning(name: &str) -> &'static str {
        match name {
            "fcfs" => "First come, first served: nobody passes the first in line.",
            "sjf" => "The shortest time limit first; nobody passes the first in line.",
            "easy" => {
                "EASY backfill by sums: others may pass if enough is left in sum when the first can start."
            }
            "easy-machine" => {
                "EASY backfill by nodes: others may pass if the nodes kept for the first stay free."
            }
            "easy-aggregate" => {
                "EASY backfill by sums, as the seed lab's first version read it: long jobs may use what is spare now."
            }
            "conservative" => {
                "Everybody has a reservation that nobody may delay; when something gets free, they move up in order."
            }
            "conservative-replan" => {
                "Everybody has a reservation; all are made anew, in order, at every event."
            }
            "conservative-machine" => "As conservative, but each reservation names its nodes.",
            "slurm" => {
                "Slurm: a strict pass at each event, and a backfill cycle on a timer that plans for everybody."
            }
            "seed-lab-v01" => {
                "The published experiment: priorities by age, use, size and QOS, with backfill."
            }
            "seed-lab-v01-off" => {
                "The published experiment: priorities by age, use, size and QOS; nobody passes."
            }
            "seed-lab-off" => {
                "Slurm's priorities with the seed lab's weights; nobody passes the first in line."
            }
            "seed-lab-easy" => "Slurm's priorities with the seed lab's weights, and EASY backfill by sums.",
            "seed-lab" => "Slurm's priorities with the seed lab's weights, and Slurm's backfill cycles.",
            _ => "",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_named_policy_has_a_meaning_of_its_own() {
        for (place, name) in Policy::NAMES.iter().enumerate() {
            let meaning = Policy::meaning(name);
            assert!(meaning.ends_with('.'), "{name} has no meaning");
            assert!(
                !Policy::NAMES.iter().take(place).any(|other| Policy::meaning(other) == meaning),
                "{name}"
            );
        }
        assert_eq!(Policy::meaning("eazy"), "");
    }
}
