//! The rules that must hold: which do, and what was seen when one did not.

use switchyard_sim::{Invariant, World};

use crate::topbar::Figure;
use crate::words::clock_millis;

/// One rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvariantRow {
    /// Its name in the field.
    pub name: &'static str,
    /// What it says.
    pub statement: &'static str,
    /// What was seen first when it broke, and when; nothing while it holds.
    pub broke: Option<String>,
}

/// All rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvariantsView {
    /// Each rule.
    pub rows: Vec<InvariantRow>,
    /// How many hold, in words.
    pub summary: String,
}

impl InvariantsView {
    /// The rules of a world.
    pub fn of(world: &World) -> Self {
        let row = |invariant: &Invariant| {
            let mut broken = world.violations().iter().filter(|violation| violation.invariant == *invariant);
            let first = broken.next();
            let more = broken.count();
            let also = if more > 0 { format!(" And {more} more times.") } else { String::new() };
            InvariantRow {
                name: invariant.name(),
                statement: invariant.statement(),
                broke: first.map(|first| format!("{}: {}.{also}", clock_millis(first.at), first.seen)),
            }
        };
        let rows: Vec<InvariantRow> = Invariant::ALL.iter().map(row).collect();
        let summary = format!(
            "{} Checked after every one of {} events.",
            figure(world).0.about,
            crate::words::grouped(world.steps())
        );
        InvariantsView { rows, summary }
    }
}

/// "6 hold", or how many broke; and whether all hold.
pub fn figure(world: &World) -> (Figure, bool) {
    let all = Invariant::ALL.len();
    let broken = Invariant::ALL
        .iter()
        .filter(|one| world.violations().iter().any(|seen| seen.invariant == **one))
        .count();
    let (value, about) = match broken {
        0 => (format!("{all} hold"), format!("All {all} invariants held at every moment so far.")),
        1 => ("1 broke".to_owned(), format!("1 of {all} invariants was broken at some moment.")),
        _ => (format!("{broken} broke"), format!("{broken} of {all} invariants were broken at some moment.")),
    };
    (Figure { value, label: "invariants", about }, broken == 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::world;

    #[test]
    fn every_rule_is_shown_with_what_it_says() {
        let view = InvariantsView::of(&world(2, vec![], 30));
        assert_eq!(view.rows.len(), Invariant::ALL.len());
        assert!(view.rows.iter().all(|row| row.broke.is_none() && row.statement.ends_with('.')));
        assert!(view.summary.starts_with("All 6 invariants held"), "{}", view.summary);
    }
}
