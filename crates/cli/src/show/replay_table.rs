//! The figures of a replay for people.

use switchyard_model::{Fleet, SimDuration};
use switchyard_scheduler::Summary;
use switchyard_workload::Workload;

use crate::args::ReplayArgs;
use crate::fleet::described;

pub(crate) fn page(args: &ReplayArgs, workload: &Workload, fleet: &Fleet, summary: &Summary) -> String {
    let (slowdown, utilisation) = (summary.options.slowdown, summary.options.utilisation);
    super::table(&[
        ("workload", workload.name.to_string()),
        ("fleet", described(fleet)),
        ("policy", args.policy.name.to_string()),
        ("overrun", args.overrun.name().to_owned()),
        ("jobs", summary.jobs.to_string()),
        ("never started", summary.never_started.to_string()),
        ("backfilled", summary.backfilled.to_string()),
        ("mean wait", length(summary.mean_wait_secs)),
        ("median wait", length(summary.median_wait_secs)),
        ("95th percentile wait", length(summary.p95_wait_secs)),
        ("maximum wait", length(summary.max_wait_secs)),
        ("bounded slowdown", format!("{:.2} ({})", summary.mean_bounded_slowdown, slowdown.definition())),
        ("utilisation", format!("{:.2} % ({})", summary.utilisation * 100.0, utilisation.definition())),
        ("makespan", length(summary.makespan_secs)),
    ])
}

fn length(secs: f64) -> String {
    let said = SimDuration::from_secs_f64(secs).unwrap_or_default();
    format!("{secs:.1} s ({said})")
}
