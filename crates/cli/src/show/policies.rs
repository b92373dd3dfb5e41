//! The table of `switchyard policies`.

use switchyard_scheduler::{PodPolicy, Policy};

use crate::args_policy::{discipline_rows, order_rows, placement_rows, policy_rows};

pub(crate) fn page() -> String {
    let mut blocks = vec![policies(), pods()];
    blocks.push(rows("Orders (--order)", order_rows()));
    blocks.push(rows("Disciplines (--discipline)", discipline_rows()));
    blocks.push(rows("Placements (--placement)", placement_rows()));
    blocks.join("\n\n")
}

fn policies() -> String {
    let rows: Vec<[String; 3]> = policy_rows()
        .filter_map(|(name, sentence)| {
            let policy = Policy::named(name).ok()?;
            let parts = [policy.order.name(), policy.discipline.name(), policy.placement.name()];
            Some([name.to_owned(), parts.join(" / "), sentence.to_owned()])
        })
        .collect();
    let width =
        |column: usize| rows.iter().filter_map(|row| row.get(column)).map(String::len).max().unwrap_or(0);
    let (names, parts) = (width(0), width(1));
    let line =
        |[name, made_of, sentence]: &[String; 3]| format!("\n  {name:names$}  {made_of:parts$}  {sentence}");
    let lines: String = rows.iter().map(line).collect();
    format!("Policies (--policy): order / discipline / placement{lines}")
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
