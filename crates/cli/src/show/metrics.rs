//! All figures, each with its unit and its definition.

use std::collections::BTreeMap;

use serde::Serialize;
use switchyard_model::Job;
use switchyard_scheduler::metrics::{Definition, Metrics, Row, Unit};

/// A figure as JSON.
#[derive(Serialize)]
pub(crate) struct Figure {
    value: Option<f64>,
    unit: &'static str,
    formula: &'static str,
    source: &'static str,
}

/// The figures that say something about these jobs: nothing about memory where nobody asks for any.
fn rows(metrics: &Metrics, jobs: &[Job]) -> Vec<Row> {
    let memory = jobs.iter().any(|job| job.spec.shape.total().memory_mib > 0);
    metrics.rows().into_iter().filter(|row| memory || row.of != "memory").collect()
}

/// By their names.
pub(crate) fn figures(metrics: &Metrics, jobs: &[Job]) -> BTreeMap<String, Figure> {
    let figure = |row: Row| {
        let definition = row.definition;
        let unit = match definition.unit {
            Unit::Share => "share",
            Unit::Ratio => "ratio",
            unit => unit.symbol(),
        };
        (row.key(), Figure { value: row.value, unit, formula: definition.formula, source: definition.source })
    };
    rows(metrics, jobs).into_iter().map(figure).collect()
}

/// A table of them, with the meaning above each kind.
pub(crate) fn page(metrics: &Metrics, jobs: &[Job]) -> String {
    let rows = rows(metrics, jobs);
    let width = rows.iter().map(|row| row.key().len()).max().unwrap_or(0);
    let mut kinds: Vec<(&Definition, Vec<&Row>)> = Vec::new();
    for row in &rows {
        match kinds.iter_mut().find(|(kind, _)| kind.key == row.definition.key) {
            Some((_, rows)) => rows.push(row),
            None => kinds.push((row.definition, vec![row])),
        }
    }
    let block = |(kind, rows): &(&Definition, Vec<&Row>)| {
        let line = |row: &&Row| format!("\n  {:width$}  {}", row.key(), value(row));
        format!(
            "\n\n{}: {}. [{}]{}",
            kind.key,
            kind.formula,
            kind.source,
            rows.iter().map(line).collect::<String>()
        )
    };
    let horizon = metrics.options.horizon.definition();
    let slowdown = metrics.options.slowdown.definition();
    let blocks: String = kinds.iter().map(block).collect();
    format!("horizon: {horizon}\nbounded slowdown by: {slowdown}{blocks}")
}

fn value(row: &Row) -> String {
    let Some(value) = row.value else { return "-".to_owned() };
    match row.definition.unit {
        Unit::Share => format!("{:.2} %", value * 100.0),
        Unit::Jobs | Unit::Attempts => format!("{value} {}", row.definition.unit.symbol()),
        Unit::Ratio => format!("{value:.4}"),
        unit => format!("{value:.2} {}", unit.symbol()),
    }
}
