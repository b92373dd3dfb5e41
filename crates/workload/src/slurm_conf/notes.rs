//! What of a file is not used, or not as it stands.

use std::fmt;

use super::Spot;

/// Lines of one key in a remark, before it says "and so on".
const SPOTS_SHOWN: usize = 3;

/// A remark about a line, or about several of the same kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Where; of several lines the first.
    pub at: Spot,
    /// A sentence.
    pub said: String,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.at, self.said)
    }
}

/// Collects remarks.
#[derive(Clone, Debug, Default)]
pub(super) struct Notes {
    single: Vec<Note>,
    /// Keys that are about other things than the schedule.
    elsewhere: Vec<(Spot, String)>,
}

impl Notes {
    pub(super) fn add(&mut self, at: &Spot, said: String) {
        self.single.push(Note { at: at.clone(), said });
    }

    /// A key of Slurm's that would change the schedule.
    pub(super) fn not_modelled(&mut self, at: &Spot, key: &str) {
        self.add(at, format!("{key} is not modelled; it changes nothing here."));
    }

    /// A key that nobody knows.
    pub(super) fn unknown(&mut self, at: &Spot, key: &str) {
        self.add(at, format!("there is no {key} in slurm.conf(5); it changes nothing."));
    }

    /// A key that is about something else.
    pub(super) fn elsewhere(&mut self, at: &Spot, key: &str) {
        self.elsewhere.push((at.clone(), key.to_owned()));
    }

    pub(super) fn into_list(self) -> Vec<Note> {
        let mut list = self.single;
        if let Some((at, _)) = self.elsewhere.first() {
            let said = format!("of no concern to a schedule, with their lines: {}.", keys(&self.elsewhere));
            list.push(Note { at: at.clone(), said });
        }
        list
    }
}

/// Each key once: `SlurmUser (3), Port of NodeName (7, 8 and 4 more)`.
fn keys(found: &[(Spot, String)]) -> String {
    let mut keys: Vec<(&str, Vec<&Spot>)> = Vec::new();
    for (spot, key) in found {
        match keys.iter_mut().find(|(known, _)| known.eq_ignore_ascii_case(key)) {
            Some((_, spots)) => spots.push(spot),
            None => keys.push((key, vec![spot])),
        }
    }
    let home = found.first().map(|(spot, _)| &spot.file);
    let place = |spot: &&Spot| match home == Some(&spot.file) {
        true => spot.line.to_string(),
        false => spot.to_string(),
    };
    let said = |(key, spots): &(&str, Vec<&Spot>)| {
        let shown = spots.iter().take(SPOTS_SHOWN).map(place).collect::<Vec<_>>().join(", ");
        match spots.len().saturating_sub(SPOTS_SHOWN) {
            0 => format!("{key} ({shown})"),
            more => format!("{key} ({shown} and {more} more)"),
        }
    };
    keys.iter().map(said).collect::<Vec<_>>().join(", ")
}
