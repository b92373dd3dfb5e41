//! What people call the disciplines, and what each does in a sentence.

use super::Discipline;

impl Discipline {
    /// The disciplines by name.
    pub const NAMES: [&str; 7] = [
        "strict",
        "easy-count",
        "easy-machine",
        "easy-aggregate",
        "conservative",
        "conservative-replan",
        "conservative-machine",
    ];

    /// The discipline with this name, with Slurm's defaults where it has parameters. `_` does for `-`.
    pub fn named(name: &str) -> Option<Discipline> {
        Some(match name.replace('_', "-").as_str() {
            "strict" => Discipline::Strict,
            "easy-count" => Discipline::EasyCount,
            "easy-machine" => Discipline::EasyMachine,
            "easy-aggregate" => Discipline::EasyAggregate,
            "conservative" => Discipline::Conservative,
            "conservative-replan" => Discipline::ConservativeReplan,
            "conservative-machine" => Discipline::ConservativeMachine,
            _ => return None,
        })
    }

    /// What people call it.
    pub const fn name(&self) -> &'static str {
        match self {
            Discipline::Strict => "strict",
            Discipline::EasyCount => "easy-count",
            Discipline::EasyMachine => "easy-machine",
            Discipline::EasyAggregate => "easy-aggregate",
            Discipline::Conservative => "conservative",
            Discipline::ConservativeReplan => "conservative-replan",
            Discipline::ConservativeMachine => "conservative-machine",
        }
    }

    /// What it does, in a sentence.
    pub const fn sentence(&self) -> &'static str {
        match self {
            Discipline::Strict => "Nobody passes the first job that has to wait.",
            Discipline::EasyCount => {
                "EASY: the first job that has to wait keeps its shadow time, counted in sums."
            }
            Discipline::EasyMachine => "EASY: the first job that has to wait keeps certain nodes.",
            Discipline::EasyAggregate => "EASY by the aggregate shadow time of the seed lab's first version.",
            Discipline::Conservative => {
                "Every job has a reservation, which moves up when something becomes free."
            }
            Discipline::ConservativeReplan => {
                "Every job has a reservation; all are made anew at every event."
            }
            Discipline::ConservativeMachine => {
                "Every job has a reservation of certain nodes, which moves up when something becomes free."
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn names_are_those_of_scenario_files() {
        for name in Discipline::NAMES {
            let discipline = Discipline::named(name).unwrap();
            assert_eq!(discipline.name(), name);
            let written = serde_json::to_value(discipline).unwrap();
            let tag = written.as_str().or_else(|| written.as_object()?.keys().next().map(String::as_str));
            assert_eq!(tag, Some(name.replace('-', "_").as_str()));
            assert_eq!(Discipline::named(tag.unwrap()), Some(discipline));
        }
        assert_eq!(Discipline::named("easy"), None);
    }
}
