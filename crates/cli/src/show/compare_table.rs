//! A comparison for people.

use switchyard_scheduler::metrics::{Interval, Paired};

use crate::commands::compare::{Compared, Comparison, Row};
use crate::experiment::figure::FigureUnit;
use crate::fleet::described;

const NOTHING: &str = "-";

pub(crate) fn page(comparison: &Comparison<'_>) -> String {
    let (args, experiment) = (comparison.args, comparison.experiment);
    let head = super::table(&[
        ("workload", comparison.workloads()),
        ("fleet", described(&experiment.fleet)),
        ("time limits", args.input.limits.to_string()),
        ("overrun", args.input.overrun.name().to_owned()),
        ("bounded slowdown", experiment.slowdown.definition()),
    ]);
    let blocks = blocks(comparison);
    let caution = comparison.caution().map(|caution| format!("\n\n{caution}")).unwrap_or_default();
    format!("{head}{blocks}\n\n{}{caution}", reading(comparison))
}

/// How to read the table.
fn reading(comparison: &Comparison<'_>) -> String {
    let first = comparison.cells.first().map_or("the first", |cell| &cell.policy.name);
    let n = comparison.experiment.replicates.len();
    if n < 2 {
        return format!("The difference is to {first}, on the same jobs.");
    }
    format!(
        "sd is the standard deviation over the {n} workloads. The difference is the mean of the {n} differences to {first} on the same jobs,\n\
         with its 95 % bootstrap interval: one that contains 0 shows no difference. better/worse/equal counts the workloads; p is that of the sign test."
    )
}

/// One block of aligned lines for each figure.
fn blocks(comparison: &Comparison<'_>) -> String {
    let mut lines: Vec<Vec<String>> = Vec::new();
    for compared in &comparison.figures {
        let head = format!("{}{}", compared.figure.name, compared.unit.head());
        let titles = ["mean", "sd", "difference", "95 % interval", "better/worse/equal", "p"];
        lines.push(Vec::new());
        lines.push([head.as_str()].into_iter().chain(titles).map(str::to_owned).collect());
        for (cell, row) in comparison.cells.iter().zip(&compared.rows) {
            lines.push(line(&cell.policy.name, compared, row));
        }
    }
    let width = |column: usize| {
        let cells = lines.iter().filter_map(|line| line.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..7).map(width).collect();
    let shown = |line: &Vec<String>| {
        let cells = line.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| match column {
            0 => format!("{cell:width$}"),
            _ => format!("  {cell:>width$}"),
        });
        format!("\n{}", cells.collect::<String>().trim_end())
    };
    lines.iter().map(shown).collect()
}

fn line(name: &str, compared: &Compared, row: &Row) -> Vec<String> {
    let unit = compared.unit;
    let sd = row.sample.sd.map_or_else(|| NOTHING.to_owned(), |sd| unit.shown(sd));
    let mut cells = vec![format!("  {name}"), unit.shown(row.sample.mean), sd];
    if let Some(paired) = &row.paired {
        cells.extend([
            unit.signed(paired.difference.mean),
            interval(unit, paired.interval),
            signs(paired),
            probability(paired.sign_p),
        ]);
    }
    cells
}

pub(super) fn interval(unit: FigureUnit, interval: Option<Interval>) -> String {
    interval.map_or_else(
        || NOTHING.to_owned(),
        |interval| format!("{} to {}", unit.signed(interval.low), unit.signed(interval.high)),
    )
}

pub(super) fn signs(paired: &Paired) -> String {
    format!("{}/{}/{}", paired.better, paired.worse, paired.equal)
}

pub(super) fn probability(p: Option<f64>) -> String {
    match p {
        Some(p) if p < 0.001 => "<0.001".to_owned(),
        Some(p) => format!("{p:.3}"),
        None => NOTHING.to_owned(),
    }
}
