//! All figures, each with its unit and its definition.

use std::collections::BTreeMap;

use serde::Serialize;
use switchyard_model::Job;
use switchyard_scheduler::metrics::{Metrics, Row, Unit};

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

/// A table of them, and below it what each means, once.
pub(crate) fn page(metrics: &Metrics, jobs: &[Job]) -> String {
    let rows = rows(metrics, jobs);
    let width = rows.iter().map(|row| row.key().len()).max().unwrap_or(0);
    let mut lines = Vec::new();
    let mut last = "";
    for row in &rows {
        if row.definition.key != last {
            last = row.definition.key;
            lines.push(format!("\n{}: {}. [{}]", last, row.definition.formula, row.definition.source));
        }
        lines.push(format!("  {:width$}  {}", row.key(), value(row)));
    }
    let horizon = metrics.options.horizon.definition();
    let slowdown = metrics.options.slowdown.definition();
    format!("horizon: {horizon}\nbounded slowdown by: {slowdown}\n{}", lines.join("\n"))
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
