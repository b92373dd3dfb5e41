//! The figures of a replay for people.

use switchyard_model::{JobId, SimDuration};

use crate::args::ReplayArgs;
use crate::commands::replay::Figures;
use crate::fleet::described;
use crate::setting::Setting;

use super::metrics;

pub(crate) fn page(args: &ReplayArgs, setting: &Setting, figures: &Figures) -> String {
    let Setting { workload, fleet, policy, .. } = setting;
    let summary = &figures.summary;
    let (slowdown, utilisation) = (summary.options.slowdown, summary.options.utilisation);
    let mut rows = vec![
        ("workload", workload.name.to_string()),
        ("fleet", described(fleet)),
        ("policy", policy.name.to_string()),
        ("  order", policy.order.name().to_owned()),
        ("  discipline", policy.discipline.name().to_owned()),
        ("  placement", policy.placement.name().to_owned()),
        ("time limits", args.input.limits.to_string()),
        ("overrun", args.input.overrun.name().to_owned()),
        ("jobs", summary.jobs.to_string()),
        ("never started", never_started(figures)),
        ("backfilled", summary.backfilled.to_string()),
        ("mean wait", length(summary.mean_wait_secs)),
        ("median wait", length(summary.median_wait_secs)),
        ("95th percentile wait", length(summary.p95_wait_secs)),
        ("maximum wait", length(summary.max_wait_secs)),
        ("bounded slowdown", format!("{:.2} ({})", summary.mean_bounded_slowdown, slowdown.definition())),
        ("utilisation", format!("{:.2} % ({})", summary.utilisation * 100.0, utilisation.definition())),
        ("makespan", length(summary.makespan_secs)),
    ];
    if let Some(share) = figures.gpu_utilisation {
        rows.insert(rows.len() - 1, ("GPU utilisation", format!("{:.2} %", share * 100.0)));
    }
    if summary.preemptions > 0 {
        rows.push(("preemptions", summary.preemptions.to_string()));
    }
    let table = super::table(&rows);
    match &figures.metrics {
        Some(all) => format!("{table}\n\n{}", metrics::page(all, &workload.jobs)),
        None => table,
    }
}

/// How many, and which.
fn never_started(figures: &Figures) -> String {
    let jobs: Vec<JobId> = figures.never_started.iter().map(|(job, _)| *job).collect();
    if jobs.is_empty() { "0".to_owned() } else { format!("{}: {}", jobs.len(), super::jobs(&jobs)) }
}

fn length(secs: f64) -> String {
    let said = SimDuration::from_secs_f64(secs).unwrap_or_default();
    format!("{secs:.1} s ({said})")
}
