//! The table of `switchyard policies`.

use switchyard_model::FleetSpec;
use switchyard_scheduler::PodPolicy;

use crate::args_policy::{discipline_rows, order_rows, placement_rows, policy_lines};

pub(crate) fn page() -> String {
    let mut blocks =
        vec![format!("Policies (--policy): order / discipline / placement{}", policy_lines()), pods()];
    blocks.push(rows("Orders (--order)", order_rows()));
    blocks.push(rows("Disciplines (--discipline)", discipline_rows()));
    blocks.push(rows("Placements (--placement)", placement_rows()));
    blocks.push(rows("Fleets (--fleet)", fleets()));
    blocks.join("\n\n")
}

fn fleets() -> impl Iterator<Item = (&'static str, &'static str)> {
    FleetSpec::NAMES.into_iter().filter_map(|name| Some((name, FleetSpec::about(name)?)))
}

fn pods() -> String {
    format!("Policies for pods (switchyard pods --policy)\n  {}", PodPolicy::NAMES.join(", "))
}

fn rows(title: &str, rows: impl Iterator<Item = (&'static str, &'static str)>) -> String {
    let rows: Vec<_> = rows.collect();
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let lines: String =
        rows.iter().map(|(name, sentence)| format!("\n  {name:width$}  {sentence}")).collect();
    format!("{title}{lines}")
}
