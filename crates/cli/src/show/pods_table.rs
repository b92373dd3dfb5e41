//! The figures of pods on GPU nodes for people.

use switchyard_scheduler::{PodEnd, PodReason, PodRun};

use crate::args_pods::{OrderArg, PodsArgs};
use crate::commands::pods::Setting;

/// Longer curves are shown at these demands only, in per cent of all GPUs.
const DEMANDS: [u64; 12] = [10, 20, 40, 60, 80, 90, 95, 100, 110, 120, 130, 150];

pub(crate) fn page(args: &PodsArgs, setting: &Setting, run: &PodRun) -> String {
    let end = &run.end;
    let mut rows = vec![
        ("workload", workload(args, setting)),
        ("nodes", nodes(setting, end)),
        ("policy", format!("{}, ties by {}", run.policy, ties(args))),
        ("pods", run.outcomes.len().to_string()),
        ("scheduled", run.scheduled().to_string()),
        ("not scheduled", refused(run)),
        ("GPU in use", format!("{} of {} GPUs", used(end.gpu_milli), gpus(end.gpu_milli.1))),
        ("CPU in use", used(end.cpu_milli)),
        ("memory in use", used(end.memory_mib)),
        ("GPUs touched", format!("{} of {}", end.gpus.0, end.gpus.1)),
    ];
    rows.extend(idle(end));
    let table = super::table(&rows);
    let curves = curves(run);
    if curves.is_empty() { table } else { format!("{table}\n\n{curves}") }
}

fn workload(args: &PodsArgs, setting: &Setting) -> String {
    let demand = args.demand.map_or(String::new(), |times| format!(", {times} times the GPUs"));
    let order = match args.order() {
        OrderArg::File => String::new(),
        OrderArg::Shuffled => format!(", shuffled with seed {}", args.seed),
    };
    format!("{}{demand}{order}", setting.workload)
}

fn ties(args: &PodsArgs) -> String {
    match args.ties().name() {
        "shuffled" => format!("a random order with seed {}", args.seed),
        "file" => "place in the file".to_owned(),
        name => name.to_owned(),
    }
}

fn nodes(setting: &Setting, end: &PodEnd) -> String {
    format!("{}: {} CPUs, {} GPUs", setting.nodes.len(), cores(end.cpu_milli.1), end.gpus.1)
}

fn refused(run: &PodRun) -> String {
    let refused: Vec<&PodReason> = run.refused().collect();
    let count = |code: &str| refused.iter().filter(|reason| reason.code() == code).count();
    if refused.is_empty() {
        return "0".to_owned();
    }
    let parts = ["NeverFits", "Resources", "FragmentedResources"].map(|code| (code, count(code)));
    let said: Vec<String> =
        parts.iter().filter(|(_, n)| *n > 0).map(|(code, n)| format!("{code} {n}")).collect();
    format!("{} ({})", refused.len(), said.join(", "))
}

/// What is not in use, and what typical pods lack there.
fn idle(end: &PodEnd) -> Vec<(&'static str, String)> {
    let parts = end.fragments;
    let all = parts.idle().max(1) as f64;
    let share = |part: u64| {
        let milli = part as f64 / end.typical.max(1) as f64;
        format!("{:.2} GPUs ({:.2} %)", milli / 1000.0, 100.0 * part as f64 / all)
    };
    vec![
        ("GPU idle", share(parts.idle())),
        ("  fragmented, F(n)", share(parts.fragmented())),
        ("  Q1 lacks GPU and CPU", share(parts.q1)),
        ("  Q2 lacks GPU", share(parts.q2)),
        ("  Q3 can be used", share(parts.q3)),
        ("  Q4 lacks CPU", share(parts.q4)),
        ("  XL pod without GPU", share(parts.xl)),
        ("  XR the same, lacks CPU", share(parts.xr)),
        ("  other GPU model", share(parts.no_access)),
    ]
}

/// Allocation and fragmentation as demand grows; empty when the pods ask for no GPU.
fn curves(run: &PodRun) -> String {
    let mut lines = vec!["demand %  GPU in use %  fragmented % of all  fragmented % of idle".to_owned()];
    let curve = run.curve();
    let all = curve.len() <= DEMANDS.len();
    for (percent, point) in curve {
        if all || DEMANDS.contains(&percent) {
            lines.push(format!(
                "{percent:>8}  {:>12.2}  {:>19.2}  {:>20.2}",
                point.allocated, point.fragmented, point.fragmented_of_idle
            ));
        }
    }
    if lines.len() > 1 { lines.join("\n") } else { String::new() }
}

fn used((used, all): (u64, u64)) -> String {
    if all == 0 {
        return "none there".to_owned();
    }
    format!("{:.2} %", 100.0 * used as f64 / all as f64)
}

fn gpus(milli: u64) -> String {
    (milli / 1000).to_string()
}

/// Thousandths of a core as cores, without needless digits.
fn cores(milli: u64) -> String {
    format!("{}", milli as f64 / 1000.0)
}
